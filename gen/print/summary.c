/* SPDX-License-Identifier: Apache-2.0
 *
 * summary: prints what a search chose, what a check found, and which candidates failed.
 */
#include "gen/print/summary.h"

#include <inttypes.h>
#include <math.h>
#include "gen/base/diag.h"
#include "gen/base/number.h"
#include "gen/base/text.h"
#include "gen/report/choice.h"
#include "gen/report/words.h"
#include "gen/target/family.h"
#include "search/loop/search.h"

/* ---- a package ---- */

/* Names the held-out shape with the worst regret where that is large: a prediction went wrong there, and a time would
 * not. */
static void print_gap(const Result *out, FILE *to)
{
    static const double LARGE = 0.05;
    const Contract *c = out->contract;
    const ContractShape *worst = NULL;
    for (const ContractShape *x = c->shape; x < c->shape + c->nshape; x++)
        if (!x->tuned && x->inst->weight > 0 && x->resolved && x->regret > (worst ? worst->regret : LARGE))
            worst = x;
    if (!worst)
        return;
    const Spec *s = out->study->spec;
    const Instance *inst = worst->inst;
    const unsigned dims = spec_shape_dims(s, &s->shape[inst->decl]);
    quote_printf(to, "  it is %.0f%% at %s%s", 100 * worst->regret,
                 words_shape(out->study->arena, s->op, inst->extent, s->nthread > 1 ? inst->threads : 0),
                 s->log ? "\n" : "; a search measures there with");
    if (s->log)
        return;
    for (int i = 0; i < s->ndim; i++)
        if (dims >> i & 1)
            fprintf(to, " %s = %" PRId64, s->dim[i].name, inst->dim[i]);
    fprintf(to, " in 'tune'\n");
}

static void print_held_out(const Result *out, FILE *to)
{
    const ContractSum *h = &out->contract->held_out;
    if (h->nmeasured) {
        fprintf(to, "  regret %.2f%% on %" PRId64 " shape%s that %s held out, %.2f%% at worst\n", 100 * h->mean,
                h->nmeasured, number_plural(h->nmeasured), h->nmeasured == 1 ? "was" : "were", 100 * h->worst);
        print_gap(out, to);
    } else if (study_nheld_out(out->study))
        fprintf(to, "  none of the shapes that are held out was measured\n");
}

/* Says how uncertain the times are, if they are. */
static void print_noise(const Result *out, FILE *to)
{
    static const double BUSY = 0.03; /* noise of a machine that counts as busy */
    const Contract *c = out->contract;
    const int64_t nunresolved = contract_unresolved(c), all = c->tuned.nmeasured + c->held_out.nmeasured;
    const double noise = study_noise(out->study);
    if (nunresolved)
        fprintf(to,
                "  on %" PRId64 " of %" PRId64
                " shapes the regret cannot be said, as their times differ by too much%s\n",
                nunresolved, all, 2 * nunresolved > all ? ": the machine was too busy" : "");
    if (noise > BUSY)
        fprintf(to, "  the machine was busy: times are off by %.0f%%, and differences below that are noise\n",
                100 * noise);
}

/* Says how many shapes joined those that the spec tunes. */
static void print_joined(const Study *s, FILE *to)
{
    const int64_t n = study_njoined(s);
    if (n)
        fprintf(to, "  that counts %" PRId64 " shape%s that joined the tuned ones, where the model was least sure\n", n,
                number_plural(n));
}

/* Prints what was measured, and how good the choice is by that. */
static void print_measured(const Result *out, FILE *to)
{
    const Study *s = out->study;
    const CostReport *cost = out->cost;
    const int64_t tried = study_tried(s, false), behind = study_nbehind(s);
    fprintf(to, "  %" PRId64 " trial%s, %" PRId64 " failed", tried, number_plural(tried), study_tried(s, true));
    if (behind)
        fprintf(to, ", %" PRId64 " too far behind to look at", behind);
    fprintf(to, "; %" PRId64 " measurement%s", cost->nmeasure, number_plural(cost->nmeasure));
    if (isfinite(cost->error))
        fprintf(to, "; model error %.1f%% on kernels it has not seen", 100 * cost->error);
    if (isfinite(cost->order.rank))
        fprintf(to, ", rank %.2f", cost->order.rank);
    fputc('\n', to);
    const ContractSum *tuned = &out->contract->tuned;
    const char *unknown = contract_unknown(out->contract);
    if (unknown)
        fprintf(to, "  no regret is known: %s\n", unknown);
    else
        fprintf(to,
                "  regret %.2f%% on %" PRId64 " of %" PRId64
                " tuned shapes, %.2f%% at worst, against the best known of each\n",
                100 * tuned->mean, tuned->nmeasured, tuned->nshape, 100 * tuned->worst);
    print_joined(s, to);
    print_held_out(out, to);
    print_noise(out, to);
    const Against library = choice_library(out);
    if (library.n)
        fprintf(to, "  %.2fx as fast as %s, geometric mean of %" PRId64 " shapes; %.2fx at the worst\n", library.mean,
                s->target->family->rival, library.n, library.least);
}

static void print_modelled(const Study *s, FILE *to)
{
    fprintf(to, "  no time was measured: kernels were chosen by an analytic model\n");
    fprintf(to,
            "  %" PRId64 " candidates compiled and executed by the emulator, %" PRId64
            " failed; those kept have no spills and no findings\n",
            study_tried(s, false), study_tried(s, true));
}

static void print_result(const Result *out, FILE *to)
{
    const Study *s = out->study;
    const Assignment *as = out->assignment;
    int nleaf = tree_nleaf(as->tree);
    quote_printf(to, "%s: %d kernel%s, %" PRId64 " KiB, %d %s, for %s (%s)\n", s->spec->name, as->nkernel,
                 number_plural(as->nkernel), (as->code_bytes + 1023) / 1024, nleaf, nleaf == 1 ? "leaf" : "leaves",
                 s->target->name, s->device->name);
    if (as->kept >= 0 && as->nkernel > as->kept + 1)
        fprintf(to, "  one of them is for calls that the others do not serve\n");
    if (as->fewer)
        fprintf(to, "  fewer kernels than the %d that are allowed: %s\n", s->spec->budget.kernels, as->fewer);
    if (s->device->modelled)
        print_modelled(s, to);
    else
        print_measured(out, to);
}

static void print_package(const char *package, const ResultList *of, const Proof *p, FILE *to)
{
    for (int i = 0; i < of->n; i++)
        print_result(&of->item[i], to);
    if (p)
        fprintf(to,
                "  dispatcher compiled: the kernel of its tree at %s%" PRId64
                " declared shapes, around its thresholds and beyond the ranges\n",
                p->all ? "all " : "a sample of ", p->ndeclared);
    quote_printf(to, "  %s\n", package);
}

/* What budgets of 1, 2, ... kernels would give. */
static json_t *curve_json(const Assignment *as)
{
    json_t *list = json_array();
    for (int i = 0; i < as->ncurve; i++)
        json_array_append_new(
            list, JSON_OBJECT(FIELD("kernels", as->curve[i].kernels), FIELD("code_bytes", as->curve[i].bytes),
                              FIELD("above_best", as->curve[i].above), FIELD("kept", (bool)(i == as->kept))));
    return list;
}

static json_t *sum_json(const ContractSum *s)
{
    return JSON_OBJECT(FIELD("shapes", s->nshape), FIELD("measured", s->nmeasured), FIELD("resolved", s->nresolved),
                       FIELD("mean", s->mean), FIELD("worst", s->worst), FIELD("mean_bound", s->mean_bound),
                       FIELD("worst_bound", s->worst_bound));
}

static json_t *contract_json(const Contract *c)
{
    if (c->modelled)
        return json_null();
    return JSON_OBJECT(FIELD("tuned", sum_json(&c->tuned)), FIELD("held_out", sum_json(&c->held_out)));
}

static json_t *package_json(const char *package, const char *records, const Result *out, const Proof *proof)
{
    const Study *s = out->study;
    const Assignment *as = out->assignment;
    const Against library = choice_library(out);
    const Proof p = proof ? *proof : (Proof){ 0 };
    return JSON_OBJECT(FIELD("name", s->spec->name), FIELD("package", package), FIELD("records", records),
                       FIELD("target", s->target->name), FIELD("device", s->device->name),
                       FIELD("modelled", s->device->modelled), FIELD("kernels", as->nkernel),
                       FIELD("why_fewer", as->fewer), FIELD("code_bytes", as->code_bytes),
                       FIELD("leaves", tree_nleaf(as->tree)), FIELD("trials", study_tried(s, false)),
                       FIELD("failed", study_tried(s, true)), FIELD("measurements", out->cost->nmeasure),
                       FIELD("model_error", out->cost->error), FIELD("model_rank", out->cost->order.rank),
                       FIELD("regret", out->contract->tuned.mean), FIELD("curve", curve_json(as)),
                       FIELD("contract", contract_json(out->contract)), FIELD("library_shapes", library.n),
                       FIELD("library_speedup", library.mean), FIELD("library_speedup_least", library.least),
                       FIELD("dispatcher_checked", p.ndeclared), FIELD("dispatcher_checked_beyond", p.ncut),
                       FIELD("dispatcher_checked_all", p.all));
}

void summary_package(const char *package, const char *records, const ResultList *of, const Proof *proof, bool json,
                     FILE *to)
{
    if (!json)
        print_package(package, of, proof, to);
    for (int i = 0; i < of->n && json; i++)
        quote_print_json(package_json(package, records, &of->item[i], proof), to);
}

void summary_contract(Arena *a, const Result *out, bool several_targets, FILE *to)
{
    const Contract *c = out->contract;
    const int64_t missing = contract_missing(c);
    const char *broken = contract_broken(a, c);
    const char *part = words_part(a, out->study->spec, out->study->target, several_targets);
    const char *who = *part ? arena_printf(a, "%s: ", part) : "";
    if (broken)
        diag_say(to, DIAG_WARNING, "%s%s", who, broken);
    if (missing)
        diag_say(to, DIAG_WARNING,
                 "%son %" PRId64 " of the %" PRId64 " tuned shapes the chosen kernel was not measured, or not beside "
                 "its rivals: a search that has time left begins with that",
                 who, missing, c->tuned.nshape);
}

void summary_failures(Arena *a, const Study *s, FILE *to)
{
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        if (t->built && t->status != STATUS_OK)
            diag_say(to, DIAG_NOTE, "%s: %s: %s", status_name(t->status), words_candidate(a, &t->c), t->why);
}

void summary_templates(Arena *a, const Result *out, FILE *to)
{
    for (int i = 0; i < out->templates->n; i++) {
        const char *text = ending_template_text(a, out->study, out->templates->t[i]);
        if (text)
            diag_say(to, DIAG_WARNING, "%s", text);
    }
}

/* Why the target has no kernel: the first that failed there. */
static const char *lacking_why(Arena *a, const Study *s, const Target *target)
{
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        if (t->c.target == target && t->built && t->status != STATUS_OK)
            return arena_printf(a, "; %s is %s: %s", words_candidate(a, &t->c), status_name(t->status), t->why);
    return "";
}

void summary_lacking(Arena *a, const ResultList *of, FILE *to)
{
    const Study *s = of->item->study;
    const Target *lacking[TARGET_MAX];
    const int nlacking = dispatch_lacking(package_dispatcher(a, of), lacking);
    for (int i = 0; i < nlacking; i++)
        diag_say(to, DIAG_WARNING,
                 "%s: no general kernel works for %s%s: calls on machines that need it return %s_BAD_%s%s",
                 s->spec->name, lacking[i]->name, target_is_inherited(lacking[i]) ? " and later" : "", s->spec->package,
                 lacking[i]->family->off_cpu ? "DEVICE" : "KERNEL", lacking_why(a, s, lacking[i]));
}

/* ---- check ---- */

static void print_space(Arena *a, const Space *s, const Device *d, FILE *to)
{
    const Target *t = s->general[0].target;
    quote_printf(to, "target: %s on %s%s: %s\n", t->name, d->name, device_runs(d, t) ? "" : ", which does not run it",
                 t->family->check_text(a, t, d));
    fprintf(to, "space: %" PRId64 " candidates of %" PRId64 " combinations\n", s->n, s->nraw);
    for (const Rejection *r = s->rejection; r < s->rejection + s->nrejection; r++)
        if (r->count)
            quote_printf(to, "  %10" PRId64 " rejected: %s: %s\n              (%s)\n", r->count, r->t->name,
                         quote_line(a, r->constraint->why), expr_text(r->constraint->need));
}

static json_t *check_json(const Spec *s, const Probe *p)
{
    const Target *target = p->space->general[0].target;
    return JSON_OBJECT(FIELD("name", s->name), FIELD("shapes", spec_shape_count(s)),
                       FIELD("tuned", spec_tuned_count(s)), FIELD("target", target->name),
                       FIELD("device", p->device.name), FIELD("runs", device_runs(&p->device, target)),
                       FIELD("candidates", p->space->n), FIELD("combinations", p->space->nraw),
                       FIELD("rejected", words_rejected_json(p->space)));
}

/* The spec in one line. */
static void print_checked(const Spec *s, const Probe *probe, int n, FILE *to)
{
    quote_printf(to, "%s: %s, %s, %" PRId64 " shapes, %" PRId64 " of them tuned; ", s->name, s->op->name, s->dtype,
                 spec_shape_count(s), spec_tuned_count(s));
    for (int i = 0; i < n; i++)
        fprintf(to, "%s%" PRId64 " candidate%s for %s", i ? ", " : "", probe[i].space->n,
                number_plural(probe[i].space->n), probe[i].space->general[0].target->name);
    fputc('\n', to);
}

void summary_check(Arena *a, const Spec *s, const Probe *probe, int n, bool json, bool verbose, FILE *to)
{
    for (int i = 0; i < n && json; i++)
        quote_print_json(check_json(s, &probe[i]), to);
    if (!json)
        print_checked(s, probe, n, to);
    if (json || !verbose)
        return;
    quote_printf(to, "op: %s\n", quote_line(a, s->op->doc));
    if (s->formula)
        quote_printf(to, "formula: %s\n", s->formula->text);
    if (s->accuracy > 1)
        fprintf(to, "accuracy: off by at most %g times the rounding error of plain sums\n", s->accuracy);
    for (int i = 0; i < n; i++)
        print_space(a, probe[i].space, &probe[i].device, to);
}
