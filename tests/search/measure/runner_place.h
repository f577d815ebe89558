/* SPDX-License-Identifier: Apache-2.0
 *
 * runner_place: what the tests with a runner share: the op dense, its reference, kernels of it that are written by
 * hand, and a real runner to measure them.
 */
#ifndef DCGEN_TEST_RUNNER_PLACE_H
#define DCGEN_TEST_RUNNER_PLACE_H

#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "search/build/build.h"
#include "gen/unit/unit.h"
#include "tests/gen/with_formula.h"
#include "tests/search/ask_runner.h"
#include "tests/toolchain.h"

static const char runner_path[] = DCGEN_BINARY_DIR "/dcgen-runner-c";
static const char targets_path[] = DCGEN_SOURCE_DIR "/templates/targets";
static const char *const runner_command[] = { runner_path, "--targets", targets_path, NULL };
static Spec runner_spec; /* of the World's op, with a bias */

typedef struct {
    Arena *a;
    Builder *builder;
    const Op *op;
    const char *reference;
    Runner *runner;
    int nbuilt;
} World;
static World *w;

/* Every candidate begins with this. dense() does rows m0..m1-1 right. */
static const char prelude[] =
    "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
    "#include <unistd.h>\n"
    "static void dense(const int64_t *e, void *const *o, const float *w, int64_t wn, int64_t wk,\n"
    "                  int64_t m0, int64_t m1) {\n"
    "    const float *x = o[0], *b = o[2]; float *y = o[3];\n"
    "    for (int64_t m = m0; m < m1; m++) for (int64_t n = 0; n < e[1]; n++) {\n"
    "        float s = b ? b[n] : 0;\n"
    "        for (int64_t k = 0; k < e[2]; k++) s += x[m * e[2] + k] * w[n * wn + k * wk];\n"
    "        y[m * e[1] + n] = s; } }\n"
    "#define RUN int dcgen_run(const int64_t *e, void *const *o, void *ws, int64_t task, int64_t ntask)\n"
    "#define DENSE dense(e, o, o[1], e[2], 1, e[0] * task / ntask, e[0] * (task + 1) / ntask); (void)ws\n"
    "#define PACKED dense(e, o, o[1], 1, e[1], e[0] * task / ntask, e[0] * (task + 1) / ntask); (void)ws\n"
    "#define PACK int64_t dcgen_packed_bytes(const int64_t *e) { return e[1] * e[2] * 4; }\\\n"
    "    int dcgen_pack(const int64_t *e, const void *w, void *p)\n"
    "#define DO_PACK for (int64_t k = 0; k < e[2]; k++) for (int64_t n = 0; n < e[1]; n++)\\\n"
    "        ((float *)p)[k * e[1] + n] = ((const float *)w)[n * e[2] + k]\n";

/* The extents of most tests: odd sizes, so that no operand fills its pages. */
static const int64_t small[] = { 5, 7, 9 };

static inline const char *build(const char *text, bool with_prelude)
{
    Build b = { .name = arena_printf(w->a, "k%d", w->nbuilt++), .text = text };
    if (with_prelude)
        b.text = arena_printf(w->a, "%s%s\n", prelude, text);
    build_all(w->builder, w->a, &b, 1, NULL);
    if (b.status != STATUS_OK)
        print_error("%s\n", b.why);
    assert_int_equal(b.status, STATUS_OK);
    return b.so;
}

static inline Runner *start_runner(const char *const *command)
{
    const char *err = NULL;
    Runner *r = runner_start(w->a, command, &runner_spec, w->reference, 1, NULL, &err);
    if (!r)
        print_error("%s\n", err);
    assert_non_null(r);
    return r;
}

static inline int set_up(void **state)
{
    static const char *const flags[] = { "-O1", "-w", NULL };
    w = calloc(1, sizeof *w);
    const char *err = NULL;
    size_t len;
    w->a = arena_new();
    Toolchain tools = toolchain_c(w->a, "gcc", flags);
    w->builder = builder_new(w->a, &tools, 2, 60, NULL, &err);
    Diag *d = diag_new(w->a);
    w->op = op_read(w->a, DCGEN_SOURCE_DIR "/templates/dense", d);
    diag_print(d, stderr);
    if (!w->builder || !w->op)
        return -1;
    runner_spec = with_formula(w->a, w->op, "f32", "bias");
    w->op = runner_spec.op;
    w->reference = build(unit_reference(w->a, &runner_spec, DCGEN_SOURCE_DIR "/templates/package",
                                        text_read_file(w->a, w->op->reference, &len), d),
                         false);
    w->runner = start_runner(runner_command);
    return 0;
}

static inline int tear_down(void **state)
{
    runner_stop(w->runner);
    builder_free(w->builder);
    arena_free(w->a);
    free(w);
    return 0;
}

static inline MeasureRequest request(const int64_t *extent)
{
    return (MeasureRequest){
        .extent = extent, .threads = 1, .repeats = 5, .sample_ns = 20000, .max_ns = 1e9, .deadline_s = 1
    };
}

/* Kernels are verified, and not timed. */
static inline MeasureRequest verification(const int64_t *extent)
{
    MeasureRequest q = request(extent);
    q.repeats = 0;
    return q;
}

enum { MOST_MEASURED = 64 };

/* Kernels of these objects in one request: their keys are their numbers, their records in out. False: *err says why. */
static inline bool measure_all(Runner *r, const MeasureRequest *q, const char *const *so, int n, MeasureRecord *out,
                               const char **err)
{
    const char *key[MOST_MEASURED];
    assert_in_range(n, 1, MOST_MEASURED);
    for (int i = 0; i < n; i++)
        key[i] = arena_printf(w->a, "%032d", i);
    return measure(r, w->a, q, key, so, n, out, NULL, err);
}

/* The same, which goes well; of objects that need not be there: "/0", "/1" ... */
static inline void must_measure(Runner *r, const MeasureRequest *q, const char *const *so, int n, MeasureRecord *out)
{
    static const char *const none[] = { "/0", "/1", "/2" };
    const char *err = "";
    if (!measure_all(r, q, so ? so : none, n, out, &err))
        fail_msg("%s", err);
}

/* What a runner that is a script says first. */
#define HELLO HELLO_OF("0123456789abcdef", 1, "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"")
#define HELLO_OF(id, protocol, isa)                                                                       \
    "echo '{\"event\":\"hello\",\"protocol\":" #protocol ",\"device\":{\"id\":\"" id "\",\"name\":\"x\"," \
    "\"arch\":\"x\",\"cores\":3,\"l1_bytes\":4,\"l2_bytes\":5,\"l3_bytes\":6,"                            \
    "\"isa\":[" isa "]}}'; "

/* False: no runner was built. One built with sanitizers shall crash like any other. */
static inline bool runner_is_here(void)
{
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0", 0);
    setenv("TSAN_OPTIONS", "handle_segv=0:handle_abort=0:atexit_sleep_ms=0", 0);
    if (access(runner_path, X_OK) == 0)
        return true;
    print_message("skipped: no %s\n", runner_path);
    return false;
}

#endif
