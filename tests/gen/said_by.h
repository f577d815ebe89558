/* SPDX-License-Identifier: Apache-2.0
 *
 * said_by: what a function says on stderr, by way of a file in the test's folder.
 */
#ifndef DCGEN_TESTS_SAID_BY_H
#define DCGEN_TESTS_SAID_BY_H

#include <fcntl.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "tests/gen/place.h"

/* What `act` says on stderr. */
static inline const char *said_by(void (*act)(void *), void *ctx)
{
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    FILE *to = fopen(in_root("said"), "w");
    assert_non_null(to);
    dup2(fileno(to), STDERR_FILENO);
    act(ctx);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    fclose(to);
    return text_read_file(arena, in_root("said"), NULL);
}

#endif
