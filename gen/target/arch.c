/* SPDX-License-Identifier: Apache-2.0
 *
 * arch: the table of architectures.
 */
#include "gen/target/arch.h"

#include <stddef.h>
#include <sys/utsname.h>
#include "gen/base/text.h"

/* AT&T syntax, as gcc -S and clang -S write it: the result is the last operand. */
static const Assembly x86_64 = {
    .memory = "(",
    .stack = "(%rsp)",
    .frame = "(%rbp)",
    .frame_made = { "%rsp", "%rbp" },
    .jump = (const char *const[]){ "j", NULL },
    .always = "jmp",
    .leave = (const char *const[]){ "call", "ret", NULL },
    .vector = (const char *const[]){ "%zmm", "%ymm", "%xmm", NULL },
    .multiply = (const char *const[]){ "vpdp", "vpmadd", "vpmul", "pmadd", "pmul", "vdp", "tdp", NULL },
    .multiply_f = (const char *const[]){ "vfm", "vfnm", "vmul", "mul", NULL },
    .packed = (const char *const[]){ "ps", "pd", "ph", NULL },
};

/* The result is the first operand, but for stores. Scalars have registers of other names: s0, d0. */
static const Assembly aarch64 = {
    .memory = "[",
    .stack = "[sp",
    .frame = "[x29",
    .frame_made = { "x29", "sp" },
    .store = "st",
    .jump = (const char *const[]){ "b.",  "beq", "bne", "bcs", "bhs", "bcc", "blo", "bmi",  "bpl", "bvs",  "bvc",
                                   "bhi", "bls", "bge", "blt", "bgt", "ble", "cbz", "cbnz", "tbz", "tbnz", NULL },
    .always = "b",
    .leave = (const char *const[]){ "bl", "br", "ret", NULL },
    .vector = (const char *const[]){ "q", "v", "{", NULL },
    .multiply = (const char *const[]){ "mul", "mla", "mls", "smull", "umull", "smlal", "umlal", "sdot", "udot", NULL },
    .multiply_f = (const char *const[]){ "fmul", "fmla", "fmls", "bfdot", "bfmmla", NULL },
    .packed = (const char *const[]){ "", NULL },
};

const Arch archs[ARCH_COUNT] = {
    { .name = "x86_64",
      .guard = "#if defined(__x86_64__)\n",
      .features = "flags",
      .assembly = &x86_64,
      .peak = (const char *const[]){ "avx512", "avx2", NULL } },
    { .name = "aarch64", .guard = "#if defined(__aarch64__)\n", .features = "Features", .assembly = &aarch64 },
};

const Arch *arch_find(const char *name) { return names_row(NAMES(archs, ARCH_COUNT), name); }

const char *arch_here(void)
{
    static struct utsname u; /* it says the same each time */
    return uname(&u) == 0 ? u.machine : "";
}
