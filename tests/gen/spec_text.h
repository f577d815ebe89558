/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_text: specs and other files that tests have as text, read as if they were files.
 */
#ifndef DCGEN_TESTS_SPEC_TEXT_H
#define DCGEN_TESTS_SPEC_TEXT_H

#include "gen/spec/spec.h"

static const char *const spec_templates[] = { DCGEN_SOURCE_DIR "/templates" };

static inline const Source *source_text(Arena *a, const char *path, const char *text)
{
    Source *src = ARENA_NEW(a, Source);
    *src = (Source){ .path = path, .text = text, .len = strlen(text) };
    return src;
}

/* The spec of this text, with operators of these folders; NULL after what `d` says. */
static inline Spec *spec_text(Arena *a, const char *text, const char *const *folder, int n, Diag *d)
{
    return spec_parse(a, source_text(a, "spec.cfg", text), folder, n, d);
}

/* The same of a text that is good. */
static inline Spec *spec_good(Arena *a, const char *text, const char *const *folder, int n)
{
    Diag *d = diag_new(a);
    Spec *s = spec_text(a, text, folder, n, d);
    diag_print(d, stderr);
    assert_non_null(s);
    return s;
}

/* The text with `to` in the place of the first `from`. */
static inline char *text_with(Arena *a, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        print_error("'%s' is not in the text\n", from);
    assert_non_null(at);
    return arena_printf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

#endif
