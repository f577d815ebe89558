/* SPDX-License-Identifier: Apache-2.0
 *
 * use: what a product asks of the package @name@, with a GPU or without. Returns how many answers are wrong.
 */
#include "@name@.h"

#include <string.h>

int @name@_use(void);

int @name@_use(void)
{
    const int n = @name@_nkernel(), chosen = @name@_cuda_choose(8, 64, 32);
    int wrong = n <= 0 || chosen < -1 || chosen >= n;
    for (int i = 0; i < n; i++)
        wrong += !@name@_kernel_text(i);
    wrong += @name@_kernel_text(n) || @name@_kernel_text(-1);
    wrong += @name@_cuda_choose(-1, 64, 32) != -1;
    wrong += strcmp(@name@_strerror(@name@_OK), "no error") != 0;
    wrong += !strstr(@name@_strerror(@name@_BAD_EXTENT), "extent") || !strstr(@name@_strerror(@name@_BAD_POINTER), "pointer");
    wrong += !strstr(@name@_strerror(@name@_BAD_KERNEL), "no such kernel") || !strstr(@name@_strerror(@name@_BAD_DEVICE), "current device");
    wrong += !strstr(@name@_strerror(@name@_CUDA_ERROR), "CUDA runtime refused");
    return wrong;
}
