/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate: the values, constraints and key of one choice of a template's parameters.
 */
#include "gen/unit/candidate.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>
#include "gen/base/text.h"

static int64_t value_of(const Candidate *c, int i) { return c->t->param[i].choice[c->choice[i]]; }

void candidate_values(const Candidate *c, int64_t *value)
{
    for (int i = 0; i < c->t->nparam; i++)
        value[i] = value_of(c, i);
}

const char *candidate_settings(Arena *a, const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    Text t = { .arena = a };
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        text_printf(&t, "%s%s=%" PRId64, i ? " " : "", c->t->param[i].name, value[i]);
    return text_str(&t);
}

bool candidate_from_values(const Template *t, const Target *target, const int64_t *value, Candidate *out)
{
    *out = (Candidate){ .t = t, .target = target };
    for (int i = 0; i < t->nparam; i++) {
        int j = 0;
        while (j < t->param[i].nchoice && t->param[i].choice[j] != value[i])
            j++;
        if (j == t->param[i].nchoice)
            return false;
        out->choice[i] = (uint8_t)j;
    }
    return true;
}

bool candidate_general(const Template *t, const Target *target, int i, Candidate *out)
{
    const General *general = template_general(t, target, i);
    return general && candidate_from_values(t, target, general->value, out);
}

bool candidate_same(const Candidate *a, const Candidate *b)
{
    return a->t == b->t && a->target == b->target && memcmp(a->choice, b->choice, sizeof a->choice) == 0;
}

bool candidate_is_fixed(const Candidate *c)
{
    for (int i = 0; i < c->t->nparam; i++)
        if (c->t->param[i].axis >= 0 && value_of(c, i) > 0)
            return true;
    return false;
}

bool candidate_serves(const Candidate *c, const Spec *spec, const int64_t *extent)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    if (!c->t->serves)
        return true;
    candidate_values(c, value);
    return template_serves(
        &(Binding){ .t = c->t, .spec = spec, .target = c->target, .value = value, .extent = extent });
}

bool candidate_serves_all(const Candidate *c, const Spec *spec)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    if (!c->t->serves)
        return true;
    Arena *scratch = arena_new();
    candidate_values(c, value);
    const bool all =
        !template_condition(scratch, &(Binding){ .t = c->t, .spec = spec, .target = c->target, .value = value });
    arena_free(scratch);
    return all;
}

bool candidate_is_general(const Candidate *c)
{
    Candidate general;
    for (int i = 0; candidate_general(c->t, c->target, i, &general); i++)
        if (candidate_same(c, &general))
            return true;
    return false;
}

/* Does the spec search all of these values? General kernels may have others. */
static bool is_wanted(const Candidate *c, const Spec *spec, const int64_t *value)
{
    for (int i = 0; i < c->t->nparam; i++)
        if (!(c->t->param[i].searched >> c->choice[i] & 1) || !spec_wants(spec, c->t->param[i].name, value[i]))
            return candidate_is_general(c);
    return true;
}

static const Constraint *broken_constraint(const Binding *b)
{
    int64_t holds;
    for (int i = 0; i < b->t->nconstraint; i++)
        if (expr_int(b->t->constraint[i].need, template_lookup, (void *)b, &holds) != EXPR_OK || !holds)
            return &b->t->constraint[i];
    return NULL;
}

bool candidate_fits(const Candidate *c, const Spec *spec, const Device *device)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    const Binding b = { .t = c->t, .spec = spec, .target = c->target, .device = device, .value = value, .threads = 1 };
    return is_wanted(c, spec, value) && !broken_constraint(&b) && template_serves_any(&b);
}

const Constraint *candidate_breaks(const Candidate *c, const Spec *spec, const Device *device, KernelFacts told)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    return broken_constraint(&(Binding){ c->t, spec, c->target, device, value, .threads = 1, .facts = told });
}

const char *candidate_key_of(Arena *a, const CandidateNames *c, const char *context_hash, const Device *device)
{
    Arena *scratch = arena_new();
    Text t = { .arena = scratch };
    text_printf(&t, "%s|%s|%s|%s|%s|%s", c->template_name, c->template_hash, c->target, context_hash, device->compiler,
                device->flags);
    for (int i = 0; i < c->nparam; i++)
        text_printf(&t, "|%s=%" PRId64, c->param[i].name, c->param[i].value);
    const XXH128_hash_t h = XXH3_128bits(text_str(&t), t.len);
    arena_free(scratch);
    return arena_printf(a, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

const char *candidate_key(Arena *a, const Candidate *c, const char *context_hash, const Device *device)
{
    Param param[TEMPLATE_MAX_PARAM];
    for (int i = 0; i < c->t->nparam; i++)
        param[i] = (Param){ c->t->param[i].name, value_of(c, i) };
    return candidate_key_of(a, &(CandidateNames){ c->t->name, c->t->hash, c->target->name, c->t->nparam, param },
                            context_hash, device);
}

static const char *const status_names[STATUS_COUNT] = {
    [STATUS_OK] = "ok",       [STATUS_INVALID] = "invalid", [STATUS_BUILD_FAILED] = "build_failed",
    [STATUS_WRONG] = "wrong", [STATUS_CRASHED] = "crashed", [STATUS_TIMED_OUT] = "timed_out",
};

const char *status_name(Status s) { return (unsigned)s < STATUS_COUNT ? status_names[s] : "unknown"; }

Status status_find(const char *name)
{
    const int s = names_find(NAMES(status_names, STATUS_COUNT), name);
    return s < 0 ? STATUS_COUNT : (Status)s;
}
