/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that do not depend on each other (branches.cfg): on several threads they run at the same time where they are
 * worth it, each with scratch memory of its own, and give what one thread gives, bit for bit; also where the caller's
 * parallel_for leaves parts out or does some twice. Nothing behind the workspace is touched.
 */
#include "branches_model.h"
#include "branches_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 4096, MOST = 64 };

static uint32_t drawn = 1;

static float draw(void)
{
    drawn = drawn * 1664525 + 1013904223;
    return (float)(drawn >> 8) / 16777216 - 0.5f;
}

static void *take(size_t bytes)
{
    float *x = malloc(bytes);
    if (!x)
        exit(1);
    for (size_t i = 0; i < bytes / sizeof *x; i++)
        x[i] = draw();
    return x;
}

static const void *find(void *ctx, const char *name, size_t bytes)
{
    (void)ctx, (void)name;
    return take(bytes);
}

/* ---- executors ---- */

static int nshared; /* calls of an executor with four bodies, or two */

typedef void Body(void *arg, int i);

static void on_pool(void *pool, int n, Body *body, void *arg)
{
    nshared++;
    branches_pool_run(pool, n, body, arg);
}

static void leaves_out(void *ctx, int n, Body *body, void *arg)
{
    (void)ctx, (void)n, (void)body, (void)arg;
    nshared++;
}

static void does_twice(void *ctx, int n, Body *body, void *arg)
{
    (void)ctx;
    nshared++;
    for (int i = 2 * n - 1; i >= 0; i--)
        body(arg, i % n);
}

static int nwatched;

static void watch(void *ctx, int node)
{
    (void)ctx;
    if (node != nwatched++ % (branches_NODES + 1))
        nwatched = -1000;
}

/* ---- calls ---- */

typedef struct {
    branches_model model;
    float *x, *image, *other;
} Case;

static void fail(const char *what, const branches_dims *d)
{
    fprintf(stderr, "T=%d: %s\n", (int)d->T, what);
    exit(1);
}

/* Outputs of a call, one behind the other. */
static float *run(const Case *c, const branches_dims *d, const branches_exec *exec)
{
    const size_t bytes = branches_run_bytes(d, exec), ny = (size_t)d->T * 96, npooled = (size_t)d->T * 2 * 1280;
    unsigned char *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + GUARD);
    float *y = take((ny + npooled) * sizeof *y);
    memset(workspace, 0xff, bytes + GUARD);
    const branches_inputs inputs = { c->x, c->image, c->other };
    const branches_outputs outputs = { y, y + ny };
    if (branches_run(&c->model, d, &inputs, &outputs, workspace, exec) != branches_OK)
        fail("refused", d);
    for (size_t i = bytes; i < bytes + GUARD; i++)
        if (workspace[i] != 0xff)
            fail("something lies behind the workspace", d);
    free(workspace);
    return y;
}

static void compare(const Case *c, const branches_dims *d, const branches_exec *exec, const char *what)
{
    const branches_exec alone = { .threads = 1 };
    float *one = run(c, d, &alone), *many = run(c, d, exec);
    if (memcmp(one, many, (size_t)d->T * (96 + 2 * 1280) * sizeof *one) != 0)
        fail(what, d);
    free(one);
    free(many);
}

int main(void)
{
    Case c = { .x = take(MOST * 96 * sizeof(float)),
               .image = take(MOST * 1280 * sizeof(float)),
               .other = take(MOST * 1280 * sizeof(float)) };
    branches_pool *pool = branches_pool_start(3);
    const branches_exec exec[] = { { .threads = 2, .parallel_for = on_pool, .ctx = pool },
                                   { .threads = 3, .parallel_for = on_pool, .ctx = pool },
                                   { .threads = 9, .parallel_for = leaves_out },
                                   { .threads = 2, .parallel_for = does_twice } };
    if (branches_load_from(&c.model, find, NULL, take(branches_model_bytes())) != branches_OK)
        return 1;
    for (branches_dims d = { .T = 1 }; d.T <= MOST; d.T++)
        for (int i = 0; i < 4; i++)
            compare(&c, &d, &exec[i], "several threads give something else");
    const branches_dims middle = { .T = 24 }, small = { .T = 2 };
    nshared = 0;
    compare(&c, &middle, &exec[0], "");
    if (nshared != 3)
        fail("not all three groups were shared", &middle);
    compare(&c, &small, &exec[0], "");
    branches_exec watched = exec[0];
    watched.watch = watch;
    compare(&c, &middle, &watched, "");
    if (nshared != 3)
        fail("small nodes were shared, or watched ones", &middle);
    if (nwatched != branches_NODES + 1)
        fail("nodes are not watched in their order", &middle);
    branches_pool_stop(pool);
    return 0;
}
