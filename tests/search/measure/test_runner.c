/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: runners that start, that do not, that are started again and that end, and lines that none of them may die of.
 */
#include "tests/test.h"
#include "tests/search/measure/runner_place.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "gen/base/process.h"
#include "tests/open_files.h"
#include "tests/put_file.h"
#include "tests/quoted.h"

TEST(device_is_known)
{
    const Device *d = runner_device(w->runner);
    assert_int_equal(strlen(d->id), 16);
    assert_true(strlen(d->name) > 0 && strlen(d->arch) > 0);
    assert_true(d->cores > 0 && d->l1_bytes > 0 && d->l2_bytes >= d->l1_bytes);
    assert_true(d->nisa >= 1);
    assert_string_equal(d->isa[d->nisa - 1], "portable");
    assert_string_equal(d->compiler, "");
}

static void check_start_fails(const char *const *command, const char *reference, const char *text)
{
    const char *err = "";
    assert_null(runner_start(w->a, command, &runner_spec, reference, 1, NULL, &err));
    if (!strstr(err, text))
        print_error("%s\n", err);
    assert_non_null(strstr(err, text));
}

TEST(bad_runners)
{
    check_start_fails((const char *[]){ "/no/such/runner", NULL }, w->reference, "/no/such/runner: No such file");
    check_start_fails((const char *[]){ "false", NULL }, w->reference, "exited with code 1");
    check_start_fails((const char *[]){ "echo", "hello", NULL }, w->reference, "does not speak the runner protocol");
    check_start_fails((const char *[]){ "sh", "-c", "echo no route >&2; exit 3", NULL }, w->reference,
                      "exited with code 3: no route");
    check_start_fails(runner_command, "/no/such/reference.so", "/no/such/reference.so");
    check_start_fails(runner_command, build("int x;", false), "the reference lacks a function");
}

/* Three times, when that may help; what it said first on stderr is told; and nothing of it stays. */
TEST(runners_that_do_not_start)
{
    static const struct {
        const char *script, *why;
    } bad[] = {
        { HELLO_OF("0", 2, "") "read line", "it speaks protocol 2, not 1" },
        { "echo '{\"event\":\"hello\",\"protocol\":1}'; read line", "its hello is incomplete" },
        { "echo '{\"event\":\"hello\"}'; read line", "its hello is incomplete" },
        { "echo '{\"event\":\"error\",\"text\":\"no GPU here\"}'; read line", "no GPU here" },
        { HELLO "read line; echo '{\"event\":\"error\",\"text\":\"setup: bad\"}'; read line", "setup: bad" },
        { HELLO "read line; echo '{\"event\":\"done\"}'; read line", "does not speak the runner protocol" },
        { HELLO "read line; echo one >&2; echo two >&2; kill -ABRT $$", "was killed by SIGABRT: one" },
    };
    const char *count = arena_printf(w->a, "%s.count", w->reference);
    const int before = open_files();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const command[] = { "sh", "-c", arena_printf(w->a, "echo x >>%s; %s", count, bad[i].script), NULL };
        size_t len;
        check_start_fails(command, w->reference, arena_printf(w->a, "cannot start the runner sh: %s", bad[i].why));
        text_read_file(w->a, count, &len);
        assert_int_equal(len, 3 * strlen("x\n"));
        unlink(count);
    }
    assert_int_equal(open_files(), before);
}

/* One that ended between two requests is started again, and set up as the first was; one that does not end when it is
 * told is ended. */
TEST(a_runner_is_started_again)
{
    const char *log = arena_printf(w->a, "%s.setups", w->reference), *key = "k", *so = "/k", *err = NULL;
    const char *script =
        HELLO "read line; echo \"$line\" >>\"$0\"; echo '{\"event\":\"ready\"}'; read line; "
              "id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); "
              "echo '{\"event\":\"result\",\"kernel\":0,\"status\":\"ok\",\"ns\":[],\"max_err\":0,\"id\":'$id'}'; "
              "echo '{\"event\":\"done\",\"id\":'$id'}'; [ $id -lt 3 ] || exec sleep 100";
    const char *const command[] = { "sh", "-c", script, log, NULL };
    MeasureRequest q = verification(small);
    MeasureRecord m;
    size_t len;
    q.deadline_s = 5;
    unlink(log);
    const int before = open_files();
    Runner *r = runner_start(w->a, command, &runner_spec, "/reference.so", 7, NULL, &err);
    assert_non_null(r);
    const Device *d = runner_device(r);
    assert_true(d->cores == 3 && d->l1_bytes == 4 && d->l2_bytes == 5 && d->l3_bytes == 6 && d->nisa == 8);
    assert_string_equal(d->isa[7], "8");
    for (int i = 0; i < 3; i++) {
        assert_true(measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err));
        assert_int_equal(m.status, STATUS_OK);
        nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL); /* it ends meanwhile */
    }
    const char *one = quoted("{'cmd':'setup','dtype':'f32','seed':7,'operands':[{'name':'X','role':'in','dtype':'f32'},"
                             "{'name':'W','role':'const','dtype':'f32'},{'name':'bias','role':'in','dtype':'f32'},"
                             "{'name':'Y','role':'out','dtype':'f32'}],'reference':'/reference.so'}\n");
    assert_string_equal(text_read_file(w->a, log, &len), arena_printf(w->a, "%s%s%s", one, one, one));
    const double start = process_clock_s();
    runner_stop(r);
    runner_stop(r);
    const double took = process_clock_s() - start;
    assert_true(took > 0.4 && took < 60); /* it sleeps longer */
    assert_int_equal(open_files(), before);
}

/* Times of two devices are not compared: a runner that was started again must run on the one that it ran on, by its id;
 * two of a kind have one name. */
TEST(the_device_stays_the_same)
{
    const char *seen = arena_printf(w->a, "%s.seen", w->reference), *key = "0", *so = "/0", *err = NULL;
    const char *hello = arena_printf(
        w->a, "id=0; test -e \"$0\" && id=1; : >\"$0\"; %sread line; echo '{\"event\":\"ready\"}'; read line",
        HELLO_OF("'$id'", 1, "\"portable\""));
    const char *const command[] = { "sh", "-c", hello, seen, NULL };
    MeasureRequest q = request(small);
    MeasureRecord m;
    unlink(seen);
    Runner *r = start_runner(command);
    assert_false(measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err));
    assert_string_equal(err, "cannot start the runner sh: it runs on another device than before: x (1), not x (0)");
    assert_string_equal(runner_device(r)->id, "0");
    runner_stop(r);
}

/* The runner of a dcgen that was killed does not stay behind, not even in an endless loop. */
TEST(runner_dies_with_its_starter)
{
    char *path = arena_printf(w->a, "%s.pid", w->reference);
    const char *text_of_hanging = "RUN { FILE *f = fopen(\"%s\", \"w\"); fprintf(f, \"%%d\\n\", getpid()); fclose(f);"
                                  "      for (;;) pause(); DENSE; return 0; }";
    const char *key = "00", *err, *so = build(arena_printf(w->a, text_of_hanging, path), true);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        MeasureRecord m;
        MeasureRequest q = request(small);
        q.deadline_s = 30;
        Runner *r = runner_start(w->a, runner_command, &runner_spec, w->reference, 1, NULL, &err);
        if (r)
            measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err);
        _exit(1);
    }
    size_t len = 0;
    char *text = NULL;
    for (int i = 0; i < 1000 && len == 0; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        text = text_read_file(w->a, path, &len);
        len = text ? len : 0;
    }
    assert_true(len > 1);
    pid_t runner = (pid_t)atoi(text);
    assert_int_equal(kill(runner, 0), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char *stat_path = arena_printf(w->a, "/proc/%d/stat", (int)runner);
    bool gone = false;
    for (int i = 0; i < 500 && !gone; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        text = text_read_file(w->a, stat_path, &len);
        gone = !text || strstr(text, ") Z ");
    }
    assert_true(gone);
}

/* Lines as no dcgen sends them, of which test_serve.c has more; the runner answers each by an error and lives until its
 * input ends. */
TEST(malformed_requests)
{
    static const char *const lines[] = {
        "",
        "{",
        "{'cmd':7}",
        "{'cmd':'measure','id':1}",
        "\xff\xfe",
        "{'cmd':'limits','id':1,'target':'portable','dtype':'f16','threads':[1],'max_ns':1e6}",
        "{'cmd':'limits','id':1,'target':'sm_80','dtype':'f32','threads':[1],'max_ns':1e6}",
        "{'cmd':'setup','reference':'x','seed':1,'operands':[1,2,3,4,5,6,7,8,9]}",
        "unfinished",
    };
    char *in = arena_printf(w->a, "%s.in", w->reference), *out = arena_printf(w->a, "%s.out", w->reference);
    Text t = { .arena = w->a };
    for (size_t i = 0; i < LENGTH(lines); i++)
        text_printf(&t, "%s%s", i ? "\n" : "", quoted(lines[i]));
    put_file(in, text_str(&t));
    const char *command = "{ head -c 3000000 /dev/zero | tr '\\0' x; echo; cat '%s'; } | '%s' --targets '%s' > '%s'";
    assert_int_equal(system(arena_printf(w->a, command, in, runner_path, targets_path, out)), 0);
    size_t len;
    int answers = 0;
    char *text = text_read_file(w->a, out, &len);
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "{\"event\":\"hello\""), text);
    for (char *p = text; (p = strstr(p, "\n{\"event\":\"error\"")); p++)
        answers++;
    assert_int_equal(answers, LENGTH(lines)); /* the finished ones and the long one */
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(runner_is_here)
