/* SPDX-License-Identifier: MIT-0 */
/* What was stored past the caches before (stream.h) others see before what is stored behind. */
static inline void PACKAGE_fence_MACHINE(void)
{
#ifdef __SSE__
    __builtin_ia32_sfence();
#endif
}
