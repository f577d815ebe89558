/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The functions that search/runner/abi.h asks of a candidate for GPUs, in terms of its own. */
#endif
extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void *stream)
{
    const NAME_plan plan = NAME_k0_plan(EACH(axes, extent[PLACE]));
    const NAME_args args = {
        EACH(axes, (int)extent[PLACE]), EACH(operands, (ELEM_TYPE *)operand[PLACE]), workspace };
    return NAME_device::launch(NAME_k0, dim3(plan.x, plan.y, plan.z), plan.threads, plan.smem_bytes, (cudaStream_t)stream,
                                args);
}

extern "C" int64_t dcgen_workspace(const int64_t *extent)
{
    return (int64_t)NAME_k0_plan(EACH(axes, extent[PLACE])).workspace_bytes;
}
#if PACKED

extern "C" int64_t dcgen_packed_bytes(const int64_t *extent)
{
    return (int64_t)NAME_cuda_packed_bytes(EACH(packed_axes, extent[PLACE]));
}

extern "C" int dcgen_pack(const int64_t *extent, const void *w, void *packed)
{
    return NAME_cuda_pack(EACH(packed_axes, extent[PLACE]), w, packed, NULL);
}
#endif
