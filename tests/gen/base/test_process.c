/* SPDX-License-Identifier: Apache-2.0
 *
 * process: what a child is given and what it is not, its end with all that it started, and what it writes.
 */
#define _GNU_SOURCE /* pipe2 */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

/* What becomes of `sh -c script`, with what it writes to stdout and stderr. */
static ProcessEnd run(const char *script, const char *const *env)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    return process_run(arena, &(ProcessPlan){ .argv = argv, .env = env, .out = PROCESS_KEEP, .err = PROCESS_KEEP },
                       INFINITY, NULL);
}

static const char *said(const char *script, const char *const *env)
{
    const ProcessEnd e = run(script, env);
    assert_true(process_is_well(&e));
    return text_str(&e.out);
}

TEST(variables_take_the_place_of_ours)
{
    static const char *const env[] = { "DCGEN_TEST=new", "DCGEN_OTHER=x=y", NULL };
    setenv("DCGEN_TEST", "old", 1);
    setenv("DCGEN_TEST2", "kept", 1);
    setenv("DCGEN_TES", "too", 1);
    assert_string_equal(said("echo $DCGEN_TEST,$DCGEN_TEST2,$DCGEN_TES,$DCGEN_OTHER; env | grep -c ^DCGEN_TEST=", env),
                        "new,kept,too,x=y\n1\n");
    assert_string_equal(said("echo $DCGEN_TEST,$DCGEN_TEST2,$DCGEN_OTHER", NULL), "old,kept,\n");
    assert_string_equal(getenv("DCGEN_TEST"), "old");
}

/* Descriptors but for the three, a blocked or ignored signal, the group: none of ours. */
TEST(nothing_else_is_inherited)
{
    sigset_t block, before;
    const int kept = fcntl(STDIN_FILENO, F_DUPFD, 20); /* without FD_CLOEXEC */
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigprocmask(SIG_BLOCK, &block, &before);
    signal(SIGUSR2, SIG_IGN);
    const int blocked = run("kill -USR1 $$; echo alive", NULL).wait_status;
    const int ignored = run("kill -USR2 $$; echo alive", NULL).wait_status;
    const ProcessEnd e = run("ls /proc/$$/fd; cat; cut -d ' ' -f 5 /proc/$$/stat | grep -c \"^$$\\$\"", NULL);
    signal(SIGUSR2, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(kept);
    assert_int_equal(WTERMSIG(blocked), SIGUSR1);
    assert_int_equal(WTERMSIG(ignored), SIGUSR2);
    assert_string_equal(text_str(&e.out), "0\n1\n2\n1\n"); /* it leads its own group */
}

TEST(a_stream_each)
{
    static const char *const argv[] = { "sh", "-c", "echo out; echo err >&2", NULL };
    const ProcessEnd e = run(argv[2], NULL);
    assert_string_equal(text_str(&e.out), "out\n");
    assert_string_equal(text_str(&e.err), "err\n");
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP, .err = PROCESS_WITH_OUT };
    const ProcessEnd both = process_run(arena, &plan, INFINITY, NULL);
    assert_string_equal(text_str(&both.out), "out\nerr\n");
    assert_string_equal(text_str(&both.err), "");
}

/* More than a pipe holds, to one that does not read while it writes. */
TEST(a_text_is_read)
{
    static const char *const argv[] = { "sh", "-c", "sleep 0.1; wc -c", NULL };
    char *text = arena_alloc(arena, 300001);
    memset(text, 'x', 300000);
    const ProcessEnd e =
        process_run(arena, &(ProcessPlan){ .argv = argv, .text = text, .out = PROCESS_KEEP }, 60, NULL);
    assert_string_equal(text_str(&e.out), "300000\n");
}

TEST(what_cannot_be_started)
{
    static const char *const argv[] = { "/no/such/program", NULL };
    const ProcessPlan plan = { .argv = argv, .text = "text", .out = PROCESS_KEEP, .err = PROCESS_KEEP };
    const int before = open_files();
    const ProcessEnd e = process_run(arena, &plan, INFINITY, NULL);
    assert_int_equal(e.error, ENOENT);
    assert_false(process_is_well(&e));
    assert_int_equal(open_files(), before);
}

TEST(endings_in_words)
{
    assert_string_equal(process_status_text(arena, run("exit 3", NULL).wait_status), "exited with code 3");
    assert_string_equal(process_status_text(arena, run("kill -SEGV $$", NULL).wait_status), "was killed by SIGSEGV");
    assert_string_equal(process_status_text(arena, SIGRTMIN + 1),
                        arena_printf(arena, "was killed by signal %d", (int)SIGRTMIN + 1));
}

/* The first bytes are kept, 64 KiB where the plan does not say, and the child is not held up by the others. */
TEST(only_so_much_is_kept)
{
    static const int sizes[] = { -1, 0, 1, 3000000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int more = sizes[i];
        const ProcessEnd e =
            run(arena_printf(arena, "head -c %d /dev/zero | tr '\\0' x", PROCESS_OUTPUT_BYTES + more), NULL);
        assert_int_equal(e.out.len, PROCESS_OUTPUT_BYTES + (more < 0 ? more : 0));
        assert_int_equal(strlen(e.out.s), e.out.len);
    }
    const char *const argv[] = { "echo", "123456789", NULL };
    const ProcessEnd e = process_run(arena, &(ProcessPlan){ .argv = argv, .out = PROCESS_KEEP, .most = 5 }, 60, NULL);
    assert_string_equal(e.out.s, "12345");
}

/* What it said until then is kept. */
TEST(it_is_killed_at_its_deadline_or_on_demand)
{
    static const char *const argv[] = { "sh", "-c", "echo early; sleep 100", NULL };
    static const volatile int stop = 1;
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP };
    const double begin_s = process_clock_s();
    const ProcessEnd late = process_run(arena, &plan, 2, NULL), stopped = process_run(arena, &plan, INFINITY, &stop);
    assert_true(late.late && !late.stopped && WIFSIGNALED(late.wait_status) && !process_is_well(&late));
    assert_string_equal(text_str(&late.out), "early\n");
    assert_true(stopped.stopped && !stopped.late && WIFSIGNALED(stopped.wait_status));
    assert_true(process_clock_s() - begin_s < 50);
}

/* Whoever is in its group goes with it, even one that ignores all that can be ignored; who has ended has its own
 * status. */
TEST(the_group_goes_with_its_leader)
{
    static const char *const argv[] = { "sh", "-c", "trap '' INT TERM HUP; sleep 100 & echo; sleep 100", NULL };
    int ends[2];
    char newline;
    Child c;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(child_start(&c, arena, &(ProcessPlan){ .argv = argv, .out = ends[1] }));
    close(ends[1]);
    assert_int_equal(read(ends[0], &newline, 1), 1);
    assert_false(child_has_ended(&c));
    const pid_t pid = c.pid;
    const int status = child_end(&c);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1); /* it was reaped */
    assert_int_equal(read(ends[0], &newline, 1), 0);   /* its child held the other end */
    close(ends[0]);
    assert_int_equal(c.pid, 0);
    child_listen(&(Child *){ &c }, 1, 0); /* one that does not run says nothing */
}

/* As the shell would: the first folder that has it, in which it may be executed; an empty one is none. */
TEST(programs_are_looked_for)
{
    const char *path = getenv("PATH") ? arena_strdup(arena, getenv("PATH")) : "";
    for (int i = 0; i < 3; i++) {
        const char *sub = arena_printf(arena, "%s/%d", root, i), *file = arena_printf(arena, "%s/tool", sub);
        assert_int_equal(mkdir(sub, 0700), 0);
        put_file(file, "");
        assert_int_equal(chmod(file, i == 0 ? 0600 : 0700), 0);
    }
    setenv("PATH", arena_printf(arena, ":%s/none:%s/0::%s/1:%s/2", root, root, root, root), 1);
    const char *found = process_find(arena, "tool"), *none = process_find(arena, "tools");
    setenv("PATH", in_root("2"), 1);
    const char *last = process_find(arena, "tool");
    setenv("PATH", path, 1);
    assert_string_equal(found, in_root("1/tool"));
    assert_string_equal(last, in_root("2/tool"));
    assert_null(none);
}

TEST(the_clock_is_that_of_the_system)
{
    struct timespec t;
    const double before_s = process_clock_s();
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now_ns = 1e9 * (double)t.tv_sec + (double)t.tv_nsec, after_ns = process_clock_ns();
    assert_true(before_s <= 1e-9 * now_ns && now_ns <= after_ns && after_ns < now_ns + 1e9 &&
                before_s > 1e-9 * now_ns - 1);
}

TEST_FILE(place_setup, place_teardown)
