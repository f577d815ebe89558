/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The functions that search/runner/abi.h asks of a candidate for GPUs, in terms of its own. */
#endif
static int PACKAGE_sms(void)
{
#ifdef DCGEN_EMULATOR
    return 4; /* few, so that kernels that go round have several rounds */
#else
    int device, sms;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) == cudaSuccess
               ? sms
               : 0;
#endif
}

static NAME_args NAME_call(const int64_t *extent, void *const *operand)
{
    return NAME_arguments(EACH(extents, extent[PLACE]),
        EACH(operands, FROM_RUNNER));
}
#if ANY_SCRATCH || ANY_COUNTERS

static NAME_plan NAME_plan_of(const int64_t *extent)
{
    void *const operand[NOPERAND] = { 0 };
    return NAME_k0_plan(NAME_call(extent, operand), PACKAGE_sms());
}
#endif

#if ANY_ALIGN && ANY_CONDITION
extern "C" const int dcgen_aligned = LEAST_ALIGN; //@ repeat kernels

#endif
extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    NAME_args args = NAME_call(extent, operand);
#if ANY_CONDITION
    const int64_t AXIS = extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
#if ANY_ALIGN
    const int64_t ALIGN = NAME_align(EVERY_AXES, &args);
#endif
    if (!(ANY(kernels, CONDITION)))
        return -1; /* no call for this kernel */
#endif
#if ANY_SCRATCH
    args.scratch = scratch;
#else
    (void)scratch;
#endif
#if ANY_COUNTERS
    args.counters = (unsigned *)counters;
#else
    (void)counters;
#endif
    return NAME_k0_start(args, NAME_k0_plan(args, PACKAGE_sms()), (cudaStream_t)stream);
}
#if ANY_SCRATCH

extern "C" int64_t dcgen_scratch(const int64_t *extent, int64_t)
{
    return (int64_t)NAME_plan_of(extent).scratch_bytes;
}
#endif
#if ANY_COUNTERS

extern "C" int64_t dcgen_counters(const int64_t *extent)
{
    return (int64_t)NAME_plan_of(extent).counter_bytes;
}
#endif
#if PACKED

extern "C" int64_t dcgen_packed_bytes(const int64_t *extent)
{
    return (int64_t)NAME_cuda_packed_bytes(EACH(packed_axes, extent[PLACE]));
}

extern "C" int dcgen_pack(const int64_t *extent, const void *w, void *packed)
{
#if NCONSTANT > 1
    const void *const *operand = (const void *const *)w;
    return NAME_cuda_pack(EACH(packed_axes, extent[PLACE]), EACH(packed_operands, operand[PLACE]), packed, NULL);
#else
    return NAME_cuda_pack(EACH(packed_axes, extent[PLACE]), w, packed, NULL);
#endif
}
#endif
