/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/batch.h"

#include "search/build/ptxas.h"

static UnitKernel unit_of(Arena *a, const Candidate *c)
{
    int64_t *value = ARENA_ARRAY(a, TEMPLATE_MAX_PARAM, int64_t);
    candidate_values(c, value);
    return (UnitKernel){ c->t, c->target, value, { 0 } };
}

void batch_fact(Batch *b, int i, const char *name, int64_t value)
{
    if (b->nfact[i] < RECORD_MAX_FACT)
        b->fact[i][b->nfact[i]++] = (Param){ name, value };
}

static void refuse(Build *build, const char *why)
{
    build->status = STATUS_BUILD_FAILED;
    build->why = why;
}

/* Code that does not fit its registers is never used: a smaller tile costs less than what it moves to and from memory instead. */
static void take_ptxas_report(Search *q, Batch *b, int i, const PtxasReport *r)
{
    batch_fact(b, i, "regs", r->regs);
    batch_fact(b, i, "spill_bytes", r->spill_bytes);
    batch_fact(b, i, "stack_bytes", r->stack_bytes);
    if (r->spill_bytes > 0 || r->stack_bytes > 0)
        refuse(&b->build[i],
               arena_printf(q->arena, "%s %lld bytes a thread in local memory", r->spill_bytes ? "spills" : "keeps",
                            (long long)(r->spill_bytes ? r->spill_bytes : r->stack_bytes)));
}

static void take_spill_report(Search *q, Batch *b, int i, const SpillReport *r)
{
    batch_fact(b, i, "spilled", r->stored + r->loaded);
    if (r->stored + r->loaded > 0)
        refuse(&b->build[i],
               arena_printf(q->arena, "spills: %d vectors to the stack and %d from it in a round of %d multiplications",
                            r->stored, r->loaded, r->multiplications));
}

static void take_report(Search *q, Batch *b, int i)
{
    PtxasReport r;
    const Build *build = &b->build[i];
    if (build->status == STATUS_OK && *build->log && ptxas_read(build->log, &r))
        take_ptxas_report(q, b, i, &r);
    else if (build->status == STATUS_OK && build->spills.loops > 0)
        take_spill_report(q, b, i, &build->spills);
}

/* Those of the batch that have not failed so far, by another compiler: what ran here takes the place of what would run on a GPU, its size
 * stays. */
static void build_again(Search *q, Batch *b)
{
    Build again[STOPWATCH_MOST];
    int at[STOPWATCH_MOST], n = 0;
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK) {
            at[n] = i;
            again[n++] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
        }
    build_all(q->builder, q->arena, again, n, q->stop);
    for (int k = 0; k < n; k++) {
        Build *build = &b->build[at[k]];
        const int64_t code_bytes = build->code_bytes;
        build_remove(q->assembler, build->so);
        *build = again[k];
        build->code_bytes = build->status == STATUS_OK ? code_bytes : 0;
    }
}

static bool fill_texts(Search *q, Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Trial *t = &q->study->trial[b->trial[i]];
        UnitKernel k = unit_of(q->arena, &t->c);
        char *text = unit_candidate(q->arena, q->unit, &k, q->diag);
        if (!text) {
            *err = "a template cannot be filled";
            return false;
        }
        b->build[i] = (Build){ .name = t->key, .text = text };
        b->nfact[i] = 0;
    }
    return true;
}

bool batch_begin(Search *q, Batch *b, const char **err)
{
    b->begun = fill_texts(q, b, err);
    if (b->begun)
        build_start(q->builder, q->arena, b->build, b->n);
    return b->begun;
}

bool batch_build(Search *q, Batch *b, double until_s, const char **err)
{
    if (b->begun) {
        if (!build_wait(q->builder, b->build, until_s, q->stop) && !*q->stop)
            b->n = 0;
    } else {
        if (!fill_texts(q, b, err))
            return false;
        build_all(q->assembler ? q->assembler : q->builder, q->arena, b->build, b->n, q->stop);
    }
    for (int i = 0; i < b->n; i++)
        take_report(q, b, i);
    if (q->assembler && !*q->stop)
        build_again(q, b);
    if (*q->stop)
        *err = "interrupted";
    for (int i = 0; i < b->n && !*q->stop; i++)
        if (b->build[i].blame == BLAME_MACHINE) {
            *err = arena_printf(q->arena, "kernels cannot be built here: %s", b->build[i].why);
            return false;
        }
    return !*q->stop;
}
