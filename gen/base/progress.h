/* SPDX-License-Identifier: Apache-2.0
 *
 * progress: what dcgen is doing and for how much longer, on a terminal as one line that is redrawn:
 *
 *   search ██████████▌░░░░░░░░░ 131/256  1.21x of OpenBLAS  2:05 left
 *
 * and elsewhere as plain lines, one when a phase begins, then at most one every 5 seconds, and one when it ends. Where
 * this is one of several parts of a command, lines say which, and in place of the time left how long the whole command
 * has taken and will take:
 *
 *   function 3 of 10, scores: search █████▌░░░░ 4/12  1.21x of OpenBLAS  0:14 of 0:40
 *
 * On a terminal a thread of its own redraws the line, so that the time left goes on; the functions are for one thread.
 * All take NULL and then do nothing.
 */
#ifndef DCGEN_PROGRESS_H
#define DCGEN_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/* AUTO: BAR on a terminal, else PLAIN. BAR shows nothing elsewhere. Log lines are printed in every mode. */
typedef enum { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_NONE } ProgressMode;

typedef struct Progress Progress;

/* What the display can do; tests pretend one. */
typedef struct {
    int width; /* columns of the pretended terminal; 0: ask the real one */
    bool utf8;
    double (*now_s)(void); /* the clock */
} ProgressView;

Progress *progress_open(ProgressMode mode, FILE *out, const ProgressView *view); /* NULL: the display that is there */

/* One of several parts. */
typedef struct {
    const char *kind, *name; /* "function", "scores" */
    int at, n;               /* it is the at-th, from 1 on, of n; n < 2: there is no other */
    /* Of the whole command: when it began on the clock of the display, and how long it is expected to take. */
    double began_s, total_s;
} ProgressPart;

/* Says which part the phases from here on belong to. */
void progress_part(Progress *p, const ProgressPart *part);
/* total: steps or seconds, whatever progress_update counts in; 0 or less: not known, then there is no bar. */
void progress_phase(Progress *p, const char *phase, double total);
/* best: so far, against its baseline, in words (NULL or "": nothing yet). eta_s: seconds left; negative: not known. */
void progress_update(Progress *p, double done, const char *best, double eta_s);
/* A log line above the bar; the newline is added. */
void progress_line(Progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void progress_close(Progress *p);

/* Clears the bar and shows the cursor again. Async-signal-safe: for handlers that end the program. Signals that would
 * end or stop the program by default, and exit(), do this by themselves while a bar is shown. */
void progress_restore(void);

#endif
