/* SPDX-License-Identifier: MIT-0
 *
#if FAMILY_CUDA
 * run_model WEIGHTS PAIR [-o OUT] [--times N] [DIM=NUMBER ...]: runs the model on files.
#else
 * run_model WEIGHTS PAIR [THREADS] [-o OUT] [--times N] [DIM=NUMBER ...]: runs the model on files.
#endif
 *
 * All files are of safetensors. PAIR holds the inputs as in.X, where X is what the model calls one, and what outputs should be as out.Y: those
 * that it has are compared with what the model gives. What stays from call to call begins as in.X, which may be less than there is room for, or as zeros,
#if ROUNDS_INPUTS
 * and may be compared likewise. An output is wrong where it is off by more than 1e-2 of its largest element + 1e-3. Dims are the extents of the inputs;
#else
 * and may be compared likewise. An output is wrong where it is off by more than 1e-4 of its largest element + 1e-5. Dims are the extents of the inputs;
#endif
#if FAMILY_CUDA
 * one that is no extent by itself is given on the command line. -o: writes the outputs as out.Y. --times: the median time of N calls, queued and
 * kept, from their start to when the device is done, and the mean time of each node on the device.
 * Exit code 0, 1 where an output is wrong or the model cannot be run on these, 2 for a wrong command line, 3 where a file cannot be read or written, 77
 * when there is no device.
#else
 * one that is no extent by itself is given on the command line. -o: writes the outputs as out.Y. --times: the median time of N calls, and the mean
 * time of each node.
 * Exit code 0, 1 where an output is wrong or the model cannot be run on these, 2 for a wrong command line, 3 where a file cannot be read or written.
#endif
 */
#include "PACKAGE_model.h"
#if FAMILY_CPU
#ifndef PACKAGE_NO_THREADS
#include "PACKAGE_pool.h"
#endif
#endif

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#if FAMILY_CUDA
#include "on_device.h"
#endif

//@ arithmetic
//@ safetensors
_Noreturn static void run_fail(int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(code);
}

/* Zeroed memory, also for 0 bytes; much of it is on huge pages, where the system has them. */
static void *run_take(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, unit = bytes < huge ? 64 : huge, whole = (bytes + unit) / unit * unit;
    void *p = aligned_alloc(unit, whole);
    if (!p)
        run_fail(3, "out of memory");
#ifdef MADV_HUGEPAGE
    if (unit == huge)
        madvise(p, whole, MADV_HUGEPAGE);
#endif
    return memset(p, 0, whole);
}

/* ---- the model's tensors ---- */

enum { run_is_input, run_is_state, run_is_output };

typedef struct {
    const char *name, *type;
    int kind, rank;
    int dim[MOST_RANK]; /* the dim that an extent is; -1: it is none by itself */
} run_tensor;

static const run_tensor run_tensors[] = {
    { WEIGHT_NAME, "WEIGHT_TYPE", run_is_input, RANK, { EXTENT_DIMS } }, //@ repeat inputs
    { WEIGHT_NAME, "WEIGHT_TYPE", run_is_state, RANK, { EXTENT_DIMS } }, //@ repeat states
    { WEIGHT_NAME, "WEIGHT_TYPE", run_is_output, RANK, { EXTENT_DIMS } }, //@ repeat outputs
};

enum { run_ntensor = sizeof run_tensors / sizeof *run_tensors };

/* The extents of all of them at these dims. */
static void run_extents(const PACKAGE_dims *dims, int64_t extent[run_ntensor][MOST_RANK])
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    const int64_t all[run_ntensor][MOST_RANK] = {
        { WEIGHT_EXTENTS }, //@ repeat inputs
        { WEIGHT_EXTENTS }, //@ repeat states
        { WEIGHT_EXTENTS }, //@ repeat outputs
    };
    (void)dims;
    (void)DIM; //@ repeat dims
    memcpy(extent, all, sizeof all);
}

static const char *const run_dim_names[] = {
    "MEMBER", //@ repeat dims
    NULL,
};

static int64_t *run_dim(PACKAGE_dims *d, int i)
{
    int64_t *const all[] = {
        &d->MEMBER, //@ repeat dims
        NULL,
    };
    (void)d;
    return all[i];
}

/* ---- a call ---- */

typedef struct {
    const char *weights, *pair, *out;
#if FAMILY_CUDA
    int times;
#else
    int threads, times;
#endif
    PACKAGE_dims dims;
    int has_dim[NDIM + 1];
    char *text; /* PAIR */
    PACKAGE_file file;
    PACKAGE_model model;
#if FAMILY_CPU
    PACKAGE_exec exec;
#endif
    void *packed, *workspace;
    int64_t extent[run_ntensor][MOST_RANK];
    size_t elems[run_ntensor];
    void *data[run_ntensor];
#if FAMILY_CUDA
    void *there[run_ntensor]; /* the same on the device */
    cudaStream_t stream;
    PACKAGE_kept kept;
    int nkept; /* 1: the call is kept */
#endif
} run_call;

static char *run_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    long end = -1;
    char *text = NULL;
    if (f && (fgetc(f), !ferror(f)) && fseek(f, 0, SEEK_END) == 0 && /* a folder can be opened, too */
        (end = ftell(f)) >= 0) {
        rewind(f);
        text = run_take((size_t)end);
        *bytes = fread(text, 1, (size_t)end, f);
    }
    if (!text || *bytes != (size_t)end)
        run_fail(3, "cannot read %s", path);
    fclose(f);
    return text;
}

/* in.X or out.X in PAIR, of the tensor's type and rank. NULL: there is none. */
static char *run_find(const run_call *c, const char *prefix, const run_tensor *t, uint64_t *extent)
{
    PACKAGE_file f = c->file;
    char *name = run_take(strlen(prefix) + strlen(t->name) + 1);
    strcat(strcpy(name, prefix), t->name);
    const int is_there = PACKAGE_seek(&f, name);
    const void *data = is_there ? PACKAGE_tensor(&f, t->type, t->rank, extent) : NULL;
    if (is_there && !data)
        run_fail(1, "%s: %s is not of type %s and rank %d, or cut off", c->pair, name, t->type, t->rank);
    free(name);
    return data ? c->text + ((const char *)data - c->text) : NULL;
}

static void run_print_extents(FILE *to, const int64_t *extent, int rank)
{
    for (int k = 0; k < rank; k++)
        fprintf(to, "[%" PRId64 "]", extent[k]);
}

/* Dims that the command line does not give are those of the inputs. */
static void run_find_dims(run_call *c)
{
    for (int i = 0; i < run_ntensor; i++) {
        const run_tensor *t = &run_tensors[i];
        uint64_t extent[MOST_RANK] = { 0 };
        if (t->kind == run_is_output || !run_find(c, "in.", t, extent))
            continue;
        for (int k = 0; k < t->rank; k++)
            if (t->dim[k] >= 0 && !c->has_dim[t->dim[k]]) {
                *run_dim(&c->dims, t->dim[k]) = (int64_t)extent[k];
                c->has_dim[t->dim[k]] = 1;
            }
    }
    for (int i = 0; run_dim_names[i]; i++)
        if (!c->has_dim[i])
            run_fail(2, "no input tells the dim %s; give it, as in %s=2", run_dim_names[i], run_dim_names[i]);
    for (int i = 0; run_dim_names[i]; i++)
        printf("%s%s=%" PRId64, i ? " " : "", run_dim_names[i], *run_dim(&c->dims, i));
    fputs(NDIM ? "\n" : "", stdout);
}

/* Is what PAIR has of the extents that the model's has at these dims? Of a state it may be a part, at its beginning. */
static int run_fits(const run_call *c, int i, const uint64_t *extent)
{
    const int may_be_less = run_tensors[i].kind == run_is_state;
    for (int k = 0; k < run_tensors[i].rank; k++)
        if (extent[k] > (uint64_t)c->extent[i][k] || (!may_be_less && extent[k] < (uint64_t)c->extent[i][k]))
            return 0;
    return 1;
}

/* Copies the rows that PAIR has of tensor i between it and the tensor, whose rows may be longer and more. */
static void run_copy(const run_call *c, int i, const uint64_t *extent, char *pair, int to_pair)
{
    const int last = run_tensors[i].rank - 1;
    const size_t bytes = PACKAGE_type_bytes(run_tensors[i].type), row = last < 0 ? 1 : (size_t)extent[last];
    size_t rows = 1;
    for (int k = 0; k < last; k++)
        rows *= (size_t)extent[k];
    for (size_t r = 0; r < rows; r++, pair += row * bytes) {
        size_t at = 0, rest = r, step = last < 0 ? 1 : (size_t)c->extent[i][last];
        for (int k = last - 1; k >= 0; k--) {
            at += rest % (size_t)extent[k] * step;
            rest /= (size_t)extent[k];
            step *= (size_t)c->extent[i][k];
        }
        char *const own = (char *)c->data[i] + at * bytes;
        memcpy(to_pair ? pair : own, to_pair ? own : pair, row * bytes);
    }
}

#if FAMILY_CUDA
static size_t run_bytes(const run_call *c, int i) { return c->elems[i] * PACKAGE_type_bytes(run_tensors[i].type); }

#endif
/* Makes memory of each tensor, with what PAIR says that inputs and states hold. */
static void run_make(run_call *c)
{
    run_extents(&c->dims, c->extent);
    for (int i = 0; i < run_ntensor; i++) {
        const run_tensor *t = &run_tensors[i];
        uint64_t extent[MOST_RANK] = { 0 };
        char *given = t->kind == run_is_output ? NULL : run_find(c, "in.", t, extent);
        c->elems[i] = 1;
        for (int k = 0; k < t->rank; k++)
            c->elems[i] *= (size_t)c->extent[i][k];
        if (t->kind == run_is_input && !given)
            run_fail(1, "%s has no in.%s", c->pair, t->name);
        if (given && !run_fits(c, i, extent)) {
            fprintf(stderr, "%s: at these dims in.%s must be ", c->pair, t->name);
            run_print_extents(stderr, c->extent[i], t->rank);
            run_fail(1, "");
        }
        c->data[i] = run_take(c->elems[i] * PACKAGE_type_bytes(t->type));
        if (given)
            run_copy(c, i, extent, given, 0);
#if FAMILY_CUDA
        c->there[i] = on_device_take(run_bytes(c, i));
        on_device_send(c->there[i], c->data[i], run_bytes(c, i));
#endif
    }
}

static void run_load(run_call *c)
{
    size_t bytes = 0;
    const char *file = run_read(c->weights, &bytes);
#if FAMILY_CUDA
    c->packed = on_device_take(PACKAGE_model_bytes());
    const int code = PACKAGE_load(&c->model, file, bytes, c->packed, c->stream);
#else
    c->packed = run_take(PACKAGE_model_bytes());
    const int code = PACKAGE_load(&c->model, file, bytes, c->packed);
#endif
    if (code != PACKAGE_OK)
        run_fail(1, "%s: %s", c->weights, PACKAGE_strerror(code));
}

static void run_once(run_call *c, const PACKAGE_exec *exec)
{
#if FAMILY_CUDA
    void *const *const data = c->there;
#else
    void *const *const data = c->data;
#endif
#if NINPUT
    const PACKAGE_inputs inputs = {
        .MEMBER = data[PLACE], //@ repeat inputs
    };
#endif
#if NSTATE
    const PACKAGE_state state = {
        .MEMBER = data[NINPUT + PLACE], //@ repeat states
    };
#endif
    const PACKAGE_outputs outputs = {
        .MEMBER = data[NINPUT + NSTATE + PLACE], //@ repeat outputs
    };
#if FAMILY_CUDA
    const int code = PACKAGE_run_kept(&c->kept, c->nkept, &c->model, &c->dims,
#else
    const int code = PACKAGE_run(&c->model, &c->dims,
#endif
#if NINPUT
                                 &inputs,
#endif
#if NSTATE
                                 &state,
#endif
#if FAMILY_CUDA
                                 &outputs, c->workspace, exec, c->stream);
#else
                                 &outputs, c->workspace, exec);
#endif
    if (code != PACKAGE_OK)
        run_fail(1, "PACKAGE_run: %s", PACKAGE_strerror(code));
}

#if FAMILY_CUDA
/* Copies what the call gave to the host. */
static void run_fetch(run_call *c)
{
    for (int i = 0; i < run_ntensor; i++)
        on_device_fetch(c->data[i], c->there[i], run_bytes(c, i));
}

#endif
/* ---- results ---- */

/* The largest error of an output, where that is not small enough 1. */
static int run_compare_reals(const float *is, const float *should_be, size_t n)
{
    double off = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = (double)is[i], y = (double)should_be[i];
        if (isfinite(y))
            most = fmax(most, fabs(y));
        if (!(x == y || (isnan(x) && isnan(y))) && !(fabs(x - y) <= off)) /* NaN alone is the largest error */
            off = isnan(x - y) ? INFINITY : fabs(x - y);
    }
    printf("largest error %.3g of %.3g", off, most);
#if ROUNDS_INPUTS
    return !(off <= 1e-2 * most + 1e-3);
#else
    return !(off <= 1e-4 * most + 1e-5);
#endif
}

static int run_compare_numbers(const int32_t *is, const int32_t *should_be, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += is[i] != should_be[i];
    printf("%zu of %zu differ", wrong, n);
    return wrong > 0;
}

/* Compares what PAIR has of tensor i, which may lie anywhere in the file: both are copied. 1: it is wrong. */
static int run_compare_one(const run_call *c, int i, const uint64_t *extent, const char *found)
{
    size_t n = 1;
    for (int k = 0; k < run_tensors[i].rank; k++)
        n *= (size_t)extent[k];
    const size_t bytes = n * PACKAGE_type_bytes(run_tensors[i].type);
    void *should_be = memcpy(run_take(bytes), found, bytes);
    char *is = run_take(bytes);
    run_copy(c, i, extent, is, 1);
    const int is_real = strcmp(run_tensors[i].type, "F32") == 0;
    const int wrong = is_real ? run_compare_reals((const float *)(void *)is, should_be, n) : run_compare_numbers((const int32_t *)(void *)is, should_be, n);
    free(should_be);
    free(is);
    return wrong;
}

/* Compares what PAIR has; the number of wrong ones. */
static int run_compare(const run_call *c)
{
    int wrong = 0;
    for (int i = 0; i < run_ntensor; i++) {
        const run_tensor *t = &run_tensors[i];
        uint64_t extent[MOST_RANK] = { 0 };
        const char *found = t->kind == run_is_input ? NULL : run_find(c, "out.", t, extent);
        if (t->kind == run_is_input || (t->kind == run_is_state && !found))
            continue;
        printf("%s ", t->name);
        run_print_extents(stdout, c->extent[i], t->rank);
        int is_wrong = found && !run_fits(c, i, extent);
        printf(found ? ": " : ": not compared");
        if (found && is_wrong)
            printf("%s has other extents", c->pair);
        else if (found)
            is_wrong = run_compare_one(c, i, extent, found);
        printf(is_wrong ? ": wrong\n" : "\n");
        wrong += is_wrong;
    }
    return wrong;
}

static void run_write_name(FILE *f, const char *name)
{
    for (const char *at = name; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20)
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*at);
        else
            fputc(*at, f);
}

/* Writes what stands within the header's braces. */
static void run_write_header(const run_call *c, FILE *f)
{
    size_t at = 0;
    const char *comma = "";
    for (int i = 0; i < run_ntensor; i++) {
        const run_tensor *t = &run_tensors[i];
        const size_t bytes = c->elems[i] * PACKAGE_type_bytes(t->type);
        if (t->kind == run_is_input)
            continue;
        fprintf(f, "%s\"out.", comma);
        run_write_name(f, t->name);
        fprintf(f, "\":{\"dtype\":\"%s\",\"shape\":[", t->type);
        for (int k = 0; k < t->rank; k++)
            fprintf(f, "%s%" PRId64, k ? "," : "", c->extent[i][k]);
        fprintf(f, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes);
        at += bytes;
        comma = ",";
    }
}

/* 8 bytes with the header's length, which is filled in last, the header and the data. */
static void run_write(const run_call *c)
{
    FILE *f = fopen(c->out, "wb");
    static const char none[8];
    int ok = f && fwrite(none, 1, 8, f) == 8 && fputc('{', f) != EOF;
    if (ok) {
        run_write_header(c, f);
        ok = fputc('}', f) != EOF;
    }
    while (ok && ftell(f) % 8)
        ok = fputc(' ', f) != EOF;
    const long end = ok ? ftell(f) : 8;
    for (int i = 0; i < run_ntensor && ok; i++)
        if (run_tensors[i].kind != run_is_input)
            ok = fwrite(c->data[i], PACKAGE_type_bytes(run_tensors[i].type), c->elems[i], f) == c->elems[i];
    ok = ok && fseek(f, 0, SEEK_SET) == 0;
    for (int i = 0; i < 8 && ok; i++)
        ok = fputc((int)((uint64_t)(end - 8) >> 8 * i & 0xff), f) != EOF;
    if (!f || fclose(f) != 0 || !ok)
        run_fail(3, "cannot write %s", c->out);
}

/* ---- times ---- */

static double run_now(void)
{
    struct timespec t = { 0 };
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int run_order(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

//@ times

/* ---- the command line ---- */

_Noreturn static void run_usage(void)
{
#if FAMILY_CUDA
    run_fail(2, "usage: PACKAGE_run_model WEIGHTS.safetensors PAIR.safetensors [-o OUT.safetensors] [--times N] [DIM=NUMBER ...]");
#else
    run_fail(2, "usage: PACKAGE_run_model WEIGHTS.safetensors PAIR.safetensors [THREADS] [-o OUT.safetensors] [--times N] [DIM=NUMBER ...]");
#endif
}

/* A whole number from `least` on. */
static int64_t run_number(const char *text, int64_t least)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < least)
        run_usage();
    return value;
}

static void run_set_dim(run_call *c, const char *text, const char *equals)
{
    for (int i = 0; run_dim_names[i]; i++)
        if (strlen(run_dim_names[i]) == (size_t)(equals - text) && strncmp(run_dim_names[i], text, (size_t)(equals - text)) == 0) {
            *run_dim(&c->dims, i) = run_number(equals + 1, INT64_MIN);
            c->has_dim[i] = 1;
            return;
        }
    run_fail(2, "%s: the model has no such dim", text);
}

static void run_read_line(run_call *c, char **argument)
{
    for (; *argument; argument++) {
        const char *equals = strchr(*argument, '=');
        if ((strcmp(*argument, "-o") == 0 || strcmp(*argument, "--times") == 0) && argument[1]) {
            if ((*argument)[1] == 'o')
                c->out = *++argument;
            else
                c->times = (int)run_number(*++argument, 1);
        } else if (!c->weights && **argument != '-') {
            c->weights = *argument;
        } else if (!c->pair && **argument != '-') {
            c->pair = *argument;
        } else if (equals) {
            run_set_dim(c, *argument, equals);
        } else {
#if FAMILY_CUDA
            run_usage();
#else
            c->threads = (int)run_number(*argument, 1);
#endif
        }
    }
    if (!c->pair)
        run_usage();
}

int main(int argc, char **argv)
{
#if FAMILY_CUDA
    static run_call c;
#else
    static run_call c = { .threads = 1 };
#endif
    size_t bytes = 0;
    (void)argc;
    run_read_line(&c, argv + 1);
#if FAMILY_CUDA
    on_device_begin();
    on_device_must(cudaStreamCreate(&c.stream), "cudaStreamCreate");
#endif
    c.text = run_read(c.pair, &bytes);
    if (!PACKAGE_open(&c.file, c.text, bytes))
        run_fail(1, "%s is no safetensors file, or cut off", c.pair);
    run_find_dims(&c);
    run_make(&c);
    run_load(&c);
#if FAMILY_CUDA
    const size_t need = PACKAGE_run_bytes(&c.dims, NULL); /* of 0 bytes: the call says why */
    c.workspace = on_device_take(need);
    on_device_must(cudaMemsetAsync(c.workspace, 0, need, c.stream), "cudaMemsetAsync");
    run_once(&c, NULL);
    run_fetch(&c);
#else
    c.exec.threads = c.threads;
#ifndef PACKAGE_NO_THREADS
    PACKAGE_pool *pool = c.threads > 1 ? PACKAGE_pool_start(c.threads) : NULL;
    c.exec.parallel_for = pool ? PACKAGE_pool_run : NULL;
    c.exec.ctx = pool;
#endif
    c.workspace = run_take(PACKAGE_run_bytes(&c.dims, &c.exec)); /* of 0 bytes: the call says why */
    run_once(&c, &c.exec);
#endif
    const int wrong = run_compare(&c);
    if (c.out)
        run_write(&c);
    if (c.times)
        run_time(&c);
#if FAMILY_CPU
#ifndef PACKAGE_NO_THREADS
    PACKAGE_pool_stop(pool);
#endif
#endif
    return wrong > 0;
}
