/* SPDX-License-Identifier: Apache-2.0
 *
 * test: what every C test begins with. A file has tests, and says what each of them finds made, in any order:
 *
 *   TEST(an_empty_list_has_no_end) { assert_null(...); }
 *   TEST_EACH(setup, teardown)     before and after each test of this file; NULL for none
 *   TEST_FILE(setup, teardown)     before the first and after the last
 *   TEST_NEEDS(function)           bool function(void): false, and what is missing is printed, skips the file
 *
 * All files of a folder are linked into one program, which is called with the name of the file whose tests it runs (or
 * one of them, with * and ? for others), and what these are told:
 *
 *   gen_base_tests test_text[:TEST] [ARGUMENT...]
 */
#ifndef DCGEN_TESTS_TEST_H
#define DCGEN_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int test_argc;
extern char **test_argv;

void test_add(const char *file, int line, const char *name, CMUnitTestFunction run);
void test_each(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);
void test_file(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);
void test_needs(const char *file, bool is_there(void));

/* The text has this part, or lacks it. */
static inline void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text ? text : "(nothing)");
}

/* The text has each of these parts. */
#define assert_has_all(text, ...) test_has_all(text, (const char *const[]){ __VA_ARGS__, NULL })

static inline void test_has_all(const char *text, const char *const *part)
{
    for (; *part; part++)
        assert_has(text, *part);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}

/* How often it has it, one behind the other. */
static inline int occurrences(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

#define TEST_BEFORE_MAIN(name, call) \
    __attribute__((constructor)) static void name(void) { call; }

#define TEST(name)                                                          \
    static void name(void **state);                                         \
    TEST_BEFORE_MAIN(add_##name, test_add(__FILE__, __LINE__, #name, name)) \
    static void name(void **state __attribute__((unused)))

#define TEST_EACH(setup, teardown) TEST_BEFORE_MAIN(add_each, test_each(__FILE__, setup, teardown))
#define TEST_FILE(setup, teardown) TEST_BEFORE_MAIN(add_file, test_file(__FILE__, setup, teardown))
#define TEST_NEEDS(is_there) TEST_BEFORE_MAIN(add_needs, test_needs(__FILE__, is_there))

#endif
