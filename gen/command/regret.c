/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: lists the shapes of a contract, has each measured, and judges them by the bounds.
 */
#include "gen/command/regret.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/command/command.h"
#include "gen/command/race.h"
#include "gen/command/regret_show.h"
#include "gen/package/regret_file.h"

enum { MOST_MET = 40, AGAIN_REPEATS = 61 };

/* ---- which shapes ---- */

static int64_t count_contract(const Contract *c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->nshape; i++)
        n += c->shape[i].measured;
    return n;
}

/* n of the total, evenly: is the i-th one of them? */
static bool is_drawn(int64_t i, int64_t n, int64_t total) { return i * n / total != (i + 1) * n / total; }

static RegretCase *add_case(Regret *r, const ContractShape *was, RegretGroup group)
{
    RegretCase *c = &r->item[r->n++];
    *c = (RegretCase){ .was = *was, .now = *was, .group = group };
    return c;
}

static void add_contract(Regret *r, int64_t n, int64_t total)
{
    const Contract *c = r->out->contract;
    for (int64_t i = 0, seen = 0; i < c->nshape; i++)
        if (c->shape[i].measured && is_drawn(seen++, n, total))
            add_case(r, &c->shape[i], c->shape[i].inst->tuned ? REGRET_TUNED : REGRET_HELD_OUT);
}

static bool is_listed(const Regret *r, int64_t instance)
{
    for (int64_t i = 0; i < r->n; i++)
        if (r->item[i].was.instance == instance)
            return true;
    return false;
}

/* Held-out shapes that the contract says nothing of, evenly. */
static void add_further(Regret *r, int64_t n)
{
    const Spec *s = r->out->study->spec;
    int64_t total = 0, seen = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        total += !s->instance[i].tuned && !is_listed(r, i);
    for (int64_t i = 0; i < s->ninstance; i++)
        if (!s->instance[i].tuned && !is_listed(r, i) && is_drawn(seen++, n < total ? n : total, total))
            add_case(
                r, &(ContractShape){ .instance = i, .inst = &s->instance[i], .kernel = r->out->assignment->chosen[i] },
                REGRET_FURTHER);
}

static void list_cases(Regret *r, int64_t asked)
{
    const int64_t total = count_contract(r->out->contract), n = asked && asked < total ? asked : total;
    r->whole = n == total;
    r->item = ARENA_ARRAY(r->arena, (size_t)(asked > total ? asked : total) + 1, RegretCase);
    if (total)
        add_contract(r, n, total);
    if (asked > total)
        add_further(r, asked - total);
}

/* ---- who races ---- */

/* The chosen one, those that it met, and where the contract says nothing those that the model puts near the best. */
static Match make_match(const Regret *g, const RegretCase *c)
{
    const MatchRule *rule = &match_rules[MATCH_BENCH];
    const Study *s = g->out->study;
    Match m = { .inst = c->was.inst };
    match_enter(&m, g->out->assignment->kernel[c->was.kernel], 0);
    for (int i = 0; i < c->was.nmet && m.n < MOST_MET; i++)
        match_enter(&m, c->was.met[i], 0);
    if (c->group == REGRET_FURTHER) {
        int64_t *trial = ARENA_ARRAY(g->arena, (size_t)s->ntrial + 1, int64_t);
        match_near(&m, rule, g->out->model, trial, match_usable(s, -1, trial), -1);
        m.n = m.n < rule->most ? m.n : rule->most;
    }
    return m;
}

/* ---- measuring and judging ---- */

bool regret_is_stated(const RegretCase *c) { return c->was.said || c->group == REGRET_FURTHER; }

static bool measure_case(const Regret *g, const Track *t, RegretCase *c, int repeats, bool *wrong, const char **err)
{
    Match m = make_match(g, c);
    c->nrival = m.n;
    return race_hold(t, &m, repeats, &c->now, wrong, err);
}

static void sum_up(Regret *g)
{
    for (int k = 0; k < REGRET_GROUPS; k++) {
        ContractShape *now = ARENA_ARRAY(g->arena, (size_t)g->n + 1, ContractShape);
        int64_t n = 0;
        for (int64_t i = 0; i < g->n; i++)
            if (g->item[i].group == (RegretGroup)k && regret_is_stated(&g->item[i]))
                now[n++] = g->item[i].now;
        g->sum[k] = contract_sum(now, n);
    }
}

static bool breaks_mean(const Regret *g, int group) { return g->whole && g->sum[group].mean > g->mean_bound[group]; }
static bool breaks_worst(const Regret *g, int group) { return g->sum[group].worst > g->worst_bound[group]; }

/* It cannot be said how this shape is, or it alone is too slow, or the mean is and it has a part in that. */
static bool is_suspect(const Regret *g, const RegretCase *c)
{
    const int k = c->group;
    return c->now.inst->weight > 0 && regret_is_stated(c) &&
           (!c->now.said || c->now.regret > g->worst_bound[k] ||
            (breaks_mean(g, k) && c->now.regret > g->mean_bound[k]));
}

static void judge_all(Regret *g)
{
    ContractSum all = { 0 };
    for (int k = 0; k < REGRET_GROUPS; k++) {
        g->broken = g->broken || breaks_mean(g, k) || breaks_worst(g, k);
        all.nmeasured += g->sum[k].nmeasured;
        all.nsaid += g->sum[k].nsaid;
    }
    g->vague = contract_is_vague(&all);
}

static bool measure_all(Regret *g, const Track *t, bool *wrong, const char **err)
{
    for (int64_t i = 0; i < g->n; i++) {
        if (!measure_case(g, t, &g->item[i], match_rules[MATCH_BENCH].repeats, wrong, err))
            return false;
        if (!g->json)
            regret_show_case(g, &g->item[i]);
    }
    sum_up(g);
    for (int64_t i = 0; i < g->n; i++) {
        RegretCase *c = &g->item[i];
        c->again = is_suspect(g, c);
        if (!c->again)
            continue;
        if (!measure_case(g, t, c, AGAIN_REPEATS, wrong, err))
            return false;
        if (!g->json)
            regret_show_case(g, c);
    }
    sum_up(g);
    judge_all(g);
    return true;
}

/* ---- the machine ---- */

/* Where the package's kernels run, whatever the spec's `auto` would find here. */
static bool find_site(const Regret *g, const Workload *w, const Options *o, Site *site, const volatile int *stop,
                      const char **err)
{
    const Target *target = g->out->study->target;
    *site = (Site){ .family = target->family };
    if (!target->family->aside)
        return true;
    if (!site_find(g->arena, w, o, false, site, stop, err))
        return false;
    *site = (Site){ target->family, target, false };
    return true;
}

static bool runs_here(Regret *g, const Device *here, const char **err)
{
    const char *target = g->out->study->target->name;
    g->here = here;
    if (!device_runs(here, target))
        *err = arena_printf(g->arena, "%s does not run '%s', which the package was tuned for", here->name, target);
    return device_runs(here, target);
}

static bool read_bounds(Regret *g, const char *package, const char **err)
{
    RegretBound b;
    const char *path = arena_printf(g->arena, "%s/regret.json", package);
    if (!regret_file_read(g->arena, path, g->out->study->target->name, &b, err))
        return false;
    const double mean[] = { b.tuned_mean, b.held_out_mean, INFINITY };
    const double worst[] = { b.tuned_worst, b.held_out_worst, INFINITY };
    for (int k = 0; k < REGRET_GROUPS; k++) {
        g->mean_bound[k] = b.measured ? mean[k] : INFINITY;
        g->worst_bound[k] = b.measured ? worst[k] : INFINITY;
    }
    return true;
}

static bool has_cases(Regret *g, const Options *o, const char **err)
{
    const Contract *c = g->out->contract;
    list_cases(g, o->regret);
    if (!g->n)
        *err =
            "the package states no regret: none of its shapes was measured in a last comparison; --regret N judges N "
            "shapes all the same";
    else if (!o->regret && c->tuned.nsaid + c->held_out.nsaid == 0)
        *err = "the package states no bound: the times of all its shapes differed by too much; --regret N measures N "
               "shapes all the same";
    return !*err;
}

static int say_failure(const char *err, bool wrong, const volatile int *stop)
{
    diag_say(stderr, DIAG_ERROR, "%s", *stop ? "interrupted" : err);
    return *stop ? EXIT_INTERRUPTED : wrong ? EXIT_FAILED : EXIT_ENVIRONMENT;
}

/* All that measuring this target's contract takes. */
static bool open_target(Regret *g, const Workload *all, const Result *out, const Options *o, Tools *tools,
                        const volatile int *stop, const char **err)
{
    Site site;
    const Workload *w = workload_of(g->arena, all, out->study->target);
    *g = (Regret){ .arena = g->arena, .out = out, .several = g->several, .json = o->json };
    return read_bounds(g, o->operand, err) && has_cases(g, o, err) && find_site(g, w, o, &site, stop, err) &&
           tools_open(g->arena, w, o, &site, tools, stop, err) && runs_here(g, runner_device(tools->runner), err);
}

int regret(Arena *a, const Workload *w, const Result *out, int n, const Options *o, const volatile int *stop)
{
    Tools tools = { 0 };
    const char *err = NULL;
    bool wrong = false, ok = false;
    Regret g = { .arena = a, .several = n > 1 };
    for (int i = 0; i < n && !ok && !*stop; i++) {
        tools_close(&tools);
        tools = (Tools){ 0 };
        ok = open_target(&g, w, &out[i], o, &tools, stop, &err);
    }
    if (ok) {
        const Track t = { a, g.out, &tools, ARENA_ARRAY(a, (size_t)g.out->study->ntrial + 1, const char *), stop };
        g.compiler = tools.compiler;
        regret_show_machine(&g);
        ok = measure_all(&g, &t, &wrong, &err);
    }
    tools_close(&tools);
    if (!ok)
        return say_failure(err, wrong, stop);
    regret_show(&g);
    return g.broken ? EXIT_FAILED : g.vague ? EXIT_ENVIRONMENT : EXIT_DONE;
}
