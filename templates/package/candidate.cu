/* SPDX-License-Identifier: Apache-2.0
 *
 * One candidate as a shared object for a runner (search/runner/abi.h): the text that a package would ship, and the uniform entry.
 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_OK, NAME_BAD_EXTENT, NAME_BAD_POINTER, NAME_CUDA_ERROR };

//@ preamble
namespace NAME_device {
#ifdef DCGEN_EMULATOR
#include "device.h"
#else
//@ device
#endif
}

#if PACKED
//@ pack
#endif
//@ kernels
//@ entry
