/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_rows: kernels of templates, a row each, compiled together: for this CPU, or for the emulator, and with the
 * definitions that they are held against. A runner verifies them as `dcgen try` has it do, on the shapes of
 * verify_shapes.h.
 */
#ifndef DCGEN_TESTS_KERNEL_ROWS_H
#define DCGEN_TESTS_KERNEL_ROWS_H

#include "tests/test.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "gen/driver/tools.h"
#include "gen/spec/dtype.h"
#include "gen/unit/unit.h"
#include "search/space/verify_shapes.h"
#include "tests/put_file.h"
#include "tests/search/ask_runner.h"
#include "tests/tmp_folder.h"

typedef struct {
    const char *call;    /* operator, element type, layouts: "dense bf16 W=KN packed" */
    const char *kernel;  /* template, target, and what is not as in its general kernel there: "mma_gemm sm_80 BM=32" */
    const char *formula; /* NULL: the operator alone */
    const char *more;    /* further lines of the spec; NULL: none */
} KernelRow;

typedef struct {
    const KernelRow *row;
    const Spec *spec;
    const Target *target;
    Device device;
    Candidate c;
    int64_t value[TEMPLATE_MAX_PARAM], tile[OP_MAX_AXIS];
    const Storage *stored; /* elements of the output */
    Build *build;
    int reference; /* of the world's */
} RowKernel;

typedef struct {
    Arena *a;
    Diag *diag; /* of the row at hand */
    TargetList targets;
    Builder *c, *product, *emulator; /* product: as what ships is built; emulator NULL: it cannot be had */
    char folder[TMP_FOLDER_BYTES];
    int n, nreference;
    RowKernel *kernel;
    Build *build, *reference; /* one a kernel; one a definition */
} RowWorld;

static const char rows_templates[] = DCGEN_SOURCE_DIR "/templates";
static const char rows_package[] = DCGEN_SOURCE_DIR "/templates/package";

/* ---- rows as specs */

/* What specs of an operator have besides: calls on which attributes and paths differ. */
static const struct {
    const char *op, *shapes;
} row_shapes[] = {
    { "dense", "{ M = \"T\"; N = 44; K = 40; }" },
    { "gated_dense", "{ M = \"T\"; N = 44; K = 40; }" },
    { "batch_matmul", "{ B0 = 2; B1 = 3; M = \"T\"; N = 44; K = 40; }" },
    { "rows", "{ M = \"T\"; N = 44; }" },
    { "row_values", "{ M = \"T\"; N = 44; }" },
    { "batch_rows", "{ B0 = 2; B1 = 3; M = \"T\"; N = \"T\"; }" },
    /* Taps that are aligned to 16 bytes, to 4 and to nothing, strides, dilations, paddings that differ from side to
     * side, groups, single pixels, many images in a tile, depthwise ones. */
    { "conv2d", "{ N = \"T\"; G = 1; H = 6; W = 7; C = 32; K = 40; R = 3; S = 3; PAD = 1; },"
                "{ N = 1; G = 3; H = \"T + 5\"; W = 12; C = 6; K = 5; R = 3; S = 2; STRIDE = 2; PAD_L = 2; PAD_B = 1; "
                "DIL_H = 2; },"
                "{ N = 2; G = 1; H = 13; W = \"T + 10\"; C = 3; K = 24; R = 7; S = 5; STRIDE_W = 3; PAD = 3; },"
                "{ N = \"T\"; G = 1; H = 1; W = 1; C = 16; K = 17; R = 1; S = 1; },"
                "{ N = 2; G = \"16*T + 4\"; H = 7; W = 6; C = 1; K = 1; R = 3; S = 3; PAD = 1; STRIDE = 2; },"
                "{ N = 1; G = 40; H = 5; W = \"T + 9\"; C = 1; K = 1; R = 3; S = 3; PAD = 1; },"
                "{ N = 1; G = 7; H = 6; W = \"T\"; C = 1; K = 1; R = 5; S = 3; PAD = 4; DIL_W = 2; }" },
    /* Windows that share pixels and that leave some out, that stand on padding alone, on whole images, on rows. */
    { "max_pool2d",
      "{ N = 2; C = 19; H = \"T + 4\"; W = \"T + 3\"; R = 3; S = 3; STRIDE = 2; PAD = 1; },"
      "{ N = 1; C = \"16*T + 4\"; H = 9; W = 19; R = 4; S = 5; STRIDE_H = 3; PAD_T = 2; PAD_R = 4; DIL_W = 2; },"
      "{ N = \"T\"; C = 33; H = 7; W = \"T\"; R = 7; S = \"T\"; },"
      "{ N = 1; C = 5; H = 1; W = \"5*T\"; R = 1; S = 2; STRIDE_W = 3; PAD_L = 3; }" },
    { "avg_pool2d", "{ N = 2; C = 19; H = \"T + 4\"; W = \"T + 3\"; R = 3; S = 3; STRIDE = 2; PAD = 1; },"
                    "{ N = 1; C = \"16*T + 4\"; H = 9; W = 19; R = 4; S = 5; STRIDE_H = 3; PAD_T = 2; PAD_R = 4; DIL_W "
                    "= 2; COUNT_PAD = 1; },"
                    "{ N = \"T\"; C = 33; H = 7; W = \"T\"; R = 7; S = \"T\"; },"
                    "{ N = 1; C = 5; H = 1; W = \"5*T\"; R = 1; S = 2; STRIDE_W = 3; PAD_L = 3; COUNT_PAD = 1; }" },
    /* Images made larger, smaller, and by no whole number; each way of coordinates and of rounding. */
    { "resize_nearest",
      "{ N = 2; C = 19; H = \"T + 4\"; W = \"T + 3\"; P = \"2*T + 8\"; Q = \"2*T + 6\"; },"
      "{ N = 1; C = \"16*T + 4\"; H = 13; W = \"5*T + 8\"; P = 4; Q = \"T\"; COORDINATES = 1; ROUNDING = 1; },"
      "{ N = \"T\"; C = 7; H = 7; W = \"T\"; P = 17; Q = \"3*T\"; COORDINATES = 2; ROUNDING = 2; },"
      "{ N = 1; C = 33; H = 2; W = 3; P = 1; Q = 40; ROUNDING = 3; }" },
    { "resize_bilinear", "{ N = 2; C = 19; H = \"T + 4\"; W = \"T + 3\"; P = \"2*T + 8\"; Q = \"2*T + 6\"; },"
                         "{ N = 1; C = \"16*T + 4\"; H = 13; W = \"5*T + 8\"; P = 4; Q = \"T\"; COORDINATES = 1; },"
                         "{ N = \"T\"; C = 7; H = 7; W = \"T\"; P = 17; Q = \"3*T\"; COORDINATES = 2; },"
                         "{ N = 1; C = 33; H = 2; W = 3; P = 1; Q = 40; }" },
    /* Phases of many taps, of one and of none. */
    { "conv_transpose2d",
      "{ N = 2; G = 1; C = 19; K = 33; H = \"T + 4\"; W = \"T + 3\"; R = 4; S = 4; STRIDE = 2; PAD = 1; },"
      "{ N = 1; G = 3; C = 5; K = 20; H = 7; W = \"T\"; R = 3; S = 2; STRIDE_H = 3; STRIDE_W = 2; PAD_T = 2; PAD_R = "
      "1; DIL_H = 2; MORE_H = 2; },"
      "{ N = \"T\"; G = 1; C = 24; K = 40; H = 3; W = 3; R = 2; S = 2; STRIDE = 3; MORE_W = 2; },"
      "{ N = 1; G = 1; C = 3; K = 17; H = 6; W = \"2*T\"; R = 3; S = 3; PAD = 1; DIL_W = 2; }" },
};

/* " W=KN packed" as a setting. */
static inline const char *rows_layout(Arena *a, const char *words)
{
    Text t = { .arena = a };
    char word[64], *equals;
    if (!*words)
        return "";
    text_add(&t, "layout = { ");
    for (int length; sscanf(words, " %63s%n", word, &length) == 1; words += length)
        if ((equals = strchr(word, '='))) {
            *equals = '\0';
            text_printf(&t, "%s = \"%s\"; ", word, equals + 1);
        } else {
            text_printf(&t, "%s = true; ", word);
        }
    text_add(&t, "};");
    return text_str(&t);
}

static inline const Spec *rows_spec(RowWorld *w, const KernelRow *r, const char *target)
{
    static const char *const folders[] = { rows_templates };
    char op[32], dtype[8];
    int layout;
    assert_int_equal(sscanf(r->call, "%31s %7s%n", op, dtype, &layout), 2);
    const char *shapes = "";
    for (size_t i = 0; i < LENGTH(row_shapes); i++)
        if (strcmp(row_shapes[i].op, op) == 0)
            shapes = row_shapes[i].shapes;
    const bool has_shapes = r->more && strstr(r->more, "shapes");
    const char *dims = has_shapes && !strstr(r->more, "T\"")
                           ? ""
                           : arena_printf(w->a, "dims = { T = { min = 1; max = 9; }; }; tune = { T = [1, %s9]; };",
                                          strncmp(target, "sm_", 3) ? "2, " : "");
    shapes = has_shapes ? "" : arena_printf(w->a, "shapes = ( %s );", shapes);
    const bool is_rows = strstr(op, "row");
    const char *formula =
        r->formula ? arena_printf(w->a, "%s = \"%s\";", is_rows ? "formula" : "epilogue", r->formula) : "";
    Source *src = ARENA_NEW(w->a, Source);
    *src =
        (Source){ .path = r->kernel,
                  .text = arena_printf(
                      w->a, "name = \"pkg\"; op = \"%s\"; dtype = \"%s\"; target = [\"%s\"]; %s %s %s %s %s", op, dtype,
                      target, rows_layout(w->a, r->call + layout), formula, r->more ? r->more : "", dims, shapes) };
    src->len = strlen(src->text);
    const Spec *s = spec_parse(w->a, src, folders, 1, w->diag);
    diag_print(w->diag, stderr);
    assert_non_null(s);
    return s;
}

/* Is there such a kernel? */
static inline bool rows_fit(RowKernel *k)
{
    return candidate_from_values(k->c.t, k->target, k->value, &k->c) && candidate_fits(&k->c, k->spec, &k->device);
}

/* A number that differs from row to row. */
static inline size_t rows_turn(const KernelRow *r)
{
    size_t sum = 0;
    for (const char *s = r->kernel; *s; s++)
        sum += (unsigned char)*s;
    for (const char *s = r->call; *s; s++)
        sum += (unsigned char)*s;
    return sum;
}

/* Takes "BM=64 BN=96" for parameters. Of an ordered one that is not named rows have all choices in turn. */
static inline void rows_take_values(RowKernel *k, const char *words)
{
    char name[32];
    int64_t v;
    int ordered = -1;
    if (!candidate_general(k->c.t, k->target, 0, &k->c)) /* then the row has all values */
        k->c.target = k->target;
    candidate_values(&k->c, k->value);
    for (int i = 0; i < k->c.t->nparam; i++)
        if (k->c.t->param[i].ordered)
            ordered = i;
    for (int length, i; sscanf(words, " %31[A-Z_]=%" SCNd64 "%n", name, &v, &length) == 2; words += length) {
        for (i = 0; i < k->c.t->nparam && strcmp(k->c.t->param[i].name, name) != 0;)
            i++;
        assert_in_range(i, 0, k->c.t->nparam - 1);
        k->value[i] = v;
        ordered = i == ordered ? -1 : ordered;
    }
    assert_int_equal(words[strspn(words, " ")], '\0');
    const int nchoice = ordered >= 0 ? k->c.t->param[ordered].nchoice : 0;
    for (int i = 0, fits = 0; i < nchoice && !fits; i++) {
        k->value[ordered] = k->c.t->param[ordered].choice[(rows_turn(k->row) + (size_t)i) % (size_t)nchoice];
        fits = rows_fit(k);
    }
    if (!rows_fit(k))
        fail_msg("%s: no such kernel", k->row->kernel);
}

static inline int64_t rows_value(const RowKernel *k, const char *name)
{
    for (int i = 0; i < k->c.t->nparam; i++)
        if (strcmp(k->c.t->param[i].name, name) == 0)
            return k->value[i];
    return 0;
}

/* ---- texts */

/* The row's definition, which kernels of the same operator and formula share. */
static inline int rows_reference(RowWorld *w, const Spec *s)
{
    const char *own = s->op->reference ? text_read_file(w->a, s->op->reference, NULL) : "";
    assert_non_null(own);
    const char *text = unit_reference(w->a, s, rows_package, own, w->diag);
    diag_print(w->diag, stderr);
    assert_non_null(text);
    int i = 0;
    while (i < w->nreference && strcmp(w->reference[i].text, text) != 0)
        i++;
    w->nreference += i == w->nreference;
    w->reference[i] = (Build){ .name = arena_printf(w->a, "reference%d", i), .text = text };
    return i;
}

static inline RowKernel rows_kernel(RowWorld *w, const KernelRow *r)
{
    static const char *const folders[] = { rows_templates };
    RowKernel k = { .row = r };
    w->diag = diag_new(w->a);
    TemplateList list;
    char template[32], target[16];
    int values;
    assert_int_equal(sscanf(r->kernel, "%31s %15s%n", template, target, &values), 2);
    k.spec = rows_spec(w, r, target);
    k.target = target_find(&w->targets, target);
    assert_true(k.target && template_read_all(w->a, k.spec, folders, 1, &list, w->diag));
    for (int i = 0; i < list.n; i++)
        if (strcmp(list.t[i]->name, template) == 0) {
            Template *t = ARENA_NEW(w->a, Template);
            *t = *list.t[i];
            for (int p = 0; p < t->nparam; p++)
                t->param[p].searched = ~0u; /* also what no search would try, as the shapes allow a faster one */
            k.c.t = t;
        }
    if (!k.c.t || !template_suits(k.c.t, k.spec, k.target))
        fail_msg("%s: %s has no such template", r->kernel, r->call);
    k.device = device_typical(w->a, k.target);
    k.device.l2_bytes = k.device.l2_bytes ? k.device.l2_bytes : 1 << 20;
    rows_take_values(&k, r->kernel + values);
    k.stored = spec_element(k.spec, spec_output(k.spec));
    const Study *s = study_new(w->a, k.spec, &k.device, k.target, "");
    for (int i = 0; i < k.spec->op->naxis; i++)
        k.tile[i] = verify_shapes_tile(s, &k.c, i);
    return k;
}

static inline char *rows_text(RowWorld *w, const RowKernel *k)
{
    const UnitContext u = { k->spec, &k->device, &w->targets, rows_package, k->target };
    char *text =
        unit_candidate(w->a, &u, &(UnitKernel){ .t = k->c.t, .target = k->target, .value = k->value }, w->diag);
    diag_print(w->diag, stderr);
    assert_non_null(text);
    return text;
}

/* Is it compiled as what ships is? What a template calls general is, in the thorough suite, and must fit its
 * registers. */
static inline bool rows_are_shipped(const RowKernel *k) { return !strchr(k->row->kernel, '=') && getenv("THOROUGH"); }
static inline bool rows_are_emulated(const RowKernel *k) { return k->target->family != &family_cpu; }

/* ---- compilers */

/* The product's flags, but that compiling takes less time. */
static inline Builder *rows_builder(RowWorld *w, Toolchain tools, const char *before)
{
    const char *err = "", **flags;
    int n = 0;
    while (tools.flags[n])
        n++;
    flags = ARENA_ARRAY(w->a, (size_t)n + 4, const char *);
    for (int i = 0; i < n; i++)
        flags[i] = strcmp(tools.flags[i], "-O3") == 0 ? "-O1" : tools.flags[i];
    if (tools.assembly) /* nobody reads it */
        flags[n++] = "-shared";
    flags[n] = before ? "-include" : NULL;
    flags[n + 1] = before;
    tools.flags = flags;
    tools.assembly = NULL;
    Builder *b = builder_new(w->a, &tools, 2, 300, NULL, &err);
    if (!b)
        print_message("%s\n", err);
    return b;
}

/* Has the emulator's header read once for all kernels. Gives the path to include; NULL: there is no compiler. */
static inline const char *rows_header(RowWorld *w, const Toolchain *tools)
{
    const char *path = arena_printf(w->a, "%s/first.h", w->folder);
    Text command = { .arena = w->a };
    text_printf(&command, "%s", tools->program);
    for (int i = 0; tools->flags[i]; i++) {
        const char *f = tools->flags[i];
        if (strcmp(f, "-shared") != 0)
            text_printf(&command, " '%s'", strcmp(f, "c++") == 0 ? "c++-header" : strcmp(f, "-O3") == 0 ? "-O1" : f);
    }
    put_file(path, "#include <cuda_runtime.h>\n");
    text_printf(&command, " -o '%s.gch' '%s' 2>/dev/null", path, path);
    return system(text_str(&command)) == 0 ? path : NULL;
}

static inline bool rows_have_compiler(void)
{
    const bool here = system("c++ --version > /dev/null 2>&1") == 0;
    if (!here)
        puts("skipped: no c++, which compiles kernels for the emulator");
    return here;
}

/* emulated: there are rows for GPUs. */
static inline RowWorld *rows_world(bool emulated)
{
    static const Options options = { .cc = "cc", .cxx = "c++" };
    Arena *a = arena_new();
    RowWorld *w = ARENA_NEW(a, RowWorld);
    *w = (RowWorld){ .a = a, .diag = diag_new(a) };
    assert_true(tmp_folder(w->folder) &&
                target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &w->targets, w->diag));
    const Toolchain emulator = toolchain_emulator(a, options.cxx, rows_package);
    const char *header = emulated ? rows_header(w, &emulator) : NULL;
    const Toolchain c = tools_cc(a, &options);
    const char *err;
    w->c = rows_builder(w, c, NULL);
    w->product = builder_new(a, &c, 2, 300, NULL, &err);
    w->emulator = header ? rows_builder(w, emulator, header) : NULL;
    assert_true(w->c && w->product);
    return w;
}

/* Takes these rows and compiles all of them. */
static inline void rows_build(RowWorld *w, const KernelRow *row, int n)
{
    Builder *const builder[] = { w->c, w->product, w->emulator };
    Build *sorted[LENGTH(builder)];
    int count[LENGTH(builder)] = { 0 };
    for (size_t i = 0; i < LENGTH(builder); i++)
        sorted[i] = ARENA_ARRAY(w->a, (size_t)n, Build);
    w->n = n;
    w->kernel = ARENA_ARRAY(w->a, (size_t)n, RowKernel);
    w->reference = ARENA_ARRAY(w->a, (size_t)n, Build);
    for (int i = 0; i < n; i++) {
        w->kernel[i] = rows_kernel(w, &row[i]);
        w->kernel[i].reference = rows_reference(w, w->kernel[i].spec);
        const int by = rows_are_emulated(&w->kernel[i]) ? 2 : rows_are_shipped(&w->kernel[i]);
        Build *b = w->kernel[i].build = &sorted[by][count[by]++];
        *b = (Build){ .name = arena_printf(w->a, "kernel%d", i), .text = rows_text(w, &w->kernel[i]) };
    }
    build_all(w->c, w->a, w->reference, w->nreference, NULL);
    for (size_t i = 0; i < LENGTH(builder); i++)
        if (count[i])
            build_all(builder[i], w->a, sorted[i], count[i], NULL);
    for (int i = 0; i < n; i++) {
        const Build *b = w->kernel[i].build;
        if (b->status != STATUS_OK)
            fail_msg("%s: %s", row[i].kernel, b->why);
        if (b->spills.loaded > 0 && !w->kernel[i].c.t->may_spill)
            fail_msg("%s, %s spills: %d vectors to the stack, %d from it", row[i].kernel,
                     row[i].formula ? row[i].formula : "no formula", b->spills.stored, b->spills.loaded);
    }
}

static inline int rows_free(void **state)
{
    RowWorld *w = *state;
    builder_free(w->c);
    builder_free(w->product);
    builder_free(w->emulator);
    const int code = tmp_folder_remove(w->folder);
    arena_free(w->a);
    return code;
}

/* ---- verifying */

static inline Runner *rows_runner(RowWorld *w, const RowKernel *k)
{
    static const char *const command[2][4] = {
        { DCGEN_BINARY_DIR "/dcgen-runner-c", "--targets", DCGEN_SOURCE_DIR "/templates/targets", NULL },
        { DCGEN_BINARY_DIR "/dcgen-runner-emu", "--targets", DCGEN_SOURCE_DIR "/templates/targets", NULL }
    };
    const Build *reference = &w->reference[k->reference];
    const char *err = reference->why;
    Runner *r = reference->status == STATUS_OK
                    ? runner_start(w->a, command[rows_are_emulated(k)], k->spec, reference->so, 1, NULL, &err)
                    : NULL;
    if (!r)
        fail_msg("%s: %s", k->row->call, err);
    return r;
}

/* Verifies a kernel on awkward shapes and then those of its spec, of which it skips some: it begins with the one
 * numbered `first`, and goes on by `step`. Those that it does not serve are left out. Where calls are split into parts,
 * some have more of these than tiles. */
static inline void rows_verify(RowWorld *w, const RowKernel *k, int first, int step)
{
    static const int parts[] = { 1, 3, 1, 2, 1, 16 };
    const char *key = "0123456789abcdef0123456789abcdef", *err = NULL;
    const Study *s = study_new(w->a, k->spec, &k->device, k->target, "");
    const Candidate *c = &k->c;
    Runner *r = rows_runner(w, k);
    VerifyShapes v;
    int nserved = 0;
    verify_shapes(s, &c, 1, &v);
    assert_true(v.n > first);
    for (int i = first; i < v.n + s->nshape; i += step) {
        MeasureRequest q = { .extent = i < v.n ? v.extent[i] : s->shape[i - v.n]->extent,
                             .threads = rows_are_emulated(k) ? 1 : parts[(size_t)i % LENGTH(parts)],
                             .deadline_s = 120 };
        MeasureRecord m;
        const bool gap_is_odd = i < v.n && v.gap[i] % ALIGN_MOST != 0;
        if (!candidate_serves(c, k->spec, q.extent) ||
            (gap_is_odd && c->t->asks_align && !candidate_serves_all(c, k->spec)))
            continue;
        nserved++;
        if (i < v.n) {
            q.gap = v.gap[i];
            q.lie = v.lie[i];
            q.data = v.edges[i] ? data_names[DATA_EDGES] : NULL;
            q.way = v.way[i];
        }
        target_fact(k->target, "SMEM_BLOCK", &q.smem_limit);
        if (!measure(r, w->a, &q, &key, (const char *const *)&k->build->so, 1, &m, NULL, &err))
            fail_msg("%s: %s", k->row->kernel, err);
        if (m.status != STATUS_OK)
            fail_msg("%s | %s | %s\n%s %s", k->row->call, k->row->kernel, k->row->formula ? k->row->formula : "",
                     status_name(m.status), study_why(s, w->a, q.extent, q.threads, m.why));
    }
    runner_stop(r);
    assert_true(nserved > 0);
}

#endif
