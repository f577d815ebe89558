/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: compares a printed dispatcher with its tree. Takes a package's dispatcher as data and as text; gives the number of points at which
 * both agree, or the first point at which they do not.
 */
#include "gen/package/prove.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/points.h"

/* The arguments of the dispatcher: the extents, and the parts if it is told them. */
static int count_arguments(const Dispatcher *d) { return d->spec->op->nextent + d->is_told_parts; }

/* "avx512: M=17 N=768 K=768 threads=1: kernel 3, not 2" */
static const char *difference_text(Arena *a, const Dispatcher *d, int entry, const int64_t *x, int got, int want)
{
    Text t = { .arena = a };
    text_printf(&t, "%s:", d->entry[entry].target->name);
    for (int i = 0; i < count_arguments(d); i++)
        text_printf(&t, " %s=%" PRId64, dispatch_feature(d->spec->op, i), x[i]);
    text_printf(&t, ": kernel %d, not %d", got, want);
    return text_str(&t);
}

/* Counts the points in *n. False with *why set at the first at which the two differ. */
static bool compare_points(Arena *a, const Dispatcher *d, ProveCall *call, Points *points, int64_t *n, const char **why)
{
    for (int64_t x[POINTS_MAX_AXIS]; points_next(points, x); ++*n)
        for (int i = 0; i < d->nentry; i++) {
            const int want = dispatch_kernel(d, i, x), got = call(i, x);
            if (got != want) {
                *why = difference_text(a, d, i, x, got, want);
                return false;
            }
        }
    return true;
}

/* The range of an extent, or of the parts, and the thresholds that any of the trees has there. */
static PointAxis axis_with_cuts(Arena *a, const Dispatcher *d, int feature)
{
    const Spec *s = d->spec;
    const bool extent = feature < s->op->nextent;
    PointAxis axis = { .min = extent ? s->box.min[feature] : s->threads[0],
                       .max = extent ? s->box.max[feature] : s->threads[s->nthread - 1] };
    int max_cut = 0;
    for (int i = 0; i < d->nentry; i++)
        max_cut += d->entry[i].tree ? tree_nleaf(d->entry[i].tree) : 0;
    axis.cut = ARENA_ARRAY(a, (size_t)max_cut, int64_t);
    for (int i = 0; i < d->nentry; i++)
        axis.ncut += d->entry[i].tree ? dispatch_cuts(d->entry[i].tree, feature, axis.cut + axis.ncut) : 0;
    return axis;
}

bool prove_call(Arena *a, const Dispatcher *d, ProveCall *call, Proof *out, const char **why)
{
    PointAxis axis[POINTS_MAX_AXIS];
    Points *declared = points_declared(a, d->spec, PROVE_MAX_POINT);
    *out = (Proof){ .all = points_are_all(declared) };
    for (int i = 0; i < count_arguments(d); i++)
        axis[i] = axis_with_cuts(a, d, i);
    Points *cuts = points_cuts(a, axis, count_arguments(d), PROVE_MAX_POINT);
    return compare_points(a, d, call, cuts, &out->ncut, why) &&
           compare_points(a, d, call, declared, &out->ndeclared, why);
}

/* ---- compiled ---- */

const char *prove_source(Arena *a, const Dispatcher *d, const char *text)
{
    Text t = { .arena = a };
    text_printf(&t,
                "#include <stdint.h>\n%s\nint dcgen_dispatch(int entry, const int64_t *x);\n"
                "int dcgen_dispatch(int entry, const int64_t *x)\n{\n    return %s_dispatch(entry",
                text, d->spec->name);
    for (int i = 0; i < count_arguments(d); i++)
        text_printf(&t, ", x[%d]", i);
    text_add(&t, ");\n}\n");
    return text_str(&t);
}

static ProofStatus prove_object(Arena *a, const Dispatcher *d, const char *path, Proof *out, const char **why)
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
    const bool holds = prove_call(a, d, call, out, why);
    dlclose(so);
    return holds ? PROOF_HOLDS : PROOF_FAILS;
}

ProofStatus prove_text(Arena *a, const Dispatcher *d, const char *text, Builder *b, const volatile int *stop,
                       Proof *out, const char **why)
{
    Build build = { .name = "dispatch", .text = prove_source(a, d, text) };
    build_all(b, a, &build, 1, stop);
    if (build.status != STATUS_OK) {
        *why = arena_printf(a, "it does not compile: %s", build.why);
        return build.status == STATUS_BUILD_FAILED ? PROOF_FAILS : PROOF_NONE;
    }
    const ProofStatus status = prove_object(a, d, build.so, out, why);
    build_remove(b, build.so);
    return status;
}
