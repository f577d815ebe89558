/* SPDX-License-Identifier: Apache-2.0
 *
 * shares: divides what a kernel lacks of the roofline into factors.
 */
#include "gen/report/shares.h"

#include <math.h>

static const double WORTH_NAMING = 0.9; /* the least of a kernel's shares is what limits it if it is below this */
static const double ROUNDING = 1e-9;    /* a time may be below the bound by this part of it */

bool shares_exist(const Bound *b, double time_ns) { return !b->by_data && time_ns >= b->ns * (1 - ROUNDING); }

/* Padding and idle threads make the arithmetic longer; as long as memory takes longer still, they cost nothing. They
 * cost no more than the time that was measured. */
Shares shares_of(const Bound *b, double time_ns, double pad, double occ)
{
    time_ns = fmax(time_ns, b->ns);
    const double padded_ns = fmin(time_ns, fmax(b->memory_ns, b->compute_ns / pad));
    const double balanced_ns = fmin(time_ns, fmax(b->memory_ns, b->compute_ns / (pad * occ)));
    Shares s = { .reached = b->ns / time_ns,
                 .padding = b->ns / padded_ns,
                 .balance = padded_ns / balanced_ns,
                 .kernel = balanced_ns / time_ns };
    const double least = fmin(s.padding, fmin(s.balance, s.kernel));
    if (least < WORTH_NAMING)
        s.limited_by = least >= s.padding ? "padding" : least >= s.balance ? "balance" : "kernel";
    else
        s.limited_by = b->memory_ns > b->compute_ns ? "memory" : "arithmetic";
    return s;
}

const char *level_text(Level level)
{
    static const char *const text[LEVEL_COUNT] = {
        [LEVEL_L1] = "the L1 cache", [LEVEL_L2] = "the L2 cache", [LEVEL_L3] = "the L3 cache", [LEVEL_MEMORY] = "memory"
    };
    return (unsigned)level < LEVEL_COUNT ? text[level] : "nowhere";
}
