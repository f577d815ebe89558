/* SPDX-License-Identifier: Apache-2.0
 *
 * primitive: small functions that kernels call. For GPUs those that have all inline PTX in them (templates/device), for
 * CPUs functions on vectors (templates/vector). A text calls them by their names, and they call each other. Each is a
 * file in a folder of templates; the first folder that has a file of the name counts. A file may be a pattern of many:
 * where there is no file of a name, the name without its first part, an element type, and maybe its last one, a number,
 * is the file's, which is filled with them as DTYPE and N. In a template, which is not filled yet, a word of its head
 * may stand for the number.
 */
#ifndef DCGEN_PRIMITIVE_H
#define DCGEN_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/diag.h"
#include "gen/spec/spec.h"
#include "gen/target/family.h"

typedef struct {
    const char *name;
    const Source *src;
    bool is_own; /* dcgen's own folder has a file of that name, too or alone */
    /* Its text, or that of one that it calls, is in another folder or says what the emulator does: the emulator has no
     * function that does the same. */
    bool is_text;
    const char *dtype, *number; /* that its pattern is filled with; NULL: with none */
} Primitive;

/* Primitives in the order that C++ wants: each behind those that it uses. */
typedef struct {
    Arena *arena;
    const FamilyPrimitives *kind;
    const Spec *spec;
    int nfolder; /* of templates, dcgen's own is the last; 0: there are no primitives */
    const char *const *folder;
    Diag *diag;
    bool all; /* files that nothing calls are among them: they need have no function */
    int n;
    Primitive *p;
} Primitives;

/* No primitives yet, of the folders of a spec. */
Primitives primitives_open(Arena *a, const Family *f, const Spec *spec, Diag *d);
/* Adds the primitives that a text calls from byte `from` on, and those that these call. In the text their names stand
 * between `before` and `behind`. They are added in the order of their names, so that equal sets give equal texts.
 * Faults become errors. */
void primitives_add(Primitives *p, const Source *text, size_t from, const char *before, const char *behind);
/* Adds all that dcgen's own folder has, each as the first folder has it, and what these call; sorted by name. */
void primitives_add_own(Primitives *p);
/* Does a key depend on all primitives of dcgen's own? Else it depends on those that the template calls. */
bool primitives_all_count(const Family *f, const Spec *spec);

#endif
