/* SPDX-License-Identifier: Apache-2.0 */
#include "search/runner/cuda/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below the toolkit's folder; CUPTI has one of its own in some toolkits. */
static const char *const folders[] = { "lib64", "lib", "extras/CUPTI/lib64", "targets/x86_64-linux/lib",
                                       "targets/sbsa-linux/lib" };

static void *open_below(const char *root, const char *name)
{
    char path[4096];
    for (size_t f = 0; root && *root && f < sizeof folders / sizeof *folders; f++) {
        int len = snprintf(path, sizeof path, "%s/%s/%s", root, folders[f], name);
        void *library = len < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (library)
            return library;
    }
    return NULL;
}

static void *open_in_toolkits(const char *name)
{
    const char *const roots[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda" };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof roots / sizeof *roots; i++)
        library = open_below(roots[i], name);
    return library;
}

void *library_open(const char *const *names, char *why, size_t why_bytes)
{
    void *library = NULL;
    *why = '\0';
    for (int i = 0; names[i] && !library; i++) { /* a better version elsewhere goes before a worse one at hand */
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library && i == 0)
            snprintf(why, why_bytes, "%s", dlerror());
        if (!library)
            library = open_in_toolkits(names[i]);
    }
    return library;
}

bool library_bind(void *library, const LibraryFunction *functions, int n, char *why, size_t why_bytes)
{
    for (int i = 0; i < n; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) {
            snprintf(why, why_bytes, "the library lacks %s", functions[i].name);
            return false;
        }
        memcpy(functions[i].function, &address, sizeof address);
    }
    return true;
}
