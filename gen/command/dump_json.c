/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_json: what one stage made, as JSON. What is not known or not finite is null; records are as in a record file.
 */
#include "gen/command/dump.h"

#include <string.h>
#include "gen/report/words.h"

static json_t *shape(const Op *op, const Instance *inst)
{
    return JSON_SET(words_extents_json(json_object(), op, inst->extent), FIELD("threads", inst->threads));
}

static json_t *candidate(const Candidate *c)
{
    return JSON_OBJECT(FIELD("template", c->t->name), FIELD("target", c->target->name),
                       FIELD("params", words_values_json(c)));
}

static json_t *candidates(const Candidate *c, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, candidate(&c[i]));
    return list;
}

/* ---- spec ---- */

static json_t *dim(const Dim *d)
{
    json_t *tune = json_array();
    for (int i = 0; i < d->ntune; i++)
        json_array_append_new(tune, json_integer(d->tune[i]));
    return JSON_OBJECT(FIELD("name", d->name), FIELD("min", d->min), FIELD("max", d->max), FIELD("tune", tune));
}

static json_t *shape_decl(const Op *op, const ShapeDecl *s)
{
    json_t *o = json_object();
    for (int i = 0; i < op->naxis; i++)
        JSON_SET(o, FIELD(op->axis[i].name, expr_text(s->extent[i])));
    return JSON_SET(o, FIELD("weight", s->weight));
}

static json_t *dump_spec(const Dump *d)
{
    const Spec *s = d->in->workload->spec;
    const Budget *b = &s->budget;
    json_t *dims = json_array(), *shapes = json_array(), *instances = json_array();
    for (int i = 0; i < s->ndim; i++)
        json_array_append_new(dims, dim(&s->dim[i]));
    for (int i = 0; i < s->nshape; i++)
        json_array_append_new(shapes, shape_decl(s->op, &s->shape[i]));
    for (const Instance *i = s->instance; i < s->instance + s->ninstance; i++)
        json_array_append_new(instances, JSON_SET(shape(s->op, i), FIELD("shape", i->decl), FIELD("weight", i->weight),
                                                  FIELD("tuned", i->tuned)));
    json_t *budget = JSON_OBJECT(FIELD("kernels", b->kernels), FIELD("code_kib", b->code_kib),
                                 FIELD("trials", b->trials), FIELD("seconds", b->seconds));
    return JSON_OBJECT(FIELD("name", s->name), FIELD("op", s->op->name), FIELD("dtype", s->dtype),
                       FIELD("layout", s->layout), FIELD("packed", s->packed),
                       FIELD("epilogue", json_of_list(s->epilogue, s->nepilogue)),
                       FIELD("target", json_of_list(s->target, s->ntarget)), FIELD("budget", budget),
                       FIELD("dims", dims), FIELD("shapes", shapes), FIELD("instances", instances));
}

static json_t *dump_space(const Dump *d)
{
    const Space *s = d->in->space;
    return JSON_OBJECT(FIELD("combinations", s->nraw), FIELD("rejected", words_rejected_json(s)),
                       FIELD("general", candidates(s->general, s->ngeneral)),
                       FIELD("candidates", candidates(s->candidate, s->n)));
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
    for (int64_t j = 0; j < s->nshape; j++)
        if (t->ns[j] > 0)
            json_array_append_new(list, JSON_SET(shape(s->spec->op, s->shape[j]), FIELD("measured_ns", t->ns[j]),
                                                 FIELD("predicted_ns", cost_predict(m, &t->c, s->shape[j]->extent,
                                                                                    s->shape[j]->threads))));
    return list;
}

static json_t *dump_model(const Dump *d)
{
    const Study *s = d->in->result.study;
    const CostReport c = cost_report(d->a, s, &d->in->workload->templates);
    json_t *trials = json_array();
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        if (t->c.target == s->target) /* general kernels of lesser targets are verified only */
            json_array_append_new(trials, JSON_SET(candidate(&t->c), FIELD("status", status_name(t->status)),
                                                   FIELD("shapes", predictions(s, d->in->result.model, t))));
    return JSON_OBJECT(FIELD("measurements", c.nmeasure), FIELD("features", c.nfeature), FIELD("lambda", c.lambda),
                       FIELD("loo_rmse_log2", c.loo_rmse), FIELD("error", c.error), FIELD("rank", c.order.rank),
                       FIELD("analytic_rank", c.analytic.rank), FIELD("analytic_regret", c.analytic.regret),
                       FIELD("pad_exponent", c.pad_exponent), FIELD("occ_exponent", c.occ_exponent),
                       FIELD("trials", trials));
}

/* ---- assignment and tree ---- */

static json_t *dump_assign(const Dump *d)
{
    const Study *s = d->in->result.study;
    const Assignment *as = d->in->result.assignment;
    json_t *kernels = json_array(), *list = json_array();
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &s->trial[as->kernel[k]];
        json_array_append_new(kernels, JSON_SET(candidate(&t->c), FIELD("code_bytes", t->code_bytes)));
    }
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        const Instance *inst = &s->spec->instance[i];
        const double *cost = as->cost + i * as->nkernel;
        json_array_append_new(
            list, JSON_SET(shape(s->spec->op, inst), FIELD("tuned", inst->tuned), FIELD("kernel", as->chosen[i]),
                           FIELD("ns", cost[as->chosen[i]]), FIELD("best_kernel", as->best[i]),
                           FIELD("best_kernel_ns", cost[as->best[i]]), FIELD("best_known_ns", as->oracle_ns[i])));
    }
    return JSON_OBJECT(FIELD("code_bytes", as->code_bytes), FIELD("regret", as->regret), FIELD("general", as->general),
                       FIELD("kernels", kernels), FIELD("instances", list));
}

static json_t *node(const Op *op, const TreeNode *t)
{
    json_t *o = JSON_OBJECT(FIELD("shapes", t->npoint));
    if (t->feature < 0)
        return JSON_SET(o, FIELD("kernel", t->class));
    return JSON_SET(o, FIELD("name", t->feature < op->naxis ? op->axis[t->feature].name : "threads"),
                    FIELD("at_most", t->threshold), FIELD("yes", node(op, t->left)), FIELD("no", node(op, t->right)));
}

static json_t *dump_tree(const Dump *d) { return node(d->in->result.study->spec->op, d->in->result.assignment->tree); }

/* ---- trace ---- */

static json_t *dump_trace(const Dump *d)
{
    const SearchTrace *t = d->in->trace;
    json_t *list = json_array();
    for (const TraceStep *step = t->step; step < t->step + t->nstep; step++)
        json_array_append_new(list, JSON_SET(candidate(&step->c), FIELD("round", step->round),
                                             FIELD("gain", step->gain), FIELD("shapes", step->nshape)));
    return JSON_OBJECT(FIELD("same", t->same), FIELD("recorded", t->nrecord), FIELD("trials", list));
}

json_t *dump_json(const Dump *d, DumpStage stage)
{
    static json_t *(*const rows[])(
        const Dump *) = { [DUMP_SPEC] = dump_spec,       [DUMP_SPACE] = dump_space, [DUMP_SOURCE] = dump_source_json,
                          [DUMP_RECORDS] = dump_records, [DUMP_MODEL] = dump_model, [DUMP_ASSIGN] = dump_assign,
                          [DUMP_TREE] = dump_tree,       [DUMP_TRACE] = dump_trace };
    return rows[stage](d);
}
