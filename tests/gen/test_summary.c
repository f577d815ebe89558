/* SPDX-License-Identifier: Apache-2.0
 *
 * What `generate` says of a package at its end, to people and as JSON: its figures against those of the study, worked out here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <jansson.h>
#include "gen/summary.h"
#include "tests/gen/synthetic.h"

static Synthetic y;
static Outcome outcome;

static int setup(void **state)
{
    (void)state;
    if (!synthetic_make(&y, synthetic_spec, 80))
        return -1;
    Workload *w = ARENA_NEW(y.arena, Workload);
    *w = (Workload){ .spec = y.spec, .targets = &y.targets, .out = "out/bert_dense", .records = "records.jsonl" };
    outcome = (Outcome){ .workload = w,
                         .device = &y.device,
                         .study = y.study,
                         .model = y.model,
                         .assignment = y.assignment,
                         .contract = ARENA_NEW(y.arena, Contract) };
    *(Contract *)outcome.contract = (Contract){ 0 };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

static char *say(bool json)
{
    static const CostReport cost = { .nmeasure = 7, .error = 0.05, .rank = 0.9 };
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    summary_package(&outcome, 1, &cost, NULL, json, to);
    fclose(to);
    return text;
}

/* Mean of time / best time - 1 over the tuned shapes, with their weights or without. */
static double regret_of(bool weighted)
{
    double sum = 0, total = 0;
    for (int64_t j = 0; j < y.study->nshape; j++) {
        const Instance *inst = y.study->shape[j];
        const int chosen = y.assignment->chosen[inst - y.spec->instance];
        const double ns = y.study->trial[y.assignment->kernel[chosen]].ns[j], weight = weighted ? inst->weight : 1;
        sum += weight * ns / study_best(y.study, j, NULL);
        total += weight;
    }
    return sum / total - 1;
}

static void the_regret_is_weighted(void **state)
{
    (void)state;
    const double wanted = regret_of(true);
    assert_true(wanted > 0 && fabs(regret_of(false) / wanted - 1) > 1e-3);
    char *text = say(true);
    json_t *o = json_loads(text, 0, NULL);
    assert_non_null(o);
    const double said = json_number_value(json_object_get(o, "regret"));
    if (!(fabs(said - wanted) <= 1e-6 * wanted))
        fail_msg("regret %.9g, not %.9g", said, wanted);
    json_decref(o);
    free(text);
    text = say(false);
    const char *line = arena_printf(y.arena, "  regret %.2f%% on the shapes that were measured", 100 * wanted);
    if (!strstr(text, line))
        fail_msg("\"%s\" is not in:\n%s", line, text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_regret_is_weighted) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
