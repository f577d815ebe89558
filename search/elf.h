/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: how much code a shared object holds.
 */
#ifndef DCGEN_ELF_H
#define DCGEN_ELF_H

#include <stdint.h>

/* Size of the section .text of a 64-bit ELF file of this machine's byte order; -1 when it is not one or has none. */
int64_t elf_text_bytes(const char *path);

#endif
