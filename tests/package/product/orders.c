/* SPDX-License-Identifier: Apache-2.0
 *
 * A model whose workspace is laid out in several orders (orders.awk), at random dims: it computes what the same nodes
 * do in memory that they do not share, bit for bit, touches nothing behind its workspace, and takes the order that
 * needs fewest bytes, which is not always the same. nodes.inc: the nodes, as orders.awk writes them with as=c.
 */
#include "model.c"

#include <stdio.h>
#include <stdlib.h>

enum { TRIES = 60, GUARD = 4096 };

static uint32_t drawn = 1;

static uint32_t draw(void) { return drawn = drawn * 1664525 + 1013904223; }

static void fail(const char *what, const orders_dims *d)
{
    fprintf(stderr, "B=%d T=%d: %s\n", (int)d->B, (int)d->T, what);
    exit(1);
}

static float *take(int64_t n)
{
    float *x = malloc((size_t)n * sizeof *x);
    if (!x)
        exit(1);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(draw() >> 8) / 16777216;
    return x;
}

static int64_t rows(int size, const orders_dims *d) { return size == 2 ? d->B * d->T : d->T; }
static int64_t columns(int size, const orders_dims *d) { return size == 1 ? 96 : size == 2 ? 32 : d->T; }

static void add(int64_t m, int64_t n, const float *x, const float *z, float *y)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++)
            y[i * n + k] = x[i * n + n - 1 - k] + 0.5f * z[i * n + n - 1 - k];
}

static void compare(const char *what, const orders_dims *d, const float *got, const float *want, int64_t n)
{
    if (memcmp(got, want, (size_t)n * sizeof *got) != 0)
        fail(what, d);
}

/* The order whose bytes the workspace has. */
static int taken(const orders_dims *d)
{
    static int64_t (*const place[])(const int64_t *, int64_t *) = { PLACES };
    const int norder = (int)(sizeof place / sizeof *place);
    int64_t size[orders_nslot + 1], at[orders_nslot + 1];
    const int64_t all = (int64_t)orders_lay_out(d, at);
    int found = -1;
    orders_slot_bytes(d, size);
    for (int i = norder - 1; i >= 0; i--) {
        const int64_t bytes = place[i](size, at);
        if (bytes < all)
            fail("there is an order that needs less", d);
        found = bytes == all ? i : found;
    }
    if (found < 0)
        fail("no order needs as much", d);
    return found;
}

static void try(const orders_dims *d)
{
    float *memory[64];
    int n = 0;
    int64_t elems[4];
    for (int s = 1; s <= 3; s++)
        elems[s] = rows(s, d) * columns(s, d);
    float *const i1 = memory[n++] = take(elems[1]), *const i2 = memory[n++] = take(elems[2]),
                 *const i3 = memory[n++] = take(elems[3]);
    float *const y1 = memory[n++] = take(elems[1]), *const y2 = memory[n++] = take(elems[2]),
                 *const y3 = memory[n++] = take(elems[3]);
#define SIZE(name, s)                                 \
    float *const name = memory[n++] = take(elems[s]); \
    enum { size_##name = s };
#define ADD(y, x, z) add(rows(size_##y, d), columns(size_##y, d), x, z, y);
#include "nodes.inc"
    const size_t bytes = orders_run_bytes(d, NULL);
    unsigned char *workspace = aligned_alloc(64, bytes + GUARD);
    memset(workspace, 0xff, bytes + GUARD);
    const orders_model model = { { NULL }, { NULL } };
    const orders_inputs inputs = { i1, i2, i3 };
    const orders_outputs outputs = { y1, y2, y3 };
    if (orders_run(&model, d, &inputs, &outputs, workspace, NULL) != orders_OK)
        fail("refused", d);
    compare("o1", d, y1, o1, elems[1]);
    compare("o2", d, y2, o2, elems[2]);
    compare("o3", d, y3, o3, elems[3]);
    for (size_t i = bytes; i < bytes + GUARD; i++)
        if (workspace[i] != 0xff)
            fail("something lies behind the workspace", d);
    free(workspace);
    while (n > 0)
        free(memory[--n]);
}

int main(void)
{
    int ntaken[8] = { 0 }, ndifferent = 0;
    for (int i = 0; i < TRIES; i++) {
        const int corner = i < 4;
        const orders_dims d = { .B = corner ? (i & 1 ? 8 : 1) : 1 + draw() % 8,
                                .T = corner ? (i & 2 ? 500 : 1) : 1 + (draw() >> 8) % 500 };
        ntaken[taken(&d)]++;
        if (d.T < 200 || corner)
            try(&d);
    }
    for (int i = 0; i < 8; i++)
        ndifferent += ntaken[i] > 0;
    if (ndifferent < 2)
        fprintf(stderr, "only one order is ever taken\n");
    return ndifferent < 2;
}
