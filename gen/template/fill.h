/* SPDX-License-Identifier: Apache-2.0
 *
 * fill: turns a template's text into the text of one kernel, or a package file's pattern into the file, as
 * docs/templates-reference.md and docs/patterns.md say. `lookup` knows the names with values. A word of the scope is
 * replaced also where it is the first part of a longer identifier; then further parts may be words too (KERNEL_tile ->
 * bert_dense_k3_tile, NAME_tree_TARGET -> bert_dense_tree_avx2) and, behind a namespace, the last one a name with a
 * value (PACKAGE_device::DTYPE_wgmma_BN -> bert_device::bf16_wgmma_128). Conditions over names of both are decided
 * here. An included piece loses a first line that is its licence. Inside string literals only words are replaced.
 */
#ifndef DCGEN_FILL_H
#define DCGEN_FILL_H

#include <stddef.h>
#include "gen/base/diag.h"
#include "gen/base/expr.h"
#include "gen/template/fill_scope.h"

/* What a text is filled with. */
typedef struct {
    ExprLookup *lookup; /* NULL: there are no names with values */
    void *ctx;          /* for lookup */
    const FillScope *scope;
    int npiece;
    const Source *const *piece; /* files that may be included, known by the last part of their paths */
} Fill;

/* src->text from byte `offset` on. NULL after errors in d. */
char *fill_text(Arena *a, const Source *src, size_t offset, const Fill *f, Diag *d);

/* Bytes of a file's first line if it names the licence alone, else 0. A text made of several files says that once. */
size_t fill_licence(const Source *src);

/* Bytes of the identifier that s begins with, or of a number with the letters in it; 0: there is none. */
size_t fill_ident(const char *s);
/* The word of a line "#WORD ...": *len is its length, *arg what follows it. "" with *len 0: it is no such line. */
const char *fill_directive(const char *line, size_t *len, const char **arg);
/* FILE of the next line '#include "FILE"' from *at on, and *at moves behind that line; NULL: there is none. */
const char *fill_next_include(const char **at, size_t *len);
/* Goes through the names of a text. */
typedef struct FillBound FillBound;
typedef struct {
    Arena *arena;
    const char *at, *line;  /* what was not gone through yet: the text, and its lines */
    const char *repeat;     /* the marker of the line at hand, if that begins a repetition */
    const FillBound *bound; /* what repetitions around it count by */
} FillNames;
FillNames fill_names(Arena *a, const char *text);
/* The next identifier outside strings and comments, but no name that a repetition counts by; NULL: there is none. */
const char *fill_next_name(FillNames *n, size_t *len);
/* Is it an identifier of the text? */
bool fill_has_name(Arena *a, const char *text, const char *name);

#endif
