/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: what a runner says to each line, word by word, and in which order its engine is asked. The engine and the clock are made up.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/flush.h"
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "search/runner/serve.h"
#include "tests/tmp_folder.h"

static double now_ns;
double process_clock_ns(void) { return now_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

/* ---- the engine ---- */

static char calls[1000]; /* what it was asked, a letter each */
static bool opens, times, says_hello;
static Timing timing; /* of the last request */
static Setup known;   /* at that time */
static double until_ns[4];
static int nlimit;

static void note(char what)
{
    const size_t n = strlen(calls);
    if (n + 1 < sizeof calls)
        calls[n] = what;
}

static json_t *hello(Arena *a, const char **err)
{
    (void)a;
    *err = "no device";
    return says_hello ? json_pack("{s:{s:s}}", "device", "id", "d") : NULL;
}

static bool open_work(Work *w, char why[WHY_BYTES])
{
    note('o');
    timing = w->timing;
    known = *w->setup;
    snprintf(why, WHY_BYTES, "no room");
    return opens;
}

/* By the first letter of its key. */
static bool verify(Work *w, int i)
{
    Kernel *k = &w->kernel[i];
    note('v');
    k->status = *k->key == 'w' ? STATUS_WRONG : STATUS_OK;
    k->max_err = *k->key == 'w' ? INFINITY : 0.5;
    if (k->status != STATUS_OK)
        snprintf(k->why, sizeof k->why, "row \"1\"");
    return k->status == STATUS_OK;
}

static bool take_times(Work *w, char why[WHY_BYTES])
{
    note('t');
    snprintf(why, WHY_BYTES, "no clock");
    for (int i = 0; i < w->nkernel; i++)
        if (w->kernel[i].status == STATUS_OK) {
            w->timing.begin(w->timing.ctx, i);
            w->kernel[i].ns[0] = 10.5 + i;
            w->kernel[i].ns[1] = 20;
            w->kernel[i].nsample = 2;
            if (*w->kernel[i].key == 'm')
                w->kernel[i].more = json_pack("{s:i}", "cold_ns", 7);
            if (*w->kernel[i].key == 'l') {
                w->kernel[i].nsample = 0;
                kernel_fail(&w->kernel[i], STATUS_WRONG, "late");
            }
        }
    return times;
}

static void close_work(Work *w)
{
    (void)w;
    note('c');
}

static void end(void) { note('e'); }

static bool limits(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err)
{
    (void)a;
    *err = "not of that";
    until_ns[nlimit++ % 4] = q->until_ns;
    out->flops_per_s = 100.0 * q->threads;
    out->bytes_per_s[LEVEL_L1] = 8;
    out->bytes_per_s[LEVEL_MEMORY] = 5;
    *rounds = 9;
    if (q->so && strcmp(q->so, "/x/limits.so") == 0) {
        out->clock_mhz = 1755;
        out->launch_ns = 1180;
        out->handover_ns = 0.5;
    }
    return strcmp(q->target, "none") != 0;
}

/* The input backwards; none of what begins with an x. */
static bool call(Call *c)
{
    const char *in = c->in;
    char *out = c->out;
    note('k');
    for (size_t i = 0; i < c->out_bytes; i++)
        out[i] = i < c->in_bytes ? in[c->in_bytes - 1 - i] : (char)('0' + c->extent[1]);
    return *in != 'x' || kernel_fail(&c->kernel, STATUS_INVALID, "an x");
}

static Engine engine = { .program = "made-up",
                         .runner = "x",
                         .hello = hello,
                         .open = open_work,
                         .verify = verify,
                         .time = take_times,
                         .close = close_work,
                         .end = end,
                         .limits = limits,
                         .call = call };

/* ---- talking ---- */

static char folder[TMP_FOLDER_BYTES], reference[TMP_FOLDER_BYTES + 32], setup[2000];
static char *said;

static int make_reference(void **state)
{
    (void)state;
    char command[2 * TMP_FOLDER_BYTES];
    if (!tmp_folder(folder))
        return -1;
    snprintf(reference, sizeof reference, "%s/reference.so", folder);
    snprintf(command, sizeof command,
             "echo 'void dcgen_reference_rows(void) {} void dcgen_reference_check(void) {} long "
             "dcgen_reference_terms(const long *e) { return e[2]; } int dcgen_launch(void) { return 0; }' | cc -x c "
             "-shared -fPIC -o %s -",
             reference);
    snprintf(setup, sizeof setup,
             "{\"cmd\":\"setup\",\"reference\":\"%s\",\"dtype\":\"f32\",\"seed\":1,\"operands\":["
             "{\"name\":\"X\",\"role\":\"in\",\"dtype\":\"f32\"},{\"name\":\"W\",\"role\":\"const\",\"dtype\":\"f32\"},"
             "{\"name\":\"Y\",\"role\":\"out\",\"dtype\":\"f32\"}]}\n",
             reference);
    return system(command);
}

static int remove_reference(void **state)
{
    (void)state;
    free(said);
    return tmp_folder_remove(folder);
}

static int make(void **state)
{
    (void)state;
    memset(calls, 0, sizeof calls);
    opens = times = says_hello = true;
    engine.time = take_times;
    engine.limits = limits;
    engine.call = call;
    now_ns = 1e9;
    nlimit = 0;
    return 0;
}

/* What is said to these lines, behind the hello. */
static const char *say(const char *lines)
{
    static const char greeting[] = "{\"event\":\"hello\",\"protocol\":1,\"runner\":\"x\",\"device\":{\"id\":\"d\"}}\n";
    size_t n;
    FILE *in = tmpfile();
    assert_non_null(in);
    fputs(lines, in);
    rewind(in);
    free(said);
    FILE *out = open_memstream(&said, &n);
    assert_int_equal(serve_streams(&engine, fileno(in), out), 0);
    fclose(out);
    fclose(in);
    assert_memory_equal(said, greeting, strlen(greeting));
    return said + strlen(greeting);
}

/* A request for 5 x 7 x 9 with these further fields and kernels by their keys. */
static const char *request(const char *fields, const char *keys)
{
    static char line[4000];
    size_t n = (size_t)snprintf(line, sizeof line,
                                "%s{\"cmd\":\"measure\",\"id\":7,\"extent\":[5,7,9],\"elems\":[45,63,35],\"rows\":5,"
                                "\"row_elems\":7,\"flops\":630,%s,\"kernels\":[",
                                setup, fields);
    for (int i = 0; keys[i]; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s{\"key\":\"%c\",\"so\":\"/%d\"}", i ? "," : "", keys[i], i);
    snprintf(line + n, sizeof line - n, "]}\n");
    return line;
}

static const char plain[] = "\"threads\":1,\"repeats\":2,\"sample_ns\":10,\"max_ns\":20";

#define READY "{\"event\":\"ready\"}\n"
#define BEGIN(kernel, phase) "{\"event\":\"begin\",\"id\":7,\"kernel\":" #kernel ",\"phase\":\"" phase "\"}\n"
#define RESULT "{\"event\":\"result\",\"id\":7,\"kernel\":"
#define DONE "{\"event\":\"done\",\"id\":7}\n"

/* Who fails is told at once, the others behind their times. */
TEST(results_in_their_order)
{
    assert_string_equal(say(request(plain, "cwm")), READY BEGIN(0, "verify") BEGIN(1, "verify") RESULT
                        "1,\"status\":\"wrong\",\"ns\":[],\"max_err\":1e30,\"why\":\"row \\\"1\\\"\"}\n" BEGIN(
                            2, "verify") BEGIN(0, "time") BEGIN(2, "time") RESULT
                        "0,\"status\":\"ok\",\"ns\":[10.5,20.0],\"max_err\":0.5}\n" RESULT
                        "2,\"status\":\"ok\",\"ns\":[12.5,20.0],\"max_err\":0.5,\"cold_ns\":7}\n" DONE);
    assert_string_equal(calls, "ovvvtce");
}

/* A kernel that fails when it is timed is told of too. */
TEST(what_fails_late_is_told)
{
    assert_string_equal(say(request(plain, "lc")),
                        READY BEGIN(0, "verify") BEGIN(1, "verify") BEGIN(0, "time") BEGIN(1, "time") RESULT
                        "0,\"status\":\"wrong\",\"ns\":[],\"max_err\":0.5,\"why\":\"late\"}\n" RESULT
                        "1,\"status\":\"ok\",\"ns\":[11.5,20.0],\"max_err\":0.5}\n" DONE);
}

TEST(no_times_are_taken)
{
    for (int i = 0; i < 2; i++) {
        make(NULL);
        engine.time = i ? NULL : take_times;
        assert_string_equal(say(request(i ? plain : "\"threads\":1,\"repeats\":0,\"sample_ns\":10,\"max_ns\":20", "a")),
                            READY BEGIN(0, "verify") RESULT "0,\"status\":\"ok\",\"ns\":[],\"max_err\":0.5}\n" DONE);
        assert_string_equal(calls, "ovce");
    }
}

/* What was opened is closed, whatever becomes of it. */
TEST(requests_that_fail)
{
    opens = false;
    assert_string_equal(say(request(plain, "a")), READY "{\"event\":\"error\",\"text\":\"no room\"}\n");
    assert_string_equal(calls, "oce");
    make(NULL);
    times = false;
    assert_string_equal(say(request(plain, "w")), READY BEGIN(0, "verify") RESULT
                        "0,\"status\":\"wrong\",\"ns\":[],\"max_err\":1e30,\"why\":\"row \\\"1\\\"\"}\n"
                        "{\"event\":\"error\",\"text\":\"no clock\"}\n");
    assert_string_equal(calls, "ovtce");
    make(NULL);
    says_hello = false;
    FILE *none = tmpfile();
    assert_int_equal(serve_streams(&engine, fileno(none), none), 3);
    assert_string_equal(calls, "");
    fclose(none);
}

/* Each field, its default and its bounds. */
TEST(fields_of_a_request)
{
    say(request(plain, "a"));
    assert_true(timing.threads == 1 && timing.repeats == 2 && timing.sample_ns == 10 && timing.max_ns == 20);
    assert_true(timing.drop == 0 && timing.keep == -1);
    say(request("\"threads\":1024,\"repeats\":64,\"sample_ns\":0,\"max_ns\":1.5e9,\"hot\":true,\"drop\":1.5,\"keep\":3",
                "a"));
    assert_true(timing.threads == 1024 && timing.repeats == 64 && timing.max_ns == 1.5e9 && timing.drop == 1.5 &&
                timing.keep == 3);
    engine.flushes = true;
    say(request("\"threads\":1,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1,\"hot\":false", "a"));
    assert_true(timing.cold || !flush_line());
    engine.flushes = false;
    static const char *const bad[][2] = {
        { "\"threads\":1025,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1", "threads must be from 1 to 1024" },
        { "\"threads\":0,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1", "threads must be from 1 to 1024" },
        { "\"threads\":1,\"repeats\":65,\"sample_ns\":1,\"max_ns\":1", "repeats must be from 0 to 64" },
        { "\"threads\":1,\"repeats\":-1,\"sample_ns\":1,\"max_ns\":1", "repeats must be from 0 to 64" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":-1,\"max_ns\":1", "sample_ns must be 0 or more" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":1,\"max_ns\":-1", "max_ns must be 0 or more" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1,\"drop\":1", "drop must be 0 or above 1" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1,\"hot\":false", "only hot caches can be measured" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":1", "measure: Object item not found: max_ns" },
        { "\"threads\":\"1\",\"repeats\":2,\"sample_ns\":1,\"max_ns\":1", "measure: Expected integer, got string" },
        { "\"threads\":1,\"repeats\":2,\"sample_ns\":1,\"max_ns\":1,\"smem_limit\":-1",
          "smem_limit must be 0 or more" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char want[300];
        make(NULL);
        snprintf(want, sizeof want, READY "{\"event\":\"error\",\"text\":\"%s\"}\n", bad[i][1]);
        assert_string_equal(say(request(bad[i][0], "a")), want);
        assert_string_equal(calls, "e");
    }
    assert_string_equal(say(request(plain, "")),
                        READY "{\"event\":\"error\",\"text\":\"kernels must be a list of one at least\"}\n");
    assert_string_equal(say(strchr(request(plain, "a"), '\n') + 1),
                        "{\"event\":\"error\",\"text\":\"measure before setup\"}\n");
}

/* Of an empty result all kernels are right, and the engine is not asked. */
TEST(an_empty_output)
{
    char lines[4000];
    snprintf(
        lines, sizeof lines,
        "%s{\"cmd\":\"measure\",\"id\":7,\"extent\":[0,7,9],\"elems\":[0,63,0],\"rows\":0,\"row_elems\":7,\"flops\":0,"
        "%s,\"kernels\":[{\"key\":\"w\",\"so\":\"/0\"}]}\n",
        setup, plain);
    assert_string_equal(say(lines), READY RESULT "0,\"status\":\"ok\",\"ns\":[],\"max_err\":0.0}\n" DONE);
    assert_string_equal(calls, "e");
}

#define FIVE_TIMES(s) s s s s s
#define TEN_TIMES(s) FIVE_TIMES(s) FIVE_TIMES(s)

/* What is wrong with a line of its own, word by word. */
TEST(lines_that_are_refused)
{
#define MEASURE(fields) "{\"cmd\":\"measure\"," fields "}\n"
#define REQUEST_WITH(repeats, more)                                                                                    \
    MEASURE("\"id\":7,\"extent\":[5,7,9],\"elems\":[45,63,35],\"rows\":5,\"row_elems\":7,\"flops\":630,\"threads\":1," \
            "\"repeats\":" repeats ",\"sample_ns\":10,\"max_ns\":20," more)
#define APART(repeats, apart) REQUEST_WITH(repeats, "\"apart\":" apart)
#define TOLD(repeats, data) REQUEST_WITH(repeats, "\"data\":\"" data "\"")
#define OF_NO_SUCH_SIZE "apart: operand 0 is not of that size, its elements overlap, or lie too far apart"
#define ALONG_WHAT "along must be 3 integers above 0 that divide the operands' sizes"
#define SHAPE(extent, elems, rows)                                              \
    MEASURE("\"id\":7,\"extent\":" extent ",\"elems\":" elems ",\"rows\":" rows \
            ",\"row_elems\":7,\"flops\":630,\"threads\":1,\"repeats\":2,\"sample_ns\":10,\"max_ns\":20")
#define KERNEL(kernel) REQUEST_WITH("2", "\"kernels\":[" kernel "]")
    static const char *const bad[][2] = {
        { "[1\n", "not JSON: ']' expected near end of file" },
        { "{\"cmd\":\"sleep\"}\n", "unknown cmd" },
        { "{}\n", "unknown cmd" },
        { MEASURE("\"threads\":1"), "measure: Object item not found: id" },
        { MEASURE("\"id\":7,\"extent\":[5,7,9]"), "measure: Object item not found: rows" },
        { SHAPE("[]", "[45,63,35]", "5"), "extent must be a list of 1 to 156 integers" },
        { SHAPE("7", "[45,63,35]", "5"), "extent must be a list of 1 to 156 integers" },
        { SHAPE("[5,-2147483648,9]", "[45,63,35]", "5"), "extent must be -2147483647 or more" },
        { SHAPE("[5,7.5,9]", "[45,63,35]", "5"), "extent must be a list of 1 to 156 integers" },
        { SHAPE("[" TEN_TIMES("5,7,9,1,1,1,1,1,1,1,1,8,1,1,1,1,") "1]", "[45,63,35]", "5"),
          "extent must be a list of 1 to 156 integers" },
        { SHAPE("[5,7,9,1,1,1]", "[45,63]", "5"), "elems must be 3 integers from 0 to 68719476736, one an operand" },
        { SHAPE("[0,7,9]", "[45,68719476737,35]", "5"),
          "elems must be 3 integers from 0 to 68719476736, one an operand" },
        { SHAPE("[5,7,9]", "[68719476736,63,35]", "6"), "rows times row_elems is not the size of the output" },
        { SHAPE("[5,7,9]", "[45,63,7]", "0"), "rows times row_elems is not the size of the output" },
        { SHAPE("[5,7,9]", "[45,63,0]", "-1"), "rows times row_elems is not the size of the output" },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,\"out_extents\":[]"), "out_extents must be a list of 1 to 12 integers" },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,\"out_extents\":[5,8]"),
          "the product of out_extents is not the size of the output" },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,\"out_extents\":[68719476736,68719476736,35]"),
          "the product of out_extents is not the size of the output" },
        { APART("0", "3"), "apart must be a list, of a request without repeats" },
        { APART("2", "[{\"operand\":0,\"extents\":[5,9],\"strides\":[10]}]"),
          "apart must be a list, of a request without repeats" },
        { APART("0", "[3]"), "apart: Expected object, got integer" },
        { APART("0", "[{\"operand\":3}]"), "apart: there is no operand 3" },
        { APART("0", "[{\"operand\":0,\"extents\":[5,9]}]"),
          "apart: extents and strides must be lists of integers, of strides one less" },
        { APART("0", "[{\"operand\":0,\"extents\":[5,9],\"strides\":[10,1]}]"),
          "apart: extents and strides must be lists of integers, of strides one less" },
        { APART("0", "[{\"operand\":0,\"extents\":[5,8],\"strides\":[10]}]"), OF_NO_SUCH_SIZE },
        { APART("0", "[{\"operand\":0,\"extents\":[5,9],\"strides\":[8]}]"), OF_NO_SUCH_SIZE },
        { APART("0", "[{\"operand\":0,\"extents\":[5,9],\"strides\":[68719476736]}]"), OF_NO_SUCH_SIZE },
        { TOLD("2", "outliers"), "data must be a kind of real numbers, of a request without repeats" },
        { TOLD("0", "integers"), "data must be a kind of real numbers, of a request without repeats" },
        { REQUEST_WITH("0", "\"along\":[9,9]"), ALONG_WHAT },
        { REQUEST_WITH("0", "\"along\":[9,9,0]"), ALONG_WHAT },
        { REQUEST_WITH("0", "\"along\":[9,8,7]"), ALONG_WHAT },
        { REQUEST_WITH("0", "\"way\":4,\"kernels\":[]"), "way must be from 0 to 3" },
        { TOLD("0", "large"), "data must be a kind of real numbers, of a request without repeats" },
        { KERNEL("{\"key\":\"a\"}"), "kernel: Object item not found: so" },
        { KERNEL("{\"key\":\"a\",\"so\":\"libm.so.6\"}"), "so must be a path" },
        { "{\"cmd\":\"limits\"}\n", "threads must be a list of 1 to 64 integers" },
        { "{\"cmd\":\"limits\",\"id\":5,\"target\":\"x\",\"dtype\":\"f32\",\"threads\":[0],\"max_ns\":3}\n",
          "threads must be from 1 to 1024" },
        { "{\"cmd\":\"limits\",\"threads\":[1]}\n", "limits: Object item not found: id" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char lines[4000], want[300];
        make(NULL);
        snprintf(lines, sizeof lines, "%s%s", setup, bad[i][0]);
        snprintf(want, sizeof want, READY "{\"event\":\"error\",\"text\":\"%s\"}\n", bad[i][1]);
        assert_string_equal(say(lines), want);
        assert_string_equal(calls, "e");
    }
    char *line = malloc(LINE_MAX_BYTES + 3);
    memset(line, ' ', LINE_MAX_BYTES + 1);
    strcpy(line + LINE_MAX_BYTES + 1, "\n");
    assert_string_equal(say(line), "{\"event\":\"error\",\"text\":\"a line is longer than 1048576 bytes\"}\n");
    free(line);
}

/* One output; of several constants the first; what was loaded is released. */
TEST(a_setup_is_taken_over)
{
    char lines[4000];
    snprintf(lines, sizeof lines,
             "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":4294967297,\"operands\":["
             "{\"name\":\"C\",\"role\":\"const\",\"dtype\":\"bf16\",\"data\":\"integers\"},{\"name\":\"a-name-that-is-"
             "too-long\",\"role\":"
             "\"in\",\"dtype\":\"f32\"},{\"name\":\"D\",\"role\":\"const\",\"dtype\":\"f32\"}",
             reference);
    for (int i = 3; i < OP_MAX_OPERAND; i++)
        strcat(lines, i == 6 ? ",{\"name\":\"Y\",\"role\":\"out\",\"dtype\":\"f32\"}"
                             : ",{\"name\":\"X\",\"role\":\"in\",\"dtype\":\"f32\"}");
    char *end = lines + strlen(lines);
    strcpy(end, "]}\n{\"cmd\":\"measure\",\"id\":7,\"extent\":[5,7,9],\"elems\":[1,2,3,1,1,1,35,1,1,1,1,1],\"rows\":5,"
                "\"row_elems\":7,\"flops\":630,\"threads\":1,\"repeats\":0,\"sample_ns\":1,\"max_ns\":1,\"kernels\":["
                "{\"key\":\"a\",\"so\":\"/a\"}]}\n");
    assert_non_null(strstr(say(lines), DONE));
    assert_true(known.seed == 4294967297 && known.noperand == OP_MAX_OPERAND && known.out == 6 && known.constant == 0 &&
                known.nconstant == 2);
    assert_true(known.role[0] == ROLE_CONST && known.role[1] == ROLE_IN && known.role[6] == ROLE_OUT);
    assert_true(known.data[0] == DATA_INTEGERS && known.data[1] == DATA_NORMAL);
    assert_true(known.dtype[0] == dtype_find("bf16") && known.dtype[1] == dtype_find("f32"));
    assert_string_equal(known.name[1], "a-name-that-is-");
    assert_null(dlopen(reference, RTLD_NOW | RTLD_NOLOAD));
    strcpy(end, ",{\"name\":\"X\",\"role\":\"in\",\"dtype\":\"f32\"}]}\n");
    assert_string_equal(say(lines),
                        "{\"event\":\"error\",\"text\":\"setup: there must be 1 to 12 operands with one output\"}\n");
    snprintf(
        lines, sizeof lines,
        "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":["
        "{\"name\":\"Y\",\"role\":\"out\",\"dtype\":\"f32\"},{\"name\":\"Z\",\"role\":\"out\",\"dtype\":\"f32\"}]}\n",
        reference);
    assert_string_equal(say(lines), "{\"event\":\"error\",\"text\":\"setup: operand 1 is a second output\"}\n");
}

/* A part of the time for each number of threads. */
TEST(limits_share_the_time)
{
    static const char asks[] =
        "{\"cmd\":\"limits\",\"id\":5,\"target\":\"%s\",\"dtype\":\"f32\",\"threads\":[1,2,4],\"max_ns\":300}\n";
    char line[300];
    snprintf(line, sizeof line, asks, "some");
    assert_string_equal(
        say(line),
        "{\"event\":\"limits\",\"id\":5,\"limits\":["
        "{\"threads\":1,\"rounds\":9,\"flops_per_s\":100.0,\"bytes_per_s\":{\"l1\":8.0,\"memory\":5.0}},"
        "{\"threads\":2,\"rounds\":9,\"flops_per_s\":200.0,\"bytes_per_s\":{\"l1\":8.0,\"memory\":5.0}},"
        "{\"threads\":4,\"rounds\":9,\"flops_per_s\":400.0,\"bytes_per_s\":{\"l1\":8.0,\"memory\":5.0}}]}\n");
    assert_true(until_ns[0] == 1e9 + 100 && until_ns[1] == 1e9 + 200 && until_ns[2] == 1e9 + 300);
    snprintf(line, sizeof line, asks, "some\",\"so\":\"/x/limits.so");
    strcpy(strstr(line, "1,2,4"), "1],\"max_ns\":300}\n");
    assert_string_equal(say(line),
                        "{\"event\":\"limits\",\"id\":5,\"limits\":["
                        "{\"threads\":1,\"rounds\":9,\"flops_per_s\":100.0,\"bytes_per_s\":{\"l1\":8.0,"
                        "\"memory\":5.0},\"clock_mhz\":1755.0,\"launch_ns\":1180.0,\"handover_ns\":0.5}]}\n");
    snprintf(line, sizeof line, asks, "some\",\"so\":\"limits.so");
    assert_string_equal(say(line), "{\"event\":\"error\",\"text\":\"so must be a path\"}\n");
    snprintf(line, sizeof line, asks, "none");
    assert_string_equal(say(line), "{\"event\":\"error\",\"text\":\"not of that\"}\n");
    engine.limits = NULL;
    assert_string_equal(say(line), "{\"event\":\"error\",\"text\":\"this runner measures no limits\"}\n");
}

/* The setup before is forgotten, even where the next one fails. */
TEST(a_setup_takes_the_place_of_another)
{
    static const char rows[][2][300] = {
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"in\",\"dtype\":"
          "\"f32\"}]}\n",
          "setup: there must be 1 to 12 operands with one output" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"inout\","
          "\"dtype\":\"f32\"}]}\n",
          "setup: operand 0 has an unknown role" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"out\",\"dtype\":"
          "\"f33\"}]}\n",
          "setup: operand 0 has an unknown dtype" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"out\"}]}\n",
          "setup: operand 0: Object item not found: dtype" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s.not\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"out\","
          "\"dtype\":\"f32\"}]}\n",
          "setup: REFERENCE.not: cannot open shared object file: No such file or directory" },
        { "{\"cmd\":\"setup\",\"reference\":\"libm.so.6\",\"x\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\","
          "\"role\":"
          "\"out\",\"dtype\":\"f32\"}]}\n",
          "setup: the reference lacks a function of dcgen_reference_rows, _terms" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"in\",\"dtype\":"
          "\"s32\",\"data\":\"odd\"}]}\n",
          "setup: operand 0 has an unknown kind of data, or one that is not of its dtype" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"in\",\"dtype\":"
          "\"f32\",\"data\":\"lengths\",\"of\":1}]}\n",
          "setup: operand 0 has an unknown kind of data, or one that is not of its dtype" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"seed\":1,\"operands\":[{\"name\":\"X\",\"role\":\"index\","
          "\"dtype\":\"s32\",\"data\":\"lengths\",\"of\":24}]}\n",
          "setup: operand 0: of is no extent" },
        { "{\"cmd\":\"setup\",\"reference\":\"%s\",\"operands\":[]}\n", "setup: Object item not found: seed" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char lines[6000], second[600], want[1000];
        const char *from = strstr(rows[i][0], "%s");
        snprintf(second, sizeof second, "%.*s%s%s", (int)(from - rows[i][0]), rows[i][0], reference, from + 2);
        snprintf(lines, sizeof lines, "%s%s%s", setup, second, strchr(request(plain, "a"), '\n') + 1);
        const char *named = strstr(rows[i][1], "REFERENCE");
        snprintf(
            want, sizeof want,
            READY
            "{\"event\":\"error\",\"text\":\"%.*s%s%s\"}\n{\"event\":\"error\",\"text\":\"measure before setup\"}\n",
            named ? (int)(named - rows[i][1]) : 0, rows[i][1], named ? reference : "",
            named ? named + strlen("REFERENCE") : rows[i][1]);
        assert_string_equal(say(lines), want);
    }
}

/* ---- the program ---- */

/* What the engine's code finds: streams that lead nowhere else, no core files, and that it dies with who started it. */
static json_t *hello_of_streams(Arena *a, const char **err)
{
    (void)a, (void)err;
    char byte;
    int death = 0;
    struct rlimit core;
    struct stat out, error;
    prctl(PR_GET_PDEATHSIG, &death);
    getrlimit(RLIMIT_CORE, &core);
    fstat(STDOUT_FILENO, &out);
    fstat(STDERR_FILENO, &error);
    const bool alone = read(STDIN_FILENO, &byte, 1) == 0 && out.st_ino == error.st_ino && out.st_dev == error.st_dev;
    const bool plain_signals = signal(SIGTERM, SIG_DFL) == SIG_DFL && signal(SIGPIPE, SIG_DFL) == SIG_DFL;
    return json_pack("{s:b, s:b, s:b, s:i}", "alone", alone, "signals", plain_signals, "cores",
                     core.rlim_cur > 0 || core.rlim_max > 0, "death", death);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Its fields as they stand, or with others. */
static const char *call_line(const char *extent, const char *in, const char *out, const char *more)
{
    static char line[4 * TMP_FOLDER_BYTES];
    snprintf(line, sizeof line,
             "{\"cmd\":\"call\",\"id\":3,\"so\":\"%s\",\"extent\":%s,\"in\":\"%s/%s\",\"out\":\"%s/%s\",%s}\n",
             reference, extent, folder, in, folder, out, more);
    return line;
}

TEST(calls_go_from_file_to_file)
{
    char path[TMP_FOLDER_BYTES + 32], text[16] = "";
    static const char ok[] = "{\"event\":\"called\",\"id\":3,\"status\":\"ok\",\"why\":\"\"}\n";
    snprintf(path, sizeof path, "%s/in", folder);
    put(path, "abc");
    assert_string_equal(say(call_line("[7,8]", "in", "out", "\"out_bytes\":5")), ok);
    assert_string_equal(calls, "ke"); /* it needs no setup */
    snprintf(path, sizeof path, "%s/out", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text, f), 5);
    fclose(f);
    assert_string_equal(text, "cba88");
    assert_string_equal(say(call_line("[7,8]", "in", "out", "\"out_bytes\":5,\"smem_limit\":9")), ok);
    snprintf(path, sizeof path, "%s/x", folder);
    put(path, "x");
    assert_string_equal(say(call_line("[1]", "x", "none", "\"out_bytes\":1")),
                        "{\"event\":\"called\",\"id\":3,\"status\":\"invalid\",\"why\":\"an x\"}\n");
    snprintf(path, sizeof path, "%s/none", folder);
    assert_int_not_equal(access(path, F_OK), 0); /* no output of what failed */
}

TEST(calls_that_are_refused)
{
    static const struct {
        const char *extent, *in, *out, *more, *why;
    } rows[] = { { "[]", "in", "out", "\"out_bytes\":1", "extent must be a list of 1 to 156 integers" },
                 { "[-2147483648]", "in", "out", "\"out_bytes\":1", "extent must be -2147483647 or more" },
                 { "[" TEN_TIMES("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,") "1]", "in", "out", "\"out_bytes\":1",
                   "extent must be a list of 1 to 156 integers" },
                 { "[1]", "in", "out", "\"out_bytes\":0", "out_bytes must be from 1 to 1073741824" },
                 { "[1]", "in", "out", "\"out_bytes\":1073741825", "out_bytes must be from 1 to 1073741824" },
                 { "[1]", "in", "out", "\"more\":1", "call: Object item not found: out_bytes" },
                 { "[1]", "in", "out", "\"out_bytes\":1,\"smem_limit\":-1", "smem_limit must be 0 or more" },
                 { "[1]", "nowhere", "out", "\"out_bytes\":1", "the file in cannot be read, or is empty or too long" },
                 { "[1]", "empty", "out", "\"out_bytes\":1", "the file in cannot be read, or is empty or too long" },
                 { "[1]", "", "out", "\"out_bytes\":1", "the file in cannot be read, or is empty or too long" },
                 { "[1]", "in", "no/where", "\"out_bytes\":1", "the file out cannot be written" } };
    char path[TMP_FOLDER_BYTES + 32], want[200];
    snprintf(path, sizeof path, "%s/empty", folder);
    put(path, "");
    snprintf(path, sizeof path, "%s/in", folder);
    put(path, "abc");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(want, sizeof want, "{\"event\":\"error\",\"text\":\"%s\"}\n", rows[i].why);
        assert_string_equal(say(call_line(rows[i].extent, rows[i].in, rows[i].out, rows[i].more)), want);
    }
    assert_string_equal(
        say("{\"cmd\":\"call\",\"id\":3,\"so\":\"k.so\",\"extent\":[1],\"in\":\"/\",\"out\":\"/\",\"out_bytes\":1}\n"),
        "{\"event\":\"error\",\"text\":\"so must be a path\"}\n");
    engine.call = NULL;
    assert_string_equal(say(call_line("[1]", "in", "out", "\"out_bytes\":1")),
                        "{\"event\":\"error\",\"text\":\"this runner makes no calls\"}\n");
}

/* The whole program in a process of its own, which is asked for one unknown thing; its exit code. */
static int run_program(const char *out, int argc)
{
    char name[] = "made-up", *argv[] = { name, name, NULL };
    FILE *in = tmpfile();
    assert_non_null(in);
    fputs("{}\n", in);
    rewind(in);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
        dup2(fileno(in), STDIN_FILENO);
        dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        engine.hello = says_hello ? hello_of_streams : hello;
        _exit(serve_main(&engine, argc, argv));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    fclose(in);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_program_of_its_own)
{
    char out[TMP_FOLDER_BYTES + 32], text[500] = "";
    snprintf(out, sizeof out, "%s/out", folder);
    assert_int_equal(run_program(out, 1), 0);
    FILE *f = fopen(out, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, "{\"event\":\"hello\",\"protocol\":1,\"runner\":\"x\",\"alone\":true,\"signals\":true,"
                              "\"cores\":false,\"death\":9}\n{\"event\":\"error\",\"text\":\"unknown cmd\"}\n");
    assert_int_equal(run_program(out, 2), 2);
    assert_int_equal(run_program("/dev/full", 1), 1); /* nobody hears it */
    says_hello = false;
    assert_int_equal(run_program(out, 1), 3);
}

TEST_EACH(make, NULL)
TEST_FILE(make_reference, remove_reference)
