/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One function of a package for GPUs: its kernels, and the calls of its API. */
#endif
#if IS_ONE_OF_SEVERAL
/* ---- FUNCTION: OP_DOC ---- */

#endif
//@ arguments
#if HAS_FORMULA
//@ formula

#endif
#if PACKED
//@ pack

//@ packed_calls

#endif
//@ kernels
typedef struct {
    NAME_plan (*plan)(const NAME_args &args, int sms);
    cudaError_t (*start)(const NAME_args &args, const NAME_plan &plan, cudaStream_t stream);
} NAME_entry;

static const NAME_entry NAME_table[] = {
    { KERNEL_plan, KERNEL_start }, //@ repeat kernels
};
//@ tables

//@ legal

static int NAME_current_target(void)
{
    int device, major, minor;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return -1;
    return NAME_target_of(10 * major + minor);
}

int NAME_cuda_choose(EXTENTS)
{
    if (!NAME_is_legal(AXES))
        return -1;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    const int target = NAME_current_target();
#if ANY_ALIGN
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT));
    const int64_t ALIGN = NAME_align(EVERY_AXES, &args);
#endif
    return target < 0 ? -1 : NAME_dispatch(target, CALL_AXES);
}

/* The kernel for a call, or minus the code of what is wrong. */
static int NAME_kernel_of(const PACKAGE_exec *exec, CALL_EXTENTS)
{
    const int target = NAME_current_target();
    if (target < 0)
        return -PACKAGE_BAD_DEVICE;
    if (!exec || !exec->kernel)
        return NAME_dispatch(target, CALL_AXES);
    if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL || !NAME_runs(target, NAME_target[exec->kernel - 1]))
        return -PACKAGE_BAD_KERNEL;
#if ANY_CONDITION
    if (!NAME_serves(exec->kernel - 1, CALL_AXES))
        return -PACKAGE_BAD_KERNEL;
#endif
    return exec->kernel - 1;
}

/* Bytes of the workspace that a call by this plan needs. */
static size_t NAME_workspace_of(const NAME_plan &plan)
{
    return plan.scratch_bytes ? NAME_counters_room + plan.scratch_bytes : plan.counter_bytes;
}

size_t NAME_cuda_workspace_bytes(EXTENTS, const PACKAGE_exec *exec)
{
    if (!NAME_is_legal(AXES))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return 0;
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT));
#if ANY_ALIGN
    size_t bytes = 0; /* the most of all kernels that the call may get, as its operands are aligned */
    for (int64_t ALIGN = 16; ALIGN > 0; ALIGN /= 2) {
        const int kernel = NAME_kernel_of(exec, CALL_AXES);
        const size_t needed = kernel < 0 ? 0 : NAME_workspace_of(NAME_table[kernel].plan(args, PACKAGE_sms()));
        bytes = needed > bytes ? needed : bytes;
    }
    return bytes;
#else
    const int kernel = NAME_kernel_of(exec, EVERY_AXES);
    return kernel < 0 ? 0 : NAME_workspace_of(NAME_table[kernel].plan(args, PACKAGE_sms()));
#endif
}

int NAME_cuda(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const PACKAGE_exec *exec, struct CUstream_st *stream)
{
//@ refused
    NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, CAST_ARGUMENT));
#if ANY_ALIGN
    const int64_t ALIGN = NAME_align(EVERY_AXES, &args);
#endif
    const int kernel = NAME_kernel_of(exec, CALL_AXES);
    if (kernel < 0)
        return -kernel;
//@ blocks
    const NAME_plan plan = NAME_table[kernel].plan(args, PACKAGE_sms());
    const bool needs_workspace = NAME_workspace_of(plan) > 0;
    if (needs_workspace && !PACKAGE_is_workspace(workspace))
        return PACKAGE_BAD_POINTER;
#if ANY_COUNTERS
    args.counters = needs_workspace ? (unsigned *)workspace : NULL;
#endif
#if ANY_SCRATCH
    args.scratch = needs_workspace ? (char *)workspace + NAME_counters_room : NULL;
#endif
    const cudaError_t code = NAME_table[kernel].start(args, plan, stream);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
        return PACKAGE_BAD_DEVICE; /* compiled without code for it */
    return code == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}
