/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What codes mean, in words: the same for all functions of a package. */
#endif
const char *PACKAGE_strerror(int code)
{
    switch (code) {
    case PACKAGE_OK: return "no error";
    case PACKAGE_BAD_EXTENT: return "BAD_EXTENTS";
#if FAMILY_CUDA
    case PACKAGE_BAD_POINTER: return "a pointer is NULL, or the workspace is not on a multiple of 16 bytes";
    case PACKAGE_BAD_KERNEL: return "no such kernel in this package, or it is not for this device or call";
    case PACKAGE_BAD_DEVICE: return "no kernel of this package runs on the current device, or it was compiled without code for that device";
    case PACKAGE_CUDA_ERROR: return "the CUDA runtime refused";
#else
    case PACKAGE_BAD_POINTER: return "a pointer is NULL";
#if RUNS_EVERYWHERE
    case PACKAGE_BAD_KERNEL: return "no such kernel in this package, or it is not for this CPU or call";
#else
    case PACKAGE_BAD_KERNEL: return "no such kernel in this package, or it is not for this CPU or call, or none is for this CPU";
#endif
#endif
#if ANY_PACKED
    case PACKAGE_BAD_PACKED: return "the file does not hold this packed operand: it is of another layout or of other extents, damaged or cut off";
#endif
#if HAS_GRAPH
    case PACKAGE_BAD_WEIGHTS: return "the weights are no safetensors file, cut off, or lack one of the model's, or it lies at an odd address";
    case PACKAGE_BAD_SIZE: return "a dim of the model is outside of its range";
    case BAD_NUMBER: return CONDITION_TEXT; //@ repeat conditions
#endif
    case PACKAGE_BAD_OVERLAP: return "the output overlaps an input";
    default: return "unknown error";
    }
}
