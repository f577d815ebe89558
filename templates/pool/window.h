/* SPDX-License-Identifier: MIT-0 */
/* Of the `taps` rows (or columns) of a window, `apart` rows of X from one to the next, those that stand on an image of `size` rows: first to end - 1. */
typedef struct {
    int64_t first, end;
} KERNEL_span;

static inline __attribute__((always_inline)) KERNEL_span KERNEL_taps(int64_t at, int64_t apart, int64_t taps, int64_t size)
{
    KERNEL_span span = { at < 0 ? (apart - 1 - at) / apart : 0, at < size ? (size - 1 - at) / apart + 1 : 0 };
    span.end = span.end < taps ? span.end : taps;
    span.end = span.end > span.first ? span.end : span.first;
    return span;
}

/* The rows under the windows of row p of Y, the columns under those of column q. */
static inline __attribute__((always_inline)) KERNEL_span KERNEL_rows_of(const NAME_args *a, int64_t p)
{
    return KERNEL_taps(p * NAME_STRIDE_H(a) - NAME_PAD_T(a), NAME_DIL_H(a), a->R, a->H);
}

static inline __attribute__((always_inline)) KERNEL_span KERNEL_columns_of(const NAME_args *a, int64_t q)
{
    return KERNEL_taps(q * NAME_STRIDE_W(a) - NAME_PAD_L(a), NAME_DIL_W(a), a->S, a->W);
}

#if IS_MAX
#define KERNEL_NOTHING (-__builtin_inff())
#else
#define KERNEL_NOTHING 0
/* Of `taps` rows (or columns), `there` of which stand on the image: how many count, as a part of one. */
static inline __attribute__((always_inline)) float KERNEL_part(const NAME_args *a, int64_t there, int64_t taps)
{
    (void)a; /* where attributes are the same in all calls */
    const int64_t count = NAME_COUNT_PAD(a) ? taps : there;
    return count > 0 ? 1 / (float)count : 0;
}
#endif

/* One tap more. The largest passes over NaN. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE KERNEL_join(PACKAGE_floats_MACHINE acc, PACKAGE_floats_MACHINE x)
{
#if IS_MAX
    return PACKAGE_max_MACHINE(x, acc);
#else
    return acc + x;
#endif
}
