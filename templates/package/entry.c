/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The functions that search/runner/abi.h asks of a candidate for CPUs, in terms of its own. */
#endif
int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask)
{
#if ANY_CONDITION
    const int64_t AXIS = extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
    if (!(ANY(kernels, CONDITION)))
        return 1; /* no call for this kernel */
#endif
    NAME_args args = NAME_arguments(EACH(extents, extent[PLACE]),
        EACH(operands, FROM_RUNNER));
#if ANY_SCRATCH
    args.scratch = scratch;
#else
    (void)scratch;
#endif
    return NAME_k0(&args, task, ntask);
}
#if ANY_SCRATCH

int64_t dcgen_scratch(const int64_t *extent, int64_t ntask)
{
    const NAME_args args = NAME_arguments(EACH(extents, extent[PLACE]),
        EACH(operands, NO_ARGUMENT));
    return (int64_t)NAME_k0_scratch(&args) * ntask;
}
#endif
#if PACKED

int64_t dcgen_packed_bytes(const int64_t *extent)
{
    return (int64_t)NAME_packed_bytes(EACH(packed_axes, extent[PLACE]));
}

int dcgen_pack(const int64_t *extent, const void *w, void *packed)
{
#if NCONSTANT > 1
    const void *const *operand = w;
    return NAME_pack(EACH(packed_axes, extent[PLACE]), EACH(packed_operands, operand[PLACE]), packed);
#else
    return NAME_pack(EACH(packed_axes, extent[PLACE]), w, packed);
#endif
}
#endif
