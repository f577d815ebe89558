/* SPDX-License-Identifier: MIT-0 */
/* v: W neighbouring elements from p on, which nobody writes, in loads of up to 16 bytes; p is aligned to those. W: 1, or a power of two. */
template <class Four, class Two, class T, int W> static __device__ __forceinline__ void load_row_of(T (&v)[W], const T *p)
{
    if constexpr (W == 1) {
        v[0] = __ldg(p);
    } else if constexpr (W == 2) {
        const Two q = __ldg((const Two *)p);
        v[0] = q.x, v[1] = q.y;
    } else {
#pragma unroll
        for (int i = 0; i < W; i += 4) {
            const Four q = __ldg((const Four *)(p + i));
            v[i] = q.x, v[i + 1] = q.y, v[i + 2] = q.z, v[i + 3] = q.w;
        }
    }
}
template <int W> static __device__ __forceinline__ void load_row(float (&v)[W], const float *p)
{
    load_row_of<float4, float2>(v, p);
}
template <int W> static __device__ __forceinline__ void load_row(int (&v)[W], const int *p)
{
    load_row_of<int4, int2>(v, p);
}
template <int W> static __device__ __forceinline__ void load_row(unsigned short (&v)[W], const unsigned short *p)
{
    if constexpr (W == 1) {
        v[0] = __ldg(p);
    } else {
        unsigned word[W / 2];
        if constexpr (W == 2)
            word[0] = __ldg((const unsigned *)p);
        else
            load_row_of<uint4, uint2>(word, (const unsigned *)p);
#pragma unroll
        for (int i = 0; i < W; i++)
            v[i] = (unsigned short)(word[i / 2] >> i % 2 * 16);
    }
}
