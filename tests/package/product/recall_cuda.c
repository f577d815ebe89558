/* SPDX-License-Identifier: Apache-2.0
 *
 * recall_cuda WEIGHTS: the example of docs/model.md for GPUs against plain loops, rows at once and one by one, each
 * call twice, so that its graph is launched too; entries that give way to others; calls in a graph of the caller's, and
 * those that are refused. Writes the weights to that file.
 */
#include "example.c"
#include "recall_weights.h"

#include <stdlib.h>

static int failed;

static void tell(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s\n", what);
        failed++;
    }
}

static void *take(size_t bytes)
{
    void *p;
    if (cudaMalloc(&p, bytes) != cudaSuccess)
        exit(3);
    return p;
}

static cudaStream_t stream;
static float *x, *y; /* on the device: 64 rows of inputs, 8 of outputs */

static void compare(int n, const double *want)
{
    static float got[8 * WIDTH];
    double off = 0;
    tell(cudaStreamSynchronize(stream) == cudaSuccess &&
             cudaMemcpy(got, y, (size_t)n * WIDTH * sizeof *y, cudaMemcpyDeviceToHost) == cudaSuccess,
         "a kernel");
    for (int i = 0; i < n * WIDTH; i++)
        off = fabs((double)got[i] - want[i]) <= off ? off : fabs((double)got[i] - want[i]);
    tell(off < 1e-5, "a result");
}

static int kept_calls(const Recall *r)
{
    int n = 0;
    while (n < 16 && r->graphs[n].graph)
        n++;
    return n;
}

static void check_rows(Recall *r, const int *n, int calls)
{
    static double kept[64 * WIDTH], want[8 * WIDTH];
    for (int before = 0; *n; before += *n++) {
        reference(kept, *n, before, want);
        for (int again = 0; again < 2; again++) {
            tell(recall_rows(r, *n, before, x + before * DEPTH, y, stream) == recall_OK, "a call fails");
            compare(*n, want);
            tell(cudaMemset(y, 0xff, 8 * WIDTH * sizeof *y) == cudaSuccess, "cudaMemset");
        }
    }
    tell(kept_calls(r) == calls, "a call is kept twice, or not at all");
}

static int call(Recall *r, recall_kept *kept, int n, int64_t rows, struct CUstream_st *in)
{
    const recall_dims dims = { .T = rows, .P = 0 };
    const recall_inputs inputs = { .x = x };
    const recall_state state = { .kept = r->kept };
    const recall_outputs outputs = { .y = y };
    return recall_run_kept(kept, n, &r->model, &dims, &inputs, &state, &outputs, r->workspace, NULL, in);
}

/* Two entries for calls of three sizes, in turns. */
static void check_evicted(Recall *r)
{
    static double kept[64 * WIDTH], want[8 * WIDTH];
    static const int rows[] = { 3, 4, 3, 5, 3, 4, 4, 5, 3 };
    recall_kept two[2] = { { .graph = NULL } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reference(kept, rows[i], 0, want);
        tell(call(r, two, 2, rows[i], stream) == recall_OK && two[0].dims.T == rows[i],
             "the last call is not in front");
        compare(rows[i], want);
        tell(i == 0 || rows[i] == rows[i - 1] || two[1].dims.T == rows[i - 1], "the call before is not kept");
    }
    recall_kept_free(two, 2);
    tell(!two[0].graph && !two[1].graph, "entries are not freed");
    tell(call(r, NULL, 0, 4, stream) == recall_OK, "a call without entries");
    reference(kept, 4, 0, want);
    compare(4, want);
}

/* A graph of the caller's, with two calls in it. */
static void check_captured(Recall *r)
{
    static double kept[64 * WIDTH], want[8 * WIDTH];
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    recall_kept one = { .graph = NULL };
    tell(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "capturing");
    tell(call(r, NULL, 0, 8, stream) == recall_OK && call(r, NULL, 0, 5, stream) == recall_OK,
         "calls are not captured");
    tell(call(r, &one, 1, 5, stream) == recall_CUDA_ERROR && !one.graph, "a capture within a capture");
    tell(cudaStreamEndCapture(stream, &graph) == cudaSuccess &&
             cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess &&
             cudaMemset(y, 0xff, 8 * WIDTH * sizeof *y) == cudaSuccess && cudaGraphLaunch(exec, stream) == cudaSuccess,
         "the captured graph");
    reference(kept, 5, 0, want);
    compare(5, want);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void check_refused(Recall *r, const unsigned char *file, size_t bytes)
{
    recall_kept one = { .graph = NULL };
    recall_model other;
    tell(recall_rows(r, 9, 0, x, y, stream) == recall_BAD_SIZE &&
             recall_rows(r, 1, -1, x, y, stream) == recall_BAD_SIZE,
         "a dim is out of its range");
    tell(recall_rows(r, 8, 57, x, y, stream) == recall_BAD_SIZES_0, "more rows than are kept");
    tell(recall_run_bytes(&(recall_dims){ .T = 8, .P = 57 }, NULL) == 0, "memory for such a call");
    tell(call(r, NULL, 1, 5, stream) == recall_BAD_POINTER, "no entries, though there should be one");
    tell(call(r, &one, 1, 5, NULL) == recall_CUDA_ERROR && !one.graph, "the default stream is captured");
    tell(recall_load(&other, file, bytes - 1, r->weights, stream) == recall_BAD_WEIGHTS, "a file that is cut off");
    tell(recall_load(&other, NULL, 0, r->weights, stream) == recall_BAD_WEIGHTS, "no file");
    tell(recall_load(&other, file, bytes, NULL, stream) == recall_BAD_POINTER, "no memory for weights");
}

int main(int argc, char **argv)
{
    static unsigned char file[16384];
    static float rows[64 * DEPTH];
    static Recall r;
    (void)argc;
    const size_t bytes =
        put_weights(file, "{\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2048,2176]},"
                          "\"embed.weight\":{\"dtype\":\"F32\",\"shape\":[32,16],\"data_offsets\":[0,2048]}}");
    for (int i = 0; i < 64 * DEPTH; i++)
        rows[i] = input(i);
    x = take(sizeof rows);
    y = take(8 * WIDTH * sizeof *y);
    tell(cudaMemcpy(x, rows, sizeof rows, cudaMemcpyHostToDevice) == cudaSuccess &&
             cudaMemset(y, 0xff, 8 * WIDTH * sizeof *y) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess,
         "the device");
    tell(write_file(argv[1], file, bytes) && recall_begin(&r, file, bytes, stream) == recall_OK, "the weights");
    check_rows(&r, (const int[]){ 8, 8, 0 }, 2);
    check_rows(&r, (const int[]){ 5, 1, 1, 1, 8, 1, 0 }, 7); /* 8 behind 8 once more */
    check_evicted(&r);
    check_captured(&r);
    check_refused(&r, file, bytes);
    recall_kept_free(r.graphs, 16);
    return failed != 0;
}
