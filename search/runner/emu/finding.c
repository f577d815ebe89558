/* SPDX-License-Identifier: Apache-2.0
 *
 * finding: keeps what was found, one finding a place in the code and few in all, and says it in words. addr2line makes
 * a place a line of the source, if it is installed and the kernel was compiled with -g1 or more.
 */
#define _GNU_SOURCE
#include "search/runner/emu/worker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/process.h"

enum { MAX_REPORT = 1000, ADDR2LINE_S = 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool finding_note(const Worker *w, uintptr_t site, const char *fmt, ...)
{
    Emu *e = emu_current;
    EmuFinding f = { .thread = -1, .site = site };
    int same = 0;
    va_list ap;
    if (w) {
        f.thread = w->running % w->nthread;
        f.line = w->fiber[w->running].line;
        memcpy(f.block, w->block[w->running / w->nthread].index, sizeof f.block);
    }
    va_start(ap, fmt);
    vsnprintf(f.text, sizeof f.text, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&lock);
    while (same < e->nfinding && !(site && e->finding[same].site == site))
        same++;
    if (same == e->nfinding && same < EMU_MAX_FINDING)
        e->finding[e->nfinding++] = f;
    const bool more = e->nfinding < EMU_MAX_FINDING && ++e->nreport < MAX_REPORT;
    pthread_mutex_unlock(&lock);
    return more;
}

_Noreturn void finding_access(Worker *w, const Access *a, const char *more)
{
    finding_fatal(w, a->site, "%s %u bytes at %s%s", a->write ? "writes" : "reads", a->bytes, place_text(w, a->address),
                  more);
}

void *checked_memory(void *memory)
{
    if (!memory) {
        fputs("emulator: out of memory\n", stderr);
        _exit(3);
    }
    return memory;
}

void *array_with_room(void *array, int n, int *max, size_t elem_bytes)
{
    if (n < *max)
        return array;
    *max = *max ? 2 * *max : 16;
    return checked_memory(realloc(array, (size_t)*max * elem_bytes));
}

/* The line of the kernel's own text, not of the header with the primitives that is inlined there. 0: not known. */
static int source_line(uintptr_t site)
{
    Dl_info info;
    if (!site || !dladdr((void *)(site - 1), &info) || !info.dli_fname)
        return 0;
    Arena *a = arena_new();
    const char *offset = arena_printf(a, "0x%zx", (size_t)(site - 1 - (uintptr_t)info.dli_fbase));
    const char *const argv[] = { "addr2line", "-i", "-e", info.dli_fname, offset, NULL };
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP };
    ProcessEnd answer = process_run(a, &plan, ADDR2LINE_S, NULL);
    int line = 0;
    char *lines = answer.out.s;
    for (char *frame; line <= 0 && (frame = strsep(&lines, "\n"));) {
        const char *colon = strrchr(frame, ':');
        if (colon && !(colon - frame > 2 && strncmp(colon - 2, ".h", 2) == 0))
            line = atoi(colon + 1);
    }
    arena_free(a);
    return line;
}

void emu_describe(const EmuFinding *f, char text[EMU_TEXT_BYTES])
{
    char where[32] = "";
    if (f->thread < 0) {
        snprintf(text, EMU_TEXT_BYTES, "%s", f->text);
        return;
    }
    int line = source_line(f->site);
    if (line > 0)
        snprintf(where, sizeof where, " line %d", line);
    else if (f->line > 0 && !strstr(f->text, " line "))
        snprintf(where, sizeof where, f->site ? " after line %d" : " line %d", f->line);
    snprintf(text, EMU_TEXT_BYTES, "block (%u,%u,%u) thread %d%s: %.150s", f->block[0], f->block[1], f->block[2],
             f->thread, where, f->text);
}
