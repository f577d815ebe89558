/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_check: the command `replay --check PKG`. Takes a package's folder, prints what of it has drifted (gen/command/drift.h).
 */
#include <stdio.h>
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/command/drift.h"
#include "gen/command/generate.h"
#include "gen/command/replay.h"

/* report.html is not drawn anew: another gnuplot would draw it otherwise, so the one that is there stands for it. */
static const char *report_of(Arena *a, const Workload *w, const Options *o)
{
    const char *there = w->report ? text_read_file(a, arena_printf(a, "%s/report.html", o->operand), NULL) : NULL;
    return w->report && !there ? "" : there;
}

/* What this dcgen makes of the package's own spec and records. NULL after errors, which it prints. */
static const Package *make_again(Arena *a, const Options *o, const Workload *w, int *code)
{
    Diag *d = diag_new(a);
    const Result *part = replay_read_all(a, w, code);
    if (!part)
        return NULL;
    const Package *p = replay_package(a, w, part, workload_ntarget(w), report_of(a, w, o), d);
    diag_print(d, stderr);
    *code = p ? EXIT_DONE : EXIT_FAILED;
    return p;
}

static int compare_again(Arena *a, const Options *o, Drift *d)
{
    int code = EXIT_DONE;
    Options of_package = *o;
    of_package.no_report = false; /* whether it has one, the package says */
    const Workload *w = command_package(a, &of_package, &code);
    if (!w)
        return code;
    drift_of_templates(a, &w->folders, d);
    const Package *again = make_again(a, o, w, &code);
    if (again)
        drift_of_package(a, again, d);
    return code;
}

int replay_check(Arena *a, const Options *o)
{
    Drift d;
    const char *err = NULL;
    if (!drift_of_files(a, o->operand, &d, &err))
        return command_fail(err, EXIT_USAGE);
    const int code = drift_may_replay(&d) ? compare_again(a, o, &d) : EXIT_DONE;
    drift_print(&d, o->json, stdout);
    return drift_found(&d) ? EXIT_FAILED : code;
}
