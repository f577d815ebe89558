/* SPDX-License-Identifier: Apache-2.0
 *
 * report_table: the words of the page that say what was tuned, and the rows of its tables.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"

/* ---- cells ---- */

/* "1.23 µs" */
static const char *time_text(Arena *a, double ns)
{
    char *text = number_time(a, ns), *us = strstr(text, " us");
    return us ? arena_printf(a, "%.*s \xc2\xb5s", (int)(us - text), text) : text;
}

/* "+1.2 %" */
static const char *signed_percent(Arena *a, double part)
{
    return isfinite(part) ? arena_printf(a, "%s%s", part >= 0 ? "+" : "", number_percent(a, part)) : "-";
}

/* A regret: "1.2 %", with a dagger if it is not resolved. */
static const char *regret_text(Arena *a, double regret, bool resolved)
{
    return arena_printf(a, "%s%s", resolved ? "" : "\xe2\x80\xa0 ", number_percent(a, regret));
}

static const char *spread_text(Arena *a, double spread) { return spread > 0 ? number_percent(a, spread) : "-"; }

/* Three digits; "-": it is not known. */
static const char *rate_text(Arena *a, double rate) { return rate > 0 ? number_sig(a, rate, 3) : "-"; }

/* Adds a row to the list begun last, with the extents and the threads of a shape. */
static FillScope *add_shape_row(Report *r, const Instance *inst)
{
    FillScope *row = fill_row(r->words);
    fill_list(row, "extents");
    for (int i = 0; i < r->nshown; i++)
        fill_number(fill_row(row), "EXTENT", inst->extent[r->shown[i].extent]);
    fill_number(row, "ON_THREADS", inst->threads);
    return row;
}

/* ---- what was tuned, and on what ---- */

static const char *dims_text(Report *r)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->spec->ndim; i++) {
        const Dim *d = &r->spec->dim[i];
        if (r->spec->dims >> i & 1)
            text_printf(&t, "%s%s = %" PRId64 " to %" PRId64, t.len ? "; " : "", d->name, d->min, d->max);
    }
    return t.len ? text_str(&t) : "none";
}

static const char *layout_text(Report *r)
{
    const Spec *s = r->spec;
    return arena_printf(r->arena, "%s%s", spec_layout_text(r->arena, s),
                        s->packed ? ", packed once by the package" : "");
}

static void add_declared_words(Report *r)
{
    const Spec *s = r->spec;
    fill_list(r->words, "axes");
    for (int i = 0; i < r->nshown; i++)
        report_word(fill_row(r->words), "AXIS", r->shown[i].name);
    fill_list(r->words, "declared");
    for (int i = 0; i < s->nshape; i++) {
        const char **text = spec_shape_texts(r->arena, s, i);
        FillScope *row = fill_row(r->words);
        fill_list(row, "expressions");
        for (int k = 0; k < r->nshown; k++)
            report_word(fill_row(row), "EXPRESSION", text[r->shown[k].extent]);
        report_word(row, "WEIGHT", number_sig(r->arena, s->shape[i].weight, 3));
    }
}

void report_setting_words(Report *r)
{
    const Spec *s = r->spec;
    const Device *d = r->study->device;
    const Family *family = r->study->target->family;
    REPORT_WORDS(r->words, WORD("OPERATOR_NAME", s->op->name), WORD("OPERATOR_DOC", s->op->doc),
                 WORD("ELEMENT_TYPE", s->dtype), WORD("FORMULA", s->formula ? s->formula->text : "none"),
                 WORD("HAS_LAYOUTS", *spec_layout_text(r->arena, s) != '\0'), WORD("LAYOUTS", layout_text(r)),
                 WORD("DIMENSIONS", dims_text(r)), WORD("HAS_THREADS", family->splits_calls));
    fill_list(r->words, "thread_counts");
    for (int i = 0; i < s->nthread; i++)
        fill_number(fill_row(r->words), "THREAD_COUNT", s->threads[i]);
    report_wordf(r->words, "BUDGET_KERNELS", "%d kernel%s", s->budget.kernels, number_plural(s->budget.kernels));
    REPORT_WORDS(r->words, WORD("BUDGET_KIB", s->budget.code_kib), WORD("DEVICE_NAME", d->name),
                 WORD("DEVICE_ARCH", d->arch), WORD("DEVICE_PARTS", family->device_text(r->arena, d)),
                 WORD("DEVICE_ISA", d->nisa ? names_join(r->arena, NAMES(d->isa, d->nisa), ", ") : "nothing else"),
                 WORD("COMPILER", d->compiler), WORD("COMPILER_FLAGS", d->flags), WORD("NTHREAD", s->nthread));
    add_declared_words(r);
}

void report_limit_words(Report *r)
{
    static const char *const name[LEVEL_COUNT] = { "L1", "L2", "L3", "memory" };
    const Roofline *f = r->study->roofline ? r->study->roofline : &(Roofline){ 0 };
    REPORT_WORDS(r->words, WORD("HAS_LIMITS", f->nlimit > 0), WORD("IS_MOVING", spec_moves(r->spec)),
                 WORD("IS_BY_DATA", r->spec->op->by_data), WORD("SPEED_UNIT", words_speed_unit(r->spec)),
                 WORD("IS_DATA_SHEET", f->modelled), WORD("IS_RAISED", f->raised));
    fill_list(r->words, "levels");
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (f->bytes[i])
            fill_word(fill_row(r->words), "LEVEL", name[i]);
    fill_list(r->words, "limits");
    for (const LimitRecord *l = f->limit; l < f->limit + f->nlimit; l++) {
        FillScope *row = fill_row(r->words);
        fill_number(row, "ON_THREADS", l->threads);
        fill_word(row, "PEAK", number_sig(r->arena, l->flops_per_s * 1e-9, 3));
        fill_list(row, "rates");
        for (int i = 0; i < LEVEL_COUNT; i++)
            if (f->bytes[i])
                fill_word(fill_row(row), "RATE", rate_text(r->arena, l->bytes_per_s[i] * 1e-9));
    }
}

/* ---- tuned shapes ---- */

/* Adds the shape's bound, how much of it the kernel reaches, and what costs most of the rest. */
static void add_bound_words(Report *r, FillScope *row, const Instance *inst, const Candidate *c, double ns)
{
    Bound b;
    double pad, occ;
    const bool known = isfinite(ns) && roofline_bound(r->study->roofline, inst->extent, inst->threads, &b);
    if (known && !choice_factors(r->study, c, inst->extent, inst->threads, &pad, &occ))
        pad = occ = 1;
    const bool allowed = known && shares_exist(&b, ns);
    r->is_over_roof = r->is_over_roof || (known && !allowed);
    const Shares s = allowed ? shares_of(&b, ns, pad, occ) : (Shares){ .limited_by = "-" };
    REPORT_WORDS(row, WORD("BOUND", known ? time_text(r->arena, b.ns) : "-"),
                 WORD("REACHED", allowed ? number_percent(r->arena, s.reached) : "-"),
                 WORD("LIMITED_BY", s.limited_by));
}

static void add_tuned_row(Report *r, int64_t shape)
{
    Arena *a = r->arena;
    const Assignment *as = r->assignment;
    const Instance *inst = r->study->shape[shape];
    const int64_t i = report_instance(r, shape);
    const Choice c = choice_make(r->study, as, inst, as->cost + i * as->nkernel, as->chosen[i]);
    const Candidate *kernel = &r->study->trial[as->kernel[c.kernel]].c;
    const double speed = words_speed(r->spec, inst->extent, c.ns), library = study_library(r->study, shape);
    const double model_ns = cost_predict(r->model, kernel, inst->extent, inst->threads);
    const ContractShape *known = report_contract_shape(r, shape);
    FillScope *row = add_shape_row(r, inst);
    REPORT_WORDS(row, WORD("WEIGHT", number_sig(a, inst->weight, 3)), WORD("SERVED_BY", report_kernel(r, c.kernel)));
    report_wordf(row, "CHOSEN_TIME", "%s%s", c.measured || !isfinite(c.ns) ? "" : "~ ", time_text(a, c.ns));
    REPORT_WORDS(row, WORD("SPEED", rate_text(a, speed)),
                 WORD("ABOVE_BEST", regret_text(a, report_regret(r, shape), !known || known->resolved)),
                 WORD("TIMES_DIFFER", spread_text(a, known ? known->spread : 0)),
                 WORD("RUNNER_UP", c.runner < 0 ? "-" : report_kernel(r, c.runner)));
    report_wordf(row, "MARGIN", "%s%s", c.runner >= 0 && !(c.measured && c.runner_measured) ? "~ " : "",
                 c.runner < 0 ? "-" : number_percent(a, c.runner_ns / c.ns - 1));
    report_wordf(row, "AGAINST_LIBRARY", library > 0 && c.measured ? "\xc3\x97 %s" : "-",
                 number_ratio(a, library / c.ns));
    report_word(row, "MODEL_OFF", signed_percent(a, model_ns / c.ns - 1));
    add_bound_words(r, row, inst, kernel, c.ns);
}

static int by_falling_weight(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* Adds a row for each of the REPORT_MAX_ROW heaviest tuned shapes. Of those that weigh `least` the first find room. */
void report_shape_words(Report *r)
{
    const Study *s = r->study;
    double *weight = ARENA_ARRAY(r->arena, (size_t)s->nshape, double), least = 0;
    int64_t room = REPORT_MAX_ROW;
    for (int64_t j = 0; j < s->nshape; j++)
        weight[j] = s->shape[j]->weight;
    qsort(weight, (size_t)s->nshape, sizeof *weight, by_falling_weight);
    if (s->nshape > REPORT_MAX_ROW)
        least = weight[REPORT_MAX_ROW - 1];
    for (int64_t j = 0; j < s->nshape && weight[j] > least; j++)
        room--;
    fill_list(r->words, "tuned_shapes");
    for (int64_t j = 0; j < s->nshape; j++)
        if (s->shape[j]->weight > least || (s->shape[j]->weight >= least && room-- > 0))
            add_tuned_row(r, j);
}

/* ---- kernels ---- */

static void add_kernel_row(Report *r, int k, double total_weight)
{
    const Assignment *as = r->assignment;
    const Trial *t = &r->study->trial[as->kernel[k]];
    FillScope *row = fill_row(r->words);
    double weight = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++)
        if (as->chosen[i] == k) {
            weight += r->spec->instance[i].weight;
            count++;
        }
    report_wordf(row, "KEPT_KERNEL", "%s%s", report_kernel(r, k), k == as->general ? " *" : "");
    REPORT_WORDS(row, WORD("OF_TEMPLATE", t->c.t->name), WORD("VALUES", candidate_settings(r->arena, &t->c)),
                 WORD("KERNEL_BYTES", number_bytes(r->arena, t->code_bytes)),
                 WORD("NSERVED", number_count(r->arena, count)),
                 WORD("SHARE", number_percent(r->arena, weight / total_weight)),
                 WORD("LARGEST_ERROR", number_sig(r->arena, t->max_err, 2)));
}

/* The template of kernel k, if no earlier kernel has it. */
static const Template *template_if_new(const Report *r, int k)
{
    const Assignment *as = r->assignment;
    const Template *t = r->study->trial[as->kernel[k]].c.t;
    for (int i = 0; i < k; i++)
        if (r->study->trial[as->kernel[i]].c.t == t)
            return NULL;
    return t;
}

static void add_template_row(FillScope *words, const Template *t)
{
    FillScope *row = fill_row(words);
    REPORT_WORDS(row, WORD("TEMPLATE_NAME", t->name), WORD("TEMPLATE_DOC", t->doc));
    fill_list(row, "params");
    for (int i = 0; i < t->nparam; i++) {
        FillScope *param = fill_row(row);
        REPORT_WORDS(param, WORD("PARAM_NAME", t->param[i].name), WORD("PARAM_DOC", t->param[i].doc));
    }
}

void report_kernel_words(Report *r)
{
    double total = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++)
        total += r->spec->instance[i].weight;
    fill_list(r->words, "kept");
    for (int k = 0; k < r->assignment->nkernel; k++)
        add_kernel_row(r, k, total);
    fill_list(r->words, "templates");
    for (int k = 0; k < r->assignment->nkernel; k++)
        if (template_if_new(r, k))
            add_template_row(r->words, template_if_new(r, k));
}

/* ---- the cost model ---- */

static const char *edge_text(Arena *a, const CostAdapt *f, double edge)
{
    if (isinf(edge))
        return "-";
    return strcmp(f->of, "bytes") == 0 ? number_bytes(a, (int64_t)edge) : number_sig(a, edge, 3);
}

/* Adds a row: how far the model is off on pairs of kernel and shape with a factor or bytes in a certain range. */
static void add_residual_row(FillScope *words, const CostAdapt *f)
{
    Arena *a = words->arena;
    FillScope *row = fill_row(words);
    REPORT_WORDS(row, WORD("FACTOR", f->of), WORD("FROM", edge_text(a, f, f->from)), WORD("TO", edge_text(a, f, f->to)),
                 WORD("NRESIDUAL", number_count(a, f->residual.n)),
                 WORD("MEAN", signed_percent(a, exp2(f->residual.bias) - 1)),
                 WORD("SPREAD", number_percent(a, exp2(f->residual.rms) - 1)));
}

/* Says how well the model predicts what it was not shown, and what a unit of each template's terms costs here. */
void report_model_words(Report *r)
{
    const CostReport *c = r->in->cost;
    Arena *a = r->arena;
    int64_t nresidual = 0;
    for (int i = 0; i < c->nadapt; i++)
        nresidual += c->adapt[i].residual.n;
    REPORT_WORDS(
        r->words, WORD("MODEL_MEASUREMENTS", number_count(a, c->nmeasure)),
        WORD("MODEL_LAMBDA", number_sig(a, c->lambda, 2)), WORD("MODEL_LOO", number_percent(a, exp2(c->loo_rmse) - 1)),
        WORD("MODEL_LOO_LOG2", number_sig(a, c->loo_rmse, 3)), WORD("MODEL_ERROR", number_percent(a, c->error)),
        WORD("MODEL_RANK", number_sig(a, c->order.rank, 3)), WORD("MODEL_RECALL", number_sig(a, c->order.recall, 3)),
        WORD("MODEL_REGRET", number_percent(a, c->order.regret)),
        WORD("ANALYTIC_RANK", number_sig(a, c->analytic.rank, 3)),
        WORD("ANALYTIC_REGRET", number_percent(a, c->analytic.regret)),
        WORD("MODEL_HELD_OUT", number_percent(a, c->held_out)), WORD("PAD_EXPONENT", number_sig(a, c->pad_exponent, 3)),
        WORD("OCC_EXPONENT", number_sig(a, c->occ_exponent, 3)), WORD("MODEL_FEATURES", c->nfeature),
        WORD("MODEL_TOP", COST_TOP), WORD("HAS_MODEL", c->nmeasure > 0), WORD("HAS_PRICES", c->nprice > 0),
        WORD("HAS_RESIDUALS", nresidual > 0));
    fill_list(r->words, "prices");
    for (const CostPrice *p = c->price; p < c->price + c->nprice; p++) {
        FillScope *price = fill_row(r->words);
        REPORT_WORDS(price, WORD("OF_TEMPLATE", p->t->name), WORD("TERM", p->t->term[p->term].name),
                     WORD("PRICE", number_sig(a, p->ns, 3)), WORD("TERM_DOC", p->t->term[p->term].doc));
    }
    fill_list(r->words, "residuals");
    for (const CostAdapt *f = c->adapt; f < c->adapt + c->nadapt; f++)
        if (f->residual.n)
            add_residual_row(r->words, f);
}

/* ---- how far the choice is from the best known kernel, and the bound that the package states ---- */

static void add_sum_row(FillScope *words, const char *name, const ContractSum *s)
{
    Arena *a = words->arena;
    FillScope *row = fill_row(words);
    report_word(row, "OF_SHAPES", name);
    report_wordf(row, "NRESOLVED", s->nresolved == s->nshape ? "%s" : "%s of %s", number_count(a, s->nresolved),
                 number_count(a, s->nshape));
    REPORT_WORDS(row, WORD("MEAN", number_percent(a, s->mean)), WORD("MEAN_BOUND", number_percent(a, s->mean_bound)),
                 WORD("WORST", number_percent(a, s->worst)), WORD("WORST_BOUND", number_percent(a, s->worst_bound)));
}

/* The fastest of the others: by its number where it is in the package, else in full. */
static const char *rival_text(const Report *r, const ContractShape *s)
{
    if (s->rival < 0)
        return "-";
    const int k = select_kernel_of(r->assignment, s->rival);
    const Candidate *c = &r->study->trial[s->rival].c;
    return k >= 0 ? report_kernel(r, k) : arena_printf(r->arena, "%s %s", c->t->name, candidate_settings(r->arena, c));
}

static void add_held_out_row(Report *r, const ContractShape *s)
{
    FillScope *row = add_shape_row(r, s->inst);
    REPORT_WORDS(row, WORD("SERVED_BY", report_kernel(r, s->kernel)),
                 WORD("CHOSEN_TIME", time_text(r->arena, s->chosen_ns)),
                 WORD("BEST_TIME", time_text(r->arena, s->best_ns)),
                 WORD("ABOVE_BEST", regret_text(r->arena, s->regret, s->resolved)),
                 WORD("TIMES_DIFFER", spread_text(r->arena, s->spread)), WORD("RIVAL", rival_text(r, s)));
}

static void add_unresolved_row(Report *r, const ContractShape *s)
{
    FillScope *row = fill_row(r->words);
    REPORT_WORDS(
        row,
        WORD("WHERE", words_shape(r->arena, r->spec->op, s->inst->extent, r->spec->nthread > 1 ? s->inst->threads : 0)),
        WORD("SERVED_BY", report_kernel(r, s->kernel)), WORD("RIVAL", rival_text(r, s)),
        WORD("TIMES_DIFFER", spread_text(r->arena, s->spread)));
}

void report_contract_words(Report *r)
{
    const Contract *c = r->contract && !r->contract->modelled ? r->contract : NULL;
    const int64_t nunresolved = c ? contract_unresolved(c) : 0;
    const bool mostly = c && (contract_is_mostly_unresolved(&c->tuned) || contract_is_mostly_unresolved(&c->held_out));
    REPORT_WORDS(r->words, WORD("HAS_CONTRACT", c != NULL), WORD("HAS_HELD_OUT", c && c->held_out.nmeasured),
                 WORD("NUNRESOLVED", nunresolved), WORD("MOSTLY_UNRESOLVED", mostly));
    fill_word(r->words, "UNRESOLVED_CLASS", mostly ? "note warn" : "note");
    report_wordf(r->words, "UNRESOLVED_SHAPES", "%s shape%s", number_count(r->arena, nunresolved),
                 number_plural(nunresolved));
    fill_word(r->words, "UNRESOLVED_THEM", nunresolved == 1 ? "it" : "them");
    fill_list(r->words, "sums");
    if (c) {
        add_sum_row(r->words, "tuned shapes", &c->tuned);
        add_sum_row(r->words, "shapes held out", &c->held_out);
    }
    fill_list(r->words, "unresolved");
    for (int64_t i = 0; c && i < c->nshape; i++)
        if (c->shape[i].rival >= 0 && !c->shape[i].resolved)
            add_unresolved_row(r, &c->shape[i]);
    fill_list(r->words, "held_out");
    for (int64_t i = 0; c && i < c->nshape; i++)
        if (!c->shape[i].tuned && c->shape[i].rival >= 0)
            add_held_out_row(r, &c->shape[i]);
}
