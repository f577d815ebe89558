/* SPDX-License-Identifier: Apache-2.0
 *
 * check: each function of bench/dnnl.h on small data, next to its definition in double precision. How far a float
 * result may be off follows from its operations: UNIT of the operands' size for each; oneDNN's exp and erf may be off
 * by CURVE units.
 */
#include "bench/onednn/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/dnnl.h"
#include "gen/base/rng.h"

enum { REGION_BYTES = 64 << 20, CONV_REGION_BYTES = 4 << 20, CURVE = 16 };
static const double UNIT = 0x1p-24;

/* A result and how far it may be off. */
typedef struct {
    double value, off;
} Expected;

static int nwrong;

/* Elements from -scale to scale, the same in every run. */
static float *random_floats(Memory *mem, int64_t n, double scale)
{
    static Rng rng = { 1 };
    float *x = memory_take(mem, n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(scale * (2 * rng_uniform(&rng) - 1));
    return x;
}

static void complain(const char *what, const char *how)
{
    printf("oneDNN, %s: %s\n", what, how);
    nwrong++;
}

static bool run_once(void *state)
{
    const bool done = state && dnnl_run(state);
    if (state)
        dnnl_teardown(state);
    return done;
}

static bool is_near(float y, Expected e) { return fabs((double)y - e.value) <= e.off; }

static double element(const float *m, int64_t rows, int64_t columns, bool turned, int64_t i, int64_t j)
{
    return (double)m[turned ? j * rows + i : i * columns + j];
}

static Expected gelu_of(Expected x)
{
    const double value = 0.5 * x.value * (1 + erf(x.value / sqrt(2)));
    return (Expected){ value, 1.13 * x.off + CURVE * UNIT * fabs(x.value) };
}

static Expected silu_of(Expected x)
{
    return (Expected){ x.value / (1 + exp(-x.value)), 1.1 * x.off + CURVE * UNIT * fabs(x.value) };
}

/* residual: as it was before the run */
static Expected matmul_element(const DnnlMatmul *m, const float *residual, int64_t b, int64_t i, int64_t j)
{
    Expected e = { m->bias ? (double)m->bias[j] : 0, 0 };
    double size = fabs(e.value);
    for (int64_t k = 0; k < m->K; k++) {
        const double product = element(m->A + b * m->M * m->K, m->M, m->K, m->a_km, i, k) *
                               element(m->B + b * m->K * m->N, m->K, m->N, m->b_nk, k, j);
        e.value += product;
        size += fabs(product);
    }
    e.off = (double)(m->K + 2) * UNIT * size;
    if (m->gelu)
        e = gelu_of(e);
    if (m->silu)
        e = silu_of(e);
    if (m->factor) {
        const double factor = (double)m->factor[(b * m->M + i) * m->N + j];
        e = (Expected){ e.value * factor, fabs(factor) * e.off + UNIT * fabs(e.value * factor) };
    }
    if (residual) {
        e.value += (double)residual[(b * m->M + i) * m->N + j];
        e.off += UNIT * fabs(e.value);
    }
    return e;
}

static bool matmul_is_right(const DnnlMatmul *m, const float *residual)
{
    for (int64_t b = 0; b < (m->batches ? m->batches : 1); b++)
        for (int64_t i = 0; i < m->M; i++)
            for (int64_t j = 0; j < m->N; j++)
                if (!is_near(m->Y[(b * m->M + i) * m->N + j], matmul_element(m, residual, b, i, j)))
                    return false;
    return true;
}

typedef enum { RESIDUAL_NONE, RESIDUAL_APART, RESIDUAL_IN_Y, NRESIDUAL } Residual;

static void try_matmul(DnnlMatmul m, bool bias, Residual residual)
{
    static const char *const residual_name[] = { "", ", residual", ", residual in Y" };
    Memory mem = memory_map(REGION_BYTES);
    const int64_t batches = m.batches ? m.batches : 1, ny = batches * m.M * m.N;
    m.A = random_floats(&mem, batches * m.M * m.K, 1);
    m.B = random_floats(&mem, batches * m.K * m.N, 2 / sqrt((double)m.K));
    m.bias = bias ? random_floats(&mem, m.N, 1) : NULL;
    m.Y = random_floats(&mem, ny, 1);
    const float *added = residual == RESIDUAL_NONE ? NULL : random_floats(&mem, ny, 1);
    m.residual = residual == RESIDUAL_IN_Y ? m.Y : added;
    m.factor = m.silu ? random_floats(&mem, ny, 1) : NULL;
    for (int64_t i = 0; i < ny; i++)
        m.Y[i] = residual == RESIDUAL_IN_Y ? added[i] : NAN;
    char what[160];
    snprintf(what, sizeof what, "matmul %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 "%s%s%s%s%s%s", m.batches,
             m.M, m.N, m.K, m.b_nk ? ", B as [N][K]" : "", m.packed ? ", B packed" : "", bias ? ", bias" : "",
             m.gelu ? ", gelu" : "", m.silu ? ", silu and a factor" : "", residual_name[residual]);
    if (!run_once(dnnl_setup(&m, &mem, 1)))
        complain(what, "cannot");
    else if (!matmul_is_right(&m, added))
        complain(what, "wrong result");
    memory_unmap(&mem);
}

static int try_all_matmuls(void)
{
    static const int64_t size[][4] = { { 0, 1, 24, 48 }, { 0, 5, 17, 33 }, { 0, 43, 96, 64 }, { 3, 7, 9, 64 } };
    int n = 0;
    for (int s = 0; s < 4; s++)
        for (int how = 0; how < 16; how++)
            for (Residual r = RESIDUAL_NONE; r < NRESIDUAL; r++) {
                DnnlMatmul m = { .batches = size[s][0], .M = size[s][1], .N = size[s][2], .K = size[s][3] };
                m.b_nk = how & 1;
                m.packed = (how & 2) && !m.batches;
                m.gelu = how & 8;
                try_matmul(m, how & 4, r);
                n++;
                m.silu = !m.gelu && r == RESIDUAL_NONE;
                if (m.silu)
                    try_matmul(m, how & 4, r);
                n += m.silu;
            }
    return n;
}

static double max_of(const float *x, int64_t n)
{
    double max = (double)x[0];
    for (int64_t i = 1; i < n; i++)
        max = fmax(max, (double)x[i]);
    return max;
}

/* A sum of n terms above 0, each an exponential; its argument is rounded once, when the maximum is taken off. */
static Expected softmax_element(const float *x, const DnnlRows *r, int64_t j)
{
    const double max = max_of(x, r->columns);
    double sum = 0;
    for (int64_t i = 0; i < r->columns; i++)
        sum += exp((double)x[i] - max);
    const double value = exp((double)x[j] - max) / sum,
                 units = (double)r->columns + 2 * CURVE + fabs((double)x[j] - max);
    return (Expected){ value, UNIT * units * value };
}

static Expected layernorm_element(const float *x, const DnnlRows *r, int64_t j)
{
    const double n = (double)r->columns;
    double mean = 0, size = 0, variance = 0;
    for (int64_t i = 0; i < r->columns; i++) {
        mean += (double)x[i] / n;
        size = fmax(size, fabs((double)x[i]));
    }
    for (int64_t i = 0; i < r->columns; i++)
        variance += ((double)x[i] - mean) * ((double)x[i] - mean) / n;
    const double unit = ((double)x[j] - mean) / sqrt(variance + (double)r->epsilon);
    const double value = unit * (double)r->gamma[j] + (double)r->beta[j];
    const double off = n * size / sqrt(variance + (double)r->epsilon) + (n / 2 + CURVE) * fabs(unit);
    return (Expected){ value, UNIT * (off * fabs((double)r->gamma[j]) + 2 * fabs(value)) };
}

typedef struct {
    const char *name;
    void *(*setup)(const DnnlRows *r, Memory *mem, int threads);
    Expected (*element)(const float *x, const DnnlRows *r, int64_t j);
} RowsOp;

static const RowsOp rows_ops[] = { { "softmax", dnnl_softmax_setup, softmax_element },
                                   { "layernorm", dnnl_layernorm_setup, layernorm_element } };
enum { NROWS_OP = sizeof rows_ops / sizeof rows_ops[0] };

static bool rows_are_right(const RowsOp *op, const DnnlRows *r, const float *x)
{
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = 0; j < r->columns; j++)
            if (!is_near(r->Y[i * r->columns + j], op->element(x + i * r->columns, r, j)))
                return false;
    return true;
}

static void try_rows(const RowsOp *op, int64_t rows, int64_t columns, bool in_place)
{
    Memory mem = memory_map(REGION_BYTES);
    const int64_t n = rows * columns;
    const float *x = random_floats(&mem, n, 4);
    float *y = random_floats(&mem, n, 1);
    for (int64_t i = 0; i < n; i++)
        y[i] = in_place ? x[i] : NAN;
    DnnlRows r = { rows, columns, in_place ? y : x, y, .epsilon = 1e-12F };
    r.gamma = random_floats(&mem, columns, 1);
    r.beta = random_floats(&mem, columns, 1);
    char what[96];
    snprintf(what, sizeof what, "%s %" PRId64 " x %" PRId64 "%s", op->name, rows, columns,
             in_place ? ", in place" : "");
    if (!run_once(op->setup(&r, &mem, 1)))
        complain(what, "cannot");
    else if (!rows_are_right(op, &r, x))
        complain(what, "wrong result");
    memory_unmap(&mem);
}

static int try_all_rows(void)
{
    static const int64_t size[][2] = { { 1, 2 }, { 7, 5 }, { 12, 16 }, { 3, 43 }, { 5, 128 }, { 2, 768 } };
    const int nsize = sizeof size / sizeof size[0];
    for (int o = 0; o < NROWS_OP; o++)
        for (int s = 0; s < nsize; s++)
            for (int in_place = 0; in_place < 2; in_place++)
                try_rows(&rows_ops[o], size[s][0], size[s][1], in_place);
    return NROWS_OP * nsize * 2;
}

/* ---- convolutions ---- */

typedef struct {
    int64_t N, G, C, K, size[2], taps[2], stride, dilation, before[2], after[2];
} ConvSize;

static const ConvSize conv_sizes[] = {
    { 1, 1, 3, 16, { 11, 9 }, { 7, 5 }, 2, 1, { 3, 2 }, { 3, 2 } },
    { 2, 1, 16, 24, { 6, 7 }, { 1, 1 }, 1, 1, { 0, 0 }, { 0, 0 } },
    { 2, 1, 32, 16, { 9, 8 }, { 1, 1 }, 2, 1, { 0, 0 }, { 0, 0 } },
    { 1, 1, 32, 32, { 8, 10 }, { 3, 3 }, 1, 1, { 1, 1 }, { 1, 1 } },
    { 1, 1, 16, 17, { 8, 9 }, { 3, 3 }, 1, 2, { 2, 1 }, { 0, 2 } },
    { 2, 4, 8, 8, { 5, 6 }, { 3, 3 }, 2, 1, { 0, 1 }, { 1, 1 } },
    { 1, 24, 1, 1, { 7, 7 }, { 3, 3 }, 1, 1, { 1, 1 }, { 1, 1 } },
};
enum { NCONV_SIZE = sizeof conv_sizes / sizeof conv_sizes[0] };

/* Where an element of a tensor lies whose pixels are [size[0]][size[1]]. */
static int64_t image_at(int64_t channels, const int64_t size[2], bool nchw, int64_t n, int64_t c, int64_t h, int64_t w)
{
    return nchw ? ((n * channels + c) * size[0] + h) * size[1] + w : ((n * size[0] + h) * size[1] + w) * channels + c;
}

/* What is added to e by one tap of filter oc; *size grows by the magnitudes. */
static void add_tap(const DnnlConv *v, int64_t n, int64_t oc, const int64_t tap[2], const int64_t at[2], Expected *e,
                    double *size)
{
    if (at[0] < 0 || at[0] >= v->x_size[0] || at[1] < 0 || at[1] >= v->x_size[1])
        return;
    for (int64_t c = 0; c < v->C; c++) {
        const int64_t x = image_at(v->G * v->C, v->x_size, v->x_nchw, n, oc / v->K * v->C + c, at[0], at[1]);
        const int64_t *step = v->filter_step;
        const double product =
            (double)v->X[x] * (double)v->F[oc * step[0] + c * step[1] + tap[0] * step[2] + tap[1] * step[3]];
        e->value += product;
        *size += fabs(product);
    }
}

static Expected conv_element(const DnnlConv *v, int64_t n, int64_t oc, int64_t p, int64_t q, int64_t i)
{
    Expected e = { (v->bias ? (double)v->bias[oc] : 0) + (v->residual ? (double)v->residual[i] : 0), 0 };
    double size = fabs(e.value);
    for (int64_t r = 0; r < v->taps[0]; r++)
        for (int64_t s = 0; s < v->taps[1]; s++)
            add_tap(v, n, oc, (int64_t[]){ r, s },
                    (int64_t[]){ p * v->stride[0] + r * v->dilation[0] - v->before[0],
                                 q * v->stride[1] + s * v->dilation[1] - v->before[1] },
                    &e, &size);
    e.off = (double)(v->C * v->taps[0] * v->taps[1] + 3) * UNIT * size;
    if (v->relu)
        e.value = fmin(fmax(e.value, 0), (double)v->most);
    return e;
}

static bool conv_is_right(const DnnlConv *v)
{
    for (int64_t n = 0; n < v->N; n++)
        for (int64_t oc = 0; oc < v->G * v->K; oc++)
            for (int64_t p = 0; p < v->y_size[0]; p++)
                for (int64_t q = 0; q < v->y_size[1]; q++) {
                    const int64_t i = image_at(v->G * v->K, v->y_size, v->y_nchw, n, oc, p, q);
                    if (!is_near(v->Y[i], conv_element(v, n, oc, p, q, i)))
                        return false;
                }
    return true;
}

static DnnlConv conv_of(const ConvSize *z)
{
    DnnlConv v = { .N = z->N, .G = z->G, .C = z->C, .K = z->K };
    for (int i = 0; i < 2; i++) {
        v.x_size[i] = z->size[i];
        v.taps[i] = z->taps[i];
        v.stride[i] = z->stride;
        v.dilation[i] = z->dilation;
        v.before[i] = z->before[i];
        v.after[i] = z->after[i];
        v.y_size[i] = (z->size[i] + z->before[i] + z->after[i] - z->dilation * (z->taps[i] - 1) - 1) / z->stride + 1;
    }
    return v;
}

typedef struct {
    bool nchw, krsc; /* F as [OC][R][S][C], else [OC][C][R][S] */
    bool packed, bias, residual, turned, winograd;
    int limits; /* 0: none, 1: relu, 2: relu and at most 1 */
} ConvWay;

/* oneDNN need not have kernels for plain filters, nor Winograd's algorithm for all sizes. */
static void try_conv(const ConvSize *z, const ConvWay *way)
{
    Memory mem = memory_map(CONV_REGION_BYTES);
    DnnlConv v = conv_of(z);
    const int64_t nx = v.N * v.G * v.C * v.x_size[0] * v.x_size[1], ny = v.N * v.G * v.K * v.y_size[0] * v.y_size[1],
                  taps = v.taps[0] * v.taps[1], depth = v.C * taps;
    const int64_t step[][4] = { { depth, taps, v.taps[1], 1 }, { depth, 1, v.taps[1] * v.C, v.C } };
    memcpy(v.filter_step, step[way->krsc], sizeof v.filter_step);
    v.X = random_floats(&mem, nx, 1);
    v.F = random_floats(&mem, v.G * v.K * depth, 2 / sqrt((double)depth));
    v.bias = way->bias ? random_floats(&mem, v.G * v.K, 1) : NULL;
    v.residual = way->residual ? random_floats(&mem, ny, 1) : NULL;
    v.Y = random_floats(&mem, ny, 1);
    for (int64_t i = 0; i < ny; i++)
        v.Y[i] = NAN;
    v.x_nchw = v.y_nchw = way->nchw;
    v.packed = way->packed;
    v.relu = way->limits > 0;
    v.most = way->limits == 2 ? 1 : INFINITY;
    v.turned = way->turned;
    v.winograd = way->winograd;
    char what[200];
    snprintf(what, sizeof what, "convolution %d in %s, F as %s%s%s%s%s%s, limits %d", (int)(z - conv_sizes),
             way->nchw ? "NCHW" : "NHWC", way->krsc ? "KRSC" : "KCRS", way->packed ? ", packed" : "",
             way->bias ? ", bias" : "", way->residual ? ", residual" : "", way->turned ? ", turned" : "",
             way->winograd ? ", Winograd" : "", way->limits);
    void *state = dnnl_conv_setup(&v, &mem, 1);
    if (state && !(run_once(state) && conv_is_right(&v)))
        complain(what, "wrong result");
    else if (!state && way->packed && !way->winograd)
        complain(what, "cannot");
    memory_unmap(&mem);
}

static int try_all_convs(void)
{
    const int nway = dnnl_winograd_library.open() ? 2 : 3; /* as X and Y lie, turned, Winograd */
    int n = 0;
    for (int s = 0; s < NCONV_SIZE; s++)
        for (int how = 0; how < 32; how++)
            for (int limits = 0; limits < 3; limits++)
                for (int turned = 0; turned < (how & 16 ? 1 : nway); turned++) {
                    const ConvWay way = { .nchw = how & 1,
                                          .krsc = how & 2,
                                          .packed = how & 4,
                                          .bias = how & 8,
                                          .residual = how & 16,
                                          .turned = turned > 0,
                                          .winograd = turned == 2,
                                          .limits = limits };
                    try_conv(&conv_sizes[s], &way);
                    n++;
                }
    return n;
}

int check_all(void)
{
    nwrong = 0;
    const int n = try_all_matmuls() + try_all_rows() + try_all_convs();
    printf("%s: %d cases, %d wrong\n", dnnl_library.version(), n, nwrong);
    return nwrong;
}
