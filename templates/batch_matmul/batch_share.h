/* SPDX-License-Identifier: MIT-0 */
/* What a task does: whole problems of the batch or, where they do not share out evenly, rows of the problems; and how rows
 * and columns are cut into tiles. An item is a part of the rows of one problem; there are `parts` to each. */
typedef struct {
    int64_t begin, end, parts;
} KERNEL_share;

static inline KERNEL_share KERNEL_share_of(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t batches = a->B0 * a->B1, tiles = (a->M + MR - 1) / MR;
    int64_t parts = batches < ntask * 4 && batches % ntask ? ntask : 1;
    if (parts > tiles)
        parts = tiles > 1 ? tiles : 1;
    return (KERNEL_share){ batches * parts * task / ntask, batches * parts * (task + 1) / ntask, parts };
}

/* The first row of a part of M rows: no division where a problem is one part. */
static inline int64_t KERNEL_part_row(int64_t M, int64_t part, int64_t parts)
{
    return parts == 1 ? part * M : M * part / parts;
}

/* Where the matrix of problem (b0, b1) begins, in elements of its operand. */
static inline int64_t KERNEL_matrix(const int64_t *stride, int64_t b0, int64_t b1)
{
    return b0 * stride[0] + b1 * stride[1];
}

/* A problem of the batch, and a part of its rows. */
typedef struct {
    int64_t b0, b1, part;
} KERNEL_item;

/* The first one of a share. */
static inline KERNEL_item KERNEL_item_of(const NAME_args *a, const KERNEL_share *share)
{
    const int64_t problem = share->begin / share->parts;
    return (KERNEL_item){ problem / a->B1, problem % a->B1, share->begin % share->parts };
}

/* Of `left` problems from that one on, those that lie side by side along the inner axis of the batch. */
static inline int64_t KERNEL_beside(const NAME_args *a, KERNEL_item at, int64_t left)
{
    const int64_t beside = a->B1 > 1 ? a->B1 - at.b1 : a->B0 - at.b0;
    return left < beside ? left : beside;
}

/* The item behind `count` problems, or behind a part of one: no division. */
static inline KERNEL_item KERNEL_behind(const NAME_args *a, KERNEL_item at, int64_t count, int64_t parts)
{
    if (++at.part < parts)
        return at;
    at.part = 0;
    if (a->B1 == 1)
        at.b0 += count;
    else if ((at.b1 += count) == a->B1)
        at.b1 = 0, at.b0++;
    return at;
}

/* Where an element of Y lies. */
typedef struct {
    int64_t b0, b1, m, n;
} KERNEL_place;

/* The same element of the next problem along the inner axis. */
static inline void KERNEL_to_next(const NAME_args *a, KERNEL_place *at)
{
    if (a->B1 > 1)
        at->b1++;
    else
        at->b0++;
}

/* `all` things in as few tiles of at most `most` as will do: `count` tiles of `size`, of which the first `larger` have one
 * more. */
typedef struct {
    int64_t count, size, larger;
} KERNEL_cut;

static inline KERNEL_cut KERNEL_cut_of(int64_t all, int64_t most)
{
    const int64_t count = (all + most - 1) / most;
    return count ? (KERNEL_cut){ count, all / count, all % count } : (KERNEL_cut){ 0 };
}
