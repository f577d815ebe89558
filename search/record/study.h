/* SPDX-License-Identifier: Apache-2.0
 *
 * study: what is known of candidates on the tuned shapes: the records of this device, as numbers to compute with.
 */
#ifndef DCGEN_STUDY_H
#define DCGEN_STUDY_H

#include "gen/base/index.h"
#include "search/record/record.h"

/* One measurement of a kernel on a place, as a part of the anchor's time in the same request. */
typedef struct {
    double part;
    double error;     /* standard error, as a part of it, as far as the request's own samples tell */
    double anchor_ns; /* the anchor's time; 0: it was not there */
} Ratio;

/* Of more kernels than these a study that is loaded looks at those alone that come nearest to the best time of some
 * tuned shape. Model and choice take time for each kernel on each shape, and the slow ones tell them little. */
enum { STUDY_MOST = 1024 };

/* A candidate that was built or at least proposed. */
typedef struct {
    Candidate c;
    const char *key;
    bool built;      /* its kernel record exists */
    Status status;   /* not STATUS_OK: not used in this run */
    const char *why; /* of a failure; "" */
    bool in_flight;  /* proposed, and not measured yet, while others are proposed */
    bool behind;     /* STUDY_MOST others come nearer to the best times: neither choice nor model looks at it */
    bool left_out;   /* left out of this run alone for what the machine lacked (blame.h): nothing of it is recorded */
    bool due;        /* it is to be tried once more (study_due) */
    bool retried;    /* one of its records is of another try */
    int64_t code_bytes;
    int64_t n;         /* its number in the order in which candidates were recorded; 0: not known */
    KernelFacts facts; /* what compiler, emulator and runner told */
    /* The next three have one value a place (Study.place). */
    double *ns;     /* time, see study_measure; 0: not measured */
    int *count;     /* measurements behind it */
    Ratio **taken;  /* these */
    const char *so; /* its shared object in this run; NULL: not there */
    double max_err; /* the worst error of a result, as a part of the tolerance */
} Trial;

/* What is known of the anchor, the kernel that all times are divided by, on a place. */
typedef struct {
    double ns;      /* the least of its times */
    int count;      /* 0: ns is 1, and stands for no anchor */
    bool cold;      /* the times here are cold: of calls whose packed operand came from memory */
    bool tunes;     /* a measurement says that the place counts as tuned (MeasureRecord.tunes) */
    double library; /* mean of the library's times as parts of the anchor's */
    int nlibrary;
} Anchor;

/* Kernels, by the keys of their records. */
typedef struct {
    int n;
    const char **key;
} KernelKeys;

typedef struct Roofline Roofline; /* roofline.h */

typedef struct {
    Arena *arena;
    const Spec *spec;
    const KernelKeys *present; /* what the package has for other functions; NULL: nothing */
    const Device *device;
    const Target *target;
    const Target *rated;      /* the target with the rates that were measured on the device; NULL: as its file says */
    const Roofline *roofline; /* the least times that shapes can take; NULL: no limits are known */
    const char *context_hash;
    /* Places where kernels are timed: the tuned instances first, nshape of them, those last that the race added
     * (study_take_in); then those held-out ones that were measured. Model and choice see none but the first. */
    int64_t nshape, nplace, room; /* room: for so many places in each trial */
    bool has_cold;                /* some of its times are cold */
    const Instance **shape;       /* one a place */
    Anchor *anchor;               /* one a place */
    int64_t ntrial;
    Trial *trial;      /* in the order they were added */
    bool loading;      /* study_load takes measurements in: what follows from them is worked out behind the last one */
    Index key, choice; /* of trials: by their keys, and by what candidates are made of */
    Index instance;    /* of the spec's instances, by their shapes */
} Study;

/* The number of threads of a shape by which the study knows it: 1 where calls are not told any, as on a GPU. */
int study_threads(const Study *s, int threads);
Study *study_new(Arena *a, const Spec *spec, const Device *device, const Target *target, const char *context_hash);
/* Takes over every record of the study's device whose key belongs to a candidate of these templates: of the study's
 * target, or a general kernel of a target that stands in for it. Their order does not matter. A kernel that did not
 * fail and was timed on none of the study's shapes is left out. Failures stay, but for two kinds, which a later run
 * tries once more: what was too slow, and general kernels, but for wrong results and spills. That try's records say
 * "again", and decide. Only where no kernel works are general ones tried in every run. */
void study_load(Study *s, const Records *r, const TemplateList *templates, const TargetList *targets);

/* Gives at most `most` candidates of the tuned target to be tried once more: they count as not tried then. */
int study_due(Study *s, Candidate *out, int most);
void study_begin(Study *s, int64_t trial); /* makes one trial count as not tried, if it is to be tried once more */
/* Leaves a trial out of this run: it failed for lack of something that the machine did not have. */
void study_leave(Study *s, int64_t trial, const char *why);
int64_t study_add(Study *s, const Candidate *c);        /* its index; a candidate that is there keeps its index */
int64_t study_find(const Study *s, const Candidate *c); /* -1: not there */
/* Takes over the device's rates from its limit records, and the roofline of all, as study_load does. */
void study_rate(Study *s, const Records *r);
/* A target as expressions of the model see it: with the device's own rates, where they are known. */
const Target *study_rated(const Study *s, const Target *t);
/* A target as one device is (rates.c): `t` itself where no limits of them are recorded, or its family has no rates. */
const Target *rates_of(Arena *a, const Target *t, const Device *device, const char *dtype, const Records *r);
/* Is this limit of that device, target and dtype? */
bool rates_match(const LimitRecord *l, const Target *t, const Device *device, const char *dtype);
/* Why a trial failed on a shape: "on M=16 N=768 K=0 threads=3: " and what is wrong there. */
const char *study_why(const Study *s, Arena *a, const int64_t *extent, int threads, const char *why);
int64_t study_find_key(const Study *s, const char *key);
int64_t study_shape(const Study *s, const int64_t *extent, int threads); /* index of a tuned instance; -1 */
int64_t study_place(const Study *s, const Instance *inst);               /* index of a place; -1 */
void study_kernel(Study *s, const KernelRecord *k); /* takes one record over; unknown keys are ignored */
/* Takes a measurement over. Machines are faster at one moment than at another, so a time counts as a part of that of
 * the anchor, a kernel that is timed in turn with all others. Of several parts the weighted median counts; one weighs
 * the less the further its samples were apart and the slower the anchor was. `ns` is that part of the anchor's least
 * time. A time taken without an anchor counts as it is, and only as long as there is no other; so does a time of hot
 * caches where the spec wants cold ones, which do not count where it wants hot ones. Kernels of other targets have no
 * times here: their own search has another anchor. */
void study_measure(Study *s, const MeasureRecord *m);

/* Makes tuned shapes of the places that measurements added: the next choice rests on them, and needs a new model. */
void study_take_in(Study *s);
int64_t study_njoined(const Study *s); /* how many were taken in: the last ones of the tuned shapes */
/* True of an instance that the spec tunes or that was taken in. */
bool study_tunes(const Study *s, const Instance *inst);
bool study_holds_out(const Study *s, const Instance *inst); /* it is not tuned, and has a weight */
int64_t study_nheld_out(const Study *s);                    /* how many there are */

/* Fastest time of a place among usable trials, all but one; INFINITY: none. trial may be NULL. */
double study_best(const Study *s, int64_t place, int64_t *trial);
double study_best_but(const Study *s, int64_t place, int64_t but, int64_t *trial);
/* Time of the library (a CBLAS, the vendor's) on a place, comparable with Trial.ns; 0: not known. */
double study_library(const Study *s, int64_t place);
bool trial_usable(const Trial *t);
/* True if the trial has a time on some tuned instance. */
bool trial_timed(const Study *s, const Trial *t);
/* True where kernels are timed with the packed operand in memory: it exceeds L2, the spec does not say that it stays in
 * the caches, and the machine can have it leave them. */
bool study_wants_cold(const Study *s, const int64_t *extent);
/* True where times are so, as far as the study knows: before the first of them none is. */
bool study_is_cold(const Study *s, const int64_t *extent);
/* The bytes of code that the trial's kernel adds to the package: 0 if it is present. */
int64_t study_added_bytes(const Study *s, const Trial *t);
/* True if the trial is usable, of the tuned target and not far behind others: only such trials may be chosen. */
bool study_may_choose(const Study *s, const Trial *t);
/* True if, besides, a time of it was measured, or the device is modelled, so that none can be. */
bool study_may_pick(const Study *s, const Trial *t);
/* Counts the trials of the tuned target, or those of them that failed. No search asks for those of lesser targets. */
int64_t study_tried(const Study *s, bool failed);
int64_t study_nbehind(const Study *s); /* counts those that are behind */
/* Lists the trials that may be chosen, returns how many; trial may be NULL. place >= 0: those with a time there. */
int64_t study_choosable(const Study *s, int64_t place, int64_t *trial);

/* ---- ratios.c */

/* The weighted median of a trial's measurements on a place where there are some, as a part of the anchor's time. */
double trial_part(const Study *s, const Trial *t, int64_t place);
/* How far a single measurement is off by chance, as a part of it: one standard deviation, from kernels that were
 * measured more than once. A part of 2 % where none was. */
double study_noise(const Study *s);
/* The noise of one place: long calls and those with much memory meet others more often. all: study_noise(s). */
double study_noise_at(const Study *s, int64_t place, double all);
/* The standard error of a trial's time on a place where it was measured, as a part of it. noise: study_noise_at(s,
 * place, ...), which stands for what a few measurements do not tell. */
double trial_error(const Study *s, const Trial *t, int64_t place, double noise);
/* The least and the largest time of its measurements on a place where there are some. */
void trial_range(const Study *s, const Trial *t, int64_t place, double *least_ns, double *most_ns);

#endif
