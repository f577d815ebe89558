/* SPDX-License-Identifier: Apache-2.0
 *
 * data: inputs and exact results of shapes. Inputs are random numbers of the operand's kind that depend only on the seed, the
 * operand's index and its size, and indices on the extent that bounds them; results come from the op's reference. Both are kept for later requests; while they
 * exceed cache_bytes, the least recently used shape goes.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/rng.h"

enum {
    /* Operands begin at different offsets in a page, as those of a program do: equal ones would make loads wait for
     * unrelated stores (4K aliasing). */
    STAGGER_BYTES = 13 * 64,
    /* Normal numbers begin again after so many, a prime number: to draw all of a large table takes longer than to use it. */
    PERIOD = 1048573
};
static const size_t cache_bytes = (size_t)512 << 20;

static Shape *cache; /* the most recently used shape comes first */

/* ---- random numbers */

/* Marsaglia's polar method: two normal numbers. */
static void draw_normal(Rng *r, float out[2])
{
    float u, v, q;
    do {
        uint64_t bits = rng_next(r);
        u = (float)(int32_t)bits * 0x1p-31f;
        v = (float)(int32_t)(bits >> 32) * 0x1p-31f;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    float scale = sqrtf(-2 * logf(q) / q);
    out[0] = u * scale;
    out[1] = v * scale;
}

/* Each of these fills n elements; `most` is the extent that bounds them. */
typedef void Fill(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most);

/* Fills with normal numbers, one in `every` of them times `outlier`, each times e^(spread * another normal number). */
static void fill_reals(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t every, float outlier, float spread)
{
    float pair[2] = { 0 }, other[2] = { 0 };
    for (int64_t i = 0; i < n && i < PERIOD; i++) {
        if (i % 2 == 0)
            draw_normal(r, pair);
        if (i % 2 == 0 && spread > 0)
            draw_normal(r, other);
        const float scale = every > 0 && rng_below(r, every) == 0 ? outlier : 1;
        dtype_store(t, dst, i, pair[i % 2] * scale * expf(spread * other[i % 2]));
    }
    for (int64_t i = PERIOD; i < n; i += PERIOD)
        memcpy((char *)dst + (size_t)i * t->bytes, dst, (size_t)(n - i < PERIOD ? n - i : PERIOD) * t->bytes);
}

static void fill_normal(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    (void)most;
    fill_reals(r, t, dst, n, 0, 1, 0);
}

static void fill_outliers(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    (void)most;
    fill_reals(r, t, dst, n, DATA_OUTLIER_EVERY, DATA_OUTLIER, 0);
}

static void fill_spread(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    (void)most;
    fill_reals(r, t, dst, n, 0, 1, DATA_SPREAD_LN);
}

/* So small that every type has them, and that many of their products add up without rounding. */
static void fill_integers(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    enum { LARGEST = 4 };
    (void)most;
    for (int64_t i = 0; i < n; i++)
        dtype_store(t, dst, i, (double)(rng_below(r, 2 * LARGEST + 1) - LARGEST));
}

/* The whole extent and nothing come first, as kernels treat these in their own way. */
static void fill_lengths(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    for (int64_t i = 0; i < n; i++)
        dtype_store(t, dst, i, i == 0 ? (double)most : i == 1 ? 0 : (double)rng_below(r, most + 1));
}

/* The last place and the first one come first. */
static void fill_places(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    for (int64_t i = 0; i < n; i++)
        dtype_store(t, dst, i, i == 0 ? (double)(most - 1) : i == 1 ? 0 : (double)rng_below(r, most));
}

/* One permutation of 0 ... most-1 after the other, by Fisher and Yates from the front. */
static void fill_permutation(Rng *r, const Dtype *t, void *dst, int64_t n, int64_t most)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t place = i % most, other = i - place + rng_below(r, place + 1);
        if (other != i)
            dtype_store(t, dst, i, dtype_load(t, dst, other));
        dtype_store(t, dst, other, (double)place);
    }
}

/* Draws an input's elements, one behind the other. */
static void fill_operand(const Setup *setup, const Shape *s, int i, void *to)
{
    static Fill *const fill[DATA_COUNT] = { fill_normal,      fill_integers, fill_lengths, fill_places,
                                            fill_permutation, fill_outliers, fill_spread };
    const DataKind kind = s->told && setup->data[i] == DATA_NORMAL ? (DataKind)(s->told - 1) : setup->data[i];
    Rng r = { setup->seed ^ (uint64_t)(i + 1) << 56 ^ (uint64_t)s->elems[i] };
    const int64_t extent = s->extent[setup->of[i]], most = extent < INT32_MAX ? extent : INT32_MAX;
    const bool nothing = kind >= DATA_PLACES && most == 0;
    fill[kind](&r, setup->dtype[i], to, s->elems[i], nothing ? 1 : most);
}

/* ---- shapes */

static size_t shape_bytes(const Shape *s)
{
    size_t total = (size_t)(s->nrow * s->row_elems + s->nsum) * 2 * sizeof(double);
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        total += s->operand[i].map_bytes;
    for (const Packed *p = s->packed; p; p = p->next)
        total += p->block.map_bytes;
    return total;
}

static void shape_free(Shape *s)
{
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        block_free(&s->operand[i]);
    for (Packed *p = s->packed, *next; p; p = next) {
        next = p->next;
        block_free(&p->block);
        free(p);
    }
    verified_forget(s->verified);
    free(s->row);
    free(s->y);
    free(s);
}

static void forget_oldest(void)
{
    Shape **last = &cache;
    while ((*last)->next)
        last = &(*last)->next;
    shape_free(*last);
    *last = NULL;
}

void shape_forget_all(void)
{
    while (cache)
        forget_oldest();
}

static bool is_full(void)
{
    size_t total = 0;
    for (const Shape *s = cache; s; s = s->next)
        total += shape_bytes(s);
    return total > cache_bytes;
}

/* Draws an input, one with gaps by way of its elements without any. False: no memory. */
static bool fill_input(const Setup *setup, Shape *s, int i)
{
    const size_t bytes = setup->dtype[i]->bytes;
    if (!s->apart[i].rank) {
        fill_operand(setup, s, i, s->operand[i].data);
        return true;
    }
    void *dense = malloc((size_t)s->elems[i] * bytes);
    if (!dense)
        return false;
    fill_operand(setup, s, i, dense);
    apart_put_input(&s->apart[i], bytes, dense, s->operand[i].data);
    free(dense);
    return true;
}

static bool fill_operands(const Setup *setup, Shape *s)
{
    for (int i = 0; i < setup->noperand; i++) {
        s->bytes[i] = (size_t)(s->apart[i].rank ? s->apart[i].span : s->elems[i]) * setup->dtype[i]->bytes;
        if (!block_new(&s->operand[i], s->bytes[i], (size_t)i * STAGGER_BYTES))
            return false;
        if (s->bytes[i] && setup->role[i] != ROLE_OUT) {
            if (!fill_input(setup, s, i))
                return false;
            block_protect(&s->operand[i]);
        }
    }
    return true;
}

static Shape *shape_new(const Setup *setup, const Shape *want)
{
    Shape *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = *want;
    s->terms = setup->terms(s->extent);
    s->terms = s->terms < 1 ? 1 : s->terms;
    const bool chosen = shape_choose_rows(setup, s);
    const size_t count = (size_t)(s->nrow * s->row_elems), nsum = (size_t)s->nsum;
    s->y = calloc(2 * (count + nsum), sizeof *s->y);
    if (!chosen || !s->y || !fill_operands(setup, s)) {
        shape_free(s);
        return NULL;
    }
    s->bound = s->y + count;
    s->sum = s->bound + count;
    s->sum_bound = s->sum + nsum;
    return s;
}

Shape *shape_get(const Setup *setup, const Shape *want, char why[WHY_BYTES])
{
    Shape **at = &cache, *s;
    while (*at && memcmp(*at, want, offsetof(Shape, terms)) != 0)
        at = &(*at)->next;
    if (*at) {
        s = *at;
        *at = s->next;
    } else {
        while (is_full())
            forget_oldest();
        s = shape_new(setup, want);
    }
    if (!s) {
        snprintf(why, WHY_BYTES, "no memory for the operands");
        return NULL;
    }
    s->next = cache;
    return cache = s;
}

/* Makes copies of the inputs, without gaps, for the reference: one that reads behind its operand shall crash. False: no memory. */
static bool copy_inputs(const Setup *setup, const Shape *s, Guarded *copy)
{
    for (int i = 0; i < setup->noperand; i++) {
        const size_t bytes = setup->dtype[i]->bytes, all = (size_t)s->elems[i] * bytes;
        if (setup->role[i] == ROLE_OUT || !all)
            continue;
        if (!guarded_new(&copy[i], all, bytes, SIDE_END))
            return false;
        if (s->apart[i].rank)
            fill_operand(setup, s, i, copy[i].data);
        else
            memcpy(copy[i].data, s->operand[i].data, all);
    }
    return true;
}

bool shape_reference(const Setup *setup, Shape *s)
{
    Guarded copy[OP_MAX_OPERAND] = { 0 };
    const void *operand[OP_MAX_OPERAND];
    if (s->has_reference)
        return true;
    s->has_reference = copy_inputs(setup, s, copy);
    for (int i = 0; i < setup->noperand; i++)
        operand[i] = copy[i].data;
    for (int64_t i = 0; s->has_reference && !s->full && i < s->nrow; i++)
        setup->rows(s->extent, operand, s->row[i], s->row[i] + 1, s->y + i * s->row_elems, s->bound + i * s->row_elems);
    if (s->has_reference && s->full)
        setup->rows(s->extent, operand, 0, s->rows, s->y, s->bound);
    if (s->has_reference && s->nsum)
        setup->check(s->extent, operand, 0, s->rows, s->sum, s->sum_bound);
    for (int i = 0; i < setup->noperand; i++)
        guarded_free(&copy[i]);
    return s->has_reference;
}

const void *shape_packed(Shape *s, const void *data, size_t bytes)
{
    for (const Packed *p = s->packed; p; p = p->next)
        if (p->bytes == bytes && memcmp(p->block.data, data, bytes) == 0)
            return p->block.data;
    Packed *p = malloc(sizeof *p);
    if (!p || !block_new(&p->block, bytes, STAGGER_BYTES)) {
        free(p);
        return NULL;
    }
    memcpy(p->block.data, data, bytes);
    block_protect(&p->block);
    p->bytes = bytes;
    p->next = s->packed;
    s->packed = p;
    return p->block.data;
}

void operand_pointers(const Shape *s, void *operand[OP_MAX_OPERAND])
{
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        operand[i] = s->operand[i].data;
}
