/* SPDX-License-Identifier: Apache-2.0
 *
 * core_clock: how fast the core that runs this goes just now. A processor changes its clock within tens of milliseconds, by a fifth and
 * more, with what its other cores do (on a virtual machine: other people's); a time taken at one clock says nothing next to one taken at
 * another.
 *
 * This times a chain of steps, each a multiplication and an addition that wait for the step before, and gives steps a ns. It takes some
 * 20 us.
 */
#include "search/runner/runner.h"

#include <math.h>
#include "gen/base/process.h"

enum { TRIES = 4, STEPS = 4000 };

double core_clock(void)
{
    double fastest = 0; /* of all tries: an interrupt slows one of them, hardly all */
    for (int k = 0; k < TRIES; k++) {
        uint64_t x = 1;
        const double start_s = process_clock_s();
        for (int i = 0; i < STEPS; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u; /* Knuth's generator; any odd numbers would do */
            __asm__ volatile("" : "+r"(x)); /* nobody asks for x: without this the chain is no code at all */
        }
        fastest = fmax(fastest, STEPS / fmax(1e9 * (process_clock_s() - start_s), 1));
    }
    return fastest;
}
