/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_compiler: any bytes as what compilers leave: an ELF file, assembly, the log of ptxas. No count is negative or
 * more than there can be.
 */
#include "search/build/compile.h"
#include "search/build/spills.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *text = fuzz_source(a, "", data, size)->text;
    const int most = (int)size;
    PtxasReport log;
    SpillReport code;
    const bool found = spills_read_ptxas(text, &log);
    REQUIRE(!found || log.regs > 0);
    REQUIRE(log.regs >= 0 && log.spill_bytes >= 0 && log.stack_bytes >= 0);
    spills_read(arch_find("x86_64")->assembly, text, &code);
    REQUIRE(code.loops >= 0 && code.stored >= 0 && code.loaded >= 0 && code.multiplications >= 0);
    REQUIRE(code.loops <= most && code.stored + code.loaded <= most && code.multiplications <= most);
    const int64_t bytes = elf_code_bytes(fuzz_file(data, size));
    REQUIRE(bytes >= -1 && bytes <= (int64_t)size);
    arena_free(a);
    return 0;
}
