/* SPDX-License-Identifier: Apache-2.0
 *
 * data: inputs and exact results of shapes. Inputs are random numbers of the operand's kind that depend only on the
 * seed, the operand's index and its size, and indices on the extent that bounds them (kept.h: shapes share what is the
 * same); results come from the op's reference. Both are kept for later requests; while they exceed cache_bytes, the
 * least recently used shape goes.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Operands begin at different offsets in a page, as a program's do: equal ones make loads wait (4K aliasing). */
    STAGGER_BYTES = 13 * 64,
    /* Normal numbers begin again after so many, a prime number: to draw a large table takes longer than to use it. */
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

/* Each of these fills d->elems elements; d->most is the extent that bounds them, or of a row. */
typedef void Fill(Rng *r, const Storage *t, void *dst, const Draw *d);

/* Normal numbers; of outliers some are far larger, of a spread each is times e^(spread * another normal number). */
static void fill_reals(Rng *r, const Storage *t, void *dst, const Draw *d)
{
    const int64_t n = d->elems;
    const bool outliers = d->kind == DATA_OUTLIERS, spread = d->kind == DATA_SPREAD;
    float pair[2] = { 0 }, other[2] = { 0 };
    for (int64_t i = 0; i < n && i < PERIOD; i++) {
        if (i % 2 == 0)
            draw_normal(r, pair);
        if (i % 2 == 0 && spread)
            draw_normal(r, other);
        const float scale = outliers && rng_below(r, DATA_OUTLIER_EVERY) == 0 ? DATA_OUTLIER : 1;
        storage_store(t, dst, i, pair[i % 2] * scale * expf((float)DATA_SPREAD_LN * other[i % 2]));
    }
    for (int64_t i = PERIOD; i < n; i += PERIOD)
        memcpy((char *)dst + (size_t)i * t->bytes, dst, (size_t)(n - i < PERIOD ? n - i : PERIOD) * t->bytes);
}

/* So small that every type has them, and that many of their products add up without rounding. */
static void fill_integers(Rng *r, const Storage *t, void *dst, const Draw *d)
{
    enum { LARGEST = 4 };
    for (int64_t i = 0; i < d->elems; i++)
        storage_store(t, dst, i, (double)(rng_below(r, 2 * LARGEST + 1) - LARGEST));
}

static void fill_bits(Rng *r, const Storage *t, void *dst, const Draw *d)
{
    for (int64_t i = 0; i < d->elems; i++)
        memcpy((char *)dst + (size_t)i * t->bytes, (uint64_t[]){ rng_next(r) }, t->bytes);
}

/* Lengths, or places: the largest and nothing come first, as kernels treat these in their own way. */
static void fill_bounded(Rng *r, const Storage *t, void *dst, const Draw *d)
{
    const int64_t n = d->kind == DATA_LENGTHS ? d->most + 1 : d->most > 0 ? d->most : 1;
    for (int64_t i = 0; i < d->elems; i++)
        storage_store(t, dst, i, i == 0 ? (double)(n - 1) : i == 1 ? 0 : (double)rng_below(r, n));
}

/* One permutation of 0 ... most-1 after the other, by Fisher and Yates from the front. */
static void fill_permutation(Rng *r, const Storage *t, void *dst, const Draw *d)
{
    const int64_t most = d->most > 0 ? d->most : 1;
    for (int64_t i = 0; i < d->elems; i++) {
        const int64_t place = i % most, other = i - place + rng_below(r, place + 1);
        if (other != i)
            storage_store(t, dst, i, storage_load(t, dst, other));
        storage_store(t, dst, other, (double)place);
    }
}

static Draw draw_of(const Setup *setup, const Shape *s, int i)
{
    const DataKind other = s->told && setup->data[i] == DATA_NORMAL ? (DataKind)(s->told - 1) : setup->data[i];
    const DataKind kind = other == DATA_EDGES && setup->of[i] < 0 ? DATA_NORMAL : other;
    const bool is_bounded = (kind >= DATA_LENGTHS && kind < DATA_OF_OPS) || kind == DATA_EDGES;
    const int64_t extent = is_bounded ? s->extent[setup->of[i]] : 0;
    Draw d = { i, kind, s->elems[i], extent < INT32_MAX ? extent : INT32_MAX, 0, 0 };
    if (data_has_parts(kind)) {
        d.row = s->along[i] ? s->along[i] : s->elems[i];
        d.way = s->way;
    }
    return d;
}

/* What random numbers of an input follow from. Of parts that is how many of which extent, whatever the operand. */
static uint64_t draw_seed(const Setup *setup, const Draw *d)
{
    const int64_t nrow = d->row ? d->elems / d->row : 0;
    const bool has_parts = data_has_parts((DataKind)d->kind);
    const int whose = has_parts ? OP_MAX_OPERAND + setup->of[d->operand] : (int)d->operand;
    const int64_t n = d->kind == DATA_OFFSETS ? d->elems - nrow : d->elems;
    return setup->seed ^ (uint64_t)(whose + 1) << 56 ^ (uint64_t)n;
}

static void fill_operand(const Setup *setup, const Draw *d, void *to)
{
    static Fill *const fill[DATA_COUNT] = {
        [DATA_NORMAL] = fill_reals,    [DATA_INTEGERS] = fill_integers, [DATA_BITS] = fill_bits,
        [DATA_LENGTHS] = fill_bounded, [DATA_PLACES] = fill_bounded,    [DATA_PERMUTATION] = fill_permutation,
        [DATA_PARTS] = parts_fill,     [DATA_OFFSETS] = parts_fill,     [DATA_OUTLIERS] = fill_reals,
        [DATA_SPREAD] = fill_reals,    [DATA_EDGES] = edges_fill
    };
    Rng r = { draw_seed(setup, d) };
    fill[d->kind](&r, setup->stored[d->operand], to, d);
}

/* ---- shapes */

static size_t shape_bytes(const Shape *s)
{
    size_t total = (size_t)(s->nrow * s->row_elems + s->nsum) * 2 * sizeof(double);
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        total += s->input[i] ? 0 : s->operand[i].map_bytes;
    return total;
}

static void shape_free(Shape *s)
{
    for (int i = 0; i < OP_MAX_OPERAND; i++) {
        if (!s->input[i])
            block_free(&s->operand[i]);
        kept_drop(s->input[i]);
    }
    for (Packed *p = s->packed, *next; p; p = next) {
        next = p->next;
        kept_drop(p->kept);
        free(p);
    }
    verified_forget(s->verified);
    free(s->before);
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
    size_t total = kept_bytes();
    for (const Shape *s = cache; s; s = s->next)
        total += shape_bytes(s);
    return total > cache_bytes;
}

/* Draws an input, one with gaps by way of its elements without any. False: no memory. */
static bool fill_input(const Setup *setup, const Shape *s, const Draw *d, void *to)
{
    const Apart *apart = &s->apart[d->operand];
    const size_t bytes = setup->stored[d->operand]->bytes;
    void *dense = apart->rank ? malloc((size_t)d->elems * bytes) : to;
    if (!dense)
        return false;
    fill_operand(setup, d, dense);
    if (apart->rank) {
        apart_put_input(apart, bytes, dense, to);
        free(dense);
    }
    return true;
}

/* Sets input i: one that another shape has, or a new one. False: no memory. */
static bool have_input(const Setup *setup, Shape *s, int i, size_t offset)
{
    const Draw draw = draw_of(setup, s, i);
    Kept *k = s->apart[i].rank ? NULL : kept_drawn(&draw);
    if (!k && (k = kept_new(s->apart[i].rank ? NULL : &draw, s->bytes[i], offset))) {
        if (!fill_input(setup, s, &draw, k->block.data)) {
            kept_drop(k);
            return false;
        }
        block_protect(&k->block);
    }
    if (!k)
        return false;
    s->input[i] = k;
    s->operand[i] = k->block;
    return true;
}

/* Draws what calls read of the output. False: no memory. */
static bool have_before(const Setup *setup, Shape *s)
{
    const int out = setup->out;
    const Apart *apart = &s->apart[out];
    const Draw draw = draw_of(setup, s, out);
    const size_t all = (size_t)s->elems[out] * setup->stored[out]->bytes;
    char *dense = malloc(all + 1);
    s->before = malloc(s->bytes[out] + 1);
    if (!dense || !s->before) {
        free(dense);
        return false;
    }
    fill_operand(setup, &draw, dense);
    if (apart->rank)
        apart_put_output(apart, setup->stored[out]->bytes, dense, s->before);
    else
        memcpy(s->before, dense, all);
    free(dense);
    if (s->bytes[out])
        memcpy(s->operand[out].data, s->before, s->bytes[out]);
    return true;
}

static bool have_operands(const Setup *setup, Shape *s)
{
    for (int i = 0; i < setup->noperand; i++) {
        const size_t offset = (size_t)i * STAGGER_BYTES;
        s->bytes[i] = (size_t)(s->apart[i].rank ? s->apart[i].span : s->elems[i]) * setup->stored[i]->bytes;
        if (s->bytes[i] && setup->role[i] != ROLE_OUT ? !have_input(setup, s, i, offset)
                                                      : !block_new(&s->operand[i], s->bytes[i], offset))
            return false;
    }
    return !setup->reads_out || have_before(setup, s);
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
    if (!chosen || !s->y || !have_operands(setup, s)) {
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

/* Makes copies of the inputs, without gaps, for the reference: reading behind one shall crash. False: no memory. */
static bool copy_inputs(const Setup *setup, const Shape *s, Guarded *copy)
{
    for (int i = 0; i < setup->noperand; i++) {
        const size_t bytes = setup->stored[i]->bytes, all = (size_t)s->elems[i] * bytes;
        if ((setup->role[i] == ROLE_OUT && !s->before) || !all)
            continue;
        if (!guarded_new(&copy[i], all, bytes, SIDE_END))
            return false;
        const char *from = i == setup->out ? s->before : s->operand[i].data;
        if (s->apart[i].rank)
            apart_take(&s->apart[i], bytes, from, copy[i].data);
        else
            memcpy(copy[i].data, from, all);
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
    Kept *k = kept_equal(data, bytes);
    for (const Packed *p = s->packed; k && p; p = p->next)
        if (p->kept == k) {
            kept_drop(k); /* the shape has it already */
            return k->block.data;
        }
    Packed *p = malloc(sizeof *p);
    if (!k && (k = kept_new(NULL, bytes, STAGGER_BYTES))) {
        memcpy(k->block.data, data, bytes);
        block_protect(&k->block);
    }
    if (!p || !k) {
        kept_drop(k);
        free(p);
        return NULL;
    }
    *p = (Packed){ k, s->packed };
    s->packed = p;
    return k->block.data;
}

void operand_pointers(const Shape *s, void *operand[OP_MAX_OPERAND])
{
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        operand[i] = s->operand[i].data;
}
