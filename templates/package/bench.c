/* SPDX-License-Identifier: MIT-0
 *
 * bench: how fast the package is on its tuned shapes, each with the kernel that the dispatcher chooses. Results are verified before they are
 * timed. All sides (one thread, several, and a library where there is one) have their bursts of calls in turns; what counts is the median.
 *
 *     bench [THREADS]        default 1; with more, one thread and THREADS of them
#if HAS_LIBRARY
 *
 * The library (library.c, a RIVAL) has as many threads, each of which makes a call of its own for its part.
#endif
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "PACKAGE.h"
#include "PACKAGE_pool.h"

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

enum { NAME_rounds = 9, NAME_burst_ns = 2000000, NAME_checked_terms = 1 << 24, NAME_most_sides = 3, NAME_line = 64 };

/* Who computes: the package, or the library. */
typedef struct {
    int (*run)(const NAME_problem *p, const PACKAGE_exec *exec);
    const PACKAGE_exec *exec;
} NAME_side;
#if HAS_LIBRARY

/* library.c, which is empty where the processor is of another kind than that which the package is tuned for. */
__attribute__((weak)) int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask);
__attribute__((weak)) int64_t dcgen_scratch(const int64_t *extent, int64_t ntask);
__attribute__((weak)) const char *dcgen_why(int code);
__attribute__((weak)) const char *dcgen_name(void);

static int NAME_has_library(void) { return dcgen_run && (!dcgen_name || dcgen_name()); }

/* A shape's call as library.c takes it: strides stand behind the extents. */
static struct {
    int64_t extent[NAME_nextent + NAME_noperand * (NAME_max_rank - 1)];
    void *operand[NAME_noperand], *workspace;
    int threads, code;
} NAME_asked;

static void NAME_ask(const NAME_problem *p, int threads)
{
    NAME_describe(p, NAME_asked.extent);
    for (int k = 0; k < NAME_noperand; k++)
        NAME_asked.operand[k] = NAME_address(&p->operand[k]);
    NAME_asked.threads = threads;
    free(NAME_asked.workspace);
    NAME_asked.workspace = dcgen_scratch ? NAME_take((size_t)dcgen_scratch(NAME_asked.extent, threads)) : NULL;
}

static void NAME_run_part(void *arg, int i)
{
    const int code = dcgen_run(NAME_asked.extent, NAME_asked.operand, NAME_asked.workspace, i, NAME_asked.threads);
    (void)arg;
    if (code)
        __atomic_store_n(&NAME_asked.code, code, __ATOMIC_RELAXED);
}

static int NAME_run_library(const NAME_problem *p, const PACKAGE_exec *exec)
{
    (void)p;
    NAME_asked.code = 0;
    if (exec->threads > 1)
        exec->parallel_for(exec->ctx, exec->threads, NAME_run_part, NULL);
    else
        NAME_run_part(NULL, 0);
    return NAME_asked.code;
}
#endif

/* ---- times ---- */

static double NAME_calls_ns(const NAME_problem *p, const NAME_side *side, int ncall)
{
    const double start_s = NAME_now_s();
    for (int i = 0; i < ncall; i++)
        side->run(p, side->exec);
    return 1e9 * (NAME_now_s() - start_s) / ncall;
}

/* Of n sides in turns: a call's time, and what part of it another side's takes, whose number is `own`. Calls that are not timed put out of the
 * caches what the side before has left there. */
static void NAME_time(const NAME_problem *p, const NAME_side *side, int n, int own, double *ns, double *ratio)
{
    double all_ns[NAME_most_sides][NAME_rounds], all_ratio[NAME_most_sides][NAME_rounds];
    int ncall[NAME_most_sides];
    for (int i = 0; i < n; i++) {
        const double fit = NAME_burst_ns / NAME_calls_ns(p, &side[i], 3);
        ncall[i] = fit < 1 ? 1 : (int)fit;
    }
    for (int round = 0; round < NAME_rounds; round++) {
        for (int k = 0; k < n; k++) {
            const int i = round % 2 ? n - 1 - k : k;
            for (int call = 0; call < ncall[i] / 4; call++)
                side[i].run(p, side[i].exec);
            all_ns[i][round] = NAME_calls_ns(p, &side[i], ncall[i]);
        }
        for (int i = 0; i < n; i++)
            all_ratio[i][round] = all_ns[i][round] / all_ns[own][round];
    }
    for (int i = 0; i < n; i++) {
        ns[i] = NAME_median(all_ns[i], NAME_rounds);
        ratio[i] = NAME_median(all_ratio[i], NAME_rounds);
    }
}

/* ---- a shape ---- */

/* What malloc gave, at the start of a cache line. */
static void *NAME_on_line(void *memory, size_t bytes)
{
    void *moved = memory ? aligned_alloc(NAME_line, (bytes + NAME_line) / NAME_line * NAME_line) : NULL;
    if (!memory)
        return NULL;
    if (!moved) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    memcpy(moved, memory, bytes);
    free(memory);
    return moved;
}

/* A call with n sides, all it reads and writes on cache lines, as programs lay it. */
static NAME_problem NAME_problem_on_lines(const int64_t *extent, const PACKAGE_exec *exec, int n)
{
    NAME_problem p = NAME_problem_new(extent, NAME_checked_terms);
    for (int k = 0; k < NAME_noperand; k++)
        p.operand[k].room = NAME_on_line(p.operand[k].room, (size_t)p.operand[k].span * NAME_fact[k].bytes + 2 * NAME_canary);
    NAME_pack_constant(&p);
#if PACKED
    p.packed = NAME_on_line(p.packed, NAME_packed_bytes(EACH(packed_axes, extent[PLACE])));
#endif
#if ANY_SCRATCH
    NAME_reserve(&p, exec, n);
    p.scratch = NAME_on_line(p.scratch, p.scratch_bytes);
    p.workspace = p.scratch + NAME_canary;
#else
    (void)exec, (void)n;
#endif
    return p;
}

/* Is what the side computes right? *code: what its call returned. */
static int NAME_is_right(const NAME_problem *p, const NAME_side *side, int *code)
{
    NAME_put(p, NAME_out);
    *code = side->run(p, side->exec);
#if ANY_SCRATCH
    if (!NAME_kept_to_workspace(p))
        return 0;
#endif
    return *code == 0 && NAME_worst(p) <= 1;
}

typedef struct {
    int nwrong; /* shapes on which the package is */
    int ncompared;
    double log_sum; /* of the library's times as parts of the package's */
} NAME_tally;

static void NAME_print_shape(const NAME_problem *p, const double *ns, const double *ratio, int nown)
{
    for (int i = 0; i < NAME_nextent; i++)
        printf("%7lld ", (long long)p->extent[i]);
    printf("%7d", NAME_choose(EACH(axes, p->extent[PLACE])));
    for (int i = 0; i < nown; i++)
        printf(" %11.2f %10.1f", ns[i] / 1e3, NAME_work(p) / ns[i]);
    if (nown > 1)
        printf(" %7.2f", ratio[0]);
}

static void NAME_bench(const int64_t *extent, const PACKAGE_exec *exec, int nown, NAME_tally *tally)
{
    NAME_side side[NAME_most_sides] = { { NAME_run, &exec[0] }, { NAME_run, &exec[1] } };
    double ns[NAME_most_sides], ratio[NAME_most_sides];
    int n = nown, code, wrong = 0;
    NAME_problem p = NAME_problem_on_lines(extent, exec, nown);
    for (int i = 0; i < nown; i++)
        wrong = wrong || !NAME_is_right(&p, &side[i], &code);
#if HAS_LIBRARY
    side[n] = (NAME_side){ NAME_run_library, &exec[nown - 1] };
    const int has_library = NAME_has_library() && !wrong;
    if (has_library) {
        NAME_ask(&p, exec[nown - 1].threads);
        n += NAME_is_right(&p, &side[n], &code);
    }
#endif
    if (wrong) {
        printf("wrong: ");
        NAME_print_extents(&p);
    } else {
        NAME_time(&p, side, n, nown - 1, ns, ratio);
        NAME_print_shape(&p, ns, ratio, nown);
    }
#if HAS_LIBRARY
    if (n > nown)
        printf(" %11.2f %10.1f %7.2f", ns[nown] / 1e3, NAME_work(&p) / ns[nown], ratio[nown]);
    else if (has_library)
        printf("  RIVAL: %s", code == 0 ? "wrong result" : code < 0 && dcgen_why ? dcgen_why(code) : "refuses the shape");
    tally->log_sum += n > nown ? log(ratio[nown]) : 0;
#endif
    printf("\n");
    fflush(stdout);
    tally->ncompared += n > nown;
    tally->nwrong += wrong;
    NAME_problem_free(&p);
}

static void NAME_print_head(int threads)
{
#if HAS_LIBRARY
    if (NAME_has_library())
        printf("RIVAL: %s\n", dcgen_name ? dcgen_name() : "a library that does not say what it is");
    else
        printf("no RIVAL was found\n");
#endif
    for (int i = 0; i < NAME_nextent; i++)
        printf("%7s ", NAME_extent_name[i]);
    printf("%7s %11s %10s", "kernel", "us", "SPEED_UNIT");
    if (threads > 1)
        printf(" %6d thr. %10s %7s", threads, "SPEED_UNIT", "ratio");
#if HAS_LIBRARY
    if (NAME_has_library())
        printf(" %8s us %10s %7s", "RIVAL", "SPEED_UNIT", "ratio");
#endif
    printf("\n");
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (argc > 2 || threads < 1) {
        fprintf(stderr, "usage: bench [THREADS]\n");
        return 2;
    }
    PACKAGE_pool *pool = threads > 1 ? PACKAGE_pool_start(threads) : NULL;
    const PACKAGE_exec exec[] = { { .threads = 1 }, { .threads = threads, .parallel_for = PACKAGE_pool_run, .ctx = pool } };
    NAME_tally tally = { 0 };
    NAME_print_head(threads);
    for (int i = 0; i < NAME_nshape; i++)
        NAME_bench(NAME_shapes[i], exec, threads > 1 ? 2 : 1, &tally);
    PACKAGE_pool_stop(pool);
#if HAS_LIBRARY
    if (tally.ncompared)
        printf("geomean over %d shapes: %.3f times as fast as RIVAL\n", tally.ncompared, exp(tally.log_sum / tally.ncompared));
#endif
    return tally.nwrong ? 1 : 0;
}
