/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: prints what a stage of the pipeline made. A table has two functions for each stage, one for text, one for JSON.
 * The text is a head of one or more lines, then a table with one line an entry. The JSON is one value; what is not
 * known or not finite is null there.
 */
#include "gen/print/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/index.h"
#include "gen/base/number.h"
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "gen/report/words.h"
#include "gen/spec/op_shown.h"
#include "search/build/build.h"
#include "search/measure/runner.h"

typedef struct {
    Arena *a;
    const DumpInput *in;
    FILE *out;
    Diag *diag;
} Dump;

/* "M=16 N=768 K=768 threads=1" */
static void print_shape(const Dump *d, const Op *op, const int64_t *extent, int threads)
{
    fprintf(d->out, "%s threads=%d", op_shown_call(d->a, op, extent, "=", " "), threads);
}

static const char *time_text(const Dump *d, double ns) { return ns > 0 ? number_time(d->a, ns) : "-"; }

static json_t *shape_json(const Op *op, const Instance *inst)
{
    return JSON_SET(words_extents_json(json_object(), op, inst->extent), FIELD("threads", inst->threads));
}

static json_t *candidate_json(const Candidate *c)
{
    return JSON_OBJECT(FIELD("template", c->t->name), FIELD("target", c->target->name),
                       FIELD("params", words_values_json(c)));
}

static json_t *candidates_json(const Candidate *c, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, candidate_json(&c[i]));
    return list;
}

/* ---- spec ---- */

static void print_dim(const Dump *d, const Dim *dim)
{
    fprintf(d->out, "dim %s: %" PRId64 " to %" PRId64, dim->name, dim->min, dim->max);
    for (int i = 0; i < dim->ntune; i++)
        fprintf(d->out, "%s%" PRId64, i ? " " : "; tuned at ", dim->tune[i]);
    fputc('\n', d->out);
}

static void print_spec(const Dump *d)
{
    const Spec *s = d->in->spec;
    const char *layouts = spec_layout_text(d->a, s);
    fprintf(d->out, "%s: %s of %s", s->name, s->op->name, s->dtype);
    if (s->formula)
        fprintf(d->out, " with %s", s->formula->text);
    if (*layouts)
        fprintf(d->out, "; layout %s%s", layouts, s->packed ? ", packed" : "");
    if (s->accuracy > 1)
        fprintf(d->out, "; accuracy %g", s->accuracy);
    fprintf(d->out, "\nbudget: %d kernel%s, %d KiB, %d trials, %d s\n", s->budget.kernels,
            number_plural(s->budget.kernels), s->budget.code_kib, s->budget.trials, s->budget.seconds);
    for (int i = 0; i < s->ndim; i++)
        if (s->dims >> i & 1)
            print_dim(d, &s->dim[i]);
    for (int i = 0; i < s->nshape; i++) {
        fprintf(d->out, "shape %d: %s; weight %g\n", i,
                op_shown_values(d->a, s->op, spec_shape_texts(d->a, s, i), " = ", "; "), s->shape[i].weight);
    }
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *inst = &s->instance[i];
        print_shape(d, s->op, inst->extent, inst->threads);
        fprintf(d->out, "  shape %d  weight %g%s\n", inst->decl, inst->weight, inst->tuned ? "  tuned" : "");
    }
}

static json_t *dim_json(const Dim *d)
{
    json_t *tune = json_array();
    for (int i = 0; i < d->ntune; i++)
        json_array_append_new(tune, json_integer(d->tune[i]));
    return JSON_OBJECT(FIELD("name", d->name), FIELD("min", d->min), FIELD("max", d->max), FIELD("tune", tune));
}

static json_t *declared_json(const Dump *d, int shape)
{
    const Spec *s = d->in->spec;
    const char **text = spec_shape_texts(d->a, s, shape);
    json_t *o = json_object();
    for (int i = 0; i < s->op->ngiven; i++)
        JSON_SET(o, FIELD(s->op->extent[i].name, text[i]));
    return JSON_SET(o, FIELD("weight", s->shape[shape].weight));
}

static json_t *layouts_json(const Spec *s)
{
    json_t *o = json_object();
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            JSON_SET(o, FIELD(s->op->operand[i].name, spec_layout(s, i)->name));
    return o;
}

static json_t *spec_json(const Dump *d)
{
    const Spec *s = d->in->spec;
    const Budget *b = &s->budget;
    json_t *dims = json_array(), *shapes = json_array(), *instances = json_array();
    for (int i = 0; i < s->ndim; i++)
        if (s->dims >> i & 1)
            json_array_append_new(dims, dim_json(&s->dim[i]));
    for (int i = 0; i < s->nshape; i++)
        json_array_append_new(shapes, declared_json(d, i));
    for (const Instance *i = s->instance; i < s->instance + s->ninstance; i++)
        json_array_append_new(instances, JSON_SET(shape_json(s->op, i), FIELD("shape", i->decl),
                                                  FIELD("weight", i->weight), FIELD("tuned", i->tuned)));
    json_t *budget = JSON_OBJECT(FIELD("kernels", b->kernels), FIELD("code_kib", b->code_kib),
                                 FIELD("trials", b->trials), FIELD("seconds", b->seconds));
    return JSON_OBJECT(FIELD("name", s->name), FIELD("op", s->op->name), FIELD("dtype", s->dtype),
                       FIELD("layout", layouts_json(s)), FIELD("packed", s->packed),
                       FIELD("epilogue", spec_formula_text(s)), FIELD("accuracy", s->accuracy),
                       FIELD("target", json_of_list(s->target, s->ntarget)), FIELD("budget", budget),
                       FIELD("dims", dims), FIELD("shapes", shapes), FIELD("instances", instances));
}

/* ---- space ---- */

static void print_space(const Dump *d)
{
    const Space *s = d->in->space;
    fprintf(d->out, "%" PRId64 " candidates of %" PRId64 " combinations\n", s->n, s->nraw);
    for (int i = 0; i < s->nrejection; i++)
        quote_printf(d->out, "rejected %" PRId64 ": %s: %s (%s)\n", s->rejection[i].count, s->rejection[i].t->name,
                     quote_line(d->a, s->rejection[i].constraint->why), expr_text(s->rejection[i].constraint->need));
    for (int i = 0; i < s->ngeneral; i++)
        fprintf(d->out, "general: %s\n", words_candidate(d->a, &s->general[i]));
    Arena *scratch = arena_new();
    for (int64_t i = 0; i < s->n; i++) {
        fprintf(d->out, "%s\n", words_candidate(scratch, &s->candidate[i]));
        arena_reset(scratch);
    }
    arena_free(scratch);
}

static json_t *space_json(const Dump *d)
{
    const Space *s = d->in->space;
    return JSON_OBJECT(FIELD("combinations", s->nraw), FIELD("rejected", words_rejected_json(s)),
                       FIELD("general", candidates_json(s->general, s->ngeneral)),
                       FIELD("candidates", candidates_json(s->candidate, s->n)));
}

/* ---- records ---- */

static void print_kernel(const Dump *d, const KernelRecord *k)
{
    fprintf(d->out, "kernel %s on %s: %s %s", k->key, k->device, k->template_name, k->target);
    for (int i = 0; i < k->nparam; i++)
        fprintf(d->out, " %s=%" PRId64, k->param[i].name, k->param[i].value);
    quote_printf(d->out, ": %s%s%s\n", status_name(k->status), *k->why ? ": " : "", k->why);
}

static void print_spec_record(const Dump *d, const SpecRecord *s)
{
    quote_printf(d->out, "spec %s%s%s for %s: %s in %s, layout '%s'%s, formula '%s', accuracy %g", s->spec,
                 *s->function ? "_" : "", s->function, s->target, s->op, s->dtype, s->layout,
                 s->packed ? ", packed" : "", s->formula, s->accuracy);
    for (int i = 0; i < s->nconstant; i++)
        fprintf(d->out, ", %s=%" PRId64, s->constant[i].name, s->constant[i].value);
    fprintf(d->out, "\n");
}

static void print_measure(const Dump *d, const MeasureRecord *m)
{
    fprintf(d->out, "measure %s on %s:", m->key, m->device);
    for (int i = 0; i < m->naxis; i++)
        fprintf(d->out, "%s%" PRId64, i ? "x" : " ", m->extent[i]);
    fprintf(d->out, " threads=%d: %s", m->threads, status_name(m->status));
    if (m->nsample)
        fprintf(d->out, ", %s, spread %s of %d samples", time_text(d, m->median_ns), number_percent(d->a, m->spread),
                m->nsample);
    quote_printf(d->out, "%s%s%s\n", m->final ? ", raced" : "", *m->why ? ": " : "", m->why);
}

static void print_limit(const Dump *d, const LimitRecord *l)
{
    fprintf(d->out, "limit %s %s on %s, threads=%d: %s GFLOP/s", l->target, l->dtype, l->device, l->threads,
            number_sig(d->a, l->flops_per_s * 1e-9, 3));
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (l->bytes_per_s[i] > 0)
            fprintf(d->out, ", %s %s GB/s", level_name((Level)i), number_sig(d->a, l->bytes_per_s[i] * 1e-9, 3));
    if (l->clock_mhz > 0)
        fprintf(d->out, ", %s MHz", number_sig(d->a, l->clock_mhz, 4));
    if (l->launch_ns > 0)
        fprintf(d->out, ", launch %s", number_time(d->a, l->launch_ns));
    if (l->handover_ns > 0)
        fprintf(d->out, ", handover %s", number_time(d->a, l->handover_ns));
    if (l->reuse_flops_per_s > 0)
        fprintf(d->out, ", reuse %s GFLOP/s", number_sig(d->a, l->reuse_flops_per_s * 1e-9, 3));
    fprintf(d->out, "\n");
}

static void print_records(const Dump *d)
{
    const Records *r = d->in->result.records;
    fprintf(d->out, "%" PRId64 " devices, %" PRId64 " kernels, %" PRId64 " measurements; %" PRId64 " lines ignored\n",
            r->ndevice, r->nkernel, r->nmeasure, r->nignored);
    for (int64_t i = 0; i < r->ndevice; i++)
        quote_printf(d->out, "device %s: %s, %d cores; %s %s\n", r->device[i].id, r->device[i].name, r->device[i].cores,
                     r->device[i].compiler, r->device[i].flags);
    for (int64_t i = 0; i < r->nspec; i++)
        print_spec_record(d, &r->spec[i]);
    for (int64_t i = 0; i < r->nkernel; i++)
        print_kernel(d, &r->kernel[i]);
    for (int64_t i = 0; i < r->nmeasure; i++)
        print_measure(d, &r->measure[i]);
    for (int64_t i = 0; i < r->nlimit; i++)
        print_limit(d, &r->limit[i]);
}

/* A list of the lines that a record file would have. */
static json_t *records_json(const Dump *d)
{
    json_t *list = json_array();
    const char *end;
    for (const char *line = record_text(d->a, d->in->result.records); (end = strchr(line, '\n')); line = end + 1)
        json_array_append_new(list, json_loadb(line, (size_t)(end - line), 0, NULL));
    return list;
}

/* ---- model ---- */

static void print_trial(const Dump *d, int64_t trial)
{
    const Study *s = d->in->result.study;
    const Trial *t = &s->trial[trial];
    for (int64_t j = 0; j < s->nshape; j++) {
        if (!(t->ns[j] > 0))
            continue;
        double guess = cost_predict(d->in->result.model, &t->c, s->shape[j]->extent, s->shape[j]->threads);
        fprintf(d->out, "%s  ", words_candidate(d->a, &t->c));
        print_shape(d, s->spec->op, s->shape[j]->extent, s->shape[j]->threads);
        fprintf(d->out, "  %s, predicted %s (%+.1f %%)\n", time_text(d, t->ns[j]), time_text(d, guess),
                100 * (guess / t->ns[j] - 1));
    }
}

static void print_model(const Dump *d)
{
    CostReport c = cost_report(d->a, d->in->result.study, d->in->result.templates);
    fprintf(d->out, "%" PRId64 " measurements, %d features, lambda %g\n", c.nmeasure, c.nfeature, c.lambda);
    fprintf(
        d->out,
        "error %s and rank correlation %s on kernels left out of the fit; %.3f octaves leaving one measurement out\n",
        number_percent(d->a, c.error), number_sig(d->a, c.order.rank, 3), c.loo_rmse);
    fprintf(d->out, "the closed form alone: rank correlation %s, regret of its best %s\n",
            number_sig(d->a, c.analytic.rank, 3), number_percent(d->a, c.analytic.regret));
    fprintf(d->out, "exponents of padding %.3f, of load balance %.3f\n", c.pad_exponent, c.occ_exponent);
    for (int64_t i = 0; i < d->in->result.study->ntrial; i++)
        if (d->in->result.study->trial[i].c.target == d->in->result.study->target)
            print_trial(d, i);
}

static json_t *predictions_json(const Study *s, const CostModel *m, const Trial *t)
{
    json_t *list = json_array();
    for (int64_t j = 0; j < s->nshape; j++)
        if (t->ns[j] > 0)
            json_array_append_new(list, JSON_SET(shape_json(s->spec->op, s->shape[j]), FIELD("measured_ns", t->ns[j]),
                                                 FIELD("predicted_ns", cost_predict(m, &t->c, s->shape[j]->extent,
                                                                                    s->shape[j]->threads))));
    return list;
}

static json_t *model_json(const Dump *d)
{
    const Study *s = d->in->result.study;
    const CostReport c = cost_report(d->a, s, d->in->result.templates);
    json_t *trials = json_array();
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        if (t->c.target == s->target) /* general kernels of lesser targets are verified and not timed */
            json_array_append_new(trials, JSON_SET(candidate_json(&t->c), FIELD("status", status_name(t->status)),
                                                   FIELD("shapes", predictions_json(s, d->in->result.model, t))));
    return JSON_OBJECT(FIELD("measurements", c.nmeasure), FIELD("features", c.nfeature), FIELD("lambda", c.lambda),
                       FIELD("loo_rmse_log2", c.loo_rmse), FIELD("error", c.error), FIELD("rank", c.order.rank),
                       FIELD("analytic_rank", c.analytic.rank), FIELD("analytic_regret", c.analytic.regret),
                       FIELD("pad_exponent", c.pad_exponent), FIELD("occ_exponent", c.occ_exponent),
                       FIELD("trials", trials));
}

/* ---- assignment ---- */

static void print_assign(const Dump *d)
{
    const Study *s = d->in->result.study;
    const Assignment *as = d->in->result.assignment;
    fprintf(d->out, "%d kernel%s, %s, mean regret %s\n", as->nkernel, number_plural(as->nkernel),
            number_bytes(d->a, as->code_bytes), number_percent(d->a, as->regret));
    for (int k = 0; k < as->nkernel; k++)
        fprintf(d->out, "k%d: %s, %s%s\n", k, words_candidate(d->a, &s->trial[as->kernel[k]].c),
                number_bytes(d->a, s->trial[as->kernel[k]].code_bytes), k == as->general ? ", general" : "");
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        const Instance *inst = &s->spec->instance[i];
        double ns = as->cost[i * as->nkernel + as->chosen[i]];
        print_shape(d, s->spec->op, inst->extent, inst->threads);
        fprintf(d->out, "  k%d %s", as->chosen[i], time_text(d, ns));
        if (as->best[i] != as->chosen[i])
            fprintf(d->out, ", best of the package k%d %s", as->best[i],
                    time_text(d, as->cost[i * as->nkernel + as->best[i]]));
        fprintf(d->out, ", best known %s%s\n", time_text(d, as->oracle_ns[i]), study_tunes(s, inst) ? ", tuned" : "");
    }
}

static json_t *assign_json(const Dump *d)
{
    const Study *s = d->in->result.study;
    const Assignment *as = d->in->result.assignment;
    json_t *kernels = json_array(), *list = json_array();
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &s->trial[as->kernel[k]];
        json_array_append_new(kernels, JSON_SET(candidate_json(&t->c), FIELD("code_bytes", t->code_bytes)));
    }
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        const Instance *inst = &s->spec->instance[i];
        const double *cost = as->cost + i * as->nkernel;
        json_array_append_new(list,
                              JSON_SET(shape_json(s->spec->op, inst), FIELD("tuned", study_tunes(s, inst)),
                                       FIELD("kernel", as->chosen[i]), FIELD("ns", cost[as->chosen[i]]),
                                       FIELD("best_kernel", as->best[i]), FIELD("best_kernel_ns", cost[as->best[i]]),
                                       FIELD("best_known_ns", as->oracle_ns[i])));
    }
    return JSON_OBJECT(FIELD("code_bytes", as->code_bytes), FIELD("regret", as->regret), FIELD("general", as->general),
                       FIELD("kernels", kernels), FIELD("instances", list));
}

/* ---- tree ---- */

static void print_node(const Dump *d, const TreeNode *t, int depth)
{
    const Op *op = d->in->result.study->spec->op;
    fprintf(d->out, "%*s", 2 * depth, "");
    if (t->feature < 0) {
        fprintf(d->out, "k%d  %" PRId64 " shape%s\n", t->class, t->npoint, number_plural(t->npoint));
        return;
    }
    fprintf(d->out, "%s <= %" PRId64 "?  %" PRId64 " shapes\n",
            t->feature < op->nextent ? op->extent[t->feature].name : "threads", t->threshold, t->npoint);
    print_node(d, t->left, depth + 1);
    print_node(d, t->right, depth + 1);
}

static void print_tree(const Dump *d)
{
    const TreeNode *t = d->in->result.assignment->tree;
    int nleaf = tree_nleaf(t), depth = tree_depth(t);
    fprintf(d->out, "%d %s, %d level%s; the first branch is taken when the test holds\n", nleaf,
            nleaf == 1 ? "leaf" : "leaves", depth, number_plural(depth));
    print_node(d, t, 0);
}

static json_t *node_json(const Op *op, const TreeNode *t)
{
    json_t *o = JSON_OBJECT(FIELD("shapes", t->npoint));
    if (t->feature < 0)
        return JSON_SET(o, FIELD("kernel", t->class));
    return JSON_SET(o, FIELD("name", t->feature < op->nextent ? op->extent[t->feature].name : "threads"),
                    FIELD("at_most", t->threshold), FIELD("yes", node_json(op, t->left)),
                    FIELD("no", node_json(op, t->right)));
}

static json_t *tree_json(const Dump *d)
{
    return node_json(d->in->result.study->spec->op, d->in->result.assignment->tree);
}

/* ---- trace ---- */

static void print_trace(const Dump *d)
{
    const SearchTrace *t = d->in->trace;
    fprintf(d->out, "%" PRId64 " kernels in %" PRId64 " rounds; %s the %" PRId64 " of the records, in their order\n",
            t->nstep, t->nstep ? t->step[t->nstep - 1].round + 1 : 0, t->same ? "they are" : "they are not",
            t->nrecord);
    for (int64_t i = 0; i < t->nstep; i++) {
        const TraceStep *s = &t->step[i];
        fprintf(d->out, "%" PRId64 " %" PRId64 " gain %s on %d shapes: %s\n", s->round, i,
                isfinite(s->gain) ? number_percent(d->a, s->gain) : "-", s->nshape, words_candidate(d->a, &s->c));
    }
}

static json_t *trace_json(const Dump *d)
{
    const SearchTrace *t = d->in->trace;
    json_t *list = json_array();
    for (const TraceStep *step = t->step; step < t->step + t->nstep; step++)
        json_array_append_new(list, JSON_SET(candidate_json(&step->c), FIELD("round", step->round),
                                             FIELD("gain", step->gain), FIELD("shapes", step->nshape)));
    return JSON_OBJECT(FIELD("same", t->same), FIELD("recorded", t->nrecord), FIELD("trials", list));
}

/* ---- source ----
 *
 * Candidates as they are compiled, with all that another program needs to compile them and to hand them to a runner. As
 * JSON:
 *
 *   { "reference":  { "code": C, "flags": [...] },      flags: all but "-o FILE" and the source
 *     "setup":      the runner's setup request, but for the path of the reference,
 *     "candidates": [ { "key", "template", "target", "params", "code",
 *                       "cc": [...] or "nvcc": [...] and "emulator": [...] } ] }
 */

/* After so many draws the next template has its turn: this one may have no candidates left. */
enum { MOST_DRAWS = 1000 };

typedef struct {
    int64_t n, most;
    const Candidate **item;
    Index index; /* of the items */
} Picked;

/* Adds a candidate, unless it is there already or `most` are. */
static void add_candidate(Picked *p, const Candidate *c)
{
    const uint64_t hash = index_hash(c->choice, sizeof c->choice, (uintptr_t)c->t);
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&p->index, hash, &from)) >= 0 && !candidate_same(p->item[i], c))
        continue;
    if (i >= 0 || p->n == p->most)
        return;
    index_add(&p->index, hash, p->n);
    p->item[p->n++] = c;
}

/* Without --trials all candidates. Else at most that many: the general kernels, then some that --seed draws, from the
 * templates of the general kernels in turn. */
static Picked pick_candidates(const Dump *d)
{
    const Space *s = d->in->space;
    const int trials = d->in->trials;
    Rng rng = { d->in->seed };
    const int64_t all = s->n + s->ngeneral;
    Picked p = { .most = trials >= 0 && trials < all ? trials : all, .index = { .arena = d->a } };
    p.item = ARENA_ARRAY(d->a, (size_t)p.most + 1, const Candidate *);
    for (int i = 0; i < s->ngeneral; i++)
        add_candidate(&p, &s->general[i]);
    for (int64_t i = 0; trials < 0 && i < s->n; i++)
        add_candidate(&p, &s->candidate[i]);
    const int64_t wanted = trials < 0 ? 0 : p.most < s->n ? p.most : s->n;
    for (int64_t turn = 0, draws = 0; p.n < wanted && draws < MOST_DRAWS * (int64_t)trials; draws++) {
        const Candidate *c = &s->candidate[rng_below(&rng, s->n)];
        const int64_t before = p.n;
        if (c->t == s->general[turn % s->ngeneral].t)
            add_candidate(&p, c);
        if (p.n > before || draws % MOST_DRAWS == MOST_DRAWS - 1)
            turn++;
    }
    return p;
}

/* The candidate's text; NULL after errors. */
static const char *code_of(const Dump *d, const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    return unit_candidate(d->a, &d->in->result.unit, &(UnitKernel){ .t = c->t, .target = c->target, .value = value },
                          d->diag);
}

static void print_source(const Dump *d)
{
    const Picked p = pick_candidates(d);
    for (int64_t i = 0; i < p.n; i++) {
        const char *code = code_of(d, p.item[i]);
        fprintf(d->out, "%s%s", i ? "\n" : "", code ? code : "");
    }
}

static json_t *flags_json(Toolchain t)
{
    int n = 0;
    while (t.flags[n])
        n++;
    return json_of_list(t.flags, n);
}

/* A candidate with its text, the flags that compile it for its device and, where the emulator can take the device's
 * place, those for that. */
static json_t *compilable_json(const Dump *d, const Candidate *c, const char *context)
{
    const Family *f = c->target->family;
    const char *key = candidate_key(d->a, c, context, d->in->result.unit.device);
    json_t *o =
        JSON_OBJECT(FIELD("key", key), FIELD("template", c->t->name), FIELD("target", c->target->name),
                    FIELD("params", words_values_json(c)), FIELD("code", code_of(d, c)),
                    FIELD(f->compiler.option, flags_json(toolchain_make(d->a, "", f, c->target->gencode, false))));
    if (f->verifier)
        JSON_SET(o, FIELD("emulator", flags_json(toolchain_emulator(d->a, "", d->in->result.unit.package_dir))));
    return o;
}

static json_t *source_json(const Dump *d)
{
    const Picked p = pick_candidates(d);
    const Spec *s = d->in->spec;
    const char *context = unit_context_hash(d->a, &d->in->result.unit);
    const char *text = s->op->reference ? text_read_file(d->a, s->op->reference, NULL) : "";
    if (!text)
        diag_error(d->diag, (Loc){ 0 }, "%s: %s", s->op->reference, strerror(errno));
    json_t *list = json_array();
    for (int64_t i = 0; i < p.n; i++)
        json_array_append_new(list, compilable_json(d, p.item[i], context));
    json_t *reference =
        JSON_OBJECT(FIELD("code", text ? unit_reference(d->a, s, d->in->result.unit.package_dir, text, d->diag) : NULL),
                    FIELD("flags", flags_json(toolchain_make(d->a, "", &family_cpu, "", false))));
    return JSON_OBJECT(FIELD("reference", reference), FIELD("setup", runner_setup(s->op, s->dtype, d->in->seed, NULL)),
                       FIELD("candidates", list));
}

void dump(Arena *a, DumpStage stage, const DumpInput *in, bool json, FILE *out, Diag *diag)
{
    static const struct {
        void (*print)(const Dump *);
        json_t *(*json)(const Dump *);
    } rows[] = { [DUMP_SPEC] = { print_spec, spec_json },       [DUMP_SPACE] = { print_space, space_json },
                 [DUMP_SOURCE] = { print_source, source_json }, [DUMP_RECORDS] = { print_records, records_json },
                 [DUMP_MODEL] = { print_model, model_json },    [DUMP_ASSIGN] = { print_assign, assign_json },
                 [DUMP_TREE] = { print_tree, tree_json },       [DUMP_TRACE] = { print_trace, trace_json } };
    const Dump d = { a, in, out, diag };
    if (json)
        quote_print_json(rows[stage].json(&d), out);
    else
        rows[stage].print(&d);
}
