/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_place: what the tests of lab_machine share: a lab whose compilers and runner are made up and keep what they are
 * asked for. Included once by each.
 */
#ifndef DCGEN_TEST_LAB_PLACE_H
#define DCGEN_TEST_LAB_PLACE_H

#include <time.h>
#include "search/measure/request.h"
#include "tests/search/workshop.h"

enum { MOST_CALLS = 400, MOST_BUILDS = 200, THREE = 3 };

/* ---- compilers ---- */

struct Builder {
    const char *suffix;
};
static struct Builder cc = { ".so" }, nvcc = { ".cubin" };

static char built[MOST_BUILDS][64], removed[MOST_BUILDS][64];
static int nbuilt, nremoved;
static Build made[THREE]; /* what comes of the n-th of a batch */

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    for (int i = 0; i < n; i++) {
        const Build *x = &made[i % THREE];
        assert_true(nbuilt < MOST_BUILDS && strlen(builds[i].text) > 100);
        snprintf(built[nbuilt++], sizeof *built, "%s%s", builds[i].name, b->suffix);
        builds[i] = (Build){ .name = builds[i].name,
                             .text = builds[i].text,
                             .status = x->status,
                             .so = arena_printf(a, "/%s%s", builds[i].name, b->suffix),
                             .code_bytes = b == &nvcc ? 7000 + i : 1000 + i,
                             .spills = x->spills,
                             .blame = x->blame,
                             .log = x->log ? x->log : "",
                             .why = x->why ? x->why : "" };
    }
}

static int nwaited, nwaited_for_one;
static double waited_until_s;
static bool is_late, was_cancelled;

static int nstarted;

void build_start(Builder *b, Arena *a, Build *builds, int n)
{
    build_all(b, a, builds, n, NULL);
    nstarted = n;
}

bool build_was_ended(const Build *build) { return build->status == STATUS_INVALID && strcmp(build->why, "ended") == 0; }

bool build_wait(Builder *b, const Build *builds, double until_s, bool needed, const volatile int *stop)
{
    assert_true(b && builds && stop);
    nwaited++;
    nwaited_for_one += needed;
    waited_until_s = until_s;
    for (int i = needed; i < nstarted && is_late; i++) {
        ((Build *)builds)[i].status = STATUS_INVALID;
        ((Build *)builds)[i].why = "ended";
    }
    return !is_late;
}

void build_cancel(Builder *b) { was_cancelled = b; }

void build_remove(const Builder *b, const char *so)
{
    assert_true(nremoved < MOST_BUILDS && strstr(so, b->suffix));
    snprintf(removed[nremoved++], sizeof *removed, "%s", so);
}

/* ---- the runner ---- */

typedef struct {
    int64_t extent[3];
    MeasureRequest q;
    int n;
    char key[8][40];
} Asked;

static Asked asked[MOST_CALLS];
static int ncall;
static double took_s;
static const char *bad_key; /* whose verification on its third shape ends so */
static bool bad_count;      /* it is not that, but when it is counted */
static Status bad_status;
static Blame bad_blame;

static double time_of(const char *key) { return 1e5 + (unsigned char)key[0]; }

Exchange *exchange_begin(Runner *r, Request *request)
{
    const MeasureRequest *q = &request->measure;
    const int n = request->kernel.n;
    const char *const *key = request->kernel.key;
    MeasureRecord *out = request->out = ARENA_ARRAY(y.arena, (size_t)n, MeasureRecord);
    assert_true(ncall < MOST_CALLS && n <= 8);
    for (int i = 0; i < n; i++) {
        const bool bad =
            bad_key && strcmp(key[i], bad_key) == 0 && q->repeats == 0 && (bad_count ? q->count : ncall == 2);
        assert_string_equal(request->kernel.so[i], arena_printf(y.arena, "/%s.so", key[i]));
        double *ns = ARENA_ARRAY(y.arena, RECORD_MAX_SAMPLE, double);
        for (int k = 0; k < q->repeats; k++)
            ns[k] = time_of(key[i]);
        out[i] = (MeasureRecord){ .key = key[i],
                                  .naxis = 3,
                                  .extent = kept(q->extent, 3 * sizeof *q->extent),
                                  .threads = q->threads,
                                  .status = bad ? bad_status : STATUS_OK,
                                  .blame = bad ? bad_blame : BLAME_CANDIDATE,
                                  .nsample = q->repeats,
                                  .ns = ns,
                                  .time_ns = q->repeats ? time_of(key[i]) : 0,
                                  .nfact = q->count,
                                  .fact = KEPT(Param, { "wavefronts", 77 }),
                                  .why = bad ? "it is said" : "" };
        snprintf(asked[ncall].key[i], sizeof asked->key[i], "%s", key[i]);
    }
    asked[ncall].q = *q;
    memcpy(asked[ncall].extent, q->extent, 3 * sizeof *q->extent);
    asked[ncall++].n = n;
    lab.now_s += took_s;
    return NULL;
}

Step exchange_step(Exchange *x, const char **why) { return STEP_OVER; }

/* ---- the search ---- */

static Proposal p[THREE]; /* the general kernel, and two others */
static const char *key[THREE];
static const char *err; /* of the last call that failed */

static inline int open_machine(void **state)
{
    if (open_lab(synthetic_spec, lab_machine) != 0)
        return -1;
    keep_records();
    took_s = 0;
    ncall = nbuilt = nremoved = nwaited = nwaited_for_one = 0;
    is_late = was_cancelled = bad_count = false;
    bad_key = err = NULL;
    memset(made, 0, sizeof made);
    shop.builder = &cc;
    have_agent();
    shop.diag = diag_new(y.arena);
    shop.jobs = 5;
    lab.anchor = &y.space->general[0];
    for (int i = 0; i < THREE; i++) {
        p[i] = (Proposal){ .c = i ? y.space->candidate[y.space->n - 7 * i] : *lab.anchor };
        p[i].nshape = i ? 2 : 3;
        for (int k = 0; k < p[i].nshape; k++)
            p[i].shape[k] = i == 2 ? 4 * k : 2 * k; /* 0 2 4, 0 2, 0 4 */
        key[i] = candidate_key(y.arena, &p[i].c, "0123456789abcdef", &y.device);
    }
    return 0;
}

static inline void anew(void)
{
    close_lab(NULL);
    open_machine(NULL);
}

static inline bool try_three(void) { return kind.trials(&lab, y.arena, p, THREE, 0.5, &err); }
static inline Trial *trial_of(int i) { return &lab.study->trial[study_find_key(lab.study, key[i])]; }

static inline const KernelRecord *kernel_of(int i)
{
    for (int64_t k = 0; k < recorded()->nkernel; k++)
        if (strcmp(recorded()->kernel[k].key, key[i]) == 0)
            return &recorded()->kernel[k];
    return NULL;
}

/* The kernel's verification ends so. */
static inline void make_bad(int i, Status status, Blame blame)
{
    bad_key = key[i];
    bad_status = status;
    bad_blame = blame;
}

/* Calls that verify, before any that times. */
static inline int nverify(void)
{
    int n = 0;
    while (n < ncall && asked[n].q.repeats == 0)
        n++;
    return n;
}

#endif
