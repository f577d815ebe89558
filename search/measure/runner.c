/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: dcgen's side of a runner: its process, and the lines to and from it. It sits at the other end of one socket
 * that is both its stdin and stdout (a socket, because a write to a dead one fails without a signal); its stderr is
 * read and mostly dropped.
 */
#define _GNU_SOURCE
#include "search/measure/runner_private.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/json.h"

enum { PROTOCOL = 1, MAX_STARTS = 3, TICK_MS = 50, WHY_MAX = 300 };
static const double STARTUP_DEADLINE_S = 20; /* for each answer while a runner starts */
const double runner_patience_s = 0.5;

/* ---- talking */

/* Waits a tick for the runner to speak, or to listen; takes its stderr meanwhile. */
static short wait_tick(Runner *r, short events)
{
    Child *child = &r->child;
    struct pollfd fds[2] = { { .fd = r->fd, .events = events }, { .fd = child->said[2].fd, .events = POLLIN } };
    if (poll(fds, 2, TICK_MS) <= 0)
        return 0;
    child_listen(&child, 1, 0);
    return fds[0].revents;
}

RunnerAnswer runner_send(Runner *r, const char *line, double deadline_s, const volatile int *stop)
{
    const char *const end = line + strlen(line);
    const double end_s = process_clock_s() + deadline_s;
    while (line < end) {
        const ssize_t sent = send(r->fd, line, (size_t)(end - line), MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return DEAD;
        if (stop && *stop)
            return STOPPED;
        if (process_clock_s() > end_s)
            return SILENT;
        if (sent < 0)
            wait_tick(r, POLLOUT);
        else
            line += sent;
    }
    return HEARD;
}

RunnerAnswer runner_hear(Runner *r, double deadline_s, const volatile int *stop, json_t **event)
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

bool runner_says(const json_t *event, const char *name)
{
    const char *said = json_string_value(json_object_get(event, "event"));
    return said && strcmp(said, name) == 0;
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

bool runner_await(const Runner *r, double patience_s)
{
    const double end = process_clock_s() + patience_s;
    while (!child_has_ended(&r->child) && process_clock_s() < end)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return child_has_ended(&r->child);
}

/* A runner that closed its end has a moment to die by itself, as the way in which it dies tells what was wrong. */
int runner_end(Runner *r, double patience_s)
{
    if (r->child.pid == 0)
        return 0;
    runner_await(r, patience_s);
    int wait_status = child_end(&r->child);
    close(r->fd);
    lines_close(&r->lines);
    return wait_status;
}

static bool spawn_runner(Runner *r)
{
    int ends[2];
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

/* Why a runner that was just started is of no use. */
static const char *startup_problem(Runner *r, RunnerAnswer answer)
{
    if (answer == SILENT)
        return arena_printf(r->a, "says nothing for %g s", STARTUP_DEADLINE_S);
    const char *end = process_status_text(r->a, runner_end(r, answer == DEAD ? runner_patience_s : 0));
    if (answer == NONSENSE)
        return "does not speak the runner protocol";
    const char *said = text_str(&r->child.said[2].text);
    size_t len = strcspn(said, "\n");
    return arena_printf(r->a, "%s%s%.*s", end, len ? ": " : "", (int)(len < WHY_MAX ? len : WHY_MAX), said);
}

/* Waits for an event, which must have that name. NULL with *why set: it has another, or none comes. */
static json_t *await_event(Runner *r, const char *name, const volatile int *stop, const char **why)
{
    json_t *event = NULL;
    const RunnerAnswer answer = runner_hear(r, STARTUP_DEADLINE_S, stop, &event);
    if (runner_says(event, name))
        return event;
    if (answer == STOPPED)
        *why = "interrupted";
    else if (runner_says(event, "error"))
        *why = runner_text(r->a, event, "text");
    else
        *why = startup_problem(r, answer == HEARD ? NONSENSE : answer);
    json_decref(event);
    return NULL;
}

/* True: the runner did not start, and another try may help. A runner that hangs will hang again, and each try takes its
 * whole deadline. */
static bool start_once(Runner *r, const volatile int *stop, const char **why)
{
    const double began_s = process_clock_s();
    if (!spawn_runner(r)) {
        *why = strerror(errno);
        return false;
    }
    json_t *hello = await_event(r, "hello", stop, why), *ready = NULL;
    if (hello)
        *why = read_hello(r, hello);
    if (hello && !*why) {
        *why = "it does not listen";
        if (runner_send(r, r->setup, STARTUP_DEADLINE_S, stop) == HEARD)
            ready = await_event(r, "ready", stop, why);
    }
    json_decref(hello);
    json_decref(ready);
    if (!ready)
        runner_end(r, 0);
    return !ready && process_clock_s() - began_s < STARTUP_DEADLINE_S;
}

bool runner_ensure(Runner *r, Arena *a, const volatile int *stop, const char **err)
{
    const char *why = "";
    bool again = true;
    if (r->child.pid > 0 && child_has_ended(&r->child))
        runner_end(r, 0);
    for (int i = 0; r->child.pid == 0 && again && i < MAX_STARTS && !(stop && *stop); i++)
        again = start_once(r, stop, &why);
    if (r->child.pid == 0)
        *err = stop && *stop ? "interrupted" : arena_printf(a, "cannot start the runner %s: %s", r->command[0], why);
    return r->child.pid > 0;
}

/* ---- requests */

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
                                    o->dtype ? o->dtype : dtype);
        if (o->data != DATA_NORMAL)
            JSON_SET(operand, FIELD("data", data_names[o->data]));
        if (o->of >= 0)
            JSON_SET(operand, FIELD("of", o->of));
        json_array_append_new(operands, operand);
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:s*}", "cmd", "setup", "dtype", dtype, "seed", (json_int_t)seed, "operands",
                     operands, "reference", reference_so);
}

Runner *runner_start(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err)
{
    Runner *r = ARENA_NEW(a, Runner);
    *r = (Runner){ .a = a, .command = command, .op = spec->op };
    for (int i = 0; i < spec->op->noperand; i++)
        r->layout[i] = spec_layout(spec, i);
    r->setup = runner_line(a, runner_setup(spec->op, spec->dtype, seed, reference_so));
    if (!r->setup) {
        *err = "the runner's setup is not UTF-8";
        return NULL;
    }
    return runner_ensure(r, a, stop, err) ? r : NULL;
}

const Device *runner_device(const Runner *r) { return &r->device; }

void runner_stop(Runner *r)
{
    if (!r || r->child.pid == 0)
        return;
    shutdown(r->fd, SHUT_WR);
    runner_end(r, runner_patience_s);
}
