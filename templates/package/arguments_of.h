/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One call of a function, as its kernels see it, in a package where another function's kernels see theirs in the very same way. So these two can have
 * kernels in common. */
#endif
/* One call, as the kernels see it: like one of OTHER. */
typedef OTHER_args NAME_args;
#if FAMILY_CUDA
typedef OTHER_plan NAME_plan;
#define NAME_planned OTHER_planned
#define NAME_counters_room OTHER_counters_room
#endif
#define NAME_arguments OTHER_arguments
#if ANY_ALIGN
#define NAME_align OTHER_align
#endif
#define NAME_AXIS(args) OTHER_AXIS(args) //@ repeat attributes

