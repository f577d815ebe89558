/* SPDX-License-Identifier: Apache-2.0
 *
 * lab: where candidates become measurements. A search asks a lab, and does not know which: this machine
 * (lab_machine.c), one that is made up (lab_model.c), or what was recorded before (lab_records.c).
 */
#ifndef DCGEN_LAB_H
#define DCGEN_LAB_H

#include "gen/base/progress.h"
#include "gen/unit/unit.h"
#include "search/build/build.h"
#include "search/measure/agent.h"
#include "search/space/propose.h"

typedef struct Lab Lab;

/* What a lab does. Each function adds what it finds to the study; false with *err set ends the search. */
typedef struct {
    /* True where what the lab finds is new and recorded: the search then measures limits and held-out shapes too. */
    bool measures;
    bool own_clock; /* the lab's time is Lab.now_s, not the machine's */
    /* Builds and verifies the general kernels of lesser targets. NULL: the lab needs to know nothing of these. */
    bool (*lesser)(Lab *l, Arena *scratch, const char **err);
    /* The next three are NULL where nothing is built. The first starts to build these kernels in the background. */
    bool (*lesser_ahead)(Lab *l, const char **err);
    /* Starts to build in the background what `trials` will be called with later, in that order. */
    bool (*ahead)(Lab *l, const Proposal *p, int n, const char **err);
    void (*drop)(Lab *l); /* ends the builds in the background */
    /* Builds and verifies proposals, REQUEST_MOST at most, and times them on their shapes, none after `share`. */
    bool (*trials)(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err);
    /* Times trials side by side on any shape of the spec, which, if it `tunes`, counts as tuned from then on
     * (MeasureRecord.tunes). NULL where nothing can be timed (offline.c). */
    bool (*compare)(Lab *l, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                    const char **err);
    /* Verifies one trial on these extents and records it; one that fails is not usable any more. */
    bool (*check)(Lab *l, Arena *scratch, int64_t trial, const int64_t *extent, const char **err);
} LabKind;

/* The library for the op and target (a CBLAS, the vendor's), as an object that is timed beside kernels in a race. */
typedef struct {
    const char *so;  /* NULL: there is none */
    const char *why; /* why it was not timed, or not everywhere; NULL: it was, or nobody asked */
    bool timed;
    bool *met;    /* of each instance: it was in a heat there */
    Build *build; /* NULL: not begun, or there is none */
} Library;

/* What a lab needs to compile kernels and, if there is a runner, to run them. */
typedef struct {
    const UnitContext *unit;
    const Target *const *tuned; /* all targets that the package has a tree for, the study's among them */
    int ntuned;
    Builder *builder;
    Builder *assembler;  /* makes GPU code that cannot be run here; NULL: the builder makes what ships */
    Agents *agents;      /* NULL: nothing is run */
    RecordFile *records; /* NULL: nothing is recorded */
    Diag *diag;
    int jobs;
    struct Batch *begun; /* what is built in the background (batch.h) */
    Library library;
    const char *limits_so; /* what measures the device's limits; NULL: not built, or not needed */
} Workshop;

/* What candidates took from being proposed to being known, in all searches of a command so far. */
typedef struct {
    double spent_s;
    int64_t n; /* candidates */
} Effort;

struct Lab {
    const LabKind *kind;
    Workshop *shop; /* NULL where the lab answers from records */
    void *data;     /* a LabModel or LabRecords; other labs have none */
    Arena *arena;   /* lives as long as the run */
    const TemplateList *templates;
    Study *study;
    /* The general kernel that others' times are parts of (study.h); NULL: none is chosen yet. */
    const Candidate *anchor;
    Progress *progress;
    int64_t ntimed;           /* requests of this run that gave times */
    double began_s, seconds;  /* budget of the whole run, on the clock of the lab */
    Effort *effort;           /* NULL: nothing is known of it, and rounds are of the usual size */
    bool brief;               /* the time is too short for a usual round: what a package can do without is left out */
    double now_s;             /* the lab's own clock (LabKind.own_clock) */
    const volatile int *stop; /* becomes true when the user interrupts */
};

double lab_now_s(const Lab *l);
double lab_until_s(const Lab *l, double share); /* when that share of the budget is over */
double lab_left_s(const Lab *l, double share);  /* how long it is until then */
/* How many of n candidates can be tried in that share of the budget, as far as can be foreseen; one at least. */
int lab_fitting(const Lab *l, double share, int n);
/* Counts n candidates, which took so long, in the effort. */
void lab_count_effort(Lab *l, double took_s, int64_t n);

/* The trial of the anchor. -1: it was not tried yet, or there is no anchor. */
int64_t lab_anchor(const Lab *l);
/* How many candidates for the tuned target were built or failed. */
int64_t lab_ntried(const Lab *l);
/* Lets the agents take all requests that wait. False with *err set: see agents_work. */
bool lab_work(const Lab *l, const char **err);
/* Leaves out those kernels of a request that have failed since it was put into the queue. False: none is left. */
bool lab_still_wants(const Lab *l, Kernels *k);
/* Is there no time yet of any kernel that works, from this run or an earlier one? */
bool lab_knows_nothing(const Lab *l);
/* Brings the progress display up to date. */
void lab_show(const Lab *l, Arena *scratch);
/* The text of the display that says how good the best kernels are. */
const char *lab_best_text(const Lab *l, Arena *a);
/* Starts to build the library in the background, where the lab has what that takes. */
void library_begin(Lab *l);
/* Builds the library, if that was not begun, or finds what came of it. */
void library_build(Lab *l);

/* ---- what a device does at most (calibrate.c) ---- */

/* Compiles the family's kernels that measure limits, if any (Workshop.limits_so). False with *why set: it fails. */
bool calibrate_build(Workshop *m, Arena *a, const volatile int *stop, const char **why);
/* Measures and records the device's limits for each thread count of the spec, all within `most_s`. out[] has room for
 * one a thread count; *n: how many; 0 with *why set: none. False with *err set: interrupted, or not recorded. */
bool calibrate(Workshop *m, Arena *a, double most_s, LimitRecord *out, int *n, const volatile int *stop,
               const char **why, const char **err);

/* In a search that measures: measures and records limits that are due. Other programs hide them for a while, so they
 * are due at the start, now and then, and before the choice is made. */
bool calibrate_when_due(Lab *l, Arena *scratch, bool last, const char **err);
/* Measures the limits before the first proposal, but only where the model takes rates and has none yet. */
bool calibrate_first(Lab *l, Arena *scratch, const char **err);

/* ---- kernels for lesser targets (lab_lesser.c) ---- */

/* The general kernels that the package carries for machines without the tuned targets, and for calls that some
 * templates do not serve, as trials that were not built yet: of each template, or of `one`, the anchor's. */
int lesser_trials(Lab *l, bool one, int64_t *trial, int most);
/* Is there a target without such a kernel that works, of all that there are for it? */
bool lesser_lacks(const Lab *l);

/* ---- labs that compile ---- */

/* This machine or the one that the runner is on. A batch is built, every member is verified on awkward shapes, and
 * timed on those asked for; each result is recorded at once. This lab and the next need all of Lab.shop. */
extern const LabKind lab_machine;
/* The emulator, for GPU code: trials are verified, their accesses counted (facts of their records), nothing timed. */
extern const LabKind lab_emulator;

/* LabKind's functions of the same names, for labs that time nothing. Without a runner they only build, and keep no more
 * than what compilers tell and a cache stores (build_cache.h). */
bool lab_machine_lesser(Lab *l, Arena *scratch, const char **err);
bool lab_machine_lesser_ahead(Lab *l, const char **err);
bool lab_machine_ahead(Lab *l, const Proposal *p, int n, const char **err);
void lab_machine_drop(Lab *l);
/* LabKind.trials */
bool lab_machine_untimed(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err);

typedef struct LabModel LabModel;

/* A device that is not there, for `dcgen build`: candidates are compiled, and take the analytic model's times, off by
 * chance. In world 0 the model is right; in others it is off in each template, each kernel and each pair of kernel and
 * shape, as real ones are. Its clock stands still: the budget of trials ends the search. */
extern const LabKind lab_model;
LabModel *lab_model_new(Arena *a, const Lab *l, uint64_t world); /* l->study is there */

/* ---- a lab that answers from records ---- */

/* It measures nothing. With the records of one search and its seed the same search comes out again, step by step (its
 * trace); with the records of a whole space any search can be tried in a moment, on a clock of its own. */
extern const LabKind lab_records;

/* What a step costs on the clock of lab_records, in seconds. */
typedef struct {
    double kernel_s;  /* to build a kernel and verify it on awkward shapes */
    double request_s; /* to time a kernel on a shape, but for its samples */
} LabCost;

/* How often a record of one kernel and shape may serve as an answer: once, in order, or again, as a table. */
typedef enum { LAB_ONCE, LAB_TABLE } LabUse;

/* Called after each batch of trials, with the candidates that were in it. */
typedef void LabSeen(void *ctx, Lab *l, const Proposal *p, int n);

typedef struct LabRecords LabRecords;

/* r stays unchanged as long as the lab is used. seen may be NULL. */
LabRecords *lab_records_new(Arena *a, const Records *r, LabUse use, LabCost cost, LabSeen *seen, void *ctx);

/* Changes an answer as a busy machine would. first: it is the first of a request; is_anchor: of the anchor. */
typedef void LabDisturb(void *ctx, bool first, bool is_anchor, MeasureRecord *m);
void lab_records_disturb(LabRecords *x, LabDisturb *disturb, void *ctx);

#endif
