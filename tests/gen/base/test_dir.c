/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: which names of a folder are listed, in which order.
 */
#include "tests/test.h"
#include "gen/base/dir.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

/* "a.c b.c ": the names behind the folder's. */
static const char *listed(const char *folder, const char *suffix)
{
    char **path = (char *[]){ "rest of another list" };
    int n = 7;
    const char *names = "";
    assert_true(dir_list(arena, folder, suffix, &path, &n));
    for (int i = 0; i < n; i++) {
        assert_int_equal(strncmp(path[i], folder, strlen(folder)), 0);
        assert_int_equal(path[i][strlen(folder)], '/');
        names = arena_printf(arena, "%s%s ", names, path[i] + strlen(folder) + 1);
    }
    return names;
}

TEST(names_are_sorted_and_plain)
{
    static const char *const name[] = { "b.c",    "a.c",    "B.c", "a.cu",  ".hidden.c", ".c",
                                        "x\ny.c", "x\ry.c", "c",   "c.c.h", "10.c",      "9.c" };
    const int before = open_files();
    char **path;
    int n;
    assert_string_equal(listed(root, ""), "");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        put(name[i], "");
    assert_string_equal(listed(root, ".c"), "10.c 9.c B.c a.c b.c ");
    assert_string_equal(listed(root, "c"), "10.c 9.c B.c a.c b.c c ");
    assert_string_equal(listed(root, ""), "10.c 9.c B.c a.c a.cu b.c c c.c.h ");
    assert_false(dir_list(arena, in_root("none"), "", &path, &n));
    assert_int_equal(open_files(), before);
}

TEST_FILE(place_setup, place_teardown)
