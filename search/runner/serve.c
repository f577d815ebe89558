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
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "gen/base/json.h"
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "search/runner/facts.h"

enum { MAX_LIMITS = 64, CALL_MAX_BYTES = 1 << 30 }; /* MAX_LIMITS: thread counts of a request */

static const double max_elems = (int64_t)1 << 36; /* 256 GiB of f32, as much as verify.c takes */
static const double no_number = 1e30;             /* told for a max_err that is infinite or NaN, which JSON lacks */

/* All that lasts from request to request. */
typedef struct {
    const Engine *engine;
    FILE *out;   /* for the protocol; not stdout */
    Setup setup; /* it has no reference until a setup succeeded */
} Session;

/* ---- events */

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
    if (k->nsample && k->clock[0] > 0)
        JSON_SET(event, FIELD("clock", k->clock[0]));
    if (k->why[0])
        JSON_SET(event, FIELD("why", k->why));
    json_object_update(event, k->more);
    say(w->out, event);
}

/* ---- fields of requests */

/* Says why a request fails. */
__attribute__((format(printf, 2, 3))) static bool fail(char why[WHY_BYTES], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, WHY_BYTES, fmt, ap);
    va_end(ap);
    return false;
}

/* json_unpack() that says what is wrong; `whose` names the object. */
static bool unpack(json_t *object, const char *whose, char why[WHY_BYTES], const char *fields, ...)
{
    json_error_t problem;
    va_list ap;
    va_start(ap, fields);
    const bool good = json_vunpack_ex(object, &problem, 0, fields, ap) == 0;
    va_end(ap);
    return good || fail(why, "%s: %s", whose, problem.text);
}

/* What a number must be within. */
typedef struct {
    const char *name; /* NULL behind the last of a list */
    double value, least, most;
} Bounds;

static bool check_bounds(const Bounds *b, char why[WHY_BYTES])
{
    while (b->name && b->value >= b->least && b->value <= b->most)
        b++;
    return !b->name || (isinf(b->most) ? fail(why, "%s must be %.0f or more", b->name, b->least)
                                       : fail(why, "%s must be from %.0f to %.0f", b->name, b->least, b->most));
}

/* Takes a list of 1 to max_count integers. Returns how many there are; 0: the list is not as it should be. */
static int read_integers(json_t *object, const char *name, int max_count, double least, double most, int64_t *out,
                         char why[WHY_BYTES])
{
    json_t *list = json_object_get(object, name), *value;
    const size_t count = json_array_size(list);
    size_t n = 0;
    for (; n < (size_t)max_count && json_is_integer(value = json_array_get(list, n)); n++) {
        out[n] = json_integer_value(value);
        if (!check_bounds((const Bounds[]){ { name, (double)out[n], least, most }, { 0 } }, why))
            return 0;
    }
    return n > 0 && n == count ? (int)n : fail(why, "%s must be a list of 1 to %d integers", name, max_count);
}

static bool check_path(const char *so, char why[WHY_BYTES])
{
    return !so || strchr(so, '/') || fail(why, "so must be a path");
}

/* ---- setup */

static bool load_reference(Setup *s, const char *path, char why[WHY_BYTES])
{
    s->reference = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->reference)
        return fail(why, "setup: %s", dlerror());
    *(void **)&s->rows = dlsym(s->reference, "dcgen_reference_rows");
    *(void **)&s->check = dlsym(s->reference, "dcgen_reference_check");
    *(void **)&s->terms = dlsym(s->reference, "dcgen_reference_terms");
    return (s->rows && s->terms) || fail(why, "setup: the reference lacks a function of dcgen_reference_rows, _terms");
}

/* Takes the kind of operand i's data. Permutations and lengths need integers. */
static bool take_data(Setup *s, int i, const char *whose, const char *data, char why[WHY_BYTES])
{
    const int kind = data ? names_find(NAMES(data_names, DATA_COUNT), data) : DATA_NORMAL;
    const bool is_bounded = kind == DATA_LENGTHS || kind == DATA_PERMUTATION;
    if (kind < 0 || (is_bounded && !s->dtype[i]->is_integer))
        return fail(why, "%s has an unknown kind of data, or one that is not of its dtype", whose);
    s->data[i] = (DataKind)kind;
    return (s->of[i] >= 0 && s->of[i] < OP_MAX_EXTENT) || fail(why, "%s: of is no extent", whose);
}

static bool read_operand(Setup *s, json_t *operand, char why[WHY_BYTES])
{
    const char *role, *dtype, *name, *data = NULL;
    char whose[32];
    const int i = s->noperand++;
    snprintf(whose, sizeof whose, "setup: operand %d", i);
    if (!unpack(operand, whose, why, "{s:s, s:s, s:s, s?s, s?i}", "name", &name, "role", &role, "dtype", &dtype, "data",
                &data, "of", &s->of[i]))
        return false;
    const int r = names_find(NAMES(role_names, ROLE_COUNT), role);
    s->dtype[i] = dtype_find(dtype);
    if (r < 0 || !s->dtype[i])
        return fail(why, "%s has an unknown %s", whose, r < 0 ? "role" : "dtype");
    if (r == ROLE_OUT && s->out >= 0)
        return fail(why, "%s is a second output", whose);
    s->role[i] = (Role)r;
    snprintf(s->name[i], sizeof s->name[i], "%s", name);
    if (r == ROLE_OUT)
        s->out = i;
    if (r == ROLE_CONST && s->constant < 0)
        s->constant = i;
    return take_data(s, i, whose, data, why);
}

static bool read_setup(Setup *s, json_t *request, char why[WHY_BYTES])
{
    const char *reference;
    json_t *operands;
    *s = (Setup){ .out = -1, .constant = -1 };
    if (!unpack(request, "setup", why, "{s:s, s:I, s:o}", "reference", &reference, "seed", &s->seed, "operands",
                &operands))
        return false;
    const size_t count = json_array_size(operands);
    for (size_t i = 0; i < count && i < OP_MAX_OPERAND; i++)
        if (!read_operand(s, json_array_get(operands, i), why))
            return false;
    if (s->out < 0 || count > OP_MAX_OPERAND)
        return fail(why, "setup: there must be 1 to %d operands with one output", OP_MAX_OPERAND);
    return load_reference(s, reference, why);
}

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
    const bool good = read_setup(&s->setup, request, why);
    if (good)
        say(s->out, JSON_OBJECT(FIELD("event", "ready")));
    else
        forget_setup(s);
    return good;
}

/* ---- measure */

/* The extents of an output of so many elements, if the request has them. */
static bool read_out_extents(json_t *json, Shape *shape, int64_t elems, char why[WHY_BYTES])
{
    int64_t product = 1;
    bool good = true;
    if (!json_object_get(json, "out_extents"))
        return true;
    const int n = read_integers(json, "out_extents", OP_MAX_RANK, 0, max_elems, shape->out_extent, why);
    for (int i = 0; i < n; i++)
        good = !__builtin_mul_overflow(product, shape->out_extent[i], &product) && good;
    return n > 0 &&
           ((good && product == elems) || fail(why, "the product of out_extents is not the size of the output"));
}

/* Takes how an operand with gaps lies. */
static bool read_apart(const Setup *setup, json_t *json, Shape *shape, char why[WHY_BYTES])
{
    int at;
    Apart a = { 0 };
    if (!unpack(json, "apart", why, "{s:i}", "operand", &at))
        return false;
    if (at < 0 || at >= setup->noperand)
        return fail(why, "apart: there is no operand %d", at);
    a.rank = read_integers(json, "extents", OP_MAX_RANK, 0, max_elems, a.extent, why);
    if (a.rank == 0 || read_integers(json, "strides", OP_MAX_RANK, 0, max_elems, a.stride, why) + 1 != a.rank)
        return fail(why, "apart: extents and strides must be lists of integers, of strides one less");
    if (!apart_complete(&a, shape->elems[at], max_elems))
        return fail(why, "apart: operand %d is not of that size, its elements overlap, or lie too far apart", at);
    shape->apart[at] = a;
    return true;
}

static bool read_all_apart(const Work *w, json_t *json, Shape *shape, char why[WHY_BYTES])
{
    json_t *list = json_object_get(json, "apart"), *one;
    size_t i;
    json_array_foreach(list, i, one) if (!read_apart(w->setup, one, shape, why)) return false;
    return !list || (json_is_array(list) && w->timing.repeats == 0) ||
           fail(why, "apart must be a list, of a request without repeats");
}

static bool read_measure(json_t *json, Work *w, Shape *shape, char why[WHY_BYTES])
{
    const Setup *setup = w->setup;
    Timing *t = &w->timing;
    int hot = true, count = false;
    int64_t outputs;
    if (!setup->reference)
        return fail(why, "measure before setup");
    if (!unpack(json, "measure", why, "{s:I, s:I, s:I, s:F, s:i, s:i, s:F, s:F, s?b, s?F, s?i, s?F, s?F, s?b, s?I}",
                "id", &w->id, "rows", &shape->rows, "row_elems", &shape->row_elems, "flops", &shape->flops, "threads",
                &t->threads, "repeats", &t->repeats, "sample_ns", &t->sample_ns, "max_ns", &t->max_ns, "hot", &hot,
                "drop", &t->drop, "keep", &t->keep, "quiet_ns", &t->quiet_ns, "wait_ns", &t->wait_ns, "count", &count,
                "smem_limit", &w->smem_limit))
        return false;
    const Bounds bounds[] = { { "flops", shape->flops, 0, INFINITY },
                              { "threads", t->threads, 1, SPEC_MAX_THREADS },
                              { "repeats", t->repeats, 0, RECORD_MAX_SAMPLE },
                              { "sample_ns", t->sample_ns, 0, INFINITY },
                              { "max_ns", t->max_ns, 0, INFINITY },
                              { "quiet_ns", t->quiet_ns, 0, INFINITY },
                              { "wait_ns", t->wait_ns, 0, INFINITY },
                              { "smem_limit", (double)w->smem_limit, 0, INFINITY },
                              { 0 } };
    w->count = count;
    if (read_integers(json, "extent", OP_MAX_CALL, -OP_MAX_NUMBER, INFINITY, shape->extent, why) == 0)
        return false;
    if (read_integers(json, "elems", OP_MAX_OPERAND, 0, max_elems, shape->elems, why) != setup->noperand)
        return fail(why, "elems must be %d integers from 0 to %.0f, one an operand", setup->noperand, max_elems);
    if (!read_out_extents(json, shape, shape->elems[setup->out], why))
        return false;
    if (__builtin_mul_overflow(shape->rows, shape->row_elems, &outputs) || shape->rows < 0 || shape->row_elems < 0 ||
        outputs != shape->elems[setup->out])
        return fail(why, "rows times row_elems is not the size of the output");
    if (t->drop != 0 && !(t->drop > 1))
        return fail(why, "drop must be 0 or above 1");
    if (!read_all_apart(w, json, shape, why))
        return false;
    return check_bounds(bounds, why) && (hot || fail(why, "only hot caches can be measured"));
}

static bool read_kernels(json_t *json, Work *w, char why[WHY_BYTES])
{
    json_t *kernels = json_object_get(json, "kernels");
    const size_t count = json_array_size(kernels);
    w->kernel = calloc(count, sizeof *w->kernel);
    if (count < 1 || !w->kernel)
        return fail(why, count < 1 ? "kernels must be a list of one at least" : "no memory");
    for (size_t i = 0; i < count; i++) {
        Kernel *k = &w->kernel[w->nkernel++];
        if (!unpack(json_array_get(kernels, i), "kernel", why, "{s:s, s:s}", "key", &k->key, "so", &k->so) ||
            !check_path(k->so, why))
            return false;
    }
    return true;
}

/* Says of a kernel that failed that operands had gaps, if they had. */
static void tell_gaps(const Work *w, Kernel *k)
{
    char why[WHY_BYTES];
    int i = 0;
    while (i < w->setup->noperand && !w->shape->apart[i].rank)
        i++;
    memcpy(why, k->why, sizeof why);
    if (i < w->setup->noperand)
        kernel_fail(k, k->status, "on operands that lie with gaps: %s", why);
}

/* Verifies and times the kernels. Results of those that fail are told at once, those of the others when all have their times. */
static bool do_kernels(const Engine *e, Work *w, char why[WHY_BYTES])
{
    for (int i = 0; i < w->nkernel; i++) {
        say_begin(w, i, "verify");
        if (!e->verify(w, i)) {
            tell_gaps(w, &w->kernel[i]);
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

/* The data of the shape, and the kernels on it. The reference comes before any kernel, as no kernel is to blame for what it does. */
static bool do_shape(const Engine *e, Work *w, const Shape *want, char why[WHY_BYTES])
{
    if (!(w->shape = shape_get(w->setup, want, why)))
        return false;
    if (!shape_reference(w->setup, w->shape))
        return fail(why, "no memory for the operands");
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
    bool good = read_measure(json, &w, &want, why) && read_kernels(json, &w, why);
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

/* Measures the limits with q->threads threads. NULL with *err set. */
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
    return one;
}

static bool do_limits(Session *s, json_t *json, char why[WHY_BYTES])
{
    LimitsRequest q = { 0 };
    int64_t id, threads[MAX_LIMITS];
    double max_ns;
    const char *err;
    if (!s->engine->limits)
        return fail(why, "this runner measures no limits");
    const int n = read_integers(json, "threads", MAX_LIMITS, 1, SPEC_MAX_THREADS, threads, why);
    if (n == 0 ||
        !unpack(json, "limits", why, "{s:I, s:s, s:s, s:F, s?s}", "id", &id, "target", &q.target, "dtype", &q.dtype,
                "max_ns", &max_ns, "so", &q.so) ||
        !check_path(q.so, why))
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
        fail(why, "%s", err);
    json_decref(list);
    arena_free(a);
    return one;
}

/* ---- call */

/* Loads the object and asks for the bytes of its workspace. */
static bool load_call(Call *c)
{
    Kernel *k = &c->kernel;
    if (!kernel_load(k, "dcgen_launch"))
        return false;
    k->workspace_bytes = k->workspace ? k->workspace(c->extent) : 0;
    return (k->workspace_bytes >= 0 && k->workspace_bytes <= CALL_MAX_BYTES) ||
           kernel_fail(k, STATUS_INVALID, "wants %lld bytes of workspace", (long long)k->workspace_bytes);
}

static bool do_call(Session *s, json_t *json, char why[WHY_BYTES])
{
    Call c = { 0 };
    Kernel *k = &c.kernel;
    const char *in, *out;
    int64_t id, out_bytes;
    if (!s->engine->call)
        return fail(why, "this runner makes no calls");
    if (!unpack(json, "call", why, "{s:I, s:s, s:s, s:s, s:I, s?I}", "id", &id, "so", &k->so, "in", &in, "out", &out,
                "out_bytes", &out_bytes, "smem_limit", &c.smem_limit) ||
        !check_path(k->so, why) ||
        read_integers(json, "extent", OP_MAX_CALL, -OP_MAX_NUMBER, INFINITY, c.extent, why) == 0 ||
        !check_bounds((const Bounds[]){ { "out_bytes", (double)out_bytes, 1, CALL_MAX_BYTES },
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
                fail(why, "the file in cannot be read, or is empty or too long");
    if (good && load_call(&c) && s->engine->call(&c))
        good = text_write_file(out, c.out, c.out_bytes) || fail(why, "the file out cannot be written");
    if (good)
        say(s->out, JSON_OBJECT(FIELD("event", "called"), FIELD("id", id), FIELD("status", status_name(k->status)),
                                FIELD("why", (const char *)k->why)));
    kernel_unload(k);
    arena_free(a);
    return good;
}

/* ---- the program */

static bool do_request(Session *s, json_t *request, char why[WHY_BYTES])
{
    static const struct Command {
        const char *name;
        bool (*run)(Session *, json_t *, char why[WHY_BYTES]);
    } commands[] = { { "setup", do_setup }, { "measure", do_measure }, { "limits", do_limits }, { "call", do_call } };
    const char *cmd = json_string_value(json_object_get(request, "cmd"));
    const struct Command *c = cmd ? names_row(NAMES(commands, LENGTH(commands)), cmd) : NULL;
    return c ? c->run(s, request, why) : fail(why, "unknown cmd");
}

static bool do_line(Session *s, const char *line, size_t len, char why[WHY_BYTES])
{
    json_error_t problem;
    json_t *request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &problem);
    const bool good = request ? do_request(s, request, why) : fail(why, "not JSON: %s", problem.text);
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

/* Does one request a line, until the input ends. */
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
            good = fail(why, "a line is longer than %d bytes", LINE_MAX_BYTES);
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
