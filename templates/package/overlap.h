/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Does a call's output lie over an input? The same for all functions of a package. */
#endif
/* Where an operand's elements are. Strides: elements from one to the next along each extent but the last; NULL: it lies densely. */
typedef struct {
    const void *data;
    uint64_t bytes; /* of an element */
    int rank;
    int64_t extent[MOST_EXTENTS];
    const int64_t *stride;
    int may_be_output; /* the output may be this very block */
} PACKAGE_block;

/* Bytes from one element to the next along an extent. Unsigned, as it wraps where no memory could hold the elements. */
static uint64_t PACKAGE_step(const PACKAGE_block *b, int along)
{
    uint64_t step = b->bytes;
    if (b->stride && along + 1 < b->rank)
        return step * (uint64_t)b->stride[along];
    for (int i = b->rank - 1; i > along; i--)
        step *= (uint64_t)b->extent[i];
    return step;
}

/* Bytes from the first element to behind the last one of those that lie less than `pitch` apart; all others lie multiples of it apart. 0: there are no
 * elements, or some others lie otherwise. */
static uint64_t PACKAGE_span(const PACKAGE_block *b, uint64_t pitch)
{
    uint64_t span = b->bytes;
    for (int i = 0; i < b->rank; i++) {
        const uint64_t step = PACKAGE_step(b, i);
        if (b->extent[i] == 0 || (b->extent[i] > 1 && step >= pitch && step % pitch))
            return 0;
        span += step < pitch ? (uint64_t)(b->extent[i] - 1) * step : 0;
    }
    return span;
}

/* Are both in columns of one matrix, the one beside the other? of: whose strides may be the matrix's. */
static int PACKAGE_are_beside(const PACKAGE_block *x, const PACKAGE_block *y, const PACKAGE_block *of)
{
    const uint64_t from = (uintptr_t)x->data, to = (uintptr_t)y->data;
    for (int i = 0; of->stride && i + 1 < of->rank; i++) {
        const uint64_t pitch = PACKAGE_step(of, i), wide = pitch ? PACKAGE_span(x, pitch) : 0, high = pitch ? PACKAGE_span(y, pitch) : 0;
        const uint64_t apart = !pitch ? 0 : to >= from ? (to - from) % pitch : (pitch - (from - to) % pitch) % pitch;
        if (wide && high && apart >= wide && apart + high <= pitch)
            return 1;
    }
    return 0;
}

/* Bytes from a block's first element to behind its last one; 0: it has none. */
static inline uint64_t PACKAGE_range(const PACKAGE_block *b)
{
    uint64_t range = b->bytes, step = b->bytes;
    int has_elements = 1;
    for (int i = b->rank - 1; i >= 0; i--) {
        range += (uint64_t)(b->extent[i] - 1) * (b->stride && i + 1 < b->rank ? (uint64_t)b->stride[i] * b->bytes : step);
        step *= (uint64_t)b->extent[i];
        has_elements &= b->extent[i] != 0;
    }
    return has_elements ? range : 0;
}

/* Do no two of a block's elements lie in one place? Each step exceeds all that lies within it. */
static inline int PACKAGE_is_distinct(const PACKAGE_block *b)
{
    for (int i = 0; i < b->rank; i++) {
        const uint64_t step = PACKAGE_step(b, i);
        uint64_t within = b->bytes;
        for (int k = 0; k < b->rank; k++)
            if (k != i && b->extent[k] > 1 && (PACKAGE_step(b, k) < step || (PACKAGE_step(b, k) == step && k > i)))
                within += (uint64_t)(b->extent[k] - 1) * PACKAGE_step(b, k);
        if (b->extent[i] > 1 && step < within)
            return 0;
    }
    return 1;
}

/* Is x, whose extents are y's, the very same elements? */
static inline int PACKAGE_is_same(const PACKAGE_block *x, const PACKAGE_block *y)
{
    int same = x->data == y->data;
    for (int i = 0; i < x->rank; i++)
        same &= x->extent[i] <= 1 || PACKAGE_step(x, i) == PACKAGE_step(y, i);
    return same;
}

/* Has one of n blocks bytes in common with block `out`, another one? */
static inline int PACKAGE_overlap(const PACKAGE_block *block, int n, int out)
{
    const uint64_t to = (uintptr_t)block[out].data, high = PACKAGE_range(&block[out]);
    for (int i = 0; i < n; i++) {
        const uint64_t from = (uintptr_t)block[i].data, wide = i == out || (block[i].may_be_output && PACKAGE_is_same(&block[i], &block[out])) ? 0 : PACKAGE_range(&block[i]);
        const int meet = from && wide && high && (to >= from ? to - from < wide : from - to < high);
        if (meet && !PACKAGE_are_beside(&block[i], &block[out], &block[i]) && !PACKAGE_are_beside(&block[i], &block[out], &block[out]))
            return 1;
    }
    return 0;
}
