/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The rows of a call of an op that is a formula alone. */
#endif
/* A row of the output. */
typedef struct {
    int64_t FIELDS;
} NAME_place;

static inline int64_t NAME_rows(const NAME_args *a) { return COUNT; }
static inline int64_t NAME_columns(const NAME_args *a) { return COLUMNS; }

static inline NAME_place NAME_place_of(const NAME_args *a, int64_t row)
{
    NAME_place at;
    (void)a;
//@ repeat from_within
#if IS_OUTERMOST
    at.INDEX = row;
#else
    at.INDEX = row % ALONG;
    row /= ALONG;
#endif
//@ end
    return at;
}

static inline __attribute__((unused)) void NAME_next(const NAME_args *a, NAME_place *at)
{
    (void)a;
//@ repeat from_within
#if IS_OUTERMOST
    at->INDEX++;
#else
    if (++at->INDEX < ALONG)
        return;
    at->INDEX = 0;
#endif
//@ end
}

