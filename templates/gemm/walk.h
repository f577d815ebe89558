/* SPDX-License-Identifier: MIT-0 */
/* The tile as a function for each height, of WIDE columns or of UNIT. */
static TARGET_ATTRIBUTE void
KERNEL_rows(const NAME_args *a, int64_t rows, int64_t columns, int64_t m, int64_t n, int64_t k0, int64_t k1, int64_t i, int64_t tiles)
{
    if (columns == WIDE)
        switch (rows) {
        case R: KERNEL_tile(R, WIDE, a, m, n, k0, k1, i, tiles); break; //@ repeat R = 1..MR
        }
#if WIDE > UNIT
    else
        switch (rows) {
        case R: KERNEL_tile(R, UNIT, a, m, n, k0, k1, i, tiles); break; //@ repeat R = 1..MR
        }
#endif
}

/* Walks over the tiles of a share: blocks of k, where KC says so; blocks of row tiles; columns, WIDE at once and, at the end of a row, UNIT; and
 * row tiles. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_walk(const NAME_args *a, const KERNEL_share *share)
{
    const int64_t K = a->K, n1 = share->n1, tiles = share->tiles;
#if BLOCK
    const int64_t blocks = (tiles + BLOCK - 1) / BLOCK;
#else
    const int64_t blocks = 1;
#endif
#if OUTPUT_READ
    {
        const int64_t k0 = 0, k1 = K; /* the formula reads Y, which cannot hold the sums of blocks of k */
#else
#if KC
    for (int64_t k0 = 0; k0 == 0 || k0 < K; k0 += KC) {
        const int64_t k1 = K - k0 < KC ? K : k0 + KC;
#else
    {
        const int64_t k0 = 0, k1 = K;
#endif
#endif
        for (int64_t b = 0; b < blocks; b++) {
            const int64_t i0 = tiles * b / blocks, i1 = tiles * (b + 1) / blocks;
            for (int64_t n = share->n0; n < n1; n += n1 - n < WIDE ? UNIT : WIDE)
                for (int64_t i = i0; i < i1; i++) {
                    const int64_t m = KERNEL_tile_row(share, i), rows = KERNEL_tile_row(share, i + 1) - m;
                    KERNEL_rows(a, rows, n1 - n < WIDE ? UNIT : WIDE, m, n, k0, k1, i - i0, i1 - i0);
                }
        }
    }
}
