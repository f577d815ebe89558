/* SPDX-License-Identifier: Apache-2.0
 *
 * version: texts that are versions, and what is wrong with others. Most are of semver.org's own lists.
 */
#include "tests/test.h"
#include "gen/base/version.h"
#include "tests/arena.h"
#include "tests/gen/pairs.h"

TEST(versions_are_taken)
{
    for (Pairs p = { .rest = "0.0.0; 0.0.4; 10.20.30; 999999999.0.1; 1.1.2-prerelease+meta; 1.1.2+meta-valid; "
                             "1.0.0-alpha; 1.0.0-alpha.1; 1.0.0-alpha.0valid; 1.0.0-0A.is.legal; 1.0.0-rc.1+build.01; "
                             "1.2.3----RC-SNAPSHOT.12.9.1--.12; 1.0.0-0" };
         pairs_next(arena, &p);)
        if (version_fault(p.text))
            fail_msg("%s %s", p.text, version_fault(p.text));
}

TEST(others_are_told_what_is_wrong)
{
    static const struct {
        const char *why, *bad[10];
    } row[] = { { "is not three numbers with dots between",
                  { "", "1", "1.2", "v1.2.0", "1.2.", "1.2-rc.1", "-1.0.0", " 1.0.0" } },
                { "has a number that begins with 0", { "01.1.1", "1.1.01", "1.2.3-0123", "1.2.3-rc.01" } },
                { "has a number of more than 9 digits", { "1.2.1234567890" } },
                { "has no letters or digits behind a '-', '+' or '.'", { "1.2.3-", "1.2.3-a..b", "1.2.3+" } },
                { "has something behind it that is no part of a version",
                  { "1.2.3-rc_1", "1.2.3+a+b", "1.2.3.4", "1.2.3 ", "1.2.3\"" } },
                { "is longer than 64 characters",
                  { "1.0.0-rc.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (const char *const *bad = row[i].bad; *bad; bad++)
            assert_string_equal(version_fault(*bad), row[i].why);
}

TEST_FILE(setup, teardown)
