/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around the functions on vectors, so that each file compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -DVECTOR_BYTES=32 -fsyntax-only templates/vector/exp.h
 */
#pragma once
#include "../family/standalone.h"
#include "floats.h"
#include "ints.h"
#include "bits.h"
#include "lanes.h"
