/* SPDX-License-Identifier: Apache-2.0
 *
 * dcgen-runner-cuda: verifies and times GPU code for dcgen, by the protocol of search/runner/protocol.md.
 *
 *     dcgen-runner-cuda [--targets DIR] [--timer cupti|events] [--deadline SECONDS] [--probe]
 *
 * Candidates are shared objects without a CUDA runtime of their own: this program has one, and lends it to them. A
 * kernel that ruins the GPU's context or does not end takes this process with it; dcgen starts another. The first lines
 * on stderr say which driver, CUPTI, NVML and cublasLt were found, and where.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "gen/base/json.h"
#include "search/runner/cuda/runner_cuda.h"

static struct {
    bool by_events, probe;
} option;

static struct {
    Gpu gpu;
    Timer timer;
    char nvml_why[LIBRARY_WHY_BYTES]; /* why NVML is not in use */
    Check check;
} state;

static bool take_timer(const char *value)
{
    option.by_events = strcmp(value, "events") == 0;
    return option.by_events || strcmp(value, "cupti") == 0;
}

static bool take_deadline(const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    watchdog_set(seconds);
    return end != value && !*end && seconds > 0 && seconds <= 86400;
}

static int take_option(const char *name, const char *value)
{
    option.probe |= strcmp(name, "--probe") == 0;
    if (strcmp(name, "--probe") == 0)
        return 1;
    return value && ((strcmp(name, "--timer") == 0 && take_timer(value)) ||
                     (strcmp(name, "--deadline") == 0 && take_deadline(value)))
               ? 2
               : 0;
}

/* ---- what was found, and where */

static const char *tracer_text(Arena *a)
{
    const Timer *t = &state.timer;
    const char *where = tracer_where();
    if (option.by_events || t->traced)
        return option.by_events ? "not wanted" : where;
    return *where ? arena_printf(a, "not used: %s (%s)", t->why, where) : arena_printf(a, "not found: %s", t->why);
}

/* cublasLt is large: the candidate that wants it opens it (templates/package/cublaslt.h), here it is told where. Which
 * version it wants depends on the nvcc that made the candidate. */
static const char *find_library(Arena *a)
{
    static const char *const names[] = { "libcublasLt.so.13", "libcublasLt.so.12" };
    char where[PATH_MAX];
    const char *all = NULL;
    for (size_t i = 0; i < LENGTH(names); i++)
        if (library_find(names[i], where))
            all = all ? arena_printf(a, "%s:%s", all, where) : arena_strdup(a, where);
    if (all)
        setenv("DCGEN_CUBLASLT", all, 1);
    return all ? all : "not found, unless the loader knows it";
}

static json_t *find_all(Arena *a)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const char *driver = gpu_version(a, state.gpu.driver_version), *nvml = nvml_where(), *name;
    json_t *text;
    json_t *found = JSON_OBJECT(
        FIELD("driver", arena_printf(a, "%s, %s", driver, library ? library_where(library) : "?")),
        FIELD("runtime", arena_printf(a, "%s, this program's", gpu_version(a, state.gpu.runtime_version))),
        FIELD("cupti", tracer_text(a)), FIELD("nvml", nvml ? nvml : arena_printf(a, "not found: %s", state.nvml_why)),
        FIELD("cublasLt", find_library(a)));
    json_object_foreach(found, name, text)
        fprintf(stderr, "dcgen-runner-cuda: %s: %s\n", name, json_string_value(text));
    return found;
}

static bool start_work(Arena *a, const char **err)
{
    timer_trace(&state.timer, !option.by_events);
    *err = "cannot start a thread";
    if (!watchdog_start() || !gpu_begin(a, &state.gpu, err) || !timer_open(a, &state.timer, &state.gpu, err))
        return false;
    nvml_open(state.gpu.bus, state.nvml_why);
    return true;
}

/* How the GPU is timed is known when work has begun; whether any target's code runs there is asked before. */
static json_t *device_json(Arena *a, const char **err)
{
    TargetList list = { 0 };
    Device d;
    if (!facts_targets(a, &list, err) || !gpu_open(a, &state.gpu, err) ||
        !gpu_device(a, &state.gpu, &list, false, &d, err) || !start_work(a, err))
        return NULL;
    gpu_device(a, &state.gpu, &list, !state.timer.traced, &d, err);
    return facts_json(&d);
}

static json_t *hello_fields(Arena *a, const char **err)
{
    json_t *device = device_json(a, err);
    const Timer *t = &state.timer;
    if (!device)
        return NULL;
    json_t *facts = JSON_OBJECT(FIELD("device", device), FIELD("timer", t->traced ? "cupti" : "events"),
                                FIELD("null_ns", t->null_ns), FIELD("found", find_all(a)));
    return t->traced ? facts : JSON_SET(facts, FIELD("timer_why", t->why));
}

static bool open_work(Work *w, char why[WHY_BYTES])
{
    size_t bytes = 0;
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        bytes += w->shape->bytes[i];
    snprintf(why, WHY_BYTES, "the GPU makes no digests, and operands of %zu MiB are too much to be compared by the CPU",
             bytes >> 20);
    if (builtin_too_much(bytes))
        return false;
    snprintf(why, WHY_BYTES, "no memory for the operands");
    return check_open(&state.check, w, state.timer.stream);
}

static bool verify(Work *w, int i)
{
    watchdog_beat(w->verifying, w->timing.ctx, i);
    const bool good = check_kernel(&state.check, &w->kernel[i], &state.check.extra[i]);
    watchdog_beat(NULL, NULL, 0);
    return good;
}

static bool take_times(Work *w, char why[WHY_BYTES])
{
    (void)w; /* the check has it */
    return sample_all(&state.check, &state.timer, why);
}

static void close_work(Work *w)
{
    (void)w;
    check_close(&state.check);
}

static bool measure_limits(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err)
{
    return limits_cuda(a, q, &state.gpu, &state.timer, out, rounds, err);
}

static void close_gpu(void)
{
    timer_close(&state.timer);
    nvml_close();
}

/* ---- a call: bands around input, output and other memory show writes outside of them, NaNs in the output what was not
 * written */

enum { IN, OUT, SCRATCH, COUNTERS, BUFFERS };

static bool buffers_new(GpuBuffer b[BUFFERS], const Call *c)
{
    const size_t bytes[BUFFERS] = { c->in_bytes, c->out_bytes, (size_t)c->kernel.scratch_bytes,
                                    (size_t)c->kernel.counter_bytes };
    for (int i = 0; i < BUFFERS; i++)
        if (!gpu_buffer_new(&b[i], bytes[i], 0))
            return false;
    gpu_buffer_put(&b[IN], c->in);
    gpu_buffer_fill(&b[SCRATCH], 0);
    gpu_buffer_fill(&b[COUNTERS], 0);
    return true;
}

static int launch_and_wait(const Call *c, const GpuBuffer b[BUFFERS])
{
    void *const operand[OP_MAX_OPERAND] = { b[IN].data, b[OUT].data };
    watchdog_arm(c->kernel.key);
    const int code = gpu_launched(
        c->kernel.launch(c->extent, operand, b[SCRATCH].data, b[COUNTERS].data, state.timer.stream), c->kernel.key);
    gpu_wait(state.timer.stream, c->kernel.key);
    watchdog_disarm();
    return code;
}

static bool is_input_unchanged(const Call *c, const GpuBuffer b[BUFFERS])
{
    void *now = malloc(c->in_bytes);
    if (now)
        gpu_buffer_get(&b[IN], now);
    const bool same = now && memcmp(now, c->in, c->in_bytes) == 0;
    free(now);
    return same;
}

static bool call_on_buffers(Call *c, const GpuBuffer b[BUFFERS])
{
    Kernel *k = &c->kernel;
    const int code = launch_and_wait(c, b);
    if (code != 0)
        return check_refused(k, code);
    for (int i = 0; i < BUFFERS; i++)
        if (!gpu_buffer_intact(&b[i]))
            return kernel_fail(k, STATUS_WRONG, "writes outside of its output, scratch memory and counters");
    if (!is_input_unchanged(c, b))
        return kernel_fail(k, STATUS_WRONG, "changes its input");
    gpu_buffer_get(&b[OUT], c->out);
    return true;
}

static bool call_once(Call *c)
{
    GpuBuffer b[BUFFERS] = { 0 };
    gpu_keep_code(c->kernel.so);
    bool good = buffers_new(b, c) || kernel_fail(&c->kernel, STATUS_INVALID, "no memory");
    good = good && call_on_buffers(c, b);
    for (int i = 0; i < BUFFERS; i++)
        gpu_buffer_free(&b[i]);
    return good;
}

/* Prints the hello's fields: those of the device first, then the others. */
static int print_device(void)
{
    Arena *a = arena_new();
    const char *err = "";
    json_t *facts = hello_fields(a, &err), *device = json_incref(json_object_get(facts, "device"));
    const bool good = device;
    json_object_del(facts, "device");
    json_object_update(device, facts);
    if (good) {
        json_dumpf(device, stdout, JSON_COMPACT);
        puts("");
        close_gpu();
    } else {
        fprintf(stderr, "dcgen-runner-cuda: %s\n", err);
    }
    json_decref(device);
    json_decref(facts);
    arena_free(a);
    return good ? 0 : 3;
}

int main(int argc, char **argv)
{
    static const Engine engine = { .program = "dcgen-runner-cuda",
                                   .runner = "cuda",
                                   .usage = " [--timer cupti|events] [--deadline SECONDS] [--probe]",
                                   .option = take_option,
                                   .hello = hello_fields,
                                   .open = open_work,
                                   .verify = verify,
                                   .time = take_times,
                                   .close = close_work,
                                   .end = close_gpu,
                                   .limits = measure_limits,
                                   .call = call_once };
    if (serve_arguments(&engine, argc, argv) && option.probe)
        return print_device();
    return serve_main(&engine, argc, argv);
}
