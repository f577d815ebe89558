/* SPDX-License-Identifier: MIT-0 */
/* Columns of B are packed into a block, as transpose.h does it for a few, by tiles beside their FMAs or by themselves. */
#define KERNEL_B_COLUMN(ws) (LAYOUT_B_NK ? (ws) : 1)
#define KERNEL_B_STEP(ws) (LAYOUT_B_NK ? 1 : (ws))
#define KERNEL_BESIDE(N) (LAYOUT_B_NK || (N) >= GROUP) /* tiles pack */

/* Columns of B that are to be packed, GROUP at a time; of the last GROUP some may have been packed before. */
typedef struct {
    const float *b, *after; /* their first one at k = 0, and where the columns lie that come after them */
    float *block;
    int64_t columns;              /* how many */
    int64_t begin, end, by_tiles; /* groups: done, in all, and up to where tiles do one each */
} KERNEL_packing;

/* The first column of a group. */
static inline int64_t KERNEL_column(const NAME_args *a, const KERNEL_packing *p, int64_t group)
{
    const int64_t c = group * GROUP < p->columns - GROUP ? group * GROUP : p->columns - GROUP;
    return a->N < GROUP ? 0 : c;
}

/* The number of its last column, from the first one on. */
static inline int64_t KERNEL_last(const NAME_args *a) { return (a->N < GROUP ? a->N : GROUP) - 1; }

/* The columns from the c-th on, as many as there are of GROUP, four values of k. */
static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_round_at(const NAME_args *a, const KERNEL_packing *p, int64_t c, int64_t k)
{
    const int64_t ws = a->B_stride[2];
    KERNEL_round(p->b + c * KERNEL_B_COLUMN(ws) + k * KERNEL_B_STEP(ws), ws, KERNEL_last(a), p->block + k * BLOCK + c);
}

/* Packs what is left of the columns, kc values of k: in rounds or, of fewer than four, one by one. */
static TARGET_ATTRIBUTE void KERNEL_pack(const NAME_args *a, KERNEL_packing *p, int64_t kc)
{
    const int64_t ws = a->B_stride[2], column = KERNEL_B_COLUMN(ws), step = KERNEL_B_STEP(ws);
    if (kc < 4) {
        for (int64_t i = p->begin * GROUP; i < p->columns; i++)
            for (int64_t k = 0; k < kc; k++)
                p->block[k * BLOCK + i] = p->b[i * column + k * step];
        p->begin = p->end;
    }
    for (; p->begin < p->end; p->begin++)
        for (int64_t k = 0; k < kc; k += 4)
            KERNEL_round_at(a, p, KERNEL_column(a, p, p->begin), k + 4 <= kc ? k : kc - 4);
}
