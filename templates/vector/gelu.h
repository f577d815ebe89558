/* SPDX-License-Identifier: MIT-0 */
/* STOPGAP */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_gelu_MACHINE(PACKAGE_floats_MACHINE x)
{
    for (int i = 0; i < VECTOR_BYTES / 4; i++)
        x[i] = x[i] * 0.5f * __builtin_erfcf(-x[i] * 0.70710678f);
    return x;
}
