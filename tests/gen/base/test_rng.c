/* SPDX-License-Identifier: Apache-2.0
 *
 * rng: the generator's own numbers, and that what is drawn from them lies where it should.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/base/rng.h"

/* The numbers of splitmix64 as its authors give them. */
TEST(random_numbers)
{
    Rng r = { 1234567 };
    static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u };
    for (int i = 0; i < 5; i++)
        assert_true(rng_next(&r) == want[i]);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        const double x = rng_uniform(&r);
        assert_true(x >= 0 && x < 1);
        sum += x;
        assert_in_range(rng_below(&r, 7), 0, 6);
    }
    assert_true(fabs(sum / 10000 - 0.5) < 0.01);
}
