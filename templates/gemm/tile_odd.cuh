/* SPDX-License-Identifier: MIT-0 */
/* The 16-bit elements 0..7 from `from` on, of which the first n exist, as they lie in aligned words: 4, or where the first
 * element is a word's upper half, it in the lower half of word 0, then 3 words, and the last element. */
template <class Elem> static __device__ __forceinline__ void KERNEL_take(unsigned (&word)[5], const Elem *from, int n)
{
    const int odd = (uintptr_t)from % 4 / 2, end = min(n, QUAD) + odd; /* in elements from the first word's first on */
#pragma unroll
    for (int i = 0; i < 5; i++) {
        word[i] = 0;
        if (i < 4 && end >= 2 * i + 2 && (i > 0 || !odd))
            word[i] = *(const unsigned *)(from - odd + 2 * i);
        else if (i == 0 ? n > 0 : end > 2 * i && (i < 4 || odd))
            word[i] = i == 0 ? from[0] : (from - odd)[2 * i];
    }
}

/* acc = the product over the slice's k, where rows begin at any element, which asynchronous copies cannot do. While a step of a stage is multiplied, a
 * part of the next stage is on its way to registers; two stages are in use. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[MTILES][NTILES][4], LEFT_TYPE *stages, KERNEL_source src)
{
    constexpr int batch = (KERNEL_nparts + KSTEPS - 1) / KSTEPS;
    const KERNEL_place p = KERNEL_find();
    unsigned held[batch][5];
    const auto fetch = [&](int b) {
        KERNEL_source any = src;
        KERNEL_parts<false>(any, [&](int i, int, const auto *from, bool exists, int left) {
            if (i / batch == b)
                KERNEL_take(held[i % batch], from, exists ? left : 0);
        });
    };
    const auto put = [&](int b, LEFT_TYPE *stage) {
        KERNEL_source any = src;
        KERNEL_parts<false>(any, [&](int i, int at, const auto *from, bool, int) {
            const unsigned(&w)[5] = held[i % batch];
            const int shift = (uintptr_t)from % 4 * 8;
            const auto pair = [&](int j) { return (unsigned)(((uint64_t)w[j + 1] << 32 | w[j]) >> shift); };
            if (i / batch == b)
                *(uint4 *)(stage + at) = make_uint4(shift ? w[0] | w[1] << 16 : w[0], pair(1), pair(2), pair(3));
        });
    };
    const auto next = [&]() {
        KERNEL_parts<false>(src, [](int, int, const auto *, bool, int) {});
        src.nk -= BK;
    };
    int left = src.nk, use = 0;
#pragma unroll
    for (int b = 0; b < KSTEPS; b++) {
        fetch(b);
        put(b, stages);
    }
    next();
#pragma unroll 1
    for (; left > 0; left -= BK) {
        __syncthreads(); /* stage `use` is there, and nobody reads the other any more */
#pragma unroll
        for (int s = 0; s < KSTEPS; s++) {
            KERNEL_fragments f;
            fetch(s);
            KERNEL_load(f, stages, p, use, s);
            KERNEL_multiply(acc, f);
            if (left > BK) /* without the branch the compiler puts it before the multiplication, to wait there */
                put(s, stages + (use ^ TILE));
        }
        next();
        use ^= TILE;
    }
}
