/* SPDX-License-Identifier: MIT-0 */
/* The formula in a loop. Where it has functions of many instructions, code for each sum of a thread would be long; and operands with an
 * element for each row and column are read best as they lie, row by row. So the sums go to shared memory, from where a thread takes
 * four neighbours at a time.
 *
 *   round     Shared memory may hold a part of the tile only: of every STRIP rows ROUND_ROWS, in each of ROUNDS rounds. Row s of a round
 *             is row s / ROUND_ROWS * STRIP + round * ROUND_ROWS + s % ROUND_ROWS of the tile. Rows are F_PITCH floats apart.
 *             KERNEL_put stores the thread's sums of a round.
 *   quad      four columns, those from 4 * (thread % along) on, in row thread / along and every down-th from there; two rows at a time.
 *             Beyond the last row or column the last one is computed once more: loads need no conditions. */
struct KERNEL_output { /* the tile's part of Y */
    RESULT_TYPE *y;
    unsigned ld;
    int nrow, ncol;
    bool wide; /* four neighbours may be stored at once */
};

static __device__ __forceinline__ KERNEL_output KERNEL_find_output(const NAME_args &a, int m0, int n0)
{
    const KERNEL_operands o = KERNEL_of(a, KERNEL_nk(a));
    const bool wide = (uintptr_t)o.y % (4 * ELEM_BYTES) == 0 && (KERNEL_ncol(a) | o.ldy) % 4 == 0;
    return { o.y + STRIDED(Y, 0, (int64_t)m0 * o.ldy) + n0, o.ldy, KERNEL_nrow(a) - m0, KERNEL_ncol(a) - n0, wide };
}

/* Rounds and stores four neighbours, of which `left` exist. */
static __device__ __forceinline__ void KERNEL_store4(RESULT_TYPE *y, const float (&v)[4], int left, bool wide)
{
    RESULT_TYPE e[4];
#pragma unroll
    for (int l = 0; l < 4; l++)
        e[l] = PACKAGE_device::RESULT_ELEMENT_of(v[l]);
    if (wide && left > 0)
#if ELEM_BYTES == 2
        *(uint2 *)y = make_uint2(e[0] | (unsigned)e[1] << 16, e[2] | (unsigned)e[3] << 16);
#else
        *(float4 *)y = make_float4(e[0], e[1], e[2], e[3]);
#endif
    else
#pragma unroll
        for (int l = 0; l < 4; l++)
            if (l < left)
                y[l] = e[l];
}

/* Computes the formula of a round's sums, and stores what exists. */
static __device__ __forceinline__ void
KERNEL_finish(const float *sums, const NAME_args &a, const KERNEL_output &o, int m0, int n0, int round)
{
#if NSUM > 1 /* a row has the sums of W, and behind them those of G */
    constexpr int columns = BN / NSUM, quads = columns / 4, along = quads & -quads, down = NT / PROBLEMS / along, rows = BM / ROUNDS;
#else
    constexpr int quads = BN / 4, along = quads & -quads, down = NT / PROBLEMS / along, rows = BM / ROUNDS;
#endif
    constexpr int two = rows >= 2 * down ? 2 : 1;
    const int first = KERNEL_thread() / along;
    const auto row = [&](int s) { return ROUNDS == 1 ? s : s / ROUND_ROWS * STRIP + round * ROUND_ROWS + s % ROUND_ROWS; };
#pragma unroll 1
#if NSUM > 1
    for (int n = KERNEL_thread() % along * 4; n < columns && n < o.ncol; n += along * 4)
#else
    for (int n = KERNEL_thread() % along * 4; n < BN && n < o.ncol; n += along * 4)
#endif
#pragma unroll 1
        for (int s = first; s < rows && row(s) < o.nrow; s += two * down) {
            float v[two][4];
#pragma unroll
            for (int u = 0; u < two; u++) {
                const int at = rows % (two * down) ? min(s + u * down, rows - 1) : s + u * down;
                const float4 q = *(const float4 *)(sums + at * F_PITCH + n);
                const float sum[4] = { q.x, q.y, q.z, q.w };
#if NSUM > 1
                const float4 h = *(const float4 *)(sums + at * F_PITCH + columns + n);
                const float gate[4] = { h.x, h.y, h.z, h.w };
                /* another thread may have written the last row: the thread's own first one is computed once more */
                const int own = s + u * down < rows && row(s + u * down) < o.nrow ? row(s + u * down) : row(s);
#pragma unroll
                for (int l = 0; l < 4; l++)
                    v[u][l] = KERNEL_epilogue(a, sum[l], gate[l], m0 + own, n0 + min(n + l, o.ncol - 1));
#elif OUTPUT_READ /* another thread may have written the last row: the thread's own first one is computed once more */
                const int own = s + u * down < rows && row(s + u * down) < o.nrow ? row(s + u * down) : row(s);
#pragma unroll
                for (int l = 0; l < 4; l++)
                    v[u][l] = KERNEL_epilogue(a, sum[l], m0 + own, n0 + min(n + l, o.ncol - 1));
#else
#pragma unroll
                for (int l = 0; l < 4; l++)
                    v[u][l] = KERNEL_epilogue(a, sum[l], m0 + min(row(at), o.nrow - 1), n0 + min(n + l, o.ncol - 1));
#endif
            }
#pragma unroll
            for (int u = 0; u < two; u++)
                if (s + u * down < rows && row(s + u * down) < o.nrow)
                    KERNEL_store4(o.y + STRIDED(Y, KERNEL_row_at(a, m0 + row(s + u * down)), (int64_t)row(s + u * down) * o.ld) + n, v[u], o.ncol - n, o.wide);
        }
}

/* Computes the formula of the tile, and stores it. put(sums, round) stores the thread's sums of a round. */
template <class Put> static __device__ __forceinline__ void KERNEL_rounds(float *sums, const NAME_args &a, int m0, int n0, Put put)
{
    const KERNEL_output o = KERNEL_find_output(a, m0, n0);
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads(); /* nobody reads shared memory any more */
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (r == round)
                put(sums, r);
        __syncthreads();
        KERNEL_finish(sums, a, o, m0, n0, round);
    }
}
