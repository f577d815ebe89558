/* SPDX-License-Identifier: Apache-2.0
 *
 * unload: a product that loads the package NAME, or a plug-in with the package's pool, and unloads it. With PLUGIN
 * defined it is that plug-in: a destructor of it stops the pool.
 *
 *     unload library FILE    FILE, the package's shared library, is left loaded with the workers of a pool alive
 *     unload plugin FILE FILE, the plug-in, is loaded and unloaded many times; then it is left to the end of the
 *     process
 *
 * Exit code 0: everything ran as it should.
 */
#include "NAME_pool.h"

enum { THREADS = 3, TASKS = 7 };

#ifdef PLUGIN

static NAME_pool *pool;

void run_plugin(int n, void (*body)(void *arg, int i), void *arg);
void run_plugin(int n, void (*body)(void *arg, int i), void *arg) { NAME_pool_run(pool, n, body, arg); }

__attribute__((constructor)) static void begin(void) { pool = NAME_pool_start(THREADS); }
__attribute__((destructor)) static void end(void) { NAME_pool_stop(pool); }

#else

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what)
{
    printf("%s\n", what);
    exit(1);
}

static void *load(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(dlerror());
    return library;
}

/* The function of that name, as whatever pointer the caller wants. */
static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (!address)
        fail(name);
    memcpy(function, &address, sizeof address);
}

static void count(void *arg, int i)
{
    (void)i;
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void use_library(const char *file)
{
    NAME_pool *(*start)(int threads);
    void (*run)(void *pool, int n, void (*body)(void *arg, int i), void *arg);
    static const long wait_ns[] = { 0, 20000000 }; /* with workers that spin, and that sleep */
    atomic_int ran = 0;
    for (int i = 0; i < 2; i++) {
        void *library = load(file);
        find(library, "NAME_pool_start", &start);
        find(library, "NAME_pool_run", &run);
        NAME_pool *pool = start(THREADS);
        run(pool, TASKS, count, &ran);
        nanosleep(&(struct timespec){ .tv_nsec = wait_ns[i] }, NULL);
        dlclose(library);
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL); /* workers go on */
        run(pool, TASKS, count, &ran);
    }
    if (ran != 4 * TASKS)
        fail("tasks are missing");
}

static void use_plugin(const char *file)
{
    void (*run)(int n, void (*body)(void *arg, int i), void *arg);
    enum { ROUNDS = 20 };
    atomic_int ran = 0;
    for (int i = 0; i <= ROUNDS; i++) {
        void *plugin = load(file);
        find(plugin, "run_plugin", &run);
        run(TASKS, count, &ran);
        if (i < ROUNDS)
            dlclose(plugin);
        if (i < ROUNDS && dlopen(file, RTLD_NOW | RTLD_NOLOAD))
            fail("the plug-in is still there");
    }
    if (ran != (ROUNDS + 1) * TASKS)
        fail("tasks are missing");
}

int main(int narg, char **arg)
{
    if (narg != 3)
        fail("usage: unload library|plugin FILE");
    if (strcmp(arg[1], "library") == 0)
        use_library(arg[2]);
    else
        use_plugin(arg[2]);
    return 0;
}
#endif
