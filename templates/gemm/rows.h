/* SPDX-License-Identifier: MIT-0 */
/* Vectors of LANES floats, and rows of a matrix along which a tile walks: a pointer to every third row; each row is one address, of a
 * base and a scaled index. From plain indices gcc makes an offset for each row and each step of an unrolled loop, more than there are
 * registers. `rows` and r are constants of each call. */
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE const float *
KERNEL_row(const float *const *p, const int r, int64_t stride)
{
    return p[r / 3] + r % 3 * stride;
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_point(const int rows, const float **p, const float *first, int64_t stride)
{
    PACKAGE_UNROLL(8)
    for (int g = 0; g < (rows + 2) / 3; g++)
        p[g] = first + 3 * g * stride;
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_advance(const int rows, const float **p, int64_t step)
{
    PACKAGE_UNROLL(8)
    for (int g = 0; g < (rows + 2) / 3; g++) {
        p[g] += step;
        __asm__("" : "+r"(p[g])); /* else gcc rebuilds them all from one */
    }
}

/* Else gcc keeps a sum of a stride and each offset of an unrolled loop, for which there are no registers. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_hide(int64_t *stride)
{
    __asm__("" : "+r"(*stride));
}
