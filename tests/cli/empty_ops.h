/* SPDX-License-Identifier: Apache-2.0
 *
 * empty_ops: what empty_calls.c needs to know of an operator, the one whose OP_... is defined:
 *
 *   NAXIS, NEXTENT, NOPERAND  extents that are tried, numbers that describe a call, operands
 *   NSTRIDE                   how many of these numbers are strides, the last ones
 *   CONSTANT                  the place of the operand that may be packed; CONSTANTS, if defined: there are so many
 *   tried                     values of each extent, ended by -1
 *   describe(e, elems)        the other numbers of a call, from the first NAXIS; and the elements of each operand, the
 *                             output's last. A number below 0: the call is not legal
 */
#ifdef OP_dense
enum { M, N, K, NAXIS, NEXTENT = NAXIS, NSTRIDE = 0, CONSTANT = 1, NOPERAND = 3 };
static const int64_t tried[NAXIS][5] = { { 0, 1, 5, -1 }, { 0, 1, 19, 40, -1 }, { 0, 1, 5, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    elems[0] = e[M] * e[K];
    elems[1] = e[N] * e[K];
    elems[2] = e[M] * e[N];
}
#endif

#ifdef OP_gated_dense
enum { M, N, K, NAXIS, NEXTENT = NAXIS, NSTRIDE = 0, CONSTANT = 1, NOPERAND = 4 };
#define CONSTANTS 2
static const int64_t tried[NAXIS][5] = { { 0, 1, 5, -1 }, { 0, 1, 19, 40, -1 }, { 0, 1, 5, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    elems[0] = e[M] * e[K];
    elems[1] = elems[2] = e[N] * e[K];
    elems[3] = e[M] * e[N];
}
#endif

#ifdef OP_batch_matmul /* in the layout A_KM or not, B_NK or not */
enum { B0, B1, M, N, K, NAXIS, STRIDES = NAXIS, NSTRIDE = 9, NEXTENT = NAXIS + NSTRIDE, CONSTANT = -1, NOPERAND = 3 };
static const int64_t tried[NAXIS][5] = {
    { 0, 2, -1 }, { 0, 3, -1 }, { 0, 1, 5, -1 }, { 0, 1, 19, -1 }, { 0, 1, 5, -1 }
};

static void describe(int64_t *e, int64_t *elems)
{
    const int64_t last[] = { A_KM ? e[M] : e[K], B_NK ? e[K] : e[N], e[N] },
                  before[] = { A_KM ? e[K] : e[M], B_NK ? e[N] : e[K], e[M] };
    for (int i = 0; i < 3; i++) {
        int64_t *stride = e + STRIDES + 3 * i;
        stride[2] = last[i];
        stride[1] = before[i] * stride[2];
        stride[0] = e[B1] * stride[1];
        elems[i] = e[B0] * stride[0];
    }
}
#endif

#ifdef OP_conv2d /* with ATTRIBUTES */
enum {
    N,
    G,
    H,
    W,
    C,
    K,
    R,
    S,
    NAXIS,
    STRIDE_H = NAXIS,
    STRIDE_W,
    PAD_T,
    PAD_B,
    PAD_L,
    PAD_R,
    DIL_H,
    DIL_W,
    P,
    Q,
    IC,
    OC,
    NEXTENT
};
enum { NSTRIDE = 0, CONSTANT = 1, NOPERAND = 3 };
static const int64_t tried[NAXIS][5] = { { 0, 2, -1 },    { 0, 1, 17, -1 }, { 0, 1, 5, -1 }, { 0, 5, -1 },
                                         { 0, 1, 3, -1 }, { 0, 1, 17, -1 }, { 1, 3, -1 },    { 3, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    static const int64_t attribute[] = { ATTRIBUTES };
    memcpy(e + NAXIS, attribute, sizeof attribute);
    const int64_t rows = e[H] + e[PAD_T] + e[PAD_B] - e[DIL_H] * (e[R] - 1) - 1 + e[STRIDE_H];
    const int64_t columns = e[W] + e[PAD_L] + e[PAD_R] - e[DIL_W] * (e[S] - 1) - 1 + e[STRIDE_W];
    e[P] = rows < 0 ? -1 : rows / e[STRIDE_H];
    e[Q] = columns < 0 ? -1 : columns / e[STRIDE_W];
    e[IC] = e[G] * e[C];
    e[OC] = e[G] * e[K];
    elems[0] = e[N] * e[H] * e[W] * e[IC];
    elems[1] = e[OC] * e[R] * e[S] * e[C];
    elems[2] = e[N] * e[P] * e[Q] * e[OC];
}
#endif

#ifdef OP_conv_transpose2d /* with stride 2 and filters in the layout CKRS */
enum { N, G, H, W, C, K, R, S, NAXIS, P = NAXIS + 10, Q, IC, OC, NEXTENT, NSTRIDE = 0, CONSTANT = 1, NOPERAND = 3 };
static const int64_t tried[NAXIS][5] = { { 0, 2, -1 },    { 0, 1, 17, -1 }, { 0, 1, 5, -1 }, { 0, 5, -1 },
                                         { 0, 1, 3, -1 }, { 0, 1, 17, -1 }, { 1, 3, -1 },    { 3, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    static const int64_t attribute[10] = { 2, 2, 0, 0, 0, 0, 1, 1, 0, 0 };
    memcpy(e + NAXIS, attribute, sizeof attribute);
    e[P] = 2 * (e[H] - 1) + e[R];
    e[Q] = 2 * (e[W] - 1) + e[S];
    e[IC] = e[G] * e[C];
    e[OC] = e[G] * e[K];
    elems[0] = e[N] * e[H] * e[W] * e[IC];
    elems[1] = e[IC] * e[K] * e[R] * e[S];
    elems[2] = e[N] * e[P] * e[Q] * e[OC];
}
#endif

#ifdef OP_max_pool2d /* with paddings of 1 */
enum { N, C, H, W, R, S, NAXIS, P = NAXIS + 8, Q, NEXTENT, NSTRIDE = 0, CONSTANT = -1, NOPERAND = 2 };
static const int64_t tried[NAXIS][5] = { { 0, 2, -1 }, { 0, 1, 20, -1 }, { 0, 1, 5, -1 },
                                         { 0, 5, -1 }, { 1, 3, 9, -1 },  { 3, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    for (int i = 0; i < 8; i++)
        e[NAXIS + i] = 1;
    e[P] = e[H] + 3 - e[R] < 0 ? -1 : e[H] + 3 - e[R];
    e[Q] = e[W] + 3 - e[S];
    elems[0] = e[N] * e[C] * e[H] * e[W];
    elems[1] = e[N] * e[C] * e[P] * e[Q];
}
#endif

#ifdef OP_resize_bilinear
enum { N, C, H, W, P, Q, NAXIS, COORDINATES = NAXIS, NEXTENT, NSTRIDE = 0, CONSTANT = -1, NOPERAND = 2 };
static const int64_t tried[NAXIS][5] = { { 0, 2, -1 }, { 0, 1, 20, -1 }, { 1, 5, -1 },
                                         { 1, 4, -1 }, { 0, 1, 9, -1 },  { 0, 1, 40, -1 } };

static void describe(int64_t *e, int64_t *elems)
{
    e[COORDINATES] = 0;
    elems[0] = e[N] * e[C] * e[H] * e[W];
    elems[1] = e[N] * e[C] * e[P] * e[Q];
}
#endif

#ifdef OP_rows /* x[m,n] or x[n,m] alone */
enum { M, N, NAXIS, NEXTENT = NAXIS, NSTRIDE = 0, CONSTANT = -1, NOPERAND = 2 };
static const int64_t tried[NAXIS][5] = { { 0, 1, 5, -1 }, { 0, 1, 19, 40, -1 } };

static void describe(int64_t *e, int64_t *elems) { elems[0] = elems[1] = e[M] * e[N]; }
#endif
