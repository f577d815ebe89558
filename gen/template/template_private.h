/* SPDX-License-Identifier: Apache-2.0
 *
 * template_private: what the readers of a template's head, of its family's file and of its body share.
 */
#ifndef DCGEN_TEMPLATE_PRIVATE_H
#define DCGEN_TEMPLATE_PRIVATE_H

#include "gen/base/conf.h"
#include "gen/template/template.h"

typedef struct {
    Arena *arena;
    Diag *diag;
    const Spec *spec;
    const Op *op;
    Template *t;
    Conf *common; /* what templates of its family have in common */
    int noffer;   /* names on offer: expressions over the shape may use them undeclared; those used become derived */
    NamedExpr offer[TEMPLATE_MAX_OFFER];
    bool bad_offer;                      /* one that was taken has a fault */
    const char *name[TEMPLATE_MAX_SLOT]; /* declared so far: what an expression may use */
    size_t ncontext;                     /* the first of them, which every template has */
    size_t nname, nbody_name;            /* the first nbody_name may stand in the body too */
} TemplateReader;

/* Reads each entry of a list of a head, or of the family, with `to`. False after errors: also when there are more than
 * `max`. */
bool template_list(TemplateReader *r, const Conf *c, const char *key, int max,
                   bool read(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to), void *to);
/* Reads a group { name; expr; doc }. It does not check the names in expr. */
bool template_named(const Conf *c, const ConfSetting *s, NamedExpr *e);
/* Reads the family's file from the first folder of templates that has it; at: the head's family, for an error. */
bool template_open_family(TemplateReader *r, Loc at);
/* Puts the names that follow from the op, the tile and the family on offer. The tile must have been read. */
bool template_offer(TemplateReader *r);

/* Checks that all names in e are known. It takes those that are on offer. False after errors. */
bool template_check_names(TemplateReader *r, const Expr *e);

/* template_calls.c: reads which calls the kernels are for; how they are launched, and what memory they need. */
bool template_read_serves(TemplateReader *r, const Conf *c);
bool template_read_plan(TemplateReader *r, const Conf *c);
/* template_maps.c: reads which tensor maps the kernels are given. Parameters and values must have been read. */
bool template_read_maps(TemplateReader *r, const Conf *c);
/* The expression without derived names in it. NULL: it is too long. */
Expr *template_written_out(const TemplateReader *r, const Expr *e);

/* template_strip.c: a file without what the spec does not ask for, from byte `from` on; notes whose strides it
 * knows. */
const Source *template_strip(TemplateReader *r, const Source *src, size_t from);
/* Is the name X_STRIDED, OUTPUT_READ or NSUM? Then *value is what it is for the spec. */
bool template_asks(const Spec *s, const char *name, int64_t *value);

/* Upper-case words that need no declaration: C's own, and what fill supplies. */
bool template_free_name(const char *name);
/* Reads a file of the folder of `from`, as in "tile.h", or of one beside that, as in "../dense/tile.h"; where it is not
 * there, that of the first folder of templates that has one at this place. NULL after an error. */
const Source *template_near(TemplateReader *r, const Source *from, Loc at, const char *file, size_t len);
/* Reads the files that the body includes. False after errors. */
bool template_read_pieces(TemplateReader *r);
/* Reads the primitives that body and pieces call: those that count with them. False after errors. */
bool template_read_primitives(TemplateReader *r);
/* Checks that every name in the body is declared, and that the body uses each parameter. False after errors. */
bool template_check_body(TemplateReader *r);
/* False after errors: the spec's key `space` names parameters or values that none of the templates has. */
bool template_check_space(Arena *a, const Spec *s, const TemplateList *templates, Diag *d);

#endif
