/* SPDX-License-Identifier: Apache-2.0
 *
 * use_cuda: what a product asks of the package NAME, with a GPU or without. Returns how many answers are wrong.
 */
#include "NAME.h"

#include <string.h>

int NAME_use(void);

int NAME_use(void)
{
    const int n = NAME_nkernel(), chosen = NAME_cuda_choose(8, 64, 32);
    int wrong = n <= 0 || chosen < -1 || chosen >= n;
    for (int i = 0; i < n; i++)
        wrong += !NAME_kernel_text(i);
    wrong += NAME_kernel_text(n) || NAME_kernel_text(-1);
    wrong += NAME_cuda_choose(-1, 64, 32) != -1;
    wrong += strcmp(NAME_strerror(NAME_OK), "no error") != 0;
    wrong += !strstr(NAME_strerror(NAME_BAD_EXTENT), "extent") || !strstr(NAME_strerror(NAME_BAD_POINTER), "pointer");
    wrong += !strstr(NAME_strerror(NAME_BAD_KERNEL), "no such kernel") ||
             !strstr(NAME_strerror(NAME_BAD_DEVICE), "current device");
    wrong += !strstr(NAME_strerror(NAME_CUDA_ERROR), "CUDA runtime refused");
    return wrong;
}
