/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_print: how parts of a formula are printed as code, for the files that print epilogues and row operators
 * (unit_formula.c, unit_rows.c).
 */
#ifndef DCGEN_FORMULA_PRINT_H
#define DCGEN_FORMULA_PRINT_H

#include "gen/base/text.h"
#include "gen/unit/unit.h"

/* How tightly C binds. */
enum {
    BIND_CHOICE = 1,
    BIND_OR,
    BIND_AND,
    BIND_BITS,
    BIND_EQUAL,
    BIND_COMPARE,
    BIND_SUM,
    BIND_TERM,
    BIND_UNARY,
    BIND_PRIMARY
};

typedef enum { STYLE_VECTOR, STYLE_SCALAR, STYLE_EXACT } Style;

/* What a node is printed as where it is used. */
typedef struct {
    const char *text;
    int binding;
    bool wide;
} Piece;

typedef struct {
    Arena *arena;
    const Spec *spec;
    const Target *target; /* of vectors */
    Style style;
    bool block; /* elements that lie across rows are in a block that was loaded */
    int along;  /* the extent along which vectors, or a thread's neighbouring elements, go; -1: there are none */
    Piece piece[FORMULA_MAX_NODE];
    Text out;       /* statements before the value */
    Text before;    /* STYLE_SCALAR along an extent: those before the loop over a thread's elements */
    bool fresh;     /* such loads are behind `if (fresh)` */
    unsigned named; /* bit i: a variable has the name of operand i */
    unsigned used;  /* bit i: the place along extent i was printed */
    int nvariable;
    bool takes_lanes; /* STYLE_VECTOR: loads were printed that are of the `lanes` elements which are there */
} Printer;

const FormulaNode *print_at(const Printer *p, int i);
const Layout *print_output_layout(const Spec *s);
/* A node, of nodes that are printed already; statements that it needs go to p->out. */
Piece print_node(Printer *p, int i);
/* Marks what value k of a node is printed of: as a rule that node itself. */
void print_mark(const Printer *p, int i, int k, bool *needed);
/* Prints all nodes up to one: those that are used more than once as variables. Gives that one. */
Piece print_nodes(Printer *p, int last);
/* Makes a node that is printed a variable. */
void print_variable(Printer *p, int i);
/* A value for all lanes of a vector. */
Piece print_widened(const Printer *p, Piece v, FormulaType type);
const char *print_enclosed(const Printer *p, Piece piece, int least);
const char *print_type(const Printer *p, FormulaType type, bool wide);
/* The name of a place along an extent: m of M. */
const char *print_place_name(const Printer *p, int extent);
/* Text with PACKAGE, NAME and what belongs to the target filled in. */
char *print_filled(const Printer *p, const char *text);
/* The same for a part of a line. */
const char *print_part(const Printer *p, const char *text);
/* The words of these, to which others may be added. */
FillScope *print_words(const Printer *p);
/* An operator or function of these values as plain C, and how tightly value i of it must bind. */
Piece print_narrow(const Printer *p, const FormulaNode *v, const char *const *value);
int print_least_binding(const FormulaNode *v, int i);

/* formula_lane.c: elements whose indices differ from lane to lane. Does a vector of elements lie one behind the other,
 * if all of them are there? For a thread's neighbouring elements: in rows that are aligned where the output's are? */
bool print_is_contiguous(const Printer *p, const FormulaNode *v);
/* Does a node differ along vectors, or along a thread's neighbouring elements? */
bool print_moves(const Printer *p, int i);
/* An integer, as plain C; lane: what stands for the place along vectors. */
Piece print_at_lane(Printer *p, int i, const char *lane);
/* Elements from one to the next along the i-th extent of a strided operand. On GPUs the product of two ints that is
 * wide is one instruction. */
const char *print_stride(const Printer *p, const Operand *o, int i);
/* Where an element lies behind its operand's first one; are all of its indices in the operand? lane: as above. */
const char *print_offset(Printer *p, const FormulaNode *v, const char *lane);
const char *print_inside(Printer *p, const FormulaNode *v, const char *lane);
/* An element by itself, on a CPU. */
const char *print_loaded_alone(const Printer *p, const Operand *o, const char *at);
/* A vector of elements, as a variable: only the first `lanes` of them are there. */
Piece print_vector(Printer *p, int i);

/* Do kernels call NAME_<what>_MACHINE? kernels: their text; "": they are not known, and may. */
bool print_is_called(Arena *a, const Spec *s, const Target *t, const char *kernels, const char *what);

/* formula_leaf.c: what nodes are made of. */
const char *print_extent(const Printer *p, int i);
Piece print_leaf(Printer *p, int i);
/* Is it a name that printed code uses for something of its own? */
bool print_is_taken(const char *name);
/* A name for a variable that no other has: the operand's, where that is free. */
const char *print_variable_name(Printer *p, const char *operand);

/* Where the output of a row lies. lane: what stands for the place along the row. */
const char *print_output(Printer *p, const char *lane);
/* An argument of the call: a->M. */
const char *print_argument(const Printer *p, const char *name);
/* A cast of the first factor of what may be larger than a place. */
const char *print_count(const Printer *p);

/* unit_reach.c: adds HAS_REACH, and the list "reach" of conditions under which no index lies outside of its operand. */
void unit_reach_words(FillScope *s, const Spec *spec);
/* unit_rows.c: may the output of an op that is a formula alone be this very operand? On CPUs, where kernels then read
 * each of its elements for the last time just before they write there; on GPUs nobody writes inputs. */
bool unit_rows_in_place(Arena *a, const Spec *s, const Target *t, int operand);
/* unit_blocks.c: what kernels call that go by blocks of rows and columns. "": the text of the kernels calls none of it,
 * or nothing lies across rows. NULL after errors in d. */
const char *unit_blocks_of_target(Arena *a, const UnitContext *u, const char *kernels, Diag *d);
/* unit_rows.c: what kernels of an op without a definition of its own call: for the target, and for all of its family.
 * "": the text of the kernels calls none of it. NULL after errors in d. */
const char *unit_rows_of_target(Arena *a, const UnitContext *u, const char *kernels, Diag *d);
const char *unit_rows_places(Arena *a, const UnitContext *u, Diag *d);
/* Its definition in double precision: the words of the pattern formula.h that are of rows. */
void unit_rows_exact_words(const Printer *p, FillScope *words);

#endif
