/* SPDX-License-Identifier: Apache-2.0
 *
 * The emitted dispatcher, compiled under the sanitizer, against the assignment that it was printed from: the same
 * kernel at every shape of the declared ranges and every thread count, the general kernel just outside them and far
 * away, nothing undefined for any 64-bit numbers, no leaf without a shape, kernels in the same order.
 * ctest: label=slow fixture=packages
 */
#include "tests/test.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "gen/driver/replay.h"
#include "gen/package/emit.h"
#include "gen/package/prove.h"
#include "gen/unit/unit.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static const char packages[] = DCGEN_BINARY_DIR "/tests/packages", templates[] = DCGEN_SOURCE_DIR "/templates";

/* A package as its spec and records make it, and as compiled. */
typedef struct {
    Arena *arena;
    const char *name, *folder; /* folder: for what is compiled */
    const Result *made;
    const Dispatcher *dispatcher;
    void *api, *predicates; /* shared objects */
    ProveCall *dispatch;
    int (*choose)(const int64_t *extent);
    int (*cpu)(void);
    const char *(*text)(int kernel);
    int (*nthread)(int threads, int pooled, double flops);
    int (*share_out)(int nthread, int pooled);
} Fixture;

/* The package's way of sharing a call out, with a kernel whose pieces wait until all threads have one; and its count of
 * threads. */
static const char share_out_text[] =
    "#include <sched.h>\n"
    "#include <time.h>\n"
    "static atomic_int met, taken, wrong;\n"
    "static int meet(const PKG_args *args, int64_t task, int64_t ntask)\n"
    "{\n"
    "    const time_t end = time(NULL) + 30;\n"
    "    atomic_fetch_add(&taken, 1 << task * 4);\n"
    "    atomic_fetch_add(&wrong, args->M != 7 || task >= ntask);\n"
    "    for (atomic_fetch_add(&met, 1); atomic_load(&met) < args->N && time(NULL) < end;)\n"
    "        sched_yield();\n"
    "    atomic_fetch_add(&wrong, atomic_load(&met) < args->N);\n"
    "    return 0;\n"
    "}\n"
    "static void last_first(void *ctx, int n, void (*body)(void *arg, int i), void *arg)\n"
    "{\n"
    "    for (*(int *)ctx = n; n-- > 0;)\n"
    "        body(arg, n);\n"
    "}\n"
    /* 1: each piece was taken once, all threads at a time (of no parallel_for), and n bodies were asked for */
    "int share_out(int nthread, int pooled)\n"
    "{\n"
    "    int asked = 0, each = 0;\n"
    "    const PKG_args args = { .M = 7, .N = pooled ? 1 : nthread };\n"
    "    const PKG_exec exec = { .threads = 1, .parallel_for = pooled ? last_first : NULL, .ctx = &asked };\n"
    "    met = taken = wrong = 0;\n"
    "    const PKG_call call = { .nthread = nthread, .npiece = nthread, .exec = exec, .args = args };\n"
    "    const int code = PKG_run_pieces(&call, meet);\n"
    "    for (int i = 0; i < (nthread > 1 ? nthread : 1); i++)\n"
    "        each |= 1 << i * 4;\n"
    "    return code == 0 && !wrong && taken == each && met == (nthread > 1 ? nthread : 1) && asked == (pooled && "
    "nthread > 1 ? nthread : 0);\n"
    "}\n"
    "int nthread(int threads, int pooled, double flops)\n"
    "{\n"
    "    return PKG_nthread(&(PKG_exec){ .threads = threads, .parallel_for = pooled ? last_first : NULL }, flops);\n"
    "}\n";

static void read_package(Fixture *f)
{
    Arena *a = f->arena;
    Diag *d = diag_new(a);
    const char *folder[] = { templates, NULL }, *err = NULL;
    Workload *w = ARENA_NEW(a, Workload);
    Function *function = ARENA_NEW(a, Function);
    TargetList *targets = ARENA_NEW(a, TargetList);
    Records *r = ARENA_NEW(a, Records);
    function->spec = spec_read(a, arena_printf(a, "%s/%s/spec.cfg", packages, f->name), folder, 1, d);
    assert_non_null(function->spec);
    assert_true(target_read_all(a, arena_printf(a, "%s/targets", templates), targets, d));
    w->targets = targets;
    assert_true(template_read_all(a, function->spec, folder, 1, &function->templates, d));
    w->package_dir = arena_printf(a, "%s/package", templates);
    text_list_add(a, &w->target, function->spec->target[0]);
    w->nfunction = 1;
    w->function = function;
    workload_make_jobs(a, w);
    f->made = w->job->result;
    if (!record_read(a, arena_printf(a, "%s/%s/records.jsonl", packages, f->name), r, stderr, &err) ||
        !replay_job(a, w->job, r, &err))
        fail_msg("%s: %s", f->name, err);
}

static void *compile(const Fixture *f, const char *what, const char *flags, const char *text)
{
    Arena *a = f->arena;
    const char *c = arena_printf(a, "%s/%s.c", f->folder, what), *so = arena_printf(a, "%s/%s.so", f->folder, what);
    put_file(c, text);
    assert_int_equal(
        system(arena_printf(a, "cc -shared -fPIC -O0 %s -I'%s/%s' '%s' -o '%s'", flags, packages, f->name, c, so)), 0);
    void *object = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        fail_msg("%s", dlerror());
    return object;
}

static const char *named(Arena *a, const char *text, const char *name)
{
    Text t = { .arena = a };
    for (const char *at; (at = strstr(text, "PKG")); text = at + 3) {
        text_addn(&t, text, (size_t)(at - text));
        text_add(&t, name);
    }
    text_add(&t, text);
    return text_str(&t);
}

/* The whole kernels.c with names that all packages share; and dispatch.h alone, which ends the program where anything
 * is undefined. */
static void compile_package(Fixture *f)
{
    Arena *a = f->arena;
    const char *n = f->name;
    const char *api = arena_printf(a,
                                   "#include \"kernels.c\"\n"
                                   "int choose(const int64_t *x) { return %s_choose(x[0], x[1], x[2]); }\n"
                                   "int cpu(void) { return %s_cpu(); }\n"
                                   "const char *text(int kernel) { return %s_kernel_text(kernel); }\n%s",
                                   n, n, n, named(a, share_out_text, n));
    f->dispatcher = package_dispatcher(a, &(ResultList){ f->made, 1 });
    f->api = compile(f, "api", "", api);
    f->predicates = compile(f, "predicates", "-Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover=all",
                            prove_source(a, f->dispatcher, "#include \"dispatch.h\""));
    *(void **)&f->dispatch = dlsym(f->predicates, "dcgen_dispatch");
    *(void **)&f->choose = dlsym(f->api, "choose");
    *(void **)&f->cpu = dlsym(f->api, "cpu");
    *(void **)&f->text = dlsym(f->api, "text");
    *(void **)&f->nthread = dlsym(f->api, "nthread");
    *(void **)&f->share_out = dlsym(f->api, "share_out");
}

static void fixture_open(Fixture *f, const char *name)
{
    char folder[TMP_FOLDER_BYTES];
    *f = (Fixture){ .arena = arena_new(), .name = name };
    assert_non_null(tmp_folder(folder));
    f->folder = arena_strdup(f->arena, folder);
    read_package(f);
    compile_package(f);
}

static void fixture_close(Fixture *f)
{
    dlclose(f->api);
    dlclose(f->predicates);
    assert_int_equal(tmp_folder_remove(f->folder), 0);
    arena_free(f->arena);
}

/* What the tree is asked with for that instance: on a CPU the parts that are worth their start. */
static void point_of(const Fixture *f, const Instance *inst, int64_t *x)
{
    memcpy(x, inst->extent, sizeof inst->extent);
    x[f->made->study->spec->op->naxis] = spec_parts(f->made->study->spec, inst->extent, inst->threads);
}

/* Each declared instance takes what was chosen for it. */
static void check_instances(const Fixture *f)
{
    const Spec *s = f->made->study->spec;
    const Assignment *as = f->made->assignment;
    assert_true(s->ninstance > 0);
    assert_int_equal(f->cpu(), 0); /* tuned for this CPU's best instruction set */
    for (int64_t i = 0; i < s->ninstance; i++) {
        int64_t x[OP_MAX_EXTENT + 1];
        point_of(f, &s->instance[i], x);
        assert_in_range(as->chosen[i], 0, as->nkernel - 1);
        assert_int_equal(f->dispatch(0, x), as->chosen[i]);
        if (x[s->op->naxis] == 1)
            assert_int_equal(f->choose(x), as->chosen[i]);
    }
}

/* Every integer point of the ranges and every place around a threshold, on each kind of CPU. */
static void check_all_points(const Fixture *f)
{
    const Spec *s = f->made->study->spec;
    const Dispatcher *d = f->dispatcher;
    const char *why = NULL;
    Proof p;
    int64_t points = 0;
    const TargetList *targets = f->made->unit.targets;
    int nentry = 1; /* the tuned instruction set, and those that CPUs may have instead: two of AVX-512, one of AVX2 */
    for (int i = 0; i < targets->n; i++)
        nentry += target_is_fallback(targets, &targets->t[i], d->entry[0].target);
    assert_int_equal(d->nentry, nentry);
    if (!prove_call(f->arena, d, f->dispatch, &p, &why))
        fail_msg("%s: %s", f->name, why);
    for (int i = 0; i < s->nshape; i++) {
        int64_t n = s->nthread;
        for (int j = 0; j < s->ndim; j++)
            n *= spec_shape_dims(s, &s->shape[i]) >> j & 1 ? s->dim[j].max - s->dim[j].min + 1 : 1;
        points += n;
    }
    assert_true(p.all);
    assert_int_equal(p.ndeclared, points);
    assert_true(p.ncut > 1000);
}

/* One axis after the other leaves the box of all shapes, by one and by as much as it can. */
static void check_other_shapes(const Fixture *f)
{
    const Spec *s = f->made->study->spec;
    const Assignment *as = f->made->assignment;
    const Box box = s->box;
    for (int axis = 0; axis < s->op->naxis; axis++) {
        const int64_t outside[] = { box.min[axis] - 1, 0,         box.max[axis] + 1, INT32_MAX, INT32_MAX + 1L, -1,
                                    INT32_MIN,         INT64_MIN, INT64_MAX - 1,     INT64_MAX };
        for (size_t j = 0; j < sizeof outside / sizeof *outside; j++) {
            int64_t x[OP_MAX_EXTENT + 1];
            point_of(f, &s->instance[s->ninstance / 2], x);
            x[axis] = outside[j];
            assert_int_equal(f->dispatch(0, x), as->general);
        }
    }
}

/* A call comes to each leaf: with the parts that the package would run it in. */
static void check_no_leaf_is_dead(const Fixture *f)
{
    const Spec *s = f->made->study->spec;
    const int n = tree_nleaf(f->made->assignment->tree);
    int nseen = 0;
    const TreeNode **seen = ARENA_ARRAY(f->arena, (size_t)n, const TreeNode *);
    for (int64_t i = 0; i < s->ninstance; i++) {
        int64_t x[OP_MAX_EXTENT + 1];
        point_of(f, &s->instance[i], x);
        const TreeNode *t = f->made->assignment->tree;
        while (t->feature >= 0)
            t = x[t->feature] <= t->threshold ? t->left : t->right;
        int k = 0;
        while (k < nseen && seen[k] != t)
            k++;
        if (k == nseen)
            seen[nseen++] = t;
    }
    assert_int_equal(nseen, n);
}

static void check_kernel_order(const Fixture *f)
{
    const Assignment *as = f->made->assignment;
    for (int k = 0; k < as->nkernel; k++) {
        const Candidate *c = &f->made->study->trial[as->kernel[k]].c;
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(c, value);
        assert_string_equal(
            f->text(k), unit_kernel_text(f->arena, &(UnitKernel){ .t = c->t, .target = c->target, .value = value }));
    }
    assert_non_null(f->text(as->nkernel)); /* for lesser instruction sets */
}

/* Threads that are worth it (test_pieces.c), of those allowed, and never more than 256; as many really take part. */
static void check_threads(const Fixture *f)
{
    static const struct {
        int threads, pooled, count;
        double flops;
    } row[] = { { INT_MAX, 1, 256, 1e18 }, { 257, 0, 256, 1e12 },  { 256, 1, 256, 1e12 },  { 255, 0, 255, 1e12 },
                { 2, 1, 2, 1e12 },         { 8, 1, 3, 3 * 256e3 }, { 8, 0, 1, 3 * 256e3 }, { 8, 0, 3, 24e6 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(f->nthread(row[i].threads, row[i].pooled, row[i].flops), row[i].count);
    assert_true(f->nthread(1, 1, 1e12) <= 1 && f->nthread(0, 1, 1e12) <= 1 && f->nthread(INT_MIN, 0, 1e12) <= 1);
    for (int n = -1; n <= 4; n++)
        for (int pooled = 0; pooled < 2; pooled++)
            if (!f->share_out(n, pooled))
                fail_msg("%s: %d threads, %s", f->name, n,
                         pooled ? "by the caller's parallel_for" : "started for the call");
}

static void check_package(const char *name)
{
    Fixture f;
    fixture_open(&f, name);
    check_instances(&f);
    check_all_points(&f);
    check_other_shapes(&f);
    check_no_leaf_is_dead(&f);
    check_kernel_order(&f);
    check_threads(&f);
    fixture_close(&f);
}

TEST(of_a) { check_package("pkg_a"); }
TEST(of_b) { check_package("pkg_b"); }
TEST(of_c) { check_package("pkg_c"); }
TEST(of_d) { check_package("pkg_d"); }
