/* SPDX-License-Identifier: Apache-2.0
 *
 * report: the page, section by section.
 */
#define _GNU_SOURCE
#include "gen/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/choice.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"

/* ---- numbers that several sections need ---- */

const char *report_kernel(const Report *r, int kernel) { return arena_printf(r->arena, "k%d", r->in->first + kernel); }

int64_t report_instance(const Report *r, int64_t shape) { return r->study->shape[shape] - r->spec->instance; }

double report_cost(const Report *r, int64_t instance, int kernel)
{
    return r->assignment->cost[instance * r->assignment->nkernel + kernel];
}

static double speedup_of(const Report *r)
{
    const Assignment *as = r->assignment;
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++) {
        double ratio = report_cost(r, i, as->general) / report_cost(r, i, as->chosen[i]);
        double w = r->spec->instance[i].weight;
        if (w > 0 && isfinite(ratio) && ratio > 0) {
            sum += w * log(ratio);
            weight += w;
        }
    }
    return weight > 0 ? exp(sum / weight) : 1;
}

const char *report_time_text(Report *r, double ns)
{
    char *text = number_time(r->arena, ns), *us = strstr(text, " us");
    return us ? arena_printf(r->arena, "%.*s \xc2\xb5s", (int)(us - text), text) : text;
}

const char *report_signed_percent(Report *r, double part)
{
    return isfinite(part) ? arena_printf(r->arena, "%s%s", part >= 0 ? "+" : "", number_percent(r->arena, part)) : "-";
}

const char *report_above_text(Report *r, double above, bool unsaid)
{
    return arena_printf(r->arena, "%s%s", unsaid ? "\xe2\x80\xa0 " : "", number_percent(r->arena, above));
}

const char *report_spread_text(Report *r, const ContractShape *s)
{
    return s && s->spread > 0 ? number_percent(r->arena, s->spread) : "-";
}

static const char *library_name(const Report *r) { return r->study->target->family->rival; }

const ContractShape *report_contract_shape(const Report *r, int64_t shape)
{
    const Contract *c = r->contract;
    return c && shape < c->tuned.nshape && c->shape[shape].measured ? &c->shape[shape] : NULL;
}

bool report_is_unsaid(const Report *r, int64_t shape)
{
    const ContractShape *s = report_contract_shape(r, shape);
    return s && !s->said;
}

static int64_t count_unsaid(const Report *r)
{
    int64_t n = 0;
    for (int64_t j = 0; j < r->study->nshape; j++)
        n += report_is_unsaid(r, j);
    return n;
}

/* The largest of those that can be said. */
static void find_worst(Report *r)
{
    const Assignment *as = r->assignment;
    r->worst_regret = -1;
    for (int64_t j = 0; j < r->study->nshape; j++) {
        const int64_t i = report_instance(r, j);
        const double regret = report_cost(r, i, as->chosen[i]) / as->oracle_ns[i] - 1;
        if (isfinite(regret) && regret > r->worst_regret && !report_is_unsaid(r, j)) {
            r->worst_regret = regret;
            r->worst = i;
        }
    }
}

static bool has_plot(int plot) { return plot >= 0; }

/* ---- head ---- */

static void page_head(Report *r, const char *style)
{
    text_add(&r->out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n<meta http-equiv=\"Content-Security-Policy\" "
             "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>");
    quote_html(&r->out, r->spec->name);
    text_printf(&r->out, ": kernels and their choice</title>\n<style>\n%s</style>\n</head>\n<body>\n%s<main>\n", style,
                plot_symbols);
}

static const char *summary_text(Report *r)
{
    const Assignment *as = r->assignment;
    const Spec *s = r->spec;
    Arena *a = r->arena;
    bool one = as->nkernel == 1;
    const char *served =
        arena_printf(a, "%d kernel%s (%s of machine code) serve%s %s shape%s of %s on %s", as->nkernel,
                     number_plural(as->nkernel), number_bytes(a, as->code_bytes), one ? "s" : "",
                     number_count(a, s->ninstance), number_plural(s->ninstance), s->op->name, r->study->device->name);
    if (r->study->device->modelled)
        return arena_printf(
            a,
            "%s. No time in this report was measured: all are computed by an analytic model. Every kernel was "
            "compiled for the target and executed by an emulator.",
            served);
    served = arena_printf(a,
                          "%s; on the tuned shapes %s %s more time (weighted mean) than the fastest kernel known "
                          "for each",
                          served, one ? "it takes" : "they take", number_percent(a, r->tuned_regret));
    if (one)
        return arena_printf(a, "%s.", served);
    return arena_printf(a, "%s, and one kernel for all shapes would take %s times as long.", served,
                        number_ratio(a, r->speedup));
}

static void facts(Report *r)
{
    const Assignment *as = r->assignment;
    Arena *a = r->arena;
    text_add(&r->out, "<dl class=\"facts\">\n");
    report_fact(r, "kernels kept", arena_printf(a, "%d", as->nkernel));
    report_fact(r, "machine code", number_bytes(a, as->code_bytes));
    report_fact(r, "shapes, of them tuned",
                arena_printf(a, "%s / %s", number_count(a, r->spec->ninstance), number_count(a, r->study->nshape)));
    report_fact(r, "above best known, tuned shapes", number_percent(a, r->tuned_regret));
    report_fact(r, "the same, worst tuned shape", number_percent(a, r->worst_regret));
    if (as->nkernel > 1)
        report_fact(r, "time with one kernel for all", arena_printf(a, "\xc3\x97 %s", number_ratio(a, r->speedup)));
    if (r->library.n)
        report_fact(r, arena_printf(a, "time of %s, mean", library_name(r)),
                    arena_printf(a, "\xc3\x97 %s", number_ratio(a, r->library.mean)));
    text_add(&r->out, "</dl>\n");
}

/* ---- sections ---- */

static void section_setting(Report *r)
{
    report_table_setting(r);
    report_table_limits(r);
}

static void speed_legend(Report *r)
{
    LegendKey key[5] = { { "chosen kernel (dots: tuned shapes)",
                           "<path class=\"l5\" d=\"M1 6L27 6\"/><path class=\"l8\" d=\"M14 6h0\"/>" },
                         { "best known", "<path class=\"l7\" d=\"M10 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>" },
                         { "one kernel for all shapes", "<path class=\"l6\" d=\"M1 6L27 6\"/>" } };
    size_t n = 3;
    if (r->has_library)
        key[n++] =
            (LegendKey){ library_name(r), "<path class=\"l13\" d=\"M1 6L27 6\"/><path class=\"l14\" d=\"M14 6h0\"/>" };
    if (r->has_roof)
        key[n++] = (LegendKey){ "roofline: the most that the machine allows", "<path class=\"l12\" d=\"M1 6L27 6\"/>" };
    report_legend(r, key, n);
}

static void section_speed(Report *r)
{
    const Groups *g = &r->groups;
    if (g->npanel == 0) {
        report_say(r, NULL,
                   "No shape varies along a dimension, so there is no curve to draw: the table of tuned shapes has "
                   "the times.");
        return;
    }
    speed_legend(r);
    text_add(&r->out, "<div class=\"panels\">\n");
    for (int i = 0; i < g->ngroup; i++)
        if (has_plot(r->panel[i]))
            report_figure(r, r->panel[i], arena_printf(r->arena, "panel-%d", i), g->group[i].label);
    text_add(&r->out, "</div>\n");
    report_say(r, "note", "%s%s",
               r->study->device->modelled ? "Nothing here was measured: lines and dots are the model's."
                                          : "Between the dots the line is predicted from the measurements.",
               g->npanel < g->ngroup ? " Only the heaviest groups of shapes are drawn." : "");
}

/* The colours of kernels, as far as there are colours. */
static void kernel_legend(Report *r)
{
    LegendKey key[LOOK_NKERNEL];
    size_t n = 0;
    for (int k = 0; k < r->assignment->nkernel && k < LOOK_NKERNEL; k++)
        key[n++] =
            (LegendKey){ report_kernel(r, k),
                         arena_printf(r->arena, "<rect class=\"l%d\" width=\"28\" height=\"12\"/>", LOOK_KERNEL + k) };
    report_legend(r, key, n);
    if (r->assignment->nkernel > LOOK_NKERNEL)
        report_say(r, "note", "Colours repeat: %s has that of %s, and so on.", report_kernel(r, LOOK_NKERNEL),
                   report_kernel(r, 0));
}

static void section_planes(Report *r)
{
    if (r->nplane == 0 || !has_plot(r->plane[0].plot))
        return;
    kernel_legend(r);
    text_add(&r->out, "<div class=\"panels planes\">\n");
    for (int i = 0; i < r->nplane; i++)
        report_figure(r, r->plane[i].plot, arena_printf(r->arena, "plane-%d", i), r->plane[i].label);
    text_add(&r->out, "</div>\n");
}

static void section_map(Report *r)
{
    if (!has_plot(r->map))
        return;
    const char *caption = arena_printf(r->arena, "Kernel by %s", r->groups.axes);
    report_single(r, "map broad", r->map, "map", caption);
    report_single(r, "map narrow", r->narrow_map, "narrow-map", caption);
    if (r->groups.nbar < r->groups.ngroup)
        report_say(r, "note", "Only the heaviest groups of shapes are drawn.");
}

static void section_dispatch(Report *r)
{
    const Assignment *as = r->assignment;
    int nleaf = tree_nleaf(as->tree), depth = tree_depth(as->tree);
    const char *over = as->nfeature > r->spec->op->naxis ? "extents and threads" : "the extents";
    if (depth == 0)
        report_say(r, NULL, "There is nothing to decide: %s serves all shapes.", report_kernel(r, as->general));
    else
        report_say(r, NULL,
                   "The dispatcher is a decision tree over %s with %d leaves; at most %d comparison%s "
                   "lead%s to a kernel. Shapes outside the declared ranges go to %s.",
                   over, nleaf, depth, number_plural(depth), depth == 1 ? "s" : "", report_kernel(r, as->general));
    section_map(r);
    section_planes(r);
}

static void section_shapes(Report *r)
{
    report_table_shapes(r);
    if (count_unsaid(r))
        report_say(r, "note",
                   "\xe2\x80\xa0 cannot be said: times of one kernel differ so much from one pass to the next that the "
                   "distance from the best is noise. So it is on %s of the %s tuned shapes.",
                   number_count(r->arena, count_unsaid(r)), number_count(r->arena, r->study->nshape));
    if (r->worst_regret > 0.0005)
        report_say(r, "note", "Furthest from the best known: %s, by %s.",
                   words_shape(r->arena, r->spec->op, r->spec->instance[r->worst].extent,
                               r->spec->nthread > 1 ? r->spec->instance[r->worst].threads : 0),
                   number_percent(r->arena, r->worst_regret));
    report_table_rivals(r);
}

static void section_kernels(Report *r)
{
    report_table_kernels(r);
    if (has_plot(r->curve)) {
        report_single(r, "single", r->curve, "curve", "What less or more code would bring");
        report_say(
            r, "note",
            "Weighted mean over the shapes of the time above the best known, when each shape takes the best of the "
            "1, 2, ... kernels kept, before the tree. The ring is the point that was taken, the broken line lies "
            "beyond the budget. --kernels N and --code-kib N with replay move along it, without a measurement.");
    }
    report_list_parameters(r);
}

static void count_trials(Report *r)
{
    static const char *const status_words[STATUS_COUNT] = { [STATUS_INVALID] = "refused",
                                                            [STATUS_BUILD_FAILED] = "not compiled",
                                                            [STATUS_WRONG] = "wrong result",
                                                            [STATUS_CRASHED] = "crashed",
                                                            [STATUS_TIMED_OUT] = "too slow" };
    const Study *s = r->study;
    int64_t count[STATUS_COUNT] = { 0 }, measured = 0;
    Text t = { .arena = r->arena };
    for (int64_t i = 0; i < s->ntrial; i++) {
        count[s->trial[i].status]++;
        for (int64_t j = 0; j < s->nshape; j++)
            measured += s->trial[i].ns[j] > 0;
    }
    if (s->device->modelled)
        text_printf(&t, "%s kernels were compiled, and executed by the emulator on awkward shapes. Fit for use: %s",
                    number_count(r->arena, s->ntrial), number_count(r->arena, count[STATUS_OK]));
    else
        text_printf(&t,
                    "%s kernels were tried and timed on %s pairs of kernel and tuned shape, each verified against the "
                    "reference first. Fit for use: %s",
                    number_count(r->arena, s->ntrial), number_count(r->arena, measured),
                    number_count(r->arena, count[STATUS_OK]));
    for (int k = STATUS_OK + 1; k < STATUS_COUNT; k++)
        if (count[k])
            text_printf(&t, "; %s: %s", status_words[k], number_count(r->arena, count[k]));
    text_add(&t, ".");
    report_say(r, NULL, "%s", text_str(&t));
}

static void section_search(Report *r)
{
    count_trials(r);
    if (has_plot(r->progress)) {
        report_single(r, "single", r->progress, "progress", "Best so far");
        report_say(r, "note",
                   "Weighted mean over the tuned shapes of the fastest time so far against the fastest of all.");
    }
}

static void section_model(Report *r)
{
    static const LegendKey key[] = { { "kernel of the package", "<path class=\"l10\" d=\"M14 6h0\"/>" },
                                     { "other kernel", "<path class=\"l9\" d=\"M14 6h0\"/>" },
                                     { "equal", "<path class=\"l11\" d=\"M1 6L27 6\"/>" } };
    if (r->in->cost->nmeasure == 0) {
        report_say(r, NULL, "There were too few measurements to judge the cost model.");
        return;
    }
    report_table_model(r);
    if (!has_plot(r->scatter))
        return;
    report_legend(r, key, sizeof key / sizeof *key);
    text_add(&r->out, "<div class=\"panels\">\n");
    report_figure(r, r->scatter, "scatter", "Time predicted and measured");
    if (has_plot(r->residual))
        report_figure(r, r->residual, "residual", "How far predictions are off, by shape");
    text_add(&r->out, "</div>\n");
    report_say(r, "note", "Predictions of the fitted model, before a kernel's own measurements correct them.");
    report_table_adapt(r);
}

static void section_reading(Report *r)
{
    const struct {
        const char *term, *meaning;
    } row[] = {
        { "time",
          "Of one call: the least of interleaved samples, as whatever else runs on the machine only adds to it; of "
          "calls of more "
          "than 4 ms, which always meet some of that, the mean of all but the slowest. With \"~\" it is predicted, not "
          "measured." },
        { "above best", "Time of the chosen kernel over that of the fastest kernel ever measured on the shape, less "
                        "one. The package keeps few kernels, so that a shape may get the second best." },
        { "runner-up",
          "The fastest other kernel of the package, and how much longer it takes. A negative margin: the "
          "tree gives up that much here for a simpler rule. Margins of one or two percent are within the noise." },
        { "times differ", "How far the two best times of the chosen kernel, or of the best of the others, are apart "
                          "from one pass to the "
                          "next. Where that is much, nothing can be said of the shape: its row is marked \xe2\x80\xa0, "
                          "and \"above best\" is noise." },
        { "error", "Largest error seen of the kernel on any shape, as a part of the tolerance: above 1 it would have "
                   "been refused." },
        { library_name(r), "Its time over that of the chosen kernel." },
        { "model alone",
          "How much longer or shorter than measured the cost model says that the kernel takes, as if it had "
          "never been measured." },
        { "of roofline",
          "The least time that arithmetic at the FMA peak, or reading every operand once from the nearest "
          "level of memory that holds them all, allows, as a part of the time." },
        { "limited by",
          "What costs most of the rest: padding (work on rows and columns that the shape does not have), "
          "balance (threads that wait for the busiest one), the kernel itself; where none of them costs a "
          "tenth, the roofline: arithmetic or memory." },
        { "weight", "What the spec gives the shape; every mean here is weighted by it, not by the shape's size." }
    };
    text_add(&r->out, "<dl class=\"terms\">\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        report_fact(r, row[i].term, row[i].meaning);
    text_add(&r->out, "</dl>\n");
}

static const struct {
    const char *id, *title;
    void (*write)(Report *);
} SECTION[] = { { "setting", "What was tuned", section_setting },
                { "speed", "Speed", section_speed },
                { "dispatch", "Which kernel serves which shape", section_dispatch },
                { "shapes", "Tuned shapes", section_shapes },
                { "regret", "Regret, and its bound", report_contract },
                { "kernels", "Kernels", section_kernels },
                { "search", "Search", section_search },
                { "model", "Cost model", section_model },
                { "reading", "How to read this report", section_reading } };

enum { NSECTION = sizeof SECTION / sizeof *SECTION };

/* "bert_dense", of one target among several "bert_dense for avx2" */
static const char *part_title(const Report *r)
{
    const char *name = r->spec->name;
    return *r->part ? arena_printf(r->arena, "%s for %s", name, r->study->target->name) : name;
}

static void page_top(Report *r)
{
    text_add(&r->out, "<header>\n");
    html_element(&r->out, "h1", NULL, part_title(r));
    html_element(&r->out, "p", "summary", summary_text(r));
    facts(r);
    text_add(&r->out, "<nav aria-label=\"Sections\">");
    for (int i = 0; i < NSECTION; i++)
        text_printf(&r->out, "<a href=\"#%s%s\">%s</a> ", r->part, SECTION[i].id, SECTION[i].title);
    text_add(&r->out, "</nav>\n</header>\n");
}

static void write_part(Report *r)
{
    page_top(r);
    for (int i = 0; i < NSECTION; i++) {
        const char *id = arena_printf(r->arena, "%s%s", r->part, SECTION[i].id);
        text_printf(&r->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, SECTION[i].title);
        SECTION[i].write(r);
        text_add(&r->out, "</section>\n");
    }
}

/* The targets of a package that has several. */
static void write_targets(Report *r, const Result *result, int n)
{
    text_add(&r->out, "<nav aria-label=\"Targets\">");
    for (const Result *in = result; in < result + n; in++) {
        text_printf(&r->out, "<a href=\"#%s\">", in->study->target->name);
        quote_html(&r->out, arena_printf(r->arena, "%s: %d kernel%s", in->study->target->name, in->assignment->nkernel,
                                         number_plural(in->assignment->nkernel)));
        text_add(&r->out, "</a> ");
    }
    text_add(&r->out, "</nav>\n");
}

Report *report_begin(Arena *a, const Result *in, const char *version, bool several)
{
    Report *r = ARENA_NEW(a, Report);
    *r = (Report){ .arena = a,
                   .in = in,
                   .spec = in->study->spec,
                   .study = in->study,
                   .model = in->model,
                   .assignment = in->assignment,
                   .contract = in->contract,
                   .version = version,
                   .roofline = roofline_make(a, in->study, in->records),
                   .part = several ? arena_printf(a, "%s-", in->study->target->name) : "",
                   .out = { .arena = a },
                   .map = -1,
                   .narrow_map = -1,
                   .scatter = -1,
                   .residual = -1,
                   .curve = -1,
                   .progress = -1 };
    r->groups = report_groups(a, r->spec);
    r->panel = ARENA_ARRAY(a, (size_t)r->groups.ngroup + 1, int);
    for (int i = 0; i < r->groups.ngroup; i++)
        r->panel[i] = -1;
    return r;
}

/* The figures of a part, then its text. */
static bool add_part(Report *page, const Result *in, bool several, const char **err)
{
    Report *r = report_begin(page->arena, in, page->version, several);
    r->speedup = speedup_of(r);
    r->library = choice_library(in);
    r->tuned_regret = choice_regret(in);
    find_worst(r);
    if (!report_draw(r, err))
        return false;
    write_part(r);
    if (several)
        text_printf(&page->out, "<article id=\"%s\">\n", in->study->target->name);
    text_add(&page->out, text_str(&r->out));
    if (several)
        text_add(&page->out, "</article>\n");
    return true;
}

char *report_html(Arena *a, const Result *result, int n, const char *version, const char **err)
{
    const char *css = arena_printf(a, "%s/report.css", result->unit.package_dir), *style = text_read_file(a, css, NULL);
    if (!style) {
        *err = arena_printf(a, "cannot read '%s': %s", css, strerror(errno));
        return NULL;
    }
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    Report *page = report_begin(a, result, version, false);
    bool drawn = true;
    page_head(page, style);
    if (n > 1)
        write_targets(page, result, n);
    for (int i = 0; i < n && drawn; i++)
        drawn = add_part(page, &result[i], n > 1, err);
    text_add(&page->out, "</main>\n</body>\n</html>\n");
    uselocale(before);
    if (c)
        freelocale(c);
    return drawn ? (char *)text_str(&page->out) : NULL;
}
