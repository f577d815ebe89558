/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: asks a runner for times and for limits. Its answers are not trusted, as a kernel that is measured may write
 * to the runner's socket too. When anything goes wrong, the runner is killed, the kernel of its last `begin` gets the
 * blame, and a new runner is asked for the others.
 */
#include "search/measure/runner_private.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include "gen/base/json.h"
#include "gen/base/text.h"
#include "gen/spec/op_said.h"
#include "search/record/samples.h"

enum {
    MAX_LOST = 2, /* tries in a row that failed through no kernel's fault; then nothing can be measured */
    LAST_WORDS_BYTES = 250
};
static const double LIMIT_DEADLINE_S = 10; /* on top of the time that a request for limits allows */

/* One measure() call: what is asked, and how far it is. */
typedef struct {
    Runner *r;
    Arena *a;
    const MeasureRequest *q;
    const char *const *key, *const *so;
    int n;
    MeasureRecord *out;
    bool *done;          /* one a kernel: it is settled, its record is complete */
    int repeats;         /* of the request under way */
    int *asked, nasked;  /* kernels of the request under way */
    int culprit;         /* the kernel of the last `begin`; -1: none yet */
    const char *phase;   /* what the runner does, for messages */
    const char *lacking; /* what the machine lacks at the moment for the request as a whole; NULL: nothing */
    const volatile int *stop;
} Exchange;

static void settle(Exchange *s, int i, Status status, Blame blame, const char *why)
{
    s->out[i].status = status;
    s->out[i].why = why;
    s->out[i].blame = blame;
    s->done[i] = true;
}

static void settle_rest(Exchange *s, Status status, const char *why)
{
    for (int i = 0; i < s->n; i++)
        if (!s->done[i])
            settle(s, i, status, BLAME_CANDIDATE, why);
}

static void clear_records(Exchange *s)
{
    const int naxis = s->r->op->ngiven;
    int64_t *extent = ARENA_ARRAY(s->a, (size_t)naxis, int64_t);
    memcpy(extent, s->q->extent, (size_t)naxis * sizeof *extent);
    for (int i = 0; i < s->n; i++)
        s->out[i] = (MeasureRecord){ .key = s->key[i],
                                     .device = s->r->device.id,
                                     .naxis = naxis,
                                     .extent = extent,
                                     .threads = s->q->threads,
                                     .status = STATUS_INVALID,
                                     .why = "interrupted" };
}

/* Lists the kernels that are not settled. *keep becomes the place of MeasureRequest.keep in the list; -1: it is not
 * there. */
static json_t *list_unsettled(Exchange *s, int *keep)
{
    json_t *kernels = json_array();
    s->nasked = 0;
    *keep = -1;
    for (int i = 0; i < s->n; i++) {
        if (s->done[i])
            continue;
        *keep = i == s->q->keep ? s->nasked : *keep;
        s->asked[s->nasked++] = i;
        json_array_append_new(kernels, json_pack("{s:s, s:s}", "key", s->key[i], "so", s->so[i]));
    }
    return kernels;
}

/* An operand's extents and strides, outermost first. False: one overflows. */
static bool lay_out(const Exchange *s, int operand, int64_t *extent, int64_t *stride)
{
    int64_t step = 1;
    for (int k = s->r->layout[operand]->rank - 1; k >= 0; k--) {
        stride[k] = step;
        if (expr_int_at(s->r->layout[operand]->extent[k], s->q->extent, &extent[k]) != EXPR_OK ||
            __builtin_mul_overflow(step, extent[k], &step) || __builtin_add_overflow(step, s->q->gap, &step))
            return false;
    }
    return true;
}

static json_t *integers(const int64_t *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_integer(v[i]));
    return list;
}

/* Adds the strides of strided operands behind a call's extents, and to `apart` those that lie with gaps. False: one
 * overflows. */
static bool add_strides(const Exchange *s, json_t *extent, json_t *apart)
{
    const Op *op = s->r->op;
    for (int i = 0; i < op->noperand; i++) {
        const int rank = s->r->layout[i]->rank;
        int64_t along[OP_MAX_RANK], stride[OP_MAX_RANK];
        if (!op->operand[i].strided)
            continue;
        if (!lay_out(s, i, along, stride))
            return false;
        json_t *strides = integers(stride, rank - 1);
        json_array_extend(extent, strides);
        if (s->q->gap && rank > 1)
            json_array_append_new(apart, JSON_OBJECT(FIELD("operand", i), FIELD("extents", integers(along, rank)),
                                                     FIELD("strides", json_incref(strides))));
        json_decref(strides);
    }
    return true;
}

/* An operand's k-th extent; 0 where it cannot be computed, which the operand's size reports. */
static int64_t extent_along(const Exchange *s, int operand, int k)
{
    int64_t along = 0;
    return expr_int_at(s->r->layout[operand]->extent[k], s->q->extent, &along) == EXPR_OK ? along : 0;
}

/* The extents of the output, outermost first. */
static json_t *output_extents(const Exchange *s)
{
    json_t *list = json_array();
    int out = 0;
    while (s->r->op->operand[out].role != ROLE_OUT)
        out++;
    for (int k = 0; k < s->r->layout[out]->rank; k++)
        json_array_append_new(list, json_integer(extent_along(s, out, k)));
    return list;
}

/* Adds the lengths of operands' rows, and how extents are divided into parts, where an operand has rows or parts. */
static void add_parts(const Exchange *s, json_t *request)
{
    const Op *op = s->r->op;
    int64_t row[OP_MAX_OPERAND];
    if (!op_has_parts(op))
        return;
    for (int i = 0; i < op->noperand; i++) {
        const int64_t along = extent_along(s, i, s->r->layout[i]->rank - 1);
        row[i] = along > 1 ? along : 1;
    }
    JSON_SET(request, FIELD("along", integers(row, op->noperand)));
    JSON_SET(request, FIELD("way", s->q->way));
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

/* The request for all kernels that are not settled, as a line. NULL: a size cannot be computed. */
static char *request_line(Exchange *s)
{
    const MeasureRequest *q = s->q;
    const Op *op = s->r->op;
    int64_t rows = 0, row_elems = 0;
    double flops = 0;
    int keep;
    bool good = expr_int_at(op->rows, q->extent, &rows) == EXPR_OK &&
                expr_int_at(op->row_elems, q->extent, &row_elems) == EXPR_OK &&
                expr_real_at(op->flops, q->extent, &flops) == EXPR_OK;
    json_t *extent = json_array(), *elems = json_array(), *apart = json_array();
    json_t *kernels = list_unsettled(s, &keep);
    for (int i = 0; i < op->nextent; i++)
        json_array_append_new(extent, json_integer(q->extent[i]));
    good = add_strides(s, extent, apart) && good;
    for (int i = 0; i < op->noperand; i++) {
        int64_t n = 0;
        good = good && expr_int_at(op->operand[i].elems, q->extent, &n) == EXPR_OK;
        json_array_append_new(elems, json_integer(n));
    }
    json_t *request =
        JSON_OBJECT(FIELD("extent", extent), FIELD("elems", elems), FIELD("rows", rows), FIELD("row_elems", row_elems),
                    FIELD("flops", fmax(flops, 0)), FIELD("out_extents", output_extents(s)), FIELD("cmd", "measure"),
                    FIELD("id", s->r->last_id), FIELD("threads", q->threads), FIELD("repeats", s->repeats),
                    FIELD("sample_ns", q->sample_ns), FIELD("max_ns", q->max_ns), FIELD("hot", (bool)!q->cold),
                    FIELD("kernels", kernels));
    if (q->drop > 0)
        JSON_SET(request, FIELD("drop", q->drop));
    if (q->keep >= 0)
        JSON_SET(request, FIELD("keep", keep));
    if (json_array_size(apart) > 0)
        JSON_SET(request, FIELD("apart", json_incref(apart)));
    json_decref(apart);
    if (q->count)
        JSON_SET(request, FIELD("count", (bool)true));
    if (q->data)
        JSON_SET(request, FIELD("data", q->data));
    add_parts(s, request);
    if (q->smem_limit > 0)
        JSON_SET(request, FIELD("smem_limit", q->smem_limit));
    char *line = runner_line(s->a, request);
    return good ? line : NULL;
}

/* ---- answers */

/* The kernel that an event is about, -1: none of those asked for. */
static int kernel_of(const Exchange *s, const json_t *event)
{
    json_int_t id, kernel;
    if (json_unpack((json_t *)event, "{s:I, s:I}", "id", &id, "kernel", &kernel) != 0)
        return -1;
    return id == s->r->last_id && kernel >= 0 && kernel < s->nasked ? s->asked[kernel] : -1;
}

static bool take_begin(Exchange *s, const json_t *event)
{
    const char *phase = json_string_value(json_object_get(event, "phase"));
    s->culprit = kernel_of(s, event);
    s->phase = phase && strcmp(phase, "time") == 0 ? "timing"
               : s->q->gap                         ? "verifying on operands that lie with gaps"
               : s->q->data                        ? "verifying on rows of all kinds"
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
    MeasureRecord *m = &s->out[i];
    double max_err = json_number_value(json_object_get(event, "max_err"));
    if (!isfinite(max_err) || !take_samples(s->a, m, json_object_get(event, "ns")))
        return false;
    if (status == STATUS_OK && ((!(max_err <= 1) && !s->q->data) || (m->nsample == 0) != (s->repeats == 0)))
        return false;
    m->max_err = max_err;
    m->cold_ns = runner_rate(event, "cold_ns");
    take_facts(s->a, m, json_object_get(event, "facts"));
    const char *why = runner_text(s->a, event, "why");
    settle(s, i, status, status == STATUS_INVALID ? blame_text(why, NULL) : BLAME_CANDIDATE, why);
    return true;
}

static bool all_settled(const Exchange *s)
{
    int i = 0;
    while (i < s->n && s->done[i])
        i++;
    return i == s->n;
}

static bool take_done(Exchange *s, const json_t *event)
{
    return json_integer_value(json_object_get(event, "id")) == s->r->last_id && all_settled(s);
}

/* The request as a whole failed: no runner takes a size in it, or this machine lacks something. */
static bool take_error(Exchange *s, const json_t *event)
{
    const char *why = runner_text(s->a, event, "text");
    if (blame_text(why, NULL) == BLAME_CANDIDATE)
        settle_rest(s, STATUS_INVALID, why);
    else
        s->lacking = why;
    return true;
}

/* Asks for all kernels that are not settled and takes the answers. HEARD: all are settled, or s->lacking says why
 * not. */
static RunnerAnswer ask_once(Exchange *s)
{
    static const struct {
        const char *name;
        bool (*take)(Exchange *, const json_t *);
        bool last;
    } events[] = { { "begin", take_begin, false },
                   { "result", take_result, false },
                   { "done", take_done, true },
                   { "error", take_error, true } };
    const size_t nevent = LENGTH(events);
    s->r->last_id++;
    s->culprit = -1;
    s->phase = "preparing the operands and the reference's result";
    const char *line = request_line(s);
    if (!line || strlen(line) > LINE_MAX_BYTES) {
        settle_rest(s, STATUS_INVALID, line ? "the request is too long" : "a size overflows 64 bits");
        return HEARD;
    }
    RunnerAnswer answer = runner_send(s->r, line, s->q->deadline_s, s->stop);
    json_t *event;
    while (answer == HEARD && (answer = runner_hear(s->r, s->q->deadline_s, s->stop, &event)) == HEARD) {
        size_t i = 0;
        while (i < nevent && !runner_says(event, events[i].name))
            i++;
        bool good = i < nevent && events[i].take(s, event);
        json_decref(event);
        if (!good)
            return NONSENSE;
        if (events[i].last)
            return HEARD;
    }
    return answer;
}

/* What the runner said of its own end in the last line of its stderr, behind its name: ": verifying ..."; "" if it is
 * not UTF-8, or not there. */
static const char *last_words(const Exchange *s)
{
    const char *text = text_str(&s->r->child.said[2].text), *line = text + strlen(text);
    while (line > text && (line[-1] != '\n' || !line[0] || line[0] == '\n')) /* back over empty lines too */
        line--;
    const char *words = strncmp(line, "dcgen-runner-", 13) == 0 ? strstr(line, ": ") : NULL;
    const size_t len = words ? strcspn(words, "\n") : 0;
    json_t *utf8 = json_stringn(words, len < LAST_WORDS_BYTES ? len : LAST_WORDS_BYTES);
    const char *said = utf8 ? arena_strdup(s->a, json_string_value(utf8)) : "";
    json_decref(utf8);
    return said;
}

/* Ends the runner and says what became of the kernel that it was at: its status, the reason, and whose fault that
 * is. */
static Status judge_end(Exchange *s, RunnerAnswer answer, const char **why, Blame *blame)
{
    const bool ended = answer == DEAD && runner_await(s->r, runner_patience_s);
    const int wait_status = runner_end(s->r, 0);
    *blame = BLAME_CANDIDATE;
    if (ended && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0)
        *blame = blame_text(text_str(&s->r->child.said[2].text), NULL);
    else if (ended)
        *blame = blame_end(wait_status);
    if (answer == SILENT)
        *why = arena_printf(s->a, "silent for %.3g s while %s", s->q->deadline_s, s->phase);
    else if (answer == NONSENSE)
        *why = arena_printf(s->a, "the runner talked nonsense while %s", s->phase);
    else if (ended)
        *why = arena_printf(s->a, "%s while %s%s", process_status_text(s->a, wait_status), s->phase,
                            WIFEXITED(wait_status) ? last_words(s) : "");
    else
        *why = arena_printf(s->a, "closed the protocol while %s", s->phase);
    return answer == SILENT ? STATUS_TIMED_OUT : STATUS_CRASHED;
}

/* Says that nothing can be measured on this shape: with that the whole run ends. */
static bool give_up(const Exchange *s, const char *why, const char **err)
{
    *err = arena_printf(s->a, "the runner cannot measure %s: %s", op_said_call(s->a, s->r->op, s->q->extent, "=", " "),
                        why);
    return false;
}

/* Asks until all kernels are settled. One that brings a runner down is settled by that, and the others go to the next
 * runner. A try that fails through no kernel's fault is made once more, by a new runner; if that fails too, nothing can
 * be measured on this shape. */
static bool ask_all(Exchange *s, const char **err)
{
    for (int lost = 0;;) {
        const char *why;
        Blame blame;
        s->lacking = NULL;
        if (!runner_ensure(s->r, s->a, s->stop, err))
            return false;
        const RunnerAnswer answer = ask_once(s);
        if (answer == HEARD && !s->lacking)
            return true;
        const Status status = judge_end(s, answer, &why, &blame);
        if (answer == STOPPED) {
            *err = "interrupted";
            return false;
        }
        if (!s->lacking && s->culprit >= 0 && !s->done[s->culprit]) {
            settle(s, s->culprit, blame == BLAME_CANDIDATE ? status : STATUS_INVALID, blame, why);
            lost = 0;
            if (all_settled(s))
                return true;
        } else if (++lost >= MAX_LOST) {
            return give_up(s, s->lacking ? s->lacking : why, err);
        }
    }
}

/* Measures all; then each kernel that failed because the machine lacked something is verified again alone, by a new
 * runner. It is not timed then, as a time without other kernels beside it would say nothing. */
static bool measure_all(Exchange *s, const char **err)
{
    if (!ask_all(s, err))
        return false;
    s->repeats = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->out[i].blame == BLAME_CANDIDATE)
            continue;
        runner_end(s->r, 0);
        s->done[i] = false;
        if (!ask_all(s, err))
            return false;
        if (s->out[i].blame == BLAME_MACHINE)
            return give_up(s, s->out[i].why, err);
    }
    return true;
}

/* Sets the time that counts of each kernel's samples. All kernels of a request go by one rule (samples_time), which the
 * time of the kept kernel, or else of the fastest, decides. */
static void set_times(const MeasureRequest *q, MeasureRecord *out, int n)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (out[i].nsample > 0)
            least = fmin(least, samples_least(out[i].ns, out[i].nsample));
    if (q->keep >= 0 && q->keep < n && out[q->keep].nsample > 0)
        least = samples_least(out[q->keep].ns, out[q->keep].nsample);
    for (int i = 0; i < n; i++)
        out[i].time_ns = samples_time(out[i].ns, out[i].nsample, least <= SAMPLES_REST_NS);
}

bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stop, const char **err)
{
    Exchange s = { .r = r,
                   .a = a,
                   .q = q,
                   .key = key,
                   .so = so,
                   .n = n,
                   .out = out,
                   .repeats = is_empty(r->op, q->extent) ? 0 : q->repeats,
                   .stop = stop };
    s.done = ARENA_ARRAY(a, (size_t)n + 1, bool);
    s.asked = ARENA_ARRAY(a, (size_t)n + 1, int);
    clear_records(&s);
    if (n > 0 && !measure_all(&s, err))
        return false;
    set_times(q, out, n);
    return true;
}

/* ---- limits */

static bool take_limits(const Runner *r, const LimitRequest *q, const json_t *event, LimitRecord *out)
{
    const json_t *list = json_object_get(event, "limits");
    if (!runner_says(event, "limits") || json_integer_value(json_object_get(event, "id")) != r->last_id ||
        json_array_size(list) != (size_t)q->nthread)
        return false;
    for (int i = 0; i < q->nthread; i++) {
        const json_t *said = json_array_get(list, (size_t)i), *rates = json_object_get(said, "bytes_per_s");
        out[i] = (LimitRecord){ .device = r->device.id,
                                .target = q->target,
                                .dtype = q->dtype,
                                .threads = q->threads[i],
                                .flops_per_s = runner_rate(said, "flops_per_s"),
                                .clock_mhz = runner_rate(said, "clock_mhz"),
                                .launch_ns = runner_rate(said, "launch_ns"),
                                .handover_ns = runner_rate(said, "handover_ns") };
        for (Level level = 0; level < LEVEL_COUNT; level++)
            out[i].bytes_per_s[level] = runner_rate(rates, level_name(level));
        if (json_integer_value(json_object_get(said, "threads")) != q->threads[i] || out[i].flops_per_s <= 0)
            return false;
    }
    return true;
}

bool limit_measure(Runner *r, Arena *a, const LimitRequest *q, LimitRecord *out, int *n, const volatile int *stop,
                   const char **err)
{
    json_t *event = NULL, *threads = json_array();
    for (int i = 0; i < q->nthread; i++)
        json_array_append_new(threads, json_integer(q->threads[i]));
    json_t *request =
        json_pack("{s:s, s:I, s:s, s:s, s:o, s:f, s:s*}", "cmd", "limits", "id", (json_int_t)++r->last_id, "target",
                  q->target, "dtype", q->dtype, "threads", threads, "max_ns", q->max_ns, "so", q->so);
    const char *unused, *line = runner_line(a, request);
    *n = 0;
    if (!line || !runner_ensure(r, a, stop, &unused)) {
        const bool stopped = stop && *stop;
        *err = stopped ? "interrupted" : *err;
        return !stopped;
    }
    const double deadline_s = LIMIT_DEADLINE_S + q->max_ns * 1e-9;
    RunnerAnswer answer = runner_send(r, line, deadline_s, stop);
    if (answer == HEARD)
        answer = runner_hear(r, deadline_s, stop, &event);
    if (take_limits(r, q, event, out))
        *n = q->nthread;
    else if (!runner_says(event, "error")) /* any other answer would be taken for one to the next request */
        runner_end(r, 0);
    json_decref(event);
    if (answer == STOPPED)
        *err = "interrupted";
    return answer != STOPPED;
}
