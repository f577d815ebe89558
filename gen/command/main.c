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
#include "gen/command/command.h"

static volatile int interrupted;
static const char *volatile last_words; /* of a run that holds nothing (run_may_end); NULL: it holds something */

/* The first interrupt ends the run in order: records are whole, the runner and compilers are stopped. The second kills
 * dcgen at once, and so does the first where nothing is to be put in order. */
static void on_interrupt(int sig)
{
    const char *words = last_words;
    if (words) {
        progress_restore();
        (void)!write(STDERR_FILENO, words, strlen(words));
        _exit(EXIT_INTERRUPTED);
    }
    if (interrupted++) {
        progress_restore();
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

/* A signal that was ignored when dcgen was started stays ignored, as nohup wants it. */
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
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is seen when it is written to */
}

/* Opens /dev/null in place of standard streams that the caller closed, the wrong way round, so that using them still
 * fails. Else files that dcgen opens would get their numbers, and messages would go into these files. */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_ENVIRONMENT);
}

/* The exit code after all output: a result that could not be printed is a failure, unless the reader closed the pipe,
 * who has seen enough. */
static int finish_output(int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE || code != EXIT_DONE)
        return code;
    diag_say(stderr, DIAG_ERROR, "cannot write to standard output: %s", strerror(errno ? errno : EIO));
    return EXIT_ENVIRONMENT;
}

static bool run_command(Run *r)
{
    typedef bool RunCommand(Run *);
    static RunCommand *const commands[] = {
        [COMMAND_GENERATE] = generate, [COMMAND_CHECK] = check,         [COMMAND_EXPLAIN] = explain_package,
        [COMMAND_REPLAY] = replay,     [COMMAND_BENCH] = bench_package, [COMMAND_LIMITS] = limits,
        [COMMAND_BUILD] = build_ahead, [COMMAND_TRY] = try_kernel,      [COMMAND_IMPORT] = import_model
    };
    const Options *o = r->o;
    if (o->dump != DUMP_NONE)
        return dump_stage(r);
    if (o->command == COMMAND_REPLAY && o->check)
        return replay_check(r);
    if (o->command == COMMAND_BENCH && o->regret >= 0)
        return regret_package(r);
    return commands[o->command](r);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Options o;
    hold_standard_streams();
    catch_signals();
    int code = cli_parse(a, argc, argv, stdout, stderr, &o);
    if (code < 0) {
        Run r = { .a = a, .o = &o, .stop = &interrupted, .last_words = &last_words, .code = EXIT_ENVIRONMENT };
        diag_use_color(cli_color(o.color, stderr));
        const bool ok = run_command(&r);
        if (!ok)
            run_say(&r);
        code = ok ? EXIT_DONE : r.code;
    }
    arena_free(a);
    return finish_output(code);
}
