/* SPDX-License-Identifier: Apache-2.0
 *
 * What conv2d packs, byte for byte: other bytes take another name of the packing. (dense:
 * tests/package/test_packed_file.sh.)
 */
#include "tests/test.h"
#include "templates/conv2d/pack.c"

/* Of the bytes (FNV-1a). */
static uint64_t sum_of(const unsigned char *p, size_t n)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
    return sum;
}

TEST(bytes_are_those_of_the_name)
{
    static const struct {
        int64_t G, C, K, R, S;
        uint64_t sum;
    } cases[] = {
        { 1, 3, 20, 3, 3, 0xcaf572b12850b485 }, /* both of Winograd's forms behind the panels */
        { 2, 4, 17, 1, 2, 0x3311c6c032d78582 },
        { 19, 1, 1, 3, 3, 0x3f9cffd6ced9dcd2 }, /* depthwise */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t G = cases[i].G, C = cases[i].C, K = cases[i].K, R = cases[i].R, S = cases[i].S;
        const size_t bytes = NAME_packed_bytes(G, C, K, R, S);
        float *F = malloc((size_t)(G * C * K * R * S) * sizeof *F);
        void *packed = malloc(bytes);
        assert_non_null(F);
        assert_non_null(packed);
        for (int64_t k = 0; k < G * C * K * R * S; k++)
            F[k] = (float)(17 * k % 101) / 64 - 0.75F;
        assert_int_equal(NAME_pack(G, C, K, R, S, F, packed), PACKAGE_OK);
        const uint64_t sum = sum_of(packed, bytes);
        if (sum != cases[i].sum)
            print_error("case %zu packs 0x%016llx: NAME_PACKED_AS needs another text, and with it this test\n", i,
                        (unsigned long long)sum);
        assert_true(sum == cases[i].sum);
        free(F);
        free(packed);
    }
    assert_string_equal(NAME_PACKED_AS, "[G][ceil(K/16)][R*S*C + 3][16] or of groups; "
                                        "of F(2 x 2) and F(4 x 4) what the size has room for");
}
