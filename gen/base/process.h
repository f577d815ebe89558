/* SPDX-License-Identifier: Apache-2.0
 *
 * process: child processes without a shell. Each leads its own process group, inherits no descriptor but the three
 * given, and is ended together with all that it started.
 */
#ifndef DCGEN_PROCESS_H
#define DCGEN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "gen/base/arena.h"

/* argv[0] is looked up in PATH. env: NULL or NULL-terminated "NAME=value"s that take the place of ours. in, out, err
 * become the child's 0, 1 and 2; -1: /dev/null. Returns the pid (its group too), or -1 with errno set. */
pid_t process_spawn(const char *const *argv, const char *const *env, int in, int out, int err);

/* The program's file in PATH, as process_spawn would find it; NULL: it is not there. */
const char *process_find(Arena *a, const char *program);

bool process_has_ended(pid_t pid); /* without reaping it */
int process_end(pid_t pid);        /* kills the whole group, reaps the leader; its wait status */
const char *process_status_text(Arena *a, int wait_status); /* "was killed by SIGSEGV", "exited with code 3" */

double process_clock_ns(void); /* monotonic */
double process_clock_s(void);  /* the same in seconds */
bool process_set_nonblocking(int fd);

/* What a child writes: the first bytes are kept, the rest is read and dropped. */
enum { CAPTURE_MAX = 64 * 1024 };
typedef struct {
    int fd; /* -1 at its end */
    size_t len;
    char text[CAPTURE_MAX + 1]; /* NUL-terminated */
} Capture;

/* Makes a pipe; *child_end is to be handed to the child and then closed. False with errno set. */
bool capture_open(Capture *c, int *child_end);
void capture_drain(Capture *c); /* takes what is there, without waiting */
void capture_close(Capture *c);

#endif
