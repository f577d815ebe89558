/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What calls of a package check first. */
#endif
static int NAME_is_legal(EXTENTS)
{
#if HAS_DERIVED
    if (ANY(axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    return !(ANY(derived, AXIS < 0 || AXIS > INT32_MAX));
#else
    return !(ANY(axes, AXIS < FEWEST || AXIS > GREATEST));
#endif
}
#if HAS_STRIDED

/* Are the strides, if there are any, from 0 to 2147483647? */
static int NAME_are_strides(const int64_t *stride, int n)
{
    for (int i = 0; stride && i < n; i++)
        if (stride[i] < 0 || stride[i] > INT32_MAX)
            return 0;
    return 1;
}
#endif
