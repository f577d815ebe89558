/* SPDX-License-Identifier: Apache-2.0
 *
 * process: child processes without a shell. Each leads its own process group, inherits no descriptor but the three
 * given, and is ended together with all that it started. process_run waits for one; child_* are for those that run
 * beside other work.
 */
#ifndef DCGEN_PROCESS_H
#define DCGEN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "gen/base/text.h"

/* Where a child's streams lead; a number above 0 is a descriptor of dcgen's. */
enum {
    PROCESS_NULL = 0,     /* /dev/null */
    PROCESS_KEEP = -1,    /* out, err: what the child writes is kept */
    PROCESS_WITH_OUT = -2 /* err: to where `out` leads */
};
enum { PROCESS_OUTPUT_BYTES = 64 * 1024, PROCESS_MAX_CHILD = 256 };

typedef struct {
    const char *const *argv; /* argv[0] is looked up in PATH */
    const char *const *env;  /* NULL or NULL-terminated "NAME=value"s that take the place of dcgen's own */
    const char *text;        /* what it reads from its stdin, in the place of `in`; NULL: nothing */
    int in, out, err;
    size_t most; /* bytes that are kept of a stream, the rest is read and dropped; 0: PROCESS_OUTPUT_BYTES */
} ProcessPlan;

/* What a child writes to a stream. */
typedef struct {
    int fd; /* -1: at its end, or not kept */
    size_t most;
    Text text;
} ChildOutput;

typedef struct {
    pid_t pid;             /* its group too; 0: none runs */
    ChildOutput output[3]; /* by the descriptor: 1 and 2 */
} Child;

/* Starts a child; what it writes is kept in the arena. False with errno set: it cannot be started. */
bool child_start(Child *c, Arena *a, const ProcessPlan *p);
bool child_has_ended(const Child *c); /* does not reap it */
/* Waits until one of the children says something, at most `ms` milliseconds, and takes all that is there then. Those
 * that do not run say nothing. n: at most PROCESS_MAX_CHILD. */
void child_listen(Child *const *child, int n, int ms);
/* Kills the whole group, reaps the leader, and takes the last of what it wrote. Gives its wait status. */
int child_end(Child *c);

typedef struct {
    int error;          /* errno when it could not be started, else 0 */
    bool stopped, late; /* *stop became true; it was killed at its deadline */
    int wait_status;
    Text out, err; /* what it wrote, where that was kept */
} ProcessEnd;

/* Starts a child and waits for its end. Where *stop becomes true (stop may be NULL) or the time is up, it is killed. */
ProcessEnd process_run(Arena *a, const ProcessPlan *p, double deadline_s, const volatile int *stop);
bool process_is_well(const ProcessEnd *e); /* it was started, and exited with code 0 */

/* The program's file in PATH, as child_start would find it; NULL: it is not there. */
const char *process_find(Arena *a, const char *program);

const char *process_status_text(Arena *a, int wait_status); /* "was killed by SIGSEGV", "exited with code 3" */

double process_clock_ns(void); /* monotonic */
double process_clock_s(void);  /* that clock, in seconds */
bool process_set_nonblocking(int fd);

#endif
