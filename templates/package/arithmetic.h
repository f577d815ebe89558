/* SPDX-License-Identifier: MIT-0 */
/* What the operator's arithmetic calls; real: of doubles, without the library of mathematics. */
static inline __attribute__((unused)) int64_t PACKAGE_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline __attribute__((unused)) int64_t PACKAGE_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b, rounded up. */
static inline __attribute__((unused)) int64_t PACKAGE_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }

/* The multiple of b that a is rounded up to. */
static inline __attribute__((unused)) int64_t PACKAGE_ceil_to(int64_t a, int64_t b) { return PACKAGE_ceil_div(a, b) * b; }

static inline __attribute__((unused)) double PACKAGE_real_min(double a, double b) { return a < b ? a : b; }
static inline __attribute__((unused)) double PACKAGE_real_max(double a, double b) { return a > b ? a : b; }

static inline __attribute__((unused)) double PACKAGE_real_ceil_div(double a, double b)
{
    const double quotient = a / b, whole_from = 4503599627370496.0; /* 2^52: doubles beyond have no fraction */
    if (!(quotient > -whole_from && quotient < whole_from))
        return quotient;
    const double whole = (double)(int64_t)quotient;
    return whole + (whole < quotient);
}

static inline __attribute__((unused)) double PACKAGE_real_ceil_to(double a, double b) { return PACKAGE_real_ceil_div(a, b) * b; }

/* The remainder of a / b, with the sign of a. Each step takes off the largest b * 2^n that fits, and is exact. */
static inline __attribute__((unused)) double PACKAGE_real_mod(double a, double b)
{
    const double size = b < 0 ? -b : b;
    double rest = a < 0 ? -a : a;
    while (size > 0 && rest >= size) {
        double step = size;
        while (step <= rest - step)
            step *= 2;
        rest -= step;
    }
    return a < 0 ? -rest : rest;
}
