/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The operator as programs see it that call a package and compare it with the definition: what operands a call has, how they lie in memory, what
 * they hold, and how far a result may be off. Its names begin with NAME, as the definition may have any others. */
#endif
//@ elements

static const unsigned char NAME_canary_byte = 0xA5;

/* The numbers that describe a call: EVERY_AXES. */
static const char *const NAME_extent_name[] = { EACH(every, "AXIS") };

/* Where a row along the last extent begins, in elements. */
static int64_t NAME_row_at(const NAME_operand *o, int rank, int64_t row)
{
    int64_t at = 0;
    for (int i = rank - 2; i >= 0; i--) {
        at += row % o->extent[i] * o->stride[i];
        row /= o->extent[i];
    }
    return at;
}

/* Copies an input's elements to their places; those of the output become NaN (all bits set, as in gaps of inputs), or what calls read there. */
static void NAME_put(const NAME_problem *p, int operand)
{
    const NAME_operand *o = &p->operand[operand];
    const int rank = NAME_fact[operand].rank;
    const size_t bytes = NAME_fact[operand].bytes, row_bytes = (size_t)o->extent[rank - 1] * bytes;
    memset(o->room, operand == NAME_out ? NAME_canary_byte : 0xff, (size_t)o->span * bytes + 2 * NAME_canary);
    for (int64_t row = 0; o->elems && row < o->elems / o->extent[rank - 1]; row++) {
        unsigned char *to = o->room + NAME_canary + (size_t)NAME_row_at(o, rank, row) * bytes;
        if (operand == NAME_out && !o->dense)
            memset(to, 0xff, row_bytes);
        else
            memcpy(to, (const char *)o->dense + (size_t)row * row_bytes, row_bytes);
    }
}

/* Where rows of an input lie in one place, all are what was put there last. */
static void NAME_take_back(const NAME_problem *p, int operand)
{
    const NAME_operand *o = &p->operand[operand];
    const int rank = NAME_fact[operand].rank;
    const size_t bytes = NAME_fact[operand].bytes, row_bytes = (size_t)o->extent[rank - 1] * bytes;
    for (int64_t row = 0; o->elems && operand != NAME_out && row < o->elems / o->extent[rank - 1]; row++)
        memcpy((char *)o->dense + (size_t)row * row_bytes, o->room + NAME_canary + (size_t)NAME_row_at(o, rank, row) * bytes, row_bytes);
}

/* Lays all operands out anew: those that are strided as is_apart says. Where some are the same rows then, the result has to be defined anew. */
static void NAME_place(NAME_problem *p, int is_apart)
{
    p->is_apart = is_apart;
    for (int k = 0; k < NAME_noperand; k++) {
        NAME_operand *o = &p->operand[k];
        const int rank = NAME_fact[k].rank;
        if (!rank)
            continue;
        const int way = NAME_fact[k].is_strided ? is_apart : 0;
        int64_t step = o->extent[rank - 1] + (way ? 3 : 0);
        o->stride[rank - 1] = 1;
        o->span = o->elems ? o->extent[rank - 1] : 0;
        for (int along = rank - 2; along >= 0; along--) {
            const int i = way == 3 ? rank - 2 - along : along;
            o->stride[i] = way == 2 && k != NAME_out && (i == 0 || k % 2) ? 0 : step;
            step = o->stride[i] ? step * o->extent[i] + (way ? 3 : 0) : step;
            o->span += o->elems ? (o->extent[i] - 1) * o->stride[i] : 0;
        }
        free(o->room);
        o->room = NAME_take((size_t)o->span * NAME_fact[k].bytes + 2 * NAME_canary);
        NAME_put(p, k);
        if (way == 2)
            NAME_take_back(p, k);
    }
}

/* Computes the result by the definition, of each step-th row. */
static void NAME_define(NAME_problem *p)
{
    const void *dense[NAME_noperand] = { NULL };
    const int64_t row_elems = p->rows ? p->operand[NAME_out].elems / p->rows : 0;
    for (int k = 0; k < NAME_noperand; k++)
        dense[k] = p->operand[k].dense;
    for (int64_t i = 0; i * p->step < p->rows; i++)
        dcgen_reference_rows(p->extent, dense, i * p->step, i * p->step + 1, p->want + i * row_elems, p->bound + i * row_elems);
}

#if HAS_ROWS
/* Draws rows of a formula as programs meet them, each of another kind than the one before: constant, near or far from 0 for their spread, of one sign,
 * with one that stands out, with ties; those whose squares are nearly too large, the largest, the smallest. */
DCGEN_INLINE void NAME_draw_rows(NAME_problem *p)
{
    for (int k = 0; k < NAME_noperand; k++) {
        const NAME_operand *o = &p->operand[k];
        const int narrow = NAME_fact[k].format == dcgen_as_f16;
        const double far = narrow ? 1000 : 1e7, large = narrow ? 0x1p8 : 0x1p58, most = narrow ? 0x1p12 : 0x1p122, least = narrow ? 0x1p-20 : 0x1p-130;
        for (int64_t i = 0; NAME_fact[k].data == NAME_in_rows && i < o->elems; i++) {
            const int64_t columns = o->extent[NAME_fact[k].rank - 1], row = i / columns;
            const double z = NAME_unit(), stands_out = i % columns == row % columns ? far : z;
            const double kind[] = { z, 1234.567, z - 50, far + 4 * z, fabs(z), stands_out, rint(2 * z), large * z, most * z, least * z };
            NAME_store(NAME_fact[k].format, o->dense, i, kind[(row + o->elems) % 10]);
        }
        if (NAME_fact[k].data == NAME_in_rows)
            NAME_put(p, k);
    }
    NAME_define(p);
}

#endif
#if HAS_PARTS
/* Divides extents into parts in another way. */
static inline __attribute__((unused)) void NAME_draw_parts(NAME_problem *p, int way)
{
    p->way = way;
    for (int k = 0; k < NAME_noperand; k++)
        if (NAME_fact[k].data >= NAME_parts) {
            NAME_divide(p, k);
            NAME_put(p, k);
        }
    NAME_define(p);
}

#endif
/* A call with these extents on random inputs, and its result by the definition, of each step-th row. */
static NAME_problem NAME_problem_new(const int64_t *extent, int64_t most_terms)
{
    NAME_problem p = { .step = 1 };
    memcpy(p.extent, extent, sizeof p.extent);
    NAME_lay_out(&p);
    for (int k = 0; k < NAME_noperand; k++)
#if OUTPUT_IS_READ
        if (NAME_fact[k].rank) {
#else
        if (NAME_fact[k].rank && k != NAME_out) {
#endif
            p.operand[k].dense = NAME_take((size_t)p.operand[k].elems * NAME_fact[k].bytes);
            NAME_draw(&p, k);
        }
    NAME_place(&p, 0);
    const int64_t elems = p.operand[NAME_out].elems, row_elems = p.rows ? elems / p.rows : 0;
    const double terms = (double)elems * (double)dcgen_reference_terms(extent);
    while (p.step < p.rows && terms / (double)p.step > (double)most_terms)
        p.step *= 2;
    const int64_t nrow = (p.rows + p.step - 1) / p.step;
    p.want = NAME_take((size_t)(nrow * row_elems) * sizeof(double));
    p.bound = NAME_take((size_t)(nrow * row_elems) * sizeof(double));
    NAME_define(&p);
    return p;
}

static void NAME_problem_free(NAME_problem *p)
{
    for (int k = 0; k < NAME_noperand; k++) {
        free(p->operand[k].dense);
        free(p->operand[k].room);
    }
    free(p->want);
    free(p->bound);
    free(p->packed);
#if ANY_SCRATCH
    free(p->scratch);
#endif
}

/* The largest error as a part of its tolerance; NaN, and a canary or a gap that was touched: infinite. Takes the output away. */
static double NAME_worst(const NAME_problem *p)
{
    const NAME_operand *o = &p->operand[NAME_out];
    const int rank = NAME_fact[NAME_out].rank;
    const size_t bytes = NAME_fact[NAME_out].bytes;
    const int64_t width = o->extent[rank - 1], row_elems = p->rows ? o->elems / p->rows : 0;
    const double terms = (double)dcgen_reference_terms(p->extent);
    double most = 0;
    for (int64_t i = 0; i < o->elems; i++) {
        const int64_t row = i / row_elems, at = NAME_row_at(o, rank, i / width) + i % width, want = row / p->step * row_elems + i % row_elems;
        unsigned char *y = o->room + NAME_canary + (size_t)at * bytes;
        if (row % p->step == 0) {
            const double got = dcgen_load(NAME_fact[NAME_out].format, y, 0), exact = p->want[want];
            const double tolerance = NAME_tolerance(terms, p->bound[want], exact), err = fabs(got - exact) / tolerance;
            /* An infinity, by definition or as the type can hold no more; what is no number by definition, or not determined. */
            const int is_beyond = isinf(got) && got * exact > 0 && fabs(exact) + tolerance >= LARGEST_OUTPUT;
            int same = got == exact || is_beyond || (isnan(got) && isnan(exact)) || isinf(tolerance);
#if HAS_FORMULA && IS_BIAS == 0
            same = same || (p->is_planted && !(isfinite(exact) && isfinite(p->bound[want]))); /* what a formula makes of one may be anything */
#endif
            if (!same && !(err <= most))
                most = err <= INFINITY ? err : INFINITY; /* a NaN: infinite */
        }
        memset(y, NAME_canary_byte, bytes);
    }
    for (size_t i = 0; i < (size_t)o->span * bytes + 2 * NAME_canary; i++)
        if (o->room[i] != NAME_canary_byte)
            return INFINITY;
    return most;
}

/* Has input k the output's strides? Else the output cannot be that very operand. */
DCGEN_INLINE int NAME_lies_alike(const NAME_problem *p, int k)
{
    int alike = 1;
    for (int i = 0; i < NAME_fact[NAME_out].rank; i++)
        alike &= p->operand[k].extent[i] <= 1 || p->operand[k].stride[i] == p->operand[NAME_out].stride[i];
    return alike;
}

/* The output as it is before a call whose output is input k itself. */
DCGEN_INLINE void NAME_put_in_place(const NAME_problem *p, int k)
{
    const NAME_operand *x = &p->operand[k], *y = &p->operand[NAME_out];
    const int64_t width = x->extent[NAME_fact[k].rank - 1];
    NAME_put(p, NAME_out);
    for (int64_t row = 0; x->elems && row < x->elems / width; row++) {
        const size_t from = NAME_canary + (size_t)NAME_row_at(x, NAME_fact[k].rank, row) * NAME_fact[k].bytes;
        memcpy(y->room + from, x->room + from, (size_t)width * NAME_fact[k].bytes);
    }
}

/* The call's extents in words, for a line of output. */
static void NAME_print_extents(const NAME_problem *p)
{
    for (int i = 0; i < NAME_nextent; i++)
        printf("%s%s=%lld", i ? " " : "", NAME_extent_name[i], (long long)p->extent[i]);
}
