/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What the library.cu of an operator needs of NVIDIA's cublasLt, which is loaded at run time: products of matrices by the algorithm that
 * cublasLt proposes first, or by another one that it proposes. Without cublasLt, or where it has no algorithm, a call is refused. */
#endif
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <initializer_list>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if HAS_OTHER_FORMULA

enum { PACKAGE_OK, PACKAGE_BAD_EXTENT, PACKAGE_BAD_POINTER, PACKAGE_CUDA_ERROR };

//@ preamble
namespace PACKAGE_device {
#ifdef DCGEN_EMULATOR
#include "device.h"
#else
//@ device
#endif
}

//@ arguments
//@ formula
#endif

extern "C" const int dcgen_aligned = 256; /* what cublasLt takes for granted */

enum { NO_LIBRARY = -100, NO_ALGORITHM = -101, NO_KERNEL = -102 };
enum { MOST_WAYS = 32 };
static const size_t workspace_bytes = 32 << 20; /* what NVIDIA advises for Hopper */

#if DTYPE_F16
static const cudaDataType_t elem_type = CUDA_R_16F;
#elif DTYPE_BF16
static const cudaDataType_t elem_type = CUDA_R_16BF;
#else
static const cudaDataType_t elem_type = CUDA_R_32F;
#endif
#if HAS_OTHER_FORMULA /* which takes the sums before they are rounded */
static const cudaDataType_t result_type = CUDA_R_32F;
#else
static const cudaDataType_t result_type = elem_type;
#endif
#if IS_RELU && HAS_SUM_BIAS
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
#elif IS_RELU
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU;
#elif IS_GELU_TANH && HAS_SUM_BIAS
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
#elif IS_GELU_TANH
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU;
#elif HAS_SUM_BIAS
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
#else
static const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
#endif
#if DTYPE_TF32
static const cublasComputeType_t compute_type = CUBLAS_COMPUTE_32F_FAST_TF32;
#else
static const cublasComputeType_t compute_type = CUBLAS_COMPUTE_32F;
#endif

/* ---- the library */

#define FUNCTIONS(use)                \
    use(Create)                       \
    use(Destroy)                      \
    use(MatmulDescCreate)             \
    use(MatmulDescDestroy)            \
    use(MatmulDescSetAttribute)       \
    use(MatrixLayoutCreate)           \
    use(MatrixLayoutDestroy)          \
    use(MatrixLayoutSetAttribute)     \
    use(MatmulPreferenceCreate)       \
    use(MatmulPreferenceDestroy)      \
    use(MatmulPreferenceSetAttribute) \
    use(MatmulAlgoGetHeuristic)       \
    use(Matmul)                       \
    use(GetVersion)
#define MEMBER(name) decltype(&cublasLt##name) name;
static struct {
    FUNCTIONS(MEMBER)
} lt;
static cublasLtHandle_t handle;
#if HAS_OTHER_FORMULA && ELEM_BYTES == 2

/* Elements of Y. The operator's file has it. */
static int64_t count_results(const int64_t *extent);
#endif

/* By the loader's path, or where the runner found it: DCGEN_CUBLASLT has files, with colons between. */
static void *open_library()
{
    const char *at = getenv("DCGEN_CUBLASLT");
    char name[64], path[4096];
    const int name_len = snprintf(name, sizeof name, "libcublasLt.so.%d", CUBLAS_VER_MAJOR);
    void *library = dlopen(name, RTLD_NOW);
    for (size_t len; !library && at && *at; at += len + (at[len] == ':')) {
        len = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s", (int)len, at);
        if ((int)len > name_len && strcmp(path + len - name_len, name) == 0)
            library = dlopen(path, RTLD_NOW);
    }
    return library;
}

/* When this object is loaded, not in the first call, which has a deadline. */
static __attribute__((constructor)) void load()
{
    void *library = open_library();
    if (!library)
        return;
#define FIND(name)                                         \
    *(void **)&lt.name = dlsym(library, "cublasLt" #name); \
    if (!lt.name)                                          \
        return;
    FUNCTIONS(FIND)
    if (lt.Create(&handle) != CUBLAS_STATUS_SUCCESS)
        handle = NULL;
}

/* ---- a product */

/* Y[m][n] = the sum over k of X[m][k] * W[k][n], plus bias[n] and addend[m][n] unless they are NULL, and what `epilogue` does to that;
 * `batches` times. All rows lie one behind the other: of X, along k or, if x_is_km, along m; of W, along k or, if w_is_kn,
 * along n. Strides count elements. The structure has no gaps: it is compared as bytes. */
struct Product {
    int64_t M, N, K;
    int64_t x_is_km = 0, w_is_kn = 0;
    int64_t ldx, ldw, ldy;                                   /* from a row to the next */
    int64_t batches = 1, next_x = 0, next_w = 0, next_y = 0; /* products; from the matrix of one to that of the next */
    int64_t aligned = 256; /* bytes that the first elements are aligned to, at most 256 */
    const void *bias = NULL, *addend = NULL;
    int64_t ldc = 0, next_c = 0; /* of addend, as of Y */
};

/* Row-major Y = X W is column-major Y' = W' X'. Kept from call to call, as long as the product is the same. */
struct Plan {
    bool made = false;
    Product of;
    cublasLtMatmulDesc_t op = NULL;
    cublasLtMatrixLayout_t w = NULL, x = NULL, c = NULL, y = NULL;
    cublasLtMatmulAlgo_t algo;
    size_t need = 0; /* bytes of workspace */
};
static Plan plan;
static int way; /* which of the algorithms that cublasLt proposes is taken */

static void drop()
{
    if (plan.op)
        lt.MatmulDescDestroy(plan.op);
    for (cublasLtMatrixLayout_t layout : { plan.w, plan.x, plan.c, plan.y })
        if (layout)
            lt.MatrixLayoutDestroy(layout);
    plan = Plan();
}

extern "C" void dcgen_use(int n)
{
    way = n;
    drop();
}

static __attribute__((destructor)) void unload()
{
    drop();
    if (handle)
        lt.Destroy(handle);
}

/* Matrices of `rows` rows of `length` elements, which are columns to cublasLt. The distance between rows means nothing to
 * one row alone. */
static bool lay(cublasLtMatrixLayout_t *layout, cudaDataType_t type, int64_t rows, int64_t length, int64_t ld, int64_t next, int32_t batches)
{
    return !lt.MatrixLayoutCreate(layout, type, length, rows, rows == 1 && ld < length ? length : ld) &&
           !lt.MatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof batches) &&
           !lt.MatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &next, sizeof next);
}

static bool describe(const Product *p)
{
    const cublasOperation_t of_w = p->w_is_kn ? CUBLAS_OP_N : CUBLAS_OP_T, of_x = p->x_is_km ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int32_t batches = (int32_t)p->batches;
    bool good = !lt.MatmulDescCreate(&plan.op, compute_type, CUDA_R_32F) &&
                !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_TRANSA, &of_w, sizeof of_w) &&
                !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_TRANSB, &of_x, sizeof of_x);
    good = good && !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (p->bias)
        good = good && !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p->bias, sizeof p->bias);
    return good && lay(&plan.w, elem_type, p->w_is_kn ? p->K : p->N, p->w_is_kn ? p->N : p->K, p->ldw, p->next_w, batches) &&
           lay(&plan.x, elem_type, p->x_is_km ? p->K : p->M, p->x_is_km ? p->M : p->K, p->ldx, p->next_x, batches) &&
           lay(&plan.c, result_type, p->M, p->N, p->addend ? p->ldc : p->ldy, p->addend ? p->next_c : p->next_y, batches) &&
           lay(&plan.y, result_type, p->M, p->N, p->ldy, p->next_y, batches);
}

static bool choose(const Product *p)
{
    static const cublasLtMatmulPreferenceAttributes_t alignment[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES
    };
    const uint32_t aligned = (uint32_t)p->aligned;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t found[MOST_WAYS];
    int n = 0;
    bool good = !lt.MatmulPreferenceCreate(&preference) &&
                !lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                 &workspace_bytes, sizeof workspace_bytes);
    for (cublasLtMatmulPreferenceAttributes_t of : alignment)
        good = good && !lt.MatmulPreferenceSetAttribute(preference, of, &aligned, sizeof aligned);
    good = good && way < MOST_WAYS &&
           !lt.MatmulAlgoGetHeuristic(handle, plan.op, plan.w, plan.x, plan.c, plan.y, preference, way + 1, found, &n) &&
           n > way && found[way].state == CUBLAS_STATUS_SUCCESS;
    if (preference)
        lt.MatmulPreferenceDestroy(preference);
    if (good) {
        plan.algo = found[way].algo;
        plan.need = found[way].workspaceSize;
    }
    return good;
}

static bool prepare(const Product *p)
{
    if (plan.made && memcmp(&plan.of, p, sizeof *p) == 0)
        return true;
    drop();
    plan.made = describe(p) && choose(p);
    plan.of = *p;
    return plan.made;
}

/* As dcgen_launch. behind: bytes from p->addend to this product's. */
static int multiply(const Product *p, const void *x, const void *w, int64_t behind, void *y, void *workspace, void *stream)
{
    const float one = 1, scale = p->addend ? 1 : 0;
    const void *c = p->addend ? (const char *)p->addend + behind : y;
    if (!handle)
        return NO_LIBRARY;
    if (p->M <= 0 || p->N <= 0 || p->K <= 0 || p->batches <= 0 || p->batches > INT32_MAX || !prepare(p))
        return NO_ALGORITHM;
    return lt.Matmul(handle, plan.op, &one, w, plan.w, x, plan.x, &scale, c, plan.c, y, plan.y, &plan.algo, workspace,
                     plan.need, (cudaStream_t)stream) == CUBLAS_STATUS_SUCCESS
               ? 0
               : NO_ALGORITHM;
}

#if HAS_OTHER_FORMULA

/* ---- the formula, as users of the library compute it: by a kernel of their own behind the library's */

enum { FINISH_THREADS = 256, FINISH_EACH = 4 };

/* A block has some columns of a row, a thread four of them, then the same of further rows. */
template <class Of> static __global__ void __launch_bounds__(FINISH_THREADS) finish_kernel(const Of of)
{
    const int64_t n0 = (int64_t)blockIdx.x * (FINISH_THREADS * FINISH_EACH) + threadIdx.x;
    for (int64_t r = blockIdx.y; r < of.rows; r += gridDim.y) {
        float v[FINISH_EACH];
#pragma unroll
        for (int i = 0; i < FINISH_EACH; i++)
            if (n0 + i * FINISH_THREADS < of.N)
                v[i] = of.value(r, (int)n0 + i * FINISH_THREADS);
#pragma unroll
        for (int i = 0; i < FINISH_EACH; i++)
            if (n0 + i * FINISH_THREADS < of.N)
                *of.at(r, (int)n0 + i * FINISH_THREADS) = PACKAGE_device::RESULT_ELEMENT_of(v[i]);
    }
}

/* of: { int64_t rows, N; float value(r, n); RESULT_TYPE *at(r, n) }, of row r of all rows of Y, and column n. */
template <class Of> static int finish(const Of &of, void *stream)
{
    const int64_t across = (of.N + FINISH_THREADS * FINISH_EACH - 1) / (FINISH_THREADS * FINISH_EACH);
    const dim3 grid((unsigned)across, (unsigned)(of.rows < 65535 ? of.rows : 65535));
    return PACKAGE_device::launch(finish_kernel<Of>, grid, 0, FINISH_THREADS, 0, (cudaStream_t)stream, of) == cudaSuccess ? 0 : NO_KERNEL;
}

/* Sums of 16-bit elements lie behind the library's workspace, before they are rounded; others in Y. */
static float *sums_of(void *workspace)
{
    return (float *)((char *)workspace + workspace_bytes);
}
#endif

extern "C" int64_t dcgen_scratch(const int64_t *extent, int64_t)
{
#if HAS_OTHER_FORMULA && ELEM_BYTES == 2
    return (int64_t)workspace_bytes + 4 * count_results(extent);
#else
    (void)extent;
    return (int64_t)workspace_bytes;
#endif
}

extern "C" const char *dcgen_name()
{
    static char name[40];
    if (handle)
        snprintf(name, sizeof name, "cublasLt %zu", lt.GetVersion());
    return handle ? name : NULL;
}

extern "C" const char *dcgen_why(int code)
{
    return code == NO_LIBRARY  ? "cublasLt of the toolkit's major version cannot be loaded"
           : code == NO_KERNEL ? "the kernel that computes the formula cannot be started"
                               : "cublasLt has no algorithm for these extents";
}
