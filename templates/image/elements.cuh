/* SPDX-License-Identifier: MIT-0 */
/* A thread an element of Y, EACH of them, NT apart; the template has KERNEL_element, which computes one. */
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const unsigned elements = (unsigned)a.N * a.P * a.Q * a.C;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const unsigned e = blockIdx.x * BLOCK + i * NT + threadIdx.x;
        if (e >= elements)
            return;
        const KERNEL_place at = KERNEL_find(a, e);
        float y = KERNEL_element(a, at);
#if HAS_EPILOGUE
#if LAYOUT_Y_NCHW
        y = NAME_epilogue(a, y, at.n, at.c, at.p, at.q);
#else
        y = NAME_epilogue(a, y, at.n, at.p, at.q, at.c);
#endif
#endif
        a.Y[e] = PACKAGE_device::RESULT_ELEMENT_of(y);
    }
#endif
}
