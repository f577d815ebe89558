/* SPDX-License-Identifier: Apache-2.0
 *
 * report_table: what was tuned, and tables of shapes, limits and kernels.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/choice.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"

/* ---- what was tuned, and on what ---- */

static const char *dims_text(Report *r)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->spec->ndim; i++) {
        const Dim *d = &r->spec->dim[i];
        text_printf(&t, "%s%s = %" PRId64 " to %" PRId64, i ? "; " : "", d->name, d->min, d->max);
    }
    return t.len ? text_str(&t) : "none";
}

static const char *list_text(Report *r, const char *const *item, int n, const char *none)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", item[i]);
    return n ? text_str(&t) : none;
}

static const char *threads_text(Report *r)
{
    const char *item[SPEC_MAX_NAME];
    for (int i = 0; i < r->spec->nthread; i++)
        item[i] = arena_printf(r->arena, "%d", r->spec->threads[i]);
    return list_text(r, item, r->spec->nthread, "");
}

static const char *layout_text(Report *r)
{
    const Spec *s = r->spec;
    if (s->const_operand < 0)
        return "as the operator says";
    return arena_printf(r->arena, "%s: %s%s", s->op->operand[s->const_operand].name, s->layout ? s->layout : "as given",
                        s->packed ? ", packed once by the package" : "");
}

void report_table_declared(Report *r)
{
    const Spec *s = r->spec;
    table_begin(r, "Declared shapes");
    for (int i = 0; i < s->nshape; i++) {
        table_row(r);
        for (int x = 0; x < s->op->naxis; x++)
            table_cell(r, s->op->axis[x].name, "line", expr_text(s->shape[i].extent[x]));
        table_cell(r, "weight", "num", number_sig(r->arena, s->shape[i].weight, 3));
    }
    table_end(r);
}

void report_setting_words(Report *r)
{
    const Spec *s = r->spec;
    const Device *d = r->study->device;
    const Family *family = r->study->target->family;
    report_word(r, "OPERATOR_NAME", s->op->name);
    report_word(r, "OPERATOR_DOC", s->op->doc);
    report_word(r, "ELEMENT_TYPE", s->dtype);
    report_word(r, "EPILOGUE", list_text(r, s->epilogue, s->nepilogue, "none"));
    report_word(r, "CONSTANT_LAYOUT", layout_text(r));
    report_word(r, "DIMENSIONS", dims_text(r));
    fill_number(r->words, "HAS_THREADS", family->told_parts);
    report_word(r, "THREADS", threads_text(r));
    report_wordf(r, "BUDGET_KERNELS", "%d kernel%s", s->budget.kernels, number_plural(s->budget.kernels));
    fill_number(r->words, "BUDGET_KIB", s->budget.code_kib);
    report_word(r, "DEVICE_NAME", d->name);
    report_word(r, "DEVICE_ARCH", d->arch);
    report_word(r, "DEVICE_PARTS", family->device_text(r->arena, d));
    report_word(r, "DEVICE_ISA", list_text(r, d->isa, d->nisa, "nothing else"));
    report_word(r, "COMPILER", d->compiler);
    report_word(r, "COMPILER_FLAGS", d->flags);
    fill_number(r->words, "HAS_LIMITS", r->roofline.nlimit > 0);
    fill_number(r->words, "IS_DATA_SHEET", r->roofline.modelled);
    fill_number(r->words, "IS_RAISED", r->roofline.raised);
}

/* ---- what the machine allows ---- */

void report_table_limits(Report *r)
{
    static const char *const name[LEVEL_COUNT] = { "L1, GB/s", "L2, GB/s", "L3, GB/s", "memory, GB/s" };
    const Roofline *f = &r->roofline;
    table_begin(r, "What the machine does at most");
    for (const LimitRecord *l = f->limit; l < f->limit + f->nlimit; l++) {
        table_row(r);
        table_cell(r, "threads", "num", arena_printf(r->arena, "%d", l->threads));
        table_cell(r, "peak, GFLOP/s", "num", number_sig(r->arena, l->flops_per_s * 1e-9, 3));
        for (int i = 0; i < LEVEL_COUNT; i++)
            if (f->bytes[i])
                table_cell(r, name[i], "num",
                           l->bytes_per_s[i] > 0 ? number_sig(r->arena, l->bytes_per_s[i] * 1e-9, 3) : "-");
    }
    table_end(r);
}

/* ---- tuned shapes ---- */

/* "~ ": predicted */
static const char *time_text(Report *r, const Choice *c)
{
    return arena_printf(r->arena, "%s%s", c->measured || !isfinite(c->ns) ? "" : "~ ", report_time_text(r, c->ns));
}

/* Was the library timed on any tuned shape? */
static bool knows_library(const Report *r)
{
    for (int64_t j = 0; j < r->study->nshape; j++)
        if (study_library(r->study, j) > 0)
            return true;
    return false;
}

/* What a row says of a tuned shape, behind its extents. */
typedef void ShapeCells(Report *r, int64_t shape, const Choice *c);

static void plain_cells(Report *r, int64_t shape, const Choice *c)
{
    const Instance *inst = r->study->shape[shape];
    const double flops = spec_flops(r->spec, inst->extent);
    table_cell(r, "weight", "num", number_sig(r->arena, inst->weight, 3));
    table_cell(r, "kernel", "num", report_kernel(r, c->kernel));
    table_cell(r, "time", "num", time_text(r, c));
    table_cell(r, "GFLOP/s", "num", flops > 0 ? number_sig(r->arena, flops / c->ns, 3) : "-");
    table_cell(r, "above best", "num", report_above_text(r, c->ns / c->best_ns - 1, report_is_unsaid(r, shape)));
    table_cell(r, "times differ", "num", report_spread_text(r, report_contract_shape(r, shape)));
    table_cell(r, "runner-up", "num", c->runner < 0 ? "-" : report_kernel(r, c->runner));
    table_cell(r, "its margin", "num", c->runner < 0 ? "-" : number_percent(r->arena, c->runner_ns / c->ns - 1));
}

/* The bound, how much of it the kernel reaches, and what costs most of the rest. */
static void bound_cells(Report *r, const Instance *inst, const Candidate *c, double ns)
{
    Bound b;
    double pad, occ;
    const bool known = isfinite(ns) && roofline_bound(&r->roofline, inst->extent, inst->threads, &b);
    if (known && !choice_factors(r->study, c, inst->extent, inst->threads, &pad, &occ))
        pad = occ = 1;
    const bool allowed = known && bound_allows(&b, ns); /* a time that is predicted may lie below the bound */
    const Shares s = allowed ? roofline_shares(&b, ns, pad, occ) : (Shares){ .limited_by = "-" };
    table_cell(r, "roofline", "num", known ? report_time_text(r, b.ns) : "-");
    table_cell(r, "of roofline", "num", allowed ? number_percent(r->arena, s.reached) : "-");
    table_cell(r, "limited by", NULL, s.limited_by);
}

static void rival_cells(Report *r, int64_t shape, const Choice *c)
{
    const Instance *inst = r->study->shape[shape];
    const Candidate *kernel = &r->study->trial[r->assignment->kernel[c->kernel]].c;
    const double library = study_library(r->study, shape);
    table_cell(r, "time", "num", time_text(r, c));
    if (knows_library(r))
        table_cell(r, r->study->target->family->rival, "num",
                   library > 0 ? arena_printf(r->arena, "\xc3\x97 %s", number_ratio(r->arena, library / c->ns)) : "-");
    table_cell(r, "model alone", "num",
               report_signed_percent(r, cost_predict(r->model, kernel, inst->extent, inst->threads) / c->ns - 1));
    if (r->roofline.nlimit)
        bound_cells(r, inst, kernel, c->ns);
}

static void shape_row(Report *r, ShapeCells *cells, int64_t shape)
{
    const Assignment *as = r->assignment;
    const Instance *inst = r->study->shape[shape];
    const int64_t i = report_instance(r, shape);
    const Choice c = choice_make(r->study, as, inst, as->cost + i * as->nkernel, as->chosen[i]);
    table_row(r);
    table_extents(r, inst);
    cells(r, shape, &c);
}

static int64_t count_heavier(const Study *s, double weight)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->nshape; j++)
        n += s->shape[j]->weight > weight;
    return n;
}

/* Weight below which a shape's row is left out; 0: none is. Of those that have it there may be room for some only. */
static double least_weight(const Report *r)
{
    const Study *s = r->study;
    double least = 0;
    for (int64_t rows = s->nshape; rows > REPORT_MAX_ROW; rows = count_heavier(s, least)) {
        double next = INFINITY;
        for (int64_t j = 0; j < s->nshape; j++)
            if (s->shape[j]->weight > least)
                next = fmin(next, s->shape[j]->weight);
        if (!isfinite(next))
            break;
        least = next;
    }
    return least;
}

static void shape_table(Report *r, const char *name, ShapeCells *cells)
{
    const Study *s = r->study;
    const double least = least_weight(r);
    int64_t room = REPORT_MAX_ROW - count_heavier(s, least);
    table_begin(r, name);
    for (int64_t j = 0; j < s->nshape; j++)
        if (s->shape[j]->weight > least || (s->shape[j]->weight >= least && room-- > 0))
            shape_row(r, cells, j);
    table_end(r);
}

void report_table_shapes(Report *r) { shape_table(r, "Tuned shapes", plain_cells); }

void report_table_rivals(Report *r) { shape_table(r, "Against others", rival_cells); }

/* ---- kernels ---- */

static void kernel_row(Report *r, int k, double total)
{
    const Assignment *as = r->assignment;
    const Spec *s = r->spec;
    const Trial *t = &r->study->trial[as->kernel[k]];
    double weight = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        if (as->chosen[i] == k) {
            weight += s->instance[i].weight;
            count++;
        }
    table_row(r);
    table_cell(r, "kernel", "row", arena_printf(r->arena, "%s%s", report_kernel(r, k), k == as->general ? " *" : ""));
    table_cell(r, "template", "line", t->c.t->name);
    table_cell(r, "parameters", "values", words_values(r->arena, &t->c));
    table_cell(r, "code", "num", number_bytes(r->arena, t->code_bytes));
    table_cell(r, "shapes served", "num", number_count(r->arena, count));
    table_cell(r, "share of weight", "num", number_percent(r->arena, weight / total));
    table_cell(r, "error", "num", number_sig(r->arena, t->max_err, 2));
}

void report_table_kernels(Report *r)
{
    double total = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++)
        total += r->spec->instance[i].weight;
    table_begin(r, "Kernels");
    for (int k = 0; k < r->assignment->nkernel; k++)
        kernel_row(r, k, total);
    table_end(r);
}

/* The template of kernel k, if no earlier kernel has it. */
static const Template *new_template(const Report *r, int k)
{
    const Assignment *as = r->assignment;
    const Template *t = r->study->trial[as->kernel[k]].c.t;
    for (int i = 0; i < k; i++)
        if (r->study->trial[as->kernel[i]].c.t == t)
            return NULL;
    return t;
}

void report_template_words(Report *r)
{
    fill_list(r->words, "templates");
    for (int k = 0; k < r->assignment->nkernel; k++) {
        const Template *t = new_template(r, k);
        if (!t)
            continue;
        FillScope *row = fill_row(r->words);
        fill_word(row, "TEMPLATE_NAME", report_quoted(r, t->name));
        fill_word(row, "TEMPLATE_DOC", report_quoted(r, t->doc));
        fill_list(row, "params");
        for (int i = 0; i < t->nparam; i++) {
            FillScope *param = fill_row(row);
            fill_word(param, "PARAM_NAME", report_quoted(r, t->param[i].name));
            fill_word(param, "PARAM_DOC", report_quoted(r, t->param[i].doc));
        }
    }
}
