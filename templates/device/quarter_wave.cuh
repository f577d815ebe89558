/* SPDX-License-Identifier: MIT-0 */
/* sin(a + quarters pi / 2) of a float from 0 on, within 2 ULP; NaN for infinities and NaN. sinf and cosf of CUDA may keep an array in local memory.
 *
 * a is brought to r = a - q pi / 2, within pi / 4 of 0 (as templates/vector/quarter.h and turned.h do). Up to 100000 pi / 2 is split in three: q times
 * the first part has no bits below 2^-23, as a has none that count, so the difference is exact. Above, a = m 2^e with an integer m of 24 bits; what is
 * a multiple of 4 in a / (pi / 2) does not count, and so of 2 / pi no bit that is worth 4 or more once it is multiplied by 2^e: 96 bits behind those
 * are enough (Payne and Hanek). Then polynomials, of errors below 4e-9 (templates/vector/wave.h). */
static __device__ __forceinline__ float quarter_wave(float a, int quarters)
{
    const float magic = 0x1.8p23f, sum = fmaf(a, 0x1.45f306p-1f, magic), whole = sum - magic; /* the low bits of the sum are q */
    float r = fmaf(whole, 0x1.ee59dap-50f, fmaf(whole, 0x1.777a5cp-25f, fmaf(whole, -0x1.921fb6p0f, a)));
    unsigned q = __float_as_uint(sum);
    if (!(a < 100000.0f)) {
        const unsigned bits = __float_as_uint(a), m = (bits & 0x7fffff) | 0x800000, at = (bits >> 23) - 120, word = at / 32, shift = at % 32;
        const unsigned u0 = 0xa2f9836e, u1 = 0x4e441529, u2 = 0xfc2757d1, u3 = 0xf534ddc0, u4 = 0xdb629599, u5 = 0x3c439041, u6 = 0xfe5163ab; /* 2 / pi */
        const unsigned w0 = word == 0 ? 0 : word == 1 ? u0 : word == 2 ? u1 : word == 3 ? u2 : u3;
        const unsigned w1 = word == 0 ? u0 : word == 1 ? u1 : word == 2 ? u2 : word == 3 ? u3 : u4;
        const unsigned w2 = word == 0 ? u1 : word == 1 ? u2 : word == 2 ? u3 : word == 3 ? u4 : u5;
        const unsigned w3 = word == 0 ? u2 : word == 1 ? u3 : word == 2 ? u4 : word == 3 ? u5 : u6;
        const unsigned p0 = (unsigned)(((unsigned long long)w0 << 32 | w1) >> (32 - shift)), p1 = (unsigned)(((unsigned long long)w1 << 32 | w2) >> (32 - shift));
        const unsigned p2 = (unsigned)(((unsigned long long)w2 << 32 | w3) >> (32 - shift));
        const unsigned long long turns = ((unsigned long long)m * p0 << 32) + (unsigned long long)m * p1 + ((unsigned long long)m * p2 >> 32);
        const unsigned long long nearest = (turns + (1ull << 61)) >> 62; /* two bits, and 62 behind the point */
        r = (float)((double)(long long)(turns - (nearest << 62)) * 0x1.921fb54442d18p-62);
        q = (unsigned)nearest;
        if (!(a <= 0x1.fffffep127f))
            r = a - a;
    }
    q += (unsigned)quarters;
    const float s = r * r;
    const float sine = fmaf(fmaf(fmaf(s, -0x1.9ac96cp-13f, 0x1.110c28p-7f), s, -0x1.555552p-3f) * s, r, r);
    const float cosine = fmaf(fmaf(fmaf(fmaf(s, 0x1.9bd864p-16f, -0x1.6c12d2p-10f), s, 0x1.555554p-5f), s, -0.5f), s, 1.0f);
    return __uint_as_float(__float_as_uint(q & 1 ? cosine : sine) ^ (q & 2) << 30);
}
