/* SPDX-License-Identifier: Apache-2.0
 *
 * core_clock: how fast the core that runs this goes just now. A processor changes its clock within tens of milliseconds, by a fifth and
 * more, with what its other cores do (on a virtual machine: other people's); a time taken at one clock says nothing next to one taken at
 * another.
 */
#ifndef DCGEN_CORE_CLOCK_H
#define DCGEN_CORE_CLOCK_H

/* Steps of a chain of dependent integer operations a ns: in proportion to the clock. Takes some 20 us. */
double core_clock(void);

#endif
