/* SPDX-License-Identifier: Apache-2.0
 *
 * vector [--json FILE | --results FOLDER] [FUNCTION ...]
 *
 * How fast the functions of templates/vector are on arrays of 4 KiB, next to glibc's libmvec and to Sleef, which are
 * loaded at run time. Bursts of all contestants are interleaved; a time is the median over rounds, a ratio (peer's time
 * / own time) the median of the ratios within a round: above 1 the function is faster than the peer. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "bench/machine.h"
#include "bench/vector/peers.h"
#include "tests/vector/functions.h"

enum { N = 1024, ROUNDS = 31, CALLS = 400, SETS = 3 };

/* One of ours, or else a peer. */
typedef struct {
    void (*on_array)(float *y, const float *x, long n);
    Peer peer;
    double ns[ROUNDS]; /* an element */
} Contestant;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* By a chain of additions, one a cycle. */
static double clock_ghz(void)
{
    double best = 0;
    for (int k = 0; k < 20; k++) {
        const double start = now_ns();
        uint64_t sum = 0;
        for (int i = 0; i < 100000; i++) {
            sum++;
            __asm__ volatile("" : "+r"(sum));
        }
        best = fmax(best, 1e5 / (now_ns() - start));
    }
    return best;
}

static double burst_ns(const Contestant *c, float *y, const float *x)
{
    double start = 0;
    for (int i = -1; i < CALLS; i++) { /* the first call is not timed */
        if (i == 0)
            start = now_ns();
        if (c->on_array)
            c->on_array(y, x, N);
        else
            peer_call(&c->peer, y, x, N);
        __asm__ volatile("" ::: "memory");
    }
    return (now_ns() - start) / CALLS / N;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of a[r] / b[r], or of a[r] where b is NULL. */
static double median(const double *a, const double *b)
{
    double sorted[ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        sorted[r] = b ? a[r] / b[r] : a[r];
    qsort(sorted, ROUNDS, sizeof *sorted, by_value);
    return sorted[ROUNDS / 2];
}

static void fill(float *x, const char *function)
{
    const bool positive = !strcmp(function, "log") || !strcmp(function, "rsqrt");
    for (int i = 0; i < N; i++) {
        const float u = (float)rand() / (float)RAND_MAX;
        x[i] = positive ? 100 * u + 1e-3f : 10 * u - 5;
    }
}

/* Prints a line, and returns what it says. */
static json_t *measure(int set, const char *name, double ghz)
{
    static const char *const set_name[SETS] = { "avx512", "avx2", "portable" };
    static float x[N] __attribute__((aligned(64))), y[N] __attribute__((aligned(64)));
    const int vector_bytes = 64 >> set;
    Contestant c[1 + PEERS] = { { .on_array = vector_function(set, name) } };
    int n = 1;
    for (int i = 0; i < PEERS; i++) {
        c[n].peer = peer_find(i, name, vector_bytes);
        n += c[n].peer.function != NULL;
    }
    fill(x, name);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < n; i++)
            c[i].ns[r] = burst_ns(&c[i], y, x);
    const double ns = median(c[0].ns, NULL), cycles = ns * ghz * vector_bytes / 4;
    json_t *ratios = json_object();
    printf("%-9s %-8s %6.3f ns %6.2f cycles a vector", name, set_name[set], ns, cycles);
    for (int i = 1; i < n; i++) {
        const double ratio = median(c[i].ns, c[0].ns);
        printf("  %s %.2fx", c[i].peer.symbol, ratio);
        json_object_set_new(ratios, c[i].peer.symbol, json_real(ratio));
    }
    printf("\n");
    return json_pack("{s:s,s:s,s:f,s:f,s:o}", "function", name, "set", set_name[set], "ns", ns, "cycles_a_vector",
                     cycles, "ratios", ratios);
}

static bool is_wanted(const char *name, char **wanted)
{
    for (char **w = wanted; *w; w++)
        if (!strcmp(*w, name))
            return true;
    return !*wanted;
}

static json_t *measure_all(char **wanted, double ghz)
{
    json_t *rows = json_array();
    for (int set = 0; set < SETS; set++)
        for (const VectorFunction *f = vector_portable; f->name; f++)
            if (vector_runs_here(set) && is_wanted(f->name, wanted))
                json_array_append_new(rows, measure(set, f->name, ghz));
    return rows;
}

/* FOLDER/<cpu>/vector.json, whose folder is made. */
static void name_result(char *file, size_t size, const char *folder, const char *slug)
{
    snprintf(file, size, "%s/%s", folder, slug);
    mkdir(file, 0777);
    snprintf(file, size, "%s/%s/vector.json", folder, slug);
}

int main(int argc, char **argv)
{
    char file[4096] = "";
    const Machine machine = machine_probe();
    int i = 1;
    if (argc > 2 && !strcmp(argv[1], "--json")) {
        snprintf(file, sizeof file, "%s", argv[2]);
        i = 3;
    } else if (argc > 2 && !strcmp(argv[1], "--results")) {
        name_result(file, sizeof file, argv[2], machine.slug);
        i = 3;
    }
    const double ghz = clock_ghz();
    printf("%s, %.2f GHz\n", machine.name, ghz);
    json_t *result = json_pack("{s:s,s:f,s:o}", "device", machine.name, "ghz", ghz, "rows", measure_all(argv + i, ghz));
    if (*file && json_dump_file(result, file, JSON_INDENT(1) | JSON_REAL_PRECISION(4) | JSON_SORT_KEYS)) {
        fprintf(stderr, "vector: cannot write %s\n", file);
        return 3;
    }
    json_decref(result);
}
