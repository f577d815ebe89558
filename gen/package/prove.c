/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: compares a printed dispatcher with its tree. Takes a package's dispatcher as data and as text, gives the number of points
 * at which both agree, or the first at which they do not.
 */
#include "gen/package/prove.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/points.h"

typedef struct {
    Arena *arena;
    const Dispatcher *d;
    ProveCall *call;
} Prover;

/* "avx512: M=17 N=768 K=768 threads=1: kernel 3, not 2" */
static const char *difference(const Prover *p, int entry, const int64_t *x, int got, int want)
{
    const Dispatcher *d = p->d;
    Text t = { .arena = p->arena };
    text_printf(&t, "%s:", d->entry[entry].target->name);
    for (int i = 0; i < d->naxis; i++)
        text_printf(&t, " %s=%" PRId64, d->op->axis[i].name, x[i]);
    if (d->is_told_parts)
        text_printf(&t, " threads=%" PRId64, x[d->naxis]);
    text_printf(&t, ": kernel %d, not %d", got, want);
    return arena_strdup(p->arena, text_str(&t));
}

/* Counts the points, or says in *why at which the two differ. */
static bool compare(const Prover *p, Points *points, int64_t *n, const char **why)
{
    const Dispatcher *d = p->d;
    for (int64_t x[POINTS_MAX_AXIS]; points_next(points, x); ++*n)
        for (int i = 0; i < d->nentry; i++) {
            const int want = dispatch_kernel(d, i, x), got = p->call(i, x);
            if (got != want) {
                *why = difference(p, i, x, got, want);
                return false;
            }
        }
    return true;
}

/* ---- cuts of the trees ---- */

static int count_cuts(const TreeNode *t, int feature)
{
    return t->feature < 0 ? 0 : (t->feature == feature) + count_cuts(t->left, feature) + count_cuts(t->right, feature);
}

static void add_cuts(const TreeNode *t, int feature, PointAxis *axis)
{
    if (t->feature < 0)
        return;
    if (t->feature == feature)
        axis->cut[axis->ncut++] = t->threshold;
    add_cuts(t->left, feature, axis);
    add_cuts(t->right, feature, axis);
}

static PointAxis axis_of(Arena *a, const Dispatcher *d, const Spec *s, int feature)
{
    const bool extent = feature < d->naxis;
    PointAxis axis = { .min = extent ? d->box.min[feature] : s->threads[0],
                       .max = extent ? d->box.max[feature] : s->threads[s->nthread - 1] };
    int n = 0;
    for (int i = 0; i < d->nentry; i++)
        n += d->entry[i].tree ? count_cuts(d->entry[i].tree, feature) : 0;
    axis.cut = ARENA_ARRAY(a, (size_t)n + 1, int64_t);
    for (int i = 0; i < d->nentry; i++)
        if (d->entry[i].tree)
            add_cuts(d->entry[i].tree, feature, &axis);
    return axis;
}

static Points *cuts_of(Arena *a, const Dispatcher *d, const Spec *s)
{
    PointAxis axis[POINTS_MAX_AXIS];
    const int naxis = d->naxis + d->is_told_parts;
    for (int i = 0; i < naxis; i++)
        axis[i] = axis_of(a, d, s, i);
    return points_cuts(a, axis, naxis, PROVE_MAX_POINT);
}

bool prove_call(Arena *a, const Dispatcher *d, const Spec *s, ProveCall *call, Proof *out, const char **why)
{
    const Prover p = { a, d, call };
    Points *declared = points_declared(a, s, PROVE_MAX_POINT);
    *out = (Proof){ .all = points_are_all(declared) };
    return compare(&p, cuts_of(a, d, s), &out->ncut, why) && compare(&p, declared, &out->ndeclared, why);
}

/* ---- compiled ---- */

char *prove_source(Arena *a, const Dispatcher *d, const char *text)
{
    Text t = { .arena = a };
    text_printf(&t,
                "#include <stdint.h>\n%s\nint dcgen_dispatch(int entry, const int64_t *x);\n"
                "int dcgen_dispatch(int entry, const int64_t *x)\n{\n    return %s_dispatch(entry",
                text, d->name);
    for (int i = 0; i < d->naxis + d->is_told_parts; i++)
        text_printf(&t, ", x[%d]", i);
    text_add(&t, ");\n}\n");
    return arena_strdup(a, text_str(&t));
}

static ProofStatus prove_object(Arena *a, const Dispatcher *d, const Spec *s, const char *path, Proof *out,
                                const char **why)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ProveCall *call = NULL;
    if (so)
        *(void **)&call = dlsym(so, "dcgen_dispatch");
    if (!call) {
        const char *error = dlerror();
        *why = arena_printf(a, "what the compiler made of it cannot be loaded: %s", error ? error : "no such function");
        if (so)
            dlclose(so);
        return PROOF_NONE;
    }
    const bool holds = prove_call(a, d, s, call, out, why);
    dlclose(so);
    return holds ? PROOF_HOLDS : PROOF_FAILS;
}

ProofStatus prove_text(Arena *a, const Dispatcher *d, const Spec *s, const char *text, Builder *b,
                       const volatile int *stop, Proof *out, const char **why)
{
    Build build = { .name = "dispatch", .text = prove_source(a, d, text) };
    build_all(b, a, &build, 1, stop);
    if (build.status != STATUS_OK) {
        *why = arena_printf(a, "it does not compile: %s", build.why);
        return build.status == STATUS_BUILD_FAILED ? PROOF_FAILS : PROOF_NONE;
    }
    const ProofStatus status = prove_object(a, d, s, build.so, out, why);
    build_remove(b, build.so);
    return status;
}
