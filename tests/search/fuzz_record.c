/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the reading of record files: nothing crashes; what is read is within the bounds that record.h names; its canonical
 * text is read again without a warning and stays the same. With libFuzzer: -fsanitize=fuzzer -DDCGEN_LIBFUZZER. Without:
 * a main that replays the same mutations of a good file for about two seconds.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "search/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz_record: %s\n", what);
    abort();
}

static void read_bytes(Arena *a, const void *data, size_t size, Records *out)
{
    static int fd = -1;
    static char path[40];
    const char *err = NULL;
    if (fd < 0) {
        fd = memfd_create("records", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    check(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, "no file in memory");
    check(record_read(a, path, out, NULL, &err), "not read");
}

static bool plain_name(const char *s)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-");
    return n > 0 && n <= 128 && s[n] == '\0' && *s != '.' && *s != '-';
}

static bool plain_text(const char *s)
{
    for (; *s; s++)
        if (*s < ' ' || *s > '~')
            return false;
    return true;
}

static void check_kernel(const KernelRecord *k)
{
    check(plain_name(k->key) && plain_name(k->device) && plain_name(k->target) && plain_text(k->why),
          "text of a kernel");
    check(k->nparam >= 0 && k->nparam <= RECORD_MAX_PARAM && k->code_bytes >= 0 && k->n >= 0, "counts of a kernel");
    for (int i = 0; i < k->nparam; i++)
        check(plain_name(k->param[i].name), "name of a parameter");
}

static void check_measure(const MeasureRecord *m)
{
    check(plain_name(m->key) && plain_name(m->device) && plain_text(m->why), "text of a measure");
    check(m->naxis > 0 && m->naxis <= RECORD_MAX_AXIS && m->threads > 0, "counts of a measure");
    check(m->nsample >= 0 && m->nsample <= RECORD_MAX_SAMPLE, "number of samples");
    check((unsigned)m->status < STATUS_COUNT, "status");
    for (int i = 0; i < m->nsample; i++)
        check(isfinite(m->ns[i]) && m->ns[i] > 0, "sample");
    check(isfinite(m->median_ns) && isfinite(m->spread) && m->spread >= 0, "median or spread");
    check(m->max_err >= 0 && (m->max_err <= 1 || m->status != STATUS_OK), "error");
}

static void check_limit(const LimitRecord *l)
{
    check(plain_name(l->device) && plain_name(l->target) && plain_name(l->dtype), "text of a limit");
    check(l->threads > 0 && isfinite(l->flops_per_s) && l->flops_per_s > 0, "numbers of a limit");
    for (int i = 0; i < LEVEL_COUNT; i++)
        check(isfinite(l->bytes_per_s[i]) && l->bytes_per_s[i] >= 0, "rate of a limit");
}

static void check_records(const Records *r)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        check(plain_name(r->device[i].id) && plain_text(r->device[i].name) && plain_text(r->device[i].flags), "device");
    for (int64_t i = 0; i < r->nkernel; i++)
        check_kernel(&r->kernel[i]);
    for (int64_t i = 0; i < r->nmeasure; i++)
        check_measure(&r->measure[i]);
    for (int64_t i = 0; i < r->nlimit; i++)
        check_limit(&r->limit[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Records r, again;
    read_bytes(a, data, size, &r);
    check_records(&r);
    char *text = record_text(a, &r);
    read_bytes(a, text, strlen(text), &again);
    check(again.nignored == 0, "canonical text has unreadable lines");
    check(strcmp(record_text(a, &again), text) == 0, "canonical text changes when read again");
    arena_free(a);
    return 0;
}

#ifndef DCGEN_LIBFUZZER

static const char SEED_FILE[] =
    "{\"v\":1,\"type\":\"device\",\"id\":\"0123456789abcdef\",\"name\":\"AMD EPYC\",\"arch\":\"x86_64\",\"cores\":2,"
    "\"l1_bytes\":49152,\"l2_bytes\":1048576,\"l3_bytes\":33554432,\"isa\":[\"avx512\",\"avx2\"],"
    "\"compiler\":\"gcc 12\",\"flags\":\"-O3\"}\n"
    "{\"v\":1,\"type\":\"kernel\",\"key\":\"00ff\",\"device\":\"0123456789abcdef\",\"op\":\"dense\",\"dtype\":\"f32\","
    "\"template\":\"cpu\",\"template_hash\":\"ab\",\"target\":\"avx2\",\"params\":{\"MR\":6,\"NR\":-2},\"status\":"
    "\"ok\","
    "\"code_bytes\":4711,\"n\":3,\"why\":\"\"}\n"
    "{\"v\":1,\"type\":\"limit\",\"device\":\"0123456789abcdef\",\"target\":\"avx2\",\"dtype\":\"f32\",\"threads\":2,"
    "\"flops_per_s\":1.4e11,\"bytes_per_s\":{\"l2\":9.5e10,\"memory\":1e10}}\n"
    "{\"v\":1,\"type\":\"measure\",\"key\":\"00ff\",\"device\":\"0123456789abcdef\",\"extent\":[16,768,2304],"
    "\"threads\":1,\"status\":\"ok\",\"ns\":[151200.1,150900.0,1.5e5],\"median_ns\":150900.0,\"spread\":0.004,"
    "\"max_err\":0.03,\"final\":false,\"why\":\"\"}\n"
    "{\"v\":1,\"type\":\"measure\",\"key\":\"00ff\",\"device\":\"0123456789abcdef\",\"extent\":[1],\"threads\":64,"
    "\"status\":\"wrong\",\"ns\":[],\"median_ns\":0.0,\"spread\":0.0,\"max_err\":null,\"final\":true,\"why\":\"a "
    "\\\"b\\\"\"}\n";

/* Pieces that parsers trip over. */
static const char *const PIECES[] = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    ",",
    ":",
    "\n",
    "\r\n",
    "-",
    "1e308",
    "1e999",
    "-0.0",
    "1e-320",
    "NaN",
    "Infinity",
    "null",
    "true",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "\xff",
    "\xc3\xa9",
    "../",
    "/",
    ".",
    "\"v\":2",
    "\"v\":1,",
    "\"ok\"",
    "\"wrong\"",
    "\"ns\":[",
    "[[[[[[[[[[[[[[[[",
    "0.1234567890123456789",
};

enum { MAX_BYTES = 8192, NPIECE = sizeof PIECES / sizeof *PIECES };

static uint64_t seed = 1;

static size_t draw(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return below ? (size_t)(seed >> 33) % below : 0;
}

/* Replaces `cut` bytes at `at` by `n` others. */
static size_t splice(uint8_t *s, size_t len, size_t at, size_t cut, const void *with, size_t n)
{
    cut = cut > len - at ? len - at : cut;
    if (len - cut + n > MAX_BYTES)
        return len;
    uint8_t copy[MAX_BYTES];
    memcpy(copy, with, n);
    memmove(s + at + n, s + at + cut, len - at - cut);
    memcpy(s + at, copy, n);
    return len - cut + n;
}

static size_t mutate(uint8_t *s, size_t len)
{
    size_t at = draw(len + 1), from = draw(len + 1), n = draw(draw(8) ? 16 : 300);
    const char *piece = PIECES[draw(NPIECE)];
    uint8_t byte = (uint8_t)draw(256);
    switch (draw(6)) {
    case 0:
        return splice(s, len, at, 1, &byte, 1);
    case 1:
        return splice(s, len, at, n, "", 0);
    case 2:
        return splice(s, len, at, draw(2) * n, piece, strlen(piece));
    case 3:
        return splice(s, len, at, draw(2) * n, s + from, n > len - from ? len - from : n);
    case 4:
        return splice(s, len, at, 0, &byte, 1);
    default:
        return draw(4) ? len : at;
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static uint8_t s[MAX_BYTES];
    double end = seconds() + 2;
    long ninput = 0;
    for (; ninput < 1000 || seconds() < end; ninput++) {
        size_t len = sizeof SEED_FILE - 1;
        memcpy(s, SEED_FILE, len);
        for (size_t k = draw(4); k-- > 0;)
            len = mutate(s, len);
        LLVMFuzzerTestOneInput(s, len);
    }
    printf("%ld inputs\n", ninput);
    return 0;
}

#endif
