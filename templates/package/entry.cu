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

static NAME_args NAME_call(const int64_t *extent, void *const *operand, void *workspace)
{
    return NAME_arguments(EACH(extents, extent[PLACE]),
        EACH(operands, FROM_RUNNER), workspace);
}

#if ANY_ALIGN && ANY_CONDITION
extern "C" const int dcgen_aligned = LEAST_ALIGN; //@ repeat kernels

#endif
extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void *stream)
{
    const NAME_args args = NAME_call(extent, operand, workspace);
#if ANY_CONDITION
    const int64_t AXIS = extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
#if ANY_ALIGN
    const int64_t ALIGN = NAME_align(EVERY_AXES, &args);
#endif
    if (!(ANY(kernels, CONDITION)))
        return -1; /* no call for this kernel */
#endif
    const NAME_plan plan = NAME_k0_plan(args, PACKAGE_sms());
    return NAME_k0_start(args, plan, (cudaStream_t)stream);
}

extern "C" int64_t dcgen_workspace(const int64_t *extent, int64_t)
{
    void *const operand[NOPERAND] = { 0 };
    return (int64_t)NAME_k0_plan(NAME_call(extent, operand, NULL), PACKAGE_sms()).workspace_bytes;
}
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
