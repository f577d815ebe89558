/* SPDX-License-Identifier: MIT-0
 *
 * test: every kernel of the package that the current device runs, and the dispatcher's choice, against the definition in double
 * precision, on extents around every kind of tail, with operands aligned to 256 bytes and to their element alone. The output lies
 * between canaries and is NaN before each call, or what the formula reads; the workspace is zeroed once for all calls.
#if HAS_STRIDED
 * Operands that may be strided lie densely and, in further rounds, with gaps, which are NaN in inputs and canaries in the output; inputs with the same
 * rows for several places, by strides of 0; and with their outer extents in the opposite order.
#endif
 *
 *   NAME_test [STRIDE]       every STRIDE-th shape (default 1: all)
 *
 * Exit code 0 when all agree, 77 when there is no device.
 */
#include "PACKAGE.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//@ problem

//@ run

#if IS_PLANTED
//@ plant

#endif
/* ---- results ---- */

/* Extents around the tiles of this package's kernels: EVERY_AXES. */
static const int64_t NAME_tried[][NAME_nextent] = {
//@ tried
};
enum { NAME_ntried = sizeof NAME_tried / sizeof *NAME_tried };

/* 1 if the result is wrong. */
static int NAME_check(NAME_site *s, int kernel, int shift, double *most)
{
    const PACKAGE_exec exec = { .kernel = kernel };
    NAME_send(s, shift);
    const int code = NAME_start(s, &exec, shift, NULL);
    if (code == PACKAGE_BAD_KERNEL && kernel)
        return 0; /* it is not for this device or call */
    const cudaError_t finished = cudaDeviceSynchronize();
    if (finished != cudaSuccess)
        NAME_die("kernel", finished);
    const double err = code == PACKAGE_OK ? NAME_fetch_worst(s, shift) : INFINITY;
    if (err > *most)
        *most = err;
    if (err <= 1)
        return 0;
    printf("wrong: ");
    NAME_print_extents(&s->problem);
    printf(" kernel %d shift %d%s: code %d, error %g of the tolerance\n", kernel - 1, shift, s->problem.is_planted ? " planted" : s->problem.is_apart ? " strided" : "", code,
           err);
    return 1;
}

/* The result of a call whose output is input k itself, where it may be. */
static int NAME_check_in_place(NAME_site *s, int k, int kernel, int shift)
{
    const PACKAGE_exec exec = { .kernel = kernel };
    NAME_site at = *s;
    NAME_send(s, shift);
    NAME_put_in_place(&s->problem, k);
    NAME_copy(s->memory[NAME_out] + (size_t)shift * NAME_fact[NAME_out].bytes, s->problem.operand[NAME_out].room, NAME_room_bytes(&s->problem, NAME_out),
              cudaMemcpyHostToDevice);
    at.memory[k] = s->memory[NAME_out];
    const int code = NAME_start(&at, &exec, shift, NULL);
    if (code == PACKAGE_BAD_KERNEL && kernel)
        return 0;
    const cudaError_t finished = cudaDeviceSynchronize();
    if (finished != cudaSuccess)
        NAME_die("kernel", finished);
    if (code == PACKAGE_OK && NAME_fetch_worst(s, shift) <= 1)
        return 0;
    printf("wrong: ");
    NAME_print_extents(&s->problem);
    printf(" kernel %d shift %d with the output in place of operand %d: code %d\n", kernel - 1, shift, k, code);
    return 1;
}

/* Every kernel on one problem; adds to *ncheck. */
static int NAME_check_all(NAME_site *s, int *ncheck, double *most)
{
    int failed = 0;
    for (int kernel = 0; kernel <= NAME_nkernel(); kernel++)
        for (int shift = 0; shift < 2; shift++, ++*ncheck)
            failed += NAME_check(s, kernel, shift, most);
    for (int k = 0; k < NAME_noperand; k++)
        for (int kernel = 0; NAME_fact[k].may_be_output && NAME_lies_alike(&s->problem, k) && kernel <= NAME_nkernel(); kernel++, ++*ncheck)
            failed += NAME_check_in_place(s, k, kernel, 0);
    return failed;
}

/* ---- the contract besides the result ---- */

static int NAME_expect(const char *what, int got, int wanted)
{
    if (got == wanted)
        return 0;
    printf("%s: code %d instead of %d\n", what, got, wanted);
    return 1;
}

/* An extent that is not legal is refused. */
static int NAME_check_extent(const NAME_site *s, int axis, int64_t extent)
{
    NAME_site odd = *s;
    odd.problem.extent[axis] = extent;
    const int failed = NAME_expect("a call with an extent that is not legal", NAME_start_on(&odd, NULL, 0, NULL, NULL), PACKAGE_BAD_EXTENT) +
                       NAME_expect("workspace of a call that is not legal", NAME_needs(&odd, NULL) == 0, 1) +
                       NAME_expect("choice of a call that is not legal",
                                   NAME_cuda_choose(EACH(axes, odd.problem.extent[PLACE])), -1);
    if (failed)
        printf("that was %s=%lld\n", NAME_extent_name[axis], (long long)extent);
    return failed;
}

/* A call is refused whose output lies over an input, were it by one element. */
static int NAME_check_overlap(const NAME_site *s, int k)
{
    NAME_site over = *s;
    size_t bytes = (size_t)s->problem.operand[k].span * NAME_fact[k].bytes;
    char *in = NAME_device_address(s, k, 0);
#if PACKED
    if (k == CONSTANT_PLACE) {
        bytes = NAME_cuda_packed_bytes(EACH(packed_axes, s->problem.extent[PLACE]));
        in = s->packed;
    }
#endif
    const size_t unit = NAME_fact[NAME_out].bytes, size = (size_t)s->problem.operand[NAME_out].span * unit;
    char *const out[] = { in, in + unit - size, in + (bytes + unit - 1) / unit * unit - unit };
    int failed = 0;
    for (int i = NAME_fact[k].may_be_output; in && bytes && size && i < 3; i++) { /* the output may be that very input */
        over.memory[NAME_out] = out[i] - NAME_canary;
        failed += NAME_expect("an output over an input", NAME_start(&over, NULL, 0, NULL), PACKAGE_BAD_OVERLAP);
    }
    return failed;
}

static int NAME_check_arguments(const NAME_site *s)
{
    const PACKAGE_exec none = { .kernel = NAME_nkernel() + 1 };
    int failed = 0;
//@ repeat axes
    failed += NAME_check_extent(s, PLACE, (int64_t)(FEWEST) - 1);
    failed += NAME_check_extent(s, PLACE, (int64_t)GREATEST + 1);
//@ end
    for (int k = 0; k < NAME_noperand; k++)
        failed += k != NAME_out && NAME_fact[k].rank && NAME_fact[k].is_passed ? NAME_check_overlap(s, k) : 0;
    failed += NAME_expect("no such kernel", NAME_start(s, &none, 0, NULL), PACKAGE_BAD_KERNEL);
    failed += NAME_expect("a choice", NAME_cuda_choose(EACH(axes, s->problem.extent[PLACE])) >= 0, 1);
    failed += NAME_expect("text of a kernel", NAME_kernel_text(0) && !NAME_kernel_text(NAME_nkernel()), 1);
    return failed;
}

/* Kernels that have a workspace: they refuse one that is not aligned, and work on one that an aborted call left as it may be once
 * it is cleared. */
static int NAME_check_workspace(NAME_site *s)
{
    int failed = 0;
    double most = 0;
    for (int kernel = 1; kernel <= NAME_nkernel(); kernel++) {
        const PACKAGE_exec exec = { .kernel = kernel };
        const size_t bytes = NAME_needs(s, &exec);
        char *const held = NAME_workspace(bytes);
        if (!held)
            continue;
        failed += NAME_expect("a workspace not aligned", NAME_start_on(s, &exec, 0, held + 4, NULL), PACKAGE_BAD_POINTER);
        failed += NAME_expect("no workspace", NAME_start_on(s, &exec, 0, NULL, NULL), PACKAGE_BAD_POINTER);
        failed += NAME_expect("clearing what is not aligned", PACKAGE_cuda_workspace_clear(held + 8, 8, NULL), PACKAGE_BAD_POINTER);
        failed += NAME_expect("spoiling it", cudaMemset(held, 1, bytes), cudaSuccess);
        failed += NAME_expect("clearing it", PACKAGE_cuda_workspace_clear(held, bytes, NULL), PACKAGE_OK);
        failed += NAME_check(s, kernel, 0, &most);
    }
    return failed + NAME_expect("clearing nothing", PACKAGE_cuda_workspace_clear(NULL, 0, NULL), PACKAGE_OK);
}

#ifndef DCGEN_EMULATOR
/* A call captured in a graph behind the clearing of its workspace, the graph started twice. */
static int NAME_check_graph(NAME_site *s)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    const size_t bytes = NAME_needs(s, NULL);
    void *const held = NAME_workspace(bytes); /* before the capture, which allows no allocation */
    if (cudaStreamCreate(&stream) != cudaSuccess)
        return NAME_expect("cudaStreamCreate", 1, 0);
    NAME_send(s, 0);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    const int cleared = PACKAGE_cuda_workspace_clear(held, bytes, stream), code = NAME_start(s, NULL, 0, stream);
    cudaStreamEndCapture(stream, &graph);
    int failed = NAME_expect("clearing under capture", cleared, PACKAGE_OK) + NAME_expect("a call under capture", code, PACKAGE_OK);
    if (!graph || cudaGraphInstantiateWithFlags(&exec, graph, 0) != cudaSuccess)
        return failed + NAME_expect("the captured graph", 1, 0);
    for (int i = 0; i < 2; i++)
        cudaGraphLaunch(exec, stream);
    failed += NAME_expect("the graph's run", cudaStreamSynchronize(stream), cudaSuccess);
    failed += NAME_expect("the graph's result", NAME_fetch_worst(s, 0) <= 1, 1);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return failed;
}
#endif

/* On the shape with the most elements along its axes, as only large calls have a workspace. */
static int NAME_check_contract(void)
{
    int largest = 0;
    double most = 0;
    for (int i = 0; i < NAME_ntried; i++) {
        double points = 1;
        for (int k = 0; k < NAME_nextent; k++)
            points *= NAME_tried[i][k] > 1 ? (double)NAME_tried[i][k] : 1;
        if (points > most) {
            largest = i;
            most = points;
        }
    }
    NAME_site s = NAME_site_new(NAME_tried[largest], INT64_MAX);
    int failed = NAME_check_arguments(&s) + NAME_check_workspace(&s);
#ifndef DCGEN_EMULATOR
    failed += NAME_check_graph(&s);
#endif
    NAME_site_free(&s);
    return failed;
}

int main(int argc, char **argv)
{
    const int stride = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 1;
    int failed = 0, ncheck = 0, ndevice = 0;
    double most = 0;
    if (cudaGetDeviceCount(&ndevice) != cudaSuccess || ndevice == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    failed += NAME_check_contract();
    for (int i = 0; i < NAME_ntried; i += stride) {
        NAME_site s = NAME_site_new(NAME_tried[i], INT64_MAX);
        s.problem.is_planned = i / stride % 2;
        failed += NAME_check_all(&s, &ncheck, &most);
#if HAS_STRIDED
        for (int way = 1; way <= 3; way++) {
            NAME_place_on_device(&s, way);
            NAME_define(&s.problem);
            failed += NAME_check_all(&s, &ncheck, &most);
        }
#endif
#if HAS_PARTS
        NAME_draw_parts(&s.problem, 1 + i % 3);
        failed += NAME_check_all(&s, &ncheck, &most);
#endif
#if HAS_ROWS
        if (i % 4 == 0) {
            NAME_draw_rows(&s.problem);
            failed += NAME_check_all(&s, &ncheck, &most);
        }
#endif
#if IS_PLANTED
        NAME_plant(&s.problem);
        NAME_pack_constant(&s);
        failed += NAME_check_all(&s, &ncheck, &most);
#endif
        NAME_site_free(&s);
    }
    printf("%d kernels, %d checks, %d failed; largest error %.3f of the tolerance\n", NAME_nkernel(), ncheck, failed, most);
    return failed != 0;
}
