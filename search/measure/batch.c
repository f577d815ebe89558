/* SPDX-License-Identifier: Apache-2.0
 *
 * batch: builds trials together, and records what came of them.
 */
#include "search/measure/batch.h"

#include <math.h>
#include <string.h>

bool batch_works(const Lab *l, const Batch *b, int i)
{
    return b->build[i].status == STATUS_OK && batch_member(l, b, i)->status == STATUS_OK;
}

void batch_add_member(const Lab *l, const Batch *b, int i, const int64_t *extent, int64_t gap, Kernels *k)
{
    const Candidate *c = &batch_member(l, b, i)->c;
    if (batch_works(l, b, i) && candidate_serves(c, l->study->spec, extent) &&
        !(c->t->asks_align && gap % ALIGN_MOST != 0 && !candidate_serves_all(c, l->study->spec)))
        kernels_add(k, b->build[i].name, b->build[i].so, i);
}

void batch_add_fact(Batch *b, int i, const char *name, int64_t value)
{
    if (b->nfact[i] < RECORD_MAX_FACT)
        b->fact[i][b->nfact[i]++] = (Param){ name, value };
}

/* Reads what compilers say of registers and spills. Code that does not fit its registers counts as not built and is
 * never used: a smaller tile is faster than moving sums to memory and back. So does code of which the assembler says
 * that it is slow: wgmma that wait for each other. There are two exceptions. A CPU that stands
 * in for the tuned one has one kernel alone, the general one of a template: slow there is better than nothing. And
 * where a template's loops do what a formula says (may_spill), no tile at all may fit. Constraints are asked once more,
 * now that it is known how many instructions a loop has (INSTRUCTIONS). A loop that stores and does not
 * load again does not count: gcc leaves such stores behind without being short of registers. */
static void read_report(Lab *l, Batch *b, int i)
{
    Build *build = &b->build[i];
    const SpillReport *s = &build->spills;
    const Candidate *c = &batch_member(l, b, i)->c;
    PtxasReport gpu;
    const char *why = NULL;
    if (spills_read_ptxas(build->log, &gpu)) {
        batch_add_fact(b, i, "regs", gpu.regs);
        batch_add_fact(b, i, "spill_bytes", gpu.spill_bytes);
        batch_add_fact(b, i, "stack_bytes", gpu.stack_bytes);
        if (gpu.spill_bytes > 0 || gpu.stack_bytes > 0)
            why = arena_printf(l->arena, "%s %lld bytes a thread in local memory", gpu.spill_bytes ? "spills" : "keeps",
                               (long long)(gpu.spill_bytes ? gpu.spill_bytes : gpu.stack_bytes));
        else if (gpu.loss)
            why = arena_printf(l->arena, "ptxas says: %.*s", gpu.nloss, gpu.loss);
    } else if (s->loops > 0) {
        batch_add_fact(b, i, "spilled", s->stored + s->loaded);
        batch_add_fact(b, i, "instructions", s->instructions);
        const KernelFacts told = { b->nfact[i], b->fact[i] };
        const bool is_tuned = c->target == l->study->target;
        const Constraint *broken = is_tuned ? candidate_breaks(c, l->study->spec, l->study->device, told) : NULL;
        if (broken)
            why = arena_printf(l->arena, "%s (%d instructions for 100 multiplications)", broken->why, s->instructions);
        if (s->loaded > 0 && !c->t->may_spill && is_tuned)
            why = arena_printf(l->arena,
                               "spills: %d vectors to the stack and %d from it in a round of %d multiplications",
                               s->stored, s->loaded, s->multiplications);
    }
    if (why) {
        build->status = STATUS_BUILD_FAILED;
        build->why = why;
    }
}

/* Replaces the GPU code of those that have not failed by code that runs here. code_bytes stays the GPU code's. */
static void build_runnable(Lab *l, Batch *b)
{
    Build runnable[REQUEST_MOST];
    int at[REQUEST_MOST], n = 0;
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK) {
            at[n] = i;
            runnable[n++] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
        }
    build_all(l->shop->builder, l->arena, runnable, n, l->stop);
    for (int k = 0; k < n; k++) {
        Build *build = &b->build[at[k]];
        runnable[k].code_bytes = runnable[k].status == STATUS_OK ? build->code_bytes : 0;
        build_remove(l->shop->assembler, build->so);
        *build = runnable[k];
    }
}

bool batch_fill(Lab *l, Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Trial *t = batch_member(l, b, i);
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&t->c, value);
        const UnitKernel k = { .t = t->c.t, .target = t->c.target, .value = value };
        char *text = unit_candidate(l->arena, l->shop->unit, &k, l->shop->diag);
        if (!text) {
            *err = "a template cannot be filled";
            return false;
        }
        b->build[i] = (Build){ .name = t->key, .text = text };
    }
    return true;
}

static void keep_tried(Batch *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++)
        if (!build_was_ended(&b->build[i])) {
            b->trial[n] = b->trial[i];
            b->build[n++] = b->build[i];
        }
    b->n = n;
}

/* Builds those members whose builds were ended together with another batch, when that batch's time was up. */
static void build_ended(Lab *l, Builder *builder, Batch *b)
{
    for (int i = 0; i < b->n; i++)
        if (build_was_ended(&b->build[i])) {
            b->build[i] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
            build_all(builder, l->arena, &b->build[i], 1, l->stop);
        }
}

bool batch_build(Lab *l, Batch *b, double until_s, bool first, const char **err)
{
    Workshop *m = l->shop;
    Builder *builder = m->assembler ? m->assembler : m->builder;
    if (!b->begun && !batch_fill(l, b, err))
        return false;
    if (!b->begun && isinf(until_s)) {
        build_all(builder, l->arena, b->build, b->n, l->stop);
    } else {
        if (!b->begun)
            build_start(builder, l->arena, b->build, b->n);
        const bool done = build_wait(builder, b->build, until_s, first, l->stop);
        l->brief = l->brief || (first && !done && isfinite(until_s));
        if (!done && isinf(until_s))
            build_ended(l, builder, b);
        else if (!done && !*l->stop)
            keep_tried(b);
    }
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK)
            read_report(l, b, i);
    if (m->assembler && !*l->stop)
        build_runnable(l, b);
    if (*l->stop) {
        *err = "interrupted";
        return false;
    }
    for (int i = 0; i < b->n; i++)
        if (b->build[i].blame == BLAME_MACHINE) {
            *err = arena_printf(l->arena, "kernels cannot be built here: %s", b->build[i].why);
            return false;
        }
    return true;
}

/* The number of the candidate that is recorded next (KernelRecord.n). Lines are in any order. */
static int64_t next_n(const Records *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        most = r->kernel[i].n > most ? r->kernel[i].n : most;
    return most < INT64_MAX ? most + 1 : most;
}

static bool record_member(Lab *l, const Batch *b, int i, const char **err)
{
    RecordFile *file = l->shop->records;
    const Build *build = &b->build[i];
    const bool built = build->status == STATUS_OK;
    const char *why = built ? b->why[i] : build->why;
    const Trial *t = batch_member(l, b, i);
    const Spec *s = l->study->spec;
    int64_t value[TEMPLATE_MAX_PARAM];
    Param param[TEMPLATE_MAX_PARAM];
    KernelRecord k = { .key = t->key,
                       .device = l->study->device->id,
                       .op = s->op->name,
                       .dtype = s->dtype,
                       .template_name = t->c.t->name,
                       .template_hash = t->c.t->hash,
                       .target = t->c.target->name,
                       .nparam = t->c.t->nparam,
                       .param = param,
                       .status = built ? t->status : build->status,
                       .code_bytes = build->code_bytes,
                       .n = file ? next_n(record_all(file)) : 0,
                       .retry = t->retried,
                       .nfact = b->nfact[i],
                       .fact = b->fact[i],
                       .why = why ? why : "" };
    candidate_values(&t->c, value);
    for (int p = 0; p < k.nparam; p++)
        param[p] = (Param){ t->c.t->param[p].name, value[p] };
    study_kernel(l->study, &k);
    return !file || record_add_kernel(file, &k, err);
}

bool batch_record(Lab *l, const Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        if (b->build[i].blame != BLAME_CANDIDATE)
            study_leave(l->study, b->trial[i], b->build[i].why);
        if (!batch_member(l, b, i)->left_out && !record_member(l, b, i, err))
            return false;
    }
    return true;
}
