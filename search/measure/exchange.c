/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange: asks a runner for what a request wants, and takes its answers. They are not trusted, as a kernel that is
 * measured may write to the runner's socket too. When anything goes wrong, the runner is killed, the kernel of its last
 * `begin` gets the blame, and a new runner is asked for the others.
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include "gen/spec/op_shown.h"
#include "search/measure/runner_private.h"
#include "search/record/samples.h"

enum {
    MAX_LOST = 2, /* tries in a row that failed through no kernel's fault; then nothing can be measured */
    LAST_WORDS_BYTES = 250
};
static const double LIMIT_DEADLINE_S = 10; /* on top of the time that a request for limits allows */

struct Exchange {
    Runner *r;
    Request *q;
    bool asked;          /* the runner has the request; else it is to be made ready */
    int repeats;         /* of what is under way */
    int alone;           /* the kernel that is verified again alone; -1: it was not begun with that */
    int lost;            /* tries in a row that failed through no kernel's fault */
    bool *done;          /* one a kernel: it is finished, its record is complete */
    int *which, nwhich;  /* kernels that are asked for just now */
    int culprit;         /* the kernel of the last `begin`; -1: none yet */
    const char *phase;   /* what the runner does, for messages */
    const char *lacking; /* what the machine lacks at the moment for the request as a whole; NULL: nothing */
};

static void finish(Exchange *s, int i, Status status, Blame blame, const char *why)
{
    s->q->out[i].status = status;
    s->q->out[i].why = why;
    s->q->out[i].blame = blame;
    s->done[i] = true;
}

static void finish_others(Exchange *s, Status status, const char *why)
{
    for (int i = 0; i < s->q->kernel.n; i++)
        if (!s->done[i])
            finish(s, i, status, BLAME_CANDIDATE, why);
}

/* True where a call has no result: then no kernel is called, and there are no times. */
static bool is_empty(const Op *op, const int64_t *extent)
{
    int64_t elems = 1;
    for (int i = 0; i < op->noperand; i++)
        if (op->operand[i].role == ROLE_OUT && expr_int_at(op->operand[i].elems, extent, &elems) != EXPR_OK)
            elems = 1;
    return elems == 0;
}

static void clear_records(const Exchange *s)
{
    const Request *q = s->q;
    const int naxis = s->r->op->ngiven;
    int64_t *extent = ARENA_ARRAY(q->arena, (size_t)naxis, int64_t);
    memcpy(extent, q->measure.extent, (size_t)naxis * sizeof *extent);
    for (int i = 0; i < q->kernel.n; i++)
        q->out[i] = (MeasureRecord){ .key = q->kernel.key[i],
                                     .device = s->r->device.id,
                                     .naxis = naxis,
                                     .extent = extent,
                                     .threads = q->measure.threads,
                                     .status = STATUS_INVALID,
                                     .why = "interrupted" };
}

/* ---- answers */

/* The kernel that an event is about, -1: none of those asked for. */
static int kernel_of(const Exchange *s, const json_t *event)
{
    json_int_t id, kernel;
    if (json_unpack((json_t *)event, "{s:I, s:I}", "id", &id, "kernel", &kernel) != 0)
        return -1;
    return id == s->r->last_id && kernel >= 0 && kernel < s->nwhich ? s->which[kernel] : -1;
}

static bool take_begin(Exchange *s, const json_t *event)
{
    const char *phase = json_string_value(json_object_get(event, "phase"));
    s->culprit = kernel_of(s, event);
    s->phase = phase && strcmp(phase, "time") == 0 ? "timing"
               : s->q->measure.gap                 ? "verifying on operands that lie with gaps"
               : s->q->measure.data                ? "verifying on rows of all kinds"
                                                   : "verifying";
    return s->culprit >= 0;
}

static bool take_samples(Arena *a, MeasureRecord *m, const json_t *ns)
{
    size_t count = json_array_size(ns);
    if (count > RECORD_MAX_SAMPLE)
        return false;
    double *sample = ARENA_ARRAY(a, count, double);
    for (size_t i = 0; i < count; i++) {
        sample[i] = json_number_value(json_array_get(ns, i));
        if (!(isfinite(sample[i]) && sample[i] > 0))
            return false;
    }
    m->ns = sample;
    m->nsample = (int)count;
    return true;
}

/* Takes what the emulator counted, but for what is no whole number. */
static void take_facts(Arena *a, MeasureRecord *m, json_t *facts)
{
    const char *name;
    json_t *value;
    Param *fact = ARENA_ARRAY(a, RECORD_MAX_FACT, Param);
    m->fact = fact;
    json_object_foreach(facts, name, value) if (json_is_integer(value) && m->nfact < RECORD_MAX_FACT) fact[m->nfact++] =
        (Param){ arena_strndup(a, name, 64), json_integer_value(value) };
}

static bool take_result(Exchange *s, const json_t *event)
{
    int i = kernel_of(s, event);
    const char *name = json_string_value(json_object_get(event, "status"));
    Status status = name ? status_find(name) : STATUS_COUNT;
    if (i < 0 || s->done[i] || (status != STATUS_OK && status != STATUS_WRONG && status != STATUS_INVALID))
        return false;
    MeasureRecord *m = &s->q->out[i];
    double max_err = json_number_value(json_object_get(event, "max_err"));
    if (!isfinite(max_err) || !take_samples(s->q->arena, m, json_object_get(event, "ns")))
        return false;
    if (status == STATUS_OK && ((!(max_err <= 1) && !s->q->measure.data) || (m->nsample == 0) != (s->repeats == 0)))
        return false;
    m->max_err = max_err;
    m->cold_ns = runner_rate(event, "cold_ns");
    take_facts(s->q->arena, m, json_object_get(event, "facts"));
    const char *why = runner_text(s->q->arena, event, "why");
    finish(s, i, status, status == STATUS_INVALID ? blame_text(why, NULL) : BLAME_CANDIDATE, why);
    return true;
}

static bool all_done(const Exchange *s)
{
    int i = 0;
    while (i < s->q->kernel.n && s->done[i])
        i++;
    return i == s->q->kernel.n;
}

static bool take_done(Exchange *s, const json_t *event)
{
    return json_integer_value(json_object_get(event, "id")) == s->r->last_id && all_done(s);
}

/* The request as a whole failed: no runner takes a size in it, or this machine lacks something. */
static bool take_error(Exchange *s, const json_t *event)
{
    const char *why = runner_text(s->q->arena, event, "text");
    if (blame_text(why, NULL) == BLAME_CANDIDATE)
        finish_others(s, STATUS_INVALID, why);
    else
        s->lacking = why;
    return true;
}

/* Takes an answer; false: it is none. *last: it was the last one of the request. */
static bool take_event(Exchange *s, const json_t *event, bool *last)
{
    static const struct {
        const char *name;
        bool (*take)(Exchange *, const json_t *);
        bool last;
    } events[] = { { "begin", take_begin, false },
                   { "result", take_result, false },
                   { "done", take_done, true },
                   { "error", take_error, true } };
    size_t i = 0;
    while (i < LENGTH(events) && !runner_says(event, events[i].name))
        i++;
    *last = i < LENGTH(events) && events[i].last;
    return i < LENGTH(events) && events[i].take(s, event);
}

/* ---- the end of a runner */

/* What the runner wrote of its end in stderr's last line, behind its name: ": verifying ..."; "": none, or not
 * UTF-8. */
static const char *last_words(const Exchange *s)
{
    const char *text = text_str(&s->r->child.output[2].text), *line = text + strlen(text);
    while (line > text && (line[-1] != '\n' || !line[0] || line[0] == '\n')) /* back over empty lines too */
        line--;
    const char *words = strncmp(line, "dcgen-runner-", 13) == 0 ? strstr(line, ": ") : NULL;
    const size_t len = words ? strcspn(words, "\n") : 0;
    json_t *utf8 = json_stringn(words, len < LAST_WORDS_BYTES ? len : LAST_WORDS_BYTES);
    const char *end = utf8 ? arena_strdup(s->q->arena, json_string_value(utf8)) : "";
    json_decref(utf8);
    return end;
}

/* Ends the runner and says what became of the kernel that it was at: status, reason, and whose fault it is. */
static Status judge_end(Exchange *s, RunnerAnswer answer, const char **why, Blame *blame)
{
    const bool ended = answer == DEAD && child_has_ended(&s->r->child);
    const int wait_status = runner_end(s->r);
    *blame = BLAME_CANDIDATE;
    if (ended && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0)
        *blame = blame_text(text_str(&s->r->child.output[2].text), NULL);
    else if (ended)
        *blame = blame_end(wait_status);
    if (answer == SILENT)
        *why = arena_printf(s->q->arena, "silent for %.3g s while %s", s->q->measure.deadline_s, s->phase);
    else if (answer == NONSENSE)
        *why = arena_printf(s->q->arena, "the runner talked nonsense while %s", s->phase);
    else if (ended)
        *why = arena_printf(s->q->arena, "%s while %s%s", process_status_text(s->q->arena, wait_status), s->phase,
                            WIFEXITED(wait_status) ? last_words(s) : "");
    else
        *why = arena_printf(s->q->arena, "closed the protocol while %s", s->phase);
    return answer == SILENT ? STATUS_TIMED_OUT : STATUS_CRASHED;
}

/* Says that nothing can be measured on this shape: with that the whole run ends. */
static Step give_up(const Exchange *s, const char *why, const char **err)
{
    *err = arena_printf(s->q->arena, "the runner cannot measure %s: %s",
                        op_shown_call(s->q->arena, s->r->op, s->q->measure.extent, "=", " "), why);
    return STEP_FAILED;
}

/* ---- from kernel to kernel */

/* Sets the time that counts of each kernel's samples. All kernels of a request go by one rule (samples_time), which the
 * time of the kept kernel, or else of the fastest, decides. */
static void set_times(const Request *q)
{
    const MeasureRecord *out = q->out;
    const int n = q->kernel.n, keep = q->measure.keep;
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (out[i].nsample > 0)
            least = fmin(least, samples_least(out[i].ns, out[i].nsample));
    if (keep >= 0 && keep < n && out[keep].nsample > 0)
        least = samples_least(out[keep].ns, out[keep].nsample);
    for (int i = 0; i < n; i++)
        q->out[i].time_ns = samples_time(out[i].ns, out[i].nsample, least <= SAMPLES_UNDISTURBED_NS);
}

/* The runner is to be made ready, and then asked for the kernels that are not done. */
static Step begin_try(Exchange *s)
{
    s->asked = false;
    s->lacking = NULL;
    runner_want(s->r);
    return STEP_ON;
}

/* All kernels are done. Each that failed because the machine lacked something is verified again alone, by a new
 * runner. It is not timed then, as a time without other kernels beside it would say nothing. */
static Step go_on_alone(Exchange *s, const char **err)
{
    const Request *q = s->q;
    if (s->alone >= 0 && q->out[s->alone].blame == BLAME_MACHINE)
        return give_up(s, q->out[s->alone].why, err);
    do
        s->alone++;
    while (s->alone < q->kernel.n && q->out[s->alone].blame == BLAME_CANDIDATE);
    if (s->alone >= q->kernel.n) {
        set_times(q);
        return STEP_OVER;
    }
    runner_end(s->r);
    s->done[s->alone] = false;
    s->repeats = s->lost = 0;
    return begin_try(s);
}

/* One that brings a runner down is done with that, and the others go to the next runner. A try that fails through no
 * kernel's fault is made once more, by a new runner; if that fails too, nothing can be measured on this shape. */
static Step lose_runner(Exchange *s, RunnerAnswer answer, const char **err)
{
    const char *why;
    Blame blame;
    const Status status = judge_end(s, answer, &why, &blame);
    if (!s->lacking && s->culprit >= 0 && !s->done[s->culprit]) {
        finish(s, s->culprit, blame == BLAME_CANDIDATE ? status : STATUS_INVALID, blame, why);
        s->lost = 0;
        return all_done(s) ? go_on_alone(s, err) : begin_try(s);
    }
    return ++s->lost < MAX_LOST ? begin_try(s) : give_up(s, s->lacking ? s->lacking : why, err);
}

static Step ask_measure(Exchange *s, const char **err)
{
    s->r->last_id++;
    s->nwhich = 0;
    for (int i = 0; i < s->q->kernel.n; i++)
        if (!s->done[i])
            s->which[s->nwhich++] = i;
    s->culprit = -1;
    s->phase = "preparing the operands and the reference's result";
    const char *line = request_measure_line(s->r, s->q, s->repeats, s->which, s->nwhich);
    if (!line || strlen(line) > LINE_MAX_BYTES) {
        finish_others(s, STATUS_INVALID, line ? "the request is too long" : "a size overflows 64 bits");
        return go_on_alone(s, err);
    }
    runner_say(s->r, line, s->q->measure.deadline_s);
    s->asked = true;
    return STEP_ON;
}

static Step hear_measure(Exchange *s, RunnerAnswer answer, const json_t *event, const char **err)
{
    bool last = false;
    if (answer == HEARD && !take_event(s, event, &last))
        answer = NONSENSE;
    if (answer == HEARD && !last)
        return STEP_ON;
    return answer == HEARD && !s->lacking ? go_on_alone(s, err) : lose_runner(s, answer, err);
}

/* ---- limits */

static bool take_limits(const Runner *r, Request *request, const json_t *event)
{
    const LimitRequest *q = &request->limits;
    const json_t *list = json_object_get(event, "limits");
    if (!runner_says(event, "limits") || json_integer_value(json_object_get(event, "id")) != r->last_id ||
        json_array_size(list) != (size_t)q->nthread)
        return false;
    for (int i = 0; i < q->nthread; i++) {
        const json_t *answer = json_array_get(list, (size_t)i), *rates = json_object_get(answer, "bytes_per_s");
        request->limit[i] = (LimitRecord){ .device = r->device.id,
                                           .target = q->target,
                                           .dtype = q->dtype,
                                           .threads = q->threads[i],
                                           .flops_per_s = runner_rate(answer, "flops_per_s"),
                                           .clock_mhz = runner_rate(answer, "clock_mhz"),
                                           .launch_ns = runner_rate(answer, "launch_ns"),
                                           .handover_ns = runner_rate(answer, "handover_ns"),
                                           .reuse_flops_per_s = runner_rate(answer, "reuse_flops_per_s") };
        for (Level level = 0; level < LEVEL_COUNT; level++)
            request->limit[i].bytes_per_s[level] = runner_rate(rates, level_name(level));
        if (json_integer_value(json_object_get(answer, "threads")) != q->threads[i] ||
            request->limit[i].flops_per_s <= 0)
            return false;
    }
    return true;
}

static Step ask_limits(Exchange *s)
{
    s->r->last_id++;
    const char *line = request_limits_line(s->r, s->q);
    if (!line)
        return STEP_OVER;
    runner_say(s->r, line, LIMIT_DEADLINE_S + s->q->limits.max_ns * 1e-9);
    s->asked = true;
    return STEP_ON;
}

static Step hear_limits(Exchange *s, const json_t *event)
{
    if (take_limits(s->r, s->q, event))
        s->q->nlimit = s->q->limits.nthread;
    else if (!runner_says(event, "error")) /* any other answer would be taken for one to the next request */
        runner_end(s->r);
    return STEP_OVER;
}

Exchange *exchange_begin(Runner *r, Request *q)
{
    Exchange *s = ARENA_NEW(q->arena, Exchange);
    const size_t n = (size_t)q->kernel.n + 1;
    *s = (Exchange){ .r = r, .q = q, .alone = -1 };
    s->done = ARENA_ARRAY(q->arena, n, bool);
    s->which = ARENA_ARRAY(q->arena, n, int);
    q->out = ARENA_ARRAY(q->arena, n, MeasureRecord);
    q->limit = ARENA_ARRAY(q->arena, (size_t)q->limits.nthread + 1, LimitRecord);
    q->nlimit = 0;
    if (q->kernel.n) {
        s->repeats = is_empty(r->op, q->measure.extent) ? 0 : q->measure.repeats;
        clear_records(s);
    }
    begin_try(s);
    return s;
}

static Step ask(Exchange *s, RunnerAnswer ready, const char *why, const char **err)
{
    if (ready != HEARD && s->q->limits.nthread)
        return STEP_OVER;
    if (ready != HEARD) {
        *err = arena_printf(s->q->arena, "cannot start the runner %s: %s", s->r->command[0], why);
        return STEP_FAILED;
    }
    return s->q->limits.nthread ? ask_limits(s) : s->q->kernel.n ? ask_measure(s, err) : STEP_OVER;
}

Step exchange_step(Exchange *s, const char **err)
{
    const char *why = NULL;
    json_t *event = NULL;
    const RunnerAnswer answer = s->asked ? runner_hear(s->r, &event) : runner_ready(s->r, &why);
    const Step step = answer == WAITING          ? STEP_WAITS
                      : !s->asked                ? ask(s, answer, why, err)
                      : s->q->limits.nthread > 0 ? hear_limits(s, event)
                                                 : hear_measure(s, answer, event, err);
    json_decref(event);
    return step;
}
