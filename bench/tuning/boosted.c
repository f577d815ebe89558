/* SPDX-License-Identifier: Apache-2.0
 *
 * boosted: fits XGBoost's trees to the same rows that the ridge regression is fitted to, and asks them for
 * predictions.
 */
#include "bench/tuning/boosted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BENCH_HAVE_XGBOOST
#include <xgboost/c_api.h>

enum { ROUNDS = 200 };

struct Boosted {
    BoosterHandle booster;
    size_t nfeature;
};

bool boosted_there(void) { return true; }

static bool good(int code)
{
    if (code != 0)
        fprintf(stderr, "tuning: xgboost: %s\n", XGBGetLastError());
    return code == 0;
}

static float *floats(const double *v, size_t n)
{
    float *f = malloc((n + 1) * sizeof *f);
    for (size_t i = 0; f && i < n; i++)
        f[i] = (float)v[i];
    return f;
}

static bool make_matrix(const double *x, size_t nrow, size_t nfeature, DMatrixHandle *out)
{
    float *f = floats(x, nrow * nfeature);
    const bool ok = f && good(XGDMatrixCreateFromMat(f, nrow, nfeature, NAN, out));
    free(f);
    return ok;
}

static bool set_column(DMatrixHandle m, const char *name, const double *v, size_t n)
{
    float *f = floats(v, n);
    const bool ok = f && good(XGDMatrixSetFloatInfo(m, name, f, n));
    free(f);
    return ok;
}

/* What auto-schedulers choose, within a few hundred rows: shallow trees, half of the features a tree. */
static bool set_options(BoosterHandle b)
{
    static const char *const option[][2] = { { "objective", "reg:squarederror" },
                                             { "max_depth", "5" },
                                             { "eta", "0.1" },
                                             { "min_child_weight", "2" },
                                             { "subsample", "0.8" },
                                             { "colsample_bytree", "0.5" },
                                             { "lambda", "1" },
                                             { "base_score", "0" },
                                             { "seed", "1" },
                                             { "nthread", "1" },
                                             { "verbosity", "0" } };
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (!good(XGBoosterSetParam(b, option[i][0], option[i][1])))
            return false;
    return true;
}

Boosted *boosted_fit(const double *x, const double *y, const double *w, size_t nrow, size_t nfeature)
{
    Boosted *b = calloc(1, sizeof *b);
    DMatrixHandle m = NULL;
    bool ok = b && make_matrix(x, nrow, nfeature, &m) && set_column(m, "label", y, nrow) &&
              set_column(m, "weight", w, nrow) && good(XGBoosterCreate(&m, 1, &b->booster)) && set_options(b->booster);
    for (int i = 0; ok && i < ROUNDS; i++)
        ok = good(XGBoosterUpdateOneIter(b->booster, i, m));
    if (m)
        XGDMatrixFree(m);
    if (!ok) {
        boosted_free(b);
        return NULL;
    }
    b->nfeature = nfeature;
    return b;
}

bool boosted_predict(const Boosted *b, const double *x, size_t nrow, double *out)
{
    DMatrixHandle m = NULL;
    bst_ulong n = 0;
    const float *result = NULL;
    const bool ok =
        make_matrix(x, nrow, b->nfeature, &m) && good(XGBoosterPredict(b->booster, m, 0, 0, 0, &n, &result));
    for (size_t i = 0; ok && i < nrow && i < n; i++)
        out[i] = result[i];
    if (m)
        XGDMatrixFree(m);
    return ok && n == nrow;
}

void boosted_free(Boosted *b)
{
    if (b && b->booster)
        XGBoosterFree(b->booster);
    free(b);
}

#else

bool boosted_there(void) { return false; }

Boosted *boosted_fit(const double *x, const double *y, const double *w, size_t nrow, size_t nfeature)
{
    (void)x, (void)y, (void)w, (void)nrow, (void)nfeature;
    return NULL;
}

bool boosted_predict(const Boosted *b, const double *x, size_t nrow, double *out)
{
    (void)b, (void)x, (void)nrow, (void)out;
    return false;
}

void boosted_free(Boosted *b) { (void)b; }

#endif
