/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_template: any bytes as a template of dense; what stands behind a line "//@ family", if there is one, as the file
 * of its family. It is either read, has errors, or has no head; what is read has values for a kernel, and is filled or
 * has errors.
 */
#define _GNU_SOURCE /* memmem */
#include "gen/base/conf.h"
#include "gen/template/template.h"
#include "tests/fuzz/fuzz.h"

static const char *const folders[] = { DCGEN_SOURCE_DIR "/templates" };
static const char spec_text[] =
    "name = \"x\"; op = \"dense\"; dims = { T = { min = 1; max = 100; }; }; epilogue = [\"bias\"]; "
    "shapes = ( { M = \"T\"; N = 48; K = 64; }, { M = \"T\"; N = 48; K = 24; } );";

static const char divider[] = "\n//@ family\n";
static const Source *family; /* NULL: the family's file is that of the tree */

Source *__real_conf_source(Arena *a, const char *path, Diag *d);
Source *__wrap_conf_source(Arena *a, const char *path, Diag *d);

Source *__wrap_conf_source(Arena *a, const char *path, Diag *d)
{
    if (!family || !strstr(path, "/family/"))
        return __real_conf_source(a, path, d);
    return fuzz_source(a, family->path, (const uint8_t *)family->text, family->len);
}

/* Read once, for all inputs. */
static const Spec *spec;
static TargetList targets;

static void read_place(void)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    static Source src = { "spec.cfg", spec_text, sizeof spec_text - 1 };
    spec = spec_parse(a, &src, folders, 1, d);
    REQUIRE(spec && target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &targets, d));
}

/* The general kernels and the first choice of each parameter. */
static void fill(Arena *a, const Template *t, const Target *target, Diag *d)
{
    int64_t first[TEMPLATE_MAX_PARAM], slot[TEMPLATE_MAX_SLOT];
    static const int64_t extent[OP_MAX_EXTENT] = { 37, 48, 64 };
    const Device device = device_typical(a, target);
    for (int i = 0; i < t->nparam; i++)
        first[i] = t->param[i].choice[0];
    for (int i = -1; i < t->ngeneral; i++) {
        const int before = diag_nerror(d);
        const int64_t *value = i < 0 ? first : t->general[i].value;
        const Binding b = {
            .t = t, .spec = spec, .target = target, .device = &device, .value = value, .extent = extent, .threads = 2
        };
        template_slots(&b, slot);
        const char *text = template_fill(a, &b, "kernel", d);
        REQUIRE((text == NULL) == (diag_nerror(d) > before));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!spec)
        read_place();
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const uint8_t *end = memmem(data, size, divider, sizeof divider - 1);
    const size_t used = end ? (size_t)(end - data) + sizeof divider - 1 : size;
    const Source *src =
        fuzz_source(a, DCGEN_SOURCE_DIR "/templates/dense/fuzz.c", data, end ? (size_t)(end - data) : size);
    family = end ? fuzz_source(a, "family.cfg", data + used, size - used) : NULL;
    const Template *t = template_parse(a, spec, src, d);
    REQUIRE(!t || diag_nerror(d) == 0);
    for (int i = 0; t && i < targets.n; i++)
        if (template_suits(t, spec, &targets.t[i]))
            fill(a, t, &targets.t[i], d);
    fuzz_check_diag(d, src);
    if (family)
        fuzz_check_diag(d, family);
    arena_free(a);
    return 0;
}
