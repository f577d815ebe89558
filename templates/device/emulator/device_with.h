/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands in the place of "device.h" where kernels call primitives of other folders than dcgen's own (--templates). Their texts, the last line,
 * hide functions of the same names in device.h from kernels and from each other, as those lie in another namespace. */
#endif
}
namespace PACKAGE_emulator {
#include <device.h>
}
namespace PACKAGE_device {
using namespace PACKAGE_emulator;
//@ emulation
