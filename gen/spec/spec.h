/* SPDX-License-Identifier: Apache-2.0
 *
 * spec: a workload, read from a file (docs/spec.md has every key). A file specifies one function or several: each is an
 * operator with data types, layouts, an epilogue and shapes; dims, targets, thread counts and the budget are common to
 * all.
 */
#ifndef DCGEN_SPEC_H
#define DCGEN_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/conf.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"
#include "gen/spec/formula.h"
#include "gen/spec/op.h"
#include "gen/spec/shape_log.h"

enum {
    SPEC_MAX_DIM = 12,
    SPEC_MAX_NAME = 8,
    SPEC_MAX_SHAPE = 256,
    SPEC_MAX_FUNCTION = 64,
    SPEC_MAX_TUNE = 256,
    SPEC_MAX_LIMIT = 24,
    SPEC_MAX_CHOICE = 64,
    SPEC_MAX_THREADS = 1024,
    ALIGN_MOST = 16 /* bytes that operands are asked to be aligned to */
};

typedef struct {
    const char *name; /* "T" */
    int64_t min, max; /* inclusive */
    int64_t *tune;    /* values to measure, ascending; NULL: the sampler chooses */
    int ntune;
    Expr *weight;        /* over the dims; NULL: 1 */
    double *weight_list; /* one a value of min..max; NULL: use weight */
    Loc loc;
} Dim;

typedef struct {
    Expr *extent[OP_MAX_EXTENT]; /* over the dims, one for each that a caller gives */
    double weight;
    Loc loc;
} ShapeDecl;

/* A shape: every dim bound. */
typedef struct {
    int64_t dim[SPEC_MAX_DIM];
    int64_t extent[OP_MAX_EXTENT];
    double weight; /* of the shape times those of the dims' values; >= 0 */
    /* of a tuned row of a log: the weights of all rows that it is the nearest tuned one to, its own too; else 0 */
    double stands;
    int decl; /* index into Spec.shape */
    int threads;
    bool tuned; /* measured during the search; else held out */
} Instance;

/* How much a shape counts in what is decided by tuned shapes alone. */
static inline double instance_stands(const Instance *in) { return in->stands > 0 ? in->stands : in->weight; }

typedef struct {
    int kernels;
    int code_kib, trials, seconds;
} Budget;

/* A parameter, and the only values of it that are searched. */
typedef struct {
    const char *param;
    int nvalue;
    int64_t value[SPEC_MAX_CHOICE];
    Loc loc, value_loc[SPEC_MAX_CHOICE];
} SpecLimit;

/* A range for each of the op's extents; both ends belong to it. */
typedef struct {
    int64_t min[OP_MAX_EXTENT], max[OP_MAX_EXTENT];
} Box;

/* The regret that the user will bear, as a part of the best known time; 0: nothing is demanded. */
typedef struct {
    double mean, worst; /* geometric mean, and of any single shape */
} Demand;

/* The target that stands for the best device here, whatever it is. */
extern const char spec_auto[];

/* One function. */
typedef struct {
    const char *name; /* a C identifier; prefix of every symbol of the function: the package's, and behind it its own */
    const char *package;  /* the package's name: prefix of the symbols that all functions share */
    const char *version;  /* the package's own, a semantic version; NULL: the spec gives none */
    const char *function; /* its own name; NULL: the package has no other function, and both names are one */
    double share;         /* of the package's budget; all functions' together are 1 */
    Loc name_loc;
    const Op *op;   /* with the operands that the formula brings */
    int ntemplates; /* folders of templates, the first that has a file counts */
    const char *const *templates;
    const char *dtype;
    int ntarget;
    const char *target[SPEC_MAX_NAME]; /* {spec_auto} when the spec names none */
    Loc target_loc[SPEC_MAX_NAME];
    int ndim; /* of the file */
    Dim dim[SPEC_MAX_DIM];
    /* Bit i: a shape of this function names dim i. The others make no difference to it: it takes their minimum. */
    unsigned dims;
    int nshape;
    ShapeDecl *shape;
    /* The calls of a service, counted: each row is an instance, and `shape` has one that stands for all of them, in
     * which an extent that varies is its own name. NULL: shapes are declared. */
    const ShapeLog *log;
    /* The smallest box that holds every shape of the declared ranges. Each extent was evaluated over all values of the
     * dims that it uses; where these are too many to try, over the corners of their ranges, which is enough for extents
     * that only grow or only fall, and a sample. */
    Box box;
    const Formula *formula;     /* of each element of the output; NULL: the operator's result as it is */
    double accuracy;            /* how many times the rounding error of plain sums results may be off; at least 1 */
    int layout[OP_MAX_OPERAND]; /* of each operand, index of its layout */
    unsigned strides;           /* bit i: by the spec's wish callers give strides of operand i */
    unsigned in_place;          /* bit i: the output may be operand i, which the formula reads */
    int const_operand;          /* index of the op's first ROLE_CONST operand, or -1 */
    /* the constant operands are packed ahead, all of them into one: calls take it in the place of the first */
    bool packed;
    bool hot;      /* a packed operand stays in the caches from one call to the next, however large it is */
    Budget budget; /* its part of the package's; the seconds if all take their parts */
    Demand regret;
    int nthread;
    int threads[SPEC_MAX_NAME]; /* ascending */
    int nlimit;
    SpecLimit limit[SPEC_MAX_LIMIT];
    int64_t ninstance; /* every shape of the declared ranges; above SPEC_MAX_INSTANCE: sampled, corners kept */
    /* Sorted by threads, decl, dim values; duplicates (same extents and threads) merged, weights added. */
    Instance *instance;
    const Source *src;
} Spec;

enum { SPEC_MAX_INSTANCE = 200000 }; /* of all functions of a file */

/* All functions of a file, at least one. */
typedef struct {
    const char *name; /* the package's */
    Budget budget;    /* of all functions together */
    bool report;      /* the package has a report.html */
    const Conf *conf;
    const ConfSetting *graph; /* as written, for who reads it (gen/graph); NULL: there is none */
    int nfunction;
    Spec **function;
    const Source *src;
} SpecFile;

/* templates: the folders that hold op folders, searched in order, dcgen's own the last. Where it is the only one, those
 * that the spec's `templates` names come before it. NULL after errors in d (all of the file's errors). */
SpecFile *spec_file_parse(Arena *a, const Source *src, const char *const *templates, int ntemplates, Diag *d);
/* The first function of a text or a file. */
Spec *spec_parse(Arena *a, const Source *src, const char *const *templates, int ntemplates, Diag *d);
Spec *spec_read(Arena *a, const char *path, const char *const *templates, int ntemplates, Diag *d);
/* Gives each function its part of a budget: by the functions' shares, and at least one of everything. */
void spec_share_budget(SpecFile *f, const Budget *budget);

const char *spec_formula_text(const Spec *s); /* as written; "": there is none */
/* Does the formula know the output's places, but for that along the last extent, from operands as large as the output
 * alone? Then one number may stand for all of these places: the q of ((n*P + p)*Q + q) for n, p and q. False where
 * there is no formula. */
bool spec_formula_is_flat(const Spec *s);
/* The same of the output's last two places: the p*Q + q of [n][oc][p][q] for p and q. */
bool spec_formula_is_of_planes(const Spec *s);
/* May this value of a parameter be searched? General kernels may have others. */
bool spec_wants(const Spec *s, const char *param, int64_t value);

/* Is it an operand that callers pass? Of several that are packed together only the first one stands for all. */
bool spec_passes(const Spec *s, int operand);
/* Does ALIGN count it? So it does the operator's own inputs of the spec's element type. */
bool spec_is_aligned(const Spec *s, int operand);
/* ALIGN: the bytes, 16 at most, that all those operands begin at multiples of, and all their rows, where they lie
 * densely in memory that is aligned. */
int64_t spec_align(const Spec *s, const int64_t *extent);
/* Bytes of the packed operand; 0: none is packed. */
double spec_packed_bytes(const Spec *s, const int64_t *extent);

/* The package's file with the function's log of shapes. */
#define SPEC_LOG_SUFFIX ".csv"
const char *spec_log_path(Arena *a, const Spec *s);

/* Shapes in the declared ranges, and the tuned ones. One is several instances where several numbers of threads are. */
int64_t spec_shape_count(const Spec *s);
int64_t spec_tuned_count(const Spec *s);
/* The same without splitting calls among threads: a shape is one instance, of one thread. It shares the memory of s. */
const Spec *spec_of_one_thread(Arena *a, const Spec *s);
/* Bit i: an extent of the shape uses dim i. */
unsigned spec_shape_dims(const Spec *s, const ShapeDecl *shape);
/* The extents of a shape at these values of all dims; false where no call may have them, or one has nothing to do: then
 * nothing is declared there. */
bool spec_shape_extents(const Spec *s, const ShapeDecl *shape, const int64_t *dim, int64_t *extent);
/* Useful floating-point operations of a call; 0 when the op has none. */
double spec_flops(const Spec *s, const int64_t *extent);
/* Is the operator a formula alone? Then a call computes little for what it moves: its speed is bytes a second. */
bool spec_moves(const Spec *s);
/* Fills in the derived extents behind those that are given. False: no call has these, as a derived extent is not legal,
 * or an index of the formula might lie outside of its operand. */
bool spec_is_legal(const Spec *s, int64_t *extent);
bool spec_has_output(const Spec *s, const int64_t *extent); /* of any element */
/* Has a call anything to do? Its output has elements, and it has operations if any call of the operator has. */
bool spec_has_work(const Spec *s, const int64_t *extent);
/* Bytes of all operands that a package has, each counted once; of those that are gathered the bytes that are read. */
double spec_bytes(const Spec *s, const int64_t *extent);
/* The parts into which a package for CPUs splits a call that may take `threads` threads: fewer where they are not worth
 * their start. Its dispatcher is asked with that number. */
int spec_parts(const Spec *s, const int64_t *extent, int threads);
/* Fills in the different extents of an axis, ascending, and gives their number; 0: there are more than max. */
int spec_extents(const Spec *s, int axis, int64_t *extent, int max);
const Operand *spec_output(const Spec *s);                    /* its op's */
const Storage *spec_element(const Spec *s, const Operand *o); /* how its elements are stored */
/* The same of the first operand of that part, or, if there is none, as the spec's dtype says. NULL: unknown dtype. */
const Storage *spec_part(const Spec *s, DtypePart part);
/* The layout of an operand; and the names of all that were chosen from several: "W: NK, B: KN", "": none was. */
const Layout *spec_layout(const Spec *s, int operand);
/* What a declared shape says of each extent that callers give. */
const char **spec_shape_texts(Arena *a, const Spec *s, int shape);
const char *spec_layout_text(Arena *a, const Spec *s);
const char *spec_strides_text(Arena *a, const Spec *s); /* the operands that the spec gives strides: "X, Y" */
const char *spec_in_place_text(Arena *a, const Spec *s);
/* Does an operand have the output's elements, each read at the output's own place alone? */
bool spec_lies_as_output(const Spec *s, int operand);
/* May a call's output hold what its formula has still to read: by that, or as it is an operand? */
bool spec_reads_output(const Spec *s);
/* Is this extent of the op an attribute with one value in all shapes? Then it is no argument of the package's
 * functions, and kernels are made for that value alone: Spec.box has it. */
bool spec_is_constant(const Spec *s, int extent);
/* May dim i have that value? Any will do where the function does not use it. */
bool spec_dim_holds(const Spec *s, int i, int64_t value);

#endif
