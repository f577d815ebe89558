/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_show: prints a line a shape while it is measured; then the sums, with the bounds that they are held against.
 */
#include "gen/command/regret_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/diag.h"
#include "gen/base/number.h"
#include "gen/report/words.h"

static const char *const group_name[REGRET_GROUPS] = { "tuned", "held out", "further, held out" };
static const char *const group_key[REGRET_GROUPS] = { "tuned", "held_out", "further" };

static const ContractSum *recorded(const Regret *g, int group)
{
    const Contract *c = g->out->contract;
    return group == REGRET_TUNED ? &c->tuned : group == REGRET_HELD_OUT ? &c->held_out : NULL;
}

/* ---- text ---- */

static bool same_machine(const Regret *g) { return strcmp(g->here->name, g->out->study->device->name) == 0; }
static bool same_compiler(const Regret *g) { return strcmp(g->compiler, g->out->study->device->compiler) == 0; }

void regret_show_machine(const Regret *g)
{
    if (g->several && !g->json)
        printf("for %s:\n", g->out->study->target->name);
    if (!same_machine(g))
        diag_say(stderr, DIAG_WARNING, "the bound was measured on another machine: %s; this is %s",
                 g->out->study->device->name, g->here->name);
    if (!same_compiler(g))
        diag_say(stderr, DIAG_WARNING, "the bound was measured with another compiler: %s; this is %s",
                 g->out->study->device->compiler, g->compiler);
}

void regret_show_case(const Regret *g, const RegretCase *c)
{
    const Op *op = g->out->study->spec->op;
    for (int i = 0; i < op->naxis; i++)
        printf("%s %-6" PRId64, op->axis[i].name, c->now.inst->extent[i]);
    printf("threads %-3d kernel %-2d %10.2f us  best of %-2d %10.2f us  %+6.2f %%", c->now.inst->threads,
           g->out->first + c->now.kernel, c->now.chosen_ns / 1e3, c->nrival, c->now.best_ns / 1e3, 100 * c->now.regret);
    if (c->was.measured)
        printf("  was %+6.2f %%", 100 * c->was.regret);
    printf("  %s%s", group_name[c->group], c->again ? ", again" : "");
    if (!regret_is_stated(c))
        printf(", no bound is stated: times differed by %.1f %%", 100 * c->was.spread);
    else if (!c->now.said)
        printf(", cannot be said: times differ by %.1f %%", 100 * c->now.spread);
    printf("\n");
    fflush(stdout);
}

static void show_bound(const char *what, double is, const ContractSum *was, double was_is, double bound, bool judged)
{
    printf(", %s %.2f %%", what, 100 * is);
    if (was && was->nsaid)
        printf(" (was %.2f %%", 100 * was_is);
    if (isfinite(bound))
        printf(", at most %.2f %%%s", 100 * bound, judged ? "" : " over all of them");
    if (was && was->nsaid)
        printf(")");
}

static void show_sum(const Regret *g, int k)
{
    const ContractSum *s = &g->sum[k], *was = recorded(g, k);
    printf("%s: %" PRId64 " shape%s", group_name[k], s->nshape, number_plural(s->nshape));
    if (s->nsaid < s->nshape)
        printf(", of %" PRId64 " of them it cannot be said", s->nshape - s->nsaid);
    if (s->nsaid == 0) {
        printf("\n");
        return;
    }
    show_bound("mean", s->mean, was, was ? was->mean : 0, g->mean_bound[k], g->whole);
    show_bound("worst", s->worst, was, was ? was->worst : 0, g->worst_bound[k], true);
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
        const ContractSum *s = &g->sum[k];
        say_bound(g->whole && s->mean > g->mean_bound[k], "mean", k, s->mean, g->mean_bound[k]);
        say_bound(s->worst > g->worst_bound[k], "worst", k, s->worst, g->worst_bound[k]);
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

/* ---- JSON ---- */

static json_t *case_json(const Regret *g, const RegretCase *c)
{
    const Instance *inst = c->now.inst;
    json_t *o =
        words_extents_json(JSON_OBJECT(FIELD("group", group_key[c->group])), g->out->study->spec->op, inst->extent);
    return JSON_SET(o, FIELD("threads", inst->threads), FIELD("weight", inst->weight),
                    FIELD("kernel", g->out->first + c->now.kernel), FIELD("rivals", c->nrival - 1),
                    FIELD("chosen_ns", c->now.chosen_ns), FIELD("best_ns", c->now.best_ns),
                    FIELD("regret", c->now.regret), FIELD("regret_was", json_of_known(c->was.measured, c->was.regret)),
                    FIELD("spread", c->now.spread), FIELD("stated", regret_is_stated(c)), FIELD("said", c->now.said),
                    FIELD("again", c->again));
}

static json_t *sum_json(const Regret *g, int k)
{
    const ContractSum *s = &g->sum[k], *was = recorded(g, k);
    const bool known = was && was->nsaid;
    return JSON_OBJECT(FIELD("shapes", s->nshape), FIELD("said", s->nsaid), FIELD("mean", s->mean),
                       FIELD("worst", s->worst), FIELD("mean_was", json_of_known(known, known ? was->mean : 0)),
                       FIELD("worst_was", json_of_known(known, known ? was->worst : 0)),
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
                    FIELD("device_was", s->device->name), FIELD("compiler", g->compiler),
                    FIELD("compiler_was", s->device->compiler), FIELD("shapes", shapes));
    for (int k = 0; k < REGRET_GROUPS; k++)
        JSON_SET(o, FIELD(group_key[k], sum_json(g, k)));
    JSON_SET(o, FIELD("within", (bool)(!g->broken && !g->vague)), FIELD("vague", g->vague));
    quote_print_json(o, stdout);
}

void regret_show(const Regret *g)
{
    if (g->json)
        show_json(g);
    else
        show_text(g);
    say_broken(g);
}
