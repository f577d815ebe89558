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

/* Problems that lie side by side along the inner axis of the batch. */
typedef struct {
    int64_t b0, b1, count;
} KERNEL_problems;

/* Those from the i-th one on, up to `end`. */
static inline KERNEL_problems KERNEL_problems_from(const NAME_args *a, int64_t i, int64_t end)
{
    if (a->B1 == 1)
        return (KERNEL_problems){ i, 0, end - i };
    const int64_t b0 = i / a->B1, b1 = i - b0 * a->B1, beside = a->B1 - b1;
    return (KERNEL_problems){ b0, b1, beside < end - i ? beside : end - i };
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
