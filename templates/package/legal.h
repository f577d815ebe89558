/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What calls of a package check first. */
#endif
#if HAS_REACH
/* Is every index of the formula within its operand, and every divisor above 0? FORMULA */
static int NAME_stays_within(EVERY_EXTENTS)
{
    (void)AXIS; //@ repeat every
    if (OUTPUT_IS_EMPTY)
        return 1;
//@ repeat reach
    if (!(CONDITION))
        return 0;
//@ end
    return 1;
}

#endif
static int NAME_is_legal(EXTENTS)
{
#if HAS_DERIVED || HAS_REACH
    if (ANY(axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    (void)AXIS; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
#if HAS_DERIVED && HAS_REACH
    if (ANY(derived, AXIS < 0 || AXIS > INT32_MAX))
        return 0;
#elif HAS_DERIVED
    return !(ANY(derived, AXIS < 0 || AXIS > INT32_MAX));
#endif
#if HAS_REACH
    return NAME_stays_within(EVERY_AXES);
#endif
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
