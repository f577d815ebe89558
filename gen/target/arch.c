/* SPDX-License-Identifier: Apache-2.0
 *
 * arch: the table of architectures.
 */
#include "gen/target/arch.h"

#include <stddef.h>
#include <sys/utsname.h>
#include "gen/base/text.h"

/* AT&T syntax, as gcc -S and clang -S write it. */
static const Assembly x86_64 = {
    .stack = "(%rsp)",
    .frame = "(%rbp)",
    .from = "%rsp",
    .to = "%rbp",
    .jump = "j",
    .leave = (const char *const[]){ "call", "ret", NULL },
    .vector = (const char *const[]){ "%zmm", "%ymm", "%xmm", NULL },
    .multiply = (const char *const[]){ "vpdp", "vpmadd", "vpmul", "pmadd", "pmul", "vdp", "tdp", NULL },
    .multiply_f = (const char *const[]){ "vfm", "vfnm", "vmul", "mul", NULL },
    .packed = (const char *const[]){ "ps", "pd", "ph", NULL },
};

const Arch archs[ARCH_COUNT] = {
    { .name = "x86_64",
      .guard = "#if defined(__x86_64__)\n",
      .features = "flags",
      .assembly = &x86_64,
      .peak = (const char *const[]){ "avx512", "avx2", NULL } },
    { .name = "aarch64", .guard = "#if defined(__aarch64__)\n", .features = "Features" },
};

const Arch *arch_find(const char *name) { return names_row(NAMES(archs, ARCH_COUNT), name); }

const char *arch_here(void)
{
    static struct utsname u; /* it says the same each time */
    return uname(&u) == 0 ? u.machine : "";
}
