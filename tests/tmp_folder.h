/* SPDX-License-Identifier: Apache-2.0
 *
 * tmp_folder: a new folder in TMPDIR, which the test removes again: one that is left makes it fail
 * (tests/run_clean.sh).
 */
#ifndef DCGEN_TEST_TMP_FOLDER_H
#define DCGEN_TEST_TMP_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

enum { TMP_FOLDER_BYTES = 512 };

/* `path` holds TMP_FOLDER_BYTES. NULL: it cannot be made. TMPDIR counts as it was at first: tests may change it. */
static inline char *tmp_folder(char *path)
{
    static char parent[TMP_FOLDER_BYTES - 32];
    const char *tmpdir = getenv("TMPDIR");
    if (!*parent)
        snprintf(parent, sizeof parent, "%s", tmpdir && *tmpdir ? tmpdir : "/tmp");
    snprintf(path, TMP_FOLDER_BYTES, "%s/dcgen-test-XXXXXX", parent);
    return mkdtemp(path);
}

/* With all that is in it. */
static inline int tmp_folder_remove(const char *path)
{
    char command[2 * TMP_FOLDER_BYTES + 64];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", path, path);
    return system(command);
}

#endif
