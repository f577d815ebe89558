/* SPDX-License-Identifier: Apache-2.0
 *
 * report: works out the words of the page, whose text is in templates/package/report.html, and fills it.
 */
#define _GNU_SOURCE
#include "gen/report/report.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/conf.h"
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

/* ---- words ---- */

const char *report_quoted(Report *r, const char *text)
{
    Text t = { .arena = r->arena };
    quote_html(&t, text);
    return text_str(&t);
}

void report_word(Report *r, const char *name, const char *text) { fill_word(r->words, name, report_quoted(r, text)); }

void report_wordf(Report *r, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_word(r, name, arena_vprintf(r->arena, fmt, ap));
    va_end(ap);
}

static void percent_word(Report *r, const char *name, double part)
{
    report_word(r, name, number_percent(r->arena, part));
}

static const char *kernels_text(Report *r, int n) { return arena_printf(r->arena, "%d kernel%s", n, number_plural(n)); }

static void head_words(Report *r)
{
    const Assignment *as = r->assignment;
    const Spec *s = r->spec;
    const char *target = r->study->target->name, *bytes = number_bytes(r->arena, as->code_bytes);
    const char *library = r->study->target->family->rival;
    fill_number(r->words, "IS_MODELLED", r->study->device->modelled);
    fill_number(r->words, "NKERNEL", as->nkernel);
    report_word(r, "NKERNEL_TEXT", kernels_text(r, as->nkernel));
    report_word(r, "TARGET", target);
    report_wordf(r, "TITLE", *r->part ? "%s for %s" : "%s", s->name, target);
    report_wordf(r, "SERVED", "%s (%s of machine code) serve%s %s shape%s of %s on %s", kernels_text(r, as->nkernel),
                 bytes, as->nkernel == 1 ? "s" : "", number_count(r->arena, s->ninstance), number_plural(s->ninstance),
                 s->op->name, r->study->device->name);
    report_word(r, "CODE_BYTES", bytes);
    report_word(r, "NINSTANCE", number_count(r->arena, s->ninstance));
    report_word(r, "NTUNED", number_count(r->arena, r->study->nshape));
    report_word(r, "SPEEDUP", number_ratio(r->arena, r->speedup));
    percent_word(r, "TUNED_REGRET", r->tuned_regret);
    percent_word(r, "WORST_REGRET", r->worst_regret);
    fill_number(r->words, "IS_COMPARED", r->library.n > 0);
    report_word(r, "LIBRARY_NAME", library ? library : "");
    report_word(r, "LIBRARY_MEAN", number_ratio(r->arena, r->library.mean));
}

static void id_words(Report *r)
{
    static const char *const id[] = { "ID_setting", "ID_speed",  "ID_dispatch", "ID_shapes", "ID_regret",
                                      "ID_kernels", "ID_search", "ID_model",    "ID_reading" };
    for (size_t i = 0; i < sizeof id / sizeof *id; i++)
        fill_wordf(r->words, id[i], "%s%s", r->part, strchr(id[i], '_') + 1);
}

static void dispatch_words(Report *r)
{
    const Assignment *as = r->assignment;
    const int depth = tree_depth(as->tree);
    fill_number(r->words, "TREE_DEPTH", depth);
    fill_number(r->words, "NLEAF", tree_nleaf(as->tree));
    report_word(r, "DECIDED_BY", as->nfeature > r->spec->op->naxis ? "extents and threads" : "the extents");
    report_wordf(r, "COMPARISONS", "%d comparison%s lead%s", depth, number_plural(depth), depth == 1 ? "s" : "");
    report_word(r, "GENERAL_KERNEL", report_kernel(r, as->general));
    fill_number(r->words, "NCOLOUR", LOOK_NKERNEL);
    report_word(r, "FIRST_KERNEL", report_kernel(r, 0));
    report_word(r, "AGAIN_KERNEL", report_kernel(r, LOOK_NKERNEL));
    fill_list(r->words, "colours");
    for (int k = 0; k < as->nkernel && k < LOOK_NKERNEL; k++) {
        FillScope *row = fill_row(r->words);
        fill_word(row, "KERNEL_NAME", report_kernel(r, k));
        fill_wordf(row, "KERNEL_LOOK", "l%d", LOOK_KERNEL + k);
    }
}

static void shape_words(Report *r)
{
    const Instance *worst = &r->spec->instance[r->worst];
    const int64_t nunsaid = count_unsaid(r), nshape = r->study->nshape;
    fill_number(r->words, "IS_SHORTENED", nshape > REPORT_MAX_ROW);
    fill_number(r->words, "NSHOWN", REPORT_MAX_ROW);
    fill_number(r->words, "NUNSAID_TUNED", nunsaid);
    report_word(r, "UNSAID_TUNED", number_count(r->arena, nunsaid));
    fill_number(r->words, "HAS_FURTHEST", r->worst_regret > 0.0005);
    report_word(r, "FURTHEST",
                words_shape(r->arena, r->spec->op, worst->extent, r->spec->nthread > 1 ? worst->threads : 0));
}

static void trial_words(Report *r)
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
    text_add(&t, number_count(r->arena, count[STATUS_OK]));
    for (int k = STATUS_OK + 1; k < STATUS_COUNT; k++)
        if (count[k])
            text_printf(&t, "; %s: %s", status_words[k], number_count(r->arena, count[k]));
    report_word(r, "NTRIAL", number_count(r->arena, s->ntrial));
    report_word(r, "NMEASURED", number_count(r->arena, measured));
    report_word(r, "TRIAL_STATUS", text_str(&t));
}

/* ---- figures ---- */

/* The word `has` says whether there is such a figure, the word `figure` is it. */
static void figure_words(Report *r, const char *has, const char *figure, int plot, const char *id, const char *caption)
{
    r->out = (Text){ .arena = r->arena };
    if (plot >= 0)
        report_figure(r, plot, id, caption);
    fill_number(r->words, has, plot >= 0);
    fill_word(r->words, figure, text_str(&r->out));
}

static void all_figures(Report *r)
{
    const Groups *g = &r->groups;
    const char *by = arena_printf(r->arena, "Kernel by %s", g->axes);
    figure_words(r, "HAS_MAP", "map_figure", r->map, "map", by);
    figure_words(r, "HAS_NARROW_MAP", "narrow_map_figure", r->narrow_map, "narrow-map", by);
    figure_words(r, "HAS_CURVE", "curve_figure", r->curve, "curve", "What less or more code would bring");
    figure_words(r, "HAS_PROGRESS", "progress_figure", r->progress, "progress", "Best so far");
    figure_words(r, "HAS_SCATTER", "scatter_figure", r->scatter, "scatter", "Time predicted and measured");
    figure_words(r, "HAS_RESIDUAL", "residual_figure", r->residual, "residual",
                 "How far predictions are off, by shape");
    r->out = (Text){ .arena = r->arena };
    for (int i = 0; i < g->ngroup; i++)
        if (r->panel[i] >= 0)
            report_figure(r, r->panel[i], arena_printf(r->arena, "panel-%d", i), g->group[i].label);
    fill_word(r->words, "speed_figures", text_str(&r->out));
    r->out = (Text){ .arena = r->arena };
    for (int i = 0; i < r->nplane; i++)
        report_figure(r, r->plane[i].plot, arena_printf(r->arena, "plane-%d", i), r->plane[i].label);
    fill_word(r->words, "plane_figures", text_str(&r->out));
    fill_number(r->words, "HAS_PLANES", r->nplane > 0);
    fill_number(r->words, "NPANEL", g->npanel);
    fill_number(r->words, "NGROUP", g->ngroup);
    fill_number(r->words, "NBAR", g->nbar);
    fill_number(r->words, "HAS_ROOF", r->has_roof);
    fill_number(r->words, "HAS_LIBRARY", r->has_library);
}

/* ---- the page ---- */

static const struct {
    const char *name;
    void (*write)(Report *);
} TABLE[] = { { "declared_table", report_table_declared },  { "limits_table", report_table_limits },
              { "shapes_table", report_table_shapes },      { "rivals_table", report_table_rivals },
              { "sums_table", report_table_sums },          { "held_out_table", report_table_held_out },
              { "kernels_table", report_table_kernels },    { "prices_table", report_table_prices },
              { "residuals_table", report_table_residuals } };

static void add_words(Report *r)
{
    static void (*const add[])(
        Report *) = { head_words,         id_words,    report_setting_words,  dispatch_words,
                      shape_words,        trial_words, report_contract_words, report_template_words,
                      report_model_words, all_figures };
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        add[i](r);
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        r->out = (Text){ .arena = r->arena };
        TABLE[i].write(r);
        fill_word(r->words, TABLE[i].name, text_str(&r->out));
    }
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

char *report_fill(Arena *a, const Result *in, Report *const *part, int n, const char **err)
{
    const char *css = arena_printf(a, "%s/report.css", in->unit.package_dir), *style = text_read_file(a, css, NULL);
    const char *pattern = arena_printf(a, "%s/report.html", in->unit.package_dir);
    FillScope *page = fill_scope(a, NULL);
    if (!style) {
        *err = arena_printf(a, "cannot read '%s': %s", css, strerror(errno));
        return NULL;
    }
    fill_word(page, "PACKAGE", report_quoted(part[0], in->study->spec->name));
    fill_word(page, "style", style);
    fill_number(page, "NTARGET", n);
    fill_list(page, "parts");
    for (int i = 0; i < n; i++) {
        part[i]->words = fill_row(page);
        report_word(part[i], "DCGEN_RELEASE", part[i]->version);
        part[i]->speedup = speedup_of(part[i]);
        part[i]->library = choice_library(part[i]->in);
        part[i]->tuned_regret = choice_regret(part[i]->in);
        find_worst(part[i]);
        add_words(part[i]);
    }
    Diag *d = diag_new(a);
    const Source *src = conf_source(a, pattern, d);
    char *html = src ? fill_text(a, src, 0, &(Fill){ .scope = page }, d) : NULL;
    if (!html) {
        diag_print(d, stderr);
        *err = arena_printf(a, "'%s' cannot be filled", pattern);
    }
    return html;
}

char *report_html(Arena *a, const Result *result, int n, const char *version, const char **err)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    Report **part = ARENA_ARRAY(a, (size_t)n, Report *);
    bool drawn = true;
    for (int i = 0; i < n && drawn; i++) {
        part[i] = report_begin(a, &result[i], version, n > 1);
        drawn = report_draw(part[i], err);
    }
    char *html = drawn ? report_fill(a, result, part, n, err) : NULL;
    uselocale(before);
    if (c)
        freelocale(c);
    return html;
}
