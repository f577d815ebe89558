/* SPDX-License-Identifier: Apache-2.0
 *
 * build_place: what the tests of builders share: a folder of one's own, builders, and compilers that misbehave, which
 * are shell scripts.
 */
#ifndef DCGEN_TEST_BUILD_PLACE_H
#define DCGEN_TEST_BUILD_PLACE_H

#include "tests/test.h"
#include <stdlib.h>
#include <unistd.h>
#include "search/build/build.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"
#include "tests/toolchain.h"

typedef struct {
    Arena *a;
    char *folder;
} World;
static World *w;

static const char *const flags[] = { "-O2", NULL };
static const char add_text[] = "int add(int a, int b) { return a + b; }\n";

static inline int set_up(void **state)
{
    w = calloc(1, sizeof *w);
    w->a = arena_new();
    w->folder = tmp_folder(arena_alloc(w->a, TMP_FOLDER_BYTES));
    return w->folder && setenv("TMPDIR", w->folder, 1) == 0 ? 0 : -1;
}

/* Every test ends with an empty folder: builders remove theirs. */
static inline int tear_down(void **state)
{
    int rc = rmdir(w->folder);
    if (rc != 0)
        perror(w->folder);
    arena_free(w->a);
    free(w);
    return rc;
}

static inline Builder *new_builder(const char *cc, double deadline_s)
{
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, cc, flags);
    Builder *b = builder_new(w->a, &tools, 2, deadline_s, NULL, &err);
    if (!b)
        print_error("%s\n", err);
    assert_non_null(b);
    return b;
}

/* A compiler that is `gcc` until the file under compilation contains STRANGE; then it does `body`. */
static inline char *strange_compiler(const char *body)
{
    static const char pattern[] = "#!/bin/sh\nfor last; do :; done\n"
                                  "if grep -q STRANGE -- \"$last\" 2>/dev/null; then\n%s\nfi\nexec gcc \"$@\"\n";
    char *path = arena_printf(w->a, "%s/cc", w->folder);
    put_program(path, arena_printf(w->a, pattern, body));
    return path;
}

#endif
