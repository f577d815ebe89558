/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_file: makes regret.json, and what README.md says of it, from patterns; reads the bounds back.
 */
#include "gen/package/regret_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/spec/op_shown.h"

enum { SCHEMA = 1, MAX_LISTED = 24 }; /* MAX_LISTED: shapes that README.md names because their regret is not resolved */

/* ---- writing ---- */

/* Adds a number for regret.json, with four digits behind the point; "null" if it is not known. */
static void add_figure(FillScope *s, const char *name, double value)
{
    fill_word(s, name, isfinite(value) ? arena_printf(s->arena, "%.4f", value) : "null");
}

static void add_time(FillScope *s, const char *name, double ns)
{
    fill_word(s, name, isfinite(ns) ? arena_printf(s->arena, "%.6g", ns) : "null");
}

/* Adds a ratio for regret.json, "MEAN", and in percent for people, "MEAN_PERCENT"; "-" if it is not known. */
static void add_ratio(FillScope *s, const char *name, double value)
{
    add_figure(s, name, value);
    fill_word(s, arena_printf(s->arena, "%s_PERCENT", name),
              isfinite(value) ? arena_printf(s->arena, "%.2f %%", 100 * value) : "-");
}

static void add_sum(FillScope *words, const char *key, const char *kind, const ContractSum *s)
{
    FillScope *row = fill_row(words);
    FILL_WORDS(row, WORD("KEY", key), WORD("KIND", kind), WORD("NSHAPE", s->nshape), WORD("NMEASURED", s->nmeasured),
               WORD("NRESOLVED", s->nresolved));
    add_figure(row, "NOISE", s->noise);
    add_ratio(row, "MEAN", s->mean);
    add_ratio(row, "WORST", s->worst);
    add_ratio(row, "MEAN_BOUND", s->mean_bound);
    add_ratio(row, "WORST_BOUND", s->worst_bound);
}

const char *regret_rival(Arena *a, const Result *r, const ContractShape *s)
{
    if (!s->measured || s->rival < 0)
        return NULL;
    const int k = select_kernel_of(r->assignment, s->rival);
    if (k >= 0)
        return arena_printf(a, "kernel %d", r->first + k);
    const Candidate *c = &r->study->trial[s->rival].c;
    return arena_printf(a, "%s %s", c->t->name, candidate_settings(a, c));
}

static void add_shape(FillScope *words, const Result *r, const ContractShape *s)
{
    const Op *op = r->study->spec->op;
    FillScope *row = fill_row(words);
    const int threads = s->inst->threads;
    fill_list(row, "extents");
    for (int i = 0; i < op->ngiven; i++) {
        FillScope *extent = fill_row(row);
        FILL_WORDS(extent, WORD("AXIS", op->extent[i].name), WORD("EXTENT", s->inst->extent[i]));
    }
    FILL_WORDS(row, WORD("EXTENTS", op_shown_call(words->arena, op, s->inst->extent, " = ", ", ")),
               WORD("IS_TUNED", s->tuned ? "true" : "false"), WORD("THREADS", threads));
    fill_wordf(row, "WEIGHT", "%.6g", s->inst->weight);
    fill_number(row, "KERNEL_NUMBER", r->first + s->kernel);
    add_time(row, "CHOSEN_NS", s->chosen_ns);
    add_time(row, "BEST_NS", s->best_ns);
    add_figure(row, "REGRET", s->regret);
    add_figure(row, "SPREAD", s->rival >= 0 ? s->spread : NAN);
    fill_word(row, "IS_RESOLVED", s->resolved ? "true" : "false");
    const char *rival = regret_rival(words->arena, r, s);
    FILL_WORDS(row, WORD("RIVAL", rival ? rival : "none"),
               WORD("RIVAL_JSON", rival ? quote_json_text(words->arena, rival) : "null"));
    fill_wordf(row, "SPREAD_PERCENT", "%.1f", 100 * s->spread);
    fill_wordf(row, "ON_THREADS", "%d thread%s%s", threads, number_plural(threads), s->tuned ? "" : ", held out");
}

/* Adds all shapes, and again, for README.md, the first MAX_LISTED of those whose regret is not resolved. */
static void add_shapes(FillScope *row, const Result *r)
{
    const Contract *c = r->contract;
    int64_t nlisted = 0;
    fill_list(row, "shapes");
    for (int64_t i = 0; i < c->nshape; i++)
        add_shape(row, r, &c->shape[i]);
    fill_list(row, "unresolved");
    for (int64_t i = 0; i < c->nshape && nlisted < MAX_LISTED; i++)
        if (c->shape[i].rival >= 0 && !c->shape[i].resolved) {
            add_shape(row, r, &c->shape[i]);
            nlisted++;
        }
    const int64_t n = contract_unresolved(c);
    FILL_WORDS(row, WORD("NUNRESOLVED", n), WORD("NUNLISTED", n - nlisted));
    fill_wordf(row, "UNRESOLVED_SHAPES", "%lld shape%s", (long long)n, number_plural(n));
    fill_number(row, "MOSTLY_UNRESOLVED",
                contract_is_mostly_unresolved(&c->tuned) || contract_is_mostly_unresolved(&c->held_out));
}

/* Adds what the spec demands of the regret, and what the measured regret exceeds. */
static void add_demands(FillScope *row, const Contract *c, Demand demand)
{
    const char *why = c->modelled ? NULL : contract_broken(row->arena, c);
    char *broken = arena_strdup(row->arena, why ? why : "");
    *broken = (char)toupper((unsigned char)*broken);
    FILL_WORDS(row, WORD("IS_DEMANDED", demand.mean > 0 || demand.worst > 0),
               WORD("DEMANDED", !(demand.worst > 0) ? "the mean"
                                : demand.mean > 0   ? "both"
                                                    : "the worst"),
               WORD("IS_BROKEN", *broken != '\0'), WORD("BROKEN", broken), WORD("NMISSED", contract_missing(c)),
               WORD("NTUNED", c->tuned.nshape));
}

static void add_result(FillScope *s, const Result *result)
{
    Arena *a = s->arena;
    const Study *study = result->study;
    const Contract *c = result->contract;
    FillScope *row = fill_row(s);
    fill_word(row, "MACHINE", study->target->name);
    const char *function = study->spec->function;
    FILL_WORDS(row, WORD("IS_ONE_OF_SEVERAL", function != NULL), WORD("FUNCTION", function ? function : ""),
               WORD("OF_FUNCTION", function ? arena_printf(a, "\"function\": \"%s\", ", function) : ""),
               WORD("DEVICE", quote_markdown(a, study->device->name)),
               WORD("DEVICE_JSON", quote_json_text(a, study->device->name)),
               WORD("COMPILER", quote_markdown(a, study->device->compiler)),
               WORD("COMPILER_JSON", quote_json_text(a, study->device->compiler)), WORD("IS_MODELLED", c->modelled),
               WORD("IS_UNKNOWN", contract_unknown(c) != NULL),
               WORD("UNKNOWN", contract_unknown(c) ? contract_unknown(c) : ""), WORD("IS_COLD", study->has_cold));
    fill_list(row, "sums");
    add_sum(row, "tuned", "tuned", &c->tuned);
    add_sum(row, "held_out", "held out", &c->held_out);
    add_shapes(row, result);
    add_demands(row, c, study->spec->regret);
}

const char *regret_file_text(Arena *a, const EmitInput *in, const char *pattern, Diag *diag)
{
    FillScope *s = fill_scope(a, NULL);
    const Result *first = in->function->item;
    FILL_WORDS(s, WORD("NAME", first->unit.spec->package), WORD("REGRET_SCHEMA", SCHEMA),
               WORD("WHY_UNMEASURED", "no such device was there: all times are computed"),
               WORD("IS_MEASURED", !first->contract->modelled),
               WORD("BENCHED", in->function->n > 1 ? "the best target that it runs" : "all of it"));
    fill_list(s, "parts");
    for (const ResultList *f = in->function; f < in->function + in->nfunction; f++)
        for (int i = 0; i < f->n; i++)
            add_result(s, &f->item[i]);
    return unit_fill(&first->unit, unit_pattern(a, &first->unit, pattern), s, diag);
}

/* ---- reading ---- */

static bool read_bound(json_t *v, double *out)
{
    *out = json_is_number(v) ? json_number_value(v) : INFINITY;
    return json_is_null(v) || (json_is_number(v) && *out >= 0);
}

/* Reads the bounds of a target's object. Returns NULL, or what is wrong with it. */
static const char *read_target(json_t *target, RegretBound out[2])
{
    static const char *const group[] = { "tuned", "held_out" };
    json_t *bound = json_object_get(target, "bound"), *measured = json_object_get(target, "measured");
    for (int i = 0; i < 2; i++) {
        json_t *of = json_object_get(bound, group[i]);
        out[i] = (RegretBound){ INFINITY, INFINITY };
        if (json_is_true(measured) && (!read_bound(json_object_get(of, "mean"), &out[i].mean) ||
                                       !read_bound(json_object_get(of, "worst"), &out[i].worst)))
            return "'bound' lacks 'mean' or 'worst' of 'tuned' or 'held_out': expected numbers >= 0, or null";
    }
    return json_is_boolean(measured) ? NULL : "'measured' is neither true nor false";
}

/* function NULL: the package has one. */
static json_t *find_target(json_t *root, const char *function, const char *name)
{
    json_t *list = json_object_get(root, "targets");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *is = json_string_value(json_object_get(json_array_get(list, i), "target"));
        const char *of = json_string_value(json_object_get(json_array_get(list, i), "function"));
        if (is && strcmp(is, name) == 0 && (!function || (of && strcmp(of, function) == 0)))
            return json_array_get(list, i);
    }
    return NULL;
}

bool regret_file_read(Arena *a, const char *path, const char *function, const char *target, RegretBound out[2],
                      const char **err)
{
    json_error_t e;
    size_t len;
    const char *text = text_read_file(a, path, &len), *why = NULL;
    if (!text) {
        *err = arena_printf(a, "%s: %s: a package states its bounds there; 'dcgen replay' makes it again", path,
                            strerror(errno));
        return false;
    }
    json_t *root = json_loadb(text, len, 0, &e), *found = root ? find_target(root, function, target) : NULL;
    if (!root)
        why = arena_printf(a, "line %d: %s", e.line, e.text);
    else if (json_integer_value(json_object_get(root, "schema")) != SCHEMA)
        why = arena_printf(a, "'schema' is not %d", SCHEMA);
    else if (!found)
        why = arena_printf(a, "it states nothing for target '%s'", target);
    else
        why = read_target(found, out);
    json_decref(root);
    if (why)
        *err = arena_printf(a, "%s: %s", path, why);
    return !why;
}
