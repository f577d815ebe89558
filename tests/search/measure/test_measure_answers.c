/* SPDX-License-Identifier: Apache-2.0
 *
 * measure, with runners that are scripts: what they are asked, and what becomes of answers that are right, odd or none.
 */
#include "tests/test.h"
#include "tests/search/measure/runner_place.h"

#include <string.h>
#include "tests/put_file.h"
#include "tests/quoted.h"

/* A runner that is a script: what each of its runs does when it is asked to measure, one after the other. */
static Runner *start_script(const char *const *says)
{
    const char *path = arena_printf(w->a, "%s.script", w->reference);
    Text t = { .arena = w->a };
    text_printf(
        &t, HELLO "read line; echo '{\"event\":\"ready\"}'\nread line\necho run >>%s.runs\ncase $(wc -l <%s.runs) in\n",
        path, path);
    for (int i = 0; says[i]; i++)
        text_printf(&t, "%d) %s ;;\n", i + 1, says[i]);
    text_add(&t, "esac\n");
    put_file(path, text_str(&t));
    unlink(arena_printf(w->a, "%s.runs", path));
    const char *const command[] = { "sh", path, NULL };
    return start_runner(kept(command, sizeof command));
}

#define SAYS_RESULT(id, kernel, max_err)                                                       \
    "echo '{\"event\":\"begin\",\"id\":" #id ",\"kernel\":" #kernel ",\"phase\":\"verify\"}';" \
    "echo '{\"event\":\"result\",\"id\":" #id ",\"kernel\":" #kernel                           \
    ",\"status\":\"ok\",\"ns\":[],\"max_err\":" #max_err "}';"

/* A kernel is right up to its tolerance, whatever the runner makes of it. */
TEST(the_tolerance_is_kept)
{
    static const char *const says[] = { SAYS_RESULT(1, 0, 1) SAYS_RESULT(1, 1, 1.0000001), NULL };
    MeasureRecord out[2];
    const MeasureRequest q = verification(small);
    Runner *r = start_script(says);
    must_measure(r, &q, NULL, 2, out);
    assert_int_equal(out[0].status, STATUS_OK);
    assert_int_equal(out[1].status, STATUS_CRASHED);
    assert_string_equal(out[1].why, "the runner talked nonsense while verifying");
    runner_stop(r);
}

/* A runner that dies without a kernel to blame is started again, and given up when that comes twice in succession: not
 * when a kernel's fault lies between. */
TEST(in_succession_means_in_succession)
{
    static const char *const apart[] = {
        "exit 1", "echo '{\"event\":\"begin\",\"id\":2,\"kernel\":0,\"phase\":\"verify\"}'; exit 1", "exit 1",
        SAYS_RESULT(4, 0, 0) "echo '{\"event\":\"done\",\"id\":4}'; read line", NULL
    };
    static const char *const twice[] = { "exit 1", "exit 1", NULL };
    const char *so[] = { "/0", "/1" }, *err = NULL;
    MeasureRecord out[2];
    const MeasureRequest q = verification(small);
    Runner *r = start_script(apart);
    must_measure(r, &q, so, 2, out);
    assert_int_equal(out[0].status, STATUS_CRASHED);
    assert_int_equal(out[1].status, STATUS_OK);
    runner_stop(r);
    r = start_script(twice);
    assert_false(measure_all(r, &q, so, 2, out, &err));
    assert_string_equal(
        err, "the runner cannot measure M=5 N=7 K=9: exited with code 1 while preparing the operands and the "
             "reference's result");
    runner_stop(r);
}

/* The kernel that is kept in the running has another place in the next request where one before it is out. */
TEST(the_kept_kernel_is_known_by_its_place)
{
    static const char *const says[] = {
        "echo '{\"event\":\"begin\",\"id\":1,\"kernel\":0,\"phase\":\"verify\"}'; exit 1",
        "case $line in *'\"keep\":1}'*) " SAYS_RESULT(2, 0, 0)
            SAYS_RESULT(2, 1, 0) "echo '{\"event\":\"done\",\"id\":2}' ;; esac; read line",
        NULL
    };
    MeasureRecord out[3];
    MeasureRequest q = verification(small);
    q.keep = 2;
    Runner *r = start_script(says);
    must_measure(r, &q, NULL, 3, out);
    assert_int_equal(out[0].status, STATUS_CRASHED);
    assert_int_equal(out[1].status, STATUS_OK);
    assert_int_equal(out[2].status, STATUS_OK);
    runner_stop(r);
}

/* What a runner says of a kernel, asked for two samples: taken over, or nonsense. */
TEST(answers_are_checked)
{
#define BEGIN "{'event':'begin','id':1,'kernel':0,'phase':'verify'}\n"
#define DONE "{'event':'done','id':1}\n"
#define OF(id, kernel, rest) "{'event':'result','id':" #id ",'kernel':" #kernel "," rest "}\n"
#define RESULT(rest) OF(1, 0, rest) DONE
    static const struct {
        const char *says;
        Status status;
        double max_err, cold_ns;
        int nsample, nfact;
    } answers[] = {
        { RESULT("'status':'ok','ns':[9,5],'max_err':0.5,'cold_ns':7,'facts':{'a':3,'b':1.5}"), STATUS_OK, 0.5, 7, 2,
          1 },
        { RESULT("'status':'ok','ns':[9,5],'max_err':1,'cold_ns':-7"), STATUS_OK, 1, 0, 2, 0 },
        { RESULT("'status':'wrong','ns':[],'max_err':7,'why':'row 3'"), STATUS_WRONG, 7, 0, 0, 0 },
        { RESULT("'status':'invalid','ns':[],'max_err':0,'why':'x'"), STATUS_INVALID, 0, 0, 0, 0 },
        { RESULT("'status':'ok','ns':[],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { RESULT("'status':'ok','ns':[9,0],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { RESULT("'status':'ok','ns':[9,-5],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { RESULT("'status':'ok','ns':[9,null],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { RESULT("'status':'crashed','ns':[],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { RESULT("'status':'fine','ns':[9,5],'max_err':0"), STATUS_CRASHED, 0, 0, 0, 0 },
        { OF(2, 0, "'status':'ok','ns':[9,5],'max_err':0") DONE, STATUS_CRASHED, 0, 0, 0, 0 },
        { OF(1, 1, "'status':'ok','ns':[9,5],'max_err':0") DONE, STATUS_CRASHED, 0, 0, 0, 0 },
        { OF(1, -1, "'status':'ok','ns':[9,5],'max_err':0") DONE, STATUS_CRASHED, 0, 0, 0, 0 },
        { DONE, STATUS_CRASHED, 0, 0, 0, 0 },
        { "{'event':'dance'}\n", STATUS_CRASHED, 0, 0, 0, 0 },
        { "{'x':1}\n", STATUS_CRASHED, 0, 0, 0, 0 },
    };
    for (size_t i = 0; i < LENGTH(answers); i++) {
        const char *const says[] = {
            arena_printf(w->a, "printf '%%s' '%s%s'; read line", quoted(BEGIN), quoted(answers[i].says)), NULL
        };
        MeasureRequest q = request(small);
        MeasureRecord m;
        q.repeats = 2;
        Runner *r = start_script(says);
        must_measure(r, &q, NULL, 1, &m);
        if (m.status != answers[i].status)
            fail_msg("%s: %s (%s)", answers[i].says, status_name(m.status), m.why);
        if (m.status == STATUS_CRASHED) {
            assert_string_equal(m.why, "the runner talked nonsense while verifying");
        } else {
            assert_true(m.max_err == answers[i].max_err && m.cold_ns == answers[i].cold_ns);
            assert_true(m.nsample == answers[i].nsample && m.nfact == answers[i].nfact);
        }
        if (i == 0)
            assert_true(m.ns[0] == 9 && m.ns[1] == 5 && m.time_ns == 5 && m.fact[0].value == 3);
        runner_stop(r);
    }
}

/* One rule for all kernels of a request: where the one that is kept has calls too long for a machine at rest, means
 * count. */
TEST(the_kept_kernel_rules_the_times)
{
#define TIMES(kernel, ns)                                                               \
    "echo '{\"event\":\"begin\",\"id\":1,\"kernel\":" #kernel ",\"phase\":\"time\"}'; " \
    "echo '{\"event\":\"result\",\"id\":1,\"kernel\":" #kernel ",\"status\":\"ok\",\"ns\":" ns ",\"max_err\":0}'; "
    static const char *const says[] = { TIMES(0, "[100,200,300]")
                                            TIMES(1, "[5e6,7e6,6e6]") "echo '{\"event\":\"done\",\"id\":1}'; read line",
                                        NULL };
    static const double want[2][2] = { { 100, 5e6 }, { 150, 5.5e6 } };
    for (int kept = 0; kept < 2; kept++) {
        MeasureRequest q = request(small);
        MeasureRecord m[2];
        q.keep = kept ? 1 : -1;
        Runner *r = start_script(says);
        must_measure(r, &q, NULL, 2, m);
        assert_true(m[0].time_ns == want[kept][0] && m[1].time_ns == want[kept][1]);
        runner_stop(r);
    }
}

/* Every field of a request arrives; what is not asked for is not said. */
TEST(requests_say_all)
{
    static const char *const says[] = { "echo \"$line\" >\"$0.line\"; exit 1",
                                        "echo \"$line\" >\"$0.line\"; echo '{\"event\":\"error\",\"text\":\"no\"}'",
                                        NULL };
    static const struct {
        MeasureRequest q;
        const char *want;
    } asked[] = {
        { { .threads = 3, .keep = -1, .deadline_s = 5 },
          "'threads':3,'repeats':0,'sample_ns':0.0,'max_ns':0.0,'hot':true,'kernels':[{'key':'%032d','so':'/0'}]}\n" },
        { { .threads = 1,
            .repeats = 4,
            .sample_ns = 25,
            .max_ns = 75,
            .drop = 1.5,
            .keep = 0,
            .cold = true,
            .deadline_s = 5,
            .count = true,
            .smem_limit = 4096 },
          "'threads':1,'repeats':4,'sample_ns':25.0,'max_ns':75.0,'hot':false,'kernels':[{'key':'%032d','so':'/0'}],"
          "'drop':1.5,'keep':0,'count':true,'smem_limit':4096}\n" },
    };
    for (int i = 0; i < 2; i++) {
        MeasureRequest q = asked[i].q;
        MeasureRecord m;
        size_t len;
        q.extent = small;
        Runner *r = start_script(says);
        must_measure(r, &q, NULL, 1, &m);
        assert_int_equal(m.status, STATUS_INVALID);
        assert_string_equal(m.why, "no");
        const char *line = text_read_file(w->a, arena_printf(w->a, "%s.script.line", w->reference), &len);
        const char *want =
            arena_printf(w->a, "%s%s",
                         "{'extent':[5,7,9],'elems':[45,63,7,35],'rows':5,'row_elems':7,'flops':630.0,"
                         "'out_extents':[5,7],'cmd':'measure','id':2,", /* the second time it was asked */
                         asked[i].want);
        const char *key = strstr(want, "%032d");
        assert_string_equal(line, quoted(arena_printf(w->a, "%.*s%032d%s", (int)(key - want), want, 0, key + 5)));
        runner_stop(r);
    }
}

/* Also where it would first have to start a runner: a device without limits is not asked again, one that was not asked
 * is. */
TEST(an_interrupted_request_for_limits_is_no_answer)
{
    static const char *const says[] = { "exit 1", NULL };
    static const int one = 1;
    static const volatile int stop = 1;
    const LimitRequest q = { "portable", "f32", 1, &one, 1e9, NULL };
    LimitRecord l;
    const char *err = NULL;
    int n;
    Runner *r = start_script(says);
    assert_true(limit_measure(r, w->a, &q, &l, &n, NULL, &err)); /* the runner dies of it */
    assert_false(limit_measure(r, w->a, &q, &l, &n, &stop, &err));
    assert_int_equal(n, 0);
    assert_string_equal(err, "interrupted");
    runner_stop(r);
}

/* Runners that are older than the request, that die of it or answer something else know no limits. What a runner says
 * is taken over where it is a rate, for those that it was asked for; after an error it is asked again, after nonsense a
 * new one is. */
TEST(limits_are_taken_over)
{
#define SAYS_LIMITS(id, list) "echo '{\"event\":\"limits\",\"id\":" #id ",\"limits\":[" list "]}'; "
#define ONE(threads, flops, rates) "{\"threads\":" #threads ",\"flops_per_s\":" #flops ",\"bytes_per_s\":{" rates "}}"
#define GPU(threads, flops, more) \
    "{\"threads\":" #threads ",\"flops_per_s\":" #flops ",\"bytes_per_s\":{\"l3\":8}," more "}"
    static const char *const says[] = {
        "echo '{\"event\":\"error\",\"text\":\"not now\"}'; read line; echo \"$line\" >\"$0.line\"; " SAYS_LIMITS(
            2, ONE(1, 5e9, "\"l1\":7,\"l2\":-3,\"memory\":2.5") "," GPU(
                   4, 6e9,
                   "\"clock_mhz\":1755,\"launch_ns\":1180.5,\"reuse_flops_per_s\":7e9,\"handover_ns\":-"
                   "1")) "read line; " SAYS_LIMITS(9, ONE(1, 1, "") "," ONE(4, 1, "")) "read line",
        "" SAYS_LIMITS(4, ONE(1, 1, "") "," ONE(3, 1, "")) "read line",
        "" SAYS_LIMITS(5, ONE(1, 1, "")) "read line",
        "" SAYS_LIMITS(6, ONE(1, 1, "") "," ONE(4, 0, "")) "read line",
        "exit 1",
        "echo oops; read line",
        "" SAYS_LIMITS(9, "") "read line",
        NULL
    };
    static const int threads[] = { 1, 4 };
    const char *err;
    const LimitRequest q = { "avx2", "f32", 2, threads, 3e9, "/tmp/limits.so" };
    LimitRecord l[2];
    size_t len;
    int n;
    Runner *r = start_script(says);
    for (int i = 0; i < 9; i++) {
        assert_true(limit_measure(r, w->a, &q, l, &n, NULL, &err));
        assert_int_equal(n, i == 1 ? 2 : 0);
        if (i == 1) {
            assert_true(l[0].threads == 1 && l[0].flops_per_s == 5e9 && l[1].threads == 4 && l[1].flops_per_s == 6e9);
            assert_true(l[0].bytes_per_s[LEVEL_L1] == 7 && l[0].bytes_per_s[LEVEL_L2] == 0 &&
                        l[0].bytes_per_s[LEVEL_L3] == 0 && l[0].bytes_per_s[LEVEL_MEMORY] == 2.5);
            assert_true(l[0].clock_mhz == 0 && l[0].launch_ns == 0 && l[0].handover_ns == 0);
            assert_true(l[0].reuse_flops_per_s == 0 && l[1].reuse_flops_per_s == 7e9);
            assert_true(l[1].clock_mhz == 1755 && l[1].launch_ns == 1180.5 && l[1].handover_ns == 0);
            assert_true(l[1].bytes_per_s[LEVEL_L3] == 8 && l[1].bytes_per_s[LEVEL_L1] == 0);
            assert_string_equal(l[1].device, "0123456789abcdef");
            assert_string_equal(l[1].target, "avx2");
        }
    }
    assert_string_equal(text_read_file(w->a, arena_printf(w->a, "%s.script.line", w->reference), &len),
                        "{\"cmd\":\"limits\",\"id\":2,\"target\":\"avx2\",\"dtype\":\"f32\",\"threads\":[1,4],"
                        "\"max_ns\":3000000000.0,\"so\":\"/tmp/limits.so\"}\n");
    text_read_file(w->a, arena_printf(w->a, "%s.script.runs", w->reference), &len);
    assert_int_equal(len, 7 * strlen("run\n")); /* of nine requests the first three met the same one */
    runner_stop(r);
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(runner_is_here)
