/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_request: any bytes as what a runner is asked (search/runner/protocol.md). Every line gets an answer; all that is
 * said is JSON with an event; the engine is handed nothing beyond the bounds of runner.h.
 *
 * The engine here verifies and times nothing, and there is one reference to load (shapes are its functions' only): what
 * the linker wraps (cmake/fuzz.cmake) stands below.
 */
#define _GNU_SOURCE /* memmem */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include "gen/base/lines.h"
#include "search/runner/serve.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_ELEMS = 1 << 14 };

/* ---- what is not there for a fuzzer ---- */

static int64_t terms(const int64_t *extent) { return extent[0]; }

void *__wrap_dlopen(const char *path, int flags);
void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);
Shape *__real_shape_get(const Setup *setup, const Shape *want, char why[WHY_BYTES]);
Shape *__wrap_shape_get(const Setup *setup, const Shape *want, char why[WHY_BYTES]);

void *__wrap_dlopen(const char *path, int flags)
{
    (void)flags;
    return strcmp(path, "reference.so") == 0 ? (void *)&terms : NULL;
}

/* A sanitizer looks for its own functions by it. */
void *__wrap_dlsym(void *handle, const char *name)
{
    return handle == (void *)&terms ? handle : __real_dlsym(handle, name);
}

int __wrap_dlclose(void *handle)
{
    REQUIRE(handle == (void *)&terms);
    return 0;
}

char *__wrap_dlerror(void) { return "there is no such file \xff"; }

/* Operands of gigabytes are legal, and would take their time. */
Shape *__wrap_shape_get(const Setup *setup, const Shape *want, char why[WHY_BYTES])
{
    int64_t sum = want->rows;
    for (int i = 0; i < OP_MAX_CALL; i++)
        REQUIRE(want->extent[i] >= -OP_MAX_NUMBER);
    for (int i = 0; i < setup->noperand; i++) {
        REQUIRE(want->elems[i] >= 0);
        sum += want->elems[i];
    }
    if (sum > MOST_ELEMS) {
        snprintf(why, WHY_BYTES, "too large for a fuzzer");
        return NULL;
    }
    return __real_shape_get(setup, want, why);
}

/* ---- an engine ---- */

static json_t *hello(Arena *a, const char **err)
{
    (void)a;
    (void)err;
    return json_pack("{s:{s:s}}", "device", "id", "fuzz");
}

static bool open_work(Work *w, char why[WHY_BYTES])
{
    const Timing *t = &w->timing;
    REQUIRE(w->nkernel > 0 && t->threads >= 1 && t->threads <= SPEC_MAX_THREADS && t->repeats >= 0 &&
            t->repeats <= RECORD_MAX_SAMPLE);
    REQUIRE(t->sample_ns >= 0 && t->max_ns >= 0);
    snprintf(why, WHY_BYTES, "not that many");
    return w->nkernel <= 1000;
}

static bool verify(Work *w, int i)
{
    Kernel *k = &w->kernel[i];
    REQUIRE(k->key && strchr(k->so, '/'));
    k->max_err = strlen(k->key) % 2 ? 0.5 : INFINITY;
    return isfinite(k->max_err) || kernel_fail(k, STATUS_WRONG, "%s", k->so);
}

static bool time_work(Work *w, char why[WHY_BYTES])
{
    (void)why;
    for (int i = 0; i < w->nkernel; i++) {
        Kernel *k = &w->kernel[i];
        w->timing.begin(w->timing.ctx, i);
        for (k->nsample = 0; k->status == STATUS_OK && k->nsample < w->timing.repeats; k->nsample++)
            k->ns[k->nsample] = 1 + k->nsample;
    }
    return true;
}

static void close_work(Work *w) { REQUIRE(w->setup); }

static bool limits(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err)
{
    (void)a;
    REQUIRE(q->target && q->dtype && q->threads >= 1 && q->threads <= SPEC_MAX_THREADS);
    *err = "this target is unknown";
    *rounds = 1;
    out->flops_per_s = out->bytes_per_s[LEVEL_L1] = 1e9;
    return strcmp(q->target, "avx2") == 0;
}

static const Engine engine = {
    .program = "fuzz",
    .runner = "fuzz",
    .usage = "",
    .hello = hello,
    .open = open_work,
    .verify = verify,
    .time = time_work,
    .close = close_work,
    .limits = limits,
};

/* ---- its answers ---- */

/* Each ends with one of these. */
static bool is_last(const char *event)
{
    static const char *const last[] = { "hello", "ready", "done", "limits", "error" };
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (strcmp(event, last[i]) == 0)
            return true;
    return false;
}

static size_t count_answers(const char *text)
{
    size_t n = 0;
    for (size_t len; *text; text += len + 1) {
        len = strcspn(text, "\n");
        REQUIRE(text[len] == '\n');
        json_t *event = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
        const char *name = json_string_value(json_object_get(event, "event"));
        REQUIRE(name);
        n += is_last(name);
        json_decref(event);
    }
    return n;
}

static size_t count_lines(const uint8_t *data, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t len;
    const int in = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
    FILE *out = open_memstream(&text, &len);
    REQUIRE(in >= 0 && out);
    REQUIRE(serve_streams(&engine, in, out) == 0);
    REQUIRE(fclose(out) == 0);
    REQUIRE(count_answers(text) == 1 + count_lines(data, size));
    free(text);
    close(in);
    return 0;
}
