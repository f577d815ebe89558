/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_say: prints an explanation, for people as lines of text, for programs as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/explain_private.h"
#include "gen/report/words.h"

static const struct {
    const char *name, *text;
} PLACE[PLACE_COUNT] = { [PLACE_TUNED] = { "tuned", "a tuned shape" },
                         [PLACE_HELD_OUT] = { "held_out",
                                              "a declared shape, held out: its times had no part in the choice" },
                         [PLACE_DECLARED] = { "declared", "a declared shape, not measured" },
                         [PLACE_BETWEEN] = { "between", "within the declared ranges, but not a declared shape" },
                         [PLACE_OUTSIDE] = { "outside", "outside the declared ranges" } };

/* ---- for people ---- */

static const char *shape_text(const Explanation *x, const Instance *inst)
{
    return words_shape(x->arena, x->study->spec->op, inst->extent, inst->threads);
}

static void say_head(const Explanation *x, FILE *out)
{
    const Study *s = x->study;
    fprintf(out, "%s", s->spec->name);
    const char *before = " at";
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        if (s->spec->dims >> i & 1) {
            fprintf(out, "%s %s = %" PRId64, before, s->spec->dim[i].name, x->dim[i]);
            before = ",";
        }
    quote_printf(out, ": %d kernel%s for %s, times of %s\n", x->assignment->nkernel,
                 number_plural(x->assignment->nkernel), s->target->name, s->device->name);
    if (s->spec->formula)
        quote_printf(out, "formula: %s\n", s->spec->formula->text);
    if (s->spec->accuracy > 1)
        fprintf(out, "accuracy: off by at most %g times the rounding error of plain sums\n", s->spec->accuracy);
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        if (!spec_dim_holds(s->spec, i, x->dim[i]))
            fprintf(out, "%s = %" PRId64 " is outside its range, %" PRId64 " to %" PRId64 "\n", s->spec->dim[i].name,
                    x->dim[i], s->spec->dim[i].min, s->spec->dim[i].max);
}

/* Prints a line. label: "" if it goes on with what the line before says. */
__attribute__((format(printf, 3, 4))) static void say_line(FILE *out, const char *label, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(out, "  %-10s ", label);
    vfprintf(out, fmt, ap);
    fputc('\n', out);
    va_end(ap);
}

/* Says which extents are outside the box, or which tests lead through the tree. */
static void say_path(const Explanation *x, const Answer *w, FILE *out)
{
    const Spec *spec = x->study->spec;
    const char *label = "path";
    for (int i = 0; i < spec->op->nextent; i++)
        if (w->inst.extent[i] < spec->box.min[i] || w->inst.extent[i] > spec->box.max[i]) {
            say_line(out, label, "%s = %" PRId64 " is not within %" PRId64 " to %" PRId64 ": the general kernel",
                     spec->op->extent[i].name, w->inst.extent[i], spec->box.min[i], spec->box.max[i]);
            label = "";
        }
    for (const Step *s = w->step; s < w->step + w->nstep; s++) {
        say_line(out, label, "%s <= %" PRId64 "? %s: %s = %" PRId64, s->name, s->threshold, s->below ? "yes" : "no",
                 s->name, s->value);
        label = "";
    }
    if (*label)
        say_line(out, label, "no test: one kernel serves all shapes in range");
}

/* Does an earlier answer have the same kernel? */
static bool named_before(const Explanation *x, const Answer *w)
{
    for (const Answer *v = x->answer; v < w; v++)
        if (v->choice.kernel == w->choice.kernel)
            return true;
    return false;
}

/* Names the kernel; when it is named for the first time, also its parameters. */
static void say_kernel(const Explanation *x, const Answer *w, FILE *out)
{
    const Candidate *c = &w->trial->c;
    int64_t value[TEMPLATE_MAX_PARAM];
    say_line(out, "kernel", "%d: %s for %s, %s of code", x->first + w->choice.kernel, c->t->name, c->target->name,
             number_bytes(x->arena, w->trial->code_bytes));
    if (named_before(x, w))
        return;
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        say_line(out, "", "  %-6s = %-5" PRId64 " %s", c->t->param[i].name, value[i],
                 quote_line(x->arena, c->t->param[i].doc));
}

static const char *speed_text(const Explanation *x, const int64_t *extent, double ns)
{
    const Spec *s = x->study->spec;
    const double speed = words_speed(s, extent, ns);
    return speed > 0 ? arena_printf(x->arena, ", %s %s", number_sig(x->arena, speed, 3), words_speed_unit(s)) : "";
}

static void say_time(const Explanation *x, const Answer *w, FILE *out)
{
    Arena *a = x->arena;
    const Choice *c = &w->choice;
    if (!isfinite(c->ns)) {
        say_line(out, "time",
                 choice_is_empty(x->study->spec, w->inst.extent) ? "nothing is computed"
                                                                 : "not known: the shape is too large for the model");
        return;
    }
    say_line(out, "time", "%s%s, %s", number_time(a, c->ns), speed_text(x, w->inst.extent, c->ns),
             c->measured ? "measured" : "predicted");
    if (w->near >= 0) {
        const Instance *near = x->study->shape[w->near];
        const double ns = w->trial->ns[w->near];
        say_line(out, "measured", "%s%s at %s", number_time(a, ns), speed_text(x, near->extent, ns),
                 shape_text(x, near));
    }
    if (isfinite(w->model_ns))
        say_line(out, "predicted", "%s by the model alone: %s %s than %s", number_time(a, w->model_ns),
                 number_percent(a, fabs(w->model_ns / c->ns - 1)), w->model_ns >= c->ns ? "more" : "less",
                 c->measured ? "measured" : "with the kernel's measurements on other shapes");
}

static void say_others(const Explanation *x, const Answer *w, FILE *out)
{
    const Choice *c = &w->choice;
    Arena *a = x->arena;
    if (!isfinite(c->ns))
        return;
    if (c->runner < 0)
        say_line(out, "runner-up", "none: the package has one kernel");
    else
        say_line(out, "runner-up", "kernel %d, %s%s: %s %s", x->first + c->runner, number_time(a, c->runner_ns),
                 c->runner_measured ? "" : " predicted", number_percent(a, fabs(c->runner_ns / c->ns - 1)),
                 c->runner_ns >= c->ns        ? "more"
                 : w->place == PLACE_OUTSIDE  ? "less, but one kernel serves all that is outside"
                 : w->place == PLACE_HELD_OUT ? "less, which the choice did not know"
                                              : "less, given up for a simpler tree");
    const int best = select_kernel_of(x->assignment, c->best_trial);
    const Candidate *fastest = &x->study->trial[c->best_trial].c;
    const char *time = arena_printf(a, "%s%s", number_time(a, c->best_ns), c->best_measured ? "" : " predicted"),
               *more = number_percent(a, c->ns / c->best_ns - 1);
    if (c->best_ns >= c->ns)
        say_line(out, "best known", "this kernel%s", c->best_measured ? "" : ", by what is predicted");
    else if (best >= 0)
        say_line(out, "best known", "kernel %d, %s: this one takes %s more", x->first + best, time, more);
    else {
        say_line(out, "best known", "%s, not in the package: this one takes %s more", time, more);
        say_line(out, "", "  %s %s", fastest->t->name, candidate_settings(a, fastest));
    }
}

static void say_bound(const Explanation *x, const Answer *w, FILE *out)
{
    const Bound *b = &w->bound;
    Arena *a = x->arena;
    if (!w->has_bound)
        return;
    const bool computes = b->flops > 0; /* else memory alone counts, and its time is the bound */
    const char *arithmetic = computes ? arena_printf(a, "arithmetic %s at %s GFLOP/s", number_time(a, b->compute_ns),
                                                     number_sig(a, b->flops_per_s * 1e-9, 3))
                                      : "";
    const char *memory =
        b->bytes_per_s > 0
            ? arena_printf(a, "%s%s from %s%s%s at %s GB/s", computes ? ", " : "", number_bytes(a, (int64_t)b->bytes),
                           level_text(b->level), computes ? " " : "", computes ? number_time(a, b->memory_ns) : "",
                           number_sig(a, b->bytes_per_s * 1e-9, 3))
            : "";
    say_line(out, "roofline", "%s at least%s: %s%s%s", number_time(a, b->ns), b->by_data ? " for the full shape" : "",
             arithmetic, memory, x->study->roofline->modelled ? " (of the data sheet)" : "");
}

/* What limits the kernel: "the bandwidth of the L2 cache". */
static const char *limit_text(const Explanation *x, const Answer *w)
{
    static const struct Limit {
        const char *name, *text;
    } limits[] = { { "arithmetic", "arithmetic: the peak of the floating-point units" },
                   { "padding", "padding: work on rows and columns that the shape does not have" },
                   { "balance", "balance: threads that wait for the busiest one" },
                   { "kernel", "the kernel itself: instructions beside the arithmetic, latencies, caches" } };
    const struct Limit *l = names_row(NAMES(limits, LENGTH(limits)), w->shares.limited_by);
    if (!(w->bound.flops > 0) && strcmp(w->shares.limited_by, "kernel") == 0)
        return "the kernel itself: arithmetic, latencies, instructions beside the loads";
    return l ? l->text : arena_printf(x->arena, "the bandwidth of %s", level_text(w->bound.level));
}

/* Says what limits the kernel, and how much of the roofline each factor leaves. */
static void say_limit(const Explanation *x, const Answer *w, FILE *out)
{
    const Shares *s = &w->shares;
    Arena *a = x->arena;
    if (!w->has_bound || !isfinite(w->choice.ns))
        return;
    if (w->bound.by_data) {
        say_line(out, "limited by", "not known: data decide how much of the full shape's work there is");
        return;
    }
    if (!w->has_shares) {
        say_line(out, "limited by", "not known: %s is %s below the roofline",
                 w->choice.measured ? "times are as at the machine's best moment, and this one"
                                    : "the time that is predicted",
                 number_percent(a, 1 - w->choice.ns / w->bound.ns));
        return;
    }
    say_line(out, "limited by", "%s", limit_text(x, w));
    say_line(out, "", "%s of the roofline is reached%s", number_percent(a, s->reached),
             w->bound.flops > 0
                 ? arena_printf(a, " = padding %s x balance %s x kernel %s", number_sig(a, s->padding, 3),
                                number_sig(a, s->balance, 3), number_sig(a, s->kernel, 3))
                 : "");
}

void explain_text(const Explanation *x, FILE *out)
{
    say_head(x, out);
    for (int i = 0; i < x->nanswer; i++) {
        const Answer *w = &x->answer[i];
        fprintf(out, "\n%s: %s\n", shape_text(x, &w->inst), PLACE[w->place].text);
        say_path(x, w, out);
        say_kernel(x, w, out);
        say_time(x, w, out);
        say_others(x, w, out);
        if (w->has_factors)
            say_line(out, "work", "%s of the work done is useful (f_pad); the threads are busy %s of the time (f_occ)",
                     number_percent(x->arena, w->pad), number_percent(x->arena, w->occ));
        say_bound(x, w, out);
        say_limit(x, w, out);
    }
}

/* ---- for programs ---- */

static json_t *candidate_json(const Explanation *x, int64_t trial)
{
    const Trial *t = &x->study->trial[trial];
    return JSON_OBJECT(FIELD("template", t->c.t->name), FIELD("target", t->c.target->name),
                       FIELD("code_bytes", t->code_bytes), FIELD("params", words_values_json(&t->c)));
}

static json_t *kernel_json(const Explanation *x, int k)
{
    return JSON_SET(candidate_json(x, x->assignment->kernel[k]), FIELD("index", x->first + k));
}

static json_t *extents_json(const Explanation *x, const Instance *inst)
{
    return words_extents_json(json_object(), x->study->spec->op, inst->extent);
}

static json_t *path_json(const Answer *w)
{
    json_t *list = json_array();
    for (const Step *s = w->step; s < w->step + w->nstep; s++)
        json_array_append_new(list, JSON_OBJECT(FIELD("name", s->name), FIELD("value", s->value),
                                                FIELD("at_most", s->threshold), FIELD("holds", s->below)));
    return list;
}

static json_t *runner_up_json(const Explanation *x, const Choice *c)
{
    if (c->runner < 0 || !isfinite(c->ns))
        return json_null();
    return JSON_SET(kernel_json(x, c->runner), FIELD("time_ns", c->runner_ns), FIELD("measured", c->runner_measured),
                    FIELD("margin", c->runner_ns / c->ns - 1));
}

static json_t *best_known_json(const Explanation *x, const Choice *c)
{
    if (!isfinite(c->best_ns))
        return json_null();
    return JSON_SET(candidate_json(x, c->best_trial), FIELD("time_ns", c->best_ns), FIELD("measured", c->best_measured),
                    FIELD("regret", c->ns / c->best_ns - 1));
}

static json_t *nearest_json(const Explanation *x, const Answer *w)
{
    const Instance *near = w->near < 0 ? NULL : x->study->shape[w->near];
    if (!near)
        return json_null();
    return JSON_OBJECT(FIELD("extents", extents_json(x, near)), FIELD("threads", near->threads),
                       FIELD("time_ns", w->trial->ns[w->near]));
}

static json_t *roofline_json(const Explanation *x, const Answer *w)
{
    const Bound *b = &w->bound;
    const bool memory = b->bytes_per_s > 0;
    if (!w->has_bound)
        return json_null();
    return JSON_OBJECT(FIELD("bound_ns", b->ns), FIELD("compute_ns", json_of_known(b->flops > 0, b->compute_ns)),
                       FIELD("memory_ns", json_of_known(memory, b->memory_ns)),
                       FIELD("flops_per_s", json_of_known(b->flops > 0, b->flops_per_s)), FIELD("bytes", b->bytes),
                       FIELD("bytes_per_s", json_of_known(memory, b->bytes_per_s)),
                       FIELD("level", memory ? level_name(b->level) : NULL),
                       FIELD("measured", (bool)!x->study->roofline->modelled), FIELD("by_data", b->by_data));
}

static json_t *limited_by_json(const Answer *w)
{
    const Shares *s = &w->shares;
    if (!w->has_shares)
        return json_null();
    return JSON_OBJECT(FIELD("what", s->limited_by), FIELD("reached", s->reached), FIELD("padding", s->padding),
                       FIELD("balance", s->balance), FIELD("kernel", s->kernel));
}

static json_t *shape_json(const Explanation *x, const Answer *w)
{
    const Choice *c = &w->choice;
    const Spec *s = x->study->spec;
    const double speed = words_speed(s, w->inst.extent, c->ns);
    return JSON_OBJECT(
        FIELD("extents", extents_json(x, &w->inst)), FIELD("threads", w->inst.threads),
        FIELD("place", PLACE[w->place].name), FIELD("path", path_json(w)), FIELD("kernel", kernel_json(x, c->kernel)),
        FIELD("time_ns", c->ns), FIELD("measured", c->measured), FIELD("predicted_ns", w->model_ns),
        FIELD(spec_moves(s) ? "gbs" : "gflops", json_of_known(speed > 0, speed)),
        FIELD("runner_up", runner_up_json(x, c)), FIELD("best_known", best_known_json(x, c)),
        FIELD("nearest_measured", nearest_json(x, w)), FIELD("f_pad", json_of_known(w->has_factors, w->pad)),
        FIELD("f_occ", json_of_known(w->has_factors, w->occ)), FIELD("roofline", roofline_json(x, w)),
        FIELD("limited_by", limited_by_json(w)));
}

void explain_json(const Explanation *x, FILE *out)
{
    const Study *s = x->study;
    json_t *dims = json_object(), *shapes = json_array();
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        if (s->spec->dims >> i & 1)
            JSON_SET(dims, FIELD(s->spec->dim[i].name, x->dim[i]));
    for (int i = 0; i < x->nanswer; i++)
        json_array_append_new(shapes, shape_json(x, &x->answer[i]));
    quote_print_json(JSON_OBJECT(FIELD("name", s->spec->name),
                                 FIELD("formula", s->spec->formula ? s->spec->formula->text : NULL),
                                 FIELD("device", s->device->name), FIELD("target", s->target->name),
                                 FIELD("dims", dims), FIELD("shapes", shapes)),
                     out);
}
