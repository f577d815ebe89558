/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One function of a package for CPUs: its kernels, and the calls of its API. */
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
typedef int NAME_kernel(const NAME_args *args, int64_t task, int64_t ntask);

static NAME_kernel *const NAME_table[] = {
//@ repeat kernels
//@ guard
    [NUMBER] = KERNEL,
//@ unguard
//@ end
};
#if ANY_SCRATCH

/* Bytes of scratch memory that a kernel needs for each part of a call; NULL: none. */
static size_t (*const NAME_scratch[])(const NAME_args *args) = {
//@ repeat kernels
//@ guard
#if HAS_SCRATCH
    [NUMBER] = KERNEL_scratch,
#else
    [NUMBER] = NULL,
#endif
//@ unguard
//@ end
};
#endif
//@ tables

//@ legal

int NAME_choose(EXTENTS)
{
    if (!NAME_is_legal(AXES))
        return -1;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
#if RUNS_EVERYWHERE
    return NAME_dispatch(NAME_cpu(), EVERY_AXES, 1);
#else
    const int cpu = NAME_cpu();
    return cpu < 0 ? -1 : NAME_dispatch(cpu, EVERY_AXES, 1);
#endif
}

/* Arithmetic work of a call; in double, where it cannot overflow. */
static double NAME_flops(EACH(every, double AXIS))
{
    (void)AXIS; //@ repeat every
    return FLOP_COUNT;
}

/* The kernel for a call that nthread threads share, or minus the code of an error. */
static int NAME_kernel_of(const PACKAGE_exec *exec, int nthread, EVERY_EXTENTS)
{
    const int cpu = NAME_cpu();
#if RUNS_EVERYWHERE == 0
    if (cpu < 0)
        return -PACKAGE_BAD_KERNEL;
#endif
    if (!exec || !exec->kernel)
        return NAME_dispatch(cpu, EVERY_AXES, nthread);
    if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL)
        return -PACKAGE_BAD_KERNEL;
    const int kernel = exec->kernel - 1;
#if ANY_CONDITION
    if (!NAME_serves(kernel, EVERY_AXES))
        return -PACKAGE_BAD_KERNEL;
#endif
    return NAME_table[kernel] && NAME_target[kernel] >= cpu ? kernel : -PACKAGE_BAD_KERNEL;
}

/* A call, worked out: a kernel, threads, pieces that these take one after the other, and what the kernel is given. NAME_plan keeps it. */
typedef struct {
    int kernel, nthread, npiece; /* kernel: minus the code of an error, where there is one */
#if ANY_SCRATCH
    size_t scratch_bytes; /* of all pieces; SIZE_MAX: more than memory can hold */
#endif
    int is_empty; /* the output has no elements: there is nothing to do */
    PACKAGE_exec exec;
    NAME_args args;
} NAME_call;

/* Shares out a call whose arguments are there. */
static void NAME_share_out(NAME_call *call, const PACKAGE_exec *exec, EVERY_EXTENTS)
{
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    call->nthread = exec && exec->threads > 1 ? PACKAGE_nthread(exec, flops) : 1;
    call->npiece = call->nthread > 1 ? PACKAGE_pieces(call->nthread, flops) : 1;
    call->kernel = NAME_kernel_of(exec, call->nthread, EVERY_AXES);
    call->exec = exec ? *exec : (PACKAGE_exec){ 0 };
#if ANY_SCRATCH
    call->scratch_bytes = 0;
    if (call->kernel >= 0 && NAME_scratch[call->kernel]) {
        const size_t each = NAME_scratch[call->kernel](&call->args);
        call->scratch_bytes = each > PTRDIFF_MAX / (size_t)call->npiece ? SIZE_MAX : (size_t)call->npiece * each;
    }
#endif
}

size_t NAME_workspace_bytes(EXTENTS, const PACKAGE_exec *exec)
{
#if ANY_SCRATCH
    if (!NAME_is_legal(AXES))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return 0;
    NAME_call call;
    call.args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT));
    NAME_share_out(&call, exec, EVERY_AXES);
    return call.scratch_bytes == SIZE_MAX ? 0 : call.scratch_bytes;
#else
    (void)AXIS; //@ repeat axes
    (void)exec;
    return 0;
#endif
}

/* Works a call out: a code. */
static int NAME_work_out(EXTENTS,
    EACH(operands, PARAMETER),
    const PACKAGE_exec *exec, NAME_call *call)
{
    call->is_empty = 1;
//@ refused
    call->is_empty = 0;
    call->args = NAME_arguments(ALL_AXES,
        EACH(operands, ARGUMENT));
    NAME_share_out(call, exec, EVERY_AXES);
    if (call->kernel < 0)
        return -call->kernel;
//@ blocks
#if ANY_SCRATCH
    if (call->scratch_bytes == SIZE_MAX)
        return PACKAGE_BAD_EXTENT;
#endif
    return PACKAGE_OK;
}

/* What threads share of a call. */
typedef struct {
    PACKAGE_job job;
    NAME_kernel *kernel;
    const NAME_args *args;
} NAME_shared;

static void NAME_piece(const PACKAGE_job *job, int piece)
{
    const NAME_shared *of = (const NAME_shared *)job;
    of->kernel(of->args, piece, job->npiece);
}

static int NAME_run_pieces(const NAME_call *call, NAME_kernel *kernel)
{
    if (call->nthread <= 1)
        return kernel(&call->args, 0, 1);
    NAME_shared job = { { NAME_piece, call->nthread, call->npiece, 0 }, kernel, &call->args };
    PACKAGE_run_job(&job.job, &call->exec);
    return PACKAGE_OK;
}

static int NAME_carry_out(NAME_call *call, void *scratch)
{
    if (call->is_empty)
        return PACKAGE_OK;
#if ANY_SCRATCH
    if (call->scratch_bytes > 0 && !scratch)
        return PACKAGE_BAD_POINTER;
    call->args.scratch = scratch ? scratch : call->args.OUTPUT_OPERAND;
#else
    (void)scratch;
#endif
    return NAME_run_pieces(call, NAME_table[call->kernel]);
}

int NAME(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const PACKAGE_exec *exec)
{
    NAME_call call;
    const int code = NAME_work_out(AXES, EACH(operands, GIVEN), exec, &call);
    return code == PACKAGE_OK ? NAME_carry_out(&call, workspace) : code;
}

int NAME_prepare(EXTENTS,
    EACH(operands, PARAMETER),
    const PACKAGE_exec *exec, NAME_plan *plan)
{
    _Static_assert(sizeof(NAME_call) <= sizeof plan->kept, "a plan has room for a call");
    NAME_call call = { 0 };
    const int code = NAME_work_out(AXES, EACH(operands, GIVEN), exec, &call);
    if (code != PACKAGE_OK)
        return code;
    plan->kernel = call.is_empty ? -1 : call.kernel;
#if ANY_SCRATCH
    plan->scratch_bytes = call.is_empty ? 0 : call.scratch_bytes;
#else
    plan->scratch_bytes = 0;
#endif
    memcpy(plan->kept, &call, sizeof call);
    return PACKAGE_OK;
}

int NAME_execute(const NAME_plan *plan, void *scratch)
{
    NAME_call call;
    memcpy(&call, plan->kept, sizeof call);
    return NAME_carry_out(&call, scratch);
}
