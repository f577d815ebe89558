/* SPDX-License-Identifier: Apache-2.0
 *
 * build_ahead: the command `build`. Compiles into the folder of --builds what a search on a device would compile first,
 * without that device: the general kernels, the library, what measures the device's limits, and the candidates that
 * simulated searches propose. Each of these searches runs in a world of its own: the times that the analytic model
 * makes up differ from world to world (search/measure/lab_model.c). Worlds follow each other until there are enough
 * candidates. Code for a CPU target is for this CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include "gen/base/json.h"
#include "gen/base/number.h"
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/driver/tools.h"
#include "gen/target/family.h"
#include "search/loop/search.h"
#include "search/measure/lab.h"

enum {
    TRIALS = 128, /* candidates, unless --trials says otherwise */
    MOST_WORLDS = 64,
    WORLD_TRIALS = 64, /* candidates of one world at most */
    COMMON_TRIALS = 32 /* about so many candidates are proposed in every world: the model alone decides them */
};

/* What was compiled so far, by key. */
typedef struct {
    Arena *arena;
    const char **key;
    int64_t n, nusable, most; /* most: so many are enough */
} Built;

/* Adds what was compiled in one world, unless it was in an earlier one. */
static void add_built(Built *b, const Study *s)
{
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        if (!t->built || t->left_out || names_find(NAMES(b->key, b->n), t->key) >= 0)
            continue;
        b->key = arena_grow(b->arena, b->key, (size_t)b->n, (size_t)b->n + 1, sizeof *b->key);
        b->key[b->n++] = arena_strdup(b->arena, t->key);
        b->nusable += trial_usable(t);
    }
}

/* Runs one search in one world, in memory that is freed at its end. */
static bool run_world(const Search *q, uint64_t world, Built *b, const char **err)
{
    const int64_t wanted = b->most - b->n + (world ? COMMON_TRIALS : 0); /* later worlds begin as the first did */
    const Study *outer = q->lab->study;
    Lab lab = *q->lab;
    Workshop shop = *lab.shop;
    Search search = *q;
    search.lab = &lab;
    lab.shop = &shop;
    lab.arena = arena_new();
    Spec *spec = ARENA_NEW(lab.arena, Spec);
    *spec = *outer->spec;
    spec->budget.trials = (int)(wanted < WORLD_TRIALS ? wanted : WORLD_TRIALS);
    lab.study = study_new(lab.arena, spec, outer->device, outer->target, outer->context_hash);
    lab.data = lab_model_new(lab.arena, &lab, world);
    const bool ok = search_compile(&search, err);
    add_built(b, lab.study);
    *err = ok ? NULL : arena_strdup(b->arena, *err);
    const char *why = shop.library.why;
    q->lab->shop->library.why = why ? arena_strdup(b->arena, why) : NULL;
    arena_free(lab.arena);
    return ok;
}

static bool run_worlds(Run *r, const Job *job, const Device *device, const Target *target, const Tools *t, Built *b)
{
    const bool is_told = !r->o->quiet;
    UnitContext u = job_unit(r->a, job, device, target);
    Workshop shop = tools_workshop(r, t, job, &u);
    Lab lab = { .kind = &lab_model,
                .shop = &shop,
                .templates = job->templates,
                .study = study_new(r->a, u.spec, device, target, unit_context_hash(r->a, &u)),
                .progress = t->progress,
                .seconds = 1, /* never over: the clock of this lab stands still */
                .stop = r->stop };
    Search q = { .lab = &lab,
                 .strategy = &strategies[STRATEGY_JOINT],
                 .space = run_space(r, job, &u),
                 .seed = r->o->seed,
                 .ahead = search_builds_ahead(lab.study) };
    if (!q.space)
        return run_fails(r, EXIT_USAGE, "there is nothing to search");
    bool ok = true;
    for (uint64_t world = 0; ok && world < MOST_WORLDS && b->n < b->most; world++)
        ok = run_world(&q, world, b, &r->err);
    const char *why = NULL;
    if (ok && !calibrate_build(&shop, r->a, r->stop, &why) && is_told && !*r->stop)
        diag_say(stderr, DIAG_WARNING, "limits: %s", why);
    diag_print(shop.diag, stderr);
    if (shop.library.why && is_told)
        diag_say(stderr, DIAG_WARNING, "%s was not compiled: %s", target->family->rival, shop.library.why);
    return ok;
}

static void print_built(const Job *job, const Options *o, const Target *target, const Built *b)
{
    if (o->json)
        quote_print_json(JSON_OBJECT(FIELD("name", job->spec->name), FIELD("target", target->name),
                                     FIELD("builds", o->builds), FIELD("kernels", b->n), FIELD("usable", b->nusable)),
                         stdout);
    else
        quote_printf(stdout, "%s: %" PRId64 " kernel%s for %s compiled, %" PRId64 " of them usable: %s\n",
                     job->spec->name, b->n, number_plural(b->n), target->name, b->nusable, o->builds);
}

/* Finds the target, and the device that its kernels are for: this CPU, or what is typical of a GPU target. */
static const Target *find_target(Run *r, const Job *job, Device *device, Site *site)
{
    if (!site_find(r, job, true, site))
        return NULL;
    site->modelled = site->target; /* the typical GPU, even if this machine has one */
    if (!site_device(r, job, site, device))
        return NULL;
    site->modelled = false; /* compile for the device, not for the emulator */
    const Target *t = site->target ? site->target : job_target(r->a, job, device, &r->err);
    if (!t)
        r->code = EXIT_USAGE;
    return t;
}

static bool build_job(Run *r, const Job *job)
{
    Device device;
    Site site;
    Tools t = { 0 };
    Built b = { .arena = r->a, .most = r->o->trials > 0 ? r->o->trials : TRIALS };
    const Target *target = find_target(r, job, &device, &site);
    bool ok = target && tools_open_compilers(r, job, &site, &t);
    if (ok) {
        device_set_compiler(r->a, &device, site.family, t.compiler, t.flags);
        t.progress = progress_open(r->o->quiet ? PROGRESS_NONE : r->o->progress, stderr, NULL);
        ok = run_worlds(r, job, &device, target, &t, &b);
    }
    const char *lost = tools_lost_builds(r, &t);
    tools_close(r, &t);
    if (*r->stop)
        return run_fails(r, EXIT_INTERRUPTED, "interrupted; %s",
                         lost ? lost : arena_printf(r->a, "what was compiled is in %s", r->o->builds));
    if (ok && lost) /* the stored builds are all that this command is for */
        return run_fails(r, EXIT_ENVIRONMENT, "%s", lost);
    if (ok)
        print_built(job, r->o, target, &b);
    return ok;
}

bool build_ahead(Run *r)
{
    const Workload *w = run_workload(r);
    for (int i = 0; w && i < w->njob; i++)
        if (!build_job(r, &w->job[i]))
            return false;
    return w;
}
