/* SPDX-License-Identifier: Apache-2.0
 *
 * environment: code paths, block sizes, thread counts and waiting policies of OpenBLAS, BLIS, oneDNN and OpenMP.
 */
#include "bench/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char *const prefixes[] = { "OPENBLAS_", "GOTO_", "BLIS_", "DNNL_", "ONEDNN_", "OMP_", "GOMP_", "KMP_" };

enum { NPREFIX = sizeof prefixes / sizeof prefixes[0], MAX_NAME = 128 };

static bool steers_peers(const char *entry)
{
    for (int i = 0; i < NPREFIX; i++)
        if (!strncmp(entry, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static bool remove_first(void)
{
    for (char **e = environ; *e; e++) {
        char name[MAX_NAME];
        size_t n = strcspn(*e, "=");
        if (!steers_peers(*e) || n >= sizeof name)
            continue;
        fprintf(stderr, "bench: %s is taken out of the environment\n", *e);
        memcpy(name, *e, n);
        name[n] = '\0';
        return unsetenv(name) == 0;
    }
    return false;
}

void environment_clean(char **argv)
{
    bool removed = false;
    while (remove_first())
        removed = true;
    if (removed && execv("/proc/self/exe", argv))
        perror("bench: cannot start anew; variables that OpenMP read at the start still hold");
}
