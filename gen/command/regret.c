/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: lists the shapes of a contract, has them raced, judges them by the bounds, and prints a line a shape and the sums.
 */
#include "gen/command/regret.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/process.h"
#include "gen/package/regret_file.h"
#include "gen/report/words.h"
#include "gen/spec/op_said.h"

/* ---- which shapes ---- */

/* True if item i is drawn when n of all items are drawn, evenly. */
static bool is_drawn(int64_t i, int64_t n, int64_t total) { return i * n / total != (i + 1) * n / total; }

static void add_case(Regret *g, const ContractShape *was, RegretGroup group)
{
    g->item[g->n++] = (RegretCase){ .was = *was, .now = *was, .group = group };
}

static bool is_listed(const Regret *g, int64_t instance)
{
    for (int64_t i = 0; i < g->n; i++)
        if (g->item[i].was.instance == instance)
            return true;
    return false;
}

/* Adds n held-out shapes that the contract says nothing of, drawn evenly. */
static void add_further(Regret *g, int64_t n)
{
    const Spec *s = g->out->study->spec;
    int64_t total = 0, seen = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        total += !s->instance[i].tuned && !is_listed(g, i);
    for (int64_t i = 0; i < s->ninstance; i++)
        if (!s->instance[i].tuned && !is_listed(g, i) && is_drawn(seen++, n < total ? n : total, total))
            add_case(
                g, &(ContractShape){ .instance = i, .inst = &s->instance[i], .kernel = g->out->assignment->chosen[i] },
                REGRET_FURTHER);
}

/* asked: how many shapes the user wants; 0: all of the contract. */
static void draw_cases(Regret *g, int64_t asked)
{
    const Contract *c = g->out->contract;
    const int64_t total = c->tuned.nmeasured + c->held_out.nmeasured, n = asked && asked < total ? asked : total;
    g->whole = n == total;
    g->item = ARENA_ARRAY(g->run->a, (size_t)(asked > total ? asked : total) + 1, RegretCase);
    for (int64_t i = 0, seen = 0; i < c->nshape; i++)
        if (c->shape[i].measured && is_drawn(seen++, n, total))
            add_case(g, &c->shape[i], c->shape[i].tuned ? REGRET_TUNED : REGRET_HELD_OUT);
    if (asked > total)
        add_further(g, asked - total);
}

/* ---- measuring and judging ---- */

/* A study of the same trials, in the same order, without any time. It wants times of hot caches where all that was recorded are such. */
static Study *untimed_study(Arena *a, const Study *s)
{
    Spec *spec = ARENA_NEW(a, Spec);
    *spec = *s->spec;
    spec->hot = !s->has_cold;
    Study *now = study_new(a, spec, s->device, s->target, s->context_hash);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const Trial *was = &s->trial[i];
        const int64_t trial = study_add(now, &was->c); /* which may move now->trial */
        Trial *t = &now->trial[trial];
        t->built = was->built;
        t->status = was->status;
        t->facts = was->facts;
        t->code_bytes = was->code_bytes;
    }
    return now;
}

/* A general kernel that works, as in the search, or else the chosen one that serves most. */
static const Candidate *choose_anchor(const Result *out)
{
    const Study *s = out->study;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]) && candidate_is_general(&s->trial[i].c))
            return &s->trial[i].c;
    return &s->trial[out->assignment->kernel[0]].c;
}

static bool race_cases(Regret *g)
{
    Run *r = g->run;
    const Selection c = { g->out->assignment, g->out->model, 0 };
    const Instance **inst = ARENA_ARRAY(r->a, (size_t)g->n + 1, const Instance *);
    Workshop shop = tools_workshop(r, &g->tools, g->workload, &g->out->unit);
    Lab lab = { .kind = &lab_machine,
                .shop = &shop,
                .arena = r->a,
                .templates = g->out->templates,
                .study = g->now = untimed_study(r->a, g->out->study),
                .anchor = choose_anchor(g->out),
                .progress = progress_open(r->o->quiet ? PROGRESS_NONE : r->o->progress, stderr, NULL),
                .began_s = process_clock_s(),
                .seconds = g->out->study->spec->budget.seconds,
                .stop = r->stop };
    Arena *scratch = arena_new();
    bool ok = true;
    lab_begin(&lab);
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
        c->now = (ContractShape){ .instance = c->was.instance, .inst = c->was.inst, .kernel = c->was.kernel };
        contract_judge(g->now, g->out->assignment, noise, &c->now);
        if (!trial_usable(t))
            return run_fails(g->run, EXIT_FAILED, "the chosen kernel fails here: %s: %s", status_name(t->status),
                             t->why);
        if (!g->run->o->json)
            regret_show_case(g, c);
    }
    return true;
}

/* Sums up what can be said. */
static void sum_up(Regret *g)
{
    ContractShape *now = ARENA_ARRAY(g->run->a, (size_t)g->n + 1, ContractShape);
    for (int k = 0; k < REGRET_GROUPS; k++) {
        int64_t n = 0, all = 0;
        for (const RegretCase *c = g->item; c < g->item + g->n; c++) {
            all += c->group == (RegretGroup)k;
            if (c->group == (RegretGroup)k && c->now.said)
                now[n++] = c->now;
        }
        g->sum[k] = contract_sum(now, n);
        g->sum[k].nshape = g->sum[k].nmeasured = all;
    }
}

static bool breaks_mean(const Regret *g, int group) { return g->whole && g->sum[group].mean > g->mean_bound[group]; }
static bool breaks_worst(const Regret *g, int group) { return g->sum[group].worst > g->worst_bound[group]; }

static bool measure_all(Regret *g)
{
    ContractSum all = { 0 };
    if (!race_cases(g) || !judge_cases(g))
        return false;
    sum_up(g);
    for (int k = 0; k < REGRET_GROUPS; k++) {
        g->broken = g->broken || breaks_mean(g, k) || breaks_worst(g, k);
        all.nmeasured += g->sum[k].nmeasured;
        all.nsaid += g->sum[k].nsaid;
    }
    g->vague = contract_is_vague(&all);
    return true;
}

/* ---- the machine ---- */

/* The package's kernels run on the target that they were made for, whatever the spec's `auto` would find here. Of a GPU, site_find says whether
 * there is one. */
static bool find_site(const Regret *g, const Workload *w, Site *site)
{
    const Target *target = g->out->study->target;
    if (target->family->aside && !site_find(g->run, w, false, site))
        return false;
    *site = (Site){ target->family, target->family->aside ? target : NULL, false };
    return true;
}

static bool runs_here(Regret *g)
{
    const char *target = g->out->study->target->name;
    g->here = runner_device(g->tools.runner);
    return device_runs(g->here, target) ||
           run_fails(g->run, EXIT_ENVIRONMENT, "%s does not run '%s', which the package was tuned for", g->here->name,
                     target);
}

static bool read_bounds(Regret *g)
{
    RegretBound b;
    const char *path = arena_printf(g->run->a, "%s/regret.json", g->run->o->operand);
    if (!regret_file_read(g->run->a, path, g->out->study->spec->function, g->out->study->target->name, &b,
                          &g->run->err))
        return false;
    const double mean[] = { b.tuned_mean, b.held_out_mean, INFINITY }; /* by RegretGroup */
    const double worst[] = { b.tuned_worst, b.held_out_worst, INFINITY };
    for (int k = 0; k < REGRET_GROUPS; k++) {
        g->mean_bound[k] = b.measured ? mean[k] : INFINITY;
        g->worst_bound[k] = b.measured ? worst[k] : INFINITY;
    }
    return true;
}

/* Fails where there is nothing to measure, or nothing to judge. */
static bool list_cases(Regret *g)
{
    draw_cases(g, g->run->o->regret);
    if (!g->n)
        return run_fails(g->run, EXIT_ENVIRONMENT,
                         "the package states no regret: of none of its shapes was the chosen kernel measured; --regret "
                         "N judges N shapes all the same");
    return true;
}

/* Prepares all that is needed to measure the contract of one target. */
static bool open_target(Regret *g, const Workload *all)
{
    Site site;
    const Study *s = g->out->study;
    const Workload *w = g->workload = workload_of(g->run->a, all, s->spec, s->target);
    return read_bounds(g) && list_cases(g) && find_site(g, w, &site) && tools_open(g->run, w, &site, &g->tools) &&
           runs_here(g);
}

/* ---- what is printed, as text ---- */

static const char *const group_name[REGRET_GROUPS] = { "tuned", "held out", "further, held out" };
static const char *const group_key[REGRET_GROUPS] = { "tuned", "held_out", "further" };

/* The sum that the contract states; it has none of further shapes. */
static ContractSum recorded(const Regret *g, int group)
{
    const Contract *c = g->out->contract;
    return group == REGRET_TUNED ? c->tuned : group == REGRET_HELD_OUT ? c->held_out : (ContractSum){ 0 };
}

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
    const char *const *value = op_said_texts(g->out->study->arena, op, c->now.inst->extent);
    OpSaid said[OP_MAX_EXTENT];
    const int n = op_said(op, value, 1, said);
    for (int i = 0; i < n; i++)
        printf("%s %-6s", said[i].name, value[said[i].extent]);
    printf("threads %-3d kernel %-2d %10.2f us  best %10.2f us  %+6.2f %%", c->now.inst->threads,
           g->out->first + c->now.kernel, c->now.chosen_ns / 1e3, c->now.best_ns / 1e3, 100 * c->now.regret);
    if (c->was.measured)
        printf("  was %+6.2f %%", 100 * c->was.regret);
    printf("  %s", group_name[c->group]);
    if (!c->now.measured)
        printf(", not measured: the time was up");
    else if (!c->now.said)
        printf(", cannot be said: that or %s, off by %.1f %%", regret_rival(g->out->study->arena, g->out, &c->now),
               100 * c->now.spread);
    printf("\n");
    fflush(stdout);
}

static void show_bound(const char *what, double is, bool was_said, double was, double bound, bool judged)
{
    printf(", %s %.2f %%", what, 100 * is);
    if (was_said)
        printf(" (was %.2f %%", 100 * was);
    if (isfinite(bound))
        printf(", at most %.2f %%%s", 100 * bound, judged ? "" : " over all of them");
    if (was_said)
        printf(")");
}

static void show_sum(const Regret *g, int k)
{
    const ContractSum *s = &g->sum[k], was = recorded(g, k);
    printf("%s: %" PRId64 " shape%s", group_name[k], s->nshape, number_plural(s->nshape));
    if (s->nsaid < s->nshape)
        printf(", of %" PRId64 " of them it cannot be said", s->nshape - s->nsaid);
    if (s->nsaid) {
        show_bound("mean", s->mean, was.nmeasured, was.mean, g->mean_bound[k], g->whole);
        show_bound("worst", s->worst, was.nmeasured, was.worst, g->worst_bound[k], true);
    }
    printf("\n");
}

static void say_bound(bool broken, const char *what, int k, double is, double bound)
{
    if (broken)
        diag_say(stderr, DIAG_ERROR,
                 "above the stated bound: the %s regret of the shapes %s is %.2f %%, not at most %.2f %%", what,
                 group_name[k], 100 * is, 100 * bound);
}

static void say_broken(const Regret *g)
{
    for (int k = 0; k < REGRET_GROUPS; k++) {
        say_bound(breaks_mean(g, k), "mean", k, g->sum[k].mean, g->mean_bound[k]);
        say_bound(breaks_worst(g, k), "worst", k, g->sum[k].worst, g->worst_bound[k]);
    }
    if (g->vague)
        diag_say(stderr, DIAG_ERROR,
                 "of most shapes the regret cannot be said, as their times differ by too much: the machine is too busy "
                 "to judge the package");
}

static void show_text(const Regret *g)
{
    bool bound = false;
    for (int k = 0; k < REGRET_GROUPS; k++) {
        if (g->sum[k].nshape)
            show_sum(g, k);
        bound = bound || (g->sum[k].nshape && isfinite(g->worst_bound[k]));
    }
    if (bound && !g->broken && !g->vague)
        printf("within the stated bound\n");
}

/* ---- as JSON ---- */

static json_t *case_json(const Regret *g, const RegretCase *c)
{
    const Instance *inst = c->now.inst;
    json_t *o =
        words_extents_json(JSON_OBJECT(FIELD("group", group_key[c->group])), g->out->study->spec->op, inst->extent);
    return JSON_SET(o, FIELD("threads", inst->threads), FIELD("weight", inst->weight),
                    FIELD("kernel", g->out->first + c->now.kernel), FIELD("chosen_ns", c->now.chosen_ns),
                    FIELD("best_ns", c->now.best_ns), FIELD("regret", c->now.regret),
                    FIELD("regret_was", json_of_known(c->was.measured, c->was.regret)), FIELD("spread", c->now.spread),
                    FIELD("said", c->now.said), FIELD("rival", regret_rival(g->out->study->arena, g->out, &c->now)));
}

static json_t *sum_json(const Regret *g, int k)
{
    const ContractSum *s = &g->sum[k], was = recorded(g, k);
    return JSON_OBJECT(FIELD("shapes", s->nshape), FIELD("said", s->nsaid), FIELD("mean", s->mean),
                       FIELD("worst", s->worst), FIELD("mean_was", json_of_known(was.nmeasured, was.mean)),
                       FIELD("worst_was", json_of_known(was.nmeasured, was.worst)),
                       FIELD("mean_bound", json_of_known(g->whole, g->mean_bound[k])),
                       FIELD("worst_bound", g->worst_bound[k]));
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
    JSON_SET(o, FIELD("within", (bool)(!g->broken && !g->vague)), FIELD("vague", g->vague));
    quote_print_json(o, stdout);
}

void regret_show(const Regret *g)
{
    if (g->run->o->json)
        show_json(g);
    else
        show_text(g);
    say_broken(g);
}

/* ---- the command ---- */

bool regret(Run *r, const Workload *w, const Result *out, int n)
{
    Regret g = { 0 };
    bool ok = false;
    for (int i = 0; i < n && !ok && !*r->stop; i++) {
        r->err = NULL; /* why the target before does not run here */
        g = (Regret){ .run = r, .several = n > 1, .out = &out[i] };
        ok = open_target(&g, w);
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
    if (ok && (g.broken || g.vague))
        r->code = g.broken ? EXIT_FAILED : EXIT_ENVIRONMENT;
    return ok && !g.broken && !g.vague;
}
