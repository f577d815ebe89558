/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of templates/vector on arrays. functions.c is compiled for each instruction set. */
#pragma once
#include <string.h>

typedef struct {
    const char *name;
    void (*on_array)(float *y, const float *x, long n); /* n is a multiple of 16; both arrays are aligned to 64 bytes */
} VectorFunction;

typedef struct {
    const char *name;
    void (*on_arrays)(float *v, const float *x, const float *y, long n); /* as above */
} VectorPair;

/* Each ends with a row without a name. */
extern const VectorFunction vector_avx512[], vector_avx2[], vector_portable[];
extern const VectorPair pairs_avx512[], pairs_avx2[], pairs_portable[];

static inline int vector_runs_here(int set)
{
#if defined __x86_64__ || defined __i386__
    if (set == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (set == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == 2;
}

/* The power for AVX-512, AVX2 or portable (set 0 .. 2); NULL where this CPU does not run it. */
static inline void (*vector_power(int set))(float *v, const float *x, const float *y, long n)
{
#if defined __x86_64__ || defined __i386__
    const VectorPair *const sets[] = { pairs_avx512, pairs_avx2, pairs_portable };
#else
    const VectorPair *const sets[] = { pairs_portable, pairs_portable, pairs_portable };
#endif
    return vector_runs_here(set) ? sets[set]->on_arrays : 0;
}

/* The function of that name for AVX-512, AVX2 or portable (set 0 .. 2); NULL where this CPU does not run it. */
static inline void (*vector_function(int set, const char *name))(float *y, const float *x, long n)
{
#if defined __x86_64__ || defined __i386__
    const VectorFunction *const sets[] = { vector_avx512, vector_avx2, vector_portable };
#else
    const VectorFunction *const sets[] = { vector_portable, vector_portable, vector_portable };
#endif
    for (const VectorFunction *f = sets[set]; vector_runs_here(set) && f->name; f++)
        if (!strcmp(f->name, name))
            return f->on_array;
    return 0;
}
