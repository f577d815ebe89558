/* SPDX-License-Identifier: Apache-2.0
 *
 * golden: what diagnostics print; a text against the file that holds what it should be, which DCGEN_UPDATE_GOLDEN=1
 * writes.
 */
#ifndef DCGEN_TESTS_GOLDEN_H
#define DCGEN_TESTS_GOLDEN_H

#include "gen/base/diag.h"
#include "gen/base/text.h"
#include "tests/gen/printed.h"

static inline void golden_check(Arena *a, const char *path, const char *text)
{
    if (getenv("DCGEN_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(text, f);
        assert_int_equal(fclose(f), 0);
        return;
    }
    const char *want = text_read_file(a, path, NULL);
    if (!want || strcmp(want, text) != 0)
        print_error("%s:\n--- expected\n%s--- found\n%s", path, want ? want : "(no file)\n", text);
    assert_non_null(want);
    assert_string_equal(want, text);
}

/* What diag prints. */
static inline char *golden_diag(Arena *a, const Diag *d) { return PRINTED(a, to, diag_print(d, to)); }

/* Of that: there is one error, and it says so. */
static inline void golden_fault(const char *said, const char *want)
{
    if (!strstr(said, want) || strstr(strstr(said, "error: ") + 1, "error: "))
        fail_msg("wanted %s, got\n%s", want, said);
}

#endif
