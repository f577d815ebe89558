/* SPDX-License-Identifier: Apache-2.0
 *
 * agent: requests that wait in a queue: in which order they are asked and taken over, and what becomes of them where a
 * runner crashes or hangs, one of them fails, or the user interrupts. Runners are scripts.
 */
#include "tests/test.h"
#include "tests/search/measure/runner_place.h"

#include <poll.h>
#include "tests/kept_list.h"
#include "tests/put_file.h"
#include "tests/stop_soon.h"

/* It appends M of each request to $0.log, and does by it what the test wants. */
static const char script[] =
    HELLO "read -r line; echo '{\"event\":\"ready\"}'\n"
          "while read -r line; do\n"
          "    id=${line#*'\"id\":'}; id=${id%%,*}; m=${line#*'\"extent\":['}; m=${m%%,*}\n"
          "    case $line in *'\"cmd\":\"limits\"'*) m=limits ;; esac\n"
          "    echo \"$m\" >>\"$0.log\"\n"
          "    case $m in limits) echo '{\"event\":\"limits\",\"id\":'$id',\"limits\":[{\"threads\":1,"
          "\"flops_per_s\":1e9,\"bytes_per_s\":{}}]}'; continue ;; esac\n"
          "    echo '{\"event\":\"begin\",\"id\":'$id',\"kernel\":0,\"phase\":\"verify\"}'\n"
          "    case $m in 20) kill -SEGV $$ ;; 30) exec sleep 100 ;; 40) sleep 0.4 ;; esac\n"
          "    echo '{\"event\":\"result\",\"id\":'$id',\"kernel\":0,\"status\":\"ok\",\"ns\":[],\"max_err\":0}'\n"
          "    echo '{\"event\":\"done\",\"id\":'$id'}'\n"
          "done\n";
enum { CRASHES = 20, HANGS = 30, IS_SLOW = 40, MOST = 16 };

static const char *path, *err;
static int64_t extent[MOST][3];
static Request q[MOST];
static int taken[MOST], ntaken; /* M of the requests that were taken over */

static Runner *new_runner(void)
{
    const char *const command[] = { "sh", path, NULL };
    return start_runner(kept(command, sizeof command));
}

static bool take(Request *r, const char **why)
{
    taken[ntaken++] = (int)r->measure.extent[0];
    return true;
}

/* The queue has a request for each M, of one kernel. */
static Agents *ask(Runner *r, const int *m, int n)
{
    path = arena_printf(w->a, "%s.agent", w->reference);
    put_file(path, script);
    put_file(arena_printf(w->a, "%s.log", path), "");
    Agents *x = agents_of(w->a, r ? r : new_runner());
    ntaken = 0;
    for (int i = 0; i < n; i++) {
        memcpy(extent[i], (int64_t[]){ m[i], 7, 9 }, sizeof extent[i]);
        q[i] = (Request){ .arena = w->a, .take = take, .measure = verification(extent[i]) };
        kernels_add(&q[i].kernel, "key", "/so", 0);
        agents_ask(x, &q[i]);
    }
    return x;
}
#define ASK(...) ask(NULL, (const int[]){ __VA_ARGS__ }, (int)LENGTH(((const int[]){ __VA_ARGS__ })))

static void work(Agents *x)
{
    if (!agents_work(x, NULL, &err))
        fail_msg("%s", err);
}

/* M of the requests that were taken over. */
static void assert_taken(const char *want)
{
    Text t = { .arena = w->a };
    for (int i = 0; i < ntaken; i++)
        text_printf(&t, "%d\n", taken[i]);
    assert_string_equal(text_str(&t), want);
}

/* They were taken over in this order, and runners were asked in that one. */
static void assert_order(const char *want_taken, const char *want_asked)
{
    size_t len;
    assert_taken(want_taken);
    assert_string_equal(text_read_file(w->a, arena_printf(w->a, "%s.log", path), &len), want_asked);
}

TEST(the_first_comes_first)
{
    Agents *x = ASK(1, 2, 3, 4);
    work(x);
    assert_order("1\n2\n3\n4\n", "1\n2\n3\n4\n");
    for (int i = 0; i < 4; i++)
        assert_true(q[i].out->status == STATUS_OK && q[i].out->extent[0] == i + 1 && q[i].agent == x->agent);
    work(x); /* nothing is left */
    assert_int_equal(ntaken, 4);
    agents_stop(x);
}

/* Whether it is still wanted, when its turn comes: what came of those before is known. */
static bool is_wanted(Request *r) { return ntaken == 1 && r->measure.extent[0] != 3; }

TEST(it_is_filled_in_when_its_turn_comes)
{
    Agents *x = ASK(1, 2, 3, 4);
    for (int i = 1; i < 4; i++)
        q[i].fill = is_wanted;
    work(x);
    assert_order("1\n2\n", "1\n2\n");
    agents_stop(x);
}

static Request limits;

static bool ask_more(Request *r, const char **why)
{
    agents_ask(r->of, &limits);
    return take(r, why);
}

TEST(what_is_taken_over_may_ask_for_more)
{
    static const int one = 1;
    Agents *x = ASK(1, 2);
    limits = (Request){ .arena = w->a, .limits = { "avx2", "f32", 1, &one, 1e9, NULL } };
    q[0].of = x;
    q[0].take = ask_more;
    work(x);
    assert_order("1\n2\n", "1\n2\nlimits\n");
    assert_true(limits.nlimit == 1 && limits.limit->flops_per_s == 1e9);
    agents_stop(x);
}

/* The runner that crashed or was silent for too long is replaced, and nothing else is lost. */
TEST(a_kernel_that_brings_a_runner_down)
{
    Agents *x = ASK(1, CRASHES, 2, HANGS, 3);
    q[3].measure.deadline_s = 0.3;
    work(x);
    assert_order("1\n20\n2\n30\n3\n", "1\n20\n2\n30\n3\n");
    static const Status want[] = { STATUS_OK, STATUS_CRASHED, STATUS_OK, STATUS_TIMED_OUT, STATUS_OK };
    for (int i = 0; i < 5; i++)
        assert_int_equal(q[i].out->status, want[i]);
    assert_string_equal(q[1].out->why, "was killed by SIGSEGV while verifying");
    assert_string_equal(q[3].out->why, "silent for 0.3 s while verifying");
    agents_stop(x);
}

/* What came before is taken over, the rest is forgotten, and the runner is gone; who asks again is answered. */
TEST(the_user_interrupts)
{
    Agents *x = ASK(1, HANGS, 2);
    q[1].measure.deadline_s = 60;
    stop_soon();
    assert_false(agents_work(x, &stop_flag, &err));
    assert_string_equal(err, "interrupted");
    assert_order("1\n", "1\n30\n");
    work(x);
    assert_int_equal(ntaken, 1);
    agents_ask(x, &q[2]);
    work(x);
    assert_order("1\n2\n", "1\n30\n2\n");
    agents_stop(x);
}

static bool unlink_script(Request *r, const char **why) { return unlink(path) == 0 && take(r, why); }

static bool refuse(Request *r, const char **why)
{
    *why = "no room on the disk";
    return false;
}

TEST(what_cannot_be_taken_over_ends_it_all)
{
    Agents *x = ASK(1, 2, 3);
    q[1].take = refuse;
    assert_false(agents_work(x, NULL, &err));
    assert_string_equal(err, "no room on the disk");
    work(x);
    assert_order("1\n", "1\n2\n");
    agents_stop(x);
}

/* No runner can be started in place of the one that crashed. */
TEST(a_request_that_fails_ends_it_all)
{
    Agents *x = ASK(1, CRASHES, 2);
    q[1].take = unlink_script;
    assert_false(agents_work(x, NULL, &err));
    assert_has(err, "cannot start the runner sh: exited with code");
    work(x);
    assert_order("1\n20\n", "1\n20\n");
    agents_stop(x);
}

/* Nobody waits for an agent that is slow: the others go on, and come first. */
TEST(agents_work_side_by_side)
{
    Agents *x = ASK(IS_SLOW, 1, 2, 3);
    Agent two[] = { *x->agent, { .runner = new_runner() } };
    struct pollfd fds[4];
    x->agent = two;
    x->fds = fds;
    x->n = 2;
    work(x);
    assert_taken("1\n2\n3\n40\n");
    assert_true(q[0].agent == two && q[1].agent == two + 1 && q[3].agent == two + 1);
    agents_stop(x);
}

/* A request that knows nothing else starts the runner. */
TEST(a_list_is_started)
{
    Agents *first = ASK(1);
    const char *const bad[] = { "sh", "-c", "echo no GPU >&2; exit 3", NULL }, *const good[] = { "sh", path, NULL };
    static const volatile int stop = 1;
    assert_null(agents_start(w->a, bad, &runner_spec, "/r.so", 1, NULL, &err));
    assert_string_equal(err, "cannot start the runner sh: exited with code 3: no GPU");
    assert_null(agents_start(w->a, good, &runner_spec, "/r.so", 1, &stop, &err));
    assert_string_equal(err, "interrupted");
    err = NULL;
    Agents *x = agents_start(w->a, good, &runner_spec, "/r.so", 1, NULL, &err);
    assert_true(x && !err);
    assert_string_equal(agents_device(x)->id, "0123456789abcdef");
    agents_stop(x);
    agents_stop(first);
    agents_stop(NULL);
}

/* Before any request is made, it is as if four had taken 50 ms. */
TEST(the_pace_counts)
{
    Agents *x = agents_of(w->a, NULL);
    assert_true(agents_extra_s(NULL) == 0.05 && agents_extra_s(x) == 0.05);
    x->agent->pace = (Pace){ 0.6, 2 };
    assert_true(agents_extra_s(x) > 0.13 && agents_extra_s(x) < 0.14); /* 0.8 / 6 */
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(runner_is_here)
