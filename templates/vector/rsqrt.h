/* SPDX-License-Identifier: MIT-0 */
/* STOPGAP */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_rsqrt_MACHINE(PACKAGE_floats_MACHINE x)
{
    for (int i = 0; i < VECTOR_BYTES / 4; i++)
        x[i] = 1 / __builtin_sqrtf(x[i]);
    return x;
}
