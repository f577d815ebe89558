/* SPDX-License-Identifier: MIT-0 */
/* Half a vector of 16-bit elements: as many as a vector has floats. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
typedef uint16_t PACKAGE_halves_MACHINE __attribute__((vector_size(VECTOR_BYTES / 2)));
