/* SPDX-License-Identifier: MIT-0
 *
 * test: every kernel of the package, and the dispatcher's choice, against the definition in double precision, on extents around
 * every kind of tail, with one and with three threads (without the pool: three parts, one after the other). The output lies between
 * canaries and is NaN before each call, or what the formula reads. Calls whose output lies over an input are
 * refused, but where it may be that input itself. On every second of the extents calls are prepared first, then executed.
#if HAS_STRIDED
 * Operands that may be strided lie densely and, in further rounds, with gaps, which are NaN in inputs and canaries in the output; inputs with the same
 * rows for several places, by strides of 0; and with their outer extents in the opposite order.
#endif
#if ANY_SCRATCH
 * The workspace lies between canaries and is NaN before each call, too.
#endif
 * Exit code 0 when all agree.
 */
#include "PACKAGE.h"
#ifndef PACKAGE_NO_THREADS
#include "PACKAGE_pool.h"
#endif

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//@ problem

/* ---- the test ---- */

/* Extents around the tiles of this package's kernels: EVERY_AXES. */
static const int64_t NAME_tried[][NAME_nextent] = {
//@ tried
};

//@ run

#if IS_PLANTED
//@ plant

#endif
/* 1 if the result is wrong. */
static int NAME_check(NAME_problem *p, const PACKAGE_exec *exec, double *most)
{
    NAME_put(p, NAME_out);
#if ANY_SCRATCH
    NAME_reserve(p, exec, 1);
#endif
    const int code = NAME_run(p, exec);
    if (code == PACKAGE_BAD_KERNEL && exec->kernel)
        return 0; /* it is not for this CPU or call */
#if ANY_SCRATCH
    const double err = code == PACKAGE_OK && NAME_kept_to_workspace(p) ? NAME_worst(p) : INFINITY;
#else
    const double err = code == PACKAGE_OK ? NAME_worst(p) : INFINITY;
#endif
    if (err > *most)
        *most = err;
    if (err <= 1)
        return 0;
    printf("wrong: ");
    NAME_print_extents(p);
    printf(" kernel %d threads %d%s: code %d, error %g of the tolerance\n", exec->kernel - 1, exec->threads,
           p->is_planted ? " planted" : p->is_apart ? " strided" : "", code, err);
    return 1;
}

/* The result of a call whose output is input k itself, where it may be. */
static int NAME_check_in_place(const NAME_problem *p, int k, const PACKAGE_exec *exec)
{
    NAME_problem at = *p;
    at.operand[k].room = p->operand[NAME_out].room;
    NAME_put_in_place(p, k);
    const int code = NAME_run(&at, exec);
    if (code == PACKAGE_BAD_KERNEL || (code == PACKAGE_OK && NAME_worst(p) <= 1))
        return 0;
    printf("wrong: ");
    NAME_print_extents(p);
    printf(" kernel %d threads %d with the output in place of operand %d: code %d\n", exec->kernel - 1, exec->threads, k, code);
    return 1;
}

/* Every kernel and the dispatcher's choice on one problem. */
static int NAME_check_all(NAME_problem *p, PACKAGE_exec exec, int *ncheck, double *most)
{
    int failed = 0;
    for (exec.kernel = 0; exec.kernel <= NAME_nkernel(); exec.kernel++)
        for (exec.threads = 1; exec.threads <= 3; exec.threads += 2, ++*ncheck)
            failed += NAME_check(p, &exec, most);
    for (int k = 0; k < NAME_noperand; k++)
        for (exec.kernel = 0; NAME_fact[k].may_be_output && NAME_lies_alike(p, k) && exec.kernel <= NAME_nkernel(); exec.kernel++)
            for (exec.threads = 1; exec.threads <= 3; exec.threads += 2, ++*ncheck)
                failed += NAME_check_in_place(p, k, &exec);
    return failed;
}

/* The code of a call whose output lies at `out`, and its input k at `in`. */
static int NAME_code_at(const NAME_problem *p, int k, unsigned char *in, unsigned char *out)
{
    NAME_problem at = *p;
#if PACKED
    at.packed = k == CONSTANT_PLACE ? in : at.packed;
#endif
    at.operand[k].room = in - NAME_canary;
    at.operand[NAME_out].room = out - NAME_canary;
    return NAME_run(&at, NULL);
}

/* A call is refused whose output lies over input k, were it by one element, and taken where it begins or ends beside it, or where that has no
 * elements. */
static int NAME_check_overlap(const NAME_problem *p, int k)
{
    const NAME_operand *x = &p->operand[k], *y = &p->operand[NAME_out];
    const size_t unit = NAME_fact[NAME_out].bytes, size = (size_t)y->span * unit;
    size_t bytes = (size_t)x->span * NAME_fact[k].bytes;
    const void *from = x->room + NAME_canary;
#if PACKED
    if (k == CONSTANT_PLACE) {
        bytes = NAME_packed_bytes(EACH(packed_axes, p->extent[PLACE]));
        from = p->packed;
    }
#endif
    const size_t before = (NAME_canary + size + 63) / 64 * 64, behind = (bytes + unit - 1) / unit * unit;
    unsigned char *room = NAME_take(before + behind + size + NAME_canary), *in = room + before;
    int failed = 0;
    if (bytes)
        memcpy(in, from, bytes);
    const struct {
        const char *what;
        unsigned char *out;
        int is_over;
    } call[] = { { "at", in, bytes > 0 },
                 { "with its last element in", in + unit - size, bytes > 0 },
                 { "with its first element in", in + (bytes ? behind - unit : 0), bytes > 0 },
                 { "before", in - size, 0 },
                 { "behind", in + behind, 0 } };
    for (size_t i = 0; y->elems && i < sizeof call / sizeof *call; i++) {
        const int code = NAME_code_at(p, k, in, call[i].out);
        const int is_over = call[i].is_over && !(call[i].out == in && NAME_fact[k].may_be_output && NAME_lies_alike(p, k));
        if (code == (is_over ? PACKAGE_BAD_OVERLAP : PACKAGE_OK))
            continue;
        failed++;
        printf("wrong: ");
        NAME_print_extents(p);
        printf(" with the output %s operand %d: code %d\n", call[i].what, k, code);
    }
    free(room);
    return failed;
}

#if OUTPUT_IS_STRIDED
/* A call is refused of whose output several elements lie in one place. */
static int NAME_check_folded(const NAME_problem *p)
{
    NAME_problem at = *p;
    int failed = 0;
    at.is_apart = 1;
    for (int i = 0; i < NAME_fact[NAME_out].rank - 1 && p->operand[NAME_out].elems; i++) {
        const int64_t stride[] = { 0, p->operand[NAME_out].extent[NAME_fact[NAME_out].rank - 1] - 1 };
        for (int k = 0; k < 2 && p->operand[NAME_out].extent[i] > 1; k++) {
            at.operand[NAME_out].stride[i] = stride[k];
            failed += NAME_run(&at, NULL) != PACKAGE_BAD_OVERLAP;
        }
        at.operand[NAME_out].stride[i] = p->operand[NAME_out].stride[i];
    }
    if (failed) {
        printf("wrong: ");
        NAME_print_extents(p);
        printf(" with elements of the output in one place: taken\n");
    }
    return failed;
}

#endif
/* The same for all inputs. A call whose output has no elements is taken, wherever it lies. */
static int NAME_check_overlaps(NAME_problem *p)
{
    int failed = 0;
#if ANY_SCRATCH
    NAME_reserve(p, &(PACKAGE_exec){ 0 }, 1);
#endif
    for (int k = 0; k < NAME_noperand; k++) {
        unsigned char *out = p->operand[NAME_out].room + NAME_canary;
        if (k != NAME_out && NAME_fact[k].rank && NAME_fact[k].is_passed)
            failed += p->operand[NAME_out].elems ? NAME_check_overlap(p, k) : NAME_code_at(p, k, out, out) != PACKAGE_OK;
    }
    return failed;
}

#ifdef PACKAGE_NO_THREADS
/* A parallel_for of the calling thread alone: the last part first. */
static void NAME_backwards(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    (void)ctx;
    while (n-- > 0)
        body(arg, n);
}
#endif

int main(void)
{
#ifdef PACKAGE_NO_THREADS
    const PACKAGE_exec exec = { .parallel_for = NAME_backwards };
#else
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    const PACKAGE_exec exec = { .parallel_for = PACKAGE_pool_run, .ctx = pool };
#endif
    int failed = 0, ncheck = 0;
    double most = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a kernel that is wrong may crash, too: what is known by then is told */
    for (size_t i = 0; i < sizeof NAME_tried / sizeof *NAME_tried; i++) {
        NAME_problem p = NAME_problem_new(NAME_tried[i], INT64_MAX);
        p.is_planned = i % 2;
        NAME_pack_constant(&p);
        failed += NAME_check_all(&p, exec, &ncheck, &most);
        failed += NAME_check_overlaps(&p);
#if HAS_STRIDED
        for (int way = 1; way <= 3; way++) {
            NAME_place(&p, way);
            NAME_define(&p);
            failed += NAME_check_all(&p, exec, &ncheck, &most);
            failed += NAME_check_overlaps(&p);
        }
#if OUTPUT_IS_STRIDED
        failed += NAME_check_folded(&p);
#endif
#endif
#if HAS_PARTS
        NAME_draw_parts(&p, 1 + (int)i % 3);
        failed += NAME_check_all(&p, exec, &ncheck, &most);
#endif
#if HAS_ROWS
        if (i % 4 == 0) {
            NAME_draw_rows(&p);
            failed += NAME_check_all(&p, exec, &ncheck, &most);
        }
#endif
#if IS_PLANTED
        NAME_plant(&p);
        NAME_pack_constant(&p);
        failed += NAME_check_all(&p, exec, &ncheck, &most);
#endif
        NAME_problem_free(&p);
    }
#ifndef PACKAGE_NO_THREADS
    PACKAGE_pool_stop(pool);
#endif
    printf("%d kernels, %d checks, %d failed; largest error %.3f of the tolerance\n", NAME_nkernel(), ncheck, failed, most);
    return failed != 0;
}
