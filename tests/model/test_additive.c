/* SPDX-License-Identifier: Apache-2.0
 *
 * additive: prices that times were made of are found again, also under noise and with parts that hardly occur; none is
 * negative; what the data says nothing of keeps the common price.
 */
#include "tests/test.h"
#include <math.h>
#include "model/additive.h"

enum { NROW = 200, NPART = 3 };

static uint64_t state_of_draw = 1;

static double draw(void) /* 0 <= x < 1 */
{
    state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_draw >> 40) / (double)(1 << 24);
}

static double x[NROW * NPART], t[NROW], w[NROW];

/* Parts of 10^0 ... 10^4, times of these prices with so much relative noise. */
static void make(const double *price, double noise)
{
    for (int i = 0; i < NROW; i++) {
        t[i] = 0;
        w[i] = 0.1 + 0.9 * draw();
        for (int k = 0; k < NPART; k++) {
            x[i * NPART + k] = pow(10, 4 * draw());
            t[i] += price[k] * x[i * NPART + k];
        }
        t[i] *= 1 + noise * (draw() - 0.5);
    }
}

TEST(prices_are_found)
{
    const double price[NPART] = { 0.3, 2, 0.05 };
    double found[NPART];
    make(price, 0);
    const double common = additive_common(x, t, w, NROW, NPART);
    assert_true(common > 0.05 && common < 2);
    additive_fit(x, t, w, NROW, NPART, common, found);
    for (int k = 0; k < NPART; k++)
        assert_true(fabs(found[k] / price[k] - 1) < 0.02);
    make(price, 0.2);
    additive_fit(x, t, w, NROW, NPART, common, found);
    for (int k = 0; k < NPART; k++)
        assert_true(fabs(found[k] / price[k] - 1) < 0.1);
}

/* ---- against the definition ---- */

enum { PAIR = 2, SUMS = 6 }; /* w z0 z0, w z0 z1, w z1 z1, w z0, w z1, w */

static void add_row(double *sum, int i, double common, double sign)
{
    const double z0 = common * x[i * PAIR] / t[i], z1 = common * x[i * PAIR + 1] / t[i];
    const double term[SUMS] = { z0 * z0, z0 * z1, z1 * z1, z0, z1, 1 };
    for (int k = 0; k < SUMS; k++)
        sum[k] += sign * w[i] * term[k];
}

/* Where the derivatives of the header's sum by both prices are 0. */
static void solve_pair(const double *sum, double lambda, double *b)
{
    const double l = lambda * sum[5], a = sum[0] + l, c = sum[1], d = sum[2] + l, e = sum[3] + l, f = sum[4] + l;
    b[0] = (e * d - c * f) / (a * d - c * c);
    b[1] = (a * f - c * e) / (a * d - c * c);
}

/* Rows of every fifth are predicted by prices that the others gave. */
static double blind(int nrow, double common, double lambda)
{
    double error = 0, b[PAIR];
    for (int fold = 0; fold < 5; fold++) {
        double rest[SUMS] = { 0 };
        for (int i = 0; i < nrow; i++)
            if (i % 5 != fold)
                add_row(rest, i, common, 1);
        solve_pair(rest, lambda, b);
        for (int i = fold; i < nrow; i += 5) {
            const double off = common * (b[0] * x[i * PAIR] + b[1] * x[i * PAIR + 1]) / t[i] - 1;
            error += w[i] * off * off;
        }
    }
    return error;
}

/* Two parts, of which each price stays above 0: more and less noise asks for more and less of the common price. */
TEST(the_definition_is_met)
{
    static const double grid[] = { 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4 };
    enum { NGRID = sizeof grid / sizeof *grid };
    int chosen[NGRID] = { 0 };
    for (int round = 0; round < 200; round++) {
        const int nrow = 11 + round % 7;
        const double common = 0.5 + draw(), noise = pow(10, -4 * draw());
        double sum[SUMS] = { 0 }, want[PAIR], found[PAIR], least = INFINITY;
        for (int i = 0; i < nrow; i++) {
            x[i * PAIR] = 100 * (0.2 + draw());
            x[i * PAIR + 1] = 100 * (0.2 + draw());
            t[i] = (0.7 * x[i * PAIR] + 1.3 * x[i * PAIR + 1]) * (1 + noise * (draw() - 0.5));
            w[i] = 0.1 + draw();
            add_row(sum, i, common, 1);
        }
        int best = 0;
        for (int k = 0; k < NGRID; k++) {
            const double error = blind(nrow, common, grid[k]);
            best = error < least ? k : best;
            least = fmin(least, error);
        }
        chosen[best]++;
        solve_pair(sum, grid[best], want);
        additive_fit(x, t, w, (size_t)nrow, PAIR, common, found);
        for (int k = 0; k < PAIR; k++)
            assert_true(want[k] > 0 && fabs(found[k] / (common * want[k]) - 1) < 1e-8);
    }
    for (int k = 0; k < NGRID; k++)
        assert_true(chosen[k] > 0);
}

/* t / parts is 2, 4 and, of weight 5, anything of nothing: (2 * 4^3)^(1/4). */
TEST(the_common_price_is_a_weighted_mean)
{
    const double parts[] = { 1, 1, 0, 0, 3, 1 }, time[] = { 4, 77, 16 }, weight[] = { 1, 5, 3 };
    assert_true(fabs(additive_common(parts, time, weight, 3, 2) - pow(2, 7 / 4.0)) < 1e-12);
    assert_true(additive_common(parts + 2, time + 1, weight + 1, 1, 2) == 0);
    const double little[] = { 0.125, 0.125 }, light = 0.25;
    assert_true(fabs(additive_common(little, time, &light, 1, 2) - 16) < 1e-12);
}

/* A part that only slows the closed form down, as times do not have it. */
TEST(no_price_is_negative)
{
    const double price[NPART] = { 1, 1, 0 };
    double found[NPART];
    make(price, 0.1);
    for (int i = 0; i < NROW; i++)
        t[i] -= fmin(0.3 * t[i], 0.5 * x[i * NPART + 2]);
    additive_fit(x, t, w, NROW, NPART, 1, found);
    assert_true(found[2] == 0);
    assert_true(found[0] > 0.5 && found[1] > 0.5);
}

TEST(the_unknown_keeps_the_common_price)
{
    const double price[NPART] = { 0.5, 0.5, 77 };
    double found[NPART];
    make(price, 0);
    for (int i = 0; i < NROW; i++) {
        t[i] -= price[2] * x[i * NPART + 2];
        x[i * NPART + 2] = 0;
    }
    additive_fit(x, t, w, NROW, NPART, 0.5, found);
    assert_true(fabs(found[0] - 0.5) < 1e-6 && fabs(found[1] - 0.5) < 1e-6);
    assert_true(found[2] == 0.5);
    additive_fit(x, t, w, 0, NPART, 3, found);
    for (int k = 0; k < NPART; k++)
        assert_true(found[k] == 3);
    assert_true(additive_common(x, t, w, 0, NPART) == 0);
}
