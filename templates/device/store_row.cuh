/* SPDX-License-Identifier: MIT-0 */
/* W neighbouring elements from p on become v, in stores of up to 16 bytes; p is aligned to those. W: 1, or a power of two. */
template <class Four, class Two, class T, int W> static __device__ __forceinline__ void store_row_of(T *p, const T (&v)[W])
{
    if constexpr (W == 1) {
        *p = v[0];
    } else if constexpr (W == 2) {
        *(Two *)p = Two{ v[0], v[1] };
    } else {
#pragma unroll
        for (int i = 0; i < W; i += 4)
            *(Four *)(p + i) = Four{ v[i], v[i + 1], v[i + 2], v[i + 3] };
    }
}
template <int W> static __device__ __forceinline__ void store_row(float *p, const float (&v)[W])
{
    store_row_of<float4, float2>(p, v);
}
template <int W> static __device__ __forceinline__ void store_row(int *p, const int (&v)[W])
{
    store_row_of<int4, int2>(p, v);
}
template <int W> static __device__ __forceinline__ void store_row(unsigned short *p, const unsigned short (&v)[W])
{
    if constexpr (W == 1) {
        *p = v[0];
    } else {
        unsigned word[W / 2];
#pragma unroll
        for (int i = 0; i < W / 2; i++)
            word[i] = v[2 * i] | (unsigned)v[2 * i + 1] << 16;
        if constexpr (W == 2)
            *(unsigned *)p = word[0];
        else
            store_row_of<uint4, uint2>((unsigned *)p, word);
    }
}
