/* SPDX-License-Identifier: MIT-0 */
/* What the blocks of a persistent grid do: items, each a tile of Y or a slice of its sum. Block b does items b, b + gridDim.x, ... Items of a tile are
 * neighbours; tiles are numbered matrix by matrix, in these column by column, GROUP rows of tiles at a time. CLUSTERED: an item is a tile, and the
 * blocks of a cluster have a slice each. */
struct KERNEL_work {
    unsigned down, across, slices, items; /* tiles of a column and of a row; items of a tile and in all */
#if !ONE_MATRIX
    unsigned tiles; /* of a matrix */
#endif
    unsigned first, next;                 /* the block's first item, and how many further on its next one is */
    int steps, per;                       /* blocks of BK values of k, and those of a slice */
};

struct KERNEL_item {
    int m0, n0, first, end; /* the tile's first row and column; the slice's first step of k, and the one behind its last */
    unsigned tile, slice;
#if !ONE_MATRIX
    unsigned matrix;
#endif
};

static __device__ __forceinline__ KERNEL_work KERNEL_divide(const NAME_args &a)
{
    KERNEL_work w;
    w.down = KERNEL_down(a);
    w.across = (KERNEL_ncol(a) - 1) / BN + 1;
    w.per = w.steps = KERNEL_steps(a);
#if ONE_MATRIX
    const unsigned tiles = w.down * w.across;
#else
    w.tiles = w.down * w.across;
    const unsigned tiles = w.tiles * KERNEL_nmatrix(a);
#endif
#if CLUSTERED
    w.per = w.steps / SPLITK + (w.steps % SPLITK > 0);
    w.slices = SPLITK;
    w.items = tiles;
    w.first = blockIdx.x / SPLITK;
    w.next = gridDim.x / SPLITK;
#else
    w.slices = 1;
#if SPLITK > 1
    if (tiles <= COUNTERS && w.steps > 0) {
        w.per = (w.steps - 1) / SPLITK + 1;
        w.slices = (w.steps - 1) / w.per + 1;
    }
#endif
    w.items = tiles * w.slices;
    w.first = blockIdx.x;
    w.next = gridDim.x;
#endif
    return w;
}

static __device__ __forceinline__ KERNEL_item KERNEL_find_item(const KERNEL_work &w, unsigned number)
{
    KERNEL_item i;
#if CLUSTERED
    i.tile = number;
    i.slice = PACKAGE_device::cluster_rank();
    i.first = min((int)i.slice * w.per, w.steps);
#else
    i.tile = number / w.slices;
    i.slice = number % w.slices;
    i.first = i.slice * w.per;
#endif
    i.end = min(i.first + w.per, w.steps);
#if ONE_MATRIX
    const unsigned tile = i.tile;
#else
    const unsigned tile = i.tile % w.tiles;
    i.matrix = i.tile / w.tiles;
#endif
#if GROUP
    const unsigned group = tile / (GROUP * w.across), in_group = tile % (GROUP * w.across);
    const unsigned height = min(w.down - group * GROUP, (unsigned)GROUP);
    i.m0 = (group * GROUP + in_group % height) * BM;
    i.n0 = in_group / height * BN;
#else
    i.m0 = tile % w.down * BM;
    i.n0 = tile / w.down * BN;
#endif
    return i;
}
