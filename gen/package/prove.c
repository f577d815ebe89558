/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: compares a printed dispatcher with its tree, point by point.
 */
#include "gen/package/prove.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/points.h"

/* "avx512: M=17 N=768 K=768 threads=1: kernel 3, not 2" */
static const char *difference_text(Arena *a, const Dispatcher *d, int entry, const int64_t *x, int got, int want)
{
    Text t = { .arena = a };
    text_printf(&t, "%s:", d->entry[entry].target->name);
    for (int i = 0; i < dispatch_narguments(d); i++)
        text_printf(&t, " %s=%" PRId64, dispatch_argument(d, i), x[i]);
    text_printf(&t, ": kernel %d, not %d", got, want);
    return text_str(&t);
}

/* Puts the alignment of dense operands behind the extents of a declared point, where the dispatcher is told it. */
static void add_align(const Dispatcher *d, int64_t *x)
{
    const int at = d->spec->op->nextent;
    if (d->asks_align) {
        x[at + 1] = x[at];
        x[at] = spec_align(d->spec, x);
    }
}

/* Counts the points in *n. False with *why set at the first at which the two differ. */
static bool compare_points(Arena *a, const Dispatcher *d, ProveCall *call, Points *points, bool declared, int64_t *n,
                           const char **why)
{
    for (int64_t x[POINTS_MAX_AXIS]; points_next(points, x); ++*n) {
        if (declared)
            add_align(d, x);
        for (int i = 0; i < d->nentry; i++) {
            const int want = dispatch_kernel(d, i, x), got = call(i, x);
            if (got != want && dispatch_decides(d, i, x)) {
                *why = difference_text(a, d, i, x, got, want);
                return false;
            }
        }
    }
    return true;
}

/* The number of the tree's feature that is the i-th argument; -1: it is none of this tree. */
static int feature_of(const Dispatcher *d, const DispatchEntry *e, int i)
{
    const Assignment *as = e->result ? e->result->assignment : NULL;
    for (int f = 0; as && f < as->nfeature; f++)
        if (strcmp(select_feature_name(d->spec->op, as, f), dispatch_argument(d, i)) == 0)
            return f;
    return -1;
}

/* The range of an argument, and the thresholds that any of the trees has there. */
static PointAxis axis_with_cuts(Arena *a, const Dispatcher *d, int i)
{
    const Spec *s = d->spec;
    const bool extent = i < s->op->nextent, align = !extent && d->asks_align && i == s->op->nextent;
    PointAxis axis = { .min = extent  ? s->box.min[i]
                              : align ? 1
                                      : s->threads[0],
                       .max = extent  ? s->box.max[i]
                              : align ? ALIGN_MOST
                                      : s->threads[s->nthread - 1] };
    int max_cut = ALIGN_MOST;
    for (int k = 0; k < d->nentry; k++)
        max_cut += d->entry[k].tree ? tree_nleaf(d->entry[k].tree) : 0;
    axis.cut = ARENA_ARRAY(a, (size_t)max_cut, int64_t);
    for (int bytes = 2; align && bytes < ALIGN_MOST; bytes *= 2)
        axis.cut[axis.ncut++] = bytes;
    for (int k = 0; k < d->nentry; k++)
        if (feature_of(d, &d->entry[k], i) >= 0)
            axis.ncut += dispatch_cuts(d->entry[k].tree, feature_of(d, &d->entry[k], i), axis.cut + axis.ncut);
    return axis;
}

/* Has each kind of machine a kernel that serves every call? */
static bool all_are_served(Arena *a, const Dispatcher *d, const char **why)
{
    for (const DispatchEntry *e = d->entry; e < d->entry + d->nentry; e++) {
        int k = e->first;
        while (k < e->first + e->nkernel && d->condition[k])
            k++;
        if (k == e->first + e->nkernel) {
            *why = arena_printf(a, "%s: none of its kernels serves every call", e->target->name);
            return false;
        }
    }
    return true;
}

bool prove_call(Arena *a, const Dispatcher *d, ProveCall *call, Proof *out, const char **why)
{
    PointAxis axis[POINTS_MAX_AXIS];
    Points *declared = points_declared(a, d->spec, PROVE_MAX_POINT);
    *out = (Proof){ .all = points_are_all(declared) };
    for (int i = 0; i < dispatch_narguments(d); i++)
        axis[i] = axis_with_cuts(a, d, i);
    Points *cuts = points_cuts(a, axis, dispatch_narguments(d), PROVE_MAX_POINT);
    return all_are_served(a, d, why) && compare_points(a, d, call, cuts, false, &out->ncut, why) &&
           compare_points(a, d, call, declared, true, &out->ndeclared, why);
}

const char *prove_source(Arena *a, const Dispatcher *d, const char *text)
{
    Text t = { .arena = a };
    text_printf(&t,
                "#include <stdint.h>\n%s\nint dcgen_dispatch(int entry, const int64_t *x);\n"
                "int dcgen_dispatch(int entry, const int64_t *x)\n{\n    return %s_dispatch(entry",
                text, d->spec->name);
    for (int i = 0; i < dispatch_narguments(d); i++)
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
