/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target/family.h"

#include <stddef.h>
#include <string.h>

static const PackageRow cpu_files[] = { { "package.h", "NAME.h", false },
                                        { "kernels.c", "kernels.c", false },
                                        { "dispatch.h", "dispatch.h", false },
                                        { "pieces.h", "pieces.h", false },
                                        { "pool.h", "NAME_pool.h", false },
                                        { "pool.c", "pool.c", false },
                                        { "CMakeLists.txt", "CMakeLists.txt", false },
                                        { "README.md", "README.md", false },
                                        { "test.c", "test.c", true },
                                        { "bench.c", "bench.c", true },
                                        { NULL, NULL, false } };

static const PackageRow cuda_files[] = { { "package.h", "NAME.h", false },
                                         { "kernels.cu", "kernels.cu", false },
                                         { "dispatch.h", "dispatch.h", false },
                                         { "CMakeLists.txt", "CMakeLists.txt", false },
                                         { "README.md", "README.md", false },
                                         { "flush_l2.h", "flush_l2.h", false },
                                         { "test_cuda.c", "test.c", true },
                                         { "bench_cuda.c", "bench.c", true },
                                         { NULL, NULL, false } };

const Family families[FAMILY_COUNT] = { { .name = "cpu",
                                          .suffix = ".c",
                                          .folder = "",
                                          .pack = "pack.c",
                                          .library = "library.c",
                                          .rival = "CBLAS",
                                          .call = "",
                                          .file = cpu_files,
                                          .fixed_by = "CPU",
                                          .told_parts = true },
                                        { .name = "cuda",
                                          .suffix = ".cu",
                                          .folder = "/cuda",
                                          .pack = "pack.cu",
                                          .library = "library.cu",
                                          .rival = "the vendor's library",
                                          .limits = "limits.cu",
                                          .call = "_cuda",
                                          .stream = "struct CUstream_st *",
                                          .file = cuda_files,
                                          .aside = true } };

const Family *family_find(const char *name)
{
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

bool family_read(const Conf *c, const char **name)
{
    const char *names[FAMILY_COUNT];
    int family = 0;
    for (int i = 0; i < FAMILY_COUNT; i++)
        names[i] = families[i].name;
    const bool ok = conf_choice(c, conf_root(c), "family", "family", names, FAMILY_COUNT, &family);
    *name = names[family];
    return ok;
}
