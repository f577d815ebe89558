/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_private: what the files that read a formula share. The head of each says what it reads.
 */
#ifndef DCGEN_FORMULA_PRIVATE_H
#define DCGEN_FORMULA_PRIVATE_H

#include "gen/base/expr_private.h"
#include "gen/spec/formula.h"

/* A function that is short for others. */
typedef struct {
    const char *name;
    int narg;
    bool reduces;        /* an axis stands in brackets behind the name, which `is` calls i */
    const char *args[3]; /* what `is` calls the values */
    const char *is;
} ShortForm;

enum { SHORT_FORM_COUNT = 9 };
extern const ShortForm formula_short_forms[SHORT_FORM_COUNT];

/* What names stand for while a short form is put in. */
typedef struct {
    const ShortForm *of;
    const int *value;
    int axis;
    Loc at; /* where it was called: errors in it are reported there */
} FormulaFrame;

typedef struct {
    Arena *arena;
    Diag *diag;
    Op *op; /* with the operands that the formula brings */
    const FormulaText *text;
    const Expr *expr; /* the one whose tree is read */
    const FormulaFrame *frame;
    Formula *f;
    int out;         /* the output's place; operands that the formula brings are put in before it */
    unsigned places; /* extents along which an element has a place: the output's, and those of reductions around */
    int acc;         /* what `acc` stands for */
    int depth;
    bool in_index; /* of an operand: / divides integers there as C does */
} FormulaReader;

/* Reports an error at a node; always -1. */
#define FAIL(r, n, ...) (diag_error((r)->diag, formula_place_of(r, n), __VA_ARGS__), -1)

static inline bool formula_is_comparison(FormulaOp op) { return op >= FORMULA_LT && op <= FORMULA_NE; }
static inline Loc formula_start(const FormulaText *t) { return t->expr ? expr_loc(t->expr) : t->at[0]; }
static inline FormulaType formula_type(const FormulaReader *r, int id) { return r->f->node[id].type; }

/* ---- formula.c ---- */

/* What reads or makes a node gives its number, or -1 after an error. */
int formula_read_node(FormulaReader *r, const Node *n);
/* Where a node stands in the spec. */
Loc formula_place_of(const FormulaReader *r, const Node *n);
/* The extent whose places are called so: n is a place along N. -1: none is. */
int formula_place_named(const FormulaReader *r, const char *name);
/* Reads the values from `first` on into arg, which has room for them; false after an error. */
bool formula_read_values(FormulaReader *r, const Node *n, int first, int *arg);

/* ---- formula_nodes.c ---- */

/* The number of a node that is equal, or of a new one. */
int formula_add(FormulaReader *r, const Node *n, FormulaNode node);
int formula_add_number(FormulaReader *r, const Node *n, double v, FormulaType type);
int formula_apply(FormulaReader *r, const Node *n, FormulaOp op, const int *given, int narg);
int formula_to_real(FormulaReader *r, const Node *n, int id);

/* ---- formula_functions.c ---- */

int formula_read_call(FormulaReader *r, const Node *n);
int formula_read_reduction(FormulaReader *r, const Node *n);
/* The function, or the reduction, of so many values; -1: there is none. */
int formula_find(const char *name, int narg, bool reduces);
const ShortForm *formula_find_short(const char *name, bool reduces);
/* Puts a short form in, of these values. */
int formula_expand(FormulaReader *r, const Node *n, const ShortForm *s, const int *value, int axis);
/* A function of one value, which a word of the short form may be too. */
bool formula_is_word(const char *name);
/* Is there a function of this name, of any number of values? Or a reduction? */
bool formula_is_named(const char *name, bool reduces);
bool formula_is_function(const char *name);

/* ---- formula_operands.c ---- */

int formula_read_element(FormulaReader *r, const Node *n);
/* Adds the extents that the spec gives to operands and that the op does not have. False after an error. */
bool formula_add_extents(FormulaReader *r);
/* Is it the output, or what the op itself reads? Then it is an error. */
bool formula_is_own(const FormulaReader *r, const Operand *o);
int formula_fail_own(FormulaReader *r, const Node *n, const Operand *o);
/* How the spec says that an operand is stored; NULL: as its own dtype says. */
const Storage *formula_storage_of(const FormulaReader *r, const char *operand);

/* ---- formula_known.c ---- */

/* Says what is known of the formula with this root, which becomes the last node. False after an error. */
bool formula_know(FormulaReader *r, int root);

#endif
