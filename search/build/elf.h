/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: how much code a file holds that a compiler made.
 */
#ifndef DCGEN_ELF_H
#define DCGEN_ELF_H

#include <stdint.h>

/* Code of a 64-bit ELF file of this machine's byte order. Of a shared object the size of its section .text; where it holds code for
 * GPUs, as nvcc embeds it uncompressed, and of a cubin, that of all kernels in it instead. -1: it is no such file, or has no code. */
int64_t elf_code_bytes(const char *path);

#endif
