/* SPDX-License-Identifier: Apache-2.0
 *
 * template_place: a folder for templates under test, a spec that they are read for, a machine.
 */
#ifndef DCGEN_TESTS_TEMPLATE_PLACE_H
#define DCGEN_TESTS_TEMPLATE_PLACE_H

#include "tests/test.h"
#include <math.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "gen/unit/unit.h"
#include "search/space/space.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h" /* its folder holds the template under test */
#include "tests/gen/spec_text.h"

static const Spec *base; /* what templates are read for */
static const Op *op;
static TargetList targets;

static inline Spec *read_spec(const char *text) { return spec_good(arena, text, spec_templates, 1); }

/* The i-th layout of dense's W that the head names; NULL: it names fewer. */
static inline const char *served_layout(const Template *t, int i)
{
    static const char *const name[] = { "NK", "KN" };
    int n = 0;
    for (int k = 0; k < 2; k++)
        if (t->layout[1] >> k & 1 && n++ == i)
            return name[k];
    return NULL;
}

static inline Spec *make_spec(const char *layout, bool packed, bool bias)
{
    return read_spec(arena_printf(arena,
                                  "name = \"pkg\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); "
                                  "layout = { W = \"%s\"; packed = %s; }; %s",
                                  layout, packed ? "true" : "false", bias ? "epilogue = [\"bias\"];" : ""));
}

static inline int setup(void **state)
{
    if (place_setup(state))
        return -1;
    base = read_spec("name = \"pkg\"; op = \"dense\"; dims = { T = { min = 1; max = 100; }; }; "
                     "shapes = ( { M = \"T\"; N = 48; K = 64; }, { M = \"T\"; N = 48; K = 24; } );");
    op = base->op;
    return target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)) ? 0 : -1;
}

static inline void remove_file(const char *name) { unlink(in_root(name)); }

/* All templates of the folder, and what was said about them. */
static inline bool read_folder(TemplateList *out, const char **said)
{
    Spec here = *base;
    Op *copy = ARENA_NEW(arena, Op);
    *copy = *op;
    copy->dir = root;
    here.op = copy;
    Diag *d = diag_new(arena);
    bool ok = template_read_all(arena, &here, NULL, 0, out, d);
    *said = golden_diag(arena, d);
    assert_int_equal(ok, diag_nerror(d) == 0);
    return ok;
}

/* A folder with this template says that (NULL: nothing is wrong with it). */
static inline void check_said(const char *text, const char *want)
{
    TemplateList list;
    const char *said;
    put("x.c", text);
    const bool ok = read_folder(&list, &said);
    if (ok == (want != NULL) || (want && !strstr(said, want)))
        fail_msg("%s\nsaid %s", text, said);
}

static inline const Template *read_small(const char *text)
{
    TemplateList list;
    const char *said;
    put("x.c", text);
    if (!read_folder(&list, &said))
        print_error("%s", said);
    assert_int_equal(list.n, 1);
    return list.t[0];
}

static const Device device = {
    .id = "0",
    .name = "a CPU",
    .arch = "x86_64",
    .cores = 2,
    .l1_bytes = 32 << 10,
    .l2_bytes = 1 << 20,
    .l3_bytes = 8 << 20,
    .compiler = "gcc",
    .flags = "-O3",
};

static inline Binding bind(const Template *t, const Spec *s, const int64_t *value, const int64_t *extent)
{
    return (Binding){ .t = t,
                      .spec = s,
                      .target = target_find(&targets, "avx2"),
                      .device = &device,
                      .value = value,
                      .extent = extent,
                      .threads = 3 };
}

/* Takes "MR=4 NP=2" for parameters; the others are as in the general kernel. */
static inline void template_place_values(const Template *t, const char *target, const char *s, int64_t *value)
{
    char name[32];
    long long v;
    int length, i = 0;
    while (strcmp(t->general[i].target, target) != 0)
        i++;
    memcpy(value, t->general[i].value, sizeof t->general[i].value);
    for (; sscanf(s, " %31[A-Z_]=%lld%n", name, &v, &length) == 2; s += length) {
        for (i = 0; i < t->nparam && strcmp(t->param[i].name, name) != 0;)
            i++;
        assert_in_range(i, 0, t->nparam - 1);
        value[i] = v;
    }
    assert_string_equal(s, "");
}

#endif
