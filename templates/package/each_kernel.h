/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* All kernels of a package or candidate, one behind the other. What guards a kernel stands once for those side by side. */
#endif
//@ repeat kernels
//@ guard
#if IS_FIRST_GUARDED
/* Kernels for MACHINE are empty in code for other architectures; one thread is allowed there, so that their launch fails. */
#if BODY_GUARD
#define NAME_MACHINE_bounds __launch_bounds__
#else
#define NAME_MACHINE_bounds(...) __launch_bounds__(1)
#endif

#endif
/* Kernel NUMBER: DESCRIPTION */
#if FAMILY_CPU && IS_OWN && HAS_SCRATCH
/* Bytes of scratch memory of each part of a call, a multiple of 64; SIZE_MAX: more than memory can hold. */
static inline size_t KERNEL_scratch(const NAME_args *a)
{
//@ repeat plan_extents
#if IS_ATTRIBUTE
    const double EXTENT = (double)NAME_EXTENT(a);
#else
    const double EXTENT = (double)a->EXTENT;
#endif
//@ end
    const double DERIVED = DERIVED_VALUE; //@ repeat plan_names
    const double bytes = SCRATCH;
    return bytes < (double)PTRDIFF_MAX ? ((size_t)bytes + 63) / 64 * 64 : SIZE_MAX;
}

#endif
//@ body
#if FAMILY_CUDA && IS_OWN

static NAME_plan KERNEL_plan(const NAME_args &a, int sms)
{
//@ repeat plan_extents
#if IS_ATTRIBUTE
    const double EXTENT = NAME_EXTENT(a);
#else
    const double EXTENT = a.EXTENT;
#endif
//@ end
#if ASKS_SMS
    const double SMS = sms;
#endif
    const double DERIVED = DERIVED_VALUE; //@ repeat plan_names
    (void)a, (void)sms;
    return NAME_planned(GRID_X, GRID_Y, GRID_Z, CLUSTER, BLOCK_THREADS, SMEM_BYTES, SCRATCH, COUNTERS);
}

static cudaError_t KERNEL_start(const NAME_args &args, const NAME_plan &plan, cudaStream_t stream)
{
    return PACKAGE_device::launch(KERNEL, dim3(plan.x, plan.y, plan.z), plan.cluster, plan.threads, plan.smem_bytes, stream, args);
}
#endif

#if IS_LAST_GUARDED
//@ unguard

#endif
//@ end
