/* SPDX-License-Identifier: Apache-2.0
 *
 * lower: from an ONNX graph to steps, which become nodes of a spec's graph, each a call of a function.
 *
 *   value    what a node of the model gives: an expression of its elements (elem.h), not computed yet
 *   memory   what lies in memory: inputs, constants, and results of steps
 *   step     a call: of an operator, such as dense, with what is done to each result (the epilogue), or of a formula
 *
 * A value is computed when a step must find it in memory: products read their operands there, outputs of the model lie
 * there, and what several others use is not computed twice. All else goes into the expressions of those that use it.
 */
#ifndef DCGEN_LOWER_H
#define DCGEN_LOWER_H

#include "gen/base/text_list.h"
#include "gen/import/elem.h"
#include "gen/import/net.h"
#include "gen/spec/storage.h"

enum {
    LOWER_MAX_RANK = ELEM_MAX_ARG,
    LOWER_MAX_EXTENT = 24,
    LOWER_MAX_OPERAND = 12,
    LOWER_MAX_LIST = 64,
    LOWER_MAX_ERROR = 100
};

/* ---- memory ---- */

typedef enum {
    MEMORY_INPUT,
    MEMORY_CONSTANT,
    MEMORY_RESULT,
    MEMORY_STATE, /* an input and an output, which stays from call to call */
    MEMORY_GONE   /* nothing uses it any more */
} MemoryKind;

typedef struct {
    MemoryKind kind;
    const char *name; /* an identifier of C, which no other has; NULL: of a result, until it is written */
    const char *from; /* what the model calls it */
    const Storage *stored;
    int rank;
    const Poly *extent[LOWER_MAX_RANK];
    int order[LOWER_MAX_RANK]; /* its extents as they lie in memory, outermost first */
    bool is_ordered;           /* else the first that reads it chooses */
    const void *data;          /* of a constant, as `stored` */
    int step;                  /* of a result: the one that computes it; -1 */
    bool is_part;              /* its rows are parts of the wider ones of `whole`, from part_at on */
    int whole;
    const Poly *part_at, *row; /* row: elements of a row of `whole` */
    const char *output;        /* the model's output that it is; NULL: none */
    int noutput;               /* extents of that, as the model has them */
    const Poly *output_extent[LOWER_MAX_RANK];
    int nread; /* steps that read it */
} Memory;

/* Elements of memory by places: `at` + place[0]*stride[0] + ... */
typedef struct {
    int memory;
    const Poly *at;
    int n;
    const Poly *stride[LOWER_MAX_RANK];
} Access;

/* ---- values ---- */

typedef struct {
    ElementType type;
    bool is_known; /* else the node that makes it is not supported */
    int rank;
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *elem; /* over the places of its dims (lower_places); NULL where only `list` is there */
    int nlist;        /* elements that are known one by one, as sizes are; 0: they are not */
    const Elem **list;
} Value;

/* ---- steps ---- */

typedef struct {
    const char *name; /* of the operator's operand */
    Access access;    /* over the axes of the operator that its layout names, outermost first */
    const Poly *extent[LOWER_MAX_RANK];
} StepOperand;

typedef struct {
    const char *op;   /* NULL: a formula */
    const char *node; /* of the model */
    int out;          /* memory */
    /* What each element of out is, over the places of out's extents. Of an operator: what is made of its result, which
     * is the element of out itself; NULL: nothing. */
    const Elem *value;
    int place[LOWER_MAX_RANK];
    const Poly *at; /* of a formula that writes a part of out: where that begins, and its extents */
    const Poly *part[LOWER_MAX_RANK];
    int nextent; /* of an operator: what a call gives */
    const char *extent[LOWER_MAX_EXTENT];
    const Poly *size[LOWER_MAX_EXTENT];
    /* Of an operator: its output's axes as formulas call them, outermost first, and of each of out's extents the axis
     * that it is a part of. */
    int naxis;
    const char *axis[LOWER_MAX_RANK];
    int axis_of[LOWER_MAX_RANK];
    int noperand;
    StepOperand operand[LOWER_MAX_OPERAND];
    const char *layout;   /* as a spec says it: "W = \"KN\"; packed = true;"; NULL: none */
    bool is_value_of_row; /* of a formula: it has one value of a row, which its output lacks */
    int gate;             /* of gated_dense: the memory whose element is its second sum; 0: it has none */
    bool is_chosen;       /* a choice may leave it out: what it reads may not be there */
    bool is_gone;         /* another step does its work */
    bool is_closed;       /* what is made of its result is settled */
    int nseen, *seen;     /* values of the model that loaded its result when they were given, while it was not closed */
} Step;

/* What the user says of a size of the model: "batch=B:1..16". */
typedef struct {
    const char *symbol, *name; /* what the model calls it, and the spec */
    int64_t least, most;       /* -1: not said */
} GivenDim;

typedef struct {
    Arena *arena;
    Diag *diag;
    const OnnxModel *model;
    Net *net;
    Polys *polys;
    Elems *elems;
    Value *value; /* of each of the net's */
    int nmemory, nstep;
    Memory *memory;
    Step *step;
    int *order, norder;                    /* steps in the order in which they are carried out */
    const int *joins_results, *joins_rows; /* net_joins of what an operator may do to its results, and of formulas */
    const NetNode *node;                   /* at hand */
    const NetNode *giver;                  /* while no node is at hand: of the output that is */
    const char *storing;                   /* the node that gives the value which is computed into memory; NULL: none */
    bool is_chosen;                        /* and that is a part of a choice */
    int nframe;
    struct {
        int i, place;
        const Poly *below;
    } * frame;
    const Elem *zero[2]; /* a constant, real and whole; NULL: none was needed yet */
    int ngiven;
    const GivenDim *given;    /* by --dim */
    TextList sizes;           /* what the model calls its dims */
    bool is_partial;          /* what is not known is an input, and only warned of */
    int nfailed, ntold;       /* nodes; operators that are not supported */
    int nbranch;              /* If nodes of which it is known which branch they take */
    const OnnxGraph **branch; /* of each node that one; NULL: nobody asks */
} Lower;

/* ---- memory.c ---- */

int memory_add(Lower *l, Memory m);
Memory memory_result(const Storage *stored, int rank, const Poly *const *extent); /* of a step */
/* Adds a constant, whose elements lie in order. */
int memory_constant(Lower *l, const char *from, const Storage *stored, int rank, const Poly *const *extent,
                    const void *data);
/* Strides of its extents as they lie in memory, which are ordered by this. */
void memory_strides(Lower *l, int memory, const Poly **stride);
/* The element of memory that the places of its extents give. */
const Elem *memory_elem(Lower *l, int memory);
/* How x, a load, goes over memory along n places. False: it is no sum of these. Memory that is not ordered yet is laid
 * out so that the last place's elements lie side by side, if that can be. */
bool access_of(Lower *l, const Elem *x, int n, const int *place, Access *out);
/* The access where each `row` elements of memory became `wide` ones. False: that is not seen. */
bool access_widen(Lower *l, Access *a, const Poly *row, const Poly *wide);
bool access_is_dense(Lower *l, const Access *a, const Poly *const *extent);
bool access_has_rows_of(Lower *l, const Access *a, const Access *b); /* of dense layers: the same rows of a memory */
/* The access with neighbouring places i and i + 1 as one; false: they are none. extent: of the places. */
bool access_merges(Lower *l, const Access *a, const Poly *const *extent, int i);

/* ---- step.c ---- */

int step_add(Lower *l, Step s); /* its number */
/* The operator's step whose result memory holds, if more may be made of that; NULL: there is none. */
Step *step_open(Lower *l, int memory);
Step *step_open_in(Lower *l, const Elem *x); /* the latest one whose result x loads */
/* Nothing more is made of the results of operators that x loads. */
void step_close(Lower *l, const Elem *x);
/* Notes of which results of open steps this value, which a node has just given, is made. */
void step_note(Lower *l, int value);
/* Does anything but v, which is made of it, still read what the operator gives, as it is? v: NULL: there is none. */
bool step_is_read_besides(const Lower *l, const Step *s, const Value *v);
/* Makes the value what the operator does to each of its results. False: it cannot, and nothing was changed. */
bool step_take(Lower *l, Step *s, Value *v);

/* ---- store.c ---- */

/* Sees that the value lies in memory: its expression becomes a load. False after an error. */
bool store_value(Lower *l, Value *v);

/* Where a node reads the results of several operators, what was made of all but the last one's is done by these. */
bool store_others(Lower *l, const NetNode *n);
/* What is to be done when a node has given this value. */
bool store_settle(Lower *l, int value);
/* Computes a value of constants now: it becomes one. False: it is none. */
bool store_constant(Lower *l, Value *v);
bool store_is_constant(const Lower *l, const Elem *x); /* are all of its loads of constants? */
/* x, an expression of constants along one place, as a constant of its own: an element of it. x itself if it is none. */
const Elem *store_vector(Lower *l, const Elem *x, int place, const char *from);
/* Multiplies the results of a convolution, of which x is one, by a factor for each filter, which stands in its filters
 * from then on. False: x is no such result, or more is made of it than x. */
bool store_scaled(Lower *l, const Elem *x, const Elem *factor, int place);
/* The value of an expression of constants at these dims. False: it has none. */
bool store_constant_at(Lower *l, const Elem *x, int64_t *dims, double *value);
/* Computes a value into memory of its own that lies in this order. False after an error. */
bool store_copy(Lower *l, Value *v, const int *order);

/* ---- gates.c, siblings.c: layers of the same rows become one ---- */

void gates_join(Lower *l);

void siblings_join(Lower *l);

/* ---- states.c ---- */

/* Inputs that are given back as outputs with more behind become states. room: how many a state has room for. */
int states_keep(Lower *l, const Poly *room);

/* ---- split.c ---- */

/* Stores a part of an expression, which is loaded in its place then. False: it has none, or after an error. */
bool split_value(Lower *l, const Elem **whole);

/* ---- call.c ---- */

/* A call of a function: what the spec says of the function, of one of its shapes, and of what is bound to it. */
typedef struct {
    const char *name; /* "x" */
    Access access;    /* over `rank` extents, outermost first; of strides the last is 1 */
    int rank;
    const Poly *extent[LOWER_MAX_RANK];
    bool is_strided, is_declared; /* its function says so: in `strides`, in `extents` */
    bool is_at_place;             /* each place of the output reads the element at that place */
    const char *declared[LOWER_MAX_RANK];
} CallOperand;

typedef struct {
    const char *op, *formula, *layout; /* formula, layout: NULL: none */
    int nnumber;                       /* of the sizes, those that only the formula uses */
    const char *number[LOWER_MAX_OPERAND];
    int nsize;
    struct {
        const char *name;
        const Poly *size;
    } size[LOWER_MAX_EXTENT + LOWER_MAX_OPERAND]; /* extents of the shape */
    int noperand;
    CallOperand operand[LOWER_MAX_OPERAND]; /* the output is the last */
} Call;

/* What step s is as a call; of a formula it chooses how its places become axes. False: it is more than one call. */
bool call_of(Lower *l, Step *s, Call *c);

/* ---- lower.c ---- */

/* NULL after errors. */
Lower *lower_model(Arena *a, const OnnxModel *whole, const TextList *dims, bool is_partial, Diag *d);

/* ---- lower_value.c ---- */

/* The place along extent i of a tensor, where that is so large: one for all tensors. */
int lower_place(Lower *l, int i, const Poly *extent);
const Elem *lower_place_elem(Lower *l, int i, const Poly *extent);
void lower_places(Lower *l, int rank, const Poly *const *dim, int *place);
/* The number of an element, counted in order, by its places. */
const Poly *lower_flat_place(Lower *l, int rank, const Poly *const *dim);
bool lower_error(Lower *l, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* about the node at hand */
const Value *lower_input(Lower *l, int i);                                              /* NULL: left out */
Value *lower_output(Lower *l, int i);
/* The element of an input at places of the output, by the rules of broadcasting. */
const Elem *lower_broadcast(Lower *l, const Value *v, int rank, const Poly *const *dim);
/* The expression of a value: of one that is known element by element too. */
const Elem *value_elem(Lower *l, const Value *v);
/* Its elements one by one, if they are known so. False: they are not. */
bool value_sizes(Lower *l, const Value *v, int most, const Poly **size, int *n);
bool value_numbers(Lower *l, const Value *v, int most, double *number, int *n);
bool lower_give(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, const Elem *elem);
bool lower_give_list(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, int n,
                     const Elem *const *list);
bool lower_require(Lower *l, const Poly *x, const Poly *y); /* they are equal; false after an error */
ElemType elem_type_of(ElementType type);

/* ---- lower_tensor.c ---- */

void lower_add_constant(Lower *l, int value); /* of the net's values */
bool lower_add_input(Lower *l, const OnnxValue *input);
/* Sees that an output of the model lies in memory of its own. */
bool lower_give_output(Lower *l, const OnnxValue *output);
const Elem *lower_constant_elem(Lower *l, const OnnxTensor *t, int64_t i); /* element i of a constant */
/* Reads what --dim says; NULL after an error in d. */
const GivenDim *lower_given_dims(Arena *a, const TextList *dims, Diag *d);
void lower_tell_dims(const Lower *l); /* warns of those that the model does not have */
/* The dim that a name of the model is; a new one where it was not met yet. */
const Poly *lower_dim(Lower *l, const char *symbol);
const char *lower_identifier(Lower *l, const char *name); /* one that no memory has, like `name` */

/* ---- lower_reach.c ---- */

/* Are the elements there that the node's results are made of, as far as that follows from constants? False after an
 * error. */
bool reach_is_there(Lower *l, const NetNode *n);

/* ---- lower_ask.c ---- */

bool lower_has(Lower *l, int n);                    /* n inputs; false after an error */
bool lower_has_reals(Lower *l, int n);              /* of real numbers */
bool lower_axis(Lower *l, int64_t *axis, int rank); /* from 0 on, where it was counted from the end */
/* The numbers of an attribute or, in later opsets, of an input. *n -1: neither is there. */
bool lower_numbers(Lower *l, const char *attribute, int input, int64_t *out, int *n);
void step_extent(Step *s, const char *name, const Poly *size);
void step_operand(Step *s, const char *name, const Access *a, const Poly *const *extent);
int step_readers(const Lower *l, int memory); /* the steps that read the memory and stay */
/* How often nodes from this one on read the model's value, not its sizes alone; that it is an output counts, too. */
int value_readers(const Lower *l, int value, int from);

/* ---- the files lower_*.c ---- */

/* What lowers an operator of ONNX. */
typedef struct {
    const char *op;
    bool (*lower)(Lower *l, const NetNode *n);
    enum {
        LOWERS_ELEMENTS = 1,
        LOWERS_VIEW = 2,
        LOWERS_ROWS = 4,
        LOWERS_SIZES = 8
    } kind;         /* 0: a product or the like */
    const char *as; /* the function of formulas */
} LowerRow;
/* The product of two values, each with its matrices along the last two extents: a load of the result over the places of
 * these extents. NULL after an error. */
const Elem *lower_product(Lower *l, Value *a, Value *b, int *rank, const Poly **dim);
/* One value of the elements of x, over the places of v, along these axes: "sum" and the like. NULL after an error. */
const Elem *lower_reduced(Lower *l, const char *op, const Value *v, const Elem *x, unsigned axes);
/* The images as they are computed with, [N][H][W][C]: over places n, h, w, c. Copies what lies otherwise. */
bool lower_images_in(Lower *l, Value *v, Access *a, const Poly **extent);
/* The result of a step on images, [N][P][Q][channels], as the model sees it. */
const Elem *lower_images_out(Lower *l, Step *s, const Value *v, const Poly *const *extent, int *rank, const Poly **dim);
/* The mean of all pixels of images, at the node at hand. */
bool lower_mean_of_images(Lower *l, bool keeps_axes);
/* Pooling as a formula: at the node at hand. */
bool lower_mean_of_windows(Lower *l);
bool lower_largest_of_windows(Lower *l); /* with the places where they stand, if that is an output */
/* Gives a value whose elements are those of an input at the places `by`, which are of the output. */
bool lower_give_view(Lower *l, int input, int output, int rank, const Poly *const *dim, const Elem *const *by);
extern const LowerRow lower_elements[], lower_functions[], lower_rows[], lower_views[], lower_gathers[], lower_pads[],
    lower_sizes[], lower_products[], lower_images[], lower_windows[], lower_resizes[], lower_scatters[],
    lower_einsums[], lower_rotaries[]; /* each ends in a row without op */
const LowerRow *lower_row(const char *op);

/* ---- write.c ---- */

bool write_model(Lower *l, const char *name, const char *folder, const char **err);

#endif
