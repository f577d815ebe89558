/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before kernels for GPUs, in a package and in a candidate alike. */
#endif
#if CALLS_ARITHMETIC
//@ arithmetic

#endif
