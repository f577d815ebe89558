/* SPDX-License-Identifier: Apache-2.0
 *
 * record: what was built and measured, kept as JSON lines in an append-only file. Failures are records too.
 *
 * A file holds lines of five types, each with "v":1 (the schema) and "type":
 *   device   the machine and compiler that the following lines come from, named by its id
 *   spec     what kernels were measured for: of a function's spec all that their code depends on (record_spec.h).
 *            Files of older releases lack it
 *   kernel   one candidate on one device: template, parameters, target, status, size of its code
 *   measure  one candidate on one shape: samples in ns, status
 *   limit    what the device does at most on so many threads: arithmetic, and reading from each level of memory; of a
 *            GPU also its clock meanwhile, what starting a kernel takes, and handing over from block to block
 * A torn last line (killed while writing) is dropped with a warning, and cut off before the next append; other
 * unreadable lines and lines of another schema version are counted and ignored with a warning. Nothing read from a file
 * is trusted: lines and sizes are bounded, numbers checked, names limited to [A-Za-z0-9_.+-] (not first: "." or "-"),
 * at most 128 long; device name, compiler, flags and `why` are free text, made one line of plain ASCII. What is
 * appended passes the same checks. The order of lines means nothing.
 */
#ifndef DCGEN_RECORD_H
#define DCGEN_RECORD_H

#include "gen/unit/candidate.h"
#include "search/record/blame.h"

enum {
    RECORD_MAX_FACT = 16,
    RECORD_MAX_SAMPLE = 64,
    RECORD_DIGITS = 9 /* significant digits of times and errors, in memory as in the file */
};

typedef struct {
    const char *context;         /* unit_context_hash: of what follows `target`, and of the text around kernels */
    const char *spec, *function; /* names, the package's and the function's; "": the package has no other */
    const char *target;          /* the tuned one */
    const char *op, *dtype;
    const char *layout; /* "W: NK" */
    bool packed;
    const char *formula;
    const char *types;   /* of operands that the formula brings, where they are not dtype: "length: s32" */
    const char *extents; /* of operands that the formula gathers from: "word: V x N" */
    double accuracy;
    int nconstant;
    Param constant[OP_MAX_EXTENT]; /* attributes with one value in all shapes: kernels are made for it */
    const char *strides;           /* operands that callers give strides of, by the spec's wish */
    const char *in_place;          /* those that the output may be */
} SpecRecord;

typedef struct {
    const char *key;    /* 32 hex digits: template text, parameters, target, spec's context, flags, compiler */
    const char *device; /* Device.id */
    const char *op, *dtype, *template_name, *template_hash, *target;
    int nparam;
    const Param *param;
    Status status;      /* ok: it compiled and verified on the awkward shapes */
    int64_t code_bytes; /* of its text section; 0 when not built */
    int64_t n;          /* the n-th candidate of its file to be recorded, from 1; 0: not known */
    bool retry;         /* it had failed before in a way that a later run tries once more (study.h) */
    /* what compiler, emulator and runner told: "spilled", "err_normal" ...; cuda: "regs", "wavefronts" ... */
    int nfact;
    const Param *fact;
    const char *why; /* for people: first line of the compiler's error ...; "" when ok */
} KernelRecord;

typedef struct {
    const char *key, *device;
    int naxis;
    const int64_t *extent;
    int threads;
    Status status;
    int nsample;      /* 0: verified only, or failed */
    const double *ns; /* per call, in the order taken */
    /* What counts of ns (samples_time); the anchor's time says by which rule. Set when the record is added or read. */
    double time_ns;
    double median_ns, spread; /* set likewise, for people; spread: (third quartile - first) / median */
    double anchor_ns;         /* the anchor's time in the same rounds; 0: it was not timed there */
    /* Of the anchor's line: the library's time (a CBLAS, the vendor's) in these rounds; 0: it was not timed. */
    double library_ns;
    double max_err; /* as a part of the tolerance, <= 1 when ok; +inf when not finite */
    double cold_ns; /* median with a cold L2 cache; 0: not measured */
    bool cold;      /* the packed operand came from memory in each call */
    bool final;     /* taken in the race behind the search */
    bool tunes;     /* the shape counts as tuned from here on, though the spec's `tune` lacks it */
    bool retry;     /* its kernel was tried once more, as in KernelRecord */
    Blame blame;    /* BLAME_MOMENT: it is not to be recorded; why tells. Not in the record's line */
    int nfact;      /* what the emulator counted; goes into the kernel's record, not into this one's line */
    const Param *fact;
    const char *why;
} MeasureRecord;

/* Compares their extents, for sorting; 0: they are the same. */
int measure_compare_shapes(const MeasureRecord *x, const MeasureRecord *y);

/* Where data may lie. */
typedef enum { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT } Level;
const char *level_name(Level level); /* "l1", "l2", "l3", "memory" */

/* Rates that nothing on this device exceeds, of all threads together. */
typedef struct {
    const char *device, *target, *dtype;
    int threads;
    double flops_per_s;
    double bytes_per_s[LEVEL_COUNT]; /* of reading data that lie there; 0: not measured */
    /* GPUs alone have these; 0: not measured. */
    double clock_mhz;         /* while these rates were measured */
    double launch_ns;         /* of an empty kernel, as kernels are timed */
    double handover_ns;       /* from a block's release of what it stored to another's acquire */
    double reuse_flops_per_s; /* of FMAs whose operands need few ports of registers, as the others do not */
} LimitRecord;

typedef struct {
    int64_t ndevice, nspec, nkernel, nmeasure, nlimit;
    Device *device;
    SpecRecord *spec;
    KernelRecord *kernel;
    MeasureRecord *measure;
    LimitRecord *limit;
    int64_t nignored; /* lines dropped */
} Records;

/* An open record file: everything it held, and the place to append to. */
typedef struct RecordFile RecordFile;

/* Opens for appending, creating the file (not its folder); takes an exclusive lock.
 * NULL with *err set ("... is in use by process 123", "...: No space left on device", ...), also for a file without any
 * line that looks like a record: it is something else, and stays as it is. Warnings go to `warn` (may be NULL). */
RecordFile *record_open(Arena *a, const char *path, FILE *warn, const char **err);
/* Opens an empty file in the same way: a file that is there is kept as <path>~, in the place of an older one. */
RecordFile *record_open_new(Arena *a, const char *path, FILE *warn, const char **err);
/* True if `path` is a regular file, a link to one, or not there yet; else *err is set. To be asked before long work. */
bool record_check(Arena *a, const char *path, const char **err);
/* Reads only: no lock, the file need not be writable. */
bool record_read(Arena *a, const char *path, Records *out, FILE *warn, const char **err);
const Records *record_all(const RecordFile *f); /* grows with each append; pointers into it do not stay */
/* Each appends one whole line with one write(2) and keeps the record in memory. False with *err set when the disk is
 * full ...: then the partial line is cut off again. */
bool record_add_device(RecordFile *f, const Device *d, const char **err); /* nothing happens if that id is there */
/* Nothing happens if its context is there with these names and that target. */
bool record_add_spec(RecordFile *f, const SpecRecord *s, const char **err);
bool record_add_kernel(RecordFile *f, const KernelRecord *k, const char **err);
bool record_add_measure(RecordFile *f, const MeasureRecord *m, const char **err);
bool record_add_limit(RecordFile *f, const LimitRecord *l, const char **err);
void record_close(RecordFile *f);

/* Canonical text of records, for packages: devices by id, specs by context, kernels by key, measures by (key, device,
 * threads, extents, final), limits by (device, target, dtype, threads), then by their text; equal lines once but for
 * measures, as two that agree are more than one. */
char *record_text(Arena *a, const Records *r);
/* Of n sets, which are often parts of one file: each measure is there as often as in the set that has it most often. */
char *record_text_of(Arena *a, const Records *const *set, int n);

#endif
