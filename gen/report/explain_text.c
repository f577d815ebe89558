/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_text: an explanation for people.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/explain_private.h"
#include "gen/report/words.h"

static const char *const place_text[PLACE_COUNT] = { [PLACE_TUNED] = "a tuned shape",
                                                     [PLACE_DECLARED] = "a declared shape, not measured",
                                                     [PLACE_BETWEEN] =
                                                         "within the declared ranges, but not a declared shape",
                                                     [PLACE_OUTSIDE] = "outside the declared ranges" };

static const char *shape_text(const Explanation *x, const Instance *inst)
{
    return words_shape(x->arena, x->study->spec->op, inst->extent, inst->threads);
}

static void say_head(const Explanation *x, FILE *out)
{
    const Study *s = x->study;
    fprintf(out, "%s", s->spec->name);
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        fprintf(out, "%s %s = %" PRId64, i ? "," : " at", s->spec->dim[i].name, x->dim[i]);
    quote_printf(out, ": %d kernel%s for %s, times of %s\n", x->assignment->nkernel,
                 number_plural(x->assignment->nkernel), s->target->name, s->device->name);
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        if (x->dim[i] < s->spec->dim[i].min || x->dim[i] > s->spec->dim[i].max)
            fprintf(out, "%s = %" PRId64 " is outside its range, %" PRId64 " to %" PRId64 "\n", s->spec->dim[i].name,
                    x->dim[i], s->spec->dim[i].min, s->spec->dim[i].max);
}

/* Which test of the box fails; the tests that lead through the tree. */
static void say_path(const Explanation *x, const Answer *w, FILE *out)
{
    const Op *op = x->study->spec->op;
    const char *label = "path";
    for (int i = 0; i < op->naxis; i++)
        if (w->inst.extent[i] < x->box.min[i] || w->inst.extent[i] > x->box.max[i]) {
            fprintf(out, "  %-10s %s = %" PRId64 " is not within %" PRId64 " to %" PRId64 ": the general kernel\n",
                    label, op->axis[i].name, w->inst.extent[i], x->box.min[i], x->box.max[i]);
            label = "";
        }
    for (int i = 0; i < w->nstep; i++) {
        const Step *s = &w->step[i];
        fprintf(out, "  %-10s %s <= %" PRId64 "? %s: %s = %" PRId64 "\n", label, s->name, s->threshold,
                s->below ? "yes" : "no", s->name, s->value);
        label = "";
    }
    if (*label)
        fprintf(out, "  %-10s no test: one kernel serves all shapes in range\n", label);
}

static bool said_before(const Explanation *x, const Answer *w)
{
    for (const Answer *v = x->answer; v < w; v++)
        if (v->choice.kernel == w->choice.kernel)
            return true;
    return false;
}

/* A kernel's parameters in words, the first time that it is named. */
static void say_kernel(const Explanation *x, const Answer *w, FILE *out)
{
    const Candidate *c = &w->trial->c;
    int64_t value[TEMPLATE_MAX_PARAM];
    fprintf(out, "  %-10s %d: %s for %s, %s of code\n", "kernel", x->first + w->choice.kernel, c->t->name,
            c->target->name, number_bytes(x->arena, w->trial->code_bytes));
    if (said_before(x, w))
        return;
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        fprintf(out, "  %-10s   %-6s = %-5" PRId64 " %s\n", "", c->t->param[i].name, value[i],
                quote_line(x->arena, c->t->param[i].doc));
}

static const char *speed_text(const Explanation *x, double flops, double ns)
{
    return flops > 0 && isfinite(ns) ? arena_printf(x->arena, ", %s GFLOP/s", number_sig(x->arena, flops / ns, 3)) : "";
}

static void say_time(const Explanation *x, const Answer *w, FILE *out)
{
    const Choice *c = &w->choice;
    if (!isfinite(c->ns)) {
        fprintf(out, "  %-10s %s\n", "time",
                w->flops > 0 ? "not known: the shape is too large for the model" : "nothing is computed");
        return;
    }
    fprintf(out, "  %-10s %s%s%s\n", "time", number_time(x->arena, c->ns), speed_text(x, w->flops, c->ns),
            c->measured ? ", measured" : ", predicted");
    if (w->near >= 0) {
        const Instance *near = x->study->shape[w->near];
        double ns = w->trial->ns[w->near];
        fprintf(out, "  %-10s %s%s at %s\n", "measured", number_time(x->arena, ns),
                speed_text(x, spec_flops(x->study->spec, near->extent), ns), shape_text(x, near));
    }
}

/* What the model alone says, as if this kernel had never been measured. */
static void say_predicted(const Explanation *x, const Answer *w, FILE *out)
{
    if (isfinite(w->model_ns))
        fprintf(out, "  %-10s %s by the model alone: %s %s than %s\n", "predicted", number_time(x->arena, w->model_ns),
                number_percent(x->arena, fabs(w->model_ns / w->choice.ns - 1)),
                w->model_ns >= w->choice.ns ? "more" : "less",
                w->choice.measured ? "measured" : "with the kernel's measurements on other shapes");
}

/* Which kernel of the package a trial is; -1: none. */
static int kernel_of(const Explanation *x, int64_t trial)
{
    int k = x->assignment->nkernel - 1;
    while (k >= 0 && x->assignment->kernel[k] != trial)
        k--;
    return k;
}

static void say_others(const Explanation *x, const Answer *w, FILE *out)
{
    const Choice *c = &w->choice;
    Arena *a = x->arena;
    if (!isfinite(c->ns))
        return;
    if (c->runner < 0)
        fprintf(out, "  %-10s none: the package has one kernel\n", "runner-up");
    else
        fprintf(out, "  %-10s kernel %d, %s: %s %s\n", "runner-up", x->first + c->runner, number_time(a, c->runner_ns),
                number_percent(a, fabs(c->runner_ns / c->ns - 1)),
                c->runner_ns >= c->ns       ? "more"
                : w->place == PLACE_OUTSIDE ? "less, but one kernel serves all that is outside"
                                            : "less, given up for a simpler tree");
    int best = kernel_of(x, c->best_trial);
    const Candidate *known = &x->study->trial[c->best_trial].c;
    if (c->best_ns >= c->ns)
        fprintf(out, "  %-10s this kernel\n", "best known");
    else if (best >= 0)
        fprintf(out, "  %-10s kernel %d, %s: this one takes %s more\n", "best known", x->first + best,
                number_time(a, c->best_ns), number_percent(a, c->ns / c->best_ns - 1));
    else
        fprintf(out, "  %-10s %s, not in the package: this one takes %s more\n  %-10s   %s %s\n", "best known",
                number_time(a, c->best_ns), number_percent(a, c->ns / c->best_ns - 1), "", known->t->name,
                words_values(a, known));
}

static void say_work(const Explanation *x, const Answer *w, FILE *out)
{
    if (w->has_factors)
        fprintf(out, "  %-10s %s of the work done is useful (f_pad); the threads are busy %s of the time (f_occ)\n",
                "work", number_percent(x->arena, w->pad), number_percent(x->arena, w->occ));
}

/* The least time that arithmetic and memory allow. */
static void say_bound(const Explanation *x, const Answer *w, FILE *out)
{
    const Bound *b = &w->bound;
    Arena *a = x->arena;
    if (!w->has_bound)
        return;
    fprintf(out, "  %-10s %s at least: arithmetic %s at %s GFLOP/s", "roofline", number_time(a, b->ns),
            number_time(a, b->compute_ns), number_sig(a, b->flops_per_s * 1e-9, 3));
    if (b->bytes_per_s > 0)
        fprintf(out, ", %s from %s %s at %s GB/s", number_bytes(a, (int64_t)b->bytes), level_text(b->level),
                number_time(a, b->memory_ns), number_sig(a, b->bytes_per_s * 1e-9, 3));
    fprintf(out, "%s\n", x->roofline.modelled ? " (of the data sheet)" : "");
}

/* "limited by memory bandwidth": and how much of the bound each factor leaves. */
static const char *limit_text(const Explanation *x, const Answer *w)
{
    static const struct {
        const char *name, *text;
    } row[] = { { "arithmetic", "arithmetic: the peak of the floating-point units" },
                { "padding", "padding: work on rows and columns that the shape does not have" },
                { "balance", "balance: threads that wait for the busiest one" },
                { "kernel", "the kernel itself: instructions beside the arithmetic, latencies, caches" } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(w->shares.limited_by, row[i].name) == 0)
            return row[i].text;
    return arena_printf(x->arena, "the bandwidth of %s", level_text(w->bound.level));
}

static void say_limit(const Explanation *x, const Answer *w, FILE *out)
{
    const Shares *s = &w->shares;
    Arena *a = x->arena;
    if (!w->has_bound || !isfinite(w->choice.ns))
        return;
    if (!w->has_shares) {
        fprintf(out, "  %-10s not known: the time that is predicted is %s below the roofline\n", "limited by",
                number_percent(a, 1 - w->choice.ns / w->bound.ns));
        return;
    }
    fprintf(out, "  %-10s %s\n", "limited by", limit_text(x, w));
    fprintf(out, "  %-10s %s of the roofline is reached = padding %s x balance %s x kernel %s\n", "",
            number_percent(a, s->reached), number_sig(a, s->padding, 3), number_sig(a, s->balance, 3),
            number_sig(a, s->kernel, 3));
}

void explain_text(const Explanation *x, FILE *out)
{
    say_head(x, out);
    for (int i = 0; i < x->nanswer; i++) {
        const Answer *w = &x->answer[i];
        fprintf(out, "\n%s: %s\n", shape_text(x, &w->inst), place_text[w->place]);
        say_path(x, w, out);
        say_kernel(x, w, out);
        say_time(x, w, out);
        say_predicted(x, w, out);
        say_others(x, w, out);
        say_work(x, w, out);
        say_bound(x, w, out);
        say_limit(x, w, out);
    }
}
