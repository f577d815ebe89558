/* SPDX-License-Identifier: MIT-0 */
/* Which lanes an AVX-512 instruction works on: a bit each. gcc and clang have two types for it. */
#ifndef DCGEN
#pragma once
#endif
#ifdef __clang__
typedef unsigned short PACKAGE_lanes_MACHINE;
#else
typedef short PACKAGE_lanes_MACHINE;
#endif
