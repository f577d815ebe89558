/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What is timed, and what counts of several times: for benchmarks of all families. */
#endif
/* The tuned shapes: EVERY_AXES. */
static const int64_t NAME_shapes[][NAME_nextent] = {
//@ shapes
};
enum { NAME_nshape = sizeof NAME_shapes / sizeof *NAME_shapes };

#if IS_MOVING
/* Bytes of all operands, each counted once; of a table those that are read. */
static double NAME_work(const NAME_problem *p)
{
    const double AXIS = (double)p->extent[PLACE]; //@ repeat every
    double bytes = 0;
    (void)AXIS; //@ repeat every
    bytes += sizeof(C_TYPE) * (READS); //@ repeat all_operands
    return bytes;
}
#else
static double NAME_flops(EACH(every, double AXIS))
{
    (void)AXIS; //@ repeat every
    return FLOP_COUNT;
}

static double NAME_work(const NAME_problem *p)
{
    return NAME_flops(EACH(every, (double)p->extent[PLACE]));
}
#endif

static double NAME_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int NAME_by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Sorts them. */
static double NAME_median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, NAME_by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
#if HAS_LIBRARY

/* A call's extents as the library takes them: strides stand behind them. */
static void NAME_describe(const NAME_problem *p, int64_t *extent)
{
    int n = NAME_nextent;
    memcpy(extent, p->extent, sizeof p->extent);
    for (int k = 0; k < NAME_noperand; k++)
        for (int i = 0; NAME_fact[k].is_strided && i + 1 < NAME_fact[k].rank; i++)
            extent[n++] = p->operand[k].stride[i];
}
#endif
