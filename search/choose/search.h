/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the loop. Propose a batch, build it, verify it, measure it, fit the model again, until the budget is spent or nothing better is
 * expected; then compare the best side by side, choose, and measure what the choice relies on, until it stands.
 * Every result becomes a record before the next step, so that a run that is killed resumes where it was.
 */
#ifndef DCGEN_SEARCH_H
#define DCGEN_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/progress.h"
#include "gen/unit/unit.h"
#include "search/build/build.h"
#include "search/measure/measure.h"
#include "search/measure/pace.h"
#include "search/measure/quiet.h"
#include "search/record/record.h"
#include "search/record/study.h"
#include "search/space/space.h"
#include "search/space/strategy.h"

typedef struct Search Search;

/* Where candidates become measurements. Each adds what it learns to the study before it returns; false with *err set ends the search. */
typedef struct {
    bool
        measures; /* what it learns is new, and goes into Search.records: then the search measures its limits, rivals and proofs too */
    /* Seconds since an arbitrary moment. */
    double (*now_s)(const Search *q);
    /* The general kernels of lesser targets: built and verified only. */
    bool (*lesser)(Search *q, Arena *scratch, const char **err);
    bool (*lesser_ahead)(Search *q, const char **err); /* starts to build them while something else is done */
    /* Starts to build what `trials` will be called with later, in that order, while something else is done. NULL: nothing is begun ahead. */
    bool (*ahead)(Search *q, const Proposal *p, int n, const char **err);
    void (*drop)(Search *q); /* what is not built yet of that is not wanted any more */
    /* Builds, verifies and times proposals on their shapes. No shape is begun after `share` of the time budget. */
    bool (*trials)(Search *q, Arena *scratch, const Proposal *p, int n, double share, const char **err);
    /* Trials against each other on one tuned shape, for the last comparison. */
    bool (*compare)(Search *q, Arena *scratch, int64_t shape, const int64_t *trial, int n, int repeats,
                    const char **err);
} Lab;

struct Search {
    Arena *arena;   /* of the run */
    const Lab *lab; /* intake.c: this machine; lab_records.c: what was recorded */
    void *lab_data;
    struct Begun *begun; /* intake.c: what is built in the background; NULL: nothing was yet */
    const Strategy *strategy;
    const UnitContext *unit;
    const TemplateList *templates;
    const Target *const *tuned; /* all targets that the package has a tree for, this search's among them */
    int ntuned;
    const Space *space;
    Study *study;
    Builder *builder;
    Builder *assembler; /* of GPU code that cannot be run here; NULL: what the builder makes is what ships */
    Runner *runner;
    RecordFile *records;
    Progress *progress;
    Diag *diag;
    bool fruitless;          /* it ends without a kernel, and the environment is not to blame */
    const Candidate *anchor; /* set by search_run */
    const char
        *library; /* of others for the op, as a shared object, timed in the last comparison; NULL: there is none */
    const char *library_why; /* why it was not timed there, or not everywhere; NULL: it was, or nobody asked */
    bool library_timed;
    Build *library_build; /* begun ahead; NULL: not begun */
    uint64_t seed;
    int jobs;
    bool ahead;               /* candidates are compiled while others are measured (Family.aside) */
    int64_t ntimed;           /* shapes timed in this run */
    Quiet *quiet;             /* the anchor's times at rest; set by search_run */
    double learned_s;         /* with learning those */
    double waited_s;          /* with requests that were made again because something disturbed the machine */
    Pace pace;                /* of its requests; set by search_run */
    const char *limits_so;    /* what measures the device's limits; NULL: not built, or not needed */
    double limits_due_s;      /* when the machine's limits are measured next; 0: not yet in this run; infinite: never */
    double began_s, seconds;  /* budget of the whole run, on the clock of the lab */
    const volatile int *stop; /* becomes true when the user interrupts */
};

/* The trial of the general kernel that is the baseline, and the anchor of all requests (study.h). -1: not tried yet, or there is none. */
int64_t search_anchor(const Search *q);

/* Brings the progress display up to date. */
void search_show(Search *q, Arena *scratch);

/* False with *err set: interrupted, the runner cannot be started, the records cannot be written. What was measured is recorded. */
bool search_run(Search *q, const char **err);

/* The rounds alone, and the library: what a search that runs elsewhere will have to compile. */
bool search_compile(Search *q, const char **err);

#endif
