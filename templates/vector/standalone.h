/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around the functions on vectors, so that each file compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -DVECTOR_BYTES=32 -fsyntax-only templates/vector/exp.h
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifndef VECTOR_BYTES
#define VECTOR_BYTES 64
#endif
#if VECTOR_BYTES == 64
#define TARGET_ATTRIBUTE __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#elif VECTOR_BYTES == 32
#define TARGET_ATTRIBUTE __attribute__((target("avx2,fma")))
#else
#define TARGET_ATTRIBUTE
#endif
#define PACKAGE_UNROLL(most) _Pragma("GCC unroll 32")
#include "floats.h"
#include "ints.h"
#include "bits.h"
#include "lanes.h"
