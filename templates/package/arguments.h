/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One call of a function, as its kernels see it, and how that follows from the call's arguments: the same in a package and in a candidate. */
#endif
#if FAMILY_CUDA
#if ELEM_IS_FLOAT
/* An element of an operand. */
typedef float NAME_elem;
#else
/* An element of an operand, the bits of a DTYPE. */
typedef unsigned short NAME_elem;
#endif

#endif
/* One call, as the kernels see it. */
typedef struct {
#if FAMILY_CUDA
    int ALL_AXES;
#else
    int64_t ALL_AXES;
#endif
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
#if IS_FIXED && FAMILY_CUDA
#define NAME_AXIS(args) VALUE
#elif IS_FIXED
#define NAME_AXIS(args) ((int64_t)VALUE)
#elif FAMILY_CUDA
#define NAME_AXIS(args) ((args).AXIS)
#else
#define NAME_AXIS(args) ((args)->AXIS)
#endif
//@ end
#endif

#if HAS_STRIDES
/* Strides of elements that lie densely; extents outermost first. Unsigned, as it wraps where no memory could hold the elements. */
static inline void NAME_dense(int rank, const int64_t *extent, int64_t *stride)
{
    uint64_t step = 1;
    for (int i = rank - 1; i > 0; i--)
        stride[i - 1] = (int64_t)(step *= (uint64_t)extent[i]);
}

#endif
static inline NAME_args NAME_arguments(ALL_EXTENTS,
    EACH(operands, INNER), void *workspace)
{
    NAME_args args;
#if FAMILY_CUDA
    args.AXIS = (int)AXIS; //@ repeat extents
#else
    args.AXIS = AXIS; //@ repeat extents
#endif
    args.OPERAND = OPERAND; //@ repeat operands
    args.workspace = workspace;
//@ repeat operands
#if KEEPS_STRIDES
    const int64_t OPERAND_extent[] = { EACH(order, ALONG) };
    NAME_dense(RANK, OPERAND_extent, args.OPERAND_stride);
#if IS_STRIDED
    for (int i = 0; OPERAND_stride && i < NSTRIDE; i++)
        args.OPERAND_stride[i] = OPERAND_stride[i];
#endif
#endif
//@ end
    return args;
}
#if ANY_ALIGN

/* The bytes, 16 at most, that the inputs begin at multiples of, and all their rows. */
static inline int64_t NAME_align(EVERY_EXTENTS,
    const NAME_args *args)
{
    uint64_t all = 16, step;
    (void)AXIS; //@ repeat every
//@ repeat operands
#if IS_ALIGNED
    const int64_t OPERAND_extent[] = { EACH(order, ALONG) };
    all |= (uintptr_t)args->OPERAND;
    step = ELEMENT_BYTES;
    for (int i = RANK - 1; i > 0; i--) {
#if KEEPS_STRIDES
        step = (uint64_t)args->OPERAND_stride[i - 1] * ELEMENT_BYTES;
#else
        step *= (uint64_t)OPERAND_extent[i];
#endif
        all |= OPERAND_extent[i - 1] > 1 ? step : 0;
    }
#endif
//@ end
    return (int64_t)(all & (0 - all));
}
#endif
#if FAMILY_CUDA

/* How a kernel is started: its grid, blocks of a cluster (0: there are no clusters), threads a block, bytes of dynamic shared memory a block, and
 * of workspace. */
typedef struct {
    unsigned x, y, z, cluster;
    int threads;
    size_t smem_bytes, workspace_bytes;
} NAME_plan;
#endif

