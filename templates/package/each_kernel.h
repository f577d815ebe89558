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
//@ body
#if FAMILY_CUDA && STARTS_ITSELF == 0

static cudaError_t KERNEL_start(const NAME_args &args, const NAME_plan &plan, cudaStream_t stream)
{
    return PACKAGE_device::launch(KERNEL, dim3(plan.x, plan.y, plan.z), plan.cluster, plan.threads, plan.smem_bytes, stream, args);
}
#endif

#if IS_LAST_GUARDED
//@ unguard

#endif
//@ end
