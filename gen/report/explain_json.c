/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_json: an explanation for programs. Times in ns; what is not known is null.
 */
#include <jansson.h>
#include <math.h>
#include "gen/base/quote.h"
#include "gen/report/explain_private.h"

static const char *const place_name[PLACE_COUNT] = {
    [PLACE_TUNED] = "tuned", [PLACE_DECLARED] = "declared", [PLACE_BETWEEN] = "between", [PLACE_OUTSIDE] = "outside"
};

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *params(const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    json_t *o = json_object();
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        json_object_set_new(o, c->t->param[i].name, json_integer(value[i]));
    return o;
}

static json_t *candidate(const Explanation *x, int64_t trial)
{
    const Trial *t = &x->study->trial[trial];
    json_t *o = json_object();
    json_object_set_new(o, "template", quote_json(t->c.t->name));
    json_object_set_new(o, "target", quote_json(t->c.target->name));
    json_object_set_new(o, "code_bytes", json_integer(t->code_bytes));
    json_object_set_new(o, "params", params(&t->c));
    return o;
}

static json_t *kernel(const Explanation *x, int k)
{
    json_t *o = candidate(x, x->assignment->kernel[k]);
    json_object_set_new(o, "index", json_integer(x->first + k));
    return o;
}

static json_t *extents(const Explanation *x, const Instance *inst)
{
    json_t *o = json_object();
    for (int i = 0; i < x->study->spec->op->naxis; i++)
        json_object_set_new(o, x->study->spec->op->axis[i].name, json_integer(inst->extent[i]));
    return o;
}

static json_t *path(const Answer *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->nstep; i++) {
        const Step *s = &w->step[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", quote_json(s->name));
        json_object_set_new(o, "value", json_integer(s->value));
        json_object_set_new(o, "at_most", json_integer(s->threshold));
        json_object_set_new(o, "holds", json_boolean(s->below));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *runner_up(const Explanation *x, const Choice *c)
{
    if (c->runner < 0 || !isfinite(c->ns))
        return json_null();
    json_t *o = kernel(x, c->runner);
    json_object_set_new(o, "time_ns", real(c->runner_ns));
    json_object_set_new(o, "margin", real(c->runner_ns / c->ns - 1));
    return o;
}

static json_t *best_known(const Explanation *x, const Choice *c)
{
    if (!isfinite(c->best_ns))
        return json_null();
    json_t *o = candidate(x, c->best_trial);
    json_object_set_new(o, "time_ns", real(c->best_ns));
    json_object_set_new(o, "regret", real(c->ns / c->best_ns - 1));
    return o;
}

static json_t *nearest(const Explanation *x, const Answer *w)
{
    if (w->near < 0)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "extents", extents(x, x->study->shape[w->near]));
    json_object_set_new(o, "threads", json_integer(x->study->shape[w->near]->threads));
    json_object_set_new(o, "time_ns", real(w->trial->ns[w->near]));
    return o;
}

static json_t *roofline(const Explanation *x, const Answer *w)
{
    const Bound *b = &w->bound;
    if (!w->has_bound)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "bound_ns", real(b->ns));
    json_object_set_new(o, "compute_ns", real(b->compute_ns));
    json_object_set_new(o, "memory_ns", b->bytes_per_s > 0 ? real(b->memory_ns) : json_null());
    json_object_set_new(o, "flops_per_s", real(b->flops_per_s));
    json_object_set_new(o, "bytes", real(b->bytes));
    json_object_set_new(o, "bytes_per_s", b->bytes_per_s > 0 ? real(b->bytes_per_s) : json_null());
    json_object_set_new(o, "level", b->bytes_per_s > 0 ? json_string(level_name(b->level)) : json_null());
    json_object_set_new(o, "measured", json_boolean(!x->roofline.modelled));
    return o;
}

static json_t *limited_by(const Answer *w)
{
    const Shares *s = &w->shares;
    if (!w->has_shares)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "what", quote_json(s->limited_by));
    json_object_set_new(o, "reached", real(s->reached));
    json_object_set_new(o, "padding", real(s->padding));
    json_object_set_new(o, "balance", real(s->balance));
    json_object_set_new(o, "kernel", real(s->kernel));
    return o;
}

static json_t *shape(const Explanation *x, const Answer *w)
{
    const Choice *c = &w->choice;
    json_t *o = json_object();
    json_object_set_new(o, "extents", extents(x, &w->inst));
    json_object_set_new(o, "threads", json_integer(w->inst.threads));
    json_object_set_new(o, "place", json_string(place_name[w->place]));
    json_object_set_new(o, "path", path(w));
    json_object_set_new(o, "kernel", kernel(x, c->kernel));
    json_object_set_new(o, "time_ns", real(c->ns));
    json_object_set_new(o, "measured", json_boolean(c->measured));
    json_object_set_new(o, "predicted_ns", real(w->model_ns));
    json_object_set_new(o, "gflops", real(w->flops > 0 && isfinite(c->ns) ? w->flops / c->ns : INFINITY));
    json_object_set_new(o, "runner_up", runner_up(x, c));
    json_object_set_new(o, "best_known", best_known(x, c));
    json_object_set_new(o, "nearest_measured", nearest(x, w));
    json_object_set_new(o, "f_pad", real(w->has_factors ? w->pad : INFINITY));
    json_object_set_new(o, "f_occ", real(w->has_factors ? w->occ : INFINITY));
    json_object_set_new(o, "roofline", roofline(x, w));
    json_object_set_new(o, "limited_by", limited_by(w));
    return o;
}

void explain_json(const Explanation *x, FILE *out)
{
    const Study *s = x->study;
    json_t *o = json_object(), *dims = json_object(), *shapes = json_array();
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        json_object_set_new(dims, s->spec->dim[i].name, json_integer(x->dim[i]));
    for (int i = 0; i < x->nanswer; i++)
        json_array_append_new(shapes, shape(x, &x->answer[i]));
    json_object_set_new(o, "name", quote_json(s->spec->name));
    json_object_set_new(o, "device", quote_json(s->device->name));
    json_object_set_new(o, "target", quote_json(s->target->name));
    json_object_set_new(o, "dims", dims);
    json_object_set_new(o, "shapes", shapes);
    quote_print_json(o, out);
}
