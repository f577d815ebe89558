/* SPDX-License-Identifier: MIT-0 */
/* Starts the copies of the thread's part of the next block of k to a stage, if there is one: a group that cp_wait waits for. */
static __device__ __forceinline__ void KERNEL_copy_next(LEFT_TYPE *stage, KERNEL_source &src)
{
    if (src.nk > 0)
        KERNEL_parts<WHOLE>(src, [&](int, int at, const auto *from, bool exists, int) {
#if ALIGNED == 16
            PACKAGE_device::cp_async16(stage + at, from, exists ? 16 : 0);
#else
            PACKAGE_device::cp_async4(stage + at, from, exists ? 4 : 0);
#endif
        });
    PACKAGE_device::cp_commit();
    src.nk -= BK;
}
