/* SPDX-License-Identifier: Apache-2.0
 *
 * put_file: files that a test writes; it fails where one cannot be. Included behind cmocka.h.
 */
#ifndef DCGEN_TEST_PUT_FILE_H
#define DCGEN_TEST_PUT_FILE_H

#include <stdio.h>
#include <sys/stat.h>

/* A file of that text, in place of what is there. */
static inline void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* The same, which may be run. One that runs just now stays as it is: its name goes to the new one. */
static inline void put_program(const char *path, const char *text)
{
    remove(path);
    put_file(path, text);
    assert_int_equal(chmod(path, 0755), 0);
}

#endif
