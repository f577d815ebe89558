/* SPDX-License-Identifier: Apache-2.0
 *
 * rates: a target as one device is. Rates that were measured on the device (LimitRecord) take the place of those in the
 * target's file: of several measurements the best rate, and the median of clock and latencies. The analytic model and the
 * roofline take them from here. Nothing else may: which kernels there are, their text and their keys must be the same
 * before the device was measured and after.
 */
#ifndef DCGEN_RATES_H
#define DCGEN_RATES_H

#include "gen/base/arena.h"
#include "gen/target/target.h"
#include "search/record/record.h"

/* `t` itself where no limits of the device, that target and dtype are recorded, or its family has no rates in its files. */
const Target *rates_of(Arena *a, const Target *t, const Device *device, const char *dtype, const Records *r);

/* Is this limit of that device, target and dtype? */
bool rates_match(const LimitRecord *l, const Target *t, const Device *device, const char *dtype);

#endif
