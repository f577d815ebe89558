/* SPDX-License-Identifier: Apache-2.0
 *
 * machine: reads the CPU's name from /proc/cpuinfo and counts the cores that this process may use.
 */
#define _GNU_SOURCE
#include "bench/machine.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "bench/clock.h"

/* The value of "key : value" when line is that. */
static void take_field(const char *line, const char *key, char *value, size_t size)
{
    size_t n = strlen(key);
    const char *colon = strchr(line, ':');
    if (value[0] || !colon || strncmp(line, key, n) || (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
        return;
    snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    value[strcspn(value, "\n")] = '\0';
}

static void name_cpu(char *name, size_t size)
{
    char line[256], model_name[80] = "", family[12] = "", model[12] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        take_field(line, "model name", model_name, sizeof model_name);
        take_field(line, "cpu family", family, sizeof family);
        take_field(line, "model", model, sizeof model);
    }
    if (f)
        fclose(f);
    if (family[0])
        snprintf(name, size, "%s, family %s, model %s", model_name, family, model);
    else
        snprintf(name, size, "%s", model_name[0] ? model_name : "unknown CPU");
}

void machine_slug(const char *name, char *slug)
{
    size_t n = 0;
    for (; *name; name++) {
        if (isalnum((unsigned char)*name))
            slug[n++] = (char)tolower((unsigned char)*name);
        else if (n > 0 && slug[n - 1] != '-')
            slug[n++] = '-';
    }
    slug[n] = '\0';
}

Machine machine_probe(void)
{
    Machine m = { .cores = 1 };
    cpu_set_t set;
    name_cpu(m.name, sizeof m.name);
    machine_slug(m.name, m.slug);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        m.cores = CPU_COUNT(&set);
    return m;
}

/* First line of /proc/stat, in clock ticks: user nice system idle iowait irq softirq steal ... */
double machine_foreign_ns(void)
{
    double t[8] = { 0 };
    FILE *f = fopen("/proc/stat", "r");
    int got = 0;
    while (f && (got > 0 || fscanf(f, "cpu") == 0) && got < 8 && fscanf(f, "%lf", &t[got]) == 1)
        got++;
    if (f)
        fclose(f);
    double busy_ticks = t[0] + t[1] + t[2] + t[5] + t[6] + t[7];
    return got == 8 ? busy_ticks * 1e9 / (double)sysconf(_SC_CLK_TCK) - clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) : NAN;
}
