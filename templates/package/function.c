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

/* What a call is carried out by: a kernel, threads, pieces that these take one after the other. */
typedef struct {
    int kernel, nthread, npiece;
#if ANY_SCRATCH
    size_t scratch_bytes; /* of all pieces; SIZE_MAX: more than memory can hold */
#endif
} NAME_plan;

/* Its kernel is minus the code of an error where there is one. */
static NAME_plan NAME_plan_of(const NAME_args *args, const PACKAGE_exec *exec, EVERY_EXTENTS)
{
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    NAME_plan plan = { .nthread = exec && exec->threads > 1 ? PACKAGE_nthread(exec, flops) : 1, .npiece = 1 };
    plan.kernel = NAME_kernel_of(exec, plan.nthread, EVERY_AXES);
    if (plan.nthread > 1)
        plan.npiece = PACKAGE_pieces(plan.nthread, flops);
#if ANY_SCRATCH
    if (plan.kernel >= 0 && NAME_scratch[plan.kernel]) {
        const size_t each = NAME_scratch[plan.kernel](args);
        plan.scratch_bytes = each > PTRDIFF_MAX / (size_t)plan.npiece ? SIZE_MAX : (size_t)plan.npiece * each;
    }
#else
    (void)args;
#endif
    return plan;
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
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT));
    const size_t bytes = NAME_plan_of(&args, exec, EVERY_AXES).scratch_bytes;
    return bytes == SIZE_MAX ? 0 : bytes;
#else
    (void)AXIS; //@ repeat axes
    (void)exec;
    return 0;
#endif
}

/* A call's job: its kernel, and what that is given. */
typedef struct {
    PACKAGE_job job;
    NAME_kernel *kernel;
    const NAME_args *args;
} NAME_call;

static void NAME_piece(const PACKAGE_job *job, int piece)
{
    const NAME_call *call = (const NAME_call *)job;
    call->kernel(call->args, piece, job->npiece);
}

static int NAME_carry_out(NAME_kernel *kernel, const NAME_plan *plan, const NAME_args *args, const PACKAGE_exec *exec)
{
    if (plan->nthread <= 1)
        return kernel(args, 0, 1);
    NAME_call call = { { NAME_piece, plan->nthread, plan->npiece, 0 }, kernel, args };
    PACKAGE_run_job(&call.job, exec);
    return PACKAGE_OK;
}

int NAME(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const PACKAGE_exec *exec)
{
//@ refused
    NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, ARGUMENT));
    const NAME_plan plan = NAME_plan_of(&args, exec, EVERY_AXES);
    if (plan.kernel < 0)
        return -plan.kernel;
//@ blocks
#if ANY_SCRATCH
    if (plan.scratch_bytes == SIZE_MAX)
        return PACKAGE_BAD_EXTENT;
    if (plan.scratch_bytes > 0 && !workspace)
        return PACKAGE_BAD_POINTER;
    args.scratch = workspace ? workspace : OUTPUT_OPERAND;
#else
    (void)workspace;
#endif
    return NAME_carry_out(NAME_table[plan.kernel], &plan, &args, exec);
}
