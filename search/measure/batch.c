/* SPDX-License-Identifier: Apache-2.0
 *
 * batch: fills the templates of a batch, has them compiled, and reads what compilers say of registers and spills.
 */
#include "search/measure/batch.h"

#include "search/build/spills.h"

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
static void take_ptxas_report(Lab *l, Batch *b, int i, const PtxasReport *r)
{
    batch_fact(b, i, "regs", r->regs);
    batch_fact(b, i, "spill_bytes", r->spill_bytes);
    batch_fact(b, i, "stack_bytes", r->stack_bytes);
    if (r->spill_bytes > 0 || r->stack_bytes > 0)
        refuse(&b->build[i],
               arena_printf(l->arena, "%s %lld bytes a thread in local memory", r->spill_bytes ? "spills" : "keeps",
                            (long long)(r->spill_bytes ? r->spill_bytes : r->stack_bytes)));
}

static void take_spill_report(Lab *l, Batch *b, int i, const SpillReport *r)
{
    batch_fact(b, i, "spilled", r->stored + r->loaded);
    if (r->stored + r->loaded > 0)
        refuse(&b->build[i],
               arena_printf(l->arena, "spills: %d vectors to the stack and %d from it in a round of %d multiplications",
                            r->stored, r->loaded, r->multiplications));
}

static void take_report(Lab *l, Batch *b, int i)
{
    PtxasReport r;
    const Build *build = &b->build[i];
    if (build->status == STATUS_OK && *build->log && spills_read_ptxas(build->log, &r))
        take_ptxas_report(l, b, i, &r);
    else if (build->status == STATUS_OK && build->spills.loops > 0)
        take_spill_report(l, b, i, &build->spills);
}

/* Builds what can be run here of those that have not failed so far, in the place of the GPU code; the size of that stays. */
static void build_again(Lab *l, Batch *b)
{
    Build again[STOPWATCH_MOST];
    int at[STOPWATCH_MOST], n = 0;
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK) {
            at[n] = i;
            again[n++] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
        }
    build_all(l->shop->builder, l->arena, again, n, l->stop);
    for (int k = 0; k < n; k++) {
        Build *build = &b->build[at[k]];
        const int64_t code_bytes = build->code_bytes;
        build_remove(l->shop->assembler, build->so);
        *build = again[k];
        build->code_bytes = build->status == STATUS_OK ? code_bytes : 0;
    }
}

static bool fill_texts(Lab *l, Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Trial *t = &l->study->trial[b->trial[i]];
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&t->c, value);
        const UnitKernel k = { t->c.t, t->c.target, value, { 0 } };
        char *text = unit_candidate(l->arena, l->shop->unit, &k, l->shop->diag);
        if (!text) {
            *err = "a template cannot be filled";
            return false;
        }
        b->build[i] = (Build){ .name = t->key, .text = text };
        b->nfact[i] = 0;
    }
    return true;
}

bool batch_begin(Lab *l, Batch *b, const char **err)
{
    b->begun = fill_texts(l, b, err);
    if (b->begun)
        build_start(l->shop->builder, l->arena, b->build, b->n);
    return b->begun;
}

bool batch_build(Lab *l, Batch *b, double until_s, const char **err)
{
    if (b->begun) {
        if (!build_wait(l->shop->builder, b->build, until_s, l->stop) && !*l->stop)
            b->n = 0;
    } else {
        if (!fill_texts(l, b, err))
            return false;
        build_all(l->shop->assembler ? l->shop->assembler : l->shop->builder, l->arena, b->build, b->n, l->stop);
    }
    for (int i = 0; i < b->n; i++)
        take_report(l, b, i);
    if (l->shop->assembler && !*l->stop)
        build_again(l, b);
    if (*l->stop)
        *err = "interrupted";
    for (int i = 0; i < b->n && !*l->stop; i++)
        if (b->build[i].blame == BLAME_MACHINE) {
            *err = arena_printf(l->arena, "kernels cannot be built here: %s", b->build[i].why);
            return false;
        }
    return !*l->stop;
}
