/* SPDX-License-Identifier: MIT-0 */
/* Tiles of a column of a matrix of Y, and blocks of BK values of k behind each. */
static __device__ __forceinline__ unsigned KERNEL_down(const NAME_args &a) { return (KERNEL_nrow(a) - 1) / BM + 1; }
static __device__ __forceinline__ int KERNEL_steps(const NAME_args &a) { return KERNEL_nk(a) / BK + (KERNEL_nk(a) % BK > 0); }
