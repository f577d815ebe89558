/* SPDX-License-Identifier: Apache-2.0
 *
 * run: how a spec and a package are read, and what is said of what went wrong.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/driver/run.h"
#include "tests/gen/place.h"
#include "tests/gen/said_by.h"

static const char spec[] = "name = \"tiny\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } );\n";
static volatile int stop;

static const Workload *workload;

static void read_spec(void *run) { workload = run_workload(run); }
static void read_package(void *run) { workload = run_package(run, (TextList){ 0 }); }

/* A package is read with its own records, a spec with those that are asked for; what is wrong is said, once. */
TEST(reads_specs_and_packages)
{
    Options o = { .operand = in_root("pkg"),
                  .records = in_root("r.jsonl"),
                  .trials = -1,
                  .seconds = -1,
                  .kernels = -1,
                  .code_kib = -1,
                  .regret = -1 };
    assert_int_equal(mkdir(in_root("pkg"), 0700), 0);
    put("pkg/spec.cfg", spec);
    Run r = { .a = arena, .o = &o, .stop = &stop, .code = EXIT_ENVIRONMENT };
    assert_string_equal(said_by(read_package, &r), "");
    assert_non_null(workload);
    assert_string_equal(workload->records, in_root("pkg/records.jsonl"));
    o.operand = in_root("pkg/spec.cfg");
    assert_string_equal(said_by(read_spec, &r), "");
    assert_string_equal(workload->records, in_root("r.jsonl"));
    put("pkg/spec.cfg", "nome = 1;\n");
    assert_has(said_by(read_spec, &r), "spec.cfg:1:1: error: unknown key 'nome'; did you mean 'name'?\n");
    assert_null(workload);
    assert_null(r.err);
    assert_int_equal(r.code, EXIT_USAGE);
}

static void say(void *run) { run_say(run); }

TEST(says_why_with_a_code_and_once)
{
    Run r = { .a = arena, .stop = &stop };
    assert_false(run_fails(&r, 7, "the %c reason", 27));
    assert_int_equal(r.code, 7);
    assert_string_equal(said_by(say, &r), "dcgen: the ? reason\n");
    assert_string_equal(said_by(say, &r), "");
    run_fails(&r, 7, "what an interrupt made fail");
    stop = 1;
    assert_string_equal(said_by(say, &r), "dcgen: interrupted\n");
    assert_int_equal(r.code, EXIT_INTERRUPTED);
    run_is_interrupted(&r, "x.jsonl");
    assert_string_equal(
        said_by(say, &r),
        "dcgen: interrupted; what was measured is in x.jsonl, and the same command goes on from there\n");
}

TEST_EACH(place_setup, place_teardown)
