/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: what a runner says to each line, word by word, and in which order its engine is asked. The engine and the
 * clock are made up.
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
#include "gen/base/text.h"
#include "search/runner/serve.h"
#include "tests/put_file.h"
#include "tests/quoted.h"
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

static void close_work(Work *w) { note('c'); }

static void end(void) { note('e'); }

static bool limits(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err)
{
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
        out->reuse_flops_per_s = 200;
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

static char folder[TMP_FOLDER_BYTES], *said;

#define SETUP(seed, operands) \
    "{'cmd':'setup','reference':'FOLDER/reference.so','dtype':'f32','seed':" #seed ",'operands':[" operands "]}\n"
#define OPERAND(name, role, more) "{'name':'" name "','role':'" role "'," more "}"
#define X_IN "," OPERAND("X", "in", "'dtype':'f32'")
static const char setup[] = SETUP(1, OPERAND("X", "in", "'dtype':'f32'") "," OPERAND(
                                         "W", "const", "'dtype':'f32'") "," OPERAND("Y", "out", "'dtype':'f32'"));
#define READY "{'event':'ready'}\n"
#define BEGIN(kernel, phase) "{'event':'begin','id':7,'kernel':" #kernel ",'phase':'" phase "'}\n"
#define RESULT "{'event':'result','id':7,'kernel':"
#define DONE "{'event':'done','id':7}\n"
#define NO_LIST "extent must be a list of 1 to 156 integers"
#define NO_FILE "the file in cannot be read, or is empty or too long"
#define ERROR(text) "{'event':'error','text':'" text "'}\n"

static int make_reference(void **state)
{
    char command[2 * TMP_FOLDER_BYTES];
    if (!tmp_folder(folder))
        return -1;
    snprintf(command, sizeof command,
             "echo 'void dcgen_reference_rows(void) {} void dcgen_reference_check(void) {} int dcgen_launch(void) "
             "{ return 0; } long dcgen_reference_terms(const long *e) { return e[2]; }' | "
             "cc -x c -shared -fPIC -o %s/reference.so -",
             folder);
    return system(command);
}

static int remove_reference(void **state)
{
    free(said);
    return tmp_folder_remove(folder);
}

static int make(void **state)
{
    memset(calls, 0, sizeof calls);
    opens = times = says_hello = true;
    engine.time = take_times;
    engine.limits = limits;
    engine.call = call;
    now_ns = 1e9;
    nlimit = 0;
    return 0;
}

/* The path of a file in the folder. */
static const char *path_of(const char *name)
{
    static char path[TMP_FOLDER_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Text in single quotes for text in double ones. */
static char *singles(char *text)
{
    for (char *c = text; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    return text;
}

/* What is said to these lines, behind the hello. Both are JSON in single quotes, in which FOLDER stands for the
 * folder. */
#define say(...) say_lines((const char *[]){ __VA_ARGS__, NULL })
static const char *say_lines(const char *const *lines)
{
    static const char greeting[] = "{'event':'hello','protocol':1,'runner':'x','device':{'id':'d'}}\n";
    size_t n;
    FILE *in = tmpfile();
    assert_non_null(in);
    for (; *lines; lines++) {
        const char *text = quoted(*lines);
        for (const char *at; (at = strstr(text, "FOLDER")); text = at + strlen("FOLDER"))
            fprintf(in, "%.*s%s", (int)(at - text), text, folder);
        fputs(text, in);
    }
    rewind(in);
    free(said);
    FILE *out = open_memstream(&said, &n);
    assert_int_equal(serve_streams(&engine, fileno(in), out), 0);
    fclose(out);
    fclose(in);
    assert_memory_equal(singles(said), greeting, strlen(greeting));
    return said + strlen(greeting);
}

static void assert_error(const char *answer, const char *text)
{
    char want[400];
    snprintf(want, sizeof want, ERROR("%s"), text);
    assert_string_equal(answer, want);
}

/* Behind a setup that is taken this line is refused, with this text, and the engine is not asked. */
static void expect_error(const char *line, const char *text)
{
    make(NULL);
    const char *answer = say(setup, line);
    assert_memory_equal(answer, READY, strlen(READY));
    assert_error(answer + strlen(READY), text);
    assert_string_equal(calls, "e");
}

#define MEASURE(fields) "{'cmd':'measure'," fields "}\n"

/* A request for 5 x 7 x 9 with these further fields and kernels by their keys. */
static const char *request(const char *fields, const char *keys)
{
    static char line[2000], kernels[400];
    size_t n = 0;
    kernels[0] = '\0';
    for (int i = 0; keys[i]; i++)
        n += (size_t)snprintf(kernels + n, sizeof kernels - n, "%s{'key':'%c','so':'/%d'}", i ? "," : "", keys[i], i);
    snprintf(line, sizeof line,
             MEASURE("'id':7,'extent':[5,7,9],'elems':[45,63,35],'rows':5,'row_elems':7,'flops':630,%s,'kernels':[%s]"),
             fields, kernels);
    return line;
}

#define USUAL "'threads':1,'repeats':2,'sample_ns':10,'max_ns':20"
static const char plain[] = USUAL;

#define VERIFIES(kernel) BEGIN(kernel, "verify")
#define TIMES(kernel) BEGIN(kernel, "time")
#define RIGHT(kernel, ns) RESULT #kernel ",'status':'ok','ns':[" ns "],'max_err':0.5}\n"
#define WRONG(kernel) RESULT #kernel ",'status':'wrong','ns':[],'max_err':1e30,'why':'row \\'1\\''}\n"
#define LATE(kernel) RESULT #kernel ",'status':'wrong','ns':[],'max_err':0.5,'why':'late'}\n"
#define COLD(kernel) RESULT #kernel ",'status':'ok','ns':[12.5,20.0],'max_err':0.5,'cold_ns':7}\n"

/* Who fails is told at once, the others behind their times; what fails when it is timed is told of too. What was opened
 * is closed, whatever becomes of it. */
TEST(results_in_their_order)
{
    static const char none[] = "'threads':1,'repeats':0,'sample_ns':10,'max_ns':20";
    static const struct {
        const char *lacks, *keys, *answer, *calls;
    } rows[] = {
        { "", "cwm", VERIFIES(0) VERIFIES(1) WRONG(1) VERIFIES(2) TIMES(0) TIMES(2) RIGHT(0, "10.5,20.0") COLD(2) DONE,
          "ovvvtce" },
        { "", "lc", VERIFIES(0) VERIFIES(1) TIMES(0) TIMES(1) LATE(0) RIGHT(1, "11.5,20.0") DONE, "ovvtce" },
        { "times", "a", VERIFIES(0) RIGHT(0, "") DONE, "ovce" },
        { "wish", "a", VERIFIES(0) RIGHT(0, "") DONE, "ovce" },
        { "room", "a", ERROR("no room"), "oce" },
        { "clock", "w", VERIFIES(0) WRONG(0) ERROR("no clock"), "ovtce" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        make(NULL);
        opens = strcmp(rows[i].lacks, "room") != 0;
        times = strcmp(rows[i].lacks, "clock") != 0;
        engine.time = strcmp(rows[i].lacks, "times") == 0 ? NULL : take_times;
        const char *fields = strcmp(rows[i].lacks, "wish") == 0 ? none : plain;
        const char *answer = say(setup, request(fields, rows[i].keys));
        assert_memory_equal(answer, READY, strlen(READY));
        assert_string_equal(answer + strlen(READY), rows[i].answer);
        assert_string_equal(calls, rows[i].calls);
    }
}

/* Each field, its default and its bounds. */
TEST(fields_of_a_request)
{
    say(setup, request(plain, "a"));
    assert_true(timing.threads == 1 && timing.repeats == 2 && timing.sample_ns == 10 && timing.max_ns == 20);
    assert_true(timing.drop == 0 && timing.keep == -1);
    say(setup, request("'threads':1024,'repeats':64,'sample_ns':0,'max_ns':1.5e9,'hot':true,'drop':1.5,'keep':3", "a"));
    assert_true(timing.threads == 1024 && timing.repeats == 64 && timing.max_ns == 1.5e9 && timing.drop == 1.5 &&
                timing.keep == 3);
    engine.flushes = true;
    say(setup, request(USUAL ",'hot':false", "a"));
    assert_true(timing.cold || !flush_line());
    engine.flushes = false;
    static const char *const bad[][2] = {
        { "'threads':1025,'repeats':2,'sample_ns':1,'max_ns':1", "threads must be from 1 to 1024" },
        { "'threads':0,'repeats':2,'sample_ns':1,'max_ns':1", "threads must be from 1 to 1024" },
        { "'threads':1,'repeats':65,'sample_ns':1,'max_ns':1", "repeats must be from 0 to 64" },
        { "'threads':1,'repeats':-1,'sample_ns':1,'max_ns':1", "repeats must be from 0 to 64" },
        { "'threads':1,'repeats':2,'sample_ns':-1,'max_ns':1", "sample_ns must be 0 or more" },
        { "'threads':1,'repeats':2,'sample_ns':1,'max_ns':-1", "max_ns must be 0 or more" },
        { USUAL ",'drop':1", "drop must be 0 or above 1" },
        { USUAL ",'hot':false", "only hot caches can be measured" },
        { "'threads':1,'repeats':2,'sample_ns':1", "measure: Object item not found: max_ns" },
        { "'threads':'1','repeats':2,'sample_ns':1,'max_ns':1", "measure: Expected integer, got string" },
        { USUAL ",'smem_limit':-1", "smem_limit must be 0 or more" },
    };
    for (size_t i = 0; i < LENGTH(bad); i++)
        expect_error(request(bad[i][0], "a"), bad[i][1]);
    expect_error(request(plain, ""), "kernels must be a list of one at least");
    assert_error(say(request(plain, "a")), "measure before setup");
    make(NULL); /* of an empty result all kernels are right, and the engine is not asked */
    assert_string_equal(
        say(setup, MEASURE("'id':7,'extent':[0,7,9],'elems':[0,63,0],'rows':0,'row_elems':7,'flops':0," USUAL
                           ",'kernels':[{'key':'w','so':'/0'}]")),
        READY RESULT "0,'status':'ok','ns':[],'max_err':0.0}\n" DONE);
    assert_string_equal(calls, "e");
}

#define TEN_TIMES(s) s s s s s s s s s s

/* What is wrong with a line of its own, word by word. */
TEST(lines_that_are_refused)
{
#define REQUEST_WITH(repeats, more)                                                                      \
    MEASURE("'id':7,'extent':[5,7,9],'elems':[45,63,35],'rows':5,'row_elems':7,'flops':630,'threads':1," \
            "'repeats':" repeats ",'sample_ns':10,'max_ns':20," more)
#define APART(repeats, apart) REQUEST_WITH(repeats, "'apart':" apart)
#define TOLD(repeats, data) REQUEST_WITH(repeats, "'data':'" data "'")
#define OF_NO_SUCH_SIZE "apart: operand 0 is not of that size, its elements overlap, or lie too far apart"
#define OVERLAPS "apart: operand 2 is not of that size, its elements overlap, or lie too far apart"
#define NOT_ALL_ROWS "rows times row_elems is not the size of the output"
#define NOT_THE_OUTPUT "the product of out_extents is not the size of the output"
#define ONE_LESS "apart: extents and strides must be lists of integers, of strides one less"
#define APART_WHEN "apart must be a list, of a request without repeats"
#define DATA_WHEN "data must be a kind of real numbers, of a request without repeats"
#define ELEMS_WHAT "elems must be 3 integers from 0 to 68719476736, one an operand"
#define ALONG_WHAT "along must be 3 integers above 0 that divide the operands' sizes"
#define SHAPE(extent, elems, rows) \
    MEASURE("'id':7,'extent':" extent ",'elems':" elems ",'rows':" rows ",'row_elems':7,'flops':630," USUAL)
#define KERNEL(kernel) REQUEST_WITH("2", "'kernels':[" kernel "]")
    static const char *const bad[][2] = {
        { "[1\n", "not JSON: ']' expected near end of file" },
        { "{'cmd':'sleep'}\n", "unknown cmd" },
        { "{}\n", "unknown cmd" },
        { MEASURE("'threads':1"), "measure: Object item not found: id" },
        { MEASURE("'id':7,'extent':[5,7,9]"), "measure: Object item not found: rows" },
        { SHAPE("[]", "[45,63,35]", "5"), NO_LIST },
        { SHAPE("7", "[45,63,35]", "5"), NO_LIST },
        { SHAPE("[5,-2147483648,9]", "[45,63,35]", "5"), "extent must be -2147483647 or more" },
        { SHAPE("[5,7.5,9]", "[45,63,35]", "5"), NO_LIST },
        { SHAPE("[" TEN_TIMES("5,7,9,1,1,1,1,1,1,1,1,8,1,1,1,1,") "1]", "[45,63,35]", "5"), NO_LIST },
        { SHAPE("[5,7,9,1,1,1]", "[45,63]", "5"), ELEMS_WHAT },
        { SHAPE("[0,7,9]", "[45,68719476737,35]", "5"), ELEMS_WHAT },
        { SHAPE("[5,7,9]", "[68719476736,63,35]", "6"), NOT_ALL_ROWS },
        { SHAPE("[5,7,9]", "[45,63,7]", "0"), NOT_ALL_ROWS },
        { SHAPE("[5,7,9]", "[45,63,0]", "-1"), NOT_ALL_ROWS },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,'out_extents':[]"), "out_extents must be a list of 1 to 12 integers" },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,'out_extents':[5,8]"), NOT_THE_OUTPUT },
        { SHAPE("[5,7,9]", "[45,63,35]", "5,'out_extents':[68719476736,68719476736,35]"), NOT_THE_OUTPUT },
        { APART("0", "3"), APART_WHEN },
        { APART("2", "[{'operand':0,'extents':[5,9],'strides':[10]}]"), APART_WHEN },
        { APART("0", "[3]"), "apart: Expected object, got integer" },
        { APART("0", "[{'operand':3}]"), "apart: there is no operand 3" },
        { APART("0", "[{'operand':0,'extents':[5,9]}]"), ONE_LESS },
        { APART("0", "[{'operand':0,'extents':[5,9],'strides':[10,1]}]"), ONE_LESS },
        { APART("0", "[{'operand':0,'extents':[5,8],'strides':[10]}]"), OF_NO_SUCH_SIZE },
        { APART("0", "[{'operand':2,'extents':[5,7],'strides':[6]}]"), OVERLAPS },
        { APART("0", "[{'operand':2,'extents':[5,7],'strides':[0]}]"), OVERLAPS },
        { APART("0", "[{'operand':0,'extents':[5,9],'strides':[68719476736]}]"), OF_NO_SUCH_SIZE },
        { TOLD("2", "outliers"), DATA_WHEN },
        { TOLD("0", "integers"), DATA_WHEN },
        { REQUEST_WITH("0", "'along':[9,9]"), ALONG_WHAT },
        { REQUEST_WITH("0", "'along':[9,9,0]"), ALONG_WHAT },
        { REQUEST_WITH("0", "'along':[9,8,7]"), ALONG_WHAT },
        { REQUEST_WITH("0", "'way':4,'kernels':[]"), "way must be from 0 to 3" },
        { TOLD("0", "large"), DATA_WHEN },
        { KERNEL("{'key':'a'}"), "kernel: Object item not found: so" },
        { KERNEL("{'key':'a','so':'libm.so.6'}"), "so must be a path" },
        { "{'cmd':'limits'}\n", "threads must be a list of 1 to 64 integers" },
        { "{'cmd':'limits','id':5,'target':'x','dtype':'f32','threads':[0],'max_ns':3}\n",
          "threads must be from 1 to 1024" },
        { "{'cmd':'limits','threads':[1]}\n", "limits: Object item not found: id" },
    };
    for (size_t i = 0; i < LENGTH(bad); i++)
        expect_error(bad[i][0], bad[i][1]);
    char *line = malloc(LINE_MAX_BYTES + 3);
    memset(line, ' ', LINE_MAX_BYTES + 1);
    strcpy(line + LINE_MAX_BYTES + 1, "\n");
    assert_error(say(line), "a line is longer than 1048576 bytes");
    free(line);
}

/* One output; of several constants the first; what was loaded is released. */
TEST(a_setup_is_taken_over)
{
#define ELEVEN(more)                                                                                                   \
    SETUP(4294967297, OPERAND("C", "const", "'dtype':'bf16','data':'integers'") "," OPERAND(                           \
                          "a-name-that-is-too-long", "in", "'dtype':'f32'") "," OPERAND("D", "const", "'dtype':'f32'") \
                          X_IN X_IN X_IN "," OPERAND("Y", "out", "'dtype':'f32'") X_IN X_IN X_IN X_IN X_IN more)
    const char *line = MEASURE("'id':7,'extent':[5,7,9],'elems':[1,2,3,1,1,1,35,1,1,1,1,1],'rows':5,'row_elems':7,"
                               "'flops':630,'threads':1,'repeats':0,'sample_ns':1,'max_ns':1,"
                               "'kernels':[{'key':'a','so':'/a'}]");
    assert_non_null(strstr(say(ELEVEN(""), line), DONE));
    assert_true(known.seed == 4294967297 && known.noperand == OP_MAX_OPERAND && known.out == 6 && known.constant == 0 &&
                known.nconstant == 2);
    assert_true(known.role[0] == ROLE_CONST && known.role[1] == ROLE_IN && known.role[6] == ROLE_OUT);
    assert_true(known.data[0] == DATA_INTEGERS && known.data[1] == DATA_NORMAL);
    assert_true(known.stored[0] == storage_find("bf16") && known.stored[1] == storage_find("f32"));
    assert_string_equal(known.name[1], "a-name-that-is-");
    assert_null(dlopen(path_of("reference.so"), RTLD_NOW | RTLD_NOLOAD));
    assert_error(say(ELEVEN(X_IN)), "setup: there must be 1 to 12 operands with one output");
}

/* A part of the time for each number of threads. */
TEST(limits_share_the_time)
{
#define ASKS(threads, target) \
    "{'cmd':'limits','id':5,'target':'" target "','dtype':'f32','threads':[" threads "],'max_ns':300}\n"
#define LIMIT(threads, more) \
    "{'threads':" #threads ",'rounds':9,'flops_per_s':" #threads "00.0,'bytes_per_s':{'l1':8.0,'memory':5.0}" more "}"
#define LIMITS(list) "{'event':'limits','id':5,'limits':[" list "]}\n"
    assert_string_equal(say(ASKS("1,2,4", "some")), LIMITS(LIMIT(1, "") "," LIMIT(2, "") "," LIMIT(4, "")));
    assert_true(until_ns[0] == 1e9 + 100 && until_ns[1] == 1e9 + 200 && until_ns[2] == 1e9 + 300);
    assert_string_equal(
        say(ASKS("1", "some','so':'/x/limits.so")),
        LIMITS(LIMIT(1, ",'clock_mhz':1755.0,'launch_ns':1180.0,'handover_ns':0.5,'reuse_flops_per_s':200.0")));
    assert_error(say(ASKS("1", "some','so':'limits.so")), "so must be a path");
    assert_error(say(ASKS("1", "none")), "not of that");
    engine.limits = NULL;
    assert_error(say(ASKS("1", "some")), "this runner measures no limits");
}

/* The setup before is forgotten, even where the next one fails. */
TEST(a_setup_takes_the_place_of_another)
{
#define UNKNOWN_DATA "setup: operand 0 has an unknown kind of data, or one that is not of its dtype"
#define LOADS(reference)                                                 \
    "{'cmd':'setup','reference':'" reference "','dtype':'f32','seed':1," \
    "'operands':[" OPERAND("X", "out", "'dtype':'f32'") "]}\n"
    static const char *const rows[][2] = {
        { SETUP(1, OPERAND("X", "in", "'dtype':'f32'")), "setup: there must be 1 to 12 operands with one output" },
        { SETUP(1, OPERAND("X", "inout", "'dtype':'f32'")), "setup: operand 0 has an unknown role" },
        { SETUP(1, OPERAND("X", "out", "'dtype':'f33'")), "setup: operand 0 has an unknown dtype" },
        { SETUP(1, OPERAND("X", "out", "'x':0")), "setup: operand 0: Object item not found: dtype" },
        { LOADS("/no/so"), "setup: /no/so: cannot open shared object file: No such file or directory" },
        { LOADS("libm.so.6"), "setup: the reference lacks a function of dcgen_reference_rows, _terms" },
        { SETUP(1, OPERAND("X", "in", "'dtype':'s32','data':'odd'")), UNKNOWN_DATA },
        { SETUP(1, OPERAND("X", "in", "'dtype':'f32','data':'lengths','of':1")), UNKNOWN_DATA },
        { SETUP(1, OPERAND("X", "index", "'dtype':'s32','data':'lengths','of':24")),
          "setup: operand 0: of is no extent" },
        { SETUP(1, OPERAND("Y", "out", "'dtype':'f32'") "," OPERAND("Z", "out", "'dtype':'f32'")),
          "setup: operand 1 is a second output" },
        { "{'cmd':'setup','reference':'FOLDER/reference.so','dtype':'f32','operands':[]}\n",
          "setup: Object item not found: seed" },
        { "{'cmd':'setup','reference':'FOLDER/reference.so','dtype':'s32','seed':1,'operands':[" OPERAND(
              "X", "out", "'dtype':'f32'") "]}\n",
          "setup: unknown dtype" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char want[400];
        snprintf(want, sizeof want, READY ERROR("%s") ERROR("measure before setup"), rows[i][1]);
        assert_string_equal(say(setup, rows[i][0], request(plain, "a")), want);
    }
}

/* ---- the program ---- */

/* What the engine's code finds: streams that lead nowhere else, no core files, and that it dies with who started it. */
static json_t *hello_of_streams(Arena *a, const char **err)
{
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

/* Of files in the folder, with what is behind the output's name. */
static const char *call_line(const char *extent, const char *in, const char *out, const char *more)
{
    static char line[1000];
    snprintf(line, sizeof line,
             "{'cmd':'call','id':3,'so':'FOLDER/reference.so','extent':%s,'in':'FOLDER/%s','out':'FOLDER/%s',%s}\n",
             extent, in, out, more);
    return line;
}

static char *contents_of(const char *name)
{
    size_t len;
    return text_read_file(kept_lists, path_of(name), &len);
}

TEST(calls_go_from_file_to_file)
{
    static const char ok[] = "{'event':'called','id':3,'status':'ok','why':''}\n";
    put_file(path_of("in"), "abc");
    assert_string_equal(say(call_line("[7,8]", "in", "out", "'out_bytes':5")), ok);
    assert_string_equal(calls, "ke"); /* it needs no setup */
    assert_string_equal(contents_of("out"), "cba88");
    assert_string_equal(say(call_line("[7,8]", "in", "out", "'out_bytes':5,'smem_limit':9")), ok);
    put_file(path_of("x"), "x");
    assert_string_equal(say(call_line("[1]", "x", "none", "'out_bytes':1")),
                        "{'event':'called','id':3,'status':'invalid','why':'an x'}\n");
    assert_int_not_equal(access(path_of("none"), F_OK), 0); /* no output of what failed */
}

TEST(calls_that_are_refused)
{
    static const struct {
        const char *extent, *in, *out, *more, *why;
    } rows[] = {
        { "[]", "in", "out", "'out_bytes':1", NO_LIST },
        { "[-2147483648]", "in", "out", "'out_bytes':1", "extent must be -2147483647 or more" },
        { "[" TEN_TIMES("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,") "1]", "in", "out", "'out_bytes':1", NO_LIST },
        { "[1]", "in", "out", "'out_bytes':0", "out_bytes must be from 1 to 1073741824" },
        { "[1]", "in", "out", "'out_bytes':1073741825", "out_bytes must be from 1 to 1073741824" },
        { "[1]", "in", "out", "'more':1", "call: Object item not found: out_bytes" },
        { "[1]", "in", "out", "'out_bytes':1,'smem_limit':-1", "smem_limit must be 0 or more" },
        { "[1]", "nowhere", "out", "'out_bytes':1", NO_FILE },
        { "[1]", "empty", "out", "'out_bytes':1", NO_FILE },
        { "[1]", "", "out", "'out_bytes':1", NO_FILE },
        { "[1]", "in", "no/where", "'out_bytes':1", "the file out cannot be written" },
    };
    put_file(path_of("empty"), "");
    put_file(path_of("in"), "abc");
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_error(say(call_line(rows[i].extent, rows[i].in, rows[i].out, rows[i].more)), rows[i].why);
    assert_error(say("{'cmd':'call','id':3,'so':'k.so','extent':[1],'in':'/','out':'/','out_bytes':1}\n"),
                 "so must be a path");
    engine.call = NULL;
    assert_error(say(call_line("[1]", "in", "out", "'out_bytes':1")), "this runner makes no calls");
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
    const char *out = path_of("program");
    assert_int_equal(run_program(out, 1), 0);
    assert_string_equal(
        singles(contents_of("program")),
        "{'event':'hello','protocol':1,'runner':'x','alone':true,'signals':true,'cores':false,'death':9}\n" ERROR(
            "unknown cmd"));
    assert_int_equal(run_program(out, 2), 2);
    assert_int_equal(run_program("/dev/full", 1), 1); /* nobody hears it */
    says_hello = false;
    assert_int_equal(run_program(out, 1), 3);
}

TEST_EACH(make, NULL)
TEST_FILE(make_reference, remove_reference)
