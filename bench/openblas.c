/* SPDX-License-Identifier: Apache-2.0
 *
 * openblas: loads OpenBLAS, and tells it the number of threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "bench/cblas.h"

Cblas openblas;

static const char *(*config)(void);

static void openblas_core(void *library, char *name, int size)
{
    const char *(*corename)(void) = dlsym(library, "openblas_get_corename");
    if (corename)
        snprintf(name, size, "%s", corename());
}

static bool openblas_is_poor(const char *core)
{
    bool avx512 = !strcmp(core, "SkylakeX") || !strcmp(core, "Cooperlake") || !strcmp(core, "SapphireRapids");
    return cpu_has_avx512() && !avx512;
}

static const CblasLibrary library_row = {
    "libopenblas.so.0", "OPENBLAS_CORETYPE", "SkylakeX", openblas_core, openblas_is_poor,
};

static const char *openblas_open(void)
{
    const char *why;
    void *library = cblas_open(&library_row, &why);
    if (!library)
        return why;
    openblas.sgemm = dlsym(library, "cblas_sgemm");
    openblas.use_threads = dlsym(library, "openblas_set_num_threads");
    config = dlsym(library, "openblas_get_config");
    return openblas.sgemm && openblas.use_threads && config
               ? NULL
               : "libopenblas.so.0 lacks cblas_sgemm or openblas_set_num_threads";
}

/* "OpenBLAS 0.3.21 ...": its own words, cut after the version. */
static const char *openblas_version(void)
{
    static char text[256];
    const char *own = config();
    const char *space = strchr(own, ' ');
    const char *end = space ? strchr(space + 1, ' ') : NULL;
    snprintf(text, sizeof text, "%.*s (%s)", end ? (int)(end - own) : (int)strlen(own), own, cblas_core(&library_row));
    return text;
}

const Library openblas_library = { "OpenBLAS", openblas_open, openblas_version };
