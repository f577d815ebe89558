/* SPDX-License-Identifier: Apache-2.0
 *
 * template_private: what reading a template's head and reading its body have in common.
 */
#ifndef DCGEN_TEMPLATE_PRIVATE_H
#define DCGEN_TEMPLATE_PRIVATE_H

#include "gen/template/template.h"

typedef struct {
    Arena *arena;
    Diag *diag;
    const Spec *spec;
    const Op *op;
    Template *t;
    const char *name[TEMPLATE_MAX_SLOT]; /* declared so far: what an expression may use */
    size_t ncontext;                     /* the first of them: what every template has */
    size_t nname, nbody_name;            /* the first nbody_name may stand in the body too */
} Reader;

/* Upper-case words that need no declaration: C's own, and what fill supplies. */
bool template_free_name(const char *name);
/* Each false after errors: the files that the body includes; all names of the body, and whether it uses each parameter. */
bool template_read_pieces(Reader *r);
bool template_check_body(Reader *r);
/* False after errors: the spec's key `space` names parameters or values that none of the templates has. */
bool template_check_space(Arena *a, const Spec *s, const TemplateList *templates, Diag *d);

#endif
