/* SPDX-License-Identifier: MIT-0
 *
 * Which kernel serves which shape. Included by KERNELS_FILE.
 *
//@ repeat parts
#if IS_MODELLED
 * CHOICE. No time was measured: all are computed for a DEVICE;
#else
 * CHOICE. Times were measured on DEVICE ("about": predicted);
#endif
//@ end
 * "then kernel K +x%" is the runner-up and how much longer it takes.
 */
#ifndef NAME_DISPATCH_H
#define NAME_DISPATCH_H

#if FAMILY_CUDA
/* The best target of this package for a device of compute capability cc / 10: EACH(targets, NUMBER KIND); -1: none. */
static inline int NAME_target_of(int cc)
{
//@ repeat targets
#if IS_TUNED
    if (cc == CAPABILITY)
        return NUMBER;
#else
    if (cc >= CAPABILITY)
        return NUMBER;
#endif
//@ end
    return -1;
}

/* May a kernel made for target `of` be started on a device of target `target`? Later ones come first. */
static inline int NAME_runs(int target, int of) { return of >= target; }
#else
#if RUNS_EVERYWHERE
/* The best instruction set of this package that this CPU has: EACH(targets, NUMBER MACHINE). Define NAME_CPU to fix it when compiling. */
#else
/* The best instruction set of this package that this CPU has: EACH(targets, NUMBER MACHINE); -1: none. Define NAME_CPU to fix it when compiling. */
#endif
static inline int NAME_cpu(void)
{
#if defined(NAME_CPU)
    return NAME_CPU;
#else
//@ repeat targets
#if IS_EVERYWHERE
    return NUMBER;
#else
//@ guard
    if (CHECK)
        return NUMBER;
//@ unguard
#if LAST
    return -1;
#endif
#endif
//@ end
#endif
}
#endif

//@ repeat targets
#if IS_TUNED
#if NTARGET > 1
/* For MACHINE, within the declared ranges. */
static inline int NAME_tree_MACHINE(EACH(features, int64_t FEATURE))
#else
/* Within the declared ranges. */
static inline int NAME_tree(EACH(features, int64_t FEATURE))
#endif
{
//@ tree
}

#endif
//@ end
#if ANY_ALIGN
/* Is a kernel for such a call? Those that are not listed are for all. ALIGN: the bytes, 16 at most, that the inputs and all their rows begin at multiples
 * of. */
#elif ANY_CONDITION
/* Is a kernel for such a call? Those that are not listed are for all. */
#endif
#if ANY_CONDITION
static inline int NAME_serves(int kernel, CALL_EXTENTS)
{
    (void)AXIS; //@ repeat every
    switch (kernel) {
//@ repeat kernels
#if HAS_CONDITION
    case NUMBER: return CONDITION;
#endif
//@ end
    }
    return 1;
}

/* The chosen kernel if it is for such a call, else the first one from `from` on: one of these is for all. */
static inline int NAME_first(int chosen, int from, CALL_EXTENTS)
{
    if (NAME_serves(chosen, CALL_AXES))
        return chosen;
    while (!NAME_serves(from, CALL_AXES))
        from++;
    return from;
}

#endif
#if TOLD_PARTS
/* The kernel for a call in `threads` parts on a machine of that target. */
static inline int NAME_dispatch(int target, CALL_EXTENTS, int64_t threads)
{
#if USES_THREADS == 0
    (void)threads;
#endif
#else
/* The kernel for a call on a machine of that target. */
static inline int NAME_dispatch(int target, CALL_EXTENTS)
{
#endif
    const int outside = ANY(every, AXIS < LEAST || AXIS > MOST); /* of the declared ranges: there the kernel that serves most of them */
//@ repeat targets
#if NUMBER == 0 && LAST
    (void)target;
#endif
#if LAST
    return SERVING;
#else
    if (target == NUMBER)
        return SERVING;
#endif
//@ end
}
#endif
