/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template for CPUs of any operator, and around the functions on vectors: standalone.h beside them adds the
 * rest, such as what a call is. It is for AVX-512, with -DVECTOR_BYTES=32 for AVX2, with 16 for any CPU.
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
#define VECTOR_REGISTERS 32
#define LANES (VECTOR_BYTES / 4)
#define VP (64 / VECTOR_BYTES)
#define HAS_EPILOGUE 0
#define OUTPUT_READ 0
#define X_STRIDED 0
#define W_STRIDED 0
#define Y_STRIDED 0
#define STRIDED(operand, strides, dense) dense /* operands lie densely */
#define EPILOGUE_CALLS 0
#define PACKAGE_ONE_COPY __attribute__((noinline))
#define PACKAGE_UNROLL(most) _Pragma("GCC unroll 32")
#define PACKAGE_IN_REGISTER(v) __asm__("" : "+v"(v))
#define PACKAGE_FMA(sum, x, w) __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "v"(w))
#define PACKAGE_FMA_FROM(sum, x, w) __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "m"(w))
#ifndef NAME_PANEL
#define NAME_PANEL(depth) (16 * (depth) + 48)
#endif
enum { PACKAGE_OK, PACKAGE_BAD_EXTENT, PACKAGE_BAD_POINTER };
