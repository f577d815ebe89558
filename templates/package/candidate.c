/* SPDX-License-Identifier: Apache-2.0
 *
 * One candidate as a shared object for a runner (search/runner/abi.h): the text that a package would ship, and the uniform entry.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PACKAGE_OK, PACKAGE_BAD_EXTENT, PACKAGE_BAD_POINTER };

//@ preamble
//@ device
//@ arguments
#if HAS_FORMULA
//@ formula

#endif
#if PACKED
//@ pack_declarations
//@ pack
#endif
//@ kernels
//@ entry
