/* SPDX-License-Identifier: Apache-2.0
 *
 * environment: no peer is held back, or pushed, by variables that happen to be set on this machine.
 */
#ifndef BENCH_ENVIRONMENT_H
#define BENCH_ENVIRONMENT_H

/* Removes the variables that steer the peers; when there were any, says so and starts the program anew, because some
 * are read before main. */
void environment_clean(char **argv);

#endif
