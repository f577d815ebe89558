/* SPDX-License-Identifier: Apache-2.0
 *
 * Six kernels with times that a test sets, and the choice among them.
 */
#ifndef DCGEN_TEST_SELECT_PLACE_H
#define DCGEN_TEST_SELECT_PLACE_H

#include "tests/test.h"
#include "tests/gen/serve.h"
#include "tests/search/study_place.h"

enum { KERNELS = 6 };

static Study *s;

/* Six kernels of 1000 bytes that take 100 us everywhere. */
static inline int begin(void **state)
{
    if (make(state) != 0)
        return -1;
    s = study_of(KERNELS, 7, 1000);
    for (int i = 0; i < KERNELS; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            s->trial[i].ns[j] = 1e5;
    y.spec->budget.kernels = 8;
    y.spec->budget.code_kib = 512;
    return 0;
}

static inline Assignment *choose(void) { return select_kernels(y.arena, s, cost_fit(y.arena, s, &y.templates)); }

static inline void set_time(int trial, int64_t shape, double part) { s->trial[trial].ns[shape] = part * 1e5; }

/* The trial that serves tuned shape j. */
static inline int64_t server(const Assignment *as, int64_t j)
{
    return as->kernel[as->chosen[s->shape[j] - y.spec->instance]];
}

/* Of shapes that are not tuned there are predictions, which are never alike. */
static inline void weigh_tuned_alone(void)
{
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = y.spec->instance[i].tuned;
}

/* Trial i is for such calls alone from now on, and was timed on no other. */
static inline void serve_alone(int i, const char *text)
{
    Trial *trial = &s->trial[i];
    trial->c.t = serve_some(y.arena, &y.templates, trial->c.t, y.spec, text);
    for (int64_t j = 0; j < s->nshape; j++)
        if (!candidate_serves(&trial->c, y.spec, s->shape[j]->extent))
            trial->ns[j] = 0;
}

static inline bool serves(int64_t trial, int64_t instance)
{
    return candidate_serves(&s->trial[trial].c, y.spec, y.spec->instance[instance].extent);
}

#endif
