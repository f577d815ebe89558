/* SPDX-License-Identifier: Apache-2.0
 *
 * op: an operator as data, read from templates/<op>/op.cfg. Nothing in dcgen's C code names an operator.
 */
#ifndef DCGEN_OP_H
#define DCGEN_OP_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"
#include "gen/spec/dtype.h"

enum {
    OP_MAX_AXIS = 12,
    OP_MAX_EXTENT = 24, /* axes, attributes and derived extents together */
    OP_MAX_OPERAND = 12,
    OP_MAX_RANK = OP_MAX_AXIS,                                        /* extents of an operand */
    OP_MAX_CALL = OP_MAX_EXTENT + OP_MAX_OPERAND * (OP_MAX_RANK - 1), /* numbers of a call, with strides */
    OP_MAX_NAME = 8,
    OP_MAX_ACCURACY = 1000,
    OP_MAX_NUMBER = INT32_MAX /* that an extent can be */
};

/* What an extent is: an axis that work is done along (BATCH: the same work, independent, for each index; REDUCE: summed
 * over), an attribute that changes what is computed (a stride, a padding), or one that follows from these. */
typedef enum { AXIS_BATCH, AXIS_SPATIAL, AXIS_REDUCE, EXTENT_ATTRIBUTE, EXTENT_DERIVED } ExtentKind;
/* CONST: constant over calls, may be packed once, all such operands of an op together; INDEX: an input of 32-bit
 * integers that kernels address memory by. */
typedef enum { ROLE_IN, ROLE_CONST, ROLE_OUT, ROLE_INDEX, ROLE_COUNT } Role;
extern const char *const role_names[ROLE_COUNT]; /* "in", "const", "out", "index" */
/* What an operand holds while kernels are verified and timed. An op says one of the first kinds: normal numbers; small
 * whole ones; words of any bits; lengths, from 0 to an extent; places along an extent, below it; permutations of its
 * last extent, 0 the least; in each row of its last extent, lengths that add up to an extent ("parts"), or where such
 * parts begin and, at last, end ("offsets"). These two are drawn together: of one extent and in equal number they are
 * the same parts. In the place of normal numbers errors are told of two more: one in DATA_OUTLIER_EVERY is DATA_OUTLIER
 * times as large; each is multiplied by e^(DATA_SPREAD_LN * another one). And formulas are verified on rows of all
 * kinds (search/runner/edges.c): constant ones, those far from 0, the largest numbers. */
typedef enum {
    DATA_NORMAL,
    DATA_INTEGERS,
    DATA_BITS,
    DATA_LENGTHS,
    DATA_PLACES,
    DATA_PERMUTATION,
    DATA_PARTS,
    DATA_OFFSETS,
    DATA_OUTLIERS,
    DATA_SPREAD,
    DATA_EDGES,
    DATA_COUNT,
    DATA_OF_OPS = DATA_OUTLIERS
} DataKind;
enum { DATA_OUTLIER_EVERY = 200, DATA_OUTLIER = 10000, DATA_SPREAD_LN = 5 };
extern const char *const data_names[DATA_COUNT]; /* "normal", "integers" ... "outliers", "spread", "edges" */
static inline bool data_has_parts(DataKind k) { return k == DATA_PARTS || k == DATA_OFFSETS; }
/* How an extent is divided into parts: at random, some of them empty; equally; one has all; most are empty, the first
 * and the last among them. */
typedef enum { WAY_RANDOM, WAY_EQUAL, WAY_ONE, WAY_EMPTY, WAY_COUNT } PartsWay;

/* A number of a call. */
typedef struct {
    const char *name; /* as a spec says it */
    ExtentKind kind;
    const char *doc;
    int64_t least, most; /* what is legal: of an axis 0 or 1 up to OP_MAX_NUMBER */
    bool has_usual;      /* an attribute that a shape need not say is then `usual` */
    int64_t usual;
    /* a key of shapes that gives all attributes that name it, each unless the shape has the attribute's own key; NULL:
     * none */
    const char *brief;
    int ntry;
    int64_t tries[OP_MAX_NAME]; /* extents of an axis that verification must see */
    Expr *expr; /* of a derived extent: over those before it; it cannot overflow for legal values of these. Else NULL */
    Loc loc;
} Extent;

/* An order in which the elements of an operand may lie. */
typedef struct {
    const char *name; /* "NK"; "": the operand has this one alone, and it has no name */
    int rank;
    Expr *extent[OP_MAX_RANK]; /* outermost first */
} Layout;

typedef struct {
    const char *name; /* "X" */
    Role role;
    DataKind data;
    /* of lengths, places, permutations, parts and offsets: the extent that bounds them; of rows that a formula reads:
     * the one they go along; else -1 */
    int of;
    const Storage *stored;      /* NULL: as the spec's dtype says (op_element) */
    int nlayout;                /* what a spec may ask for; the first is the default */
    Layout layout[OP_MAX_NAME]; /* all of one rank, and of the same number of elements */
    const char *layout_of;      /* an operand before it, whose choice is this one's too; NULL: specs choose */
    Expr *elems;                /* number of elements: the product of the extents */
    Expr *reads;                /* how many of them a call reads or writes at most; NULL: each once */
    const char *doc;            /* what it is, and its elements' order where it has one layout alone */
    bool of_formula;            /* the formula of a spec brought it (gen/spec/formula.h) */
    Loc loc;                    /* of the name, in op.cfg or in the formula */
    bool strided;               /* callers say how far apart its elements are, along each extent but the last */
    bool never_strided;         /* op.cfg says that they lie densely, whatever a spec wishes */
    bool is_read;               /* of the output: a formula reads what each element holds before it is written */
    /* why results are promised only where all of its elements are finite numbers; NULL: they are for all */
    const char *finite;
} Operand;

/* Does a formula go along rows of real numbers of it? */
static inline bool op_has_rows(const Operand *o) { return o->of_formula && o->data == DATA_NORMAL && o->of >= 0; }

typedef struct {
    const char *name; /* "bias" */
    Expr *expr;       /* the formula: "acc + bias[n]" */
} OpEpilogue;

/* An accuracy that specs may ask for by name: results may be off by `factor` times the rounding error of plain sums. */
typedef struct {
    const char *name, *doc;
    double factor;
} OpAccuracy;

/* Words for what the op nearly is: whoever asks for one is told what to do instead. */
typedef struct {
    int nword;
    const char *word[OP_MAX_NAME], *say;
} OpAdvice;

typedef struct {
    const char *name, *doc, *dir; /* dir: the folder of op.cfg */
    int nalso;
    const char *also[OP_MAX_NAME]; /* what others call it: whoever asks for that is told its name */
    int nadvice;
    OpAdvice advice[OP_MAX_NAME];
    const Source *src;
    /* The numbers of a call, in this order everywhere, also as slots: axes, attributes, derived extents. */
    int naxis, ngiven, nextent; /* axes; with attributes, all of which a caller gives; with derived extents */
    Extent extent[OP_MAX_EXTENT];
    int noperand;
    Operand operand[OP_MAX_OPERAND]; /* in the order of the C API */
    int ndtype;
    const char *dtype[OP_MAX_NAME];
    int nepilogue;
    OpEpilogue epilogue[OP_MAX_NAME]; /* words that specs may ask for in the place of a formula */
    /* what formulas call the sums behind an element of the output, in the order in which kernels give them to it: the
     * first is "acc". Of more than one only a formula makes an element. */
    int nsum;
    const char *sum[OP_MAX_NAME];
    int naccuracy;
    OpAccuracy accuracy[OP_MAX_NAME];
    int npack;
    /* parts that the packed constant operand has where kernels read them (values of these names in their heads) */
    const char *pack[OP_MAX_NAME];
    /* what index operands hold decides how much of the work there is: flops and operands' bytes are at most that */
    bool by_data;
    Expr *flops;            /* useful floating-point operations of one call, bound to the axes, as are the next two */
    Expr *rows, *row_elems; /* the output as rows x row_elems, for verification; not in op.cfg: elements x 1 */
    /* Path of the naive reference, C (see search/runner/abi.h). NULL: the op computes what the formula of a spec says,
     * and nothing else; `flops` follow from it, and are NULL before. */
    const char *reference;
    const char *templates; /* the op in whose folder its templates are; as a rule its own name */
} Op;

/* Reads <dir>/op.cfg. NULL after errors in d. */
Op *op_read(Arena *a, const char *dir, Diag *d);
/* Reads the op from the text of its op.cfg. */
Op *op_parse(Arena *a, const char *dir, const Source *src, Diag *d);

/* Adds an attribute behind the others. False: the op has as many extents as there may be. */
bool op_add_attribute(Op *op, const Extent *attribute);
/* Has it a brief name, and is it the first attribute with that? */
bool op_is_first_brief(const Op *op, int extent);
/* Is there an operand whose elements divide an extent into parts? */
bool op_has_parts(const Op *op);
int op_axis(const Op *op, const char *name);       /* index of any extent, or -1 */
const Operand *op_output(const Op *op);            /* the operand that a call writes */
DtypePart op_part(const Op *op, const Operand *o); /* what an operand of it is in the arithmetic */
/* How the elements of one of its operands are stored where a spec computes in `dtype`. */
const Storage *op_element(const Op *op, const Operand *o, const char *dtype);
/* Fills in the derived extents behind those that are given. False: one of them, and so the call, is not legal. */
bool op_derive(const Op *op, int64_t *extent);
/* How far two calls' extents are apart: the squares of their differences summed up, of axes in octaves. */
double op_distance(const Op *op, const int64_t *a, const int64_t *b);
/* Where an operand's strides begin behind a call's extents: those of all strided operands, one after the other. */
int op_stride_at(const Op *op, int operand);
/* The number of elements of a layout: the product of its extents. NULL: the product is too long. */
Expr *op_elements(Arena *a, const Op *op, const Layout *l);

#endif
