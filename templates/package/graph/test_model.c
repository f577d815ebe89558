/* SPDX-License-Identifier: MIT-0
 *
 * test_model [WEIGHTS]: the whole model, at awkward dims, on weights of a safetensors file or on random ones.
 *
 * 1. Its nodes are called one by one, each tensor in memory of its own. Every result is compared with the function's definition in double precision
 *    on the very operands that the call had: it must be within what rounding may cause.
#if FAMILY_CUDA
 * 2. PACKAGE_run, and PACKAGE_run_kept twice, in one workspace for all dims, between canaries, must give the same bits as these calls did.
#else
 * 2. PACKAGE_run, with one and with three threads, in a workspace of NaN between canaries, must give the same bits as these calls did.
#endif
 * 3. The definitions are computed one after the other in double precision, from the model's inputs to its outputs, and the largest difference from
 *    what PACKAGE_run gave is told, as a part of the largest output.
#if FAMILY_CUDA
 * Dims outside of their ranges, NULLs and files that are cut off are refused. Exit code 0 when all agree, 77 when there is no device.
#else
 * Dims outside of their ranges, NULLs and files that are cut off are refused. Exit code 0 when all agree.
#endif
 */
#include "PACKAGE_model.h"
#if FAMILY_CPU
#ifndef PACKAGE_NO_THREADS
#include "PACKAGE_pool.h"
#endif
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#if FAMILY_CUDA
#include "on_device.h"
#endif

//@ arithmetic

//@ safetensors

extern const PACKAGE_check CALLEE_check_of_nodes; //@ repeat node_functions

enum { ninput, constant, state, output, inner };

typedef struct {
    const char *name;
    int kind, number; /* which of its kind it is */
    int whole;        /* of whole numbers */
    size_t bytes;     /* of an element */
    int64_t elems;
    void *is, *wide;  /* as calls have it, and in double precision */
    void *first;      /* of what stays from call to call: what it holds before the first one */
#if FAMILY_CUDA
    char *there;      /* as calls have it, on the device */
#endif
} tensor;

enum { NTENSORS = NTENSOR, CANARY = 256 };

static void *take(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    memset(p, 0xff, (bytes + 127) / 64 * 64);
    return p;
}

/* ---- what the model is given ---- */

static void set(tensor *t, const char *name, int kind, int number, int whole, size_t bytes, int64_t elems)
{
#if FAMILY_CUDA
    *t = (tensor){ name, kind, number, whole, bytes, elems, take((size_t)elems * bytes), NULL, NULL, NULL };
#else
    *t = (tensor){ name, kind, number, whole, bytes, elems, take((size_t)elems * bytes), NULL, NULL };
#endif
    if (kind == state || kind == output || kind == inner)
        t->wide = take((size_t)elems * (whole ? bytes : sizeof(double)));
}

/* Draws what a tensor holds, as the operand of a node does. Weights of sums are small, so that these stay about as large as what is summed. */
static void draw(tensor *t, const PACKAGE_check *check, const int64_t *extent, int operand, double scale)
{
    if (t->first || (t->kind != ninput && t->kind != constant && t->kind != state))
        return;
    memset(t->is, 0, (size_t)t->elems * t->bytes);
    if (check->draw(extent, operand, NULL) == t->elems) /* else the node reads a part of it */
        check->draw(extent, operand, t->is);
    for (int64_t i = 0; i < t->elems && t->bytes == sizeof(float) && !t->whole && check->draw(extent, operand, NULL) != t->elems; i++)
        ((float *)t->is)[i] = (float)(i * 7919 % 2003) / 1001 - 1;
    for (int64_t i = 0; i < t->elems && t->bytes == sizeof(float) && !t->whole && t->kind == constant; i++)
        ((float *)t->is)[i] *= (float)scale;
    t->first = take((size_t)t->elems * t->bytes);
    memcpy(t->first, t->is, (size_t)t->elems * t->bytes);
}

/* What stays from call to call is as before the first one, in double precision or as calls have it. */
static void begin(tensor *t, int is_wide)
{
    for (int k = 0; k < NTENSORS; k++, t++) {
        if (t->kind != state)
            continue;
        if (!is_wide) {
            memcpy(t->is, t->first, (size_t)t->elems * t->bytes);
            continue;
        }
        if (t->whole)
            memcpy(t->wide, t->first, (size_t)t->elems * t->bytes);
        for (int64_t i = 0; i < t->elems && !t->whole && t->bytes == sizeof(float); i++)
            ((double *)t->wide)[i] = ((const float *)t->first)[i];
    }
}

static PACKAGE_seen seen(const tensor *t, int64_t at, int wide)
{
    const int is_wide = wide && t->wide;
    return (PACKAGE_seen){ .at = (char *)(is_wide ? t->wide : t->is) + (size_t)at * (is_wide && !t->whole ? sizeof(double) : t->bytes),
                           .given = (const char *)t->is + (size_t)at * t->bytes,
                           .wide = is_wide };
}

static char *weights_file;
static size_t weights_bytes;

static void read_weights(const char *path)
{
    FILE *f = fopen(path, "rb");
    long end = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) >= 0) {
        rewind(f);
        weights_file = take((size_t)end);
        weights_bytes = fread(weights_file, 1, (size_t)end, f);
    }
    if (!f || end < 0 || weights_bytes != (size_t)end) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(3);
    }
    fclose(f);
}

#if FAMILY_CPU
/* A copy in one of two buffers, in turn: where a weight that is packed may be. */
static const void *buffered(const void *data, size_t bytes)
{
    static void *buffer[2];
    static int turn;
    turn = !turn;
    free(buffer[turn]);
    return memcpy(buffer[turn] = take(bytes), data, bytes);
}

#endif
static const void *find(void *ctx, const char *name, size_t bytes)
{
    tensor *t = ctx;
    (void)bytes;
    for (int k = 0; k < NTENSORS; k++, t++)
        if (t->kind == constant && strcmp(PACKAGE_weight_at(t->number)->name, name) == 0)
#if FAMILY_CPU
            return PACKAGE_weight_at(t->number)->stays ? t->is : buffered(t->is, bytes);
#else
            return t->is;
#endif
    return NULL;
}

static size_t bytes_of(const tensor *t) { return (size_t)t->elems * t->bytes; }

#if FAMILY_CUDA
/* ---- on the device ---- */

/* Gives all tensors their places in memory of the device, which is given. */
static char *place_all(tensor *t)
{
    size_t bytes = 0;
    for (int k = 0; k < NTENSORS; k++)
        bytes += (bytes_of(&t[k]) + 255) / 256 * 256;
    char *const memory = on_device_take(bytes);
    for (int k = NTENSORS - 1; k >= 0; k--) {
        bytes -= (bytes_of(&t[k]) + 255) / 256 * 256;
        t[k].there = memory + bytes;
    }
    return memory;
}

static void send_all(const tensor *t)
{
    for (int k = 0; k < NTENSORS; k++)
        on_device_send(t[k].there, t[k].is, bytes_of(&t[k]));
}

static void fetch(const tensor *t) { on_device_fetch(t->is, t->there, bytes_of(t)); }

#endif
/* ---- one set of dims ---- */

static int failed;

static void tell(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s\n", what);
        failed++;
    }
}

#define STRIDES(...) (const int64_t[]){ __VA_ARGS__ }
#define NODE(number, call) \
    do { \
        const int code = (call); \
        if (code != PACKAGE_OK) { \
            printf("wrong: %s: %s\n", PACKAGE_node_name(number), PACKAGE_strerror(code)); \
            exit(1); \
        } \
    } while (0)

/* The operands of a node: each a tensor, where it begins there, and its strides. */
#define SEEN(i, tensor_number, offset, ...) \
    operand[i] = seen(&t[tensor_number], offset, how != called); \
    memcpy(operand[i].stride, ((const int64_t[12]){ __VA_ARGS__ }), sizeof operand[i].stride)

/* Draws all that the model is given, which depends on what nodes take it for. */
static void draw_all(tensor *t, const PACKAGE_dims *dims)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)dims;
    (void)DIM; //@ repeat dims
//@ repeat draws
    draw(&t[TENSOR_NUMBER], &CALLEE_check_of_nodes, (const int64_t[]){ NODE_EXTENTS }, OPERAND_NUMBER, DRAW_SCALE);
//@ end
}

enum { called, wide, shaken };

/* Calls the nodes one by one, and gives the largest error of any. wide, shaken: computes their definitions instead, in double precision, as they are or
 * each off by what rounding may cause. */
static double run_nodes(tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims, void *scratch, int how)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)dims, (void)model, (void)scratch;
    (void)DIM; //@ repeat dims
#if FAMILY_CUDA
    TENSOR_TYPE *const TENSOR = (TENSOR_TYPE *)t[TENSOR_NUMBER].there; //@ repeat every_tensor
    struct CUstream_st *const stream = NULL;
#else
    TENSOR_TYPE *const TENSOR = t[TENSOR_NUMBER].is; //@ repeat every_tensor
#endif
    (void)TENSOR; //@ repeat every_tensor
    const PACKAGE_exec *const exec = NULL;
    PACKAGE_seen operand[12];
    double most = 0, err;
//@ repeat nodes
    /* NODE_COMMENT */
    if (how == called)
        NODE(NUMBER, CALL(NODE_SIZES, NODE_OPERANDS, scratch, CALL_WITH));
#if FAMILY_CUDA
    if (how == called)
        fetch(&t[RESULT_NUMBER]);
#endif
    SEEN(SEEN_AS); //@ repeat seen
    if (how != called)
        CALLEE_check_of_nodes.define((const int64_t[]){ NODE_EXTENTS }, operand, how == shaken);
    err = how != called ? 0 : CALLEE_check_of_nodes.compare((const int64_t[]){ NODE_EXTENTS }, operand);
    most = err > most ? err : most;
    if (!(err <= 1)) {
        printf("wrong: %s: error %g of what rounding may cause\n", PACKAGE_node_name(NUMBER), err);
        failed++;
    }
//@ end
    return most;
}

/* Where calls of PACKAGE_run write. */
typedef struct {
    char *memory, *workspace;
    size_t bytes;
#if FAMILY_CUDA
    PACKAGE_kept *kept; /* room for two calls, or NULL */
    cudaStream_t stream;
#endif
    void *own[NTENSORS]; /* outputs and states */
} room;

static int run(const tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims, const room *r, const PACKAGE_exec *exec)
{
#if NINPUT
    const PACKAGE_inputs inputs = {
#if FAMILY_CUDA
        .MEMBER = (const TENSOR_TYPE *)t[TENSOR_NUMBER].there, //@ repeat inputs
#else
        .MEMBER = t[TENSOR_NUMBER].is, //@ repeat inputs
#endif
    };
#endif
#if NSTATE
    const PACKAGE_state kept = {
        .MEMBER = r->own[TENSOR_NUMBER], //@ repeat states
    };
#endif
    const PACKAGE_outputs outputs = {
        .MEMBER = r->own[TENSOR_NUMBER], //@ repeat outputs
    };
    (void)t;
#if FAMILY_CUDA
    return PACKAGE_run_kept(r->kept, r->kept ? 2 : 0, model, dims,
#else
    return PACKAGE_run(model, dims,
#endif
#if NINPUT
                       &inputs,
#endif
#if NSTATE
                       &kept,
#endif
#if FAMILY_CUDA
                       &outputs, r->workspace, exec, r->stream);
#else
                       &outputs, r->workspace, exec);
#endif
}

#if FAMILY_CUDA
/* Sets outputs and states as they are before a call. */
static void begin_on_device(const tensor *t, const room *r)
{
    for (int k = 0; k < NTENSORS; k++)
        if (r->own[k]) {
            void *const unset = take(bytes_of(&t[k]));
            on_device_send(r->own[k], t[k].kind == state ? t[k].first : unset, bytes_of(&t[k]));
            free(unset);
        }
}

/* Are they what the nodes gave one by one? */
static void compare_on_device(const tensor *t, const room *r)
{
    for (int k = 0; k < NTENSORS; k++)
        if (r->own[k]) {
            void *const own = take(bytes_of(&t[k]));
            on_device_fetch(own, r->own[k], bytes_of(&t[k]));
            tell(memcmp(own, t[k].is, bytes_of(&t[k])) == 0, "PACKAGE_run gives other results than its nodes one by one");
            free(own);
        }
}

/* Places outputs and states in memory of the device, which is given. */
static char *place_own(const tensor *t, room *r)
{
    size_t bytes = 0, at = 0;
    for (int k = 0; k < NTENSORS; k++)
        bytes += (bytes_of(&t[k]) + 255) / 256 * 256;
    char *const memory = on_device_take(bytes);
    for (int k = 0; k < NTENSORS; k++) {
        if (t[k].kind == state || t[k].kind == output)
            r->own[k] = memory + at;
        at += (bytes_of(&t[k]) + 255) / 256 * 256;
    }
    return memory;
}

/* Runs the model, queued and kept, and compares what it gives with what the nodes gave one by one. memory: a workspace for any of the dims that are
 * tried, which was zeroed once, with room for a canary in front of it and one behind. */
static void check_run(const tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims, char *memory)
{
    PACKAGE_kept kept[2];
    unsigned char canary[CANARY], found[2][CANARY];
    room r = { .bytes = PACKAGE_run_bytes(dims, NULL), .workspace = memory + CANARY };
    memset(kept, 0, sizeof kept);
    memset(canary, 0xa5, sizeof canary);
    on_device_send(memory, canary, CANARY);
    on_device_send(r.workspace + r.bytes, canary, CANARY);
    on_device_must(cudaStreamCreate(&r.stream), "cudaStreamCreate");
    char *const own = place_own(t, &r);
    for (int call = 0; call < 4; call++) {
        begin_on_device(t, &r);
        r.kept = call ? kept : NULL; /* queued twice, the second time captured behind that; then launched */
        tell(run(t, model, dims, &r, NULL) == PACKAGE_OK, call ? "PACKAGE_run_kept fails" : "PACKAGE_run fails");
        compare_on_device(t, &r);
    }
    tell(kept[0].graph && !kept[1].graph, "one call is not kept as one");
    PACKAGE_kept_free(kept, 2);
    on_device_fetch(found[0], memory, CANARY);
    on_device_fetch(found[1], r.workspace + r.bytes, CANARY);
    tell(memcmp(found[0], canary, CANARY) == 0 && memcmp(found[1], canary, CANARY) == 0, "PACKAGE_run writes beside its workspace");
    cudaStreamDestroy(r.stream);
    cudaFree(own);
}
#else
/* Is an output what the nodes gave one by one? On several threads sums may have another order. */
static int is_same(const tensor *t, const void *own, int threads)
{
    double most = 0, off = 0;
    if (threads <= 1 || t->whole || t->bytes != sizeof(float))
        return threads > 1 || memcmp(own, t->is, (size_t)t->elems * t->bytes) == 0;
    for (int64_t i = 0; i < t->elems; i++) {
        const float one = ((const float *)own)[i], other = ((const float *)t->is)[i];
        if (memcmp(&one, &other, sizeof one) == 0)
            continue;
        most = fmax(most, fabsf(other));
        off = fabsf(one - other) <= off ? off : fabsf(one - other);
    }
    return off <= most * (NNODE * 64 * 0x1p-24 + 1e-6);
}

/* Runs the model, and compares what it gives with what the nodes gave one by one. */
static void check_run(const tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims, const PACKAGE_exec *exec)
{
    room r = { .bytes = PACKAGE_run_bytes(dims, exec) };
    tell(r.bytes > 0, "PACKAGE_run_bytes gives 0");
    r.memory = take(r.bytes + 2 * CANARY);
    memset(r.memory, 0xa5, r.bytes + 2 * CANARY);
    r.workspace = r.memory + CANARY;
    memset(r.workspace, 0xff, r.bytes);
    for (int k = 0; k < NTENSORS; k++)
        if (t[k].kind == state || t[k].kind == output) {
            r.own[k] = take(bytes_of(&t[k]));
            if (t[k].kind == state)
                memcpy(r.own[k], t[k].first, bytes_of(&t[k]));
        }
    tell(run(t, model, dims, &r, exec) == PACKAGE_OK, "PACKAGE_run fails");
    for (int k = 0; k < NTENSORS; k++)
        if (r.own[k]) {
            tell(is_same(&t[k], r.own[k], exec->threads), "PACKAGE_run gives other results than its nodes one by one");
            free(r.own[k]);
        }
    int kept = 1;
    for (size_t i = 0; i < CANARY; i++)
        kept = kept && (unsigned char)r.memory[i] == 0xa5 && (unsigned char)r.workspace[r.bytes + i] == 0xa5;
    tell(kept, "PACKAGE_run writes beside its workspace");
    free(r.memory);
}
#endif

/* The largest difference of an output, or of `other` where that is given, from that in double precision, as a part of the largest output. */
static double difference(const tensor *t, double *const *other)
{
    double worst = 0;
    for (int k = 0; k < NTENSORS; k++) {
        double most = 0, off = 0;
        if ((t[k].kind != output && t[k].kind != state) || t[k].whole || t[k].bytes != sizeof(float))
            continue;
        for (int64_t i = 0; i < t[k].elems; i++) {
            const double is = other ? other[k][i] : (double)((const float *)t[k].is)[i], exact = ((const double *)t[k].wide)[i];
            if (is == exact || (isnan(is) && isnan(exact)))
                continue;
            most = fmax(most, fabs(exact));
            off = isnan(off) || fabs(is - exact) <= off ? off : fabs(is - exact);
        }
        worst = !(off <= 0) && !(off / most <= worst) ? off / most : worst;
    }
    return worst;
}

/* How far outputs in double precision move where each node is off by what rounding may cause: much where what is added before is much larger than the
 * result, as of masks. */
static double unrest(tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims, void *scratch)
{
    double *before[NTENSORS + 1] = { NULL };
    for (int k = 0; k < NTENSORS; k++)
        if ((t[k].kind == output || t[k].kind == state) && !t[k].whole)
            before[k] = memcpy(take((size_t)t[k].elems * sizeof(double)), t[k].wide, (size_t)t[k].elems * sizeof(double));
    begin(t, 1);
    run_nodes(t, model, dims, scratch, shaken);
    const double off = difference(t, before);
    for (int k = 0; k < NTENSORS; k++)
        free(before[k]);
    return off;
}

/* Calls that cannot be made say so, and so do files that hold no such weights. */
static void check_refused(const tensor *t, const PACKAGE_model *model, const PACKAGE_dims *dims)
{
    const room none = { .workspace = NULL };
    PACKAGE_dims wrong = *dims;
    PACKAGE_model other;
    tell(run(t, model, dims, &none, NULL) == PACKAGE_BAD_POINTER, "no workspace, and it is not refused");
    tell(PACKAGE_run_bytes(NULL, NULL) == 0, "PACKAGE_run_bytes takes no dims");
//@ repeat dims
    wrong.MEMBER = (int64_t)DIM_LEAST - 1;
    tell(PACKAGE_run_bytes(&wrong, NULL) == 0, "MEMBER is too small, and PACKAGE_run_bytes takes it");
    wrong = *dims;
//@ end
    (void)wrong;
    for (size_t bytes = 0; weights_file && bytes < weights_bytes; bytes += 1 + weights_bytes / 7)
#if FAMILY_CUDA
        tell(PACKAGE_load(&other, weights_file, bytes, NULL, NULL) != PACKAGE_OK, "a file that is cut off is loaded");
    tell(PACKAGE_load(&other, "not a file", 10, NULL, NULL) == PACKAGE_BAD_WEIGHTS, "a file of other contents is loaded");
#else
        tell(PACKAGE_load(&other, weights_file, bytes, NULL) != PACKAGE_OK, "a file that is cut off is loaded");
    tell(PACKAGE_load(&other, "not a file", 10, NULL) == PACKAGE_BAD_WEIGHTS, "a file of other contents is loaded");
#endif
}

/* What the file has, which was loaded. */
static void read_weight(tensor *t)
{
    const PACKAGE_weight *w = PACKAGE_weight_at(t->number);
    PACKAGE_file f;
    uint64_t extent[MOST_RANK];
    if (PACKAGE_open(&f, weights_file, weights_bytes) && PACKAGE_seek(&f, w->name))
        memcpy(t->is, PACKAGE_tensor(&f, w->type, w->rank, extent), bytes_of(t));
}

static PACKAGE_model load(tensor *t, void **memory)
{
    PACKAGE_model model;
    const size_t bytes = PACKAGE_model_bytes();
#if FAMILY_CUDA
    *memory = on_device_take(bytes);
    const int code = weights_file ? PACKAGE_load(&model, weights_file, weights_bytes, *memory, NULL) : PACKAGE_load_from(&model, find, t, *memory, NULL);
#else
    *memory = take(bytes);
    const int code = weights_file ? PACKAGE_load(&model, weights_file, weights_bytes, *memory) : PACKAGE_load_from(&model, find, t, *memory);
#endif
    if (code != PACKAGE_OK) {
        printf("wrong: the model cannot be loaded: %s\n", PACKAGE_strerror(code));
        exit(1);
    }
    for (int k = 0; k < NTENSORS && weights_file; k++)
        if (t[k].kind == constant)
            read_weight(&t[k]);
    return model;
}

#if FAMILY_CUDA
static void check(const PACKAGE_dims *dims, char *workspace)
#else
static void check(const PACKAGE_dims *dims)
#endif
{
    tensor t[NTENSORS + 1];
    void *memory;
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)DIM; //@ repeat dims
    set(&t[TENSOR_NUMBER], "MEMBER", TENSOR_KIND, PLACE, IS_WHOLE, sizeof(TENSOR_TYPE), TENSOR_ELEMS); //@ repeat every_tensor
    draw_all(t, dims);
    const PACKAGE_model model = load(t, &memory);
#if FAMILY_CUDA
    void *const scratch = workspace + CANARY, *const there = place_all(t);
    tell(PACKAGE_run_bytes(dims, NULL) > 0, "PACKAGE_run_bytes gives 0");
    begin(t, 0);
    send_all(t);
    const double most = run_nodes(t, &model, dims, scratch, called);
    check_run(t, &model, dims, workspace);
#else
    PACKAGE_exec exec = { .threads = 1 };
    void *scratch = take(PACKAGE_run_bytes(dims, &exec));
    begin(t, 0);
    const double most = run_nodes(t, &model, dims, scratch, called);
    check_run(t, &model, dims, &exec);
#ifndef PACKAGE_NO_THREADS
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    exec = (PACKAGE_exec){ .threads = 3, .parallel_for = PACKAGE_pool_run, .ctx = pool };
    check_run(t, &model, dims, &exec);
    PACKAGE_pool_stop(pool);
#endif
#endif
    check_refused(t, &model, dims);
    begin(t, 1);
    run_nodes(t, &model, dims, scratch, wide);
    const double off = difference(t, NULL);
#if ROUNDS_INPUTS
    const double usual = NNODE * INPUT_ROUNDING + 1e-6;
#else
    const double usual = NNODE * 64 * 0x1p-24 + 1e-6;
#endif
    printf("MEMBER = %lld ", (long long)DIM); //@ repeat dims
    printf(": each node within %.3g of what rounding may cause; outputs off by %.3g of the largest\n", most, off);
    if (!(off <= usual)) {
        const double most_off = unrest(t, &model, dims, scratch);
        printf("  rounding may move them by %.3g\n", most_off);
        tell(off <= most_off, "outputs are too far from those in double precision");
    }
    for (int k = 0; k < NTENSORS; k++) {
        free(t[k].is);
        free(t[k].wide);
        free(t[k].first);
    }
#if FAMILY_CUDA
    cudaFree(there);
    cudaFree(memory);
#else
    free(scratch);
    free(memory);
#endif
}

int main(int argc, char **argv)
{
    static const PACKAGE_dims tried[] = {
        { TRIED_DIMS }, //@ repeat tried_dims
    };
    if (argc > 1)
        read_weights(argv[1]);
#if FAMILY_CUDA
    size_t most = 0;
    on_device_begin();
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        most = PACKAGE_run_bytes(&tried[i], NULL) > most ? PACKAGE_run_bytes(&tried[i], NULL) : most;
    char *const workspace = on_device_take(most + 2 * CANARY);
    tell(PACKAGE_cuda_workspace_clear(workspace, most + 2 * CANARY, NULL) == PACKAGE_OK, "the workspace cannot be cleared");
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        check(&tried[i], workspace);
    cudaFree(workspace);
#else
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        check(&tried[i]);
#endif
    printf(failed ? "%d wrong\n" : "all right\n", failed);
    return failed != 0;
}
