/* SPDX-License-Identifier: Apache-2.0
 *
 * request: takes what requests say and checks it (protocol.md). Each function that gives false, or 0, has said in `why`
 * what is wrong.
 */
#ifndef DCGEN_REQUEST_H
#define DCGEN_REQUEST_H

#include "search/runner/serve.h"

/* Says why a request fails. Gives false. */
bool request_fail(char why[WHY_BYTES], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* json_unpack() that says what is wrong; `whose` names the object. */
bool request_unpack(json_t *object, const char *whose, char why[WHY_BYTES], const char *fields, ...);

/* What a number must be within. */
typedef struct {
    const char *name; /* NULL behind the last of a list */
    double value, least, most;
} RequestBounds;

bool request_bounds(const RequestBounds *b, char why[WHY_BYTES]);
/* Takes a list of 1 to max_count integers. Returns how many there are; 0: the list is not as it should be. */
int request_integers(json_t *object, const char *name, int max_count, double least, double most, int64_t *out,
                     char why[WHY_BYTES]);
/* Is it the path of a shared object, which dlopen does not look for elsewhere? NULL is right too. */
bool request_path(const char *so, char why[WHY_BYTES]);

/* A `setup`: operands, and the reference, which is loaded. */
bool request_setup(Setup *s, json_t *request, char why[WHY_BYTES]);
/* A `measure`, without its kernels; then these. */
bool request_measure(json_t *json, Work *w, Shape *shape, char why[WHY_BYTES]);
bool request_kernels(json_t *json, Work *w, char why[WHY_BYTES]);

#endif
