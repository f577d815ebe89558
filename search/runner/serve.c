/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: reads requests, has the engine do them, and writes events. A runner loads untrusted code. That code gets no
 * input, and its output goes to stderr. When it crashes or hangs, dcgen starts another runner. A runner ends when the
 * thread that started it ends (PR_SET_PDEATHSIG), or at the end of its input.
 */
#define _GNU_SOURCE
#include "search/runner/serve.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "gen/base/flush.h"
#include "gen/base/json.h"
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "search/runner/request.h"

enum { MAX_LIMITS = 64, CALL_MAX_BYTES = 1 << 30 }; /* MAX_LIMITS: thread counts of a request */

static const double no_number = 1e30; /* told for a max_err that is infinite or NaN, which JSON lacks */

/* All that lasts from request to request. */
typedef struct {
    const Engine *engine;
    FILE *out;   /* for the protocol; not stdout */
    Setup setup; /* it has no reference until a setup succeeded */
} Session;

/* If a line cannot be written, dcgen has ended: so does this program. */
static void say(FILE *out, json_t *event)
{
    char *line = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(10));
    if (fprintf(out, "%s\n", line ? line : "{\"event\":\"error\",\"text\":\"no memory\"}") < 0 || fflush(out) != 0)
        exit(1);
    free(line);
    json_decref(event);
}

static void say_begin(const Work *w, int kernel, const char *phase)
{
    say(w->out,
        JSON_OBJECT(FIELD("event", "begin"), FIELD("id", w->id), FIELD("kernel", kernel), FIELD("phase", phase)));
}

static void say_timing(void *work, int kernel) { say_begin(work, kernel, "time"); }
static void say_verifying(void *work, int kernel) { say_begin(work, kernel, "verify"); }

static void say_result(const Work *w, int i)
{
    Kernel *k = &w->kernel[i];
    json_t *ns = json_array();
    k->told = true;
    for (int n = 0; n < k->nsample; n++)
        json_array_append_new(ns, json_real(k->ns[n]));
    json_t *event = JSON_OBJECT(FIELD("event", "result"), FIELD("id", w->id), FIELD("kernel", i),
                                FIELD("status", status_name(k->status)), FIELD("ns", ns),
                                FIELD("max_err", isfinite(k->max_err) ? k->max_err : no_number));
    if (k->why[0])
        JSON_SET(event, FIELD("why", k->why));
    json_object_update(event, k->more);
    say(w->out, event);
}

/* ---- setup */

static void forget_setup(Session *s)
{
    shape_forget_all();
    if (s->setup.reference)
        dlclose(s->setup.reference);
    s->setup = (Setup){ 0 };
}

static bool do_setup(Session *s, json_t *request, char why[WHY_BYTES])
{
    forget_setup(s);
    const bool good = request_setup(&s->setup, request, why);
    if (good)
        say(s->out, JSON_OBJECT(FIELD("event", "ready")));
    else
        forget_setup(s);
    return good;
}

/* ---- measure */

/* Says of a kernel that failed what was unusual about the operands: gaps, rows of all kinds, or parts. */
static void tell_unusual(const Work *w, Kernel *k)
{
    static const char *const parts[WAY_COUNT] = { [WAY_EQUAL] = "equal parts",
                                                  [WAY_ONE] = "parts of which one has all",
                                                  [WAY_EMPTY] = "parts of which most are empty" };
    char why[WHY_BYTES];
    int i = 0;
    while (i < w->setup->noperand && !w->shape->apart[i].rank)
        i++;
    memcpy(why, k->why, sizeof why);
    if (i < w->setup->noperand)
        kernel_fail(k, k->status, "on operands that lie with gaps: %s", why);
    else if (w->shape->told == DATA_EDGES + 1)
        kernel_fail(k, k->status, "on rows of all kinds: %s", why);
    else if (w->shape->way)
        kernel_fail(k, k->status, "on %s: %s", parts[w->shape->way], why);
}

/* Verifies and times the kernels. Those that fail are told at once, the others when all have their times. */
static bool do_kernels(const Engine *e, Work *w, char why[WHY_BYTES])
{
    for (int i = 0; i < w->nkernel; i++) {
        say_begin(w, i, "verify");
        if (!e->verify(w, i)) {
            tell_unusual(w, &w->kernel[i]);
            say_result(w, i);
        }
    }
    if (w->timing.repeats > 0 && e->time && !e->time(w, why))
        return false;
    for (int i = 0; i < w->nkernel; i++)
        if (!w->kernel[i].told)
            say_result(w, i);
    return true;
}

/* The data of the shape, and the kernels on it. The reference comes first: no kernel is to blame for it. */
static bool do_shape(const Engine *e, Work *w, const Shape *want, char why[WHY_BYTES])
{
    if (!(w->shape = shape_get(w->setup, want, why)))
        return false;
    if (!shape_reference(w->setup, w->shape))
        return request_fail(why, "no memory for the operands");
    const bool good = e->open(w, why) && do_kernels(e, w, why);
    if (e->close)
        e->close(w);
    return good;
}

static bool do_measure(Session *s, json_t *json, char why[WHY_BYTES])
{
    Shape want = { 0 };
    Work w = {
        .setup = &s->setup, .timing = { .keep = -1, .begin = say_timing }, .verifying = say_verifying, .out = s->out
    };
    w.timing.ctx = &w;
    bool good = request_measure(json, &w, &want, why) && request_kernels(json, &w, why);
    if (good && w.timing.cold && !(s->engine->flushes && flush_line()))
        good = request_fail(why, "only hot caches can be measured");
    const bool is_empty = good && want.elems[s->setup.out] == 0; /* then packages call no kernel */
    for (int i = 0; is_empty && i < w.nkernel; i++)
        say_result(&w, i);
    if (good && !is_empty)
        good = do_shape(s->engine, &w, &want, why);
    for (int i = 0; i < w.nkernel; i++) {
        kernel_unload(&w.kernel[i]);
        json_decref(w.kernel[i].more);
    }
    free(w.kernel);
    if (good)
        say(s->out, JSON_OBJECT(FIELD("event", "done"), FIELD("id", w.id)));
    return good;
}

/* ---- limits */

static void set_positive(json_t *object, const char *name, double v)
{
    if (v > 0)
        JSON_SET(object, FIELD(name, v));
}

static json_t *limits_json(const Engine *e, Arena *a, const LimitsRequest *q, const char **err)
{
    LimitRecord r = { 0 };
    int rounds = 0;
    if (!e->limits(a, q, &r, &rounds, err))
        return NULL;
    json_t *rates = json_object();
    for (int i = 0; i < LEVEL_COUNT; i++)
        set_positive(rates, level_name((Level)i), r.bytes_per_s[i]);
    json_t *one = JSON_OBJECT(FIELD("threads", q->threads), FIELD("rounds", rounds),
                              FIELD("flops_per_s", r.flops_per_s), FIELD("bytes_per_s", rates));
    set_positive(one, "clock_mhz", r.clock_mhz);
    set_positive(one, "launch_ns", r.launch_ns);
    set_positive(one, "handover_ns", r.handover_ns);
    set_positive(one, "reuse_flops_per_s", r.reuse_flops_per_s);
    return one;
}

static bool do_limits(Session *s, json_t *json, char why[WHY_BYTES])
{
    LimitsRequest q = { 0 };
    int64_t id, threads[MAX_LIMITS];
    double max_ns;
    const char *err;
    if (!s->engine->limits)
        return request_fail(why, "this runner measures no limits");
    const int n = request_integers(json, "threads", MAX_LIMITS, 1, SPEC_MAX_THREADS, threads, why);
    if (n == 0 ||
        !request_unpack(json, "limits", why, "{s:I, s:s, s:s, s:F, s?s}", "id", &id, "target", &q.target, "dtype",
                        &q.dtype, "max_ns", &max_ns, "so", &q.so) ||
        !request_path(q.so, why))
        return false;
    Arena *a = arena_new();
    json_t *list = json_array(), *one;
    const double end_ns = process_clock_ns() + max_ns;
    int done = 0;
    do { /* each thread count has an equal part of the time */
        q.threads = (int)threads[done++];
        q.until_ns = end_ns - max_ns * (n - done) / n;
        one = limits_json(s->engine, a, &q, &err);
        json_array_append_new(list, one);
    } while (one && done < n);
    if (one)
        say(s->out, JSON_OBJECT(FIELD("event", "limits"), FIELD("id", id), FIELD("limits", json_incref(list))));
    else
        request_fail(why, "%s", err);
    json_decref(list);
    arena_free(a);
    return one;
}

/* ---- call */

static bool load_call(Call *c)
{
    Kernel *k = &c->kernel;
    return kernel_load(k, "dcgen_launch") &&
           kernel_memory(k, c->extent, k->scratch ? k->scratch(c->extent, 1) : 0, CALL_MAX_BYTES);
}

static bool do_call(Session *s, json_t *json, char why[WHY_BYTES])
{
    Call c = { 0 };
    Kernel *k = &c.kernel;
    const char *in, *out;
    int64_t id, out_bytes;
    if (!s->engine->call)
        return request_fail(why, "this runner makes no calls");
    if (!request_unpack(json, "call", why, "{s:I, s:s, s:s, s:s, s:I, s?I}", "id", &id, "so", &k->so, "in", &in, "out",
                        &out, "out_bytes", &out_bytes, "smem_limit", &c.smem_limit) ||
        !request_path(k->so, why) ||
        request_integers(json, "extent", OP_MAX_CALL, -OP_MAX_NUMBER, INFINITY, c.extent, why) == 0 ||
        !request_bounds((const RequestBounds[]){ { "out_bytes", (double)out_bytes, 1, CALL_MAX_BYTES },
                                                 { "smem_limit", (double)c.smem_limit, 0, INFINITY },
                                                 { 0 } },
                        why))
        return false;
    Arena *a = arena_new();
    k->key = k->so;
    c.in = text_read_file(a, in, &c.in_bytes);
    c.out_bytes = (size_t)out_bytes;
    c.out = arena_alloc(a, c.out_bytes);
    bool good = (c.in && c.in_bytes >= 1 && c.in_bytes <= CALL_MAX_BYTES) ||
                request_fail(why, "the file in cannot be read, or is empty or too long");
    if (good && load_call(&c) && s->engine->call(&c))
        good = text_write_file(out, c.out, c.out_bytes) || request_fail(why, "the file out cannot be written");
    if (good)
        say(s->out, JSON_OBJECT(FIELD("event", "called"), FIELD("id", id), FIELD("status", status_name(k->status)),
                                FIELD("why", (const char *)k->why)));
    kernel_unload(k);
    arena_free(a);
    return good;
}

static bool do_request(Session *s, json_t *request, char why[WHY_BYTES])
{
    static const struct Command {
        const char *name;
        bool (*run)(Session *, json_t *, char why[WHY_BYTES]);
    } commands[] = { { "setup", do_setup }, { "measure", do_measure }, { "limits", do_limits }, { "call", do_call } };
    const char *cmd = json_string_value(json_object_get(request, "cmd"));
    const struct Command *c = cmd ? names_row(NAMES(commands, LENGTH(commands)), cmd) : NULL;
    return c ? c->run(s, request, why) : request_fail(why, "unknown cmd");
}

static bool do_line(Session *s, const char *line, size_t len, char why[WHY_BYTES])
{
    json_error_t problem;
    json_t *request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &problem);
    const bool good = request ? do_request(s, request, why) : request_fail(why, "not JSON: %s", problem.text);
    json_decref(request);
    return good;
}

/* Keeps standard input and output for the protocol: the code to be measured gets /dev/null and stderr. */
static bool take_streams(int *in, FILE **out)
{
    *in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (*in < 0 || out_fd < 0 || nothing < 0)
        return false;
    *out = fdopen(out_fd, "w");
    bool good = dup2(nothing, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    close(nothing);
    return good && *out;
}

/* Leaves no core file after a crash, and has this program killed when the thread that started it ends. */
static void prepare_process(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void serve_lines(Session *s, int in)
{
    Lines lines;
    LineStatus status = LINE_NONE;
    if (!lines_open(&lines, in))
        return;
    while (status != LINE_END) {
        char *line, why[WHY_BYTES];
        size_t len;
        bool good = true;
        status = lines_next(&lines, &line, &len);
        if (status == LINE_READY)
            good = do_line(s, line, len, why);
        else if (status == LINE_TOO_LONG)
            good = request_fail(why, "a line is longer than %d bytes", LINE_MAX_BYTES);
        else if (status == LINE_NONE)
            lines_fill(&lines);
        if (!good)
            say(s->out, JSON_OBJECT(FIELD("event", "error"), FIELD("text", (const char *)why)));
    }
    lines_close(&lines);
}

/* False: there is no device. */
static bool say_hello(Session *s)
{
    Arena *a = arena_new();
    const char *err = "";
    json_t *facts = s->engine->hello(a, &err);
    json_t *hello =
        JSON_OBJECT(FIELD("event", "hello"), FIELD("protocol", (int)PROTOCOL), FIELD("runner", s->engine->runner));
    json_object_update(hello, facts);
    if (facts)
        say(s->out, json_incref(hello));
    else
        fprintf(stderr, "%s: %s\n", s->engine->program, err);
    json_decref(hello);
    json_decref(facts);
    arena_free(a);
    return facts;
}

int serve_streams(const Engine *engine, int in, FILE *out)
{
    Session s = { .engine = engine, .out = out };
    if (!say_hello(&s))
        return 3;
    serve_lines(&s, in);
    forget_setup(&s);
    if (engine->end)
        engine->end();
    return 0;
}

bool serve_arguments(const Engine *engine, int argc, char **argv)
{
    for (int i = 1, taken; i < argc; i += taken) {
        const char *value = argv[i + 1]; /* NULL behind the last */
        const bool targets = strcmp(argv[i], "--targets") == 0 && value;
        if (targets && !facts_use_targets(value))
            return false;
        taken = targets ? 2 : engine->option ? engine->option(argv[i], value) : 0;
        if (taken == 0)
            return false;
    }
    return true;
}

int serve_main(const Engine *engine, int argc, char **argv)
{
    FILE *out;
    int in;
    if (!serve_arguments(engine, argc, argv)) {
        fprintf(stderr, "usage: %s [--targets DIR]...%s\nSpeaks JSON lines on stdin and stdout; started by dcgen.\n",
                engine->program, engine->usage ? engine->usage : "");
        return 2;
    }
    prepare_process();
    if (!take_streams(&in, &out)) {
        perror(engine->program);
        return 3;
    }
    const int code = serve_streams(engine, in, out);
    fclose(out);
    return code;
}
