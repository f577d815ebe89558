/* SPDX-License-Identifier: Apache-2.0
 *
 * fill: turns a template's text into the text of one kernel, or a package file's pattern into the file.
 *
 *   - an identifier that `lookup` knows becomes its value; NAME, KERNEL and TARGET_ATTRIBUTE become the package's, the kernel's
 *     and the target attribute's name, TARGET_GUARD a condition; as the first part of an identifier too (KERNEL_tile -> bert_dense_k3_tile);
 *   - "#if EXPR", "#elif EXPR" over known names are folded: the branch that holds stays, the lines go; "#ifndef DCGEN" serves the
 *     stand-alone compile and is dropped; conditions that use no known name stay as they are;
 *   - a line that ends in "//@ repeat R = EXPR..EXPR" is printed once a value of R;
 *   - a line '#include "FILE"' becomes the text of that piece, filled, if `piece` knows it; a first line that is its licence stays behind;
 *   - a line that is only "//@ WORD" (in a file that is not C: "#@ WORD" or "<!--@ WORD -->") becomes the section of that name.
 * Inside string literals only NAME and KERNEL are replaced.
 */
#ifndef DCGEN_FILL_H
#define DCGEN_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"

typedef struct {
    ExprLookup *lookup; /* NULL: no names */
    void *ctx;
    const char *name;   /* NAME */
    const char *kernel; /* KERNEL; NULL: left alone */
    const char *target; /* TARGET_ATTRIBUTE -> <name>_TARGET_<target>; NULL: left alone */
    const char *guard;  /* TARGET_GUARD -> this condition of the C preprocessor; NULL: left alone */
    const char *bounds; /* __launch_bounds__ -> this macro; NULL: left alone */
    const char *(*section)(void *ctx,
                           const char *word); /* text of a section; NULL result: an error; NULL: no sections */
    void *section_ctx;
    int npiece;
    const Source *const *piece; /* files that may be included, by the last part of their paths */
} Fill;

/* src->text from byte `offset` on. NULL after errors in d. */
char *fill_text(Arena *a, const Source *src, size_t offset, const Fill *f, Diag *d);

/* Calls visit for every line '#include "FILE"', with FILE. */
void fill_includes(const Source *src, size_t offset, void (*visit)(void *ctx, const char *file, size_t len, size_t at),
                   void *ctx);

/* Every identifier outside strings and comments, once each time it is used; names bound by a repeat line are left out. */
void fill_names(const Source *src, size_t offset, void (*visit)(void *ctx, const char *name, size_t len, size_t at),
                void *ctx);

#endif
