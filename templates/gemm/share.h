/* SPDX-License-Identifier: MIT-0 */
/* What a task computes of a call: rows m0..m1-1 of columns n0..n1-1, in `tiles` tiles of rows. */
typedef struct {
    int64_t m0, m1, n0, n1, tiles;
} KERNEL_share;

#if !SPLIT
/* The first of N columns of a task: shares of nearly equal width, of whole tiles. Tiles are WIDE columns, made of units of UNIT. */
static int64_t KERNEL_cut(int64_t N, int64_t task, int64_t ntask)
{
    const int64_t units = (N + UNIT - 1) / UNIT, cut = (units * task / ntask + WIDE / UNIT / 2) / (WIDE / UNIT) * WIDE;
    return task == ntask || cut > N ? N : cut;
}
#endif

static inline KERNEL_share KERNEL_share_of(int64_t M, int64_t N, int64_t task, int64_t ntask)
{
#if SPLIT
    const int64_t n0 = 0, n1 = N, m0 = M * task / ntask, m1 = M * (task + 1) / ntask;
#else
    const int64_t m0 = 0, m1 = M, n0 = KERNEL_cut(N, task, ntask), n1 = KERNEL_cut(N, task + 1, ntask);
#endif
    return (KERNEL_share){ m0, m1, n0, n1, (m1 - m0 + MR - 1) / MR };
}

/* The first row of the i-th tile. */
static inline int64_t KERNEL_tile_row(const KERNEL_share *share, int64_t i)
{
#if EVEN
    return share->m0 + (share->m1 - share->m0) * i / share->tiles;
#else
    return i < share->tiles ? share->m0 + i * MR : share->m1;
#endif
}
