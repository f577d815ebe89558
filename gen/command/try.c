/* SPDX-License-Identifier: Apache-2.0
 *
 * try: `dcgen try TEMPLATE MR=4 ... SPEC`. Builds one kernel of a template for each of the spec's targets, verifies it
 * on the awkward shapes and the tuned ones, and times it on these, as a search would; says what is wrong, or prints the
 * times. Where there is no GPU the emulator takes its place: then there are no times. Nothing is recorded.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/json.h"
#include "gen/base/number.h"
#include "gen/base/process.h"
#include "gen/command/command.h"
#include "gen/command/tried.h"
#include "gen/driver/tools.h"
#include "gen/report/words.h"
#include "search/record/roofline.h"
#include "search/space/verify_shapes.h"

static const double LIMITS_S = 0.5;
/* The product of extents that the emulator executes on tuned shapes; the smallest one comes in any case. */
static const double EMULATED_WORK = 12e9;

/* A kernel that is tried, and what came of it. */
typedef struct {
    Run *run;
    const Job *job;
    const UnitContext *unit;
    const Candidate *c;
    const Tools *tools;
    bool modelled;
    Status status;
    const char *why;            /* of a failure: one line */
    const char *log;            /* of the compiler, where that failed; else "" */
    int nawkward;               /* shapes that it was verified on besides the tuned ones */
    const Study *study, *known; /* of this try, and of the records; known NULL: there are none */
    bool *executed;             /* one a tuned instance: it was verified there */
    int64_t nexecuted;
    double *ns;                           /* one a tuned instance; 0: not timed */
    int nlimit;                           /* 0: not measured */
    LimitRecord *limit;                   /* one a thread count */
    const Roofline *roofline;             /* of these */
    bool broken[TEMPLATE_MAX_CONSTRAINT]; /* the constraints that its values break */
} Try;

/* ---- what is wrong before anything runs ---- */

/* Finds the constraints that the values break. False: some are. */
static bool check_constraints(Try *x)
{
    const Template *t = x->c->t;
    int64_t value[TEMPLATE_MAX_PARAM];
    bool ok = true;
    candidate_values(x->c, value);
    Binding b = { .t = t,
                  .spec = x->unit->spec,
                  .target = x->unit->target,
                  .device = x->unit->device,
                  .value = value,
                  .threads = 1 };
    for (int i = 0; i < t->nconstraint; i++) {
        int64_t holds = 0;
        x->broken[i] = expr_int(t->constraint[i].need, template_lookup, &b, &holds) != EXPR_OK || !holds;
        ok = ok && !x->broken[i];
    }
    x->status = ok ? x->status : STATUS_INVALID;
    x->why = ok ? x->why : "its values break a constraint, so no search takes it";
    return ok;
}

/* Compiles it as it would ship. False: that fails; then the log has all that the compiler wrote. */
static bool check_build(Try *x)
{
    Run *r = x->run;
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(x->c, value);
    const UnitKernel k = { .t = x->c->t, .target = x->c->target, .value = value };
    Build b = { .name = "candidate", .text = unit_candidate(r->a, x->unit, &k, diag_new(r->a)) };
    Builder *builder = x->tools->assembler ? x->tools->assembler : x->tools->builder;
    build_all(builder, r->a, &b, 1, r->stop);
    x->status = b.status;
    x->why = b.why;
    x->log = b.log;
    build_remove(builder, b.so);
    return b.status == STATUS_OK;
}

/* ---- running it ---- */

/* Takes over what became of it in the lab. False: it failed. */
static bool take_status(Try *x, int64_t trial)
{
    const Trial *t = &x->study->trial[trial];
    x->status = t->status;
    x->why = t->why;
    if (t->left_out)
        return run_fails(x->run, EXIT_ENVIRONMENT, "the machine lacks what it takes to try it: %s", t->why);
    return trial_usable(t);
}

static double work_of(const Spec *s, const Instance *inst)
{
    double work = 1;
    for (int i = 0; i < s->op->naxis; i++)
        work *= (double)inst->extent[i];
    return work;
}

/* The tuned instance with the least work of those that were not executed; -1: there is none. */
static int64_t next_emulated(const Try *x)
{
    const Study *s = x->study;
    int64_t least = -1;
    for (int64_t j = 0; j < s->nshape; j++)
        if (!x->executed[j] && (least < 0 || work_of(s->spec, s->shape[j]) < work_of(s->spec, s->shape[least])))
            least = j;
    return least;
}

/* Has the emulator execute it on tuned shapes, the smallest first. */
static bool emulate_shapes(Try *x, Lab *l, int64_t trial)
{
    double work = 0;
    for (int64_t j; (j = next_emulated(x)) >= 0;) {
        const Instance *inst = x->study->shape[j];
        work += work_of(x->study->spec, inst);
        if (work > EMULATED_WORK && x->nexecuted > 0)
            return true;
        if (!l->kind->check(l, x->run->a, trial, inst->extent, &x->run->err) || !take_status(x, trial))
            return false;
        x->executed[j] = true;
        x->nexecuted++;
    }
    return true;
}

static bool time_shapes(Try *x, Lab *l, int64_t trial)
{
    Run *r = x->run;
    x->limit = ARENA_ARRAY(r->a, (size_t)x->unit->spec->nthread + 1, LimitRecord);
    const char *why = NULL; /* limits are not needed */
    if (!calibrate(l->shop, r->a, LIMITS_S, x->limit, &x->nlimit, r->stop, &why, &r->err))
        return false;
    for (int64_t j = 0; j < x->study->nshape; j++) {
        if (!l->kind->compare(l, r->a, x->study->shape[j], &trial, 1, false, &r->err) || !take_status(x, trial))
            return false;
        x->ns[j] = x->study->trial[trial].ns[j];
        x->executed[j] = true;
        x->nexecuted++;
    }
    x->roofline = roofline_make(r->a, x->study, &(Records){ .limit = x->limit, .nlimit = x->nlimit });
    return true;
}

/* Verifies it on awkward shapes and the tuned ones, and times it on these. */
static bool run_kernel(Try *x)
{
    Run *r = x->run;
    const UnitContext *u = x->unit;
    Workshop shop = tools_workshop(r, x->tools, x->job, u);
    Study *s = study_new(r->a, u->spec, u->device, u->target, unit_context_hash(r->a, u));
    Lab lab = { .kind = x->modelled ? &lab_emulator : &lab_machine,
                .shop = &shop,
                .arena = r->a,
                .templates = x->job->templates,
                .study = s,
                .began_s = process_clock_s(),
                .seconds = x->job->spec->budget.seconds,
                .stop = r->stop };
    const Proposal p = { .c = *x->c };
    const int64_t trial = study_add(s, x->c);
    VerifyShapes awkward;
    x->study = s;
    x->executed = ARENA_ARRAY(r->a, (size_t)s->nshape + 1, bool);
    x->ns = ARENA_ARRAY(r->a, (size_t)s->nshape + 1, double);
    verify_shapes(s, &x->c, 1, &awkward);
    x->nawkward = awkward.n;
    return lab.kind->trials(&lab, r->a, &p, 1, 1, &r->err) && take_status(x, trial) &&
           (x->modelled ? emulate_shapes(x, &lab, trial) : time_shapes(x, &lab, trial));
}

/* Takes from the job's records, if there are any, what other kernels take on this device. */
static bool read_known(Try *x)
{
    Run *r = x->run;
    const UnitContext *u = x->unit;
    Records records;
    if (access(x->job->records, R_OK) != 0 || x->modelled)
        return true;
    if (!record_read(r->a, x->job->records, &records, stderr, &r->err))
        return false;
    Study *s = study_new(r->a, u->spec, u->device, u->target, x->study->context_hash);
    study_load(s, &records, x->job->templates, u->targets);
    const int64_t itself = study_find(s, x->c);
    if (itself >= 0)
        s->trial[itself].status = STATUS_INVALID; /* it is no rival of its own */
    x->known = s;
    return true;
}

/* ---- what is said of it ---- */

/* Useful operations a second; 0: no time, or bytes are what counts. */
static double rate_of(const Try *x, int64_t shape)
{
    return x->ns[shape] > 0 && !spec_moves(x->study->spec)
               ? 1e9 * spec_flops(x->study->spec, x->study->shape[shape]->extent) / x->ns[shape]
               : 0;
}

/* The bytes of all operands a second, where moving them takes the device longer than the arithmetic; 0: elsewhere, or
 * not known, as where data decide how many they are. */
static double memory_rate(const Try *x, int64_t shape)
{
    const Instance *inst = x->study->shape[shape];
    Bound b;
    const bool is_memory = x->ns[shape] > 0 && roofline_bound(x->roofline, inst->extent, inst->threads, &b) &&
                           !b.by_data && b.memory_ns > b.compute_ns;
    return is_memory ? 1e9 * b.bytes / x->ns[shape] : 0;
}

/* The part of the measured peak; 0: not known. */
static double peak_part(const Try *x, int64_t shape)
{
    for (int i = 0; i < x->nlimit && !x->study->spec->op->by_data; i++)
        if (x->limit[i].threads == x->study->shape[shape]->threads)
            return rate_of(x, shape) / x->limit[i].flops_per_s;
    return 0;
}

/* The best other kernel of the records. *ns: its time; 0: there is none. */
static const Candidate *rival_of(const Try *x, int64_t shape, double *ns)
{
    int64_t trial = -1;
    const double best = x->known ? study_best(x->known, shape, &trial) : INFINITY;
    *ns = isfinite(best) ? best : 0;
    return isfinite(best) ? &x->known->trial[trial].c : NULL;
}

/* by_bytes: there is a column for bytes a second. */
static void print_shape(const Try *x, int64_t shape, int width, bool by_bytes)
{
    Arena *a = x->run->a;
    const Instance *inst = x->study->shape[shape];
    const double rate = rate_of(x, shape), bytes = memory_rate(x, shape), part = peak_part(x, shape);
    double rival_ns;
    const Candidate *rival = rival_of(x, shape, &rival_ns);
    printf("%-*s", width, words_shape(a, x->study->spec->op, inst->extent, inst->threads));
    if (!(x->ns[shape] > 0)) {
        printf("  %s\n", x->executed[shape] ? "right" : "not executed");
        return;
    }
    printf("  %10s", number_time(a, x->ns[shape]));
    if (!spec_moves(x->study->spec))
        printf("  %8s", rate > 0 ? number_sig(a, rate * 1e-9, 3) : "-");
    if (by_bytes)
        printf("  %8s", bytes > 0 ? number_sig(a, bytes * 1e-9, 3) : "-");
    if (!spec_moves(x->study->spec))
        printf("  %7s", part > 0 ? number_percent(a, part) : "-");
    if (rival)
        printf("  %10s  %s", number_time(a, rival_ns), words_candidate(a, rival));
    printf("\n");
}

/* "layer_scores: " where the spec has several functions. */
static const char *function_words(const Try *x)
{
    const Spec *s = x->unit->spec;
    return s->function ? arena_printf(x->run->a, "%s: ", s->name) : "";
}

static void print_table(const Try *x)
{
    Arena *a = x->run->a;
    const Study *s = x->study;
    int width = 5;
    bool by_bytes = false;
    quote_printf(stdout, "%s%s on %s: right on %d awkward shape%s and on %s\n", function_words(x),
                 words_candidate(a, x->c), x->unit->device->name, x->nawkward, number_plural(x->nawkward),
                 x->nexecuted == s->nshape ? "all tuned ones" : "some tuned ones");
    for (int64_t j = 0; j < s->nshape; j++) {
        const int n = (int)strlen(words_shape(a, s->spec->op, s->shape[j]->extent, s->shape[j]->threads));
        width = n > width ? n : width;
        by_bytes = by_bytes || memory_rate(x, j) > 0;
    }
    if (x->modelled)
        printf("executed by the emulator, which takes no times\n");
    else
        printf("%-*s  %10s%s%s%s%s\n", width, "shape", "time", spec_moves(s->spec) ? "" : "   GFLOP/s",
               by_bytes ? "      GB/s" : "", spec_moves(s->spec) ? "" : "  of peak",
               x->known ? "  best other kernel of the records" : "");
    for (int64_t j = 0; j < s->nshape; j++)
        print_shape(x, j, width, by_bytes);
    if (s->spec->op->by_data && !x->modelled)
        printf("GFLOP/s are of the full shape: data decide how much of its work there is\n");
}

static json_t *shapes_json(const Try *x)
{
    json_t *list = json_array();
    for (int64_t j = 0; x->study && j < x->study->nshape; j++) {
        const Instance *inst = x->study->shape[j];
        double rival_ns;
        const Candidate *rival = rival_of(x, j, &rival_ns);
        json_t *o = words_extents_json(json_object(), x->study->spec->op, inst->extent);
        JSON_SET(o, FIELD("threads", inst->threads), FIELD("right", x->executed[j]),
                 FIELD("ns", json_of_known(x->ns[j] > 0, x->ns[j])),
                 FIELD("flops_per_s", json_of_known(rate_of(x, j) > 0, rate_of(x, j))),
                 FIELD("bytes_per_s", json_of_known(memory_rate(x, j) > 0, memory_rate(x, j))),
                 FIELD("part_of_peak", json_of_known(peak_part(x, j) > 0, peak_part(x, j))),
                 FIELD("best_other_ns", json_of_known(rival, rival_ns)),
                 FIELD("best_other", rival ? words_candidate(x->run->a, rival) : NULL));
        json_array_append_new(list, o);
    }
    return list;
}

static void print_json(const Try *x)
{
    const Template *t = x->c->t;
    json_t *broken = json_array();
    for (int i = 0; i < t->nconstraint; i++)
        if (x->broken[i])
            json_array_append_new(broken, JSON_OBJECT(FIELD("need", expr_text(t->constraint[i].need)),
                                                      FIELD("why", t->constraint[i].why)));
    quote_print_json(JSON_OBJECT(FIELD("name", x->unit->spec->name), FIELD("template", t->name),
                                 FIELD("target", x->c->target->name), FIELD("device", x->unit->device->name),
                                 FIELD("params", words_values_json(x->c)), FIELD("status", status_name(x->status)),
                                 FIELD("why", x->why), FIELD("log", x->log), FIELD("broken", broken),
                                 FIELD("modelled", x->modelled), FIELD("awkward_shapes", x->nawkward),
                                 FIELD("shapes", shapes_json(x))),
                     stdout);
}

/* Says what is wrong with it. Returns false. */
static bool fail_kernel(const Try *x)
{
    static const char *const words[STATUS_COUNT] = { [STATUS_INVALID] = "is refused",
                                                     [STATUS_BUILD_FAILED] = "is not built",
                                                     [STATUS_WRONG] = "is wrong",
                                                     [STATUS_CRASHED] = "crashes",
                                                     [STATUS_TIMED_OUT] = "hangs" };
    Run *r = x->run;
    const Template *t = x->c->t;
    const size_t n = strlen(x->log);
    for (int i = 0; i < t->nconstraint; i++)
        if (x->broken[i])
            diag_say(stderr, DIAG_NOTE, "%s: needs %s", t->constraint[i].why, expr_text(t->constraint[i].need));
    if (n && !r->o->json)
        quote_printf(stderr, "%.*s\n(these are lines of what --dump source prints)\n",
                     (int)(x->log[n - 1] == '\n' ? n - 1 : n), x->log);
    return run_fails(r, EXIT_FAILED, "%s%s %s: %s", function_words(x), words_candidate(r->a, x->c), words[x->status],
                     x->why);
}

/* ---- the way through it ---- */

/* Like site_find, but where the GPU of a named target is not there, the emulator takes its place. */
static bool find_site(Run *r, const Job *job, Site *site)
{
    if (site_find(r, job, false, site))
        return true;
    const char *why = r->err;
    r->err = NULL;
    if (*r->stop || !site_find(r, job, true, site))
        return false;
    if (!r->o->quiet)
        diag_say(stderr, DIAG_NOTE, "%s: the emulator takes its place", why);
    return true;
}

static bool try_device(Run *r, const Job *job, const Site *site, Tools *t)
{
    const Device *device = tools_device(r, site, t);
    const Target *target = job_target(r->a, job, device, &r->err);
    if (!target)
        return run_fails(r, EXIT_USAGE, "%s", r->err);
    const UnitContext u = job_unit(r->a, job, device, target);
    const Space *space = tried_space(r, job, &u);
    if (!space)
        return false;
    Try x = { .run = r,
              .job = job,
              .unit = &u,
              .c = &space->general[0],
              .tools = t,
              .modelled = site->modelled,
              .why = "",
              .log = "" };
    const bool right = check_constraints(&x) && check_build(&x) && run_kernel(&x) && read_known(&x);
    if (*r->stop || r->err) /* it is not its fault */
        return false;
    if (r->o->json)
        print_json(&x);
    else if (right)
        print_table(&x);
    return right || fail_kernel(&x);
}

static bool try_job(Run *r, const Job *job)
{
    Site site;
    Tools t = { 0 };
    r->code = EXIT_ENVIRONMENT;
    const bool ok = find_site(r, job, &site) && tools_open(r, job, &site, &t) && try_device(r, job, &site, &t);
    if (!ok)
        run_say(r);
    tools_close(r, &t);
    return ok;
}

bool try_kernel(Run *r)
{
    const Workload *w = tried_workload(r);
    if (!w || !op_files_check(r, w))
        return false;
    bool all = true;
    for (int i = 0; i < w->njob; i++) {
        const bool right = try_job(r, &w->job[i]);
        if (!right && r->code != EXIT_FAILED)
            return false;
        all = all && right;
    }
    r->code = EXIT_FAILED;
    return all;
}
