/* SPDX-License-Identifier: Apache-2.0
 *
 * family_cpu: CPUs. A target is an instruction set, kernels are C, and a call is split among the threads of its caller.
 */
#include <inttypes.h>
#include "gen/base/number.h"
#include "gen/target/device.h"

static const ConfKey keys[] = { { "arch", true, "as uname -m says it; \"\": any" },
                                { "attribute", true, "for __attribute__((target(...))); \"\": none" },
                                { "runtime_check", true, "a C expression" },
                                { NULL, false, NULL } };

static const FactRow facts[] = { { "VECTOR_BYTES", 4, 1024, "16, 32 or 64" },
                                 { "VECTOR_REGISTERS", 1, 1024, "how many" },
                                 { NULL, 0, 0, NULL } };

static const PackageRow files[] = { { "package.h", "PACKAGE.h", OWNER_PACKAGE },
                                    { "kernels.c", "kernels.c", OWNER_PACKAGE },
                                    { "dispatch.h", "dispatch.h", OWNER_FUNCTION },
                                    { "pieces.h", "pieces.h", OWNER_PACKAGE },
                                    { "log.h", "PACKAGE_log.h", OWNER_PACKAGE },
                                    { "pool.h", "PACKAGE_pool.h", OWNER_PACKAGE },
                                    { "pool.c", "pool.c", OWNER_PACKAGE },
                                    { "CMakeLists.txt", "CMakeLists.txt", OWNER_PACKAGE },
                                    { "README.md", "README.md", OWNER_PACKAGE },
                                    { "graph/model.h", "PACKAGE_model.h", OWNER_GRAPH },
                                    { "graph/model.c", "model.c", OWNER_GRAPH },
                                    { "graph/test_model.c", "test_model.c", OWNER_GRAPH },
                                    { "graph/run_model.c", "run_model.c", OWNER_GRAPH },
                                    { "graph/check.h", "check.h", OWNER_GRAPH },
                                    { "graph/check.c", "check.c", OWNER_NODE },
                                    { "test.c", "test.c", OWNER_OP },
                                    { "bench.c", "bench.c", OWNER_OP },
                                    { NULL, NULL, OWNER_PACKAGE } };

/* What the packages' CMakeLists.txt compiles kernels with too, but for its -fexceptions, which changes no instruction
 * of a kernel. After its register allocator gcc leaves moves in inner loops, through which sums wait for each other;
 * -frename-registers takes three of four away (a tile of 3 x 2 vectors gained 26 %). clang ignores it. */
static const char *const shipped[] = { "-std=gnu17", "-O3", "-ffp-contract=fast", "-frename-registers", NULL };

static char *device_text(Arena *a, const Device *d)
{
    return arena_printf(a, "%d core%s; L1 %s, L2 %s, L3 %s", d->cores, number_plural(d->cores),
                        number_bytes(a, d->l1_bytes), number_bytes(a, d->l2_bytes), number_bytes(a, d->l3_bytes));
}

static char *check_text(Arena *a, const Target *t, const Device *d)
{
    return arena_printf(a,
                        "%" PRId64 " vector registers of %" PRId64 " bytes; L1 %" PRId64 " KiB, L2 %" PRId64
                        " KiB, L3 %" PRId64 " KiB, %d cores",
                        target_number(t, "VECTOR_REGISTERS"), target_number(t, "VECTOR_BYTES"), d->l1_bytes >> 10,
                        d->l2_bytes >> 10, d->l3_bytes >> 10, d->cores);
}

const Family family_cpu = { .name = "cpu",
                            .best = "host",
                            .device = "CPU",
                            .key = keys,
                            .fact = facts,
                            .suffix = ".c",
                            .primitives = { "vector", ".h", "PACKAGE_", "_MACHINE", true, NULL, NULL },
                            .compiler = { .option = "cc",
                                          .shipped = shipped,
                                          .object = (const char *const[]){ "-fPIC", NULL },
                                          .assembly = ".s",
                                          .empty = "int dcgen_empty;\n",
                                          .version_mark = "" },
                            .runner = "c",
                            .file = files,
                            .pack = "pack.c",
                            .call = "",
                            .call_with = "exec",
                            .fixed_by = "CPU",
                            .splits_calls = true,
                            .library = "library.c",
                            .blas = "cblas",
                            .library_calls = "NAME_epilogue_MACHINE(PACKAGE_load_MACHINE(PACKAGE_store_MACHINE(",
                            .rival = "CBLAS",
                            .device_text = device_text,
                            .check_text = check_text };
