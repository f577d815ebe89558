/* SPDX-License-Identifier: Apache-2.0
 *
 * probe: what this machine is and can do, for script/bench.d, which measures it in its own rounds. Answers each line of
 * stdin by one of stdout:
 *
 *   machine              ->  CORES SLUG NAME      as the other results name it
 *   fma THREADS NS       ->  GFLOP/s              the FMA peak of all threads together, a sample of about NS
 *
 * Anything else ends it.
 */
#include <stdio.h>
#include <string.h>
#include "bench/machine.h"
#include "search/runner/peak.h"

static void answer(const char *line)
{
    int threads;
    double sample_ns;
    if (!strcmp(line, "machine\n")) {
        const Machine m = machine_probe();
        printf("%d %s %s\n", m.cores, m.slug, m.name);
    } else if (sscanf(line, "fma %d %lf", &threads, &sample_ns) == 2 && threads > 0 && sample_ns > 0) {
        printf("%.6g\n", peak_fma_gflops(peak_best(), threads, sample_ns));
    }
    fflush(stdout);
}

int main(void)
{
    char line[128];
    while (fgets(line, sizeof line, stdin) && (!strcmp(line, "machine\n") || !strncmp(line, "fma ", 4)))
        answer(line);
    return 0;
}
