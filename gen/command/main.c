/* SPDX-License-Identifier: Apache-2.0
 *
 * dcgen: from a workload specification to a package of kernels. The commands are rows; the pipeline is in generate.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/command/bench.h"
#include "gen/command/cli.h"
#include "gen/command/command.h"
#include "gen/command/generate.h"

static volatile int interrupted;

/* The first interrupt ends the run in order: records are whole, the runner and compilers are stopped. The second ends it at once. */
static void on_interrupt(int sig)
{
    if (interrupted++) {
        progress_restore();
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

/* One that was to be ignored stays ignored, as nohup wants it. */
static void catch_signal(int sig)
{
    struct sigaction old, action = { .sa_handler = on_interrupt };
    sigemptyset(&action.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(sig, &action, NULL);
}

static void catch_signals(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    signal(SIGPIPE, SIG_IGN); /* a runner that died is seen when it is written to */
    signal(SIGXFSZ, SIG_IGN); /* so is a file that may not grow */
}

/* Files must not get the numbers of standard streams that the caller closed: messages would go into them. */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_ENVIRONMENT);
}

/* A result that could not be printed is no result. Who closed a pipe has seen enough. */
static int finish_output(int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE || code != EXIT_DONE)
        return code;
    diag_say(stderr, DIAG_ERROR, "cannot write to standard output: %s", strerror(errno ? errno : EIO));
    return EXIT_ENVIRONMENT;
}

static int run_command(Arena *a, const Options *o)
{
    if (o->dump != DUMP_NONE)
        return dump_stage(a, o);
    switch (o->command) {
    case COMMAND_GENERATE:
        return generate(a, o, &interrupted);
    case COMMAND_REPLAY:
        return o->check ? replay_check(a, o) : replay(a, o);
    case COMMAND_CHECK:
        return check(a, o);
    case COMMAND_EXPLAIN:
        return explain_package(a, o);
    case COMMAND_BENCH:
        return o->regret >= 0 ? regret_package(a, o, &interrupted) : bench_package(a, o, &interrupted);
    case COMMAND_LIMITS:
        return limits(a, o, &interrupted);
    case COMMAND_BUILD:
        return build_ahead(a, o, &interrupted);
    }
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Options o;
    hold_standard_streams();
    catch_signals();
    int code = cli_parse(a, argc, argv, stdout, stderr, &o);
    if (code < 0) {
        diag_use_color(cli_color(o.color, stderr));
        code = run_command(a, &o);
    }
    arena_free(a);
    return finish_output(code);
}
