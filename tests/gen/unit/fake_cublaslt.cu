/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_cublaslt: what a library.cu calls of cublasLt, computed on the CPU from the descriptors alone, in floats. Bad descriptors,
 * and addresses that are less aligned than the preference says, are refused.
 */
#include <cublasLt.h>
#include <math.h>
#include <string.h>

struct Desc {
    cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const float *bias = NULL;
};
struct Layout {
    uint64_t rows, cols; /* column-major */
    int64_t ld, next = 0;
    int32_t batches = 1;
};
struct Preference {
    uint32_t aligned = 256;
};
static uint32_t aligned; /* what the algorithm that was chosen last needs */

extern "C" int fake_cublaslt_nmatmul, fake_cublaslt_algorithm; /* calls, and the algorithm of the last one, of three */
int fake_cublaslt_nmatmul, fake_cublaslt_algorithm;

size_t cublasLtGetVersion(void)
{
    return 130100;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = (cublasLtHandle_t)&aligned;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t, cudaDataType_t)
{
    *desc = (cublasLtMatmulDesc_t) new Desc;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    delete (Desc *)desc;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t take(void *to, size_t size, const void *from, size_t bytes)
{
    if (size != bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t of, const void *from,
                                              size_t bytes)
{
    Desc *d = (Desc *)desc;
    switch (of) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return take(&d->a, sizeof d->a, from, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return take(&d->b, sizeof d->b, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return take(&d->epilogue, sizeof d->epilogue, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return take(&d->bias, sizeof d->bias, from, bytes);
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType, uint64_t rows, uint64_t cols,
                                          int64_t ld)
{
    Layout *l = new Layout;
    l->rows = rows, l->cols = cols, l->ld = ld;
    *layout = (cublasLtMatrixLayout_t)l;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    delete (Layout *)layout;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t of,
                                                const void *from, size_t bytes)
{
    Layout *l = (Layout *)layout;
    switch (of) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return take(&l->batches, sizeof l->batches, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return take(&l->next, sizeof l->next, from, bytes);
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    *preference = (cublasLtMatmulPreference_t) new Preference;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    delete (Preference *)preference;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t of, const void *from, size_t bytes)
{
    Preference *p = (Preference *)preference;
    return of == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? CUBLAS_STATUS_SUCCESS
                                                          : take(&p->aligned, sizeof p->aligned, from, bytes);
}

static bool is_matrix(const Layout *l, const Layout *d)
{
    return l->ld >= (int64_t)l->rows && l->batches == d->batches && l->batches > 0;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t *result, int *n)
{
    for (const cublasLtMatrixLayout_t l : { a, b, c, d })
        if (!is_matrix((const Layout *)l, (const Layout *)d))
            return CUBLAS_STATUS_INVALID_VALUE;
    aligned = ((Preference *)preference)->aligned;
    for (*n = 0; *n < 3 && *n < most; ++*n) {
        memset(&result[*n], 0, sizeof *result);
        result[*n].algo.data[0] = (uint64_t)*n;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* What an epilogue does to a sum, `bias` being that of its row. */
static double finished(cublasLtEpilogue_t of, double sum, const float *bias)
{
    const bool has_bias = of == CUBLASLT_EPILOGUE_BIAS || of == CUBLASLT_EPILOGUE_RELU_BIAS || of == CUBLASLT_EPILOGUE_GELU_BIAS;
    const double x = has_bias ? sum + *bias : sum;
    if (of == CUBLASLT_EPILOGUE_RELU || of == CUBLASLT_EPILOGUE_RELU_BIAS)
        return x > 0 ? x : 0;
    if (of == CUBLASLT_EPILOGUE_GELU || of == CUBLASLT_EPILOGUE_GELU_BIAS)
        return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    return x;
}

static float element(const float *at, const Layout *l, cublasOperation_t op, uint64_t row, uint64_t col)
{
    return op == CUBLAS_OP_N ? at[row + col * (uint64_t)l->ld] : at[col + row * (uint64_t)l->ld];
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void *, const void *a,
                              cublasLtMatrixLayout_t of_a, const void *b, cublasLtMatrixLayout_t of_b, const void *beta,
                              const void *c, cublasLtMatrixLayout_t of_c, void *d, cublasLtMatrixLayout_t of_d,
                              const cublasLtMatmulAlgo_t *algo, void *, size_t, cudaStream_t)
{
    const Desc *m = (const Desc *)desc;
    const Layout *la = (const Layout *)of_a, *lb = (const Layout *)of_b, *ld = (const Layout *)of_d;
    const Layout *lc = (const Layout *)of_c;
    const uint64_t depth = m->a == CUBLAS_OP_N ? la->cols : la->rows;
    if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c | (uintptr_t)d) % aligned != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    fake_cublaslt_nmatmul++;
    fake_cublaslt_algorithm = (int)algo->data[0];
    for (int32_t i = 0; i < ld->batches; i++)
        for (uint64_t col = 0; col < ld->cols; col++)
            for (uint64_t row = 0; row < ld->rows; row++) {
                const float scale = *(const float *)beta;
                double sum = scale != 0 ? scale * element((const float *)c + i * lc->next, lc, CUBLAS_OP_N, row, col) : 0;
                for (uint64_t k = 0; k < depth; k++)
                    sum += (double)element((const float *)a + i * la->next, la, m->a, row, k) *
                           element((const float *)b + i * lb->next, lb, m->b, k, col);
                ((float *)d)[i * ld->next + (int64_t)(row + col * (uint64_t)ld->ld)] =
                    (float)finished(m->epilogue, sum, m->bias + row);
            }
    return CUBLAS_STATUS_SUCCESS;
}
