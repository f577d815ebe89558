/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_answer: any bytes as what a runner answers (search/runner/protocol.md), when it is started, asked to measure and
 * asked for its limits. Every kernel has a status that is no more than what was said of it, and numbers that records
 * may hold.
 *
 * There is no process: a runner that is started has said all bytes at once and then is silent for good, by what the
 * linker wraps (cmake/fuzz.cmake). A NUL in the input divides what the first, second ... of the runners say.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/spec/op.h"
#include "tests/fuzz/fuzz.h"
#include "tests/search/ask_runner.h"

enum { NKERNEL = 3, MOST_STARTS = 100, PID = 1 << 30 };

/* ---- runners without a process ---- */

static const char *said;
static size_t said_len;
static int socket_end = -1, starts, asked;

bool __wrap_child_start(Child *c, Arena *a, const ProcessPlan *p);
bool __wrap_child_has_ended(const Child *c);
int __wrap_child_end(Child *c);
int __wrap_nanosleep(const struct timespec *t, struct timespec *rest);

/* Says the text up to the next NUL, the last one again and again. What does not fit into the socket is lost: it is not
 * read in between. */
bool __wrap_child_start(Child *c, Arena *a, const ProcessPlan *p)
{
    *c = (Child){ .pid = PID, .output = { [1] = { .fd = -1 }, [2] = { .fd = -1, .text.arena = a } } };
    const char *nul = memchr(said, '\0', said_len);
    const size_t n = nul ? (size_t)(nul - said) : said_len;
    REQUIRE(socket_end < 0);
    REQUIRE(++starts < MOST_STARTS);
    asked = 0;
    socket_end = dup(p->in);
    REQUIRE(socket_end >= 0);
    if (n > 0)
        REQUIRE(send(socket_end, said, n, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno == EAGAIN);
    shutdown(socket_end, SHUT_WR);
    said += nul ? n + 1 : 0;
    said_len -= nul ? n + 1 : 0;
    return true;
}

/* It is there for both requests, and soon gone when its end is waited for. */
bool __wrap_child_has_ended(const Child *c)
{
    REQUIRE(c->pid == PID);
    return ++asked > 2;
}

int __wrap_child_end(Child *c)
{
    REQUIRE(c->pid == PID && socket_end >= 0);
    c->pid = 0;
    close(socket_end);
    socket_end = -1;
    return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *rest)
{
    (void)t, (void)rest;
    return 0;
}

/* ---- what is asked of them ---- */

static const Op *read_op(Arena *a)
{
    Diag *d = diag_new(a);
    const Op *op = op_read(a, DCGEN_SOURCE_DIR "/templates/dense", d);
    REQUIRE(op);
    return op;
}

static void check_measure(const MeasureRecord *m)
{
    REQUIRE(m->status >= 0 && m->status < STATUS_COUNT && m->why && strlen(m->why) < 1000);
    REQUIRE(m->nsample >= 0 && m->nsample <= RECORD_MAX_SAMPLE && m->nfact >= 0 && m->nfact <= RECORD_MAX_FACT);
    for (int i = 0; i < m->nsample; i++)
        REQUIRE(isfinite(m->ns[i]) && m->ns[i] > 0);
    REQUIRE(m->status != STATUS_OK || (m->max_err <= 1 && m->nsample > 0 && m->time_ns > 0));
    REQUIRE(m->cold_ns >= 0);
}

static void ask_for_times(Arena *a, Runner *r)
{
    static const char *const key[NKERNEL] = { "a", "b", "c" }, *const so[NKERNEL] = { "/a.so", "/b.so", "/c.so" };
    static const int64_t extent[] = { 4, 8, 16 };
    const MeasureRequest q = {
        .extent = extent, .threads = 1, .repeats = 3, .sample_ns = 1e5, .max_ns = 1e8, .keep = 1, .deadline_s = 30
    };
    MeasureRecord m[NKERNEL];
    const char *err = NULL;
    const bool good = measure(r, a, &q, key, so, NKERNEL, m, NULL, &err);
    REQUIRE(good || err);
    for (int i = 0; good && i < NKERNEL; i++)
        check_measure(&m[i]);
}

static void ask_for_limits(Arena *a, Runner *r)
{
    static const int threads[] = { 1, 2 };
    const LimitRequest q = { .target = "avx2", .dtype = "f32", .nthread = 2, .threads = threads, .max_ns = 1e8 };
    LimitRecord limit[2];
    const char *err = NULL;
    int n = -1;
    REQUIRE(limit_measure(r, a, &q, limit, &n, NULL, &err) && (n == 0 || n == 2));
    for (int i = 0; i < n; i++) {
        REQUIRE(limit[i].threads == threads[i] && isfinite(limit[i].flops_per_s) && limit[i].flops_per_s > 0);
        for (int k = 0; k < LEVEL_COUNT; k++)
            REQUIRE(isfinite(limit[i].bytes_per_s[k]) && limit[i].bytes_per_s[k] >= 0);
        const double more[] = { limit[i].clock_mhz, limit[i].launch_ns, limit[i].handover_ns,
                                limit[i].reuse_flops_per_s };
        for (size_t k = 0; k < LENGTH(more); k++)
            REQUIRE(isfinite(more[k]) && more[k] >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const command[] = { "runner", NULL };
    Arena *a = arena_new();
    const Spec spec = { .op = read_op(a), .dtype = "f32" };
    const char *err = NULL;
    said = (const char *)data;
    said_len = size;
    starts = 0;
    Runner *r = runner_start(a, command, &spec, "/reference.so", 1, NULL, &err);
    REQUIRE(r || err);
    if (r) {
        ask_for_times(a, r);
        ask_for_limits(a, r);
        runner_stop(r);
    }
    REQUIRE(socket_end < 0);
    arena_free(a);
    return 0;
}
