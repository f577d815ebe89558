/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_regret: any bytes as a package's regret.json. What is read is no less than 0; what is wrong is said of the file.
 */
#include "gen/package/regret_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *err = NULL, *path = fuzz_file(data, size);
    RegretBound b[2];
    if (regret_file_read(a, path, NULL, "avx2", b, &err)) {
        REQUIRE(!err);
        REQUIRE(b[0].mean >= 0 && b[0].worst >= 0 && b[1].mean >= 0 && b[1].worst >= 0);
    } else {
        REQUIRE(err && strncmp(err, path, strlen(path)) == 0);
    }
    arena_free(a);
    return 0;
}
