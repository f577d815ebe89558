/* SPDX-License-Identifier: Apache-2.0
 *
 * dcgen: from a workload specification to a package of kernels. The commands are rows; the pipeline is in generate.c.
 */
#include <signal.h>
#include <stdio.h>
#include "gen/arena.h"
#include "gen/cli.h"
#include "gen/generate.h"

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

static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);          /* a runner that died is seen when it is written to */
    signal(SIGXFSZ, SIG_IGN);          /* so is a file that may not grow */
}

static int run_command(Arena *a, const Options *o)
{
    switch (o->command) {
    case COMMAND_GENERATE: return generate(a, o, &interrupted);
    case COMMAND_REPLAY: return replay(a, o);
    case COMMAND_CHECK: return check(a, o);
    case COMMAND_EXPLAIN: return EXIT_USAGE;
    case COMMAND_BENCH: return EXIT_USAGE;
    }
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Options o;
    catch_signals();
    int code = cli_parse(a, argc, argv, stdout, stderr, &o);
    if (code < 0)
        code = run_command(a, &o);
    arena_free(a);
    return code;
}
