/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_print: how parts of a formula are printed as code, for the files that print epilogues and row operators (unit_formula.c, unit_rows.c).
 */
#ifndef DCGEN_FORMULA_PRINT_H
#define DCGEN_FORMULA_PRINT_H

#include "gen/base/text.h"
#include "gen/spec/dtype.h"
#include "gen/unit/unit.h"

/* How tightly C binds. */
enum { BIND_CHOICE = 1, BIND_OR, BIND_AND, BIND_BITS, BIND_EQUAL, BIND_COMPARE, BIND_SUM, BIND_TERM, BIND_UNARY, BIND_PRIMARY };

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
    int along; /* the extent along which vectors go; -1: there are none */
    Piece piece[FORMULA_MAX_NODE];
    Text out; /* statements before the value */
    unsigned used; /* bit i: the place along extent i was printed */
    int nvariable;
} Printer;

const FormulaNode *print_at(const Printer *p, int i);
const Layout *print_output_layout(const Spec *s);
/* A node, of nodes that are printed already; statements that it needs go to p->out. */
Piece print_node(Printer *p, int i);
/* Prints all nodes up to one: those that are used more than once as variables. Gives that one. */
Piece print_nodes(Printer *p, int last);
/* A value for all lanes of a vector. */
Piece print_widened(const Printer *p, Piece v, FormulaType type);
const char *print_enclosed(const Printer *p, Piece piece, int least);
/* The element type of an operand. */
const Dtype *print_dtype(const Printer *p, const Operand *o);
const char *print_type(const Printer *p, FormulaType type, bool wide);
/* The name of a place along an extent: m of M. */
const char *print_place_name(const Printer *p, int extent);
/* Text with PACKAGE, NAME and what belongs to the target filled in. */
char *print_filled(const Printer *p, const char *text);
/* Does a vector of elements lie one behind the other? */
bool print_is_contiguous(const Printer *p, const FormulaNode *v);
/* Where an element lies behind its operand's first one; lane: what stands for the place along vectors. */
const char *print_offset(Printer *p, const FormulaNode *v, const char *lane);

/* formula_leaf.c: what nodes are made of. */
Piece print_leaf(Printer *p, int i);
/* An extent, as kernels and the reference see it. */
const char *print_extent(const Printer *p, int i);
/* A name for a variable that no other has: the operand's, where that is free. */
const char *print_variable_name(Printer *p, const char *operand);

/* unit_rows.c: what kernels of an op without a definition of its own call. "": the text of the kernels calls none of it. */
const char *unit_rows_of_target(Arena *a, const Spec *s, const Target *t, const char *kernels);
const char *unit_rows_places(Arena *a, const Spec *s, const Target *t);
/* Its definition in double precision: the words of the pattern formula.h that are of rows. */
void unit_rows_exact_words(Printer *p, FillScope *words);

#endif
