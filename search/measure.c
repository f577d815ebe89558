/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: see measure.h. The runner sits at the other end of one socket that is both its stdin and stdout (a socket,
 * because a write to a dead one fails without a signal); its stderr is read and mostly dropped. Its answers are not
 * trusted: a kernel that is measured may write to that socket too. Whatever goes wrong, the runner is killed, the
 * kernel of its last `begin` is to blame, and the others are asked for again of a new runner.
 */
#define _GNU_SOURCE
#include "search/measure.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "search/lines.h"
#include "search/process.h"

enum { PROTOCOL = 1, MAX_STARTS = 3, MAX_LOST = 2, TICK_MS = 50, MAX_ISA = 8, WHY_MAX = 300 };
static const double start_s = 20, farewell_s = 0.5;

struct Runner {
    Arena *a;
    const char *const *command;
    const Op *op;
    const char *setup; /* the line that sets a new runner up */
    Device device;
    bool has_device;
    bool has_epilogue[OP_MAX_OPERAND];
    pid_t pid; /* 0: none runs */
    int fd;
    Lines lines;
    Capture *err;
    int64_t last_id;
};

/* What came of waiting for the runner. */
typedef enum { HEARD, DEAD, SILENT, NONSENSE, STOPPED } Outcome;

/* ---- talking */

/* Waits a tick for the runner to speak, or to listen; takes its stderr meanwhile. */
static short wait_tick(Runner *r, short events)
{
    struct pollfd fds[2] = { { .fd = r->fd, .events = events }, { .fd = r->err->fd, .events = POLLIN } };
    if (poll(fds, 2, TICK_MS) <= 0)
        return 0;
    capture_drain(r->err);
    return fds[0].revents;
}

static Outcome send_line(Runner *r, const char *line, double deadline_s, const volatile int *stop)
{
    size_t left = strlen(line);
    const double end = process_clock_s() + deadline_s;
    while (left > 0) {
        ssize_t sent = send(r->fd, line, left, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return DEAD;
        if (stop && *stop)
            return STOPPED;
        if (process_clock_s() > end)
            return SILENT;
        if (sent < 0) {
            wait_tick(r, POLLOUT);
            continue;
        }
        line += sent;
        left -= (size_t)sent;
    }
    return HEARD;
}

/* The next event, to be freed by json_decref when HEARD. */
static Outcome hear(Runner *r, double deadline_s, const volatile int *stop, json_t **event)
{
    const double end = process_clock_s() + deadline_s;
    for (;;) {
        char *line;
        size_t len;
        LineStatus status = lines_next(&r->lines, &line, &len);
        if (stop && *stop)
            return STOPPED;
        if (status == LINE_END)
            return DEAD;
        if (status != LINE_NONE) {
            *event = status == LINE_READY ? json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
            return *event ? HEARD : NONSENSE;
        }
        if (process_clock_s() > end)
            return SILENT;
        if (wait_tick(r, POLLIN))
            lines_fill(&r->lines);
    }
}

static bool is_event(const json_t *event, const char *name)
{
    const char *said = json_string_value(json_object_get(event, "event"));
    return said && strcmp(said, name) == 0;
}

static const char *event_text(Arena *a, const json_t *event, const char *field)
{
    const char *text = json_string_value(json_object_get(event, field));
    return text ? arena_strndup(a, text, strnlen(text, WHY_MAX)) : "";
}

/* ---- starting and ending */

/* Ends the runner, if one runs; its wait status. One that closed its end has a moment to die of itself: how is of
 * interest. */
static int end_runner(Runner *r, double patience_s)
{
    if (r->pid == 0)
        return 0;
    const double end = process_clock_s() + patience_s;
    while (!process_has_ended(r->pid) && process_clock_s() < end)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    int wait_status = process_end(r->pid);
    close(r->fd);
    lines_close(&r->lines);
    capture_drain(r->err);
    capture_close(r->err);
    r->pid = 0;
    return wait_status;
}

static bool spawn_runner(Runner *r)
{
    int ends[2], err_end = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    r->fd = ends[0];
    bool good = process_set_nonblocking(r->fd) && capture_open(r->err, &err_end) && lines_open(&r->lines, r->fd);
    pid_t pid = good ? process_spawn(r->command, NULL, ends[1], ends[1], err_end) : -1;
    int problem = errno;
    close(ends[1]);
    if (err_end >= 0)
        close(err_end);
    if (pid < 0) {
        close(r->fd);
        if (good) {
            lines_close(&r->lines);
            capture_close(r->err);
        }
    }
    r->pid = pid < 0 ? 0 : pid;
    errno = problem;
    return pid > 0;
}

bool device_of_json(Arena *a, const json_t *d, Device *out)
{
    json_t *isa;
    const char *id, *name, *arch;
    json_int_t l1, l2, l3;
    int cores;
    if (json_unpack((json_t *)d, "{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:o}", "id", &id, "name", &name, "arch", &arch,
                    "cores", &cores, "l1_bytes", &l1, "l2_bytes", &l2, "l3_bytes", &l3, "isa", &isa) != 0)
        return false;
    *out = (Device){ .id = arena_strdup(a, id),
                     .name = arena_strdup(a, name),
                     .arch = arena_strdup(a, arch),
                     .cores = cores,
                     .l1_bytes = l1,
                     .l2_bytes = l2,
                     .l3_bytes = l3,
                     .compiler = "",
                     .flags = "" };
    for (size_t i = 0; i < json_array_size(isa) && out->nisa < MAX_ISA; i++) {
        const char *target = json_string_value(json_array_get(isa, i));
        out->isa[out->nisa++] = arena_strdup(a, target ? target : "");
    }
    return true;
}

static bool read_device(Runner *r, const json_t *hello, const char **why)
{
    int protocol;
    Device d;
    *why = "its hello is incomplete";
    if (json_unpack((json_t *)hello, "{s:i}", "protocol", &protocol) != 0)
        return false;
    if (protocol != PROTOCOL) {
        *why = arena_printf(r->a, "it speaks protocol %d, not %d", protocol, PROTOCOL);
        return false;
    }
    if (!device_of_json(r->a, json_object_get(hello, "device"), &d))
        return false;
    *why = "it runs on another device than before";
    if (r->has_device && strcmp(r->device.id, d.id) != 0)
        return false;
    if (!r->has_device)
        r->device = d;
    r->has_device = true;
    return true;
}

/* Why a runner that was just started is of no use. */
static const char *startup_problem(Runner *r, Outcome o)
{
    if (o == SILENT)
        return arena_printf(r->a, "says nothing for %g s", start_s);
    const char *end = process_status_text(r->a, end_runner(r, o == DEAD ? farewell_s : 0));
    if (o == NONSENSE)
        return "does not speak the runner protocol";
    size_t len = strcspn(r->err->text, "\n");
    return arena_printf(r->a, "%s%s%.*s", end, len ? ": " : "", (int)(len < WHY_MAX ? len : WHY_MAX), r->err->text);
}

/* Waits for one event of that name; NULL with *why set. */
static json_t *expect(Runner *r, const char *name, const volatile int *stop, const char **why)
{
    json_t *event = NULL;
    Outcome o = hear(r, start_s, stop, &event);
    if (o == HEARD && is_event(event, name))
        return event;
    if (o == STOPPED)
        *why = "interrupted";
    else if (o == HEARD && is_event(event, "error"))
        *why = event_text(r->a, event, "text");
    else
        *why = startup_problem(r, o == HEARD ? NONSENSE : o);
    json_decref(o == HEARD ? event : NULL);
    return NULL;
}

/* *again: another try may help. One that hangs will hang again, and each try takes start_s. */
static bool start_once(Runner *r, const volatile int *stop, const char **why, bool *again)
{
    const double began_s = process_clock_s();
    if (!spawn_runner(r)) {
        *why = strerror(errno);
        *again = false;
        return false;
    }
    json_t *hello = expect(r, "hello", stop, why);
    bool good = hello && read_device(r, hello, why);
    json_decref(hello);
    if (good && send_line(r, r->setup, start_s, stop) != HEARD) {
        *why = "it does not listen";
        good = false;
    }
    json_t *ready = good ? expect(r, "ready", stop, why) : NULL;
    json_decref(ready);
    if (!ready)
        end_runner(r, 0);
    *again = process_clock_s() - began_s < start_s;
    return ready != NULL;
}

static bool ensure_runner(Runner *r, Arena *a, const volatile int *stop, const char **err)
{
    const char *why = "";
    bool again = true;
    if (r->pid > 0 && process_has_ended(r->pid))
        end_runner(r, 0);
    for (int i = 0; r->pid == 0 && again && i < MAX_STARTS && !(stop && *stop); i++)
        start_once(r, stop, &why, &again);
    if (r->pid == 0 && stop && *stop)
        *err = "interrupted";
    else if (r->pid == 0)
        *err = arena_printf(a, "cannot start the runner %s: %s", r->command[0], why);
    return r->pid > 0;
}

/* ---- requests */

static char *line_of(Arena *a, json_t *request)
{
    char *text = request ? json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    char *line = text ? arena_printf(a, "%s\n", text) : NULL;
    free(text);
    json_decref(request);
    return line;
}

json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed)
{
    static const char *const roles[] = { [ROLE_IN] = "in", [ROLE_CONST] = "const", [ROLE_OUT] = "out" };
    json_t *operands = json_array();
    for (int i = 0; i < op->noperand; i++) {
        const Operand *o = &op->operand[i];
        json_array_append_new(operands, json_pack("{s:s, s:s, s:s}", "name", o->name, "role", roles[o->role], "dtype",
                                                  o->dtype ? o->dtype : dtype));
    }
    return json_pack("{s:s, s:s, s:I, s:o}", "cmd", "setup", "dtype", dtype, "seed", (json_int_t)seed, "operands",
                     operands);
}

static char *setup_line(Arena *a, const Op *op, const char *dtype, const char *reference_so, uint64_t seed)
{
    json_t *setup = runner_setup(op, dtype, seed), *path = json_string(reference_so);
    if (setup && path)
        json_object_set(setup, "reference", path);
    const bool whole = setup && path;
    json_decref(path);
    if (!whole) {
        json_decref(setup);
        return NULL;
    }
    return line_of(a, setup);
}

Runner *runner_start(Arena *a, const char *const *command, const Op *op, const char *dtype,
                     const char *const *epilogues, int nepilogue, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err)
{
    Runner *r = ARENA_NEW(a, Runner);
    int argc = 0;
    while (command[argc])
        argc++;
    const char **copy = ARENA_ARRAY(a, (size_t)argc + 1, const char *);
    for (int i = 0; i < argc; i++)
        copy[i] = arena_strdup(a, command[i]);
    *r = (Runner){ .a = a, .command = copy, .op = op, .err = ARENA_NEW(a, Capture) };
    for (int i = 0; i < op->noperand; i++)
        r->has_epilogue[i] = op_has_operand(&op->operand[i], epilogues, nepilogue);
    r->setup = setup_line(a, op, dtype, reference_so, seed);
    if (!r->setup) {
        *err = "the runner's setup is not UTF-8";
        return NULL;
    }
    return ensure_runner(r, a, stop, err) ? r : NULL;
}

const Device *runner_device(const Runner *r) { return &r->device; }

typedef struct {
    const Op *op;
    const int64_t *extent;
} Axes;

static bool axis_lookup(void *ctx, const char *name, int64_t *value)
{
    const Axes *axes = ctx;
    int i = op_axis(axes->op, name);
    if (i >= 0)
        *value = axes->extent[i];
    return i >= 0;
}

/* One measure() call: what is asked, and how far it is. */
typedef struct {
    Runner *r;
    Arena *a;
    const MeasureRequest *q;
    const char *const *key, *const *so;
    int n;
    MeasureRecord *out;
    bool *done;
    int *asked, nasked; /* kernels of the request under way */
    int64_t id;
    int culprit; /* of the last begin, -1: none yet */
    const char *phase;
    const volatile int *stop;
} Session;

static void settle(Session *s, int i, Status status, const char *why)
{
    s->out[i].status = status;
    s->out[i].why = why;
    s->done[i] = true;
}

static void settle_rest(Session *s, Status status, const char *why)
{
    for (int i = 0; i < s->n; i++)
        if (!s->done[i])
            settle(s, i, status, why);
}

static void clear_records(Session *s)
{
    const Runner *r = s->r;
    for (int i = 0; i < s->n; i++) {
        MeasureRecord *m = &s->out[i];
        *m = (MeasureRecord){ .key = s->key[i],
                              .device = r->device.id,
                              .naxis = r->op->naxis,
                              .threads = s->q->threads,
                              .status = STATUS_INVALID,
                              .why = "interrupted" };
        memcpy(m->extent, s->q->extent, (size_t)r->op->naxis * sizeof *m->extent);
    }
}

/* The sizes of a request; NULL when one is no number. */
static json_t *sizes_json(const Runner *r, const MeasureRequest *q)
{
    Axes axes = { r->op, q->extent };
    int64_t value, rows, row_elems;
    json_t *extent = json_array(), *elems = json_array();
    bool good = expr_int(r->op->rows, axis_lookup, &axes, &rows) == EXPR_OK &&
                expr_int(r->op->row_elems, axis_lookup, &axes, &row_elems) == EXPR_OK;
    for (int i = 0; i < r->op->naxis; i++)
        json_array_append_new(extent, json_integer(q->extent[i]));
    for (int i = 0; i < r->op->noperand && good; i++) {
        good = expr_int(r->op->operand[i].elems, axis_lookup, &axes, &value) == EXPR_OK;
        json_array_append_new(elems, json_integer(r->has_epilogue[i] ? value : 0));
    }
    if (good)
        return json_pack("{s:o, s:o, s:I, s:I}", "extent", extent, "elems", elems, "rows", (json_int_t)rows,
                         "row_elems", (json_int_t)row_elems);
    json_decref(extent);
    json_decref(elems);
    return NULL;
}

static char *request_line(Session *s)
{
    const MeasureRequest *q = s->q;
    json_t *request = sizes_json(s->r, q), *kernels = json_array();
    s->nasked = 0;
    s->id = ++s->r->last_id;
    s->culprit = -1;
    s->phase = "preparing";
    for (int i = 0; i < s->n; i++) {
        if (s->done[i])
            continue;
        s->asked[s->nasked++] = i;
        json_array_append_new(kernels, json_pack("{s:s, s:s}", "key", s->key[i], "so", s->so[i]));
    }
    json_t *rest = json_pack("{s:s, s:I, s:i, s:i, s:f, s:f, s:b, s:o}", "cmd", "measure", "id", (json_int_t)s->id,
                             "threads", q->threads, "repeats", q->repeats, "sample_ns", q->sample_ns, "max_ns",
                             q->max_ns, "hot", 1, "kernels", kernels);
    if (rest && q->count)
        json_object_set_new(rest, "count", json_true());
    if (rest && q->smem_limit > 0)
        json_object_set_new(rest, "smem_limit", json_integer(q->smem_limit));
    bool good = request && rest && json_object_update(request, rest) == 0;
    json_decref(rest);
    if (!good)
        json_decref(request);
    return good ? line_of(s->a, request) : NULL;
}

/* ---- answers */

static Status status_of(const char *name)
{
    int s = 0;
    while (s < STATUS_COUNT && strcmp(status_name((Status)s), name) != 0)
        s++;
    return (Status)s;
}

/* The kernel that an event is about, -1: none of those asked for. */
static int kernel_of(const Session *s, const json_t *event)
{
    json_int_t id, kernel;
    if (json_unpack((json_t *)event, "{s:I, s:I}", "id", &id, "kernel", &kernel) != 0)
        return -1;
    return id == s->id && kernel >= 0 && kernel < s->nasked ? s->asked[kernel] : -1;
}

static bool take_begin(Session *s, const json_t *event)
{
    const char *phase = json_string_value(json_object_get(event, "phase"));
    s->culprit = kernel_of(s, event);
    s->phase = phase && strcmp(phase, "time") == 0 ? "timing" : "verifying";
    return s->culprit >= 0;
}

static bool take_samples(MeasureRecord *m, const json_t *ns)
{
    size_t count = json_array_size(ns);
    if (count > RECORD_MAX_SAMPLE)
        return false;
    for (size_t i = 0; i < count; i++) {
        m->ns[i] = json_number_value(json_array_get(ns, i));
        if (!(isfinite(m->ns[i]) && m->ns[i] > 0))
            return false;
    }
    m->nsample = (int)count;
    return true;
}

/* Counts with names as records have them; others are left out. */
static void take_facts(Arena *a, MeasureRecord *m, json_t *facts)
{
    const char *name;
    json_t *value;
    json_object_foreach(facts, name, value) if (json_is_integer(value) && m->nfact < RECORD_MAX_FACT)
        m->fact[m->nfact++] = (Param){ arena_strndup(a, name, 64), json_integer_value(value) };
}

static bool take_result(Session *s, const json_t *event)
{
    int i = kernel_of(s, event);
    const char *name = json_string_value(json_object_get(event, "status"));
    Status status = name ? status_of(name) : STATUS_COUNT;
    if (i < 0 || s->done[i] || (status != STATUS_OK && status != STATUS_WRONG && status != STATUS_INVALID))
        return false;
    MeasureRecord *m = &s->out[i];
    double max_err = json_number_value(json_object_get(event, "max_err"));
    if (!isfinite(max_err) || !take_samples(m, json_object_get(event, "ns")))
        return false;
    if (status == STATUS_OK && (!(max_err <= 1) || (m->nsample == 0) != (s->q->repeats == 0)))
        return false;
    const double cold_ns = json_number_value(json_object_get(event, "cold_ns"));
    m->max_err = max_err;
    m->cold_ns = isfinite(cold_ns) && cold_ns > 0 ? cold_ns : 0;
    take_facts(s->a, m, json_object_get(event, "facts"));
    m->median_ns = m->nsample ? record_median(m->ns, m->nsample) : 0;
    m->spread = m->nsample ? record_spread(m->ns, m->nsample) : 0;
    settle(s, i, status, event_text(s->a, event, "why"));
    return true;
}

static bool take_done(Session *s, const json_t *event)
{
    bool good = json_integer_value(json_object_get(event, "id")) == s->id;
    for (int i = 0; i < s->n; i++)
        good = good && s->done[i];
    return good;
}

static bool take_error(Session *s, const json_t *event)
{
    settle_rest(s, STATUS_INVALID, event_text(s->a, event, "text"));
    return true;
}

/* Asks for all that is not settled and takes the answers. HEARD: all are settled. */
static Outcome ask(Session *s)
{
    static const struct {
        const char *name;
        bool (*take)(Session *, const json_t *);
        bool last;
    } events[] = { { "begin", take_begin, false },
                   { "result", take_result, false },
                   { "done", take_done, true },
                   { "error", take_error, true } };
    const size_t nevent = sizeof events / sizeof *events;
    const char *line = request_line(s);
    if (!line || strlen(line) > LINE_MAX_BYTES) {
        settle_rest(s, STATUS_INVALID, line ? "the request is too long" : "a size overflows 64 bits");
        return HEARD;
    }
    Outcome o = send_line(s->r, line, s->q->deadline_s, s->stop);
    while (o == HEARD) {
        json_t *event;
        size_t i = 0;
        o = hear(s->r, s->q->deadline_s, s->stop, &event);
        if (o != HEARD)
            break;
        while (i < nevent && !is_event(event, events[i].name))
            i++;
        bool good = i < nevent && events[i].take(s, event);
        json_decref(event);
        if (!good)
            return NONSENSE;
        if (events[i].last)
            return HEARD;
    }
    return o;
}

/* Ends the runner; the status and reason of what it was doing. */
static Status judge(Session *s, Outcome o, const char **why)
{
    int wait_status = end_runner(s->r, o == DEAD ? farewell_s : 0);
    if (o == SILENT) {
        *why = arena_printf(s->a, "silent for %g s while %s", s->q->deadline_s, s->phase);
        return STATUS_TIMED_OUT;
    }
    *why = o == NONSENSE ? arena_printf(s->a, "the runner talked nonsense while %s", s->phase)
                         : arena_printf(s->a, "%s while %s", process_status_text(s->a, wait_status), s->phase);
    return STATUS_CRASHED;
}

static bool measure_all(Session *s, const char **err)
{
    for (int lost = 0;;) {
        const char *why;
        if (!ensure_runner(s->r, s->a, s->stop, err))
            return false;
        Outcome o = ask(s);
        if (o == HEARD)
            return true;
        Status status = judge(s, o, &why);
        if (o == STOPPED) {
            *err = "interrupted";
            return false;
        }
        if (s->culprit >= 0 && !s->done[s->culprit]) {
            settle(s, s->culprit, status, why);
            lost = 0;
        } else if (++lost >= MAX_LOST) { /* no kernel's fault: the request is too much for the runner */
            settle_rest(s, status, why);
            return true;
        }
    }
}

bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stop, const char **err)
{
    Session s = { .r = r, .a = a, .q = q, .key = key, .so = so, .n = n, .out = out, .stop = stop };
    s.done = ARENA_ARRAY(a, (size_t)n + 1, bool);
    s.asked = ARENA_ARRAY(a, (size_t)n + 1, int);
    clear_records(&s);
    return n == 0 || measure_all(&s, err);
}

void runner_stop(Runner *r)
{
    if (!r || r->pid == 0)
        return;
    shutdown(r->fd, SHUT_WR);
    end_runner(r, farewell_s);
}
