/* SPDX-License-Identifier: Apache-2.0
 *
 * One candidate as a shared object for a runner (search/runner/abi.h): the text that a package would ship, and the uniform entry.
 */
#if ANY_MAPS
#include <cuda.h>
#endif
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKAGE_OK, PACKAGE_BAD_EXTENT, PACKAGE_BAD_POINTER, PACKAGE_CUDA_ERROR };

//@ preamble
namespace PACKAGE_device {
#ifdef DCGEN_EMULATOR
#include "device.h"
#else
//@ device
#endif
}

//@ arguments
#if HAS_FORMULA
//@ formula

#endif
#if PACKED
//@ pack
#endif
//@ kernels
//@ entry
