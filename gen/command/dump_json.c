/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_json: what one stage made, as JSON. What is not known or not finite is null; records are as in a record file.
 */
#include "gen/command/dump.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/quote.h"

typedef struct {
    Arena *a;
    const DumpInput *in;
} Dump;

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static void set(json_t *o, const char *name, json_t *value) { json_object_set_new(o, name, value); }

static json_t *strings(const char *const *s, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, quote_json(s[i]));
    return list;
}

static json_t *shape(const Op *op, const Instance *inst)
{
    json_t *o = json_object();
    for (int i = 0; i < op->naxis; i++)
        set(o, op->axis[i].name, json_integer(inst->extent[i]));
    set(o, "threads", json_integer(inst->threads));
    return o;
}

static json_t *candidate(const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    json_t *o = json_object(), *params = json_object();
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        set(params, c->t->param[i].name, json_integer(value[i]));
    set(o, "template", quote_json(c->t->name));
    set(o, "target", quote_json(c->target->name));
    set(o, "params", params);
    return o;
}

/* ---- spec ---- */

static json_t *dim(const Dim *d)
{
    json_t *o = json_object(), *tune = json_array();
    for (int i = 0; i < d->ntune; i++)
        json_array_append_new(tune, json_integer(d->tune[i]));
    set(o, "name", quote_json(d->name));
    set(o, "min", json_integer(d->min));
    set(o, "max", json_integer(d->max));
    set(o, "tune", tune);
    return o;
}

static json_t *shape_decl(const Op *op, const ShapeDecl *s)
{
    json_t *o = json_object();
    for (int i = 0; i < op->naxis; i++)
        set(o, op->axis[i].name, quote_json(expr_text(s->extent[i])));
    set(o, "weight", real(s->weight));
    return o;
}

static json_t *instances(const Spec *s)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < s->ninstance; i++) {
        json_t *o = shape(s->op, &s->instance[i]);
        set(o, "shape", json_integer(s->instance[i].decl));
        set(o, "weight", real(s->instance[i].weight));
        set(o, "tuned", json_boolean(s->instance[i].tuned));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *dump_spec(const Dump *d)
{
    const Spec *s = d->in->workload->spec;
    json_t *o = json_object(), *dims = json_array(), *shapes = json_array();
    for (int i = 0; i < s->ndim; i++)
        json_array_append_new(dims, dim(&s->dim[i]));
    for (int i = 0; i < s->nshape; i++)
        json_array_append_new(shapes, shape_decl(s->op, &s->shape[i]));
    set(o, "name", quote_json(s->name));
    set(o, "op", quote_json(s->op->name));
    set(o, "dtype", quote_json(s->dtype));
    set(o, "layout", quote_json(s->layout));
    set(o, "packed", json_boolean(s->packed));
    set(o, "epilogue", strings(s->epilogue, s->nepilogue));
    set(o, "target", strings(s->target, s->ntarget));
    set(o, "budget",
        json_pack("{s:i, s:i, s:i, s:i}", "kernels", s->budget.kernels, "code_kib", s->budget.code_kib, "trials",
                  s->budget.trials, "seconds", s->budget.seconds));
    set(o, "dims", dims);
    set(o, "shapes", shapes);
    set(o, "instances", instances(s));
    return o;
}

/* ---- space ---- */

static json_t *dump_space(const Dump *d)
{
    const Space *s = d->in->space;
    json_t *o = json_object(), *rejected = json_array(), *general = json_array(), *list = json_array();
    for (int i = 0; i < s->nrejection; i++)
        json_array_append_new(rejected,
                              json_pack("{s:o, s:o, s:o, s:I}", "template", quote_json(s->rejection[i].t->name), "need",
                                        quote_json(expr_text(s->rejection[i].constraint->need)), "why",
                                        quote_json(s->rejection[i].constraint->why), "count",
                                        (json_int_t)s->rejection[i].count));
    for (int i = 0; i < s->ngeneral; i++)
        json_array_append_new(general, candidate(&s->general[i]));
    for (int64_t i = 0; i < s->n; i++)
        json_array_append_new(list, candidate(&s->candidate[i]));
    set(o, "combinations", json_integer(s->nraw));
    set(o, "rejected", rejected);
    set(o, "general", general);
    set(o, "candidates", list);
    return o;
}

/* ---- records ---- */

static json_t *dump_records(const Dump *d)
{
    json_t *list = json_array();
    const char *end;
    for (const char *line = record_text(d->a, d->in->result.records); (end = strchr(line, '\n')); line = end + 1)
        json_array_append_new(list, json_loadb(line, (size_t)(end - line), 0, NULL));
    return list;
}

/* ---- model ---- */

static json_t *predictions(const Study *s, const CostModel *m, const Trial *t)
{
    json_t *list = json_array();
    for (int64_t j = 0; j < s->nshape; j++) {
        if (!(t->ns[j] > 0))
            continue;
        json_t *o = shape(s->spec->op, s->shape[j]);
        set(o, "measured_ns", real(t->ns[j]));
        set(o, "predicted_ns", real(cost_predict(m, &t->c, s->shape[j]->extent, s->shape[j]->threads)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *dump_model(const Dump *d)
{
    const Study *s = d->in->result.study;
    CostReport c = cost_report(d->a, s, &d->in->workload->templates);
    json_t *o = json_object(), *trials = json_array();
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.target != s->target)
            continue; /* a lesser target's general kernel: verified, not searched */
        json_t *t = candidate(&s->trial[i].c);
        set(t, "status", quote_json(status_name(s->trial[i].status)));
        set(t, "shapes", predictions(s, d->in->result.model, &s->trial[i]));
        json_array_append_new(trials, t);
    }
    set(o, "measurements", json_integer(c.nmeasure));
    set(o, "features", json_integer(c.nfeature));
    set(o, "lambda", real(c.lambda));
    set(o, "loo_rmse_log2", real(c.loo_rmse));
    set(o, "error", real(c.error));
    set(o, "rank", real(c.order.rank));
    set(o, "analytic_rank", real(c.analytic.rank));
    set(o, "analytic_regret", real(c.analytic.regret));
    set(o, "pad_exponent", real(c.pad_exponent));
    set(o, "occ_exponent", real(c.occ_exponent));
    set(o, "trials", trials);
    return o;
}

/* ---- assignment and tree ---- */

static json_t *kernels(const Study *s, const Assignment *as)
{
    json_t *list = json_array();
    for (int k = 0; k < as->nkernel; k++) {
        json_t *o = candidate(&s->trial[as->kernel[k]].c);
        set(o, "code_bytes", json_integer(s->trial[as->kernel[k]].code_bytes));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *dump_assign(const Dump *d)
{
    const Study *s = d->in->result.study;
    const Assignment *as = d->in->result.assignment;
    json_t *o = json_object(), *list = json_array();
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        json_t *one = shape(s->spec->op, &s->spec->instance[i]);
        set(one, "tuned", json_boolean(s->spec->instance[i].tuned));
        set(one, "kernel", json_integer(as->chosen[i]));
        set(one, "ns", real(as->cost[i * as->nkernel + as->chosen[i]]));
        set(one, "best_kernel", json_integer(as->best[i]));
        set(one, "best_kernel_ns", real(as->cost[i * as->nkernel + as->best[i]]));
        set(one, "best_known_ns", real(as->oracle_ns[i]));
        json_array_append_new(list, one);
    }
    set(o, "code_bytes", json_integer(as->code_bytes));
    set(o, "regret", real(as->regret));
    set(o, "general", json_integer(as->general));
    set(o, "kernels", kernels(s, as));
    set(o, "instances", list);
    return o;
}

static json_t *node(const Op *op, const TreeNode *t)
{
    json_t *o = json_object();
    set(o, "shapes", json_integer(t->npoint));
    if (t->feature < 0) {
        set(o, "kernel", json_integer(t->class));
        return o;
    }
    set(o, "name", quote_json(t->feature < op->naxis ? op->axis[t->feature].name : "threads"));
    set(o, "at_most", json_integer(t->threshold));
    set(o, "yes", node(op, t->left));
    set(o, "no", node(op, t->right));
    return o;
}

static json_t *dump_tree(const Dump *d) { return node(d->in->result.study->spec->op, d->in->result.assignment->tree); }

/* ---- trace ---- */

static json_t *dump_trace(const Dump *d)
{
    const Trace *t = d->in->trace;
    json_t *o = json_object(), *list = json_array();
    for (int64_t i = 0; i < t->nstep; i++) {
        json_t *step = candidate(&t->step[i].c);
        set(step, "round", json_integer(t->step[i].round));
        set(step, "gain", real(t->step[i].gain));
        set(step, "shapes", json_integer(t->step[i].nshape));
        json_array_append_new(list, step);
    }
    set(o, "same", json_boolean(t->same));
    set(o, "recorded", json_integer(t->nrecord));
    set(o, "trials", list);
    return o;
}

void dump_json(Arena *a, DumpStage stage, const DumpInput *in, FILE *out)
{
    static json_t *(*const rows[])(
        const Dump *) = { [DUMP_SPEC] = dump_spec,   [DUMP_SPACE] = dump_space,   [DUMP_RECORDS] = dump_records,
                          [DUMP_MODEL] = dump_model, [DUMP_ASSIGN] = dump_assign, [DUMP_TREE] = dump_tree,
                          [DUMP_TRACE] = dump_trace };
    json_t *value = rows[stage](&(Dump){ a, in });
    quote_print_json(value, out);
}
