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
#if HAS_MAPS && IS_OWN
/* What the kernel is given: a call, and maps of its operands for TMA, if that can copy them. */
typedef struct {
    CUtensorMap MAP; //@ repeat maps
    NAME_args call;
    bool MAP_fits; //@ repeat maps
    bool is_mapped; /* those of all operands that are read do */
} KERNEL_given;

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
    const double SMS_NAME = sms;
#endif
    const double DERIVED = DERIVED_VALUE; //@ repeat plan_names
    (void)a, (void)sms;
    return NAME_planned(GRID_X, GRID_Y, GRID_Z, CLUSTER, BLOCK_THREADS, SMEM_BYTES, SCRATCH, COUNTERS);
}

static cudaError_t KERNEL_start(const NAME_args &args, const NAME_plan &plan, cudaStream_t stream)
{
#if HAS_MAPS
//@ repeat map_extents
#if IS_ATTRIBUTE
    const int64_t EXTENT = NAME_EXTENT(args);
#else
    const int64_t EXTENT = args.EXTENT;
#endif
//@ end
    KERNEL_given given;
//@ repeat maps
    const int64_t MAP_extent[] = { EACH(box, ALONG) };
    const int MAP_box[] = { EACH(box, BOX) };
#if HAS_STEPS
    const int64_t MAP_step[] = { EACH(box, STEP) };
#endif
//@ end
    given.call = args;
//@ repeat maps
#if HAS_STEPS
    given.MAP_fits = PACKAGE_device::tensor_map(&given.MAP, ELEMENT_BYTES, args.OPERAND, RANK, MAP_extent, args.OPERAND_stride, MAP_box, SWIZZLE, MAP_step);
#else
    given.MAP_fits = PACKAGE_device::tensor_map(&given.MAP, ELEMENT_BYTES, args.OPERAND, RANK, MAP_extent, args.OPERAND_stride, MAP_box, SWIZZLE);
#endif
//@ end
    given.is_mapped = !(ANY(read_maps, !given.MAP_fits));
    return PACKAGE_device::launch(KERNEL, dim3(plan.x, plan.y, plan.z), plan.cluster, plan.threads, plan.smem_bytes, stream, given);
#else
    return PACKAGE_device::launch(KERNEL, dim3(plan.x, plan.y, plan.z), plan.cluster, plan.threads, plan.smem_bytes, stream, args);
#endif
}
#endif

#if IS_LAST_GUARDED
//@ unguard

#endif
//@ end
