/* SPDX-License-Identifier: Apache-2.0
 *
 * blis: loads BLIS, and tells it the number of threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "bench/cblas.h"

Cblas blis;

static void (*set_threads)(int64_t);
static const char *(*version)(void);

static void blis_core(void *library, char *name, int size)
{
    void (*init)(void) = dlsym(library, "bli_init");
    int (*query)(void) = dlsym(library, "bli_arch_query_id");
    const char *(*arch)(int) = dlsym(library, "bli_arch_string");
    if (!init || !query || !arch)
        return;
    init(); /* asked before this, 0.9 ends the program when the core is set from outside */
    snprintf(name, size, "%s", arch(query()));
}

/* Its plain C path, taken on any CPU that is newer than the library. */
static bool blis_is_poor(const char *core) { return cpu_has_avx2() && !strcmp(core, "generic"); }

/* 6 is zen3: AVX2 only, yet on a Zen 5 over all shapes faster than 0, skx: up to 15 times at M <= 8, where skx has no
 * kernels for small matrices, while skx is up to twice as fast at M >= 64. */
static const CblasLibrary library_row = {
    "libblis.so.4", "BLIS_ARCH_TYPE", "6", blis_core, blis_is_poor,
};

static void use_threads(int threads) { set_threads(threads); }

static const char *blis_open(void)
{
    const char *why;
    void *library = cblas_open(&library_row, &why);
    if (!library)
        return why;
    blis = (Cblas){ dlsym(library, "cblas_sgemm"), use_threads };
    set_threads = dlsym(library, "bli_thread_set_num_threads");
    version = dlsym(library, "bli_info_get_version_str");
    return blis.sgemm && set_threads && version ? NULL : "libblis.so.4 lacks cblas_sgemm or bli_thread_set_num_threads";
}

static const char *blis_version(void)
{
    static char text[256];
    snprintf(text, sizeof text, "BLIS %s (%s)", version(), cblas_core(&library_row));
    return text;
}

const Library blis_library = { "BLIS", blis_open, blis_version };
