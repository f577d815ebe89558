/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl: what oneDNN can do for the operators: a product of matrices with what is done to its result (dnnl_matmul.c),
 * softmax and layernorm of rows (dnnl_rows.c), a convolution with what is done to its result (dnnl_conv.c), pooling and
 * resizing (dnnl_image.c). Each is set up once and run again and again on the same data. Where the bench is built
 * without oneDNN, none can be set up.
 */
#ifndef BENCH_DNNL_H
#define BENCH_DNNL_H

#include "bench/peer.h"

/* Y[b] = gelu(A[b] * B[b] + bias) + residual[b], or silu(A[b] * B[b] + bias) * factor[b]: all lie densely. */
typedef struct {
    int64_t batches; /* 0: there is no such axis */
    int64_t M, N, K;
    const float *A, *B, *bias; /* bias [N]; NULL: none */
    const float *residual;     /* as Y; NULL: none. Where it is Y itself, each run adds to what the one before left */
    float *Y;
    bool a_km, b_nk; /* A is [K][M], B is [N][K] */
    bool packed;     /* B is reordered once into the format that oneDNN prefers */
    bool gelu;       /* the one of erf */
    bool silu;
    const float *factor; /* as Y; NULL: none */
} DnnlMatmul;

/* Y = softmax or layernorm of each row of X; both are [rows][columns], and may be the same. */
typedef struct {
    int64_t rows, columns;
    const float *X;
    float *Y;
    const float *gamma, *beta; /* [columns]; layernorm's */
    float epsilon;             /* layernorm's */
} DnnlRows;

/* Y = min(max(conv(X, F) + bias + residual, 0), most): all lie densely. Groups of C channels and K filters each. */
typedef struct {
    int64_t N, G, C, K;
    int64_t x_size[2], y_size[2], taps[2]; /* rows and columns of X, of Y, of a filter */
    int64_t stride[2], dilation[2];        /* 1: none */
    int64_t before[2], after[2];           /* padding: above and on the left, below and on the right */
    const float *X, *F, *bias;             /* bias [G*K]; NULL: none */
    const float *residual;                 /* as Y; NULL: none */
    float *Y;
    bool x_nchw, y_nchw;    /* else NHWC */
    int64_t filter_step[4]; /* elements of F from a filter to the next, from a channel, a row, a column to the next */
    bool packed;            /* F is reordered once into the format that oneDNN prefers */
    bool relu;              /* else neither 0 nor `most` count */
    float most;             /* INFINITY: there is no such limit */
    bool winograd;          /* Winograd's algorithm, else the direct one */
    bool turned; /* each run turns X into the layout that oneDNN prefers, and Y back, where these are not as they lie */
} DnnlConv;

typedef enum { IMAGE_MAX, IMAGE_MEAN, IMAGE_MEAN_PAD, IMAGE_NEAREST, IMAGE_LINEAR } DnnlImageKind;

/* Y = the largest or the mean of each window of X, or X resized: both lie densely. */
typedef struct {
    DnnlImageKind kind; /* IMAGE_MEAN_PAD: padding counts as zeros */
    int64_t N, C;
    int64_t x_size[2], y_size[2], taps[2]; /* rows and columns of X, of Y, of a window */
    int64_t stride[2], dilation[2];        /* 1: none */
    int64_t before[2], after[2];           /* padding: above and on the left, below and on the right */
    bool nchw;                             /* else NHWC */
    const float *X;
    float *Y;
} DnnlImage;

/* NULL: cannot */
void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads);
void *dnnl_softmax_setup(const DnnlRows *r, Memory *mem, int threads);
void *dnnl_layernorm_setup(const DnnlRows *r, Memory *mem, int threads);
void *dnnl_conv_setup(const DnnlConv *v, Memory *mem, int threads);
void *dnnl_image_setup(const DnnlImage *v, Memory *mem, int threads);
/* The second one behind the first, as one. NULL, and neither is left, where one could not be set up. */
void *dnnl_both(void *first, void *second);

bool dnnl_run(void *state);
void dnnl_teardown(void *state);
Span dnnl_weights(const void *state); /* B, or F, as it is read; of a product without constant operands too */

#endif
