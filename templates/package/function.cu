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

/* A call, worked out: its kernel, how that is launched, and what it is given. NAME_cuda_plan keeps it. */
typedef struct {
    int kernel;
    bool is_empty; /* the output has no elements: there is nothing to do */
    NAME_plan plan;
    NAME_args args;
} NAME_call;

/* Works a call out: a code. */
static int NAME_work_out(EXTENTS,
    EACH(operands, PARAMETER),
    const PACKAGE_exec *exec, NAME_call *call)
{
    call->is_empty = true;
//@ refused
    call->is_empty = false;
    call->args = NAME_arguments(ALL_AXES,
        EACH(operands, CAST_ARGUMENT));
#if ANY_ALIGN
    const int64_t ALIGN = NAME_align(EVERY_AXES, &call->args);
#endif
    call->kernel = NAME_kernel_of(exec, CALL_AXES);
    if (call->kernel < 0)
        return -call->kernel;
//@ blocks
    call->plan = NAME_table[call->kernel].plan(call->args, PACKAGE_sms());
    return PACKAGE_OK;
}

static int NAME_carry_out(NAME_call *call, void *scratch, void *counters, cudaStream_t stream)
{
    if (call->is_empty)
        return PACKAGE_OK;
    if ((call->plan.scratch_bytes && !PACKAGE_is_workspace(scratch)) || (call->plan.counter_bytes && !PACKAGE_is_workspace(counters)))
        return PACKAGE_BAD_POINTER;
#if ANY_COUNTERS
    call->args.counters = (unsigned *)counters;
#endif
#if ANY_SCRATCH
    call->args.scratch = scratch;
#endif
    const cudaError_t code = NAME_table[call->kernel].start(call->args, call->plan, stream);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
        return PACKAGE_BAD_DEVICE; /* compiled without code for it */
    return code == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}

int NAME_cuda(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const PACKAGE_exec *exec, struct CUstream_st *stream)
{
    NAME_call call;
    const int code = NAME_work_out(AXES, EACH(operands, GIVEN), exec, &call);
    if (code != PACKAGE_OK)
        return code;
    return NAME_carry_out(&call, workspace ? (char *)workspace + NAME_counters_room : NULL, workspace, stream);
}

int NAME_cuda_prepare(EXTENTS,
    EACH(operands, PARAMETER),
    const PACKAGE_exec *exec, NAME_cuda_plan *plan)
{
    static_assert(sizeof(NAME_call) <= sizeof plan->kept, "a plan has room for a call");
    NAME_call call = {};
    const int code = NAME_work_out(AXES, EACH(operands, GIVEN), exec, &call);
    if (code != PACKAGE_OK)
        return code;
    plan->kernel = call.is_empty ? -1 : call.kernel;
    plan->scratch_bytes = call.is_empty ? 0 : call.plan.scratch_bytes;
    plan->counter_bytes = call.is_empty ? 0 : call.plan.counter_bytes;
    memcpy(plan->kept, &call, sizeof call);
    return PACKAGE_OK;
}

int NAME_cuda_execute(const NAME_cuda_plan *plan, void *scratch, void *counters, struct CUstream_st *stream)
{
    NAME_call call;
    memcpy(&call, plan->kept, sizeof call);
    return NAME_carry_out(&call, scratch, counters, stream);
}
