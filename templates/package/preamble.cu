/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before kernels for GPUs, in a package and in a candidate alike. */
#endif
#if ELEM_IS_FLOAT
/* An element of every operand. */
typedef float NAME_elem;
#else
/* An element of every operand, the bits of a DTYPE. */
typedef unsigned short NAME_elem;
#endif

/* One call, as the kernels see it. */
typedef struct {
    int AXES;
    ELEM_TYPE *OPERAND; //@ repeat operands
    void *workspace;
} NAME_args;

/* How a kernel is started: its grid, threads a block, bytes of dynamic shared memory a block, and of workspace. */
typedef struct {
    unsigned x, y, z;
    int threads;
    size_t smem_bytes, workspace_bytes;
} NAME_plan;

#if PACKED
/* Elements from one row of W to the next: rows are padded to 16 bytes. */
#define NAME_LDW(N, K) (((W_EXTENT) + VECTOR_TAIL) / VECTOR_ELEMS * VECTOR_ELEMS)
#else
/* Elements from one row of W to the next. */
#define NAME_LDW(N, K) (W_EXTENT)
#endif

