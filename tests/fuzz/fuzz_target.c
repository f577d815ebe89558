/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_target: any bytes as a target's file. It is either read or has errors, and what is read has a family, and facts
 * that are no less than 0.
 */
#include "gen/target/device.h"
#include "tests/fuzz/fuzz.h"

static void check_target(Arena *a, const Target *t)
{
    REQUIRE(t->name && t->fallback && t->attribute && t->runtime_check && t->arch && t->gencode);
    REQUIRE(t->family == &family_cpu || t->family == &family_cuda);
    for (int i = 0; target_fact_name(i); i++) {
        int64_t value = -1;
        REQUIRE(target_fact(t, target_fact_name(i), &value) && value >= 0);
    }
    const Device d = device_typical(a, t);
    REQUIRE(d.sms >= 0 && d.smem_bytes >= 0 && d.l2_bytes >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    Target t;
    const Source *src = fuzz_source(a, "target.cfg", data, size);
    const bool good = target_parse(a, src, &t, d);
    REQUIRE(good == (diag_nerror(d) == 0));
    if (good)
        check_target(a, &t);
    fuzz_check_diag(d, src);
    arena_free(a);
    return 0;
}
