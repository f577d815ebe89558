/* SPDX-License-Identifier: Apache-2.0
 *
 * open_files: how many files this process has open: what takes one gives it back.
 */
#ifndef DCGEN_TEST_OPEN_FILES_H
#define DCGEN_TEST_OPEN_FILES_H

#include <dirent.h>

static inline int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

#endif
