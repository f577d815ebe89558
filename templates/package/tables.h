/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What kernels.c and kernels.cu have in common behind their table of kernels: what is known of each, the dispatcher, and calls that tell of kernels. */
#endif
static const char *const NAME_text[] = {
    QUOTED, //@ repeat kernels
};
#if FAMILY_CUDA
/* Which target each was made for: see NAME_target_of in dispatch.h. */
#else
/* Which instruction set each needs: see NAME_cpu in dispatch.h. */
#endif
static const signed char NAME_target[] = {
    EACH(kernels, ENTRY),
};
enum { NAME_NKERNEL = sizeof NAME_table / sizeof *NAME_table };

#include "DISPATCH_FILE"

int NAME_nkernel(void) { return NAME_NKERNEL; }

const char *NAME_kernel_text(int kernel) { return kernel >= 0 && kernel < NAME_NKERNEL ? NAME_text[kernel] : NULL; }
