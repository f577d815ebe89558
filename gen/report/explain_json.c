/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_json: an explanation for programs. Times in ns; what is not known is null.
 */
#include <math.h>
#include "gen/report/explain_private.h"
#include "gen/report/words.h"

static const char *const place_name[PLACE_COUNT] = {
    [PLACE_TUNED] = "tuned", [PLACE_DECLARED] = "declared", [PLACE_BETWEEN] = "between", [PLACE_OUTSIDE] = "outside"
};

static json_t *candidate(const Explanation *x, int64_t trial)
{
    const Trial *t = &x->study->trial[trial];
    return JSON_OBJECT(FIELD("template", t->c.t->name), FIELD("target", t->c.target->name),
                       FIELD("code_bytes", t->code_bytes), FIELD("params", words_values_json(&t->c)));
}

static json_t *kernel(const Explanation *x, int k)
{
    return JSON_SET(candidate(x, x->assignment->kernel[k]), FIELD("index", x->first + k));
}

static json_t *extents(const Explanation *x, const Instance *inst)
{
    return words_extents_json(json_object(), x->study->spec->op, inst->extent);
}

static json_t *path(const Answer *w)
{
    json_t *list = json_array();
    for (const Step *s = w->step; s < w->step + w->nstep; s++)
        json_array_append_new(list, JSON_OBJECT(FIELD("name", s->name), FIELD("value", s->value),
                                                FIELD("at_most", s->threshold), FIELD("holds", s->below)));
    return list;
}

static json_t *runner_up(const Explanation *x, const Choice *c)
{
    if (c->runner < 0 || !isfinite(c->ns))
        return json_null();
    return JSON_SET(kernel(x, c->runner), FIELD("time_ns", c->runner_ns), FIELD("margin", c->runner_ns / c->ns - 1));
}

static json_t *best_known(const Explanation *x, const Choice *c)
{
    if (!isfinite(c->best_ns))
        return json_null();
    return JSON_SET(candidate(x, c->best_trial), FIELD("time_ns", c->best_ns), FIELD("regret", c->ns / c->best_ns - 1));
}

static json_t *nearest(const Explanation *x, const Answer *w)
{
    const Instance *near = w->near < 0 ? NULL : x->study->shape[w->near];
    if (!near)
        return json_null();
    return JSON_OBJECT(FIELD("extents", extents(x, near)), FIELD("threads", near->threads),
                       FIELD("time_ns", w->trial->ns[w->near]));
}

static json_t *roofline(const Explanation *x, const Answer *w)
{
    const Bound *b = &w->bound;
    const bool memory = b->bytes_per_s > 0;
    if (!w->has_bound)
        return json_null();
    return JSON_OBJECT(FIELD("bound_ns", b->ns), FIELD("compute_ns", b->compute_ns),
                       FIELD("memory_ns", json_of_known(memory, b->memory_ns)), FIELD("flops_per_s", b->flops_per_s),
                       FIELD("bytes", b->bytes), FIELD("bytes_per_s", json_of_known(memory, b->bytes_per_s)),
                       FIELD("level", memory ? level_name(b->level) : NULL),
                       FIELD("measured", (bool)!x->roofline.modelled));
}

static json_t *limited_by(const Answer *w)
{
    const Shares *s = &w->shares;
    if (!w->has_shares)
        return json_null();
    return JSON_OBJECT(FIELD("what", s->limited_by), FIELD("reached", s->reached), FIELD("padding", s->padding),
                       FIELD("balance", s->balance), FIELD("kernel", s->kernel));
}

static json_t *shape(const Explanation *x, const Answer *w)
{
    const Choice *c = &w->choice;
    return JSON_OBJECT(FIELD("extents", extents(x, &w->inst)), FIELD("threads", w->inst.threads),
                       FIELD("place", place_name[w->place]), FIELD("path", path(w)),
                       FIELD("kernel", kernel(x, c->kernel)), FIELD("time_ns", c->ns), FIELD("measured", c->measured),
                       FIELD("predicted_ns", w->model_ns),
                       FIELD("gflops", json_of_known(w->flops > 0 && isfinite(c->ns), w->flops / c->ns)),
                       FIELD("runner_up", runner_up(x, c)), FIELD("best_known", best_known(x, c)),
                       FIELD("nearest_measured", nearest(x, w)), FIELD("f_pad", json_of_known(w->has_factors, w->pad)),
                       FIELD("f_occ", json_of_known(w->has_factors, w->occ)), FIELD("roofline", roofline(x, w)),
                       FIELD("limited_by", limited_by(w)));
}

void explain_json(const Explanation *x, FILE *out)
{
    const Study *s = x->study;
    json_t *dims = json_object(), *shapes = json_array();
    for (int i = 0; x->by_dims && i < s->spec->ndim; i++)
        JSON_SET(dims, FIELD(s->spec->dim[i].name, x->dim[i]));
    for (int i = 0; i < x->nanswer; i++)
        json_array_append_new(shapes, shape(x, &x->answer[i]));
    quote_print_json(JSON_OBJECT(FIELD("name", s->spec->name), FIELD("device", s->device->name),
                                 FIELD("target", s->target->name), FIELD("dims", dims), FIELD("shapes", shapes)),
                     out);
}
