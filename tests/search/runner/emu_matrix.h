/* SPDX-License-Identifier: Apache-2.0
 *
 * emu_matrix: calls of kernels for the emulator that no runner makes: each operand where the test wants it. What lies
 * between the elements is NaN, and stays as it is.
 */
#ifndef DCGEN_TESTS_EMU_MATRIX_H
#define DCGEN_TESTS_EMU_MATRIX_H

#include <dlfcn.h>
#include <math.h>
#include "search/runner/abi.h"
#include "search/runner/emu/emu.h"
#include "tests/search/runner/kernel_rows.h"

enum { EMU_ALIGN = 256, SMEM_LIMIT = 232448 };

/* How strided operands lie. LONG_ROWS: in rows that are aligned to 16 bytes whatever the type; REPEATED + i: the first
 * operand is the same all along its extent i; GAPS + i: operand i with 3 elements between its rows; APART + i: its
 * batches one element further apart. */
typedef enum {
    DENSELY,
    LONG_ROWS,
    AS_HEADS,
    SAME_FOR_ALL,
    REPEATED,
    GAPS = REPEATED + 2,
    APART = GAPS + 3,
    NLAY = APART + 3
} Lay;

typedef struct {
    const char *kernel;  /* for messages */
    const RowKernel *of; /* NULL: it serves all calls */
    void *so, *definition;
    dcgen_launch_fn *launch;
    dcgen_scratch_fn *scratch; /* NULL: none; likewise below */
    dcgen_counters_fn *counters;
    dcgen_packed_bytes_fn *packed_bytes;
    dcgen_pack_fn *pack; /* NULL: it reads all operands as they are */
    dcgen_reference_rows_fn *rows;
    dcgen_reference_terms_fn *terms;
} EmuEntry;

static inline void *emu_function(void *so, const char *name)
{
    void *f = dlsym(so, name);
    if (!f)
        fail_msg("there is no %s", name);
    return f;
}

static inline EmuEntry emu_load(const Build *build, const char *kernel)
{
    if (build->status != STATUS_OK)
        fail_msg("%s: %s", kernel, build->why);
    EmuEntry e = { .kernel = kernel, .so = dlopen(build->so, RTLD_NOW | RTLD_LOCAL) };
    assert_non_null(e.so);
    *(void **)&e.launch = emu_function(e.so, "dcgen_launch");
    *(void **)&e.scratch = dlsym(e.so, "dcgen_scratch");
    *(void **)&e.counters = dlsym(e.so, "dcgen_counters");
    *(void **)&e.packed_bytes = dlsym(e.so, "dcgen_packed_bytes");
    *(void **)&e.pack = dlsym(e.so, "dcgen_pack");
    return e;
}

/* Bytes of scratch memory and of counters for a call. */
static inline size_t emu_scratch(const EmuEntry *e, const int64_t *extent)
{
    return e->scratch ? (size_t)e->scratch(extent, 1) : 0;
}

static inline size_t emu_counters(const EmuEntry *e, const int64_t *extent)
{
    return e->counters ? (size_t)e->counters(extent) : 0;
}

/* With the definition. */
static inline EmuEntry emu_entry(const RowWorld *w, const RowKernel *k)
{
    EmuEntry e = emu_load(k->build, k->row->kernel);
    e.of = k;
    e.definition = dlopen(w->reference[k->reference].so, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(e.definition);
    *(void **)&e.rows = emu_function(e.definition, "dcgen_reference_rows");
    *(void **)&e.terms = emu_function(e.definition, "dcgen_reference_terms");
    return e;
}

static inline void emu_leave(const EmuEntry *e)
{
    dlclose(e->so);
    if (e->definition)
        dlclose(e->definition);
}

typedef struct {
    const Storage *stored;
    int rank;
    int64_t extent[OP_MAX_RANK], stride[OP_MAX_RANK], n, span; /* n elements; span: from the first to behind the last */
    char *dense, *memory, *at;
} Matrix;

static inline void matrix_lay(Matrix *m, int operand, Lay lay)
{
    const int64_t *x = m->extent, columns = x[m->rank - 1];
    int64_t *s = m->stride;
    const int64_t gap = lay == GAPS + (Lay)operand ? 3 : lay == LONG_ROWS ? 32 - columns % 16 : 0;
    s[m->rank - 1] = 1;
    for (int i = m->rank - 2; i >= 0; i--)
        s[i] = x[i + 1] * s[i + 1] + (i == m->rank - 2 ? gap : lay == APART + (Lay)operand);
    if (lay == AS_HEADS && m->rank == 4) { /* [B0][rows][B1][columns] */
        s[1] = columns;
        s[2] = x[1] * columns;
        s[0] = x[2] * s[2];
    }
    if (lay == SAME_FOR_ALL && operand == 1 && m->rank == 4)
        s[0] = s[1] = 0;
    if (lay >= REPEATED && lay < GAPS && operand == 0)
        s[lay - REPEATED] = 0;
    m->n = m->span = 1;
    for (int i = 0; i < m->rank; i++) {
        m->n *= x[i];
        m->span += (x[i] - 1) * s[i];
    }
    m->span = m->n ? m->span : 0;
}

/* Where element i of the dense matrix lies. */
static inline int64_t matrix_at(const Matrix *m, int64_t i)
{
    int64_t at = 0;
    for (int k = m->rank - 1; k >= 0; k--) {
        at += i % m->extent[k] * m->stride[k];
        i /= m->extent[k];
    }
    return at;
}

static inline void *emu_memory(size_t bytes)
{
    void *p = aligned_alloc(EMU_ALIGN, bytes / EMU_ALIGN * EMU_ALIGN + 2 * EMU_ALIGN);
    assert_non_null(p);
    return memset(p, 0xff, bytes + EMU_ALIGN);
}

/* Random numbers from -1 to 1, in all places that are the same element the same ones. */
static inline Matrix matrix_new(const Spec *s, const int64_t *e, int operand, Lay lay, bool shifted)
{
    const Operand *o = &s->op->operand[operand];
    const Layout *l = spec_layout(s, operand);
    Matrix m = { .stored = spec_element(s, o), .rank = l->rank };
    uint64_t seed = (uint64_t)operand;
    for (int i = 0; i < m.rank; i++)
        assert_int_equal(expr_int_at(l->extent[i], e, &m.extent[i]), EXPR_OK);
    matrix_lay(&m, operand, o->strided ? lay : DENSELY);
    m.dense = emu_memory((size_t)m.n * m.stored->bytes);
    m.memory = emu_memory(((size_t)m.span + 1) * m.stored->bytes);
    m.at = m.memory + shifted * m.stored->bytes;
    for (int64_t i = 0; i < m.n && (o->role != ROLE_OUT || o->is_read); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        storage_store(m.stored, m.at, matrix_at(&m, i), (double)(seed >> 40) / (1 << 23) - 1);
    }
    for (int64_t i = 0; i < m.n; i++)
        storage_store(m.stored, m.dense, i, storage_load(m.stored, m.at, matrix_at(&m, i)));
    return m;
}

/* The bytes, 16 at most, that the matrices which a kernel asks for begin at multiples of, and all their rows. */
static inline int64_t matrices_align(const Spec *s, const Matrix *m)
{
    uint64_t all = ALIGN_MOST;
    for (int i = 0; i < s->op->noperand; i++) {
        if (!spec_is_aligned(s, i) || (s->packed && s->op->operand[i].role == ROLE_CONST))
            continue;
        all |= (uintptr_t)m[i].at;
        for (int k = 0; k < m[i].rank - 1; k++)
            all |= m[i].extent[k] > 1 ? (uint64_t)m[i].stride[k] * m[i].stored->bytes : 0;
    }
    return (int64_t)(all & -all);
}

/* Is the kernel for this call? */
static inline bool emu_serves(const EmuEntry *entry, const Spec *s, const int64_t *e, const Matrix *m)
{
    const RowKernel *k = entry->of;
    return !k || template_serves(&(Binding){ .t = k->c.t,
                                             .spec = s,
                                             .target = k->target,
                                             .device = &k->device,
                                             .value = k->value,
                                             .extent = e,
                                             .align = matrices_align(s, m) });
}

/* Compares the result, the last operand, with the definition. All else between its elements is as it was. */
static inline void emu_check(const EmuEntry *entry, const Spec *s, const int64_t *e, const Matrix *m, const char *what)
{
    const void *dense[OP_MAX_OPERAND];
    const Matrix *y = &m[s->op->noperand - 1];
    const int64_t rows = y->n / y->extent[y->rank - 1];
    double *value = malloc((size_t)y->n * sizeof *value), *bound = malloc((size_t)y->n * sizeof *bound);
    const Rounding rounding = dtype_rounding(dtype_find(s->dtype), y->stored);
    for (int i = 0; i < s->op->noperand; i++)
        dense[i] = m[i].dense;
    entry->rows(e, dense, 0, rows, value, bound);
    for (int64_t i = 0; i < y->n; i++) {
        const double got = storage_load(y->stored, y->at, matrix_at(y, i));
        if (got != value[i] && /* infinities have no difference */
            !(fabs(got - value[i]) <= rounding_tolerance(&rounding, (double)entry->terms(e), bound[i], value[i])))
            fail_msg("%s %s: element %d is %g instead of %g", entry->kernel, what, (int)i, got, value[i]);
        memset(y->at + matrix_at(y, i) * (int64_t)y->stored->bytes, 0xff, y->stored->bytes);
    }
    for (int64_t i = 0; i < y->span * (int64_t)y->stored->bytes; i++)
        if ((unsigned char)y->at[i] != 0xff)
            fail_msg("%s %s: byte %d between elements of the result is written", entry->kernel, what, (int)i);
    free(value);
    free(bound);
}

/* Makes a call with these axes and attributes on operands that lie so; those of the set `shifted` begin an element
 * behind an aligned address. One that the kernel does not serve is refused, and counts nothing. */
static inline EmuCounts emu_call_laid(const EmuEntry *entry, const Spec *s, const int64_t *given, Lay lay,
                                      unsigned shifted)
{
    Emu emu = { .count = true, .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    Matrix m[OP_MAX_OPERAND];
    void *operand[OP_MAX_OPERAND];
    int64_t e[OP_MAX_CALL] = { 0 };
    const Op *op = s->op;
    int n = op->nextent;
    memcpy(e, given, (size_t)op->ngiven * sizeof *e);
    assert_true(op_derive(op, e));
    char what[200];
    for (int i = 0, at = 0; i < op->ngiven; i++)
        at += snprintf(what + at, sizeof what - (size_t)at, "%s=%d ", op->extent[i].name, (int)e[i]);
    snprintf(what + strlen(what), sizeof what - strlen(what), "lay %d shifted %u", (int)lay, shifted);
    for (int i = 0; i < op->noperand; i++) {
        m[i] = matrix_new(s, e, i, lay, shifted >> i & 1);
        operand[i] = m[i].at;
        for (int k = 0; op->operand[i].strided && k < m[i].rank - 1; k++)
            e[n++] = m[i].stride[k];
    }
    const size_t scratch_bytes = emu_scratch(entry, e), counter_bytes = emu_counters(entry, e),
                 packed_bytes = entry->pack ? (size_t)entry->packed_bytes(e) : 0;
    char *scratch = memset(emu_memory(scratch_bytes), 0xff, scratch_bytes), *packed = emu_memory(packed_bytes);
    char *counters = memset(emu_memory(counter_bytes), 0, counter_bytes);
    if (entry->pack) {
        assert_int_equal(entry->pack(e, operand[1], packed), 0);
        operand[1] = packed;
    }
    for (int i = 0; i < op->noperand; i++)
        emu_add_region(&emu,
                       op->operand[i].role != ROLE_OUT ? EMU_INPUT
                       : op->operand[i].is_read        ? EMU_IN_OUT
                                                       : EMU_OUTPUT,
                       op->operand[i].name, operand[i],
                       operand[i] == packed ? packed_bytes : (size_t)m[i].span * m[i].stored->bytes,
                       (unsigned)m[i].stored->bytes);
    emu_add_region(&emu, EMU_SCRATCH, "scratch", scratch, scratch_bytes, sizeof(float));
    emu_add_region(&emu, EMU_COUNTERS, "counters", counters, counter_bytes, sizeof(unsigned));
    emu_begin(&emu);
    const int code = entry->launch(e, operand, scratch_bytes ? scratch : NULL, counter_bytes ? counters : NULL, NULL);
    const bool serves = emu_serves(entry, s, e, m);
    emu_end(&emu);
    if ((code == 0) != serves || emu.nfinding > 0)
        fail_msg("%s %s: %s", entry->kernel, what, emu.nfinding ? emu.finding[0].text : emu.refusal);
    if (serves)
        emu_check(entry, s, e, m, what);
    for (int i = 0; i < op->noperand; i++) {
        free(m[i].dense);
        free(m[i].memory);
    }
    free(scratch);
    free(counters);
    free(packed);
    return emu.counts;
}

#endif
