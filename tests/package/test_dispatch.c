/* SPDX-License-Identifier: Apache-2.0
 *
 * The emitted dispatcher, compiled, against the assignment that it was printed from: the same kernel at every shape of
 * the declared ranges and every thread count, the general kernel just outside them and far away, kernels in the same
 * order.
 * ctest: label=slow fixture=packages
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/generate.h"
#include "gen/text.h"
#include "gen/unit.h"

static const char packages[] = DCGEN_BINARY_DIR "/tests/packages", templates[] = DCGEN_SOURCE_DIR "/templates";

/* A package as its spec and records make it, and as compiled. */
typedef struct {
    Arena *arena;
    const char *name, *folder; /* folder: for what is compiled */
    Outcome made;
    void *so;
    int (*dispatch)(int cpu, const int64_t *extent, int64_t threads);
    int (*choose)(const int64_t *extent);
    int (*cpu)(void);
    const char *(*text)(int kernel);
} Fixture;

static void read_package(Fixture *f)
{
    Arena *a = f->arena;
    Diag *d = diag_new(a);
    const char *folder[] = { templates, NULL }, *err = NULL;
    Workload *w = ARENA_NEW(a, Workload);
    TargetList *targets = ARENA_NEW(a, TargetList);
    Records *r = ARENA_NEW(a, Records);
    w->spec = spec_read(a, arena_printf(a, "%s/%s/spec.cfg", packages, f->name), folder, 1, d);
    assert_non_null(w->spec);
    assert_true(target_read_all(a, arena_printf(a, "%s/targets", templates), targets, d));
    w->targets = targets;
    assert_true(template_read_all(a, w->spec, folder, 1, &w->templates, d));
    w->package_dir = arena_printf(a, "%s/package", templates);
    if (!record_read(a, arena_printf(a, "%s/%s/records.jsonl", packages, f->name), r, stderr, &err) ||
        !outcome_make(a, w, r, NULL, &f->made, &err))
        fail_msg("%s: %s", f->name, err);
}

/* The whole kernels.c, and its inner functions behind names that all packages share. */
static void compile_package(Fixture *f)
{
    Arena *a = f->arena;
    const char *n = f->name;
    const char *c = arena_printf(a, "%s/%s.c", f->folder, n), *so = arena_printf(a, "%s/%s.so", f->folder, n);
    FILE *file = fopen(c, "w");
    assert_non_null(file);
    fprintf(file,
            "#include \"kernels.c\"\n"
            "int at(int cpu, const int64_t *x, int64_t threads)\n"
            "{ return %s_dispatch(cpu, x[0], x[1], x[2], threads); }\n"
            "int choose(const int64_t *x) { return %s_choose(x[0], x[1], x[2]); }\n"
            "int cpu(void) { return %s_cpu(); }\n"
            "const char *text(int kernel) { return %s_kernel_text(kernel); }\n",
            n, n, n, n);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(system(arena_printf(a, "cc -shared -fPIC -O0 -I'%s/%s' '%s' -o '%s'", packages, n, c, so)), 0);
    f->so = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!f->so)
        fail_msg("%s", dlerror());
    *(void **)&f->dispatch = dlsym(f->so, "at");
    *(void **)&f->choose = dlsym(f->so, "choose");
    *(void **)&f->cpu = dlsym(f->so, "cpu");
    *(void **)&f->text = dlsym(f->so, "text");
}

static void fixture_open(Fixture *f, const char *name)
{
    char folder[] = "/tmp/dcgen-test-XXXXXX";
    *f = (Fixture){ .arena = arena_new(), .name = name };
    assert_non_null(mkdtemp(folder));
    f->folder = arena_strdup(f->arena, folder);
    read_package(f);
    compile_package(f);
}

static void fixture_close(Fixture *f)
{
    dlclose(f->so);
    assert_int_equal(system(arena_printf(f->arena, "rm -rf '%s'", f->folder)), 0);
    arena_free(f->arena);
}

static void check_declared_shapes(const Fixture *f)
{
    const Spec *s = f->made.workload->spec;
    const Assignment *as = f->made.assignment;
    assert_true(s->ninstance > 0);
    assert_int_equal(f->cpu(), 0); /* tuned for this CPU's best instruction set */
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *inst = &s->instance[i];
        assert_in_range(as->chosen[i], 0, as->nkernel - 1);
        assert_int_equal(f->dispatch(0, inst->extent, inst->threads), as->chosen[i]);
        if (inst->threads == 1)
            assert_int_equal(f->choose(inst->extent), as->chosen[i]);
    }
}

/* One axis after the other leaves the box of all shapes, by one and by as much as it can. */
static void check_other_shapes(const Fixture *f)
{
    const Spec *s = f->made.workload->spec;
    const Assignment *as = f->made.assignment;
    const Box box = spec_box(s);
    for (int axis = 0; axis < s->op->naxis; axis++) {
        const int64_t outside[] = { box.min[axis] - 1, 0, box.max[axis] + 1, INT32_MAX };
        for (int j = 0; j < 4; j++) {
            int64_t extent[OP_MAX_AXIS];
            memcpy(extent, s->instance[s->ninstance / 2].extent, sizeof extent);
            extent[axis] = outside[j];
            assert_int_equal(f->dispatch(0, extent, s->threads[0]), as->general);
        }
    }
}

static void check_kernel_order(const Fixture *f)
{
    const Assignment *as = f->made.assignment;
    for (int k = 0; k < as->nkernel; k++) {
        const Candidate *c = &f->made.study->trial[as->kernel[k]].c;
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(c, value);
        assert_string_equal(f->text(k), unit_kernel_text(f->arena, &(UnitKernel){ c->t, c->target, value, { 0 } }));
    }
    assert_non_null(f->text(as->nkernel)); /* for lesser instruction sets */
}

static void check_package(void **state)
{
    Fixture f;
    fixture_open(&f, *state);
    check_declared_shapes(&f);
    check_other_shapes(&f);
    check_kernel_order(&f);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(check_package, "pkg_a"),
        cmocka_unit_test_prestate(check_package, "pkg_b"),
        cmocka_unit_test_prestate(check_package, "pkg_c"),
        cmocka_unit_test_prestate(check_package, "pkg_d"),
    };
    return cmocka_run_group_tests_name("package/dispatch", tests, NULL, NULL);
}
