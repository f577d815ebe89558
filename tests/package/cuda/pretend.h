/* SPDX-License-Identifier: Apache-2.0
 *
 * pretend: the calls of a CUDA package named pkg, declared by hand.
 */
#include <stddef.h>
#include <stdint.h>
struct CUstream_st;
enum { pkg_OK, pkg_BAD_EXTENT, pkg_BAD_POINTER, pkg_BAD_KERNEL, pkg_BAD_DEVICE, pkg_CUDA_ERROR, pkg_BAD_OVERLAP };
typedef struct {
    int kernel;
} pkg_exec;
int pkg_nkernel(void);
const char *pkg_kernel_text(int kernel);
int pkg_cuda_choose(int64_t M, int64_t N, int64_t K);
size_t pkg_cuda_workspace_bytes(int64_t M, int64_t N, int64_t K, const pkg_exec *exec);
int pkg_cuda_workspace_clear(void *workspace, size_t bytes, struct CUstream_st *stream);
int pkg_cuda(int64_t M, int64_t N, int64_t K, const void *X, const void *W, const void *bias, void *Y, void *workspace,
             const pkg_exec *exec, struct CUstream_st *stream);
typedef struct pkg_cuda_plan {
    int kernel;
    size_t scratch_bytes, counter_bytes;
    uint64_t kept[8];
} pkg_cuda_plan;
int pkg_cuda_prepare(int64_t M, int64_t N, int64_t K, const void *X, const void *W, const void *bias, void *Y,
                     const pkg_exec *exec, pkg_cuda_plan *plan);
int pkg_cuda_execute(const pkg_cuda_plan *plan, void *scratch, void *counters, struct CUstream_st *stream);
