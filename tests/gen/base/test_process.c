/* SPDX-License-Identifier: Apache-2.0
 *
 * process: what a child is given and what it is not, its end with all that it started, and what it writes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "tests/tmp_folder.h"

static Arena *a;

static int make(void **state)
{
    (void)state;
    a = arena_new();
    return 0;
}

static int drop(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

static void pause_ms(int ms) { nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL); }

/* All that is written until the other end is closed. */
static void drain(Capture *c)
{
    while (c->fd >= 0) {
        poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, 1000);
        capture_drain(c);
    }
}

/* What `sh -c script` writes, to stdout or stderr; its wait status. */
static int run(const char *script, const char *const *env, bool to_err, Capture *c)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    int end;
    assert_true(capture_open(c, &end));
    const pid_t pid = process_spawn(argv, env, -1, to_err ? -1 : end, to_err ? end : -1);
    assert_true(pid > 0);
    close(end);
    drain(c);
    while (!process_has_ended(pid))
        pause_ms(1);
    assert_true(process_has_ended(pid)); /* asking does not reap it */
    return process_end(pid);
}

static Capture *said(const char *script, const char *const *env)
{
    Capture *c = ARENA_NEW(a, Capture);
    assert_int_equal(run(script, env, false, c), 0);
    return c;
}

static void variables_take_the_place_of_ours(void **state)
{
    (void)state;
    static const char *const env[] = { "DCGEN_TEST=new", "DCGEN_OTHER=x=y", NULL };
    setenv("DCGEN_TEST", "old", 1);
    setenv("DCGEN_TEST2", "kept", 1);
    setenv("DCGEN_TES", "too", 1);
    assert_string_equal(
        said("echo $DCGEN_TEST,$DCGEN_TEST2,$DCGEN_TES,$DCGEN_OTHER; env | grep -c ^DCGEN_TEST=", env)->text,
        "new,kept,too,x=y\n1\n");
    assert_string_equal(said("echo $DCGEN_TEST,$DCGEN_TEST2,$DCGEN_OTHER", NULL)->text, "old,kept,\n");
    assert_string_equal(getenv("DCGEN_TEST"), "old");
}

/* Descriptors but for the three, a blocked or ignored signal, the group: none of ours. */
static void nothing_else_is_inherited(void **state)
{
    (void)state;
    sigset_t block, before;
    const int kept = fcntl(STDIN_FILENO, F_DUPFD, 20); /* without FD_CLOEXEC */
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigprocmask(SIG_BLOCK, &block, &before);
    signal(SIGUSR2, SIG_IGN);
    Capture *c = ARENA_NEW(a, Capture);
    const int blocked = run("kill -USR1 $$; echo alive", NULL, false, c);
    const int ignored = run("kill -USR2 $$; echo alive", NULL, false, c);
    run("ls /proc/$$/fd; cat; cut -d ' ' -f 5 /proc/$$/stat | grep -c \"^$$\\$\"", NULL, false, c);
    signal(SIGUSR2, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(kept);
    assert_int_equal(WTERMSIG(blocked), SIGUSR1);
    assert_int_equal(WTERMSIG(ignored), SIGUSR2);
    assert_string_equal(c->text, "0\n1\n2\n1\n"); /* it leads its own group */
}

static void a_stream_each(void **state)
{
    (void)state;
    Capture *c = ARENA_NEW(a, Capture);
    assert_int_equal(run("echo out; echo err >&2", NULL, false, c), 0);
    assert_string_equal(c->text, "out\n");
    assert_int_equal(run("echo out; echo err >&2", NULL, true, c), 0);
    assert_string_equal(c->text, "err\n");
}

static void what_cannot_be_started(void **state)
{
    (void)state;
    static const char *const argv[] = { "/no/such/program", NULL };
    assert_int_equal(process_spawn(argv, NULL, -1, -1, -1), -1);
    assert_int_equal(errno, ENOENT);
}

static void endings_in_words(void **state)
{
    (void)state;
    Capture *c = ARENA_NEW(a, Capture);
    assert_string_equal(process_status_text(a, run("exit 3", NULL, false, c)), "exited with code 3");
    assert_string_equal(process_status_text(a, run("kill -SEGV $$", NULL, false, c)), "was killed by SIGSEGV");
    assert_string_equal(process_status_text(a, SIGRTMIN + 1),
                        arena_printf(a, "was killed by signal %d", (int)SIGRTMIN + 1));
}

/* The first 64 KiB are kept, and the child is not held up by the others. */
static void only_so_much_is_kept(void **state)
{
    (void)state;
    static const int sizes[] = { -1, 0, 1, 300000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int more = sizes[i];
        const Capture *c = said(arena_printf(a, "head -c %d /dev/zero | tr '\\0' x", CAPTURE_MAX + more), NULL);
        const size_t want = CAPTURE_MAX + (size_t)(more < 0 ? more : 0);
        assert_int_equal(c->len, want);
        assert_int_equal(strlen(c->text), want);
    }
}

/* Whoever is in its group goes with it, even one that ignores all that can be ignored; who has ended has its own status. */
static void the_group_goes_with_its_leader(void **state)
{
    (void)state;
    const char *const argv[] = { "sh", "-c", "trap '' INT TERM HUP; sleep 100 & echo $!; sleep 100", NULL };
    Capture *c = ARENA_NEW(a, Capture);
    int end;
    assert_true(capture_open(c, &end));
    const pid_t pid = process_spawn(argv, NULL, -1, end, -1);
    close(end);
    while (!strchr(c->text, '\n')) {
        poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, 1000);
        capture_drain(c);
    }
    assert_false(process_has_ended(pid));
    const int status = process_end(pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1); /* it was reaped */
    drain(c);                                          /* its child held the other end */
    assert_int_equal(c->fd, -1);
}

/* As the shell would: the first folder that has it, in which it may be executed; an empty one is none. */
static void programs_are_looked_for(void **state)
{
    (void)state;
    char folder[TMP_FOLDER_BYTES];
    assert_non_null(tmp_folder(folder));
    const char *path = getenv("PATH") ? arena_strdup(a, getenv("PATH")) : "";
    for (int i = 0; i < 3; i++) {
        const char *sub = arena_printf(a, "%s/%d", folder, i), *file = arena_printf(a, "%s/tool", sub);
        assert_int_equal(mkdir(sub, 0700), 0);
        FILE *f = fopen(file, "w");
        fclose(f);
        assert_int_equal(chmod(file, i == 0 ? 0600 : 0700), 0);
    }
    setenv("PATH", arena_printf(a, ":%s/none:%s/0::%s/1:%s/2", folder, folder, folder, folder), 1);
    const char *found = process_find(a, "tool"), *none = process_find(a, "tools");
    setenv("PATH", arena_printf(a, "%s/2", folder), 1);
    const char *last = process_find(a, "tool");
    setenv("PATH", path, 1);
    assert_string_equal(found, arena_printf(a, "%s/1/tool", folder));
    assert_string_equal(last, arena_printf(a, "%s/2/tool", folder));
    assert_null(none);
    assert_int_equal(tmp_folder_remove(folder), 0);
}

static void the_clock_is_that_of_the_system(void **state)
{
    (void)state;
    struct timespec t;
    const double before_s = process_clock_s();
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now_ns = 1e9 * (double)t.tv_sec + (double)t.tv_nsec, after_ns = process_clock_ns();
    assert_true(before_s <= 1e-9 * now_ns && now_ns <= after_ns && after_ns < now_ns + 1e9 &&
                before_s > 1e-9 * now_ns - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_take_the_place_of_ours),
        cmocka_unit_test(nothing_else_is_inherited),
        cmocka_unit_test(a_stream_each),
        cmocka_unit_test(what_cannot_be_started),
        cmocka_unit_test(endings_in_words),
        cmocka_unit_test(only_so_much_is_kept),
        cmocka_unit_test(the_group_goes_with_its_leader),
        cmocka_unit_test(programs_are_looked_for),
        cmocka_unit_test(the_clock_is_that_of_the_system),
    };
    return cmocka_run_group_tests_name("search/process", tests, make, drop);
}
