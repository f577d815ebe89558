/* SPDX-License-Identifier: Apache-2.0
 *
 * cblas: loading a CBLAS aside from others.
 */
#define _GNU_SOURCE
#include "bench/cblas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CORE_BYTES = 64, LOAD = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };

bool peer_as_shipped;

#ifdef __x86_64__
bool cpu_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool cpu_has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
#else
bool cpu_has_avx2(void) { return false; }
bool cpu_has_avx512(void) { return false; }
#endif

/* The core that the library picks by itself, asked in a child: once loaded, the choice is made. "" when unknown. */
static void library_own_core(const CblasLibrary *lib, char name[CORE_BYTES])
{
    int fd[2];
    name[0] = '\0';
    if (pipe(fd))
        return;
    pid_t child = fork();
    if (child == 0) {
        void *library = dlopen(lib->file, LOAD);
        if (library)
            lib->core(library, name, CORE_BYTES);
        ssize_t sent = write(fd[1], name, strlen(name));
        _exit(sent < 0);
    }
    close(fd[1]);
    ssize_t got = child > 0 ? read(fd[0], name, CORE_BYTES - 1) : 0;
    name[got > 0 ? got : 0] = '\0';
    close(fd[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

void *cblas_open(const CblasLibrary *lib, const char **why)
{
    char own[CORE_BYTES];
    if (!peer_as_shipped) {
        library_own_core(lib, own);
        if (own[0] && lib->is_poor(own))
            setenv(lib->variable, lib->value, 0);
    }
    void *library = dlopen(lib->file, LOAD);
    *why = library ? NULL : dlerror();
    return library;
}

const char *cblas_core(const CblasLibrary *lib)
{
    static char text[2 * CORE_BYTES];
    char name[CORE_BYTES] = "";
    void *library = dlopen(lib->file, LOAD); /* loaded already: only the handle */
    lib->core(library, name, sizeof name);
    const char *told = getenv(lib->variable);
    snprintf(text, sizeof text, told ? "%s, set by %s=%s" : "%s", name, lib->variable, told);
    return text;
}
