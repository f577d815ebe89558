/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: reads requests, has the engine do them, and writes events. A runner loads untrusted code. That code gets no input, and its
 * output goes to stderr. When it crashes or hangs, dcgen starts another runner. A runner ends when the thread that started it ends
 * (PR_SET_PDEATHSIG), or at the end of its input.
 */
#define _GNU_SOURCE
#include "search/runner/serve.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "gen/base/json.h"
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "search/runner/facts.h"

enum { MAX_LIMITS = 64 }; /* thread counts of a request */

static const int64_t max_elems = (int64_t)1 << 36;
static const double no_number = 1e30; /* max_err of infinities and NaNs, which JSON lacks */

/* All that lasts from request to request. */
typedef struct {
    const Engine *engine;
    FILE *out; /* the protocol; not stdout */
    bool is_set_up;
    Setup setup;
} Session;

/* A `measure` request. */
typedef struct {
    Session *session;
    int64_t id;
    Shape want; /* extent, elems, rows, row_elems */
    Work work;
} Request;

/* ---- events */

/* If a line cannot be written, dcgen has ended: so does this program. */
static void say_text(Session *s, const char *line)
{
    if (fprintf(s->out, "%s\n", line) < 0 || fflush(s->out) != 0)
        exit(1);
}

static void say(Session *s, json_t *event)
{
    char *line = event ? json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    if (!line) {
        say_text(s, "{\"event\":\"error\",\"text\":\"no memory\"}");
        return;
    }
    say_text(s, line);
    free(line);
    json_decref(event);
}

/* Text of a loader or a kernel need not be UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *j = json_string(text);
    return j ? j : json_string("(not UTF-8)");
}

static bool say_error(Session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool say_error(Session *s, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say(s, json_pack("{s:s, s:o}", "event", "error", "text", text_json(text)));
    return false;
}

static void say_begin(Request *r, int kernel, const char *phase)
{
    char line[128];
    snprintf(line, sizeof line, "{\"event\":\"begin\",\"id\":%lld,\"kernel\":%d,\"phase\":\"%s\"}", (long long)r->id,
             kernel, phase);
    say_text(r->session, line);
}

static void begin_sample(void *request, int kernel) { say_begin(request, kernel, "time"); }
static void go_on_verifying(void *request, int kernel) { say_begin(request, kernel, "verify"); }

static void say_result(Request *r, int i)
{
    Kernel *k = &r->work.kernel[i];
    json_t *ns = json_array();
    k->told = true;
    for (int n = 0; n < k->nsample; n++)
        json_array_append_new(ns, json_real(k->ns[n]));
    json_t *event = JSON_OBJECT(FIELD("event", "result"), FIELD("id", r->id), FIELD("kernel", i),
                                FIELD("status", status_name(k->status)), FIELD("ns", ns),
                                FIELD("max_err", isfinite(k->max_err) ? k->max_err : no_number));
    if (k->nsample && k->clock[0] > 0)
        JSON_SET(event, FIELD("clock", k->clock[0]));
    if (k->why[0])
        JSON_SET(event, FIELD("why", text_json(k->why)));
    if (k->more)
        json_object_update(event, k->more);
    say(r->session, event);
}

/* ---- setup */

static bool load_reference(Setup *s, const char *path, char why[WHY_BYTES])
{
    s->reference = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->reference) {
        snprintf(why, WHY_BYTES, "%s", dlerror());
        return false;
    }
    *(void **)&s->rows = dlsym(s->reference, "dcgen_reference_rows");
    *(void **)&s->check = dlsym(s->reference, "dcgen_reference_check");
    *(void **)&s->terms = dlsym(s->reference, "dcgen_reference_terms");
    snprintf(why, WHY_BYTES, "the reference lacks a function of dcgen_reference_rows, _check, _terms");
    return s->rows && s->check && s->terms;
}

static bool read_operand(Setup *s, json_t *operand, char why[WHY_BYTES])
{
    const char *role, *dtype, *name;
    int i = s->noperand, r = 0;
    snprintf(why, WHY_BYTES, "bad operand %d", i);
    if (json_unpack(operand, "{s:s, s:s, s:s}", "name", &name, "role", &role, "dtype", &dtype) != 0)
        return false;
    while (r < ROLE_COUNT && strcmp(role, role_names[r]) != 0)
        r++;
    s->dtype[i] = dtype_find(dtype);
    if (r == ROLE_COUNT || !s->dtype[i]) {
        snprintf(why, WHY_BYTES, "operand %d has an unknown %s", i, r == ROLE_COUNT ? "role" : "dtype");
        return false;
    }
    s->role[i] = (Role)r;
    snprintf(s->name[i], sizeof s->name[i], "%s", name);
    if (r == ROLE_OUT)
        s->out = i;
    if (r == ROLE_CONST && s->constant < 0)
        s->constant = i;
    s->noperand++;
    return true;
}

static bool read_operands(Setup *s, json_t *operands, char why[WHY_BYTES])
{
    size_t count = json_array_size(operands);
    s->out = s->constant = -1;
    for (size_t i = 0; i < count && i < OP_MAX_OPERAND; i++)
        if (!read_operand(s, json_array_get(operands, i), why))
            return false;
    snprintf(why, WHY_BYTES, "there must be 1 to %d operands with one output", OP_MAX_OPERAND);
    return count <= OP_MAX_OPERAND && s->out >= 0;
}

static void forget_setup(Session *s)
{
    shape_forget_all();
    if (s->setup.reference)
        dlclose(s->setup.reference);
    s->setup = (Setup){ 0 };
    s->is_set_up = false;
}

static bool do_setup(Session *s, json_t *request)
{
    const char *reference;
    json_int_t seed;
    json_t *operands;
    char why[WHY_BYTES];
    forget_setup(s);
    if (json_unpack(request, "{s:s, s:I, s:o}", "reference", &reference, "seed", &seed, "operands", &operands) != 0)
        return say_error(s, "setup needs reference, seed and operands");
    s->setup.seed = (uint64_t)seed;
    if (!read_operands(&s->setup, operands, why) || !load_reference(&s->setup, reference, why)) {
        forget_setup(s);
        return say_error(s, "setup: %s", why);
    }
    s->is_set_up = true;
    say_text(s, "{\"event\":\"ready\"}");
    return true;
}

/* ---- measure */

/* Integers within [min, max] into out; the number of them, or -1. */
static int read_integers(json_t *array, int max_count, int64_t min, int64_t max, int64_t *out)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > (size_t)max_count)
        return -1;
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < min || json_integer_value(value) > max)
            return -1;
        out[i] = json_integer_value(value);
    }
    return (int)count;
}

static const char *read_shape(const Setup *setup, json_t *request, Shape *s)
{
    json_t *extent, *elems;
    json_int_t rows, row_elems;
    int64_t outputs;
    if (json_unpack(request, "{s:o, s:o, s:I, s:I}", "extent", &extent, "elems", &elems, "rows", &rows, "row_elems",
                    &row_elems) != 0)
        return "measure needs extent, elems, rows and row_elems";
    s->naxis = read_integers(extent, OP_MAX_AXIS, 0, INT64_MAX, s->extent);
    if (s->naxis < 1)
        return "bad extent";
    if (read_integers(elems, OP_MAX_OPERAND, 0, max_elems, s->elems) != setup->noperand)
        return "bad elems";
    s->rows = rows;
    s->row_elems = row_elems;
    if (rows < 1 || row_elems < 1 || __builtin_mul_overflow(s->rows, s->row_elems, &outputs) ||
        outputs != s->elems[setup->out])
        return "rows times row_elems is not the size of the output";
    return NULL;
}

static const char *read_timing(json_t *request, Timing *t)
{
    int hot = 1;
    t->drop = 0;
    t->keep = -1;
    t->quiet_ns = t->wait_ns = 0;
    if (json_unpack(request, "{s:i, s:i, s:F, s:F, s?b, s?F, s?i, s?F, s?F}", "threads", &t->threads, "repeats",
                    &t->repeats, "sample_ns", &t->sample_ns, "max_ns", &t->max_ns, "hot", &hot, "drop", &t->drop,
                    "keep", &t->keep, "quiet_ns", &t->quiet_ns, "wait_ns", &t->wait_ns) != 0)
        return "measure needs threads, repeats, sample_ns and max_ns";
    if (t->drop != 0 && !(t->drop > 1))
        return "drop must be 0 or above 1";
    if (!hot)
        return "only hot caches can be measured";
    if (t->threads < 1 || t->threads > SPEC_MAX_THREADS)
        return "bad number of threads";
    if (t->repeats < 0 || t->repeats > RECORD_MAX_SAMPLE)
        return "bad number of repeats";
    return t->sample_ns >= 0 && t->max_ns >= 0 && t->quiet_ns >= 0 && t->wait_ns >= 0 ? NULL : "bad times";
}

static const char *read_kernels(json_t *request, Work *w)
{
    json_t *kernels = json_object_get(request, "kernels");
    size_t count = json_array_size(kernels);
    if (count < 1 || count > 100000)
        return "bad kernels";
    w->kernel = calloc(count, sizeof *w->kernel);
    if (!w->kernel)
        return "no memory";
    for (size_t i = 0; i < count; i++) {
        Kernel *k = &w->kernel[w->nkernel++];
        if (json_unpack(json_array_get(kernels, i), "{s:s, s:s}", "key", &k->key, "so", &k->so) != 0)
            return "bad kernel";
        if (!strchr(k->so, '/'))
            return "so must be a path";
    }
    return NULL;
}

static const char *read_request(Session *s, json_t *json, Request *r)
{
    if (!s->is_set_up)
        return "measure before setup";
    if (json_unpack(json, "{s:I}", "id", &r->id) != 0)
        return "measure needs an id";
    const char *why = read_shape(&s->setup, json, &r->want);
    if (!why)
        why = read_timing(json, &r->work.timing);
    return why ? why : read_kernels(json, &r->work);
}

/* Results of kernels that fail are told at once, those of the others when they have their times. */
static bool do_kernels(Request *r, char why[WHY_BYTES])
{
    const Engine *e = r->session->engine;
    Work *w = &r->work;
    for (int i = 0; i < w->nkernel; i++) {
        say_begin(r, i, "verify");
        if (!e->verify(w, i))
            say_result(r, i);
    }
    if (w->timing.repeats > 0 && e->time && !e->time(w, why))
        return false;
    for (int i = 0; i < w->nkernel; i++)
        if (!w->kernel[i].told)
            say_result(r, i);
    return true;
}

static bool run_request(Session *s, Request *r)
{
    char why[WHY_BYTES] = "";
    Work *w = &r->work;
    w->setup = &s->setup;
    w->shape = shape_get(&s->setup, &r->want, why);
    if (!w->shape)
        return say_error(s, "%s", why);
    w->timing.begin = begin_sample;
    w->verifying = go_on_verifying;
    w->timing.ctx = r;
    bool good = s->engine->open(w, why) && do_kernels(r, why);
    s->engine->close(w);
    if (!good)
        return say_error(s, "%s", why);
    say(s, json_pack("{s:s, s:I}", "event", "done", "id", r->id));
    return true;
}

static bool do_measure(Session *s, json_t *json)
{
    Request r = { .session = s, .work.json = json };
    const char *why = read_request(s, json, &r);
    bool good = why ? say_error(s, "%s", why) : run_request(s, &r);
    for (int i = 0; i < r.work.nkernel; i++)
        json_decref(r.work.kernel[i].more);
    free(r.work.kernel);
    return good;
}

/* ---- limits */

/* Measures the limits with q->threads threads. NULL with *err set. */
static json_t *limits_json(Session *s, Arena *a, const LimitsRequest *q, const char **err)
{
    LimitRecord r = { 0 };
    int rounds = 0;
    if (!s->engine->limits(a, q, &r, &rounds, err))
        return NULL;
    json_t *rates = json_object();
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (r.bytes_per_s[i] > 0)
            JSON_SET(rates, FIELD(level_name((Level)i), r.bytes_per_s[i]));
    json_t *one = JSON_OBJECT(FIELD("threads", q->threads), FIELD("rounds", rounds),
                              FIELD("flops_per_s", r.flops_per_s), FIELD("bytes_per_s", rates));
    const JsonField more[] = { FIELD("clock_mhz", r.clock_mhz), FIELD("launch_ns", r.launch_ns),
                               FIELD("handover_ns", r.handover_ns) };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (json_real_value(more[i].value) > 0)
            json_object_set_new(one, more[i].key, more[i].value);
        else
            json_decref(more[i].value);
    return one;
}

static const char *add_limits(Session *s, Arena *a, json_t *json, json_t *list)
{
    int64_t threads[MAX_LIMITS];
    double max_ns;
    const char *err = NULL;
    LimitsRequest q = { 0 };
    const int n = read_integers(json_object_get(json, "threads"), MAX_LIMITS, 1, SPEC_MAX_THREADS, threads);
    if (n < 1 || json_unpack(json, "{s:s, s:s, s:F, s?s}", "target", &q.target, "dtype", &q.dtype, "max_ns", &max_ns,
                             "so", &q.so) != 0)
        return "limits needs target, dtype, threads and max_ns";
    if (q.so && !strchr(q.so, '/'))
        return "so must be a path";
    if (!s->engine->limits)
        return "this runner measures no limits";
    const double end_ns = process_clock_ns() + max_ns;
    for (int i = 0; i < n; i++) {
        q.threads = (int)threads[i];
        q.until_ns = end_ns - max_ns * (n - 1 - i) / n; /* each count has its part of the time */
        json_t *one = limits_json(s, a, &q, &err);
        if (!one)
            return err;
        json_array_append_new(list, one);
    }
    return NULL;
}

static bool do_limits(Session *s, json_t *json)
{
    json_int_t id = 0;
    Arena *a = arena_new();
    json_t *list = json_array();
    const char *why = json_unpack(json, "{s:I}", "id", &id) != 0 ? "limits needs an id" : add_limits(s, a, json, list);
    if (why)
        say_error(s, "%s", why);
    else
        say(s, json_pack("{s:s, s:I, s:O}", "event", "limits", "id", id, "limits", list));
    json_decref(list);
    arena_free(a);
    return !why;
}

/* ---- call */

static const char *read_call(Session *s, json_t *json, json_int_t *id, Call *c)
{
    json_int_t out_bytes;
    const char *in;
    if (!s->engine->call)
        return "this runner makes no calls";
    if (json_unpack(json, "{s:I, s:s, s:s, s:s, s:I, s?I}", "id", id, "so", &c->kernel.so, "in", &in, "out",
                    &c->out_path, "out_bytes", &out_bytes, "smem_limit", &c->smem_limit) != 0 ||
        c->smem_limit < 0)
        return "call needs id, so, extent, in, out and out_bytes";
    if (read_integers(json_object_get(json, "extent"), OP_MAX_AXIS, 0, INT64_MAX, c->extent) < 1)
        return "bad extent";
    if (!strchr(c->kernel.so, '/'))
        return "so must be a path";
    return call_open(c, in, out_bytes);
}

static bool do_call(Session *s, json_t *json)
{
    json_int_t id = 0;
    Call c = { 0 };
    const char *why = read_call(s, json, &id, &c);
    if (!why && s->engine->call(&c))
        why = call_keep(&c);
    if (why)
        say_error(s, "%s", why);
    else
        say(s, json_pack("{s:s, s:I, s:s, s:o}", "event", "called", "id", id, "status", status_name(c.kernel.status),
                         "why", text_json(c.kernel.why)));
    call_close(&c);
    return !why;
}

/* ---- the program */

static void do_line(Session *s, const char *line, size_t len)
{
    static const struct {
        const char *name;
        bool (*run)(Session *, json_t *);
    } commands[] = { { "setup", do_setup }, { "measure", do_measure }, { "limits", do_limits }, { "call", do_call } };
    json_error_t problem;
    json_t *request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &problem);
    const char *cmd = request ? json_string_value(json_object_get(request, "cmd")) : NULL;
    size_t i = 0, n = sizeof commands / sizeof *commands;
    while (cmd && i < n && strcmp(cmd, commands[i].name) != 0)
        i++;
    if (!request)
        say_error(s, "not JSON: %s", problem.text);
    else if (!cmd || i == n)
        say_error(s, "unknown cmd");
    else
        commands[i].run(s, request);
    json_decref(request);
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

/* No core file after a crash. This program is killed when the thread that started it ends. */
static void set_limits(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void serve(Session *s, int in)
{
    Lines lines;
    LineStatus status = LINE_NONE;
    if (!lines_open(&lines, in))
        return;
    while (status != LINE_END) {
        char *line;
        size_t len;
        status = lines_next(&lines, &line, &len);
        if (status == LINE_READY)
            do_line(s, line, len);
        else if (status == LINE_TOO_LONG)
            say_error(s, "a line is longer than %d bytes", LINE_MAX_BYTES);
        else if (status == LINE_NONE)
            lines_fill(&lines);
    }
    lines_close(&lines);
}

static bool say_hello(Session *s, const char **err)
{
    Arena *a = arena_new();
    json_t *facts = s->engine->hello(a, err);
    const bool good = facts != NULL;
    if (good) {
        json_t *hello =
            JSON_OBJECT(FIELD("event", "hello"), FIELD("protocol", (int)PROTOCOL), FIELD("runner", s->engine->runner));
        json_object_update(hello, facts);
        say(s, hello);
    } else {
        fprintf(stderr, "%s: %s\n", s->engine->program, *err);
    }
    json_decref(facts);
    arena_free(a);
    return good;
}

int serve_streams(const Engine *engine, int in, FILE *out)
{
    Session s = { .engine = engine, .out = out };
    const char *err = "";
    if (!say_hello(&s, &err))
        return 3;
    serve(&s, in);
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
        if (targets)
            facts_use_targets(value);
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
        fprintf(stderr, "usage: %s [--targets DIR]%s\nSpeaks JSON lines on stdin and stdout; started by dcgen.\n",
                engine->program, engine->usage);
        return 2;
    }
    set_limits();
    if (!take_streams(&in, &out)) {
        perror(engine->program);
        return 3;
    }
    const int code = serve_streams(engine, in, out);
    fclose(out);
    return code;
}
