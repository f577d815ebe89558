/* SPDX-License-Identifier: Apache-2.0
 *
 * template: a micro-kernel family. A template is a C or CUDA file that compiles as it stands; its head, a comment that
 * begins with "dcgen" and that libconfig can read, declares parameters, constraints, derived values, the work it does
 * and the features that the cost model sees (docs/templates-reference.md). gen/template/fill.h says how a template
 * becomes a kernel's text. A name used but not declared, or declared but not used, is an error at the template's own
 * line.
 */
#ifndef DCGEN_TEMPLATE_H
#define DCGEN_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"
#include "gen/spec/op.h"
#include "gen/spec/spec.h"
#include "gen/target/device.h"

typedef struct FillScope FillScope; /* fill_scope.h */

enum {
    TEMPLATE_MAX_PARAM = 24,
    TEMPLATE_MAX_CHOICE = 32,
    TEMPLATE_MAX_TERM = 20,
    /* extents of an axis that kernels may be fixed for; an axis with more has no such kernels */
    TEMPLATE_MAX_FIXED = 8,
    TEMPLATE_MAX_CONSTRAINT = 24,
    TEMPLATE_MAX_VALUE = 32,
    TEMPLATE_MAX_FEATURE = 40,
    TEMPLATE_MAX_OFFER = 64, /* names that a template's family, the op and the tile give */
    TEMPLATE_MAX_DERIVED = TEMPLATE_MAX_VALUE + TEMPLATE_MAX_OFFER,
    /* what a prediction takes: padded_flops, serial_flops, the op's flops, and the named expressions */
    TEMPLATE_MAX_EXPR = 3 + TEMPLATE_MAX_VALUE + TEMPLATE_MAX_DERIVED + TEMPLATE_MAX_TERM + TEMPLATE_MAX_FEATURE,
    TEMPLATE_MAX_SLOT = 256,
    TEMPLATE_MAX_PIECE = 16,
    TEMPLATE_MAX_MAP = 4,
    TEMPLATE_MAP_RANK = 5, /* extents of a tensor that TMA copies from */
    TEMPLATE_MAX_GENERAL = 2 * TARGET_MAX
};

typedef struct {
    const char *name, *doc;
    int nchoice;
    int64_t choice[TEMPLATE_MAX_CHOICE];
    bool ordered;      /* of the choices that serve a shape the first is the best one */
    unsigned searched; /* bit i: choice i is; others are for general kernels alone */
    /* the choices are 0 and extents that the spec has on this axis, which a kernel may be fixed for; -1: of no axis */
    int axis;
    Loc loc;
} TemplateParam;

typedef struct {
    Expr *need;
    const char *why;
} Constraint;
typedef struct {
    const char *name, *doc;
    Expr *expr;
    Loc loc;
} NamedExpr;

/* A kernel for shapes of which nothing is known, on a target. Of several the first one that serves a call is the
 * fastest; the last one serves all. */
typedef struct {
    const char *target;
    int64_t value[TEMPLATE_MAX_PARAM];
    Loc loc;
} General;

/* A map of an operand, by which a GPU's TMA copies boxes of it. */
typedef struct {
    const char *name;
    int operand;
    const Expr *box[TEMPLATE_MAP_RANK];  /* extents of what a copy takes, outermost first, over parameters and values */
    const Expr *step[TEMPLATE_MAP_RANK]; /* elements from one of it to the next, over extents and attributes; NULL: 1 */
    Expr *swizzle;                       /* bytes of shared memory's rows that are swizzled; 0: none */
} TemplateMap;

/* What a call's launch and memory follow from: the grid's blocks along x, y and z, blocks of a cluster (0: there are no
 * clusters), threads of a block and its bytes of dynamic shared memory; bytes of scratch memory, which holds anything
 * before and behind a call (on a CPU, of each part of it), and of counters, which are zero before and behind it. */
typedef enum {
    PLAN_X,
    PLAN_Y,
    PLAN_Z,
    PLAN_CLUSTER,
    PLAN_THREADS,
    PLAN_SMEM,
    PLAN_LAUNCH,
    PLAN_SCRATCH = PLAN_LAUNCH,
    PLAN_COUNTERS,
    PLAN_COUNT
} PlanPart;

typedef struct {
    const char *name, *doc;
    const Family *family; /* of the targets that it is for */
    const char *hash;     /* 16 hex digits: of what its kernels' code depends on */
    const Source *head;   /* the file that declares it */
    const Source *src;    /* the file whose body it has: the same, or that which it is like */
    size_t body;          /* where the text behind the head begins */
    int npiece; /* files of its folder, or of one beside that, that its body includes, as other templates may */
    const Source *piece[TEMPLATE_MAX_PIECE];
    /* body and pieces as their files have them; above they are without what the spec does not ask for */
    const Source *src_file, *piece_file[TEMPLATE_MAX_PIECE];
    const Source *shared; /* what templates of its family have in common: templates/family */
    int nprimitive;       /* that its kernels call, but for those that all count (primitive.h) */
    const Source **primitive;
    int nparam;
    TemplateParam param[TEMPLATE_MAX_PARAM];
    int nvalue; /* derived from parameters and target; later ones may use earlier ones */
    NamedExpr value[TEMPLATE_MAX_VALUE];
    int nconstraint;
    Constraint constraint[TEMPLATE_MAX_CONSTRAINT];
    int nderived; /* derived from the shape too: names for the expressions below, not for the body */
    NamedExpr derived[TEMPLATE_MAX_DERIVED];
    Expr *serves;    /* The calls that its kernels are for, by the head and what they are fixed for. NULL: all. */
    bool asks_align; /* it depends on ALIGN */
    int nserved;     /* all extents of one tuned shape of each kind that `serves` can tell from the others */
    const int64_t **served;
    int nmap; /* its kernels are given these, made for each call */
    TemplateMap map[TEMPLATE_MAX_MAP];
    Expr *plan[PLAN_COUNT];  /* over the names of `derived` too; NULL: there is no such thing */
    Expr *tile[OP_MAX_AXIS]; /* what a kernel does at once along each axis; extents around it are where tails begin */
    Expr *padded_flops;      /* work done for a shape, padding included: f_pad = flops / padded_flops */
    Expr *serial_flops;      /* work of the busiest of THREADS tasks: f_occ = padded_flops / (THREADS * serial_flops) */
    int nterm;
    NamedExpr term[TEMPLATE_MAX_TERM]; /* parts that a call's time is the sum of, in one unit; reals >= 0 */
    int nfeature;
    NamedExpr feature[TEMPLATE_MAX_FEATURE]; /* of f_MK; reals */
    unsigned layout[OP_MAX_OPERAND];         /* of each operand, bit i: it serves the i-th layout; 0: all */
    int ndtype;
    const char *dtype[OP_MAX_NAME]; /* element types that it serves; none: all of the op's */
    unsigned strides;               /* bit i: its text knows that operand i may be strided */
    bool packed;                    /* it reads the packed operand */
    bool may_spill;                 /* its loops may use the stack: time decides what that costs */
    bool own_terms;                 /* its terms and features are those of its head alone */
    Expr *regs;                     /* cuda: registers a thread, as long as no compiler has told; NULL: not given */
    int ngeneral;
    General general[TEMPLATE_MAX_GENERAL];
    int nslot;
    /* every name, numbered for expr_int_at: the op's axes, THREADS, then the others */
    const char *slot[TEMPLATE_MAX_SLOT];
    int ncontext; /* how many slots stand for facts of target, device, spec and compiled kernel */
} Template;

typedef struct {
    int n;
    const Template **t;
} TemplateList;

/* The templates of the spec's op: in its own folder, and in the folder of its name within each of `folders`; every file
 * ending in .c or .cu whose text has a template's head. One in an earlier folder hides a later one of its name. */
bool template_read_all(Arena *a, const Spec *spec, const char *const *folders, int nfolder, TemplateList *out, Diag *d);
/* Reads one template from its text. NULL after errors; NULL without an error when the text has no template's head. */
const Template *template_parse(Arena *a, const Spec *spec, const Source *src, Diag *d);
/* The first thing of a spec and target that a template is not for. */
typedef enum {
    MISFIT_FAMILY,
    MISFIT_DTYPE,
    MISFIT_OUTPUT,
    MISFIT_LAYOUT,
    MISFIT_PACKED,
    MISFIT_STRIDES,
    MISFIT_NONE
} Misfit;
Misfit template_misfit(const Template *t, const Spec *spec, const Target *target);
/* Is it for all of it? */
bool template_suits(const Template *t, const Spec *spec, const Target *target);

/* The i-th of its general kernels for the target, or for the nearest one with such that that is like. NULL: it has no
 * more. */
const General *template_general(const Template *t, const Target *target, int i);

/* A parameter's value, or a fact of a kernel, by its name. */
typedef struct {
    const char *name;
    int64_t value;
} Param;

/* What compilers and emulators told of one kernel: "regs", "spill_bytes", "wavefronts" ... (search/record/record.h). */
typedef struct {
    int n;
    const Param *fact;
} KernelFacts;

/* Names in a template for what emulators and compilers told. */
enum { TEMPLATE_KERNEL_FACTS = 6 };
extern const char *const template_kernel_fact[TEMPLATE_KERNEL_FACTS];

/* What the names in a template stand for (docs/templates-reference.md lists them): of the kernel what is not known yet
 * is 0, and REGS the head's guess; the op's axes, ALIGN, THREADS and the derived names are there with an extent. */
typedef struct {
    const Template *t;
    const Spec *spec;
    const Target *target;
    const Device *device;
    const int64_t *value;  /* one a parameter */
    const int64_t *extent; /* all of the op's; NULL: not bound */
    int64_t align;         /* what ALIGN is; 0: what follows from the extents (spec_align) */
    int threads;
    KernelFacts facts;
    bool cold; /* the packed operand comes from memory */
} Binding;
ExprLookup template_lookup; /* ctx: Binding */

/* Only the names that do not depend on a template: for package files. t and value are not used. */
ExprLookup template_context;

/* Fills slots[TEMPLATE_MAX_SLOT] with the values of the names in `slot`, for expr_int_at and expr_real_at. The shape
 * must be bound. False when a value or derived name cannot be computed. */
bool template_slots(const Binding *b, int64_t *slots);

/* Is the kernel for the call whose extents are bound? Not where that fits no 64 bits, or divides by zero. */
bool template_serves(const Binding *b);
/* Is it for any tuned shape? Else it would not be measured. */
bool template_serves_any(const Binding *b);
/* The calls that it is for as a condition over extents; NULL: all. */
Expr *template_condition(Arena *a, const Binding *b);

/* What is in the spec's arithmetic, as texts say it: LEFT_TYPE, "float", and LEFT_ELEMENT, "f32", which names of
 * primitives begin with. */
typedef struct {
    const char *type, *element;
    DtypePart part;
} TypeWords;
enum { TYPE_WORDS = 3 };
extern const TypeWords type_words[TYPE_WORDS];
/* Adds these words. */
void template_type_words(FillScope *s, const Spec *spec);

/* The kernel's text. NULL after errors (only a faulty template has any). */
char *template_fill(Arena *a, const Binding *b, const char *kernel, Diag *d);

#endif
