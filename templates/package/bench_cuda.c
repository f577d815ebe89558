/* SPDX-License-Identifier: MIT-0
 *
 * bench: how fast the package is on its tuned shapes, each with the kernel that the dispatcher chooses. Results are verified before they are
 * timed. Then rounds are held: in each, every side once, in turns forward and backward; a sample is a CUDA graph of many calls, so that no
 * launch of the host is timed. Reported are medians. Then the same with a cold L2 cache: a graph of calls, each behind a flush (flush_l2.h),
 * less a graph of the flushes alone: what a call leaves in the cache to be written back, which the next flush does, counts.
#if HAS_LIBRARY
 *
 * The other sides are RIVAL (LIBRARY_FILE) as it comes, and with the fastest of all algorithms that it proposes. A ratio is the median of
 * those of samples taken side by side; above 1 the package is faster.
#endif
 *
 *     NAME_bench [--json] [--rounds N] [--seconds N] [--shape EVERY_AXES]
 *
 * --json: besides the table, a line with one JSON object for each shape; --seconds: no shape is begun after so long.
 * Exit code 0: all measured; 1: a wrong result; 2: bad usage; 77: no device.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "PACKAGE.h"
#include "flush_l2.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//@ problem

//@ run

//@ timed

/* ---- sides ---- */

enum { NAME_most_rounds = 101, NAME_most_calls = 400, NAME_cold_calls = 30, NAME_checked_terms = 1 << 24 };
static const double NAME_sample_us = 500; /* about */

#if HAS_LIBRARY
/* The package, and the library as it comes, and at its best. */
enum { NAME_own, NAME_default, NAME_best, NAME_nside };
static const char *const NAME_side_name[NAME_nside] = { "the package", "RIVAL as it comes", "RIVAL at its best" };
#else
enum { NAME_own, NAME_nside };
#endif

/* A call on a device. */
typedef struct {
    NAME_site site;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    PACKAGE_flush flush; /* without a kernel there are no cold times */
#if HAS_LIBRARY
    int64_t extent[NAME_nextent + NAME_noperand * (NAME_max_rank - 1)]; /* with strides behind them, as the library takes them */
    void *operand[NAME_noperand], *workspace;
    int nway; /* of the library's algorithms, so many were tried */
#endif
} NAME_contest;

/* Starts a call: 0, or an error. */
typedef int NAME_starter(const NAME_contest *c);

static void NAME_must(const char *what, cudaError_t code)
{
    if (code != cudaSuccess)
        NAME_die(what, code);
}

static int NAME_start_own(const NAME_contest *c) { return NAME_start(&c->site, NULL, 0, c->stream); }

/* What a cold call takes beside the call. */
static int NAME_start_nothing(const NAME_contest *c) { return (void)c, 0; }
#if HAS_LIBRARY

/* LIBRARY_FILE, which is left out where there is no cublasLt.h. */
__attribute__((weak)) int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream);
__attribute__((weak)) int64_t dcgen_scratch(const int64_t *extent, int64_t ntask);
__attribute__((weak)) const char *dcgen_name(void);
__attribute__((weak)) const char *dcgen_why(int code);
__attribute__((weak)) void dcgen_use(int way);

static int NAME_has_library(void) { return dcgen_launch && (!dcgen_name || dcgen_name()); }

static int NAME_start_library(const NAME_contest *c) { return dcgen_launch(c->extent, c->operand, c->workspace, NULL, c->stream); }

static void NAME_ask_library(NAME_contest *c)
{
    NAME_describe(&c->site.problem, c->extent);
    for (int k = 0; k < NAME_noperand; k++)
        c->operand[k] = NAME_device_address(&c->site, k, 0);
    const size_t bytes = dcgen_scratch ? (size_t)dcgen_scratch(c->extent, 1) : 0;
    cudaFree(c->workspace); /* of the shape before */
    c->workspace = NAME_take_device(bytes);
    NAME_must("cudaMemset", cudaMemset(c->workspace, 0, bytes));
    c->nway = 0;
}
#endif

/* ---- samples ---- */

typedef struct {
    cudaGraphExec_t graph, cold; /* NULL: this side cannot compute the shape */
    int ncall;
    double us[NAME_most_rounds], cold_us[NAME_most_rounds];
} NAME_sampler;

/* Of a call in a graph of so many, behind a launch of the same graph: that warms the caches, and the GPU still works when the host has launched
 * the one that is timed. */
static double NAME_graph_us(const NAME_contest *c, cudaGraphExec_t graph, int ncall)
{
    float ms = 0;
    NAME_must("cudaGraphLaunch", cudaGraphLaunch(graph, c->stream));
    NAME_must("cudaEventRecord", cudaEventRecord(c->begin, c->stream));
    NAME_must("cudaGraphLaunch", cudaGraphLaunch(graph, c->stream));
    NAME_must("cudaEventRecord", cudaEventRecord(c->end, c->stream));
    NAME_must("timing", cudaEventSynchronize(c->end));
    NAME_must("cudaEventElapsedTime", cudaEventElapsedTime(&ms, c->begin, c->end));
    return 1e3 * (double)ms / ncall;
}

/* A graph of so many calls, each behind a flush if they shall be cold; NULL: the side refuses. */
static cudaGraphExec_t NAME_record(const NAME_contest *c, NAME_starter *start, int ncall, int is_cold)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    int code = 0;
    NAME_must("cudaStreamBeginCapture", cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < ncall && code == 0; i++) {
        code = is_cold ? PACKAGE_flush_start(&c->flush, c->stream) : 0;
        code = code ? code : start(c);
    }
    if (cudaStreamEndCapture(c->stream, &graph) == cudaSuccess && graph && code == 0)
        NAME_must("cudaGraphInstantiate", cudaGraphInstantiateWithFlags(&exec, graph, 0));
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError(); /* a refused capture leaves one */
    return exec;
}

/* As many calls as take about NAME_sample_us. */
static NAME_sampler NAME_sampler_new(const NAME_contest *c, NAME_starter *start)
{
    NAME_sampler s = { .ncall = 4 };
    cudaGraphExec_t probe = NAME_record(c, start, s.ncall, 0);
    if (!probe)
        return s;
    s.ncall = (int)fmin(NAME_most_calls, fmax(s.ncall, NAME_sample_us / NAME_graph_us(c, probe, s.ncall)));
    cudaGraphExecDestroy(probe);
    s.graph = NAME_record(c, start, s.ncall, 0);
    return s;
}

static void NAME_sampler_free(NAME_sampler *s)
{
    if (s->graph)
        cudaGraphExecDestroy(s->graph);
    if (s->cold)
        cudaGraphExecDestroy(s->cold);
    s->graph = s->cold = NULL;
}

static int NAME_is_right(NAME_contest *c, NAME_starter *start, int *code)
{
    NAME_send(&c->site, 0);
    *code = start(c);
    return *code == 0 && NAME_fetch_worst(&c->site, 0) <= 1;
}
#if HAS_LIBRARY

/* The fastest of the library's algorithms, which is in use behind this. */
static void NAME_use_best(NAME_contest *c)
{
    enum { MOST_WAYS = 32, NSAMPLE = 5 };
    double least_us = INFINITY;
    int best = 0;
    for (int way = 0; way < (dcgen_use ? MOST_WAYS : 0); way++) {
        dcgen_use(way);
        if (NAME_start_library(c)) /* its code is loaded now, not while a graph is captured */
            continue;
        double us[NSAMPLE];
        NAME_sampler s = NAME_sampler_new(c, NAME_start_library);
        for (int i = 0; i < NSAMPLE; i++)
            us[i] = s.graph ? NAME_graph_us(c, s.graph, s.ncall) : INFINITY;
        const double middle_us = NAME_median(us, NSAMPLE);
        c->nway += s.graph != NULL;
        best = middle_us < least_us ? way : best;
        least_us = fmin(least_us, middle_us);
        NAME_sampler_free(&s);
    }
    if (dcgen_use)
        dcgen_use(best);
}
#endif

/* ---- a shape ---- */

/* Of each side; 0: it was not timed. The ratio is that of its time to the package's. */
typedef struct {
    double us[NAME_nside], cold_us[NAME_nside], ratio[NAME_nside];
} NAME_row;

/* One sample of each side, hot, then cold. */
static void NAME_hold_round(const NAME_contest *c, NAME_sampler *s, cudaGraphExec_t flushes, int round)
{
    const double before_us = flushes ? NAME_graph_us(c, flushes, NAME_cold_calls) : 0;
    for (int k = 0; k < NAME_nside; k++) {
        const int i = round % 2 ? NAME_nside - 1 - k : k;
        s[i].us[round] = s[i].graph ? NAME_graph_us(c, s[i].graph, s[i].ncall) : 0;
        s[i].cold_us[round] = s[i].cold ? NAME_graph_us(c, s[i].cold, NAME_cold_calls) : 0;
    }
    const double flush_us = flushes ? (before_us + NAME_graph_us(c, flushes, NAME_cold_calls)) / 2 : 0;
    for (int i = 0; i < NAME_nside; i++)
        s[i].cold_us[round] -= s[i].cold ? flush_us : 0;
}

static NAME_row NAME_medians(NAME_sampler *s, int nround)
{
    NAME_row row = { { 0 }, { 0 }, { 0 } };
    for (int i = 0; i < NAME_nside; i++) {
        double ratio[NAME_most_rounds];
        for (int round = 0; round < nround; round++)
            ratio[round] = s[i].us[round] / s[NAME_own].us[round];
        row.ratio[i] = NAME_median(ratio, nround);
    }
    for (int i = 0; i < NAME_nside; i++) {
        row.us[i] = NAME_median(s[i].us, nround);
        row.cold_us[i] = NAME_median(s[i].cold_us, nround);
    }
    return row;
}

static void NAME_add_side(const NAME_contest *c, NAME_sampler *s, NAME_starter *start)
{
    *s = NAME_sampler_new(c, start);
    s->cold = s->graph && c->flush.kernel ? NAME_record(c, start, NAME_cold_calls, 1) : NULL;
}
#if HAS_LIBRARY

static void NAME_add_library(NAME_contest *c, NAME_sampler *s)
{
    int code = 0;
    NAME_ask_library(c);
    if (dcgen_use)
        dcgen_use(0);
    if (NAME_is_right(c, NAME_start_library, &code)) {
        NAME_add_side(c, &s[NAME_default], NAME_start_library);
        NAME_use_best(c);
    }
    if (c->nway && NAME_is_right(c, NAME_start_library, &code))
        NAME_add_side(c, &s[NAME_best], NAME_start_library);
    if (!s[NAME_default].graph || (c->nway && !s[NAME_best].graph))
        printf("RIVAL: %s\n", code == 0 ? "wrong result" : code < 0 && dcgen_why ? dcgen_why(code) : "refuses the shape");
}
#endif

/* The package is right on this shape. */
static NAME_row NAME_hold_rounds(NAME_contest *c, int nround)
{
    static NAME_sampler s[NAME_nside];
    cudaGraphExec_t flushes = c->flush.kernel ? NAME_record(c, NAME_start_nothing, NAME_cold_calls, 1) : NULL; /* NULL: nothing is cold */
    memset(s, 0, sizeof s);
    NAME_add_side(c, &s[NAME_own], NAME_start_own);
    if (!s[NAME_own].graph)
        NAME_die("a call cannot be captured", cudaErrorStreamCaptureUnsupported);
#if HAS_LIBRARY
    if (NAME_has_library())
        NAME_add_library(c, s);
#endif
    for (int round = 0; round < nround; round++)
        NAME_hold_round(c, s, flushes, round);
    const NAME_row row = NAME_medians(s, nround);
    for (int i = 0; i < NAME_nside; i++)
        NAME_sampler_free(&s[i]);
    if (flushes)
        cudaGraphExecDestroy(flushes);
    return row;
}

/* ---- the table ---- */

typedef struct {
    int nround, is_json, is_one_shape;
    double seconds; /* no shape is begun after so many */
    int64_t shape[NAME_nextent];
} NAME_options;

static void NAME_print_row(const NAME_contest *c, const NAME_row *row)
{
    const double speed = NAME_work(&c->site.problem) / row->us[NAME_own];
    NAME_print_extents(&c->site.problem);
#if IS_MOVING
    printf("  kernel %-2d %9.2f us %7.1f GB/s", NAME_cuda_choose(EACH(axes, c->site.problem.extent[PLACE])), row->us[NAME_own], speed * 1e-3);
#else
    printf("  kernel %-2d %9.2f us %7.2f TFLOP/s", NAME_cuda_choose(EACH(axes, c->site.problem.extent[PLACE])), row->us[NAME_own], speed * 1e-6);
#endif
#if HAS_LIBRARY
    if (row->us[NAME_default] > 0)
        printf("   default %9.2f us %6.3fx", row->us[NAME_default], row->ratio[NAME_default]);
    if (row->us[NAME_best] > 0)
        printf("   best of %-2d %9.2f us %6.3fx", c->nway, row->us[NAME_best], row->ratio[NAME_best]);
#endif
    for (int i = 0; i < NAME_nside; i++)
        if (row->us[i] > 0)
            printf("%s %9.2f", i ? "," : "   cold", row->cold_us[i]);
    printf(" us\n");
}

static void NAME_print_json(const NAME_contest *c, const NAME_row *row, int nround)
{
    const int64_t *extent = c->site.problem.extent;
    printf("{");
    printf("\"AXIS\":%lld,", (long long)extent[PLACE]); //@ repeat every
    printf("\"kernel\":%d,\"package_us\":%.4f,\"package_cold_us\":%.4f,", NAME_cuda_choose(EACH(axes, extent[PLACE])), row->us[NAME_own],
           row->cold_us[NAME_own]);
#if HAS_LIBRARY
    if (row->us[NAME_default] > 0)
        printf("\"default_us\":%.4f,\"default_cold_us\":%.4f,\"ratio_default\":%.5f,", row->us[NAME_default], row->cold_us[NAME_default],
               row->ratio[NAME_default]);
    if (row->us[NAME_best] > 0)
        printf("\"best_us\":%.4f,\"best_cold_us\":%.4f,\"ratio_best\":%.5f,\"algorithms\":%d,", row->us[NAME_best],
               row->cold_us[NAME_best], row->ratio[NAME_best], c->nway);
#endif
    printf("\"rounds\":%d}\n", nround);
}
#if HAS_LIBRARY

/* Of the ratios of all shapes. */
static struct {
    double log_sum[NAME_nside], least[NAME_nside];
    int n[NAME_nside];
} NAME_total;

static void NAME_add_row(const NAME_row *row)
{
    for (int i = NAME_default; i < NAME_nside; i++)
        if (row->ratio[i] > 0) {
            NAME_total.log_sum[i] += log(row->ratio[i]);
            NAME_total.least[i] = NAME_total.n[i] ? fmin(NAME_total.least[i], row->ratio[i]) : row->ratio[i];
            NAME_total.n[i]++;
        }
}

static void NAME_print_total(void)
{
    for (int i = NAME_default; i < NAME_nside; i++)
        if (NAME_total.n[i])
            printf("against %s: geometric mean %.3fx, least %.3fx, of %d shapes\n", NAME_side_name[i],
                   exp(NAME_total.log_sum[i] / NAME_total.n[i]), NAME_total.least[i], NAME_total.n[i]);
}
#endif

/* 1 if the package is wrong there. */
static int NAME_bench(NAME_contest *c, const int64_t *extent, const NAME_options *o)
{
    int code;
    c->site = NAME_site_new(extent, NAME_checked_terms);
    const int wrong = !NAME_is_right(c, NAME_start_own, &code);
    if (wrong) {
        printf("wrong: ");
        NAME_print_extents(&c->site.problem);
        printf("\n");
    } else {
        const NAME_row row = NAME_hold_rounds(c, o->nround);
        NAME_print_row(c, &row);
        if (o->is_json)
            NAME_print_json(c, &row, o->nround);
#if HAS_LIBRARY
        NAME_add_row(&row);
#endif
    }
    fflush(stdout);
    NAME_site_free(&c->site);
    return wrong;
}

/* How many shapes the package is wrong on. */
static int NAME_bench_all(NAME_contest *c, const NAME_options *o)
{
    const double end = NAME_now_s() + o->seconds;
    int nwrong = 0, nleft = 0;
    for (int i = 0; i < (o->is_one_shape ? 1 : NAME_nshape); i++) {
        if (NAME_now_s() > end)
            nleft++;
        else
            nwrong += NAME_bench(c, o->is_one_shape ? o->shape : NAME_shapes[i], o);
    }
#if HAS_LIBRARY
    NAME_print_total();
#endif
    if (nleft)
        printf("%d shapes left out: the time was over\n", nleft);
    return nwrong;
}

/* "64,40,24": a number for each extent. */
static int NAME_parse_shape(const char *text, int64_t *extent)
{
    for (int i = 0; i < NAME_nextent; i++) {
        char *end;
        extent[i] = strtoll(text, &end, 10);
        if (end == text || *end != (i + 1 < NAME_nextent ? ',' : '\0'))
            return 0;
        text = end + 1;
    }
    return NAME_cuda_choose(EACH(axes, extent[PLACE])) >= 0;
}

static int NAME_parse(int argc, char **argv, NAME_options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--json") == 0) {
            o->is_json = 1;
            continue;
        }
        if (strcmp(argv[i], "--rounds") == 0 && atoi(value) > 0 && atoi(value) <= NAME_most_rounds)
            o->nround = atoi(value);
        else if (strcmp(argv[i], "--seconds") == 0 && atof(value) > 0)
            o->seconds = atof(value);
        else if (strcmp(argv[i], "--shape") == 0 && NAME_parse_shape(value, o->shape))
            o->is_one_shape = 1;
        else
            return fprintf(stderr, "usage: %s [--json] [--rounds N] [--seconds N] [--shape EVERY_AXES]\n", argv[0]), 0;
        i++;
    }
    return 1;
}

static void NAME_open(NAME_contest *c)
{
    struct cudaDeviceProp device;
    NAME_must("cudaGetDeviceProperties", cudaGetDeviceProperties(&device, 0));
    NAME_must("cudaStreamCreate", cudaStreamCreate(&c->stream));
    NAME_must("cudaEventCreate", cudaEventCreate(&c->begin));
    NAME_must("cudaEventCreate", cudaEventCreate(&c->end));
    const int no_flush = PACKAGE_flush_open(&c->flush, (size_t)device.l2CacheSize);
    if (no_flush)
        fprintf(stderr, "no times with a cold L2 cache: error %d\n", no_flush);
    printf("%s, %d SMs", device.name, device.multiProcessorCount);
#if HAS_LIBRARY
    printf(", %s", !NAME_has_library() ? "without RIVAL" : dcgen_name ? dcgen_name() : "RIVAL");
#endif
    printf("; hot caches, then a cold L2 in the same order; ratios above 1: the package is faster\n");
}

int main(int argc, char **argv)
{
    NAME_options o = { .nround = 15, .seconds = 1e9 };
    NAME_contest c;
    int ndevice = 0;
    memset(&c, 0, sizeof c);
    if (!NAME_parse(argc, argv, &o))
        return 2;
    if (cudaGetDeviceCount(&ndevice) != cudaSuccess || ndevice == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    NAME_open(&c);
    return NAME_bench_all(&c, &o) != 0;
}
