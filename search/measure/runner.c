/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: dcgen's side of a runner: its process, and the lines to and from it. It sits at the other end of one socket
 * that is both its stdin and stdout (a socket, because a write to a dead one fails without a signal); its stderr is
 * read and mostly dropped.
 */
#define _GNU_SOURCE
#include "search/measure/runner_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/json.h"

enum { PROTOCOL = 1, MAX_STARTS = 3, TICK_MS = 50, CLOSING_TICK_MS = 1, WHY_MAX = 300 };
static const double STARTUP_DEADLINE_S = 20; /* for each answer while a runner starts */
static const double PATIENCE_S = 0.5;        /* for a runner that was told to end, or seems to be ending */

/* ---- talking */

/* False: it has closed the socket. */
static bool send_unsent(Runner *r)
{
    while (*r->unsent) {
        const ssize_t sent = send(r->fd, r->unsent, strlen(r->unsent), MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        r->unsent += sent;
        r->silent_s = process_clock_s() + r->deadline_s;
    }
    r->unsent = "";
    return true;
}

static LineStatus next_line(Lines *l, char **line, size_t *len)
{
    const LineStatus status = lines_next(l, line, len);
    if (status != LINE_NONE)
        return status;
    lines_fill(l);
    return lines_next(l, line, len);
}

/* A runner that closed its end has a moment to die by itself, as the way in which it dies tells what was wrong. */
static RunnerAnswer hear_end(Runner *r)
{
    const double now_s = process_clock_s();
    r->closed_s = r->closed_s > 0 ? r->closed_s : now_s;
    return child_has_ended(&r->child) || now_s > r->closed_s + PATIENCE_S ? DEAD : WAITING;
}

void runner_say(Runner *r, const char *line, double deadline_s)
{
    r->unsent = line;
    r->deadline_s = deadline_s;
    r->silent_s = process_clock_s() + deadline_s;
}

RunnerAnswer runner_hear(Runner *r, json_t **event)
{
    char *line = NULL;
    size_t len = 0;
    const bool is_open = r->closed_s == 0 && send_unsent(r);
    const LineStatus status = !is_open ? LINE_END : *r->unsent ? LINE_NONE : next_line(&r->lines, &line, &len);
    *event = status == LINE_READY ? json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (status == LINE_END)
        return hear_end(r);
    if (status == LINE_NONE)
        return process_clock_s() > r->silent_s ? SILENT : WAITING;
    r->silent_s = process_clock_s() + r->deadline_s;
    return *event ? HEARD : NONSENSE;
}

int runner_watch(const Runner *r, struct pollfd fds[2])
{
    const bool is_open = r->child.pid && r->closed_s == 0;
    fds[0] = (struct pollfd){ .fd = is_open ? r->fd : -1, .events = is_open && *r->unsent ? POLLOUT : POLLIN };
    fds[1] = (struct pollfd){ .fd = r->child.pid ? r->child.output[2].fd : -1, .events = POLLIN };
    return is_open ? TICK_MS : CLOSING_TICK_MS;
}

void runner_listen(Runner *r) { child_listen(&(Child *){ &r->child }, 1, 0); }

bool runner_says(const json_t *event, const char *name)
{
    const char *is = json_string_value(json_object_get(event, "event"));
    return is && strcmp(is, name) == 0;
}

const char *runner_text(Arena *a, const json_t *event, const char *field)
{
    const char *text = json_string_value(json_object_get(event, field));
    return text ? arena_strndup(a, text, strnlen(text, WHY_MAX)) : "";
}

double runner_rate(const json_t *json, const char *field)
{
    const double v = json_number_value(json_object_get(json, field));
    return isfinite(v) && v > 0 ? v : 0;
}

/* ---- starting and ending */

int runner_end(Runner *r)
{
    if (r->child.pid == 0)
        return 0;
    const int wait_status = child_end(&r->child);
    close(r->fd);
    lines_close(&r->lines);
    r->unsent = "";
    r->stage = RUNNER_OFF;
    return wait_status;
}

static bool spawn_runner(Runner *r)
{
    int ends[2];
    r->began_s = process_clock_s();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    r->fd = ends[0];
    const ProcessPlan plan = { .argv = r->command, .in = ends[1], .out = ends[1], .err = PROCESS_KEEP };
    const bool started =
        process_set_nonblocking(r->fd) && lines_open(&r->lines, r->fd) && child_start(&r->child, r->a, &plan);
    const int problem = errno;
    close(ends[1]);
    if (!started) {
        close(r->fd);
        lines_close(&r->lines);
    }
    errno = problem;
    r->stage = started ? RUNNER_GREETS : RUNNER_OFF;
    r->closed_s = 0;
    runner_say(r, "", STARTUP_DEADLINE_S);
    return started;
}

bool device_of_json(Arena *a, const json_t *d, Device *out)
{
    json_t *isa;
    *out = (Device){ .compiler = "", .flags = "" };
    if (json_unpack((json_t *)d, "{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:o}", "id", &out->id, "name", &out->name, "arch",
                    &out->arch, "cores", &out->cores, "l1_bytes", &out->l1_bytes, "l2_bytes", &out->l2_bytes,
                    "l3_bytes", &out->l3_bytes, "isa", &isa) != 0)
        return false;
    out->id = arena_strdup(a, out->id);
    out->name = arena_strdup(a, out->name);
    out->arch = arena_strdup(a, out->arch);
    for (size_t i = 0; i < json_array_size(isa) && out->nisa < DEVICE_MAX_ISA; i++) {
        const char *target = json_string_value(json_array_get(isa, i));
        out->isa[out->nisa++] = arena_strdup(a, target ? target : "");
    }
    return true;
}

/* Takes the device from the runner's hello. Gives what is wrong with it; NULL: nothing. */
static const char *read_hello(Runner *r, const json_t *hello)
{
    int protocol;
    Device d;
    const bool whole = json_unpack((json_t *)hello, "{s:i}", "protocol", &protocol) == 0;
    if (whole && protocol != PROTOCOL)
        return arena_printf(r->a, "it speaks protocol %d, not %d", protocol, PROTOCOL);
    if (!whole || !device_of_json(r->a, json_object_get(hello, "device"), &d))
        return "its hello is incomplete";
    if (r->device.id && strcmp(r->device.id, d.id) != 0)
        return arena_printf(r->a, "it runs on another device than before: %s (%s), not %s (%s)", d.name, d.id,
                            r->device.name, r->device.id);
    if (!r->device.id)
        r->device = d;
    return NULL;
}

static const char *startup_problem(Runner *r, RunnerAnswer answer)
{
    if (answer == SILENT)
        return arena_printf(r->a, "says nothing for %g s", STARTUP_DEADLINE_S);
    const char *end = process_status_text(r->a, runner_end(r));
    if (answer == NONSENSE)
        return "does not speak the runner protocol";
    const char *errors = text_str(&r->child.output[2].text);
    size_t len = strcspn(errors, "\n");
    return arena_printf(r->a, "%s%s%.*s", end, len ? ": " : "", (int)(len < WHY_MAX ? len : WHY_MAX), errors);
}

/* Takes the hello of a runner that starts, or what it says when it is set up. Gives what is wrong; NULL: nothing. */
static const char *take_startup(Runner *r, RunnerAnswer answer, const json_t *event)
{
    if (runner_says(event, "error"))
        return runner_text(r->a, event, "text");
    if (!runner_says(event, r->stage == RUNNER_GREETS ? "hello" : "ready"))
        return startup_problem(r, answer == HEARD ? NONSENSE : answer);
    if (r->stage == RUNNER_GREETS)
        runner_say(r, r->setup, STARTUP_DEADLINE_S);
    return r->stage++ == RUNNER_GREETS ? read_hello(r, event) : NULL;
}

/* Ends a try. Another one may help, but not after a hang: each would take its whole deadline. */
static void fail_startup(Runner *r, const char *why)
{
    r->why = why;
    runner_end(r);
    if (process_clock_s() - r->began_s >= STARTUP_DEADLINE_S)
        r->nstart = MAX_STARTS;
}

void runner_want(Runner *r)
{
    if (r->child.pid > 0 && child_has_ended(&r->child))
        runner_end(r);
    r->nstart = 0;
}

RunnerAnswer runner_ready(Runner *r, const char **why)
{
    while (r->stage != RUNNER_READY) {
        json_t *event = NULL;
        *why = r->why;
        if (r->stage == RUNNER_OFF && r->nstart++ == MAX_STARTS)
            return DEAD;
        if (r->stage == RUNNER_OFF && !spawn_runner(r)) {
            *why = strerror(errno);
            return DEAD;
        }
        const RunnerAnswer answer = runner_hear(r, &event);
        if (answer == WAITING)
            return WAITING;
        const char *problem = take_startup(r, answer, event);
        json_decref(event);
        if (problem)
            fail_startup(r, problem);
    }
    return HEARD;
}

char *runner_line(Arena *a, json_t *request)
{
    char *text = request ? json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    char *line = text ? arena_printf(a, "%s\n", text) : NULL;
    free(text);
    json_decref(request);
    return line;
}

json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed, const char *reference_so)
{
    json_t *operands = json_array();
    for (int i = 0; i < op->noperand; i++) {
        const Operand *o = &op->operand[i];
        json_t *operand = json_pack("{s:s, s:s, s:s}", "name", o->name, "role", role_names[o->role], "dtype",
                                    op_element(op, o, dtype)->name);
        if (o->data != DATA_NORMAL)
            JSON_SET(operand, FIELD("data", data_names[o->data]));
        if (o->of >= 0)
            JSON_SET(operand, FIELD("of", o->of));
        if (o->is_read)
            JSON_SET(operand, FIELD("read", (bool)true));
        json_array_append_new(operands, operand);
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:s*}", "cmd", "setup", "dtype", dtype, "seed", (json_int_t)seed, "operands",
                     operands, "reference", reference_so);
}

Runner *runner_new(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                   const char **err)
{
    Runner *r = ARENA_NEW(a, Runner);
    *r = (Runner){ .a = a, .command = command, .op = spec->op };
    for (int i = 0; i < spec->op->noperand; i++)
        r->layout[i] = spec_layout(spec, i);
    r->setup = runner_line(a, runner_setup(spec->op, spec->dtype, seed, reference_so));
    if (!r->setup)
        *err = "the runner's setup is not UTF-8";
    return r->setup ? r : NULL;
}

const Device *runner_device(const Runner *r) { return &r->device; }

void runner_stop(Runner *r)
{
    if (!r || r->child.pid == 0)
        return;
    const double end_s = process_clock_s() + PATIENCE_S;
    shutdown(r->fd, SHUT_WR);
    while (!child_has_ended(&r->child) && process_clock_s() < end_s)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    runner_end(r);
}
