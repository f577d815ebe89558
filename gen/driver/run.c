/* SPDX-License-Identifier: Apache-2.0
 *
 * run: reads what a command is to work on, and says what went wrong.
 */
#include "gen/driver/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "search/space/space.h"

bool run_fails(Run *r, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    r->err = arena_vprintf(r->a, fmt, ap);
    va_end(ap);
    r->code = code;
    return false;
}

const char *run_kept(Run *r, const char *records)
{
    return arena_printf(r->a, "interrupted; what was measured is in %s, and the same command goes on from there",
                        records);
}

bool run_is_interrupted(Run *r, const char *records)
{
    return records ? run_fails(r, EXIT_INTERRUPTED, "%s", run_kept(r, records))
                   : run_fails(r, EXIT_INTERRUPTED, "interrupted; nothing was measured yet");
}

void run_may_end(Run *r, const char *last_words)
{
    char *words = NULL;
    size_t n;
    if (!r->last_words) /* a test, which handles no signals */
        return;
    FILE *f = last_words ? open_memstream(&words, &n) : NULL;
    if (f) {
        diag_say(f, DIAG_ERROR, "%s", last_words);
        fclose(f);
    }
    *r->last_words = words ? arena_strdup(r->a, words) : NULL;
    free(words);
    if (words && *r->stop) /* the interrupt came just before the last words were set */
        raise(SIGINT);
}

void run_say(Run *r)
{
    if (*r->stop && r->code != EXIT_INTERRUPTED)
        run_fails(r, EXIT_INTERRUPTED, "interrupted");
    if (r->err)
        diag_say(stderr, DIAG_ERROR, "%s", r->err);
    r->err = NULL;
}

Workload *run_read(Run *r, const char *spec_path, const Options *o)
{
    Diag *d = diag_new(r->a);
    Workload *w = workload_read(r->a, spec_path, o, d, &r->err);
    diag_print(d, stderr);
    if (!w && !r->err)
        r->code = EXIT_USAGE;
    return w;
}

const Workload *run_workload(Run *r) { return run_read(r, r->o->operand, r->o); }

const Workload *run_package(Run *r, TextList target)
{
    Options o = *r->o;
    o.target = target;
    o.out = o.operand;
    o.no_report = false; /* the package's spec.cfg says whether it has a report */
    o.records = arena_printf(r->a, "%s/records.jsonl", o.operand);
    return run_read(r, arena_printf(r->a, "%s/spec.cfg", o.operand), &o);
}

const Space *run_space(Run *r, const Job *job, const UnitContext *u)
{
    Diag *d = diag_new(r->a);
    const char *why = NULL;
    const Space *s = space_find(r->a, u->spec, job->templates, u->target, u->device, &why, d);
    bool ok = s && !why;
    if (why)
        nearest_say(r->a, u->spec, job->templates, u->target, u->device, u->targets, why, d);
    for (int i = 0; s && !why && i < s->ngeneral; i++) {
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&s->general[i], value);
        ok = unit_candidate(r->a, u, &(UnitKernel){ .t = s->general[i].t, .target = u->target, .value = value }, d) &&
             ok;
    }
    diag_print(d, stderr);
    if (!ok)
        r->code = EXIT_USAGE;
    return ok ? s : NULL;
}
