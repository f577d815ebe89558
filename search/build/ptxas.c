/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxas: reads the assembler's report line by line. Numbers are found by the words behind them, as their order differs from release to release.
 */
#define _GNU_SOURCE /* memmem */
#include "search/build/ptxas.h"

#include <stdlib.h>
#include <string.h>

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The number in front of `unit` within a line: "0 bytes stack frame, 8 bytes spill stores"; 0: not there. */
static int64_t number_before(const char *line, size_t len, const char *unit)
{
    const char *at = memmem(line, len, unit, strlen(unit));
    if (!at || at == line)
        return 0;
    const char *end = at;
    while (end > line && end[-1] == ' ')
        end--;
    const char *digits = end;
    while (digits > line && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    return digits < end ? strtoll(digits, NULL, 10) : 0;
}

static bool has(const char *line, size_t len, const char *word) { return memmem(line, len, word, strlen(word)); }

bool ptxas_read(const char *log, PtxasReport *out)
{
    *out = (PtxasReport){ 0 };
    for (const char *line = log; *line;) {
        size_t len = strcspn(line, "\n");
        out->nkernel += has(line, len, "Compiling entry function");
        out->stack_bytes = larger(out->stack_bytes, number_before(line, len, "bytes stack frame"));
        out->spill_bytes = larger(out->spill_bytes, number_before(line, len, "bytes spill stores"));
        if (has(line, len, ": Used "))
            out->regs = larger(out->regs, number_before(line, len, "registers"));
        out->smem_bytes = larger(out->smem_bytes, number_before(line, len, "bytes smem"));
        line += len + (line[len] == '\n');
    }
    return out->nkernel > 0 && out->regs > 0;
}
