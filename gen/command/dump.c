/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: prints what a stage of the pipeline made, as text. Each stage is a function of a table, and prints
 * a head line or more, then a table of one line an entry.
 */
#include "gen/command/dump.h"

#include <inttypes.h>
#include <math.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/words.h"

/* "M=16 N=768 K=768 threads=1" */
static void print_shape(const Dump *d, const Op *op, const int64_t *extent, int threads)
{
    for (int i = 0; i < op->naxis; i++)
        fprintf(d->out, "%s=%" PRId64 " ", op->axis[i].name, extent[i]);
    fprintf(d->out, "threads=%d", threads);
}

static const char *time_text(const Dump *d, double ns) { return ns > 0 ? number_time(d->a, ns) : "-"; }

/* ---- spec ---- */

static void print_dim(const Dump *d, const Dim *dim)
{
    fprintf(d->out, "dim %s: %" PRId64 " to %" PRId64, dim->name, dim->min, dim->max);
    for (int i = 0; i < dim->ntune; i++)
        fprintf(d->out, "%s%" PRId64, i ? " " : "; tuned at ", dim->tune[i]);
    fputc('\n', d->out);
}

static void dump_spec(const Dump *d)
{
    const Spec *s = d->in->workload->spec;
    fprintf(d->out, "%s: %s of %s", s->name, s->op->name, s->dtype);
    for (int i = 0; i < s->nepilogue; i++)
        fprintf(d->out, "%s%s", i ? ", " : " with ", s->epilogue[i]);
    if (s->layout)
        fprintf(d->out, "; layout %s%s", s->layout, s->packed ? ", packed" : "");
    fprintf(d->out, "\nbudget: %d kernel%s, %d KiB, %d trials, %d s\n", s->budget.kernels,
            number_plural(s->budget.kernels), s->budget.code_kib, s->budget.trials, s->budget.seconds);
    for (int i = 0; i < s->ndim; i++)
        print_dim(d, &s->dim[i]);
    for (int i = 0; i < s->nshape; i++) {
        fprintf(d->out, "shape %d:", i);
        for (int k = 0; k < s->op->naxis; k++)
            fprintf(d->out, " %s = %s;", s->op->axis[k].name, expr_text(s->shape[i].extent[k]));
        fprintf(d->out, " weight %g\n", s->shape[i].weight);
    }
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *inst = &s->instance[i];
        print_shape(d, s->op, inst->extent, inst->threads);
        fprintf(d->out, "  shape %d  weight %g%s\n", inst->decl, inst->weight, inst->tuned ? "  tuned" : "");
    }
}

/* ---- space ---- */

static void dump_space(const Dump *d)
{
    const Space *s = d->in->space;
    fprintf(d->out, "%" PRId64 " candidates of %" PRId64 " combinations\n", s->n, s->nraw);
    for (int i = 0; i < s->nrejection; i++)
        quote_printf(d->out, "rejected %" PRId64 ": %s: %s (%s)\n", s->rejection[i].count, s->rejection[i].t->name,
                     quote_line(d->a, s->rejection[i].constraint->why), expr_text(s->rejection[i].constraint->need));
    for (int i = 0; i < s->ngeneral; i++)
        fprintf(d->out, "general: %s\n", words_candidate(d->a, &s->general[i]));
    Arena *line = arena_new();
    for (int64_t i = 0; i < s->n; i++) {
        fprintf(d->out, "%s\n", words_candidate(line, &s->candidate[i]));
        arena_reset(line);
    }
    arena_free(line);
}

/* ---- records ---- */

static void print_kernel(const Dump *d, const KernelRecord *k)
{
    fprintf(d->out, "kernel %s on %s: %s %s", k->key, k->device, k->template_name, k->target);
    for (int i = 0; i < k->nparam; i++)
        fprintf(d->out, " %s=%" PRId64, k->param[i].name, k->param[i].value);
    quote_printf(d->out, ": %s%s%s\n", status_name(k->status), *k->why ? ": " : "", k->why);
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
    quote_printf(d->out, "%s%s%s\n", m->final ? ", final" : "", *m->why ? ": " : "", m->why);
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
    fprintf(d->out, "\n");
}

static void dump_records(const Dump *d)
{
    const Records *r = d->in->result.records;
    fprintf(d->out, "%" PRId64 " devices, %" PRId64 " kernels, %" PRId64 " measurements; %" PRId64 " lines ignored\n",
            r->ndevice, r->nkernel, r->nmeasure, r->nignored);
    for (int64_t i = 0; i < r->ndevice; i++)
        quote_printf(d->out, "device %s: %s, %d cores; %s %s\n", r->device[i].id, r->device[i].name, r->device[i].cores,
                     r->device[i].compiler, r->device[i].flags);
    for (int64_t i = 0; i < r->nkernel; i++)
        print_kernel(d, &r->kernel[i]);
    for (int64_t i = 0; i < r->nmeasure; i++)
        print_measure(d, &r->measure[i]);
    for (int64_t i = 0; i < r->nlimit; i++)
        print_limit(d, &r->limit[i]);
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

static void dump_model(const Dump *d)
{
    CostReport c = cost_report(d->a, d->in->result.study, &d->in->workload->templates);
    fprintf(d->out, "%" PRId64 " measurements, %d features, lambda %g\n", c.nmeasure, c.nfeature, c.lambda);
    fprintf(
        d->out,
        "error %s and rank correlation %.3f on kernels left out of the fit; %.3f octaves leaving one measurement out\n",
        number_percent(d->a, c.error), c.order.rank, c.loo_rmse);
    fprintf(d->out, "the closed form alone: rank correlation %.3f, regret of its best %s\n", c.analytic.rank,
            number_percent(d->a, c.analytic.regret));
    fprintf(d->out, "exponents of padding %.3f, of load balance %.3f\n", c.pad_exponent, c.occ_exponent);
    for (int64_t i = 0; i < d->in->result.study->ntrial; i++)
        if (d->in->result.study->trial[i].c.target == d->in->result.study->target)
            print_trial(d, i);
}

/* ---- assignment ---- */

static void dump_assign(const Dump *d)
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
        fprintf(d->out, ", best known %s%s\n", time_text(d, as->oracle_ns[i]), inst->tuned ? ", tuned" : "");
    }
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
            t->feature < op->naxis ? op->axis[t->feature].name : "threads", t->threshold, t->npoint);
    print_node(d, t->left, depth + 1);
    print_node(d, t->right, depth + 1);
}

static void dump_tree(const Dump *d)
{
    const TreeNode *t = d->in->result.assignment->tree;
    int nleaf = tree_nleaf(t), depth = tree_depth(t);
    fprintf(d->out, "%d %s, %d level%s; the first branch is taken when the test holds\n", nleaf,
            nleaf == 1 ? "leaf" : "leaves", depth, number_plural(depth));
    print_node(d, t, 0);
}

/* ---- trace ---- */

static void dump_trace(const Dump *d)
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

void dump(Arena *a, DumpStage stage, const DumpInput *in, bool json, FILE *out)
{
    static void (*const text[])(
        const Dump *) = { [DUMP_SPEC] = dump_spec,       [DUMP_SPACE] = dump_space, [DUMP_SOURCE] = dump_source,
                          [DUMP_RECORDS] = dump_records, [DUMP_MODEL] = dump_model, [DUMP_ASSIGN] = dump_assign,
                          [DUMP_TREE] = dump_tree,       [DUMP_TRACE] = dump_trace };
    const Dump d = { a, in, out };
    if (json)
        quote_print_json(dump_json(&d, stage), out);
    else
        text[stage](&d);
}
