/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/package/regret_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/base/text.h"

enum { SCHEMA = 1, MOST_LISTED = 24 };
static const char UNMEASURED[] = "no such device was there: all times are computed";

/* ---- writing ---- */

static const char *bound_text(Arena *a, double bound) { return bound > 0 ? arena_printf(a, "%.4f", bound) : "null"; }

static void add_bounds(Arena *a, Text *t, const char *name, const ContractSum *s)
{
    text_printf(t, "\"%s\": { \"mean\": %s, \"worst\": %s }", name, bound_text(a, s->mean_bound),
                bound_text(a, s->worst_bound));
}

static void add_sum(Text *t, const char *name, const ContractSum *s)
{
    text_printf(t, "\"%s\": { \"shapes\": %" PRId64 ", \"measured\": %" PRId64 ", \"said\": %" PRId64, name, s->nshape,
                s->nmeasured, s->nsaid);
    text_printf(t, ", \"mean\": %.4f, \"worst\": %.4f, \"noise\": %.4f }", s->mean, s->worst, s->noise);
}

static void add_shape(Text *t, const Op *op, const ContractShape *s, int first)
{
    text_printf(t, "   { \"tuned\": %s", s->inst->tuned ? "true" : "false");
    for (int i = 0; i < op->naxis; i++)
        text_printf(t, ", \"%s\": %" PRId64, op->axis[i].name, s->inst->extent[i]);
    text_printf(t, ", \"threads\": %d, \"weight\": %.6g, \"kernel\": %d", s->inst->threads, s->inst->weight,
                first + s->kernel);
    if (s->measured)
        text_printf(t, ", \"chosen_ns\": %.6g, \"best_ns\": %.6g, \"regret\": %.4f, \"spread\": %.4f, \"said\": %s }",
                    s->chosen_ns, s->best_ns, s->regret, s->spread, s->said ? "true" : "false");
    else
        text_add(t, ", \"chosen_ns\": null, \"best_ns\": null, \"regret\": null, \"spread\": null, \"said\": false }");
}

static void add_measured(Arena *a, Text *t, const Op *op, const Contract *c, int first)
{
    text_add(t, "\"measured\": true,\n    \"bound\": { ");
    add_bounds(a, t, "tuned", &c->tuned);
    text_add(t, ", ");
    add_bounds(a, t, "held_out", &c->held_out);
    text_add(t, " },\n    \"regret\": { ");
    add_sum(t, "tuned", &c->tuned);
    text_add(t, ", ");
    add_sum(t, "held_out", &c->held_out);
    text_add(t, " },\n    \"shapes\": [\n");
    for (int64_t i = 0; i < c->nshape; i++) {
        add_shape(t, op, &c->shape[i], first);
        text_add(t, i + 1 < c->nshape ? ",\n" : "\n");
    }
    text_add(t, "  ] }");
}

static void add_part(Arena *a, Text *t, const Result *part, int first)
{
    const Study *s = part->study;
    text_printf(t, "  { \"target\": %s, \"device\": %s, \"compiler\": %s, ", quote_json_text(a, s->target->name),
                quote_json_text(a, s->device->name), quote_json_text(a, s->device->compiler));
    if (part->contract->modelled)
        text_printf(t, "\"measured\": false, \"why\": %s }", quote_json_text(a, UNMEASURED));
    else
        add_measured(a, t, s->spec->op, part->contract, first);
}

/* The package's number of the part's first kernel. */
static int first_of(const Dispatcher *d, const Result *part)
{
    int i = 0;
    while (d->entry[i].tree != part->assignment->tree)
        i++;
    return d->entry[i].first;
}

char *regret_file_text(Arena *a, const EmitInput *in)
{
    Text t = { .arena = a };
    const Dispatcher *d = package_dispatcher(a, in->part, in->npart);
    text_printf(&t, "{ \"schema\": %d, \"package\": %s, \"targets\": [\n", SCHEMA,
                quote_json_text(a, in->part->unit.spec->name));
    for (int i = 0; i < in->npart; i++) {
        add_part(a, &t, &in->part[i], first_of(d, &in->part[i]));
        text_add(&t, i + 1 < in->npart ? ",\n" : "\n");
    }
    text_add(&t, "] }\n");
    return arena_strdup(a, text_str(&t));
}

/* ---- in words ---- */

static void add_row(Text *t, const char *what, const ContractSum *s)
{
    text_printf(t, "| %s | %" PRId64 " of %" PRId64 " |", what, s->nsaid, s->nshape);
    if (s->mean_bound > 0)
        text_printf(t, " %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", 100 * s->mean, 100 * s->worst, 100 * s->mean_bound,
                    100 * s->worst_bound);
    else
        text_add(t, " - | - | - | - |\n");
}

/* The shapes that nothing can be said of. */
static void add_unsaid(Text *t, const Op *op, const Contract *c)
{
    const int64_t n = contract_unsaid(c);
    int64_t shown = 0;
    if (n == 0)
        return;
    text_printf(t,
                "\nOf %" PRId64
                " shape%s the regret cannot be said, as times of one kernel differ by too much there from one "
                "pass to the next:\n%s in no figure and under no bound. A search measures such shapes again while it "
                "has time left.%s\n\n",
                n, number_plural(n), n == 1 ? "it is" : "they are",
                contract_is_vague(&c->tuned) || contract_is_vague(&c->held_out)
                    ? " **These are most shapes: the machine was too busy. Search again on a quieter one.**"
                    : "");
    for (int64_t i = 0; i < c->nshape && shown < MOST_LISTED; i++) {
        const ContractShape *s = &c->shape[i];
        if (!s->measured || s->said)
            continue;
        text_add(t, "- ");
        for (int x = 0; x < op->naxis; x++)
            text_printf(t, "%s = %" PRId64 ", ", op->axis[x].name, s->inst->extent[x]);
        text_printf(t, "%d thread%s%s: cannot be said: times differ by %.1f %%\n", s->inst->threads,
                    number_plural(s->inst->threads), s->inst->tuned ? "" : ", held out", 100 * s->spread);
        shown++;
    }
    if (shown < n)
        text_printf(t, "- and %" PRId64 " more: those with `\"said\": false` in `regret.json`\n", n - shown);
}

static void readme_part(Arena *a, Text *t, const Result *part)
{
    const Contract *c = part->contract;
    const Study *s = part->study;
    if (c->modelled) {
        text_printf(t, "\nFor %s there is no regret contract: %s.\n", s->target->name, UNMEASURED);
        return;
    }
    text_printf(t, "\nOn %s, for %s:\n\n", quote_markdown(a, s->device->name), s->target->name);
    text_add(t, "| shapes | said | mean | worst | mean at most | worst at most |\n|---|---|---|---|---|---|\n");
    add_row(t, "tuned", &c->tuned);
    add_row(t, "held out", &c->held_out);
    if (c->mean_demanded || c->worst_demanded)
        text_printf(t, "\nThe bound of %s is what `spec.cfg` demands.\n",
                    !c->worst_demanded ? "the mean"
                    : c->mean_demanded ? "both"
                                       : "the worst");
    if (c->tuned.nmeasured < c->tuned.nshape)
        text_printf(t,
                    "\nOn %" PRId64 " of %" PRId64 " tuned shapes the chosen kernel was not measured beside its "
                    "rivals; they are not in these figures.\n",
                    c->tuned.nshape - c->tuned.nmeasured, c->tuned.nshape);
    add_unsaid(t, s->spec->op, c);
    const char *broken = contract_broken(a, c);
    if (broken)
        text_printf(t, "\n**%c%s.**\n", broken[0] - 'a' + 'A', broken + 1);
}

char *regret_file_readme(Arena *a, const EmitInput *in)
{
    Text t = { .arena = a };
    text_add(&t,
             "Regret is the time of the chosen kernel over that of the best known one, less 1, both measured side by "
             "side; its mean is\nthe geometric one. Shapes held out had no part in the choice.\n");
    for (int i = 0; i < in->npart; i++)
        readme_part(a, &t, &in->part[i]);
    if (!in->part[0].contract->modelled)
        text_printf(&t,
                    "\n`dcgen bench FOLDER --regret` measures %s again on your machine, and fails above the "
                    "bounds in the last two columns.\n`regret.json` has a line a shape.\n",
                    in->npart > 1 ? "the best target that it runs" : "all of it");
    return arena_strdup(a, text_str(&t));
}

/* ---- reading ---- */

static bool read_bound(json_t *bound, const char *group, const char *name, double *out)
{
    json_t *v = json_object_get(json_object_get(bound, group), name);
    *out = json_is_number(v) ? json_number_value(v) : INFINITY;
    return json_is_null(v) || (json_is_number(v) && *out >= 0);
}

/* NULL, or what is wrong. */
static const char *read_target(json_t *target, RegretBound *out)
{
    json_t *bound = json_object_get(target, "bound");
    *out = (RegretBound){ .measured = json_is_true(json_object_get(target, "measured")) };
    if (!out->measured)
        return json_is_false(json_object_get(target, "measured")) ? NULL : "'measured' is neither true nor false";
    if (!read_bound(bound, "tuned", "mean", &out->tuned_mean) ||
        !read_bound(bound, "tuned", "worst", &out->tuned_worst) ||
        !read_bound(bound, "held_out", "mean", &out->held_out_mean) ||
        !read_bound(bound, "held_out", "worst", &out->held_out_worst))
        return "'bound' lacks 'mean' or 'worst' of 'tuned' or 'held_out': expected numbers >= 0, or null";
    return NULL;
}

static json_t *find_target(json_t *root, const char *name)
{
    json_t *list = json_object_get(root, "targets");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *is = json_string_value(json_object_get(json_array_get(list, i), "target"));
        if (is && strcmp(is, name) == 0)
            return json_array_get(list, i);
    }
    return NULL;
}

bool regret_file_read(Arena *a, const char *path, const char *target, RegretBound *out, const char **err)
{
    json_error_t e;
    size_t len;
    const char *text = text_read_file(a, path, &len), *why = NULL;
    if (!text) {
        *err = arena_printf(a, "%s: %s: a package states its bounds there; 'dcgen replay' makes it again", path,
                            strerror(errno));
        return false;
    }
    json_t *root = json_loadb(text, len, 0, &e), *found = root ? find_target(root, target) : NULL;
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
