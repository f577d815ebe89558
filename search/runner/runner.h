/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: what the files of runners share. One request is: find or make the shape's data (data.c), load and verify
 * each kernel (verify.c) on buffers with guard pages (buffer.c), then time the good ones interleaved (timing.c).
 * Verifying and timing are those of CPU code; engines of other devices (serve.h) have their own, and share the
 * comparison of results.
 */
#ifndef DCGEN_RUNNER_H
#define DCGEN_RUNNER_H

#include <jansson.h>
#include "gen/base/rng.h"
#include "gen/spec/dtype.h"
#include "search/record/record.h"
#include "search/runner/abi.h"
#include "search/runner/kept.h"

enum { WHY_BYTES = 200, MAX_KNOWN = 32 /* of a Shape */ };

/* ---- apart.c */

/* How an operand lies whose elements are not one behind the other. Extents are outermost first; strides are in
 * elements, and the last extent has none. */
typedef struct {
    int64_t rank; /* 0: it has no gaps, its elements lie one behind the other */
    int64_t extent[OP_MAX_RANK], stride[OP_MAX_RANK];
    int64_t span; /* elements from the first to behind the last */
} Apart;

/* Sets the span of an operand of so many elements. False: their number differs, it is above `most`, or two elements of
 * an output lie in one place. */
bool apart_complete(Apart *a, int64_t elems, int64_t most, bool is_output);
/* Puts an input's elements, of so many bytes each, to their places, with NaNs in the gaps. */
void apart_put_input(const Apart *a, size_t bytes, const char *dense, char *to);
/* The output as it is before a call: these elements, NULL: NaN, but for what marks the gaps. */
void apart_put_output(const Apart *a, size_t bytes, const char *dense, char *to);
/* Takes elements from their places. Where inputs' rows lie in one place, all hold what was put there last. */
void apart_take(const Apart *a, size_t bytes, const char *from, char *dense);
/* The same of the output. False: a gap was written to. */
bool apart_take_output(const Apart *a, size_t bytes, const char *from, char *dense);

/* ---- data.c */

/* What the `setup` request gives. */
typedef struct {
    int noperand;
    char name[OP_MAX_OPERAND][16]; /* as far as it fits */
    Role role[OP_MAX_OPERAND];
    const Storage *stored[OP_MAX_OPERAND];
    DataKind data[OP_MAX_OPERAND];
    /* of what an extent bounds: that extent; of normal numbers: of their rows, -1: they have none */
    int of[OP_MAX_OPERAND];
    int out, constant; /* indices; constant: of the first one, -1: none */
    int reads_out;     /* calls read what the output holds before: it is drawn as inputs are */
    int nconstant;     /* what kernels pack */
    uint64_t seed;
    void *reference; /* from dlopen */
    dcgen_reference_rows_fn *rows;
    dcgen_reference_check_fn *check; /* NULL: it has none */
    dcgen_reference_terms_fn *terms;
    Rounding rounding; /* of results */
    double accuracy;   /* how many times the usual tolerance a kernel may be off */
} Setup;

typedef struct Packed {
    Kept *kept;
    struct Packed *next;
} Packed;

/* Inputs and exact results of one shape; kept from request to request. */
typedef struct Shape {
    /* What tells shapes apart, in one piece up to terms. Behind the last axis and operand there are zeros. */
    int64_t extent[OP_MAX_CALL], elems[OP_MAX_OPERAND], rows, row_elems;
    int64_t along[OP_MAX_OPERAND];   /* elements along an operand's last extent; 0: not known, or all */
    int64_t way;                     /* how extents are divided into parts: a PartsWay */
    int64_t out_extent[OP_MAX_RANK]; /* extents of the output, outermost first; all 0: not known */
    double flops;                    /* of a call, as the package counts them */
    Apart apart[OP_MAX_OPERAND];     /* those with gaps: kernels are verified so, and not timed */
    /* normal data are of this kind, counted from 1, and errors but of edges are told; 0: they are judged */
    int64_t told;
    int64_t terms;
    Block operand[OP_MAX_OPERAND]; /* inputs are read-only */
    size_t bytes[OP_MAX_OPERAND];  /* 0: absent */
    Kept *input[OP_MAX_OPERAND];   /* whose block `operand` has; NULL: it is the output, or absent */
    char *before;                  /* what the output holds before a call, as it lies; NULL: nothing that is read */
    Packed *packed;                /* the packed operands that kernels made, each content once */
    struct Verified *verified;     /* kernels that were right on it (verify.c) */
    bool has_reference, full;      /* full: all rows are compared; else nrow of them, and the sums of the first nsum */
    int64_t nrow, *row, nsum;      /* nsum: all rows, or 0 */
    double *y, *bound;             /* [nrow][row_elems]; y begins the memory of these four */
    double *sum, *sum_bound;       /* [nsum] */
    /* For engines that have digests: those of the last results compared with the reference, and their errors. */
    int nknown;
    struct {
        uint64_t digest;
        double max_err;
    } known[MAX_KNOWN];
    struct Shape *next;
} Shape;

/* The cached or new data of `want` (its fields up to terms). NULL with why set. */
Shape *shape_get(const Setup *setup, const Shape *want, char why[WHY_BYTES]);
/* Are errors told, and not judged? */
static inline bool shape_is_told(const Shape *s) { return s->told && s->told != DATA_EDGES + 1; }
/* Computes the exact results unless they are there, on inputs that end at a guard page. False: no memory. */
bool shape_reference(const Setup *setup, Shape *s);
/* The kept copy of a packed operand with this content. NULL: out of memory. */
const void *shape_packed(Shape *s, const void *data, size_t bytes);
void shape_forget_all(void);
void operand_pointers(const Shape *s, void *operand[OP_MAX_OPERAND]);

/* ---- parts.c */

/* Fills with rows of parts of d->most, or of offsets (d->kind). */
void parts_fill(Rng *r, const Storage *t, void *to, const Draw *d);

/* ---- edges.c */

/* Fills with rows of d->most elements, each of another kind than the one before. */
void edges_fill(Rng *r, const Storage *t, void *to, const Draw *d);

/* ---- rows.c */

/* Chooses the rows to compare: all, or as many as the work allows. False: no memory. */
bool shape_choose_rows(const Setup *setup, Shape *s);

/* ---- verify.c */

typedef struct {
    const char *key, *so;
    void *handle;
    dcgen_run_fn *run;         /* of CPU code */
    dcgen_launch_fn *launch;   /* of GPU code */
    dcgen_scratch_fn *scratch; /* NULL: none; likewise below */
    dcgen_counters_fn *counters;
    dcgen_packed_bytes_fn *packed_bytes; /* NULL: reads the operand as it is */
    dcgen_pack_fn *pack;
    int aligned;           /* it takes operands alone that begin at multiples of so many bytes; 0: all */
    dcgen_why_fn *say_why; /* NULL: none */
    const void *packed;    /* the packed operand, for timing */
    int64_t scratch_bytes, counter_bytes, packed_size;
    Status status;
    bool told; /* its result was sent */
    char why[WHY_BYTES];
    double max_err; /* part of the tolerance */
    int64_t calls;  /* a sample */
    double call_ns; /* of one call, as calibrated */
    int nsample;
    double ns[RECORD_MAX_SAMPLE];
    json_t *more; /* further fields of its result; NULL: none */
} Kernel;

/* Guarded memory for one call. */
typedef struct {
    Guarded operand[OP_MAX_OPERAND], scratch, counters;
    Guarded packed; /* if it has data, it takes the place of the first constant operand */
} Place;
void place_free(Place *p);
void place_pointers(const Place *p, const Setup *setup, void *pointer[OP_MAX_OPERAND]);
/* What dcgen_pack takes of these operands. */
static inline const void *setup_to_pack(const Setup *s, void *const *operand)
{
    return s->nconstant > 1 ? (const void *)operand : operand[s->constant];
}

/* Sets status and why; returns false. */
bool kernel_fail(Kernel *k, Status status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Loads the object; entry: "dcgen_run" or "dcgen_launch", which it must have. False: status and why; likewise below. */
bool kernel_load(Kernel *k, const char *entry);
void kernel_unload(Kernel *k);
/* Asks the kernel for the sizes of scratch memory and counters. False: they are none. */
bool kernel_memory(Kernel *k, const int64_t *extent, int64_t scratch_bytes, int64_t most);
/* Asks it for these, and for the size of the packed operand. */
bool kernel_sizes(Kernel *k, const Setup *setup, const Shape *s, int threads);
/* True if the kernel left alone what is not its own: what lies around its memory, and inputs. */
bool kernel_check_traces(Kernel *k, const Setup *setup, const Shape *s, const Place *p);
/* Packs the constant operands into p->packed, NaNs until then, and checks that nothing around was written. */
bool kernel_pack(Kernel *k, const Setup *setup, const Shape *s, const Place *p);
/* Fills the output as it is before a call: with NaNs, or what calls read, and in gaps with what marks them. */
void output_clear(const Setup *setup, const Shape *s, void *out);
/* Fills operand i as it is before a call: with an input's data, or as an output. */
void operand_put(const Guarded *g, const Setup *setup, const Shape *s, int i);
/* True if the code that a call returned says that it was accepted. */
bool kernel_accepts(Kernel *k, int code);
/* Compares a result, of s->bytes[setup->out] bytes, with the reference. */
bool kernel_check_output(Kernel *k, const Setup *setup, Shape *s, const void *out);

/* Makes two copies of the operands for the kernels of a request, one at either side of their pages. */
bool copies_new(Place copies[2], const Setup *setup, const Shape *s);
void copies_free(Place copies[2]);
/* True if this very object was right on the shape with so many threads before: it is ready to be timed. */
bool kernel_recall(Kernel *k, const Setup *setup, const Shape *s, int threads);
void verified_forget(struct Verified *list);
/* Verifies a kernel that was loaded (verify.c says how). Where it fails the copies are freed. */
bool kernel_verify(Kernel *k, const Setup *setup, Shape *s, Place copies[2], void *pool, int threads);

/* ---- timing.c, sample.c */

typedef struct {
    int threads, repeats;
    double sample_ns, max_ns;
    /* Kernels that take so many times as long as the fastest have two samples; 0: all have all of theirs. */
    double drop;
    int keep;  /* the kernel that has all samples even so; -1: none */
    bool cold; /* the constant operand leaves the caches before each call */
    void *pool;
    void (*begin)(void *ctx, int kernel); /* before each sample */
    void *ctx;
} Timing;

/* Times those with status ok, interleaved. False: out of memory. */
bool kernels_time(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t);

/* What all kernels of a request are called with. */
typedef struct {
    const Setup *setup;
    const Shape *shape;
    const Timing *timing;
    void *scratch; /* as much as the kernel that wants most */
} SampleSetting;

/* Calls the kernel until caches, clock and predictors have settled, then sets how many calls make a sample. The first
 * call does not count: it brings in code and pages and wakes threads, and taken for the rule it would leave a kernel
 * with samples of one call each. But if it is so long that all this is little, it is a sample. */
void sample_calibrate(Kernel *k, const SampleSetting *c);

/* Adds a sample. One call comes first, as caches hold other data, unless a sample is one long call. */
void sample_take(Kernel *k, const SampleSetting *c);

/* One call of k, in `threads` parts. */
int kernel_call(const Kernel *k, const Shape *s, void *const *operand, void *scratch, void *pool, int threads);

#endif
