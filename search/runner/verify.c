/* SPDX-License-Identifier: Apache-2.0
 *
 * verify: no kernel is timed before it has passed here. Each runs twice: in one part on operands that end at a guard
 * page, then by all threads on operands that begin at one. (Of a large shape with one thread the second run is left
 * out.) What was right on a shape before is taken for right as long as the runner lives. (Operands may lie with gaps:
 * apart.c.) It must touch nothing else, leave its inputs as they are, and give every element within
 *
 *   tol = eps * (4 sqrt(terms) + 8) * sum |term|        (f32; gen/spec/dtype.c has the others)
 *
 * of the exact result. Rounding errors of so many terms are independent, hence the root. Of large outputs a sample of
 * rows (rows.c) is compared element by element, and, if the reference has them, the sum of every row: its error is that
 * of row_elems independent elements, so its tolerance is the sum of theirs times 4 / sqrt(row_elems), small enough that
 * one missing term stands out.
 */
#include "search/runner/runner.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "templates/package/pieces.h"

enum { NAN_BYTE = 0xff, PACKED_ALIGN = 64 }; /* all bits set is a NaN in every IEEE type */
static const int64_t max_bytes = (int64_t)1 << 38;

bool kernel_fail(Kernel *k, Status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(k->why, sizeof k->why, fmt, ap);
    va_end(ap);
    k->status = status;
    return false;
}

/* ---- loading */

bool kernel_load(Kernel *k, const char *entry)
{
    k->handle = dlopen(k->so, RTLD_NOW | RTLD_LOCAL);
    if (!k->handle)
        return kernel_fail(k, STATUS_INVALID, "%s", dlerror());
    *(void **)&k->run = dlsym(k->handle, "dcgen_run");
    *(void **)&k->launch = dlsym(k->handle, "dcgen_launch");
    *(void **)&k->scratch = dlsym(k->handle, "dcgen_scratch");
    *(void **)&k->counters = dlsym(k->handle, "dcgen_counters");
    *(void **)&k->packed_bytes = dlsym(k->handle, "dcgen_packed_bytes");
    *(void **)&k->pack = dlsym(k->handle, "dcgen_pack");
    *(void **)&k->say_why = dlsym(k->handle, "dcgen_why");
    const int *aligned = dlsym(k->handle, "dcgen_aligned");
    k->aligned = aligned ? *aligned : 0;
    if (!dlsym(k->handle, entry))
        return kernel_fail(k, STATUS_INVALID, "has no function %s", entry);
    if (!k->pack != !k->packed_bytes)
        return kernel_fail(k, STATUS_INVALID, "has one of dcgen_pack and dcgen_packed_bytes, but not the other");
    return true;
}

void kernel_unload(Kernel *k)
{
    if (k->handle)
        dlclose(k->handle);
    k->handle = NULL;
}

/* ---- operands */

void output_clear(const Setup *setup, const Shape *s, void *out)
{
    if (s->before)
        memcpy(out, s->before, s->bytes[setup->out]);
    else if (s->apart[setup->out].rank)
        apart_put_output(&s->apart[setup->out], setup->stored[setup->out]->bytes, NULL, out);
    else
        memset(out, NAN_BYTE, s->bytes[setup->out]);
}

void operand_put(const Guarded *g, const Setup *setup, const Shape *s, int i)
{
    if (g->data && setup->role[i] != ROLE_OUT)
        memcpy(g->data, s->operand[i].data, s->bytes[i]);
    else if (g->data)
        output_clear(setup, s, g->data);
}

void place_free(Place *p)
{
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        guarded_free(&p->operand[i]);
    guarded_free(&p->packed);
    guarded_free(&p->scratch);
    guarded_free(&p->counters);
}

void place_pointers(const Place *p, const Setup *setup, void *pointer[OP_MAX_OPERAND])
{
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        pointer[i] = p->packed.data && i == setup->constant ? p->packed.data : p->operand[i].data;
}

bool copies_new(Place copies[2], const Setup *setup, const Shape *s)
{
    for (int i = 0; i < setup->noperand; i++)
        for (int side = 0; side < 2; side++) {
            Guarded *g = &copies[side].operand[i];
            if (!guarded_new(g, s->bytes[i], setup->stored[i]->bytes, (Side)side))
                return false;
            operand_put(g, setup, s, i);
        }
    return true;
}

void copies_free(Place copies[2])
{
    place_free(&copies[0]);
    place_free(&copies[1]);
}

bool kernel_check_traces(Kernel *k, const Setup *setup, const Shape *s, const Place *p)
{
    if (!guarded_intact(&p->packed) || !guarded_intact(&p->scratch) || !guarded_intact(&p->counters))
        return kernel_fail(k, STATUS_WRONG, "writes outside of the packed operand or the scratch memory");
    for (int i = 0; i < setup->noperand; i++) {
        const Guarded *g = &p->operand[i];
        if (!guarded_intact(g))
            return kernel_fail(k, STATUS_WRONG, "writes outside of operand %d", i);
        if (setup->role[i] != ROLE_OUT && g->data && memcmp(g->data, s->operand[i].data, s->bytes[i]) != 0)
            return kernel_fail(k, STATUS_WRONG, "changes operand %d, an input", i);
    }
    return true;
}

/* ---- results */

/* Notes the error as a part of its tolerance. False: it is larger than that and judged, or not a number. */
static bool note_error(Kernel *k, const Shape *s, double got, double exact, double tol)
{
    if (got == exact || (isnan(got) && isnan(exact)) || isinf(tol))
        /* infinities have no difference, what is no number by definition is right, and what is not determined */
        return true;
    const double err = fabs(got - exact), part = err / tol;
    if (!(part <= k->max_err))
        k->max_err = part;
    return err <= tol || (shape_is_told(s) && isfinite(part));
}

static double accuracy_of(const Setup *setup, const Shape *s) { return shape_is_told(s) ? 1 : setup->accuracy; }

/* Is the result beyond what the type can hold, and told so? */
static bool overflows(const Storage *t, double got, double exact, double tol)
{
    return isinf(got) && got * exact > 0 && fabs(exact) + tol >= storage_largest(t);
}

static bool check_row(Kernel *k, const Setup *setup, const Shape *s, const void *out, int64_t i)
{
    const Storage *t = setup->stored[setup->out];
    const double *y = s->y + i * s->row_elems, *bound = s->bound + i * s->row_elems;
    for (int64_t e = 0; e < s->row_elems; e++) {
        double got = storage_load(t, out, s->row[i] * s->row_elems + e);
        const double tol =
            rounding_tolerance(&setup->rounding, (double)s->terms, accuracy_of(setup, s) * bound[e], y[e]);
        if (overflows(t, got, y[e], tol) || note_error(k, s, got, y[e], tol))
            continue;
        char row[32] = "";
        if (s->row_elems > 1)
            snprintf(row, sizeof row, "row %lld ", (long long)s->row[i]);
        return kernel_fail(k, STATUS_WRONG, "%selement %lld is %g instead of %g, off by %.2g where %.2g is allowed",
                           row, (long long)(s->row_elems > 1 ? e : s->row[i]), got, y[e], fabs(got - y[e]), tol);
    }
    return true;
}

static bool check_row_sum(Kernel *k, const Setup *setup, const Shape *s, const void *out, int64_t row)
{
    const Storage *t = setup->stored[setup->out];
    const double spread = fmin(1, 4 / sqrt((double)s->row_elems));
    double sum = 0, magnitude = 0;
    for (int64_t e = 0; e < s->row_elems; e++) {
        double got = storage_load(t, out, row * s->row_elems + e);
        sum += got;
        magnitude += fabs(got);
    }
    double tol = spread * rounding_tolerance(&setup->rounding, (double)s->terms,
                                             accuracy_of(setup, s) * s->sum_bound[row], magnitude);
    if (!note_error(k, s, sum, s->sum[row], tol))
        return kernel_fail(k, STATUS_WRONG, "row %lld sums up to %g instead of %g, off by %.2g where %.2g is allowed",
                           (long long)row, sum, s->sum[row], fabs(sum - s->sum[row]), tol);
    return true;
}

static bool check_dense(Kernel *k, const Setup *setup, const Shape *s, const void *out)
{
    for (int64_t i = 0; i < s->nrow; i++)
        if (!check_row(k, setup, s, out, i))
            return false;
    for (int64_t row = 0; row < s->nsum; row++)
        if (!check_row_sum(k, setup, s, out, row))
            return false;
    return true;
}

bool kernel_check_output(Kernel *k, const Setup *setup, Shape *s, const void *out)
{
    const Apart *apart = &s->apart[setup->out];
    const size_t bytes = setup->stored[setup->out]->bytes;
    if (!shape_reference(setup, s))
        return kernel_fail(k, STATUS_INVALID, "no memory for the reference");
    if (!apart->rank)
        return check_dense(k, setup, s, out);
    char *dense = malloc((size_t)s->elems[setup->out] * bytes);
    const bool good = dense ? (apart_take_output(apart, bytes, out, dense) ||
                               kernel_fail(k, STATUS_WRONG, "writes between the rows of operand %d", setup->out)) &&
                                  check_dense(k, setup, s, dense)
                            : kernel_fail(k, STATUS_INVALID, "no memory for the result");
    free(dense);
    return good;
}

static int64_t scratch_bytes_of(const Kernel *k, const Shape *s, int threads)
{
    return k->scratch ? k->scratch(s->extent, threads > 1 ? PACKAGE_pieces(threads, s->flops) : 1) : 0;
}

bool kernel_memory(Kernel *k, const int64_t *extent, int64_t scratch_bytes, int64_t most)
{
    k->scratch_bytes = scratch_bytes;
    k->counter_bytes = k->counters ? k->counters(extent) : 0;
    if (k->scratch_bytes < 0 || k->scratch_bytes > most)
        return kernel_fail(k, STATUS_INVALID, "wants %lld bytes of scratch memory", (long long)k->scratch_bytes);
    return (k->counter_bytes >= 0 && k->counter_bytes <= most) ||
           kernel_fail(k, STATUS_INVALID, "wants %lld bytes of counters", (long long)k->counter_bytes);
}

bool kernel_sizes(Kernel *k, const Setup *setup, const Shape *s, int threads)
{
    if (k->pack && setup->constant < 0)
        return kernel_fail(k, STATUS_INVALID, "packs, but the operator has no constant operand");
    k->packed_size = k->pack ? k->packed_bytes(s->extent) : 0;
    size_t bytes = 0;
    for (int i = 0; i < setup->noperand; i++)
        bytes += setup->role[i] == ROLE_CONST ? s->bytes[i] : 0;
    if (k->pack && k->packed_size == 0 && bytes == 0)
        k->pack = NULL; /* nothing to pack */
    if (k->pack && (k->packed_size <= 0 || k->packed_size > max_bytes))
        return kernel_fail(k, STATUS_INVALID, "wants %lld packed bytes", (long long)k->packed_size);
    return kernel_memory(k, s->extent, scratch_bytes_of(k, s, threads), max_bytes);
}

bool kernel_pack(Kernel *k, const Setup *setup, const Shape *s, const Place *p)
{
    void *operand[OP_MAX_OPERAND];
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        operand[i] = p->operand[i].data;
    memset(p->packed.data, NAN_BYTE, p->packed.bytes);
    const int code = k->pack(s->extent, setup_to_pack(setup, operand), p->packed.data);
    if (code != 0)
        return kernel_fail(k, STATUS_INVALID, "dcgen_pack returns %d", code);
    return guarded_intact(&p->packed) ||
           kernel_fail(k, STATUS_WRONG, "dcgen_pack writes outside of the packed operand");
}

bool kernel_accepts(Kernel *k, int code)
{
    if (code < 0 && k->say_why)
        return kernel_fail(k, STATUS_INVALID, "%s", k->say_why(code));
    return code == 0 || kernel_fail(k, STATUS_INVALID, "refuses these extents (%d)", code);
}

static bool pack_and_keep(Kernel *k, const Setup *setup, Shape *s, Place *p)
{
    const size_t bytes = (size_t)k->packed_size;
    const bool room = guarded_have(&p->packed, bytes, PACKED_ALIGN, SIDE_END);
    if (room && !(kernel_pack(k, setup, s, p) && kernel_check_traces(k, setup, s, p)))
        return false;
    k->packed = room ? shape_packed(s, p->packed.data, bytes) : NULL;
    return k->packed || kernel_fail(k, STATUS_INVALID, "no memory for %zu packed bytes", bytes);
}

static bool run_guarded(Kernel *k, const Setup *setup, const Shape *s, const Place *p, void *pool, int threads)
{
    void *pointer[OP_MAX_OPERAND];
    if (k->packed)
        memcpy(p->packed.data, k->packed, p->packed.bytes);
    if (p->scratch.data)
        memset(p->scratch.data, NAN_BYTE, p->scratch.bytes);
    output_clear(setup, s, p->operand[setup->out].data);
    place_pointers(p, setup, pointer);
    if (!kernel_accepts(k, kernel_call(k, s, pointer, p->scratch.data, pool, threads)) ||
        !kernel_check_traces(k, setup, s, p))
        return false;
    return !k->packed || memcmp(p->packed.data, k->packed, p->packed.bytes) == 0 ||
           kernel_fail(k, STATUS_WRONG, "changes the packed operand");
}

static bool run_at_side(Kernel *k, const Setup *setup, const Shape *s, Place copies[2], Side side, void *pool,
                        int threads)
{
    Place *p = &copies[side];
    const size_t scratch_bytes = (size_t)scratch_bytes_of(k, s, threads);
    return ((guarded_have(&p->packed, k->packed ? (size_t)k->packed_size : 0, PACKED_ALIGN, side) &&
             guarded_have(&p->scratch, scratch_bytes, PACKED_ALIGN, side)) ||
            kernel_fail(k, STATUS_INVALID, "no memory for %zu bytes of scratch memory", scratch_bytes)) &&
           run_guarded(k, setup, s, p, pool, threads);
}

static bool run_and_check(Kernel *k, const Setup *setup, Shape *s, Place copies[2], void *pool, int threads)
{
    const Guarded *end = &copies[SIDE_END].operand[setup->out], *start = &copies[SIDE_START].operand[setup->out];
    if (!kernel_sizes(k, setup, s, threads) || (k->pack && !pack_and_keep(k, setup, s, &copies[SIDE_END])))
        return false;
    if (!run_at_side(k, setup, s, copies, SIDE_END, NULL, 1) || !kernel_check_output(k, setup, s, end->data))
        return false;
    if (!s->full && threads == 1)
        return true; /* small shapes showed what it does before an operand's start */
    if (!run_at_side(k, setup, s, copies, SIDE_START, pool, threads))
        return false;
    return memcmp(end->data, start->data, end->bytes) == 0 || kernel_check_output(k, setup, s, start->data);
}

/* ---- what was right before */

/* An object that was right on a shape: its file (not a new one of that name), and what timing needs. */
typedef struct Verified {
    struct stat file;
    int threads;
    double max_err;
    const void *packed;
    struct Verified *next;
} Verified;

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool kernel_recall(Kernel *k, const Setup *setup, const Shape *s, int threads)
{
    struct stat file;
    if (stat(k->so, &file) != 0)
        return false;
    const Verified *v = s->verified;
    while (v && !(v->threads == threads && same_file(&v->file, &file)))
        v = v->next;
    if (!v || !kernel_sizes(k, setup, s, threads))
        return false;
    k->packed = v->packed;
    k->max_err = v->max_err;
    return true;
}

/* Where there is no memory for it, the kernel is verified again next time. */
static void remember(const Kernel *k, Shape *s, int threads)
{
    Verified *v = malloc(sizeof *v);
    if (!v || stat(k->so, &v->file) != 0) {
        free(v);
        return;
    }
    v->threads = threads;
    v->max_err = k->max_err;
    v->packed = k->packed;
    v->next = s->verified;
    s->verified = v;
}

void verified_forget(Verified *list)
{
    for (Verified *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

bool kernel_verify(Kernel *k, const Setup *setup, Shape *s, Place copies[2], void *pool, int threads)
{
    if (run_and_check(k, setup, s, copies, pool, threads)) {
        remember(k, s, threads);
        return true;
    }
    copies_free(copies); /* a wrong kernel may have written to them */
    return false;
}
