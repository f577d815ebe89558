/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the arguments of a kernel follow from those of a call: the same in a package and in a candidate. */
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
