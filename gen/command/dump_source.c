/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_source: candidates as text, with all that another program needs to compile them and to hand them to a runner. As JSON:
 *
 *   { "reference":  { "code": C, "flags": [...] },      flags: but "-o FILE" and the source
 *     "setup":      the runner's setup request, but for the path of the reference,
 *     "candidates": [ { "key", "template", "target", "params", "code", "cc": [...] or "nvcc": [...] and "emulator": [...] } ] }
 */
#include "gen/command/dump.h"

#include <string.h>
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "gen/command/tools.h"
#include "gen/report/words.h"

typedef struct {
    Arena *a;
    const DumpInput *in;
    const char *context;
    int64_t n, most;
    const Candidate **pick;
} Picked;

static bool is_picked(const Picked *s, const Candidate *c)
{
    for (int64_t i = 0; i < s->n; i++)
        if (candidate_same(s->pick[i], c))
            return true;
    return false;
}

static void pick(Picked *s, const Candidate *c)
{
    if (s->n < s->most && !is_picked(s, c))
        s->pick[s->n++] = c;
}

/* All candidates if --trials was not given; else the general kernels, then some at random, of one template after the other. */
static void pick_all(Picked *s)
{
    const Space *space = s->in->space;
    Rng rng = { s->in->options->seed };
    const bool all = s->in->options->trials < 0;
    s->most = all ? space->n + space->ngeneral : s->in->options->trials;
    s->pick = ARENA_ARRAY(s->a, (size_t)s->most + 1, const Candidate *);
    for (int i = 0; i < space->ngeneral; i++)
        pick(s, &space->general[i]);
    for (int64_t i = 0; all && i < space->n; i++)
        pick(s, &space->candidate[i]);
    for (int64_t i = 0, tries = 0; !all && s->n < s->most && s->n < space->n && tries < 1000 * s->most; tries++) {
        const Candidate *c = &space->candidate[rng_below(&rng, space->n)];
        const int64_t before = s->n;
        if (c->t == space->general[i % space->ngeneral].t)
            pick(s, c);
        i += s->n > before || tries % 1000 == 999;
    }
}

static const char *text_of(const Picked *s, const Candidate *c)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    return unit_candidate(s->a, &s->in->result.unit, &(UnitKernel){ c->t, c->target, value, { 0 } }, diag_new(s->a));
}

static json_t *flags_json(Toolchain t)
{
    int n = 0;
    while (t.flags[n])
        n++;
    return json_of_list(t.flags, n);
}

/* With how it is compiled for its device, and for the emulator where that can take its place. */
static json_t *candidate_json(const Picked *s, const Candidate *c)
{
    const Family *f = c->target->family;
    json_t *o = JSON_OBJECT(
        FIELD("key", candidate_key(s->a, c, s->context, s->in->result.unit.device)), FIELD("template", c->t->name),
        FIELD("target", c->target->name), FIELD("params", words_values_json(c)), FIELD("code", text_of(s, c)),
        FIELD(f->compiler.option, flags_json(toolchain_make(s->a, "", f, c->target->gencode, false))));
    if (f->verifier)
        JSON_SET(o, FIELD("emulator", flags_json(tools_emulator(s->a, s->in->options, s->in->workload))));
    return o;
}

static Picked picked(const Dump *d)
{
    Picked s = { .a = d->a, .in = d->in, .context = unit_context_hash(d->a, &d->in->result.unit) };
    pick_all(&s);
    return s;
}

json_t *dump_source_json(const Dump *d)
{
    const Picked s = picked(d);
    const Spec *spec = d->in->workload->spec;
    const Options *o = d->in->options;
    const char *text = text_read_file(d->a, spec->op->reference, NULL);
    json_t *list = json_array();
    for (int64_t i = 0; i < s.n; i++)
        json_array_append_new(list, candidate_json(&s, s.pick[i]));
    json_t *reference = JSON_OBJECT(FIELD("code", unit_reference(d->a, spec, text ? text : "")),
                                    FIELD("flags", flags_json(tools_cc(d->a, o))));
    return JSON_OBJECT(FIELD("reference", reference),
                       FIELD("setup", runner_setup(spec->op, spec->dtype, o->seed, NULL)), FIELD("candidates", list));
}

void dump_source(const Dump *d)
{
    const Picked s = picked(d);
    for (int64_t i = 0; i < s.n; i++)
        fprintf(d->out, "%s%s", i ? "\n" : "", text_of(&s, s.pick[i]));
}
