/* SPDX-License-Identifier: MIT-0
 *
 * library: the op as NVIDIA's library computes it, behind a candidate's entry (search/runner/abi.h): what kernels are
 * timed side by side with. cublasLt's own first choice of algorithm, bias in the epilogue. Without cublasLt, or where it
 * has no algorithm, a call is refused. Never part of a package.
 */
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" const int dcgen_aligned = 256; /* what cublasLt takes for granted */

enum { NO_LIBRARY = -100, NO_ALGORITHM = -101 };
static const size_t workspace_bytes = 32 << 20; /* what NVIDIA advises for Hopper */

#if DTYPE_F16
static const cudaDataType_t elem_type = CUDA_R_16F;
#elif DTYPE_BF16
static const cudaDataType_t elem_type = CUDA_R_16BF;
#else
static const cudaDataType_t elem_type = CUDA_R_32F;
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
    use(MatmulPreferenceCreate)       \
    use(MatmulPreferenceDestroy)      \
    use(MatmulPreferenceSetAttribute) \
    use(MatmulAlgoGetHeuristic)       \
    use(Matmul)
#define MEMBER(name) decltype(&cublasLt##name) name;
static struct {
    FUNCTIONS(MEMBER)
} lt;
static cublasLtHandle_t handle;

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

/* Row-major Y = X W is column-major Y' = W' X'. Kept from call to call, as long as extents and bias are the same. */
static struct {
    bool made;
    int64_t extent[3];
    const void *bias;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t w, x, y;
    cublasLtMatmulAlgo_t algo;
    size_t need; /* bytes of workspace */
} plan;

static void drop()
{
    if (plan.op)
        lt.MatmulDescDestroy(plan.op);
    for (cublasLtMatrixLayout_t layout : { plan.w, plan.x, plan.y })
        if (layout)
            lt.MatrixLayoutDestroy(layout);
    memset(&plan, 0, sizeof plan);
}

static __attribute__((destructor)) void unload()
{
    drop();
    if (handle)
        lt.Destroy(handle);
}

static bool describe(int64_t M, int64_t N, int64_t K, const void *bias)
{
    const cublasOperation_t none = CUBLAS_OP_N;
    (void)bias;
#if LAYOUT_W_KN
    const cublasOperation_t of_w = CUBLAS_OP_N;
    const int64_t rows_w = N, cols_w = K;
#else
    const cublasOperation_t of_w = CUBLAS_OP_T;
    const int64_t rows_w = K, cols_w = N;
#endif
    bool good = !lt.MatmulDescCreate(&plan.op, compute_type, CUDA_R_32F) &&
                !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_TRANSA, &of_w, sizeof of_w) &&
                !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_TRANSB, &none, sizeof none);
#if HAS_BIAS
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    good = good &&
           !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) &&
           !lt.MatmulDescSetAttribute(plan.op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
#endif
    return good && !lt.MatrixLayoutCreate(&plan.w, elem_type, rows_w, cols_w, rows_w) &&
           !lt.MatrixLayoutCreate(&plan.x, elem_type, K, M, K) && !lt.MatrixLayoutCreate(&plan.y, elem_type, N, M, N);
}

static bool choose()
{
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t found;
    int n = 0;
    bool good = !lt.MatmulPreferenceCreate(&preference) &&
                !lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                 &workspace_bytes, sizeof workspace_bytes);
    good = good &&
           !lt.MatmulAlgoGetHeuristic(handle, plan.op, plan.w, plan.x, plan.y, plan.y, preference, 1, &found, &n) &&
           n == 1 && found.state == CUBLAS_STATUS_SUCCESS;
    if (preference)
        lt.MatmulPreferenceDestroy(preference);
    if (good) {
        plan.algo = found.algo;
        plan.need = found.workspaceSize;
    }
    return good;
}

static bool prepare(const int64_t *extent, const void *bias)
{
    if (plan.made && memcmp(plan.extent, extent, sizeof plan.extent) == 0 && plan.bias == bias)
        return true;
    drop();
    plan.made = describe(extent[0], extent[1], extent[2], bias) && choose();
    memcpy(plan.extent, extent, sizeof plan.extent);
    plan.bias = bias;
    return plan.made;
}

extern "C" int64_t dcgen_workspace(const int64_t *)
{
    return (int64_t)workspace_bytes;
}

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void *stream)
{
    const float one = 1, zero = 0;
    const void *x = operand[0], *w = operand[1], *bias = operand[2];
    void *y = operand[3];
    if (!handle)
        return NO_LIBRARY;
    if (extent[0] <= 0 || extent[1] <= 0 || extent[2] <= 0 || !prepare(extent, bias))
        return NO_ALGORITHM;
    return lt.Matmul(handle, plan.op, &one, w, plan.w, x, plan.x, &zero, y, plan.y, y, plan.y, &plan.algo, workspace,
                     plan.need, (cudaStream_t)stream) == CUBLAS_STATUS_SUCCESS
               ? 0
               : NO_ALGORITHM;
}

extern "C" const char *dcgen_why(int code)
{
    return code == NO_LIBRARY ? "cublasLt of the toolkit's major version cannot be loaded"
                              : "cublasLt has no algorithm for these extents";
}
