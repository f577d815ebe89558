/* SPDX-License-Identifier: MIT-0 */
/* What gemv loads of X and W at once: WIDTH elements, QUAD or one. */
template <class Elem, float to_float(Elem)> struct KERNEL_chunk { /* neighbours, aligned to all of them; 0 where there are none */
#if ALIGNED
    uint4 bits;
    template <bool once> __device__ __forceinline__ void load(const Elem *p, bool exists)
    {
        bits = !exists ? make_uint4(0, 0, 0, 0) : once ? PACKAGE_device::load_once16(p) : *(const uint4 *)p;
    }
    __device__ __forceinline__ float operator[](int i) const
    {
        const unsigned word[4] = { bits.x, bits.y, bits.z, bits.w };
#if ELEM_BYTES == 2
        return to_float((Elem)(word[i / 2] >> i % 2 * 16));
#else
        return __uint_as_float(word[i]);
#endif
    }
#else
    Elem one;
    template <bool> __device__ __forceinline__ void load(const Elem *p, bool exists)
    {
        one = exists ? *p : (Elem)0;
    }
    __device__ __forceinline__ float operator[](int) const
    {
        return to_float(one);
    }
#endif
};

#if X_IS_KM
struct KERNEL_values { /* of X: ldx from one to the next */
    LEFT_TYPE v[WIDTH];
    __device__ __forceinline__ float operator[](int i) const
    {
        return PACKAGE_device::LEFT_ELEMENT_to_float(v[i]);
    }
};
#else
typedef KERNEL_chunk<LEFT_TYPE, PACKAGE_device::LEFT_ELEMENT_to_float> KERNEL_values;
#endif
typedef KERNEL_chunk<RIGHT_TYPE, PACKAGE_device::RIGHT_ELEMENT_to_float> KERNEL_weights;

/* Those of k + i and following of the row of X that begins at x; 0 behind the block's last k. */
static __device__ __forceinline__ KERNEL_values KERNEL_take(const KERNEL_task &b, const LEFT_TYPE *x, unsigned k, unsigned i)
{
    KERNEL_values values;
#if X_IS_KM
    const LEFT_TYPE *first = x + (uint64_t)b.of.ldx * (k + i);
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
        values.v[j] = k + i + j < b.k1 ? first[(uint64_t)b.of.ldx * j] : (LEFT_TYPE)0;
#else
    values.load<false>(x + k + i, k + i < b.k1);
#endif
    return values;
}

/* Row m of X, or its last one. */
static __device__ __forceinline__ const LEFT_TYPE *KERNEL_row(const NAME_args &a, const KERNEL_operands &o, int m)
{
#if X_IS_KM
    return o.x + min(m, KERNEL_nrow(a) - 1);
#else
    return o.x + (int64_t)min(m, KERNEL_nrow(a) - 1) * o.ldx;
#endif
}
