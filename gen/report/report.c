/* SPDX-License-Identifier: Apache-2.0
 *
 * report: works out what the words of the page's pattern, templates/package/report.html, stand for, and fills it.
 */
#include "gen/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/choice.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"

/* Weighted geometric mean of the general kernel's time over the chosen kernel's, over all instances. */
static double speedup_over_general(const Report *r)
{
    const Assignment *as = r->assignment;
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++) {
        double ratio = report_cost(r, i, as->general) / choice_ns(r->in, i);
        double w = r->spec->instance[i].weight;
        if (w > 0 && isfinite(ratio) && ratio > 0) {
            sum += w * log(ratio);
            weight += w;
        }
    }
    return weight > 0 ? exp(sum / weight) : 1;
}

/* ---- words ---- */

/* Tuned shapes, whatever the number of threads. */
static int64_t count_tuned(const Study *s)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        int64_t first = 0;
        while (memcmp(s->shape[first]->extent, s->shape[j]->extent, sizeof s->shape[j]->extent) != 0)
            first++;
        n += first == j;
    }
    return n;
}

/* What tells a part of the page from the others: "avx512", "scores-avx512". */
static const char *part_id(Arena *a, const Study *s)
{
    const char *function = s->spec->function, *target = s->target->name;
    return function ? arena_printf(a, "%s-%s", function, target) : target;
}

static void add_head_words(Report *r)
{
    const Assignment *as = r->assignment;
    const Spec *s = r->spec;
    const char *target = r->study->target->name, *bytes = number_bytes(r->arena, as->code_bytes);
    const char *library = r->study->target->family->rival;
    const char *kernels = arena_printf(r->arena, "%d kernel%s", as->nkernel, number_plural(as->nkernel));
    const int64_t nshape = spec_shape_count(s);
    const Against against = choice_library(r->in);
    REPORT_WORDS(r->words, WORD("DCGEN_RELEASE", r->version), WORD("IS_MODELLED", r->study->device->modelled),
                 WORD("NKERNEL", as->nkernel), WORD("NKERNEL_TEXT", kernels), WORD("TARGET", target),
                 WORD("PART", part_id(r->arena, r->study)));
    report_wordf(r->words, "PART_NAME", s->function ? "%s for %s" : "%s%s", s->function ? s->function : "", target);
    report_wordf(r->words, "TITLE", *r->part ? "%s for %s" : "%s", s->name, target);
    report_wordf(r->words, "SERVED", "%s (%s of machine code) serve%s %s shape%s of %s on %s", kernels, bytes,
                 as->nkernel == 1 ? "s" : "", number_count(r->arena, nshape), number_plural(nshape), s->op->name,
                 r->study->device->name);
    REPORT_WORDS(r->words, WORD("CODE_BYTES", bytes), WORD("NSHAPE", number_count(r->arena, nshape)),
                 WORD("NSHAPE_TUNED", number_count(r->arena, count_tuned(r->study))));
    report_word(r->words, "NTUNED", number_count(r->arena, r->study->nshape)); /* rows: one a number of threads */
    report_word(r->words, "SPEEDUP", number_ratio(r->arena, speedup_over_general(r)));
    const char *unknown = r->contract ? contract_unknown(r->contract) : NULL;
    REPORT_WORDS(r->words, WORD("IS_REGRET_KNOWN", r->contract && !unknown), WORD("UNKNOWN", unknown ? unknown : ""),
                 WORD("TUNED_REGRET", number_percent(r->arena, r->contract ? r->contract->tuned.mean : NAN)),
                 WORD("WORST_TUNED", number_percent(r->arena, r->contract ? r->contract->tuned.worst : NAN)),
                 WORD("NCOMPARED", number_count(r->arena, r->contract ? r->contract->tuned.nmeasured : 0)),
                 WORD("IS_COMPARED", against.n > 0), WORD("IS_FORMULA_BEHIND", s->formula && s->formula->bias < 0),
                 WORD("LIBRARY_NAME", library ? library : ""),
                 WORD("LIBRARY_MEAN", number_ratio(r->arena, against.mean)));
}

static void add_id_words(Report *r)
{
    static const char *const id[] = { "ID_setting", "ID_speed",  "ID_dispatch", "ID_shapes", "ID_regret",
                                      "ID_kernels", "ID_search", "ID_model",    "ID_reading" };
    for (size_t i = 0; i < LENGTH(id); i++)
        fill_wordf(r->words, id[i], "%s%s", r->part, strchr(id[i], '_') + 1);
}

static void add_dispatch_words(Report *r)
{
    const Assignment *as = r->assignment;
    const int depth = tree_depth(as->tree);
    REPORT_WORDS(r->words, WORD("TREE_DEPTH", depth), WORD("NLEAF", tree_nleaf(as->tree)),
                 WORD("DECIDED_BY",
                      as->nfeature > r->spec->op->nextent + as->asks_align ? "extents and threads" : "the extents"));
    report_wordf(r->words, "COMPARISONS", "%d comparison%s lead%s", depth, number_plural(depth), depth == 1 ? "s" : "");
    REPORT_WORDS(r->words, WORD("GENERAL_KERNEL", report_kernel(r, as->general)), WORD("NCOLOUR", LOOK_NKERNEL),
                 WORD("FIRST_KERNEL", report_kernel(r, 0)), WORD("AGAIN_KERNEL", report_kernel(r, LOOK_NKERNEL)));
    fill_list(r->words, "colours");
    for (int k = 0; k < as->nkernel && k < LOOK_NKERNEL; k++) {
        FillScope *row = fill_row(r->words);
        fill_word(row, "KERNEL_NAME", report_kernel(r, k));
        fill_wordf(row, "KERNEL_LOOK", "l%d", LOOK_KERNEL + k);
    }
}

/* Names the tuned shape with the largest regret, and counts those whose regret is not resolved. */
static void add_regret_words(Report *r)
{
    const int64_t nshape = r->study->nshape;
    const Instance *worst = r->spec->instance;
    double worst_regret = -1;
    int64_t nunresolved = 0;
    for (int64_t j = 0; j < nshape; j++) {
        const ContractShape *s = report_contract_shape(r, j);
        const double regret = report_regret(r, j);
        nunresolved += s && !s->resolved;
        if (isfinite(regret) && regret > worst_regret) {
            worst_regret = regret;
            worst = r->study->shape[j];
        }
    }
    REPORT_WORDS(r->words, WORD("IS_SHORTENED", nshape > REPORT_MAX_ROW), WORD("NSHOWN", REPORT_MAX_ROW),
                 WORD("NUNRESOLVED_TUNED", nunresolved), WORD("UNRESOLVED_TUNED", number_count(r->arena, nunresolved)),
                 WORD("WORST_REGRET", number_percent(r->arena, worst_regret)));
    fill_number(r->words, "HAS_FURTHEST", worst_regret > 0.0005); /* less would be shown as 0.0 % */
    report_word(r->words, "FURTHEST",
                words_shape(r->arena, r->spec->op, worst->extent, r->spec->nthread > 1 ? worst->threads : 0));
}

static void add_trial_words(Report *r)
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
        if (s->trial[i].c.target != s->target)
            continue;
        count[s->trial[i].status]++;
        for (int64_t j = 0; j < s->nshape; j++)
            measured += s->trial[i].ns[j] > 0;
    }
    text_add(&t, number_count(r->arena, count[STATUS_OK]));
    for (int k = STATUS_OK + 1; k < STATUS_COUNT; k++)
        if (count[k])
            text_printf(&t, "; %s: %s", status_words[k], number_count(r->arena, count[k]));
    REPORT_WORDS(r->words, WORD("NTRIAL", number_count(r->arena, study_tried(s, false))),
                 WORD("NMEASURED", number_count(r->arena, measured)), WORD("TRIAL_STATUS", text_str(&t)));
}

/* ---- figures ---- */

static void add_figure(Text *t, const Report *r, const Plot *p)
{
    const char *id = arena_printf(r->arena, "%s%s", r->part, p->id);
    text_printf(t, "<figure>\n<figcaption id=\"%s\">", id);
    quote_html(t, p->caption);
    text_printf(t,
                "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-labelledby=\"%s\">\n%s</svg>\n</figure>\n",
                p->width, p->height, id, p->svg);
}

static void add_figure_words(Report *r)
{
    static const struct {
        const char *word, *has; /* word: all figures of a place in the page; has: whether there are any */
    } place[] = { { "map_figure", "HAS_MAP" },           { "narrow_map_figure", "HAS_NARROW_MAP" },
                  { "plane_figures", "HAS_PLANES" },     { "curve_figure", "HAS_CURVE" },
                  { "progress_figure", "HAS_PROGRESS" }, { "scatter_figure", "HAS_SCATTER" },
                  { "residual_figure", "HAS_RESIDUAL" }, { "speed_figures", "HAS_SPEED" },
                  { "log_figures", "HAS_LOG_FIGURES" } };
    for (size_t i = 0; i < LENGTH(place); i++) {
        Text t = { .arena = r->arena };
        for (const Plot *p = r->plot; p < r->plot + r->nplot; p++)
            if (strcmp(p->word, place[i].word) == 0)
                add_figure(&t, r, p);
        fill_word(r->words, place[i].word, text_str(&t));
        fill_number(r->words, place[i].has, t.len > 0);
    }
    REPORT_WORDS(r->words, WORD("NPANEL", r->groups.npanel), WORD("NGROUP", r->groups.ngroup),
                 WORD("NBAR", r->groups.nbar), WORD("HAS_ROOF", r->has_roof), WORD("IS_OVER_ROOF", r->is_over_roof),
                 WORD("HAS_LIBRARY", r->has_library));
}

/* ---- the page ---- */

/* Which extents have a column: what is told of the declared shapes, all of them together. */
static void choose_columns(Report *r)
{
    const Spec *s = r->spec;
    const size_t ngiven = (size_t)s->op->ngiven;
    const char **value = ARENA_ARRAY(r->arena, (size_t)s->nshape * ngiven, const char *);
    for (int i = 0; i < s->nshape; i++)
        memcpy(value + (size_t)i * ngiven, spec_shape_texts(r->arena, s, i), ngiven * sizeof *value);
    r->nshown = op_shown(s->op, value, s->nshape, r->shown);
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
                   .part = several ? arena_printf(a, "%s-", part_id(a, in->study)) : "",
                   .groups = report_groups(a, in->study->spec) };
    choose_columns(r);
    return r;
}

char *report_fill(Arena *a, const Result *in, Report *const *part, int n, const char **err)
{
    static void (*const add_words[])(Report *) = { add_head_words,   add_id_words,          report_setting_words,
                                                   report_log_words, report_limit_words,    add_dispatch_words,
                                                   add_regret_words, report_shape_words,    report_kernel_words,
                                                   add_trial_words,  report_contract_words, report_model_words,
                                                   add_figure_words };
    const char *css = arena_printf(a, "%s/report.css", in->unit.package_dir), *style = text_read_file(a, css, NULL);
    const char *pattern = arena_printf(a, "%s/report.html", in->unit.package_dir);
    FillScope *page = fill_scope(a, NULL);
    if (!style) {
        *err = arena_printf(a, "cannot read '%s': %s", css, strerror(errno));
        return NULL;
    }
    report_word(page, "PACKAGE", in->study->spec->package);
    fill_word(page, "style", style);
    fill_number(page, "NTARGET", n);
    fill_list(page, "parts");
    for (int i = 0; i < n; i++) {
        part[i]->words = fill_row(page);
        for (size_t k = 0; k < LENGTH(add_words); k++)
            add_words[k](part[i]);
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
    Report **part = ARENA_ARRAY(a, (size_t)n, Report *);
    bool drawn = true;
    for (int i = 0; i < n && drawn; i++) {
        part[i] = report_begin(a, &result[i], version, n > 1);
        drawn = report_draw(part[i], err);
    }
    return drawn ? report_fill(a, result, part, n, err) : NULL;
}
