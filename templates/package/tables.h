/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What kernels.c and kernels.cu have in common behind their table of kernels: what is known of each, the dispatcher, and calls that tell of kernels
 * and codes. */
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

#include "dispatch.h"

const char *NAME_strerror(int code)
{
    switch (code) {
    case NAME_OK: return "no error";
    case NAME_BAD_EXTENT: return "BAD_EXTENTS";
#if FAMILY_CUDA
    case NAME_BAD_POINTER: return "a pointer is NULL, or the workspace is not on a multiple of 16 bytes";
    case NAME_BAD_KERNEL: return "no such kernel in this package, or this device cannot run it";
    case NAME_BAD_DEVICE: return "no kernel of this package runs on the current device, or it was compiled without code for that device";
    case NAME_CUDA_ERROR: return "the CUDA runtime refused";
#else
    case NAME_BAD_POINTER: return "a pointer is NULL";
    case NAME_BAD_KERNEL: return "no such kernel in this package, or this CPU cannot run it";
#endif
    default: return "unknown error";
    }
}

int NAME_nkernel(void) { return NAME_NKERNEL; }

const char *NAME_kernel_text(int kernel) { return kernel >= 0 && kernel < NAME_NKERNEL ? NAME_text[kernel] : NULL; }
