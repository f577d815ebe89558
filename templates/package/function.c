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

size_t NAME_workspace_bytes(EXTENTS)
{
    (void)AXIS; //@ repeat axes
    return 0;
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

static int NAME_start_all(NAME_kernel *kernel, const NAME_args *args, const PACKAGE_exec *exec, int nthread, double flops)
{
    if (nthread <= 1)
        return kernel(args, 0, 1);
    NAME_call call = { { NAME_piece, nthread, PACKAGE_pieces(nthread, flops), 0 }, kernel, args };
    PACKAGE_run_job(&call.job, exec);
    return PACKAGE_OK;
}

/* Arithmetic work of a call; in double, where it cannot overflow. */
static double NAME_flops(EACH(every, double AXIS))
{
    (void)AXIS; //@ repeat every
    return FLOP_COUNT;
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
        EACH(operands, ARGUMENT), workspace);
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    const int nthread = exec && exec->threads > 1 ? PACKAGE_nthread(exec, flops) : 1, cpu = NAME_cpu();
#if RUNS_EVERYWHERE == 0
    if (cpu < 0)
        return PACKAGE_BAD_KERNEL;
#endif
    int kernel;
    if (exec && exec->kernel) {
        if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL)
            return PACKAGE_BAD_KERNEL;
        kernel = exec->kernel - 1;
        if (!NAME_table[kernel] || NAME_target[kernel] < cpu)
            return PACKAGE_BAD_KERNEL;
    } else {
        kernel = NAME_dispatch(cpu, EVERY_AXES, nthread);
    }
    return NAME_start_all(NAME_table[kernel], &args, exec, nthread, flops);
}
