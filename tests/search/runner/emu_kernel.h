/* SPDX-License-Identifier: Apache-2.0
 *
 * emu_kernel: kernels of CUDA templates as shared objects for the emulator, which a test that has it loads itself.
 */
#ifndef DCGEN_TESTS_EMU_KERNEL_H
#define DCGEN_TESTS_EMU_KERNEL_H

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/command/tools.h"
#include "gen/spec/dtype.h"
#include "gen/unit/unit.h"
#include "search/runner/abi.h"
#include "search/runner/emu/emu.h"
#include "search/space/space.h"

enum { SMEM_LIMIT = 232448 };

static const char templates_path[] = DCGEN_SOURCE_DIR "/templates";
static const char package_path[] = DCGEN_SOURCE_DIR "/templates/package";

typedef struct {
    /* "simt_gemm sm_80 f32 NK BM=64": template (of batch_matmul if it ends in _bmm), target, dtype, layout of W or B ("KM:NK": A's
     * before it; "NK+bias": with that epilogue), and what is not as in the general kernel */
    const char *text;
    bool a_is_km, has_bias;
    char template[16], layout[4];
    const Template *t;
    const Dtype *dtype;
    const Target *target;
    Device device;
    Spec *spec;
    int64_t value[TEMPLATE_MAX_PARAM], tile[OP_MAX_EXTENT];
    const Build *build;
} EmuKernel;

/* Of a parameter of the template; 0: it has none of that name. */
static inline int64_t emu_kernel_value(const EmuKernel *k, const char *name)
{
    for (int i = 0; i < k->t->nparam; i++)
        if (strcmp(k->t->param[i].name, name) == 0)
            return k->value[i];
    return 0;
}

static inline void emu_kernel_set(EmuKernel *k, const char *name, int64_t value)
{
    int i = 0;
    while (i < k->t->nparam && strcmp(k->t->param[i].name, name) != 0)
        i++;
    assert_in_range(i, 0, k->t->nparam - 1);
    k->value[i] = value;
}

/* Takes "BM=64 BN=96" for parameters; the others are as in the general kernel. */
static inline void emu_kernel_take_values(EmuKernel *k, const char *s)
{
    char name[32];
    int64_t v;
    int length;
    Candidate candidate;
    assert_true(candidate_general(k->t, k->target, &candidate));
    candidate_values(&candidate, k->value);
    for (; sscanf(s, " %31[A-Z_]=%" SCNd64 "%n", name, &v, &length) == 2; s += length)
        emu_kernel_set(k, name, v);
    assert_string_equal(s, "");
    if (!candidate_from_values(k->t, k->target, k->value, &candidate) ||
        !candidate_fits(&candidate, k->spec, &k->device))
        fail_msg("%s: no such kernel", k->text);
}

static inline const Template *emu_kernel_template(Arena *a, const EmuKernel *k, Diag *d)
{
    static const char *const folders[] = { templates_path };
    TemplateList list;
    assert_true(template_read_all(a, k->spec, folders, 1, &list, d));
    for (int i = 0; i < list.n; i++)
        if (strcmp(list.t[i]->name, k->template) == 0)
            return list.t[i];
    return NULL;
}

/* `rest`: what the spec has besides its op, type, target and layout of W or B: shapes, for which alone kernels are fixed, an epilogue. */
static inline Spec *emu_kernel_spec(Arena *a, const EmuKernel *k, const char *rest, bool packed, Diag *d)
{
    static const char *const folders[] = { templates_path };
    Source *src = ARENA_NEW(a, Source);
    const bool batched = strstr(k->template, "_bmm");
    const char *text = arena_printf(
        a, "name = \"pkg\"; op = \"%s\"; dtype = \"%s\"; target = [\"%s\"]; layout = { %s = \"%s\"; %s}; %s%s",
        batched ? "batch_matmul" : "dense", k->dtype->name, k->target->name,
        k->a_is_km ? "A = \"KM\"; B"
        : batched  ? "B"
                   : "W",
        k->layout, packed ? "packed = true; " : "", k->has_bias ? "epilogue = [\"bias\"]; " : "", rest);
    *src = (Source){ .path = "spec.cfg", .text = text, .len = strlen(text) };
    return spec_parse(a, src, folders, 1, d);
}

static inline EmuKernel emu_kernel(Arena *a, const TargetList *targets, const char *text, const char *rest, bool packed,
                                   Diag *d)
{
    EmuKernel k = { .text = text };
    char target[16], dtype[8], layouts[16];
    int params;
    assert_int_equal(sscanf(text, "%15s %15s %7s %15s%n", k.template, target, dtype, layouts, &params), 4);
    k.a_is_km = strncmp(layouts, "KM:", 3) == 0;
    k.has_bias = strstr(layouts, "+bias");
    snprintf(k.layout, sizeof k.layout, "%.2s", layouts + (k.a_is_km ? 3 : 0));
    k.dtype = dtype_find(dtype);
    k.target = target_find(targets, target);
    assert_true(k.dtype && k.target);
    k.device = device_typical(a, k.target);
    k.spec = emu_kernel_spec(a, &k, rest, packed, d);
    k.t = k.spec ? emu_kernel_template(a, &k, d) : NULL;
    diag_print(d, stderr);
    assert_non_null(k.t);
    emu_kernel_take_values(&k, text + params);
    Binding b = { .t = k.t, .spec = k.spec, .target = k.target, .device = &k.device, .value = k.value, .threads = 1 };
    for (int i = 0; i < k.spec->op->naxis; i++)
        assert_int_equal(expr_int(k.t->tile[i], template_lookup, &b, &k.tile[i]), EXPR_OK);
    return k;
}

/* C++ that the emulator's compiler takes. */
static inline char *emu_kernel_text(Arena *a, const TargetList *targets, const EmuKernel *k, Diag *d)
{
    const UnitContext u = { k->spec, &k->device, targets, package_path, k->target };
    char *text = unit_candidate(a, &u, &(UnitKernel){ k->t, k->target, k->value, { 0 }, NULL }, d);
    diag_print(d, stderr);
    assert_non_null(text);
    return text;
}

/* What compiles kernels for the emulator, and the targets. quick: where compiling takes longer than running. NULL: neither can be had. */
static inline Builder *emu_builder(Arena *a, TargetList *targets, bool quick, Diag *d)
{
    const Options options = { .cxx = "c++" };
    const Workload workload = { .package_dir = package_path };
    const Toolchain tools = tools_emulator(a, &options, &workload);
    const char *err;
    for (int i = 0; tools.flags[i]; i++)
        if (quick && strcmp(tools.flags[i], "-O3") == 0)
            ((const char **)tools.flags)[i] = "-O1";
    const bool good = target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", targets, d);
    diag_print(d, stderr);
    return good ? builder_new(a, &tools, 2, 120, NULL, &err) : NULL;
}

static inline bool emu_compiler_is_here(void)
{
    const bool is_here = system("c++ --version > /dev/null 2>&1") == 0;
    if (!is_here)
        puts("skipped: no c++, which compiles kernels for the emulator");
    return is_here;
}

typedef struct {
    void *so;
    dcgen_launch_fn *launch;
    dcgen_workspace_fn *workspace;
} EmuEntry;

static inline EmuEntry emu_entry(const EmuKernel *k)
{
    if (k->build->status != STATUS_OK)
        fail_msg("%s: %s", k->text, k->build->why);
    EmuEntry e = { .so = dlopen(k->build->so, RTLD_NOW | RTLD_LOCAL) };
    void *launch = e.so ? dlsym(e.so, "dcgen_launch") : NULL, *workspace = e.so ? dlsym(e.so, "dcgen_workspace") : NULL;
    assert_true(launch && workspace);
    memcpy(&e.launch, &launch, sizeof launch);
    memcpy(&e.workspace, &workspace, sizeof workspace);
    return e;
}

/* Kernels of a test, compiled together. */
typedef struct {
    Arena *a;
    Builder *cxx;
    TargetList targets;
    Diag *diag;
    int n;
    EmuKernel *kernel;
    Build *build;
} EmuWorld;

/* NULL: the emulator cannot be had. */
static inline EmuWorld *emu_world(int n)
{
    Arena *a = arena_new();
    EmuWorld *w = ARENA_NEW(a, EmuWorld);
    *w = (EmuWorld){ .a = a, .diag = diag_new(a), .n = n };
    w->kernel = ARENA_ARRAY(a, (size_t)n, EmuKernel);
    w->build = ARENA_ARRAY(a, (size_t)n, Build);
    w->cxx = emu_builder(a, &w->targets, true, w->diag);
    return w->cxx ? w : NULL;
}

/* Takes kernel i; see emu_kernel. */
static inline void emu_world_take(EmuWorld *w, int i, const char *text, const char *rest, bool packed)
{
    w->kernel[i] = emu_kernel(w->a, &w->targets, text, rest, packed, w->diag);
    w->build[i] = (Build){ .name = arena_printf(w->a, "kernel%d", i) };
    w->build[i].text = emu_kernel_text(w->a, &w->targets, &w->kernel[i], w->diag);
    w->kernel[i].build = &w->build[i];
}

static inline void emu_world_build(EmuWorld *w) { build_all(w->cxx, w->a, w->build, w->n, NULL); }

static inline int emu_world_free(void **state)
{
    EmuWorld *w = *state;
    builder_free(w->cxx);
    emu_free();
    arena_free(w->a);
    return 0;
}

enum { EMU_ALIGN = 256 };

typedef struct {
    void *memory, *at;
} EmuPlace;

/* Room for so many bytes, `shift` behind an aligned address. */
static inline EmuPlace emu_place(size_t bytes, size_t shift)
{
    EmuPlace p = { .memory = aligned_alloc(EMU_ALIGN, (bytes + shift) / EMU_ALIGN * EMU_ALIGN + EMU_ALIGN) };
    assert_non_null(p.memory);
    p.at = (char *)p.memory + shift;
    return p;
}

/* Random numbers from -1 to 1. */
static inline void emu_fill(const Dtype *dtype, void *to, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        dtype_store(dtype, to, i, (double)(seed >> 40) / (1 << 23) - 1);
    }
}

#endif
