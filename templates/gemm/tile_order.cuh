/* SPDX-License-Identifier: MIT-0 */
/* The first row and column of the block's tile. Tiles are numbered column by column, GROUP rows of tiles at a time. */
static __device__ __forceinline__ void KERNEL_tile(const NAME_args &a, int &m0, int &n0)
{
    const unsigned down = (KERNEL_nrow(a) - 1) / BM + 1, tile = KERNEL_tile_number(a);
#if GROUP
#if NSUM > 1
    const unsigned across = (KERNEL_ncol(a) - 1) / (BN / NSUM) + 1;
#else
    const unsigned across = (KERNEL_ncol(a) - 1) / BN + 1;
#endif
    const unsigned group = tile / (GROUP * across), in_group = tile % (GROUP * across);
    const unsigned height = min(down - group * GROUP, (unsigned)GROUP);
    m0 = (group * GROUP + in_group % height) * BM;
    n0 = in_group / height * BN;
#else
    m0 = tile % down * BM;
    n0 = tile / down * BN;
#endif
#if NSUM > 1
    n0 /= NSUM; /* a tile has as many columns of each weight */
#endif
#if PROBLEMS > 1
    if (KERNEL_number() / KERNEL_tiles(a) >= KERNEL_nmatrix(a))
        m0 = KERNEL_nrow(a); /* no row exists */
#endif
}
