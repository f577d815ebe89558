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

#if ANY_SCRATCH
/* Bytes of scratch memory for all parts of a call; SIZE_MAX: more than memory can hold. */
static size_t NAME_scratch_bytes(int kernel, const NAME_args *args, int nthread, double flops)
{
    const size_t parts = nthread > 1 ? (size_t)PACKAGE_pieces(nthread, flops) : 1, each = NAME_scratch[kernel] ? NAME_scratch[kernel](args) : 0;
    return each > PTRDIFF_MAX / parts ? SIZE_MAX : parts * each;
}

size_t NAME_workspace_bytes(EXTENTS, const PACKAGE_exec *exec)
{
    if (!NAME_is_legal(AXES))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return 0;
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT), NULL);
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    const int nthread = exec && exec->threads > 1 ? PACKAGE_nthread(exec, flops) : 1, kernel = NAME_kernel_of(exec, nthread, EVERY_AXES);
    const size_t bytes = kernel < 0 ? 0 : NAME_scratch_bytes(kernel, &args, nthread, flops);
    return bytes == SIZE_MAX ? 0 : bytes;
}
#else
size_t NAME_workspace_bytes(EXTENTS, const PACKAGE_exec *exec)
{
    (void)AXIS; //@ repeat axes
    (void)exec;
    return 0;
}
#endif

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

static int NAME_start_all(NAME_kernel *kernel, const NAME_args *args, const PACKAGE_exec *exec, int nthread, double flops)
{
    if (nthread <= 1)
        return kernel(args, 0, 1);
    NAME_call call = { { NAME_piece, nthread, PACKAGE_pieces(nthread, flops), 0 }, kernel, args };
    PACKAGE_run_job(&call.job, exec);
    return PACKAGE_OK;
}

int NAME(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const PACKAGE_exec *exec)
{
    if (!NAME_is_legal(AXES))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return PACKAGE_OK;
//@ repeat operands
#if IS_STRIDED
    if (!NAME_are_strides(OPERAND_stride, NSTRIDE))
        return PACKAGE_BAD_EXTENT;
#endif
    if (!OPERAND && HAS_ELEMENTS)
        return PACKAGE_BAD_POINTER;
//@ end
    const NAME_args args = NAME_arguments(ALL_AXES,
#if ANY_SCRATCH
        EACH(operands, ARGUMENT), workspace ? workspace : OUTPUT_OPERAND);
#else
        EACH(operands, ARGUMENT), workspace);
#endif
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    const int nthread = exec && exec->threads > 1 ? PACKAGE_nthread(exec, flops) : 1, kernel = NAME_kernel_of(exec, nthread, EVERY_AXES);
    if (kernel < 0)
        return -kernel;
//@ blocks
#if ANY_SCRATCH
    const size_t bytes = NAME_scratch_bytes(kernel, &args, nthread, flops);
    if (bytes == SIZE_MAX)
        return PACKAGE_BAD_EXTENT;
    if (bytes > 0 && !workspace)
        return PACKAGE_BAD_POINTER;
#endif
    return NAME_start_all(NAME_table[kernel], &args, exec, nthread, flops);
}
