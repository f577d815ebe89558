/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange: one request under way with one runner. Nothing here waits: a step goes on as far as the runner has
 * answered.
 */
#ifndef DCGEN_EXCHANGE_H
#define DCGEN_EXCHANGE_H

#include "search/measure/request.h"
#include "search/measure/runner.h"

typedef struct Exchange Exchange;

typedef enum {
    STEP_ON,    /* the next step can be taken at once; never the result of exchange_step */
    STEP_WAITS, /* for the runner */
    STEP_OVER,  /* the request is answered */
    STEP_FAILED /* it cannot be: *err says why */
} Step;

/* Sends nothing yet; it is in the request's arena. */
Exchange *exchange_begin(Runner *r, Request *q);
Step exchange_step(Exchange *x, const char **err);

#endif
