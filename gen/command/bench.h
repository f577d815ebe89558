/* SPDX-License-Identifier: Apache-2.0
 *
 * bench: builds a package by CMake, as a product would, in a private temporary folder, and runs its own benchmark.
 */
#ifndef DCGEN_BENCH_H
#define DCGEN_BENCH_H

#include "gen/base/arena.h"
#include "gen/command/cli.h"

/* dcgen's exit code; the benchmark prints by itself. */
int bench_package(Arena *a, const Options *o, const volatile int *stop);

#endif
