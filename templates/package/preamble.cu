/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before kernels for GPUs, in a package and in a candidate alike. */
#endif
#if ELEM_IS_FLOAT
/* An element of an operand. */
typedef float NAME_elem;
#else
/* An element of an operand, the bits of a DTYPE. */
typedef unsigned short NAME_elem;
#endif

/* One call, as the kernels see it. */
typedef struct {
    int ALL_AXES;
//@ repeat operands
#if KEEPS_STRIDES
    C_TYPE *OPERAND;
    int64_t OPERAND_stride[NSTRIDE]; /* elements from one to the next along each extent but the last */
#else
    C_TYPE *OPERAND;
#endif
//@ end
    void *workspace;
} NAME_args;
#if HAS_ATTRIBUTES

/* Attributes of a call, of which some are the same for all. */
//@ repeat attributes
#if IS_FIXED
#define NAME_AXIS(args) VALUE
#else
#define NAME_AXIS(args) ((args).AXIS)
#endif
//@ end
#endif

#if CALLS_ARITHMETIC
//@ arithmetic

#endif
//@ arguments

/* How a kernel is started: its grid, blocks of a cluster (0: there are no clusters), threads a block, bytes of dynamic shared memory a block, and
 * of workspace. */
typedef struct {
    unsigned x, y, z, cluster;
    int threads;
    size_t smem_bytes, workspace_bytes;
} NAME_plan;

