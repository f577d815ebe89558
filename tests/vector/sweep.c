/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep [--each N] [FUNCTION ULP ABSOLUTE]...
 *
 * Compares functions of templates/vector, for each instruction set that this CPU has, with their definitions in double
 * precision: on two million floats of all magnitudes, or on every N-th block of 4096 that follow one another. A result
 * may be off by ULP units in the last place of the exact one, or by ABSOLUTE if that is more; "pow" is compared on as
 * many pairs. Exit code 1: one is off by more. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "functions.h"

enum { BLOCK = 4096, MAX_THREADS = 16, NSET = 3 };

typedef struct {
    const char *name;
    double (*of)(double x);
} Definition;

/* The worst that was seen: errors in ULP where more than `absolute`, errors where more than `ulp`, and where
 * the larger of both is. */
typedef struct {
    double ulp, absolute;
    float ulp_at, absolute_at, bad_at;
    bool bad;
} Worst;

typedef struct {
    Definition definition;
    double ulp, absolute;
    void (*on_array[NSET])(float *y, const float *x, long n); /* NULL: not on this CPU */
} Check;

/* What a thread does: blocks first, first + step ... of nblock. */
typedef struct {
    const Check *check;
    uint32_t first, step, nblock;
    uint32_t each; /* 0: floats that lie far apart */
    Worst worst[NSET];
} Part;

/* What is told apart first would take long: a number far too small for a double costs a trap in some machines. */
static double exp_of(double x) { return x > 100 ? INFINITY : x < -200 ? 0 : exp(x); }
static double rsqrt_of(double x) { return 1 / sqrt(x); }
static double sigmoid_of(double x) { return x > 40 ? 1 : x < -200 ? 0 : 1 / (1 + exp(-x)); }
static double silu_of(double x) { return x > 40 ? x : x < -200 ? -0. : x / (1 + exp(-x)); }
static double gelu_of(double x) { return x > 10 ? x : x < -30 ? -0. : x / 2 * erfc(-x * M_SQRT1_2); }
static double gelu_tanh_of(double x)
{
    return x > 10 ? x : x < -30 ? -0. : x / (1 + exp(-2 * sqrt(M_2_PI) * (x + 0.044715 * x * x * x)));
}

static const Definition definitions[] = {
    { "ceil", ceil },
    { "cos", cos },
    { "erf", erf },
    { "exp", exp_of },
    { "floor", floor },
    { "gelu", gelu_of },
    { "gelu_tanh", gelu_tanh_of },
    { "log", log },
    { "round", nearbyint },
    { "rsqrt", rsqrt_of },
    { "sigmoid", sigmoid_of },
    { "silu", silu_of },
    { "sin", sin },
    { "sqrt", sqrt },
    { "tanh", tanh },
    { "trunc", trunc },
};

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* How far two floats are apart, counted in floats. */
static uint32_t distance(float a, float b)
{
    int32_t i, j;
    memcpy(&i, &a, sizeof i);
    memcpy(&j, &b, sizeof j);
    i = i < 0 ? INT32_MIN - i : i;
    j = j < 0 ? INT32_MIN - j : j;
    return i < j ? (uint32_t)j - (uint32_t)i : (uint32_t)i - (uint32_t)j;
}

/* The distance of floats around y; of denormal ones, near 0. */
static double ulp_of(double y)
{
    const double least = 0x1p-126;
    uint64_t bits;
    y = fabs(y) < least ? least : y;
    memcpy(&bits, &y, sizeof bits);
    bits = (bits & 0x7ffull << 52) - (23ull << 52);
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Infinite and NaN must be what the exact result, rounded, is; and so must be the sign of a function at 0. */
static bool is_special_wrong(float x, float y, float rounded)
{
    if (isfinite(rounded) && isfinite(y))
        return x == 0 && !signbit(y) != !signbit(rounded);
    return isnan(rounded) ? !isnan(y) : y != rounded;
}

static void compare(const Check *c, float x, float y, double exact, Worst *worst)
{
    const bool special = !isfinite((float)exact) || !isfinite(y) || x == 0;
    const bool wrong = special && is_special_wrong(x, y, (float)exact);
    const double error = wrong     ? INFINITY
                         : special ? 0
                                   : fabs(y - exact),
                 ulp = wrong ? INFINITY : error / ulp_of(exact);
    if (ulp > worst->ulp && !(error <= c->absolute))
        worst->ulp = ulp, worst->ulp_at = x;
    if (error > worst->absolute && !(ulp <= c->ulp))
        worst->absolute = error, worst->absolute_at = x;
    if (!(ulp <= c->ulp || error <= c->absolute))
        worst->bad = true, worst->bad_at = x;
}

/* The floats of a block: those that follow one another in each `each`-th block, beginning with 1, so that large errors
 * are soon seen; or one of each 2048, with those at the ends of the range of floats. */
static void fill_block(float *x, uint32_t block, uint32_t each)
{
    static const uint32_t ends[] = { 0,          1,          2,          0x7fffff,   0x800000,
                                     0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff };
    const uint32_t nend = 2 * sizeof ends / sizeof *ends;
    for (uint32_t i = 0; i < BLOCK; i++) {
        const uint32_t index = block * BLOCK + i;
        x[i] = float_of(each ? block * each * BLOCK + i + 0x3f800000 : index * 2048 + (index * 2654435761u >> 21));
    }
    for (uint32_t i = 0; i < nend && !each; i++)
        x[i] = float_of(ends[i / 2] | i % 2 << 31);
}

static uint32_t max_distance(const float *a, const float *b)
{
    uint32_t max = 0;
    for (int i = 0; i < BLOCK; i++) {
        const uint32_t d = distance(a[i], b[i]);
        max = d > max ? d : max;
    }
    return max;
}

/* A result that is d floats from the exact one, rounded, is off by d + 1/2 ULP at most: where that is no more than what
 * was seen, nothing need be compared. */
static void compare_block(const Check *c, const float *x, const float *y, const double *exact, const float *rounded,
                          Worst *worst)
{
    if (max_distance(y, rounded) + 0.5 <= worst->ulp && x[0] != 0)
        return;
    for (int i = 0; i < BLOCK; i++)
        if (distance(y[i], rounded[i]) + 0.5 > worst->ulp || x[i] == 0)
            if (!isnan(y[i]) || !isnan(rounded[i]))
                compare(c, x[i], y[i], exact[i], worst);
}

static void *run_part(void *argument)
{
    Part *p = argument;
    float *x = aligned_alloc(64, BLOCK * sizeof *x), *y = aligned_alloc(64, BLOCK * sizeof *y),
          *rounded = malloc(BLOCK * sizeof *rounded);
    double *exact = malloc(BLOCK * sizeof *exact);
    for (uint32_t b = p->first; b < p->nblock; b += p->step) {
        fill_block(x, b, p->each);
        for (int i = 0; i < BLOCK; i++) {
            exact[i] = p->check->definition.of(x[i]);
            rounded[i] = (float)exact[i];
        }
        for (int s = 0; s < NSET; s++)
            if (p->check->on_array[s]) {
                p->check->on_array[s](y, x, BLOCK);
                compare_block(p->check, x, y, exact, rounded, &p->worst[s]);
            }
    }
    free(x);
    free(y);
    free(rounded);
    free(exact);
    return NULL;
}

static void merge(Worst *all, const Worst *part)
{
    if (part->ulp > all->ulp)
        all->ulp = part->ulp, all->ulp_at = part->ulp_at;
    if (part->absolute > all->absolute)
        all->absolute = part->absolute, all->absolute_at = part->absolute_at;
    if (part->bad)
        all->bad = true, all->bad_at = part->bad_at;
}

static void run(const Check *check, uint32_t each, Worst *worst)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t nthread = online < 1 ? 1 : online > MAX_THREADS ? MAX_THREADS : (uint32_t)online;
    Part part[MAX_THREADS];
    pthread_t thread[MAX_THREADS];
    for (uint32_t t = 0; t < nthread; t++) {
        part[t] = (Part){ .check = check,
                          .first = t,
                          .step = nthread,
                          .nblock = (uint32_t)((each ? (1ull << 32) / each : 1 << 21) / BLOCK),
                          .each = each };
        if (pthread_create(&thread[t], NULL, run_part, &part[t]))
            abort();
    }
    for (uint32_t t = 0; t < nthread; t++) {
        pthread_join(thread[t], NULL);
        for (int s = 0; s < NSET; s++)
            merge(&worst[s], &part[t].worst[s]);
    }
}

static Definition find_definition(const char *name)
{
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (!strcmp(definitions[i].name, name))
            return definitions[i];
    fprintf(stderr, "sweep: '%s' has no definition\n", name);
    exit(2);
}

static int check_function(const char *name, double ulp, double absolute, uint32_t each)
{
    static const char *const set_name[NSET] = { "avx512", "avx2", "portable" };
    Check check = { .definition = find_definition(name), .ulp = ulp, .absolute = absolute };
    Worst worst[NSET] = { 0 };
    int status = 0;
    for (int s = 0; s < NSET; s++)
        check.on_array[s] = vector_function(s, name);
    run(&check, each, worst);
    for (int s = 0; s < NSET; s++) {
        const Worst *w = &worst[s];
        if (!check.on_array[s]) {
            printf("%-9s %-8s skipped: this CPU does not have it\n", name, set_name[s]);
            continue;
        }
        printf("%-9s %-8s %5.3f ULP at %a", name, set_name[s], w->ulp, (double)w->ulp_at);
        if (absolute > 0)
            printf("; %.1e at %a", w->absolute, (double)w->absolute_at);
        printf("%s\n", w->bad ? ": too much" : "");
        status |= w->bad;
    }
    return status;
}

/* ---- powers ---- */

static uint32_t drawn(void)
{
    static uint64_t state = 7;
    return (uint32_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> 32);
}

/* Pairs of all kinds: numbers of any bits, those whose power is a float, whole ones, and all pairs of odd ones. */
static void draw_pair(uint32_t i, float *x, float *y)
{
    static const float odd[] = {
        0, -0.f, 1,      -1,      INFINITY, -INFINITY, NAN,     0.5f,           -0.5f,           2,     -2,
        3, -3,   1e-40f, -1e-40f, 3e38f,    -3e38f,    0x1p24f, 0x1.fffffep23f, -0x1.fffffep23f, 1e-30f
    };
    enum { NODD = sizeof odd / sizeof *odd };
    const float u = (float)(drawn() >> 8) * 0x1p-24f, v = (float)(drawn() >> 8) * 0x1p-24f;
    if (i < NODD * NODD) {
        *x = odd[i / NODD];
        *y = odd[i % NODD];
    } else if (i % 4 == 0) {
        *x = float_of(drawn());
        *y = float_of(drawn());
    } else if (i % 4 == 1) {
        *x = float_of(drawn() & 0x7fffffff);
        *y = (2 * u - 1) * 160 / fmaxf(fabsf(log2f(*x)), 1e-3f);
    } else if (i % 4 == 2) {
        *x = 1 + (u - 0.5f) * 0x1p-6f;
        *y = (v - 0.5f) * 0x1p14f;
    } else {
        *x = (u - 0.5f) * 64;
        *y = rintf((v - 0.5f) * 60);
    }
}

static int check_power(double ulp, uint32_t nblock)
{
    static float x[BLOCK] __attribute__((aligned(64))), y[BLOCK] __attribute__((aligned(64))),
        v[BLOCK] __attribute__((aligned(64)));
    static const char *const set_name[NSET] = { "avx512", "avx2", "portable" };
    const Check check = { .ulp = ulp };
    Worst worst[NSET] = { 0 };
    float worst_y[NSET] = { 0 };
    int status = 0;
    for (uint32_t b = 0; b < nblock; b++) {
        for (uint32_t i = 0; i < BLOCK; i++)
            draw_pair(b * BLOCK + i, &x[i], &y[i]);
        for (int s = 0; s < NSET; s++) {
            if (!vector_power(s))
                continue;
            vector_power(s)(v, x, y, BLOCK);
            for (int i = 0; i < BLOCK; i++) {
                const double before = worst[s].ulp, exact = pow((double)x[i], (double)y[i]);
                compare(&check, x[i], v[i], exact, &worst[s]);
                worst_y[s] = worst[s].ulp > before ? y[i] : worst_y[s];
            }
        }
    }
    for (int s = 0; s < NSET; s++) {
        if (vector_power(s))
            printf("%-9s %-8s %5.3f ULP at %a, %a%s\n", "pow", set_name[s], worst[s].ulp, (double)worst[s].ulp_at,
                   (double)worst_y[s], worst[s].bad ? ": too much" : "");
        status |= worst[s].bad;
    }
    return status;
}

int main(int argc, char **argv)
{
    const bool blocks = argc > 2 && !strcmp(argv[1], "--each");
    const uint32_t each = blocks ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    int status = 0;
    for (int i = blocks ? 3 : 1; i + 2 < argc; i += 3)
        status |= strcmp(argv[i], "pow") == 0 ? check_power(atof(argv[i + 1]), each ? 1 << 14 : 1 << 9)
                                              : check_function(argv[i], atof(argv[i + 1]), atof(argv[i + 2]), each);
    return status;
}
