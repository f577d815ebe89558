/* SPDX-License-Identifier: Apache-2.0
 *
 * by_hand: a study and a choice whose every number is set here, so that what is shown of them can be worked out by
 * hand. Eight shapes, M = 1 .. 8, of which 1, 3 and 8 are tuned; two kernels are kept, and a third one that is not is
 * the fastest on M = 8.
 */
#ifndef DCGEN_TESTS_BY_HAND_H
#define DCGEN_TESTS_BY_HAND_H

#include "tests/gen/synthetic.h"

enum { HAND_SHAPE = 8, HAND_TUNED = 3, HAND_TRIAL = 7, HAND_KERNEL = 2 };

static const char by_hand_spec[] =
    "name = \"hand\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { T = { min = 1; max = 8; }; };\n"
    "shapes = ( { M = \"T\"; N = 16; K = 16; } ); tune = { T = [1, 3, 8]; };\n"
    "weights = { T = [1, 9, 2, 1, 1, 3, 5, 1]; }; layout = { W = \"NK\"; };\n"
    "budget = { kernels = 4; code_kib = 64; trials = 8; seconds = 10; }; threads = [1];\n";

/* In ns, on M = 1, 3 and 8; 0: not measured. Trial 3 was timed once before it was found wrong. */
static const struct {
    const char *target; /* NULL: the tuned one */
    Status status;
    int64_t code_bytes, n;
    double max_err, ns[HAND_TUNED];
} by_hand_trial[HAND_TRIAL] = {
    { NULL, STATUS_OK, 1000, 2, 0.25, { 1000, 3000, 8000 } }, { NULL, STATUS_OK, 2073, 4, 0.5, { 1250, 2000, 9000 } },
    { NULL, STATUS_OK, 2048, 5, 0.9, { 2000, 4000, 6400 } },  { NULL, STATUS_WRONG, 500, 1, 7, { 500, 0, 0 } },
    { NULL, STATUS_BUILD_FAILED, 0, 3, 0, { 0, 0, 0 } },      { "avx2", STATUS_OK, 700, 0, 0.1, { 0, 0, 0 } },
    { "avx2", STATUS_CRASHED, 0, 0, 0, { 0, 0, 0 } }
};

/* In ns, of the kernels 0 (trial 1) and 1 (trial 0), on M = 1 .. 8. */
static const double by_hand_cost[HAND_SHAPE * HAND_KERNEL] = { 1250, 1000, 2000, 1800, 2000, 3000, 4000, 3200,
                                                               5000, 4000, 6000, 6600, 7000, 7700, 9000, 8000 };
static const int by_hand_chosen[HAND_SHAPE] = { 1, 1, 0, 0, 0, 1, 1, 1 };
/* Of shapes that were not measured so small that nothing must take it for what the tuned ones say. */
static const double by_hand_oracle[HAND_SHAPE] = { 1000, 1, 2000, 1, 1, 1, 1, 6400 };

typedef struct {
    Synthetic y;
    TreeNode node[5]; /* M <= 2: kernel 1; M <= 5: kernel 0; else kernel 1 */
    Assignment as;
    ContractShape shape[5]; /* the tuned ones, then M = 5 and M = 6; of M = 3 and M = 6 nothing can be said */
    Contract contract;
    LimitRecord limit; /* 1 GFLOP/s, and 4 GB/s from the L1 cache: every shape needs its operations in ns */
    Records records;
} ByHand;

static void by_hand_trials(Synthetic *y)
{
    y->study->ntrial = HAND_TRIAL;
    for (int i = 0; i < HAND_TRIAL; i++) {
        Trial *t = &y->study->trial[i];
        t->c.target = by_hand_trial[i].target ? target_find(&y->targets, by_hand_trial[i].target) : y->study->target;
        t->built = true;
        t->status = by_hand_trial[i].status;
        t->code_bytes = by_hand_trial[i].code_bytes;
        t->max_err = by_hand_trial[i].max_err;
        t->n = by_hand_trial[i].n;
        memcpy(t->ns, by_hand_trial[i].ns, sizeof by_hand_trial[i].ns);
    }
}

/* Takes a time of a trial on a shape that is held out. */
static inline void by_hand_measure(ByHand *h, int trial, const Instance *inst, double ns)
{
    study_measure(h->y.study, &(MeasureRecord){ .key = h->y.study->trial[trial].key,
                                                .naxis = 3,
                                                .extent = inst->extent,
                                                .threads = 1,
                                                .status = STATUS_OK,
                                                .nsample = 1,
                                                .ns = &ns,
                                                .time_ns = ns });
}

/* A library that takes 1.5 us on M = 1 and 6 us on M = 8. Noise: two times that are 6 % apart, and two that are 12 %
 * apart. */
static void by_hand_anchors(Study *s)
{
    s->anchor[0] = (Anchor){ .ns = 1000, .count = 1, .library = 1.5, .nlibrary = 1 };
    s->anchor[2] = (Anchor){ .ns = 2000, .count = 1, .library = 3, .nlibrary = 1 };
    static Ratio taken[2][2] = { { { .part = 1 }, { .part = 1.06 } }, { { .part = 1 }, { .part = 1.12 } } };
    for (int i = 0; i < 2; i++) {
        s->trial[i].count[i] = 2;
        s->trial[i].taken[i] = taken[i];
    }
}

static void by_hand_choice(ByHand *h)
{
    Arena *a = h->y.arena;
    h->node[0] = (TreeNode){ .feature = 0, .threshold = 2, .left = &h->node[1], .right = &h->node[2] };
    h->node[1] = (TreeNode){ .feature = -1, .class = 1 };
    h->node[2] = (TreeNode){ .feature = 0, .threshold = 5, .left = &h->node[3], .right = &h->node[4] };
    h->node[3] = (TreeNode){ .feature = -1, .class = 0 };
    h->node[4] = (TreeNode){ .feature = -1, .class = 1 };
    h->as = (Assignment){ .nkernel = HAND_KERNEL,
                          .kernel = ARENA_ARRAY(a, HAND_KERNEL, int64_t),
                          .code_bytes = 3073,
                          .cost = ARENA_ARRAY(a, HAND_SHAPE * HAND_KERNEL, double),
                          .chosen = ARENA_ARRAY(a, HAND_SHAPE, int),
                          .best = ARENA_ARRAY(a, HAND_SHAPE, int),
                          .oracle_ns = ARENA_ARRAY(a, HAND_SHAPE, double),
                          .tree = h->node,
                          .nfeature = 3,
                          .ncurve = 3,
                          .kept = 1,
                          .curve = { { 1, 2073, 0.2 }, { 2, 3073, 0.05 }, { 3, 5121, 0.01 } } };
    h->as.kernel[0] = 1;
    memcpy(h->as.cost, by_hand_cost, sizeof by_hand_cost);
    memcpy(h->as.chosen, by_hand_chosen, sizeof by_hand_chosen);
    memcpy(h->as.oracle_ns, by_hand_oracle, sizeof by_hand_oracle);
    h->y.assignment = &h->as;
}

/* The sums are not those of the shapes: each number is another. */
static void by_hand_contract(ByHand *h)
{
    const Spec *s = h->y.spec;
    h->shape[0] = (ContractShape){ &s->instance[0], true, 1, true, 1000, 1000, 0, 0, 0.01, true, 1 };
    h->shape[1] = (ContractShape){ &s->instance[2], true, 0, true, 2000, 2000, 0, 0, 0.5, false, 0 };
    h->shape[2] = (ContractShape){ &s->instance[7], true, 1, false, NAN, NAN, NAN, 0, 0, false, -1 };
    h->shape[3] = (ContractShape){ &s->instance[4], false, 0, true, 4500, 4000, 0.125, 0, 0.02, true, 0 };
    h->shape[4] = (ContractShape){ &s->instance[5], false, 1, true, 6600, 6000, 0.1, 0, 0.3, false, 2 };
    h->contract = (Contract){ .nshape = 5,
                              .shape = h->shape,
                              .tuned = { 3, 2, 1, 0.011, 0.022, 0.033, 0.044, 0.055 },
                              .held_out = { 2, 2, 1, 0.0123, 0.05, 0.006, 0.077, 0.088 } };
}

static bool by_hand_make(ByHand *h)
{
    if (!synthetic_make(&h->y, by_hand_spec, HAND_TRIAL + 1) || h->y.spec->ninstance != HAND_SHAPE ||
        h->y.study->nshape != HAND_TUNED || h->y.study->ntrial < HAND_TRIAL)
        return false;
    by_hand_trials(&h->y);
    by_hand_anchors(h->y.study);
    by_hand_choice(h);
    by_hand_contract(h);
    return true;
}

/* The place of a test that needs no more than it. */
static ByHand hand;

static inline int by_hand_setup(void **state) { return by_hand_make(&hand) ? 0 : -1; }

static inline int by_hand_teardown(void **state)
{
    arena_free(hand.y.arena);
    return 0;
}

/* What the records would have said; it points into h. `first`: the package's number of the first kernel. */
static inline Result by_hand_result(ByHand *h, int first)
{
    static const CostReport cost = { .nmeasure = 9 };
    Result r = synthetic_result(&h->y);
    h->limit = (LimitRecord){ .device = h->y.device.id,
                              .target = h->y.study->target->name,
                              .dtype = "f32",
                              .threads = 1,
                              .flops_per_s = 1e9,
                              .bytes_per_s = { 4e9, 0, 2e9, 1e9 } };
    h->records = (Records){ .nlimit = 1, .limit = &h->limit };
    r.records = &h->records;
    study_rate(h->y.study, r.records);
    r.contract = &h->contract;
    r.cost = &cost;
    r.first = first;
    return r;
}

#endif
