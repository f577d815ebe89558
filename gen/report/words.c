/* SPDX-License-Identifier: Apache-2.0
 *
 * words: names shapes, speeds and parameters.
 */
#include "gen/report/words.h"

#include <inttypes.h>
#include <math.h>
#include "gen/base/number.h"
#include "gen/spec/op_shown.h"

const char *words_shape_values(Arena *a, const Op *op, const char *const *value, int threads)
{
    const char *shape = op_shown_values(a, op, value, " = ", ", ");
    return threads ? arena_printf(a, "%s, %d thread%s", shape, threads, number_plural(threads)) : shape;
}

const char *words_shape(Arena *a, const Op *op, const int64_t *extent, int threads)
{
    return words_shape_values(a, op, op_shown_texts(a, op, extent), threads);
}

const char *words_candidate(Arena *a, const Candidate *c)
{
    return arena_printf(a, "%s %s%s%s", c->t->name, c->target->name, c->t->nparam ? " " : "", candidate_settings(a, c));
}

const char *words_part(Arena *a, const Spec *spec, const Target *target, bool several_targets)
{
    return arena_printf(a, "%s%s%s", spec->function ? spec->name : "", spec->function && several_targets ? " for " : "",
                        several_targets ? target->name : "");
}

double words_speed(const Spec *spec, const int64_t *extent, double ns)
{
    return isfinite(ns) && ns > 0 ? (spec_moves(spec) ? spec_bytes : spec_flops)(spec, extent) / ns : 0;
}

const char *words_speed_unit(const Spec *spec) { return spec_moves(spec) ? "GB/s" : "GFLOP/s"; }

json_t *words_extents_json(json_t *object, const Op *op, const int64_t *extent)
{
    for (int i = 0; i < op->ngiven; i++)
        JSON_SET(object, FIELD(op->extent[i].name, extent[i]));
    return object;
}

json_t *words_values_json(const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    json_t *o = json_object();
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        JSON_SET(o, FIELD(c->t->param[i].name, value[i]));
    return o;
}

json_t *words_rejected_json(const Space *s)
{
    json_t *list = json_array();
    for (const Rejection *r = s->rejection; r < s->rejection + s->nrejection; r++)
        json_array_append_new(list,
                              JSON_OBJECT(FIELD("template", r->t->name), FIELD("need", expr_text(r->constraint->need)),
                                          FIELD("why", r->constraint->why), FIELD("count", r->count)));
    return list;
}
