/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The rows of a call of an op that is a formula alone. FIELDS are a row's places, `of` finds those of a row, `next` those of the one behind it. */
#endif
/* A row of the output. */
typedef struct {
    int64_t FIELDS;
} NAME_place;

static inline int64_t NAME_rows(const NAME_args *a) { return COUNT; }
static inline int64_t NAME_columns(const NAME_args *a) { return ALONG; }

static inline NAME_place NAME_place_of(const NAME_args *a, int64_t row)
{
    NAME_place at;
    (void)a;
//@ of
    return at;
}

static inline __attribute__((unused)) void NAME_next(const NAME_args *a, NAME_place *at)
{
    (void)a;
//@ next
}

