/* SPDX-License-Identifier: Apache-2.0
 *
 * machine: what the CPU is called and how many cores there are to use.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

typedef struct {
    char name[128]; /* "AMD EPYC, family 26, model 2" */
    char slug[128]; /* "amd-epyc-family-26-model-2": names the folder of the results */
    int cores;      /* that this process may use */
} Machine;

Machine machine_probe(void);
/* The same of any device's name; slug has room for as many bytes as the name. */
void machine_slug(const char *name, char *slug);

/* CPU time that all but this process has taken since the system started, a virtual machine's host included. */
double machine_foreign_ns(void);

#endif
