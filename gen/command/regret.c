/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: lists the shapes of a contract, has them raced, judges them by the bounds, and prints a line a shape and the
 * sums.
 */
#include "gen/command/regret.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/process.h"
#include "gen/report/words.h"
#include "gen/spec/op_shown.h"

/* ---- which shapes ---- */

static RegretGroup group_of(const RegretCase *c)
{
    return c->was.tuned ? REGRET_TUNED : c->was.measured ? REGRET_HELD_OUT : REGRET_FURTHER;
}

/* Takes n of the shapes, evenly. */
static void take_cases(Regret *g, const ContractShape *from, int64_t total, int64_t n)
{
    for (int64_t i = 0; i < total; i++)
        if (i * n / total != (i + 1) * n / total)
            g->item[g->n++].was = from[i];
}

/* asked: how many shapes the user wants; 0: all of the contract. */
static void list_cases(Regret *g, int64_t asked)
{
    const Contract *c = g->out->contract;
    const Study *s = g->out->study;
    const int64_t ninstance = s->spec->ninstance;
    ContractShape *stated = ARENA_ARRAY(g->run->a, (size_t)c->nshape + 1, ContractShape);
    ContractShape *further = ARENA_ARRAY(g->run->a, (size_t)ninstance + 1, ContractShape);
    bool *is_stated = ARENA_ARRAY(g->run->a, (size_t)ninstance + 1, bool);
    int64_t nstated = 0, nfurther = 0;
    for (int64_t i = 0; i < c->nshape; i++)
        if (c->shape[i].rival >= 0) {
            stated[nstated++] = c->shape[i];
            is_stated[c->shape[i].inst - s->spec->instance] = true;
        }
    for (int64_t i = 0; i < ninstance; i++)
        if (!is_stated[i] && !study_tunes(s, &s->spec->instance[i]))
            further[nfurther++] = (ContractShape){ .inst = &s->spec->instance[i],
                                                   .kernel = g->out->assignment->chosen[i],
                                                   .regret = NAN };
    g->whole = !asked || asked >= nstated;
    g->item = ARENA_ARRAY(g->run->a, (size_t)(nstated + nfurther) + 1, RegretCase);
    take_cases(g, stated, nstated, g->whole ? nstated : asked);
    if (asked > nstated)
        take_cases(g, further, nfurther, asked - nstated < nfurther ? asked - nstated : nfurther);
}

/* ---- measuring and judging ---- */

/* A study of the same trials, in the same order, without any time. It wants times of hot caches where all that was
 * recorded are such. */
static Study *untimed_study(Arena *a, const Study *s)
{
    Spec *spec = ARENA_NEW(a, Spec);
    *spec = *s->spec;
    spec->hot = !s->has_cold;
    Study *now = study_new(a, spec, s->device, s->target, s->context_hash);
    for (int64_t i = 0; i < s->ntrial; i++) {
        study_add(now, &s->trial[i].c);
        now->trial[i].built = s->trial[i].built;
        now->trial[i].status = s->trial[i].status;
    }
    return now;
}

/* The anchor is the chosen kernel that serves most: it serves all shapes, and takes part on most of them anyway. */
static bool race_cases(Regret *g)
{
    Run *r = g->run;
    const Selection c = { g->out->assignment, g->out->model, 0 };
    const Instance **inst = ARENA_ARRAY(r->a, (size_t)g->n + 1, const Instance *);
    Workshop shop = tools_workshop(r, &g->tools, g->job, &g->out->unit);
    Lab lab = { .kind = &lab_machine,
                .shop = &shop,
                .arena = r->a,
                .templates = g->out->templates,
                .study = g->now = untimed_study(r->a, g->out->study),
                .anchor = &g->out->study->trial[c.as->kernel[0]].c,
                .progress = progress_open(r->o->quiet ? PROGRESS_NONE : r->o->progress, stderr, NULL),
                .began_s = process_clock_s(),
                .seconds = g->out->study->spec->budget.seconds,
                .stop = r->stop };
    Arena *scratch = arena_new();
    bool ok = true;
    progress_phase(lab.progress, "race", lab.seconds);
    for (int64_t i = 0; i < g->n; i++)
        inst[i] = g->item[i].was.inst;
    for (int64_t held = 1; ok && held > 0; arena_reset(scratch))
        ok = race_round(&lab, scratch, &c, inst, g->n, false, lab_until_s(&lab, 1), &held, &r->err);
    progress_close(lab.progress);
    arena_free(scratch);
    return ok;
}

/* What the race says of each case. */
static bool judge_cases(Regret *g)
{
    const double noise = study_noise(g->now);
    for (RegretCase *c = g->item; c < g->item + g->n; c++) {
        const Trial *t = &g->now->trial[g->out->assignment->kernel[c->was.kernel]];
        c->now = (ContractShape){ .inst = c->was.inst, .kernel = c->was.kernel };
        contract_judge(g->now, g->out->assignment, noise, &c->now);
        if (!trial_usable(t))
            return run_fails(g->run, EXIT_FAILED, "the chosen kernel fails here: %s: %s", status_name(t->status),
                             t->why);
        if (!g->run->o->json)
            regret_show_case(g, c);
    }
    return true;
}

/* Sums up a group; a shape whose regret is not resolved judges nothing. */
static ContractSum sum_up(const Regret *g, int group)
{
    ContractShape *now = ARENA_ARRAY(g->run->a, (size_t)g->n + 1, ContractShape);
    int64_t n = 0;
    for (const RegretCase *c = g->item; c < g->item + g->n; c++)
        if ((int)group_of(c) == group) {
            now[n] = c->now;
            now[n++].measured = c->now.resolved;
        }
    return contract_sum(now, n);
}

/* The mean or the worst regret of a group. */
typedef struct {
    const char *name;
    double is, was, bound; /* was: NAN: nothing is stated; bound: INFINITY: there is none */
    bool judged;
} Figure;

static Figure figure_of(const Regret *g, int group, bool worst)
{
    const Contract *c = g->out->contract;
    const ContractSum none = { .mean = NAN, .worst = NAN }, *const stated[] = { &c->tuned, &c->held_out, &none };
    const ContractSum *is = &g->sum[group], *was = stated[group];
    const RegretBound *bound = &g->bound[group];
    return worst ? (Figure){ "worst", is->worst, was->worst, bound->worst, true }
                 : (Figure){ "mean", is->mean, was->mean, bound->mean, g->whole };
}

static bool is_above(Figure f) { return f.judged && f.is > f.bound; }

static bool measure_all(Regret *g)
{
    int64_t nresolved = 0;
    if (!race_cases(g) || !judge_cases(g))
        return false;
    for (int k = 0; k < REGRET_GROUPS; k++) {
        g->sum[k] = sum_up(g, k);
        g->broken = g->broken || is_above(figure_of(g, k, false)) || is_above(figure_of(g, k, true));
        nresolved += g->sum[k].nresolved;
    }
    g->mostly_unresolved = 2 * nresolved < g->n;
    return true;
}

/* ---- the machine ---- */

/* Prepares all that is needed to measure the contract of a job. The kernels run on that target, whatever the
 * spec's `auto` would find here; of a GPU, site_find says whether there is one. */
static bool open_job(Regret *g)
{
    Run *r = g->run;
    const Study *s = g->out->study;
    const Target *target = s->target;
    const bool off_cpu = target->family->off_cpu;
    const Site site = { target->family, off_cpu ? target : NULL, false };
    Site found;
    if (!regret_file_read(r->a, arena_printf(r->a, "%s/regret.json", r->o->operand), s->spec->function, target->name,
                          g->bound, &r->err))
        return false;
    if (study_choosable(s, -1, NULL) < 2)
        return run_fails(r, EXIT_ENVIRONMENT,
                         "the package's records hold one kernel that works, and no other to compare it with");
    list_cases(g, r->o->regret);
    if (!g->n)
        return run_fails(r, EXIT_ENVIRONMENT,
                         "the package states no regret: %s; --regret N judges N shapes all the same",
                         contract_unknown(g->out->contract));
    if ((off_cpu && !site_find(r, g->job, false, &found)) || !tools_open(r, g->job, &site, &g->tools))
        return false;
    g->here = agents_device(g->tools.agents);
    return device_runs(g->here, target) ||
           run_fails(r, EXIT_ENVIRONMENT, "%s does not run '%s', which the package was tuned for", g->here->name,
                     target->name);
}

/* ---- what is printed, as text ---- */

/* "1.23" as in a column of 10; "-": it is not known. */
static const char *us_text(const Regret *g, double ns)
{
    return isfinite(ns) ? arena_printf(g->out->study->arena, "%.2f", ns / 1e3) : "-";
}

static const char *const group_name[REGRET_GROUPS] = { "tuned", "held out", "further, held out" };
static const char *const group_key[REGRET_GROUPS] = { "tuned", "held_out", "further" };

void regret_show_machine(const Regret *g)
{
    const Device *was = g->out->study->device;
    if (g->several && !g->run->o->json)
        printf("for %s:\n", g->out->study->target->name);
    if (strcmp(g->here->name, was->name) != 0)
        diag_say(stderr, DIAG_WARNING, "the bound was measured on another machine: %s; this is %s", was->name,
                 g->here->name);
    if (strcmp(g->tools.compiler, was->compiler) != 0)
        diag_say(stderr, DIAG_WARNING, "the bound was measured with another compiler: %s; this is %s", was->compiler,
                 g->tools.compiler);
}

void regret_show_case(const Regret *g, const RegretCase *c)
{
    const Op *op = g->out->study->spec->op;
    const char *const *value = op_shown_texts(g->out->study->arena, op, c->now.inst->extent);
    OpShown shown[OP_MAX_EXTENT];
    const int n = op_shown(op, value, 1, shown);
    for (int i = 0; i < n; i++)
        printf("%s %-6s", shown[i].name, value[shown[i].extent]);
    printf("threads %-3d kernel %-2d %10s us  best %10s us", c->now.inst->threads, g->out->first + c->now.kernel,
           us_text(g, c->now.chosen_ns), us_text(g, c->now.best_ns));
    if (isfinite(c->now.regret))
        printf("  %+6.2f %%", 100 * c->now.regret);
    if (isfinite(c->was.regret))
        printf("  was %+6.2f %%", 100 * c->was.regret);
    printf("  %s", group_name[group_of(c)]);
    if (!c->now.measured)
        printf(", not measured beside another: the time was up");
    else if (!c->now.resolved)
        printf(", cannot be said: that or %s, off by %.1f %%", regret_rival(g->out->study->arena, g->out, &c->now),
               100 * c->now.spread);
    printf("\n");
    fflush(stdout);
}

static void show_figure(Figure f)
{
    printf(", %s %.2f %%", f.name, 100 * f.is);
    if (isnan(f.was))
        return;
    printf(" (was %.2f %%", 100 * f.was);
    if (isfinite(f.bound))
        printf(", at most %.2f %%%s", 100 * f.bound, f.judged ? "" : " over all of them");
    printf(")");
}

static void show_text(const Regret *g)
{
    bool bound = false;
    for (int k = 0; k < REGRET_GROUPS; k++) {
        const ContractSum *s = &g->sum[k];
        if (!s->nshape)
            continue;
        printf("%s: %" PRId64 " shape%s", group_name[k], s->nshape, number_plural(s->nshape));
        if (s->nresolved < s->nshape)
            printf(", of %" PRId64 " of them it cannot be said", s->nshape - s->nresolved);
        for (int worst = 0; worst < 2 && s->nresolved; worst++)
            show_figure(figure_of(g, k, worst));
        printf("\n");
        bound = bound || isfinite(g->bound[k].worst);
    }
    if (bound && !g->broken && !g->mostly_unresolved)
        printf("within the stated bound\n");
}

/* ---- as JSON ---- */

static json_t *case_json(const Regret *g, const RegretCase *c)
{
    const Instance *inst = c->now.inst;
    json_t *o =
        words_extents_json(JSON_OBJECT(FIELD("group", group_key[group_of(c)])), g->out->study->spec->op, inst->extent);
    return JSON_SET(o, FIELD("threads", inst->threads), FIELD("weight", inst->weight),
                    FIELD("kernel", g->out->first + c->now.kernel), FIELD("chosen_ns", c->now.chosen_ns),
                    FIELD("best_ns", c->now.best_ns), FIELD("regret", c->now.regret),
                    FIELD("regret_was", c->was.regret), FIELD("spread", c->now.spread),
                    FIELD("resolved", c->now.resolved),
                    FIELD("rival", regret_rival(g->out->study->arena, g->out, &c->now)));
}

static json_t *sum_json(const Regret *g, int k)
{
    const ContractSum *s = &g->sum[k];
    const Figure mean = figure_of(g, k, false), worst = figure_of(g, k, true);
    return JSON_OBJECT(FIELD("shapes", s->nshape), FIELD("resolved", s->nresolved), FIELD("mean", mean.is),
                       FIELD("worst", worst.is), FIELD("mean_was", mean.was), FIELD("worst_was", worst.was),
                       FIELD("mean_bound", json_of_known(mean.judged, mean.bound)), FIELD("worst_bound", worst.bound));
}

static void show_json(const Regret *g)
{
    const Study *s = g->out->study;
    json_t *shapes = json_array();
    for (int64_t i = 0; i < g->n; i++)
        json_array_append_new(shapes, case_json(g, &g->item[i]));
    json_t *o =
        JSON_OBJECT(FIELD("package", s->spec->name), FIELD("target", s->target->name), FIELD("device", g->here->name),
                    FIELD("device_was", s->device->name), FIELD("compiler", g->tools.compiler),
                    FIELD("compiler_was", s->device->compiler), FIELD("shapes", shapes));
    for (int k = 0; k < REGRET_GROUPS; k++)
        JSON_SET(o, FIELD(group_key[k], sum_json(g, k)));
    JSON_SET(o, FIELD("within", (bool)(!g->broken && !g->mostly_unresolved)),
             FIELD("unresolved", g->mostly_unresolved));
    quote_print_json(o, stdout);
}

void regret_show(const Regret *g)
{
    (g->run->o->json ? show_json : show_text)(g);
    for (int i = 0; i < 2 * REGRET_GROUPS; i++) {
        const Figure f = figure_of(g, i / 2, i % 2);
        if (is_above(f))
            diag_say(stderr, DIAG_ERROR,
                     "above the stated bound: the %s regret of the shapes %s is %.2f %%, not at most %.2f %%", f.name,
                     group_name[i / 2], 100 * f.is, 100 * f.bound);
    }
    if (g->mostly_unresolved)
        diag_say(stderr, DIAG_ERROR,
                 "of most shapes the regret cannot be said, as their times differ by too much: the machine is too busy "
                 "to judge the package");
}

/* ---- the command ---- */

bool regret(Run *r, const Job *const *job, int n)
{
    Regret g = { 0 };
    bool ok = false;
    for (int i = 0; i < n && !ok && !*r->stop; i++) {
        r->err = NULL; /* why the job before does not run here */
        g = (Regret){ .run = r,
                      .job = job[i],
                      .several = n > 1,
                      .out = job[i]->result,
                      .bound[REGRET_FURTHER] = { INFINITY, INFINITY } };
        ok = open_job(&g);
        if (!ok)
            tools_close(r, &g.tools);
    }
    if (!ok)
        return false;
    regret_show_machine(&g);
    ok = measure_all(&g);
    tools_close(r, &g.tools);
    if (ok)
        regret_show(&g);
    if (ok && (g.broken || g.mostly_unresolved))
        r->code = g.broken ? EXIT_FAILED : EXIT_ENVIRONMENT;
    return ok && !g.broken && !g.mostly_unresolved;
}
