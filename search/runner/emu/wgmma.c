/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma: products of warpgroups, D = A * B + D with D in registers, A in shared memory or in registers, B in shared
 * memory. They go on by themselves: each lane starts them and goes on; groups of them are waited for. A product is
 * carried out as late as it may be: when all lanes of its warpgroup wait for it, or nothing else can go on.
 *
 * The registers are arrays on the lanes' stacks. From the start of a product until its thread has waited for it the
 * array of D is poisoned and may not be accessed, that of A may not be written. Who used such an array otherwise calls
 * wgmma_fence before the next product. What A and B have in shared memory is read from the start on, by an agent of the
 * warpgroup, through the asynchronous proxy.
 *
 *   D  m64nNkK, lane t of the warpgroup, register i: row 16(t/32) + t%32/4 + 8(i/2%2), column 8(i/4) + 2(t%4) + i%2
 *   A  in registers: for each warp its 16 rows, as mma has them (warp.c)
 *
 * Source: PTX ISA (wgmma.mma_async).
 */
#include "search/runner/emu/matrix.h"
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, MAX_N = 256, MAX_K = 16, MAX_GROUPS = MAX_FIBERS / GROUP_THREADS, CHUNK = 16, K_BYTES = 32 };

/* A register array of a lane that products use. */
typedef struct Held {
    uintptr_t address;
    uint32_t bytes;
    bool is_fragment; /* of A */
    bool in_use;      /* by a product that its lane has not waited for */
    int last, line;   /* the number and line of the last product */
    float *values;    /* of D, while in use */
} Held;

typedef struct {
    int kind, n, add, b_across, group, line;
    bool a_in_registers;
    uint64_t a, b;
    int nlane; /* that have started it */
    float *d[GROUP_THREADS];
    const uint32_t *fragment[GROUP_THREADS];
} Product;

typedef struct {
    Product *product; /* numbers first .. first+n-1 */
    int first, n, max, agent;
    int done; /* the number of the next one to carry out */
    uint32_t *time;
    int max_time;
} Warpgroup;

/* The operands and sums of a product; too large for a fiber's stack. */
typedef struct {
    float a[ROWS][MAX_K], b[MAX_K][MAX_N], d[ROWS][MAX_N];
} Tiles;

struct Tensor {
    Warpgroup group[MAX_GROUPS];
    Tiles tiles;
};

void wgmma_begin(Worker *w)
{
    for (int i = 0; w->tensor && i < MAX_GROUPS; i++) {
        Warpgroup *g = &w->tensor->group[i];
        g->first = g->n = g->agent = g->done = 0;
    }
}

static void free_held(Fiber *f)
{
    for (int i = 0; i < f->max_held; i++)
        free(f->held[i].values);
    free(f->held);
}

void wgmma_free(Worker *w)
{
    for (int i = 0; w->tensor && i < MAX_GROUPS; i++) {
        free(w->tensor->group[i].product);
        free(w->tensor->group[i].time);
    }
    free(w->tensor);
    for (int i = 0; i < w->nstack; i++)
        free_held(&w->fiber[i]);
}

static Warpgroup *group_of(Worker *w, int line)
{
    w->fiber[w->running].line = line;
    spend(w, 0);
    if (w->nthread % GROUP_THREADS != 0)
        finding_fatal(w, 0, "calls wgmma in a block of %d threads; it takes whole warpgroups of %d", w->nthread,
                      GROUP_THREADS);
    if (!w->tensor)
        w->tensor = checked_memory(calloc(1, sizeof *w->tensor));
    order_follow(w);
    Warpgroup *g = &w->tensor->group[w->running / GROUP_THREADS];
    if (!g->agent)
        g->agent = order_agent(w);
    return g;
}

static unsigned elem_bytes_of(int kind) { return kind == MMA_TF32 ? 4 : 2; }
static Product *product_of(const Warpgroup *g, int number) { return &g->product[number - g->first]; }

/* ---- what is started */

/* The running lane's array at an address; a new one if it has none there. */
static Held *hold(Worker *w, Fiber *f, const void *p, uint32_t bytes, bool is_fragment)
{
    const uintptr_t address = (uintptr_t)p;
    for (Held *h = f->held; h < f->held + f->nheld; h++)
        if (h->address == address && h->is_fragment == is_fragment && h->bytes == bytes)
            return h;
    const int before = f->max_held;
    f->held = array_with_room(f->held, f->nheld, &f->max_held, sizeof *f->held);
    if (f->max_held > before)
        memset(f->held + before, 0, (size_t)(f->max_held - before) * sizeof *f->held);
    Held *h = &f->held[f->nheld++];
    float *values = h->values;
    *h = (Held){ .address = address, .bytes = bytes, .is_fragment = is_fragment };
    h->values = checked_memory(realloc(values, bytes));
    w->holding = true;
    return h;
}

static Held *use(Worker *w, Fiber *f, const void *p, uint32_t bytes, bool is_fragment, int line)
{
    Held *h = hold(w, f, p, bytes, is_fragment);
    if (!h->in_use && !is_fragment) {
        memcpy(h->values, p, bytes);
        memset((void *)h->address, 0xff, bytes);
    }
    h->in_use = true;
    h->last = f->nproduct;
    h->line = line;
    return h;
}

/* Reads an operand's rows from..to-1 through the asynchronous proxy, for the warp whose first lane is running. */
static void read_operand(Worker *w, const Warpgroup *g, const Product *p, bool is_b, unsigned from, unsigned to,
                         uintptr_t site)
{
    const unsigned elem = elem_bytes_of(p->kind), chunk = CHUNK / elem, k = K_BYTES / elem;
    const bool across = is_b && p->b_across;
    for (unsigned mn = from; mn < to; mn += across ? chunk : 1)
        for (unsigned i = 0; i < k; i += across ? 1 : chunk)
            shared_async_read(w, matrix_address(is_b ? p->b : p->a, elem, across, mn, i) - SHARED_SKEW, CHUNK, g->agent,
                              g->time[w->fiber[w->running].nproduct],
                              is_b ? "starts a wgmma that reads (B)" : "starts a wgmma that reads (A)", site);
}

static void check_descriptor(Worker *w, uint64_t descriptor, uintptr_t site)
{
    const unsigned swizzle = matrix_swizzle(descriptor), start = (unsigned)(descriptor & 0x3fff) * 16;
    if (descriptor & ((uint64_t)7 << 49 | (uint64_t)3 << 14 | (uint64_t)3 << 30 | (uint64_t)15 << 46))
        finding_fatal(w, site, "has a matrix descriptor %016llx with bits that are to be 0",
                      (unsigned long long)descriptor);
    if (start < SHARED_SKEW || start - SHARED_SKEW >= w->smem_bytes)
        finding_fatal(w, site, "has a matrix descriptor that starts at %u of the shared window, outside of the block's",
                      start);
    /* Rows repeat every 8 * swizzle bytes; within them only k may be advanced, by whole 32 bytes. */
    if (swizzle && (start % (8 * swizzle) >= swizzle || start % K_BYTES != 0))
        finding(w, site,
                "has a matrix descriptor that starts at %u of the shared window: within rows swizzled by %u bytes "
                "it is to start at a multiple of %u, or less than %u behind",
                start, swizzle, 8 * swizzle, swizzle);
}

static bool is_same(const Product *p, const Product *q)
{
    return p->kind == q->kind && p->n == q->n && p->add == q->add && p->b_across == q->b_across &&
           p->group == q->group && p->line == q->line && p->a_in_registers == q->a_in_registers && p->a == q->a &&
           p->b == q->b;
}

/* The product that the running lane starts, which others may have started. */
static Product *start(Worker *w, Warpgroup *g, const Product *like, uintptr_t site)
{
    const int number = w->fiber[w->running].nproduct;
    if (number < g->first + g->n) {
        Product *p = product_of(g, number);
        if (!is_same(p, like))
            finding_fatal(w, site,
                          "starts another wgmma than other lanes of its warpgroup, which started that of line %d",
                          p->line);
        return p;
    }
    g->product = array_with_room(g->product, g->n, &g->max, sizeof *g->product);
    Product *p = &g->product[g->n++];
    *p = *like;
    g->time = array_with_room(g->time, number, &g->max_time, sizeof *g->time);
    g->time[number] = order_tick(w);
    check_descriptor(w, p->b, site);
    if (!p->a_in_registers)
        check_descriptor(w, p->a, site);
    return p;
}

EXPORT void dcgen_emu_wgmma(int kind, int n, float *d, unsigned long long a, const unsigned *fragment,
                            unsigned long long b, int b_across, int add, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    Warpgroup *g = group_of(w, line);
    Fiber *f = &w->fiber[w->running];
    const int lane = w->running % GROUP_THREADS;
    const uint32_t bytes = (uint32_t)n / 2 * (uint32_t)sizeof *d;
    if (n < 8 || n > MAX_N || n % 8 != 0)
        finding_fatal(w, site, "calls wgmma for %d columns; it takes 8 to %d, in steps of 8", n, MAX_N);
    if (!f->settled)
        finding(w, site, "calls wgmma without wgmma_fence behind what it did to its registers");
    const Product like = { kind, n, add != 0, b_across, f->ngroup, line, fragment != NULL, fragment ? 0 : a,
                           b,    0, { 0 },    { 0 } };
    Product *p = start(w, g, &like, site);
    p->nlane++;
    p->d[lane] = use(w, f, d, bytes, false, line)->values;
    if (fragment) {
        use(w, f, fragment, 4 * sizeof *fragment, true, line);
        p->fragment[lane] = fragment;
    }
    if (lane % LANES == 0) {
        if (!fragment)
            read_operand(w, g, p, false, (unsigned)lane / 2, (unsigned)lane / 2 + 16, site);
        read_operand(w, g, p, true, 0, (unsigned)n, site);
    }
    f->nproduct++;
}

/* ---- what is carried out */

/* Reads an operand, 16 bytes at a time: these are of one row and neighbours along k, or across. */
static void gather(const unsigned char *shared, const Product *p, bool is_b, Tiles *x)
{
    const unsigned elem = elem_bytes_of(p->kind), chunk = CHUNK / elem, nk = K_BYTES / elem;
    const unsigned n = is_b ? (unsigned)p->n : ROWS;
    const bool across = is_b && p->b_across;
    for (unsigned mn = 0; mn < n; mn += across ? chunk : 1)
        for (unsigned k = 0; k < nk; k += across ? 1 : chunk) {
            const unsigned char *at = shared + matrix_address(is_b ? p->b : p->a, elem, across, mn, k) - SHARED_SKEW;
            for (unsigned i = 0; i < chunk; i++) {
                const unsigned row = mn + across * i, deep = k + !across * i;
                uint32_t word = 0;
                memcpy(&word, at + i * elem, elem);
                *(is_b ? &x->b[deep][row] : &x->a[row][deep]) = mma_element(p->kind, word, 0);
            }
        }
}

static void gather_fragments(const Product *p, Tiles *x)
{
    const int elems = p->kind == MMA_TF32 ? 1 : 2;
    for (int t = 0; t < GROUP_THREADS; t++)
        for (int r = 0; r < 4; r++)
            for (int i = 0; i < elems; i++)
                x->a[t / 32 * 16 + t % 32 / 4 + 8 * (r % 2)][elems * (t % 4) + i + 4 * elems * (r / 2)] =
                    mma_element(p->kind, p->fragment[t][r], i);
}

FAST static void multiply(Tiles *x, int n, int nk)
{
    for (int m = 0; m < ROWS; m++) {
        memset(x->d[m], 0, (size_t)n * sizeof *x->d[m]);
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < n; j++)
                x->d[m][j] += x->a[m][k] * x->b[k][j];
    }
}

/* Adds the product to thread t's sums. */
static void add_product(const Tiles *x, int t, float *d, int n, bool add)
{
    const float *row = x->d[16 * (t / 32) + t % 32 / 4] + 2 * (t % 4), *low = row + 8 * MAX_N;
    for (int j = 0; j < n / 8; j++, row += 8, low += 8, d += 4) {
        const float product[] = { row[0], row[1], low[0], low[1] };
        for (int i = 0; i < 4; i++)
            d[i] = add ? d[i] + product[i] : product[i];
    }
}

static void carry_out(Worker *w, const unsigned char *shared, Product *p)
{
    Tiles *x = &w->tensor->tiles;
    if (p->a_in_registers)
        gather_fragments(p, x);
    else
        gather(shared, p, false, x);
    gather(shared, p, true, x);
    multiply(x, p->n, K_BYTES / (int)elem_bytes_of(p->kind));
    for (int t = 0; t < GROUP_THREADS; t++)
        add_product(x, t, p->d[t], p->n, p->add);
    if (w->counting)
        w->counts.wavefronts += (p->n + (p->a_in_registers ? 0 : ROWS)) * K_BYTES / 128;
    w->counts.collectives++;
}

/* Carries out what some lane of the warpgroup waits for and all have started, and wakes who waited. */
static bool carry_out_group(Worker *w, int group)
{
    Warpgroup *g = &w->tensor->group[group];
    const int first = group * GROUP_THREADS, before = g->done;
    const unsigned char *shared = w->block[first / w->nthread].shared;
    int wanted = 0;
    for (int i = first; i < first + GROUP_THREADS; i++)
        if (w->fiber[i].state == AT_WGMMA && w->fiber[i].waits_for > wanted)
            wanted = w->fiber[i].waits_for;
    for (; g->done < wanted && product_of(g, g->done)->nlane == GROUP_THREADS; g->done++)
        carry_out(w, shared, product_of(g, g->done));
    if (g->done == before)
        return false;
    g->n -= g->done - g->first;
    memmove(g->product, g->product + (g->done - g->first), (size_t)g->n * sizeof *g->product);
    g->first = g->done;
    for (int i = first; i < first + GROUP_THREADS; i++)
        if (w->fiber[i].state == AT_WGMMA && w->fiber[i].waits_for <= g->done)
            fiber_wake(w, i);
    return true;
}

bool wgmma_end_any(Worker *w)
{
    for (int i = 0; w->tensor && i * GROUP_THREADS < w->nfiber; i++)
        if (carry_out_group(w, i))
            return true;
    return false;
}

static bool all_wait(const Worker *w, int group)
{
    for (int i = group * GROUP_THREADS; i < (group + 1) * GROUP_THREADS; i++)
        if (w->fiber[i].state != AT_WGMMA)
            return false;
    return true;
}

/* Gives the running lane the sums of the first n products. */
static void take(Worker *w, const Warpgroup *g, int n)
{
    Fiber *f = &w->fiber[w->running];
    if (n > 0)
        order_learn(w, w->running, g->agent, g->time[n - 1]);
    for (Held *h = f->held; h < f->held + f->nheld; h++)
        if (h->in_use && h->last < n) {
            h->in_use = false;
            if (!h->is_fragment)
                memcpy((void *)h->address, h->values, h->bytes);
        }
}

EXPORT void dcgen_emu_wgmma_wait(int keep, int line)
{
    Worker *w = emu_worker;
    Warpgroup *g = group_of(w, line);
    Fiber *f = &w->fiber[w->running];
    int n = f->nproduct;
    while (n > g->done && product_of(g, n - 1)->group >= f->ngroup - keep)
        n--;
    if (n > g->done) {
        const int group = w->running / GROUP_THREADS;
        f->waits_for = n;
        f->state = AT_WGMMA;
        if (!all_wait(w, group) || !carry_out_group(w, group) || f->state == AT_WGMMA)
            fiber_wait(w, AT_WGMMA);
        w->runnable[w->running / LANES] &= ~(1u << w->running % LANES);
    }
    take(w, g, n);
    fiber_pause(w);
}

EXPORT void dcgen_emu_wgmma_commit(void) { emu_worker->fiber[emu_worker->running].ngroup++; }

EXPORT void dcgen_emu_wgmma_fence(int line)
{
    group_of(emu_worker, line);
    emu_worker->fiber[emu_worker->running].settled = true;
}

void wgmma_check_exit(Worker *w)
{
    const Fiber *f = &w->fiber[w->running];
    for (const Held *h = f->held; h < f->held + f->nheld; h++)
        if (h->in_use) {
            finding(w, 0, "exits without having waited for the wgmma of line %d", h->line);
            return;
        }
}

void wgmma_stack_access(Worker *w, const Access *a)
{
    Fiber *f = &w->fiber[w->running];
    for (const Held *h = f->held; h < f->held + f->nheld; h++) {
        if (a->address >= h->address + h->bytes || h->address >= a->address + a->bytes || (h->is_fragment && !a->write))
            continue;
        f->settled = false;
        if (h->in_use) {
            finding(w, a->site, "%s registers of the wgmma of line %d before it has waited for it",
                    a->write ? "writes" : "reads", h->line);
            return;
        }
    }
}

EXPORT void dcgen_emu_registers(int n, int line)
{
    Worker *w = emu_worker;
    w->fiber[w->running].line = line;
    if (n < 24 || n > 256 || n % 8 != 0)
        finding_fatal(w, 0, "asks for %d registers; setmaxnreg takes 24 to 256, in steps of 8", n);
}
