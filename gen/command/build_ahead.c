/* SPDX-License-Identifier: Apache-2.0
 *
 * build_ahead: the command `build`. Compiles into the folder of --builds what a search on a device would compile first, without that device:
 * the general kernels, the library, what measures the device's limits, and then the candidates that simulated searches propose. There the
 * analytic model makes the times up, differently in each of several worlds (search/measure/lab_model.c), until there are enough candidates.
 * Code for a CPU target is for this CPU.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/command/command.h"
#include "gen/command/generate.h"
#include "gen/command/replay.h"
#include "gen/command/site.h"
#include "gen/command/tools.h"
#include "gen/target/family.h"
#include "search/choose/search.h"
#include "search/measure/lab.h"

enum {
    TRIALS = 128, /* candidates, unless --trials says otherwise */
    MOST_WORLDS = 64,
    WORLD_TRIALS = 64, /* of one world at most */
    COMMON_TRIALS = 32 /* about so many are proposed in every world: the model alone decides them */
};

/* What was compiled so far, by key. */
typedef struct {
    Arena *arena;
    const char **key;
    int64_t n, nusable, most;
} Built;

static void add_built(Built *b, const Trial *t)
{
    if (names_find(NAMES(b->key, b->n), t->key) >= 0)
        return;
    b->key = arena_grow(b->arena, b->key, (size_t)b->n, (size_t)b->n + 1, sizeof *b->key);
    b->key[b->n++] = arena_strdup(b->arena, t->key);
    b->nusable += trial_usable(t);
}

static void take_world(Built *b, const Study *s)
{
    for (int64_t i = 0; i < s->ntrial; i++)
        if (s->trial[i].built && !s->trial[i].aside)
            add_built(b, &s->trial[i]);
}

/* One search in one world. */
static bool run_world(const Search *q, uint64_t world, Built *b, const char **err)
{
    const int64_t left = b->most - b->n + (world ? COMMON_TRIALS : 0); /* the first ones are the same in all worlds */
    const Study *of = q->lab->study;
    Lab lab = *q->lab;
    Workshop shop = *lab.shop;
    Search here = *q;
    here.lab = &lab;
    lab.shop = &shop;
    lab.arena = arena_new();
    Spec *spec = ARENA_NEW(lab.arena, Spec);
    *spec = *of->spec;
    spec->budget.trials = (int)(left < WORLD_TRIALS ? left : WORLD_TRIALS);
    lab.study = study_new(lab.arena, spec, of->device, of->target, of->context_hash);
    lab.data = lab_model_new(lab.arena, &lab, world);
    const bool ok = search_compile(&here, err);
    take_world(b, lab.study);
    *err = ok ? NULL : arena_strdup(b->arena, *err);
    const char *why = shop.library.why;
    q->lab->shop->library.why = why ? arena_strdup(b->arena, why) : NULL;
    arena_free(lab.arena);
    return ok;
}

static bool run_worlds(Arena *a, const Workload *w, const Options *o, const Device *device, const Target *target,
                       Tools *run, const volatile int *stop, Built *b, int *code, const char **err)
{
    UnitContext u = workload_unit(w, device, target);
    Workshop shop = tools_workshop(a, run, w, o, &u);
    Lab lab = { .kind = &lab_model,
                .shop = &shop,
                .templates = &w->templates,
                .study = study_new(a, w->spec, device, target, unit_context_hash(a, &u)),
                .progress = run->progress,
                .seconds = 1,
                .stop = stop };
    Search q = { .lab = &lab,
                 .strategy = &strategies[STRATEGY_JOINT],
                 .space = command_space(a, &u, &w->templates, target, shop.diag),
                 .seed = o->seed,
                 .ahead = target->family->aside };
    diag_print(shop.diag, stderr);
    *code = EXIT_USAGE;
    *err = "there is nothing to search";
    if (!q.space)
        return false;
    *code = EXIT_ENVIRONMENT;
    shop.diag = diag_new(a);
    bool ok = true;
    for (uint64_t world = 0; ok && world < MOST_WORLDS && b->n < b->most; world++)
        ok = run_world(&q, world, b, err);
    const char *why = NULL;
    if (ok && !calibrate_build(&shop, a, stop, &why) && !o->quiet && !*stop)
        diag_say(stderr, DIAG_WARNING, "limits: %s", why);
    diag_print(shop.diag, stderr);
    if (shop.library.why && !o->quiet)
        diag_say(stderr, DIAG_WARNING, "%s was not compiled: %s", target->family->rival, shop.library.why);
    return ok;
}

static void say(const Workload *w, const Options *o, const Target *target, const Built *b)
{
    if (o->json)
        quote_print_json(json_pack("{s:s, s:s, s:o, s:I, s:I}", "name", w->spec->name, "target", target->name, "builds",
                                   quote_json(o->builds), "kernels", (json_int_t)b->n, "usable",
                                   (json_int_t)b->nusable),
                         stdout);
    else
        quote_printf(stdout, "%s: %" PRId64 " kernel%s for %s compiled, %" PRId64 " of them usable: %s\n",
                     w->spec->name, b->n, number_plural(b->n), target->name, b->nusable, o->builds);
}

/* The target, and the device that its kernels are for: this CPU, or a typical one of a GPU target. */
static const Target *find_target(Arena *a, const Workload *w, const Options *o, Device *device, Site *site,
                                 const volatile int *stop, int *code, const char **err)
{
    *code = EXIT_ENVIRONMENT;
    if (!site_find(a, w, o, true, site, stop, err))
        return NULL;
    site->modelled = site->target; /* the typical GPU, even if this machine has one */
    if (!site_device(a, w, o, site, device, stop, err))
        return NULL;
    site->modelled = false; /* compile for the device, not for the emulator */
    *code = EXIT_USAGE;
    return site->target ? site->target : workload_target(a, w, device, err);
}

static bool build_target(Arena *a, const Workload *w, const Options *o, const volatile int *stop, int *code)
{
    Device *device = ARENA_NEW(a, Device);
    Site site;
    Tools run = { 0 };
    const char *err = NULL;
    Built b = { .arena = a, .most = o->trials > 0 ? o->trials : TRIALS };
    const Target *target = find_target(a, w, o, device, &site, stop, code, &err);
    bool ok = target;
    if (ok) {
        *code = EXIT_ENVIRONMENT;
        ok = tools_open_compilers(a, w, o, &site, &run, stop, &err);
    }
    if (ok) {
        device_set_compiler(a, device, site.family, run.compiler, run.flags);
        run.progress = progress_open(o->quiet ? PROGRESS_NONE : o->progress, stderr, NULL);
        ok = run_worlds(a, w, o, device, target, &run, stop, &b, code, &err);
    }
    const char *lost = tools_lost_builds(a, o, run.builds);
    if (ok && lost) { /* the command has no other result */
        ok = false;
        err = lost;
    }
    tools_close(&run);
    if (*stop) {
        diag_say(stderr, DIAG_ERROR, "interrupted; %s",
                 lost ? lost : arena_printf(a, "what was compiled is in %s", o->builds));
        *code = EXIT_INTERRUPTED;
    } else if (!ok) {
        *code = command_fail(err, *code);
    } else {
        say(w, o, target, &b);
    }
    return ok && !*stop;
}

int build_ahead(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    const Workload *w = command_workload(a, o->operand, o, &code);
    for (int i = 0; w && i < workload_ntarget(w); i++)
        if (!build_target(a, workload_for(a, w, i), o, stop, &code))
            return code;
    return w ? EXIT_DONE : code;
}
