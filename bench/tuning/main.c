/* SPDX-License-Identifier: Apache-2.0
 *
 * tuning SPEC RECORDS [--seeds N] [--shown T,T,...] [--trials N] [--kernel-s X] [--request-s X] [--json FILE]
 * [--results FOLDER]
 *        [--seconds S,S,... [--noise RECORDS]]
 *
 * Ways to find kernels for many shapes, each tried with several seeds on one table (table.h): how many trials and
 * seconds until its choice is within 5 % of the exhaustive best over all weighted shapes, if it stopped after any of
 * them, and how good it is in the end, also on shapes that it was not shown. With --seconds instead: how good whole
 * searches of so many seconds are, on a machine without noise and on one with that of RECORDS (noise.h).
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bench/machine.h"
#include "bench/tuning/contest.h"
#include "bench/tuning/models.h"
#include "search/record/samples.h"

static const double TOO_LOW = 0.01; /* a stated regret is too low if it is so much below the true one */
enum { MAX_SEEDS = 64, MAX_SHOWN = 64, MAX_BUDGETS = 8 };
static const double NEAR = 0.05;

typedef struct {
    const char *spec, *records, *json, *results; /* results: a folder with one a device */
    const char *noise;                           /* records of a busy machine */
    int seeds, trials, nshown, nseconds;
    int64_t shown[MAX_SHOWN], seconds[MAX_BUDGETS];
    LabCost cost;
} Arguments;

/* Of one way, over the seeds. */
typedef struct {
    const char *name;
    int n, nreached;
    double trials[MAX_SEEDS], seconds[MAX_SEEDS]; /* until it was near; +inf: never */
    Point last[MAX_SEEDS];
} Outcome;

static double median(const double *v, int n)
{
    double sorted[MAX_SEEDS];
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *sorted, samples_compare);
    return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : NAN;
}

static void take(Outcome *r, const Curve *c)
{
    const Point *near = curve_within(c, NEAR);
    r->trials[r->n] = near ? (double)near->trials : INFINITY;
    r->seconds[r->n] = near ? near->seconds : INFINITY;
    r->nreached += near != NULL;
    r->last[r->n++] = c->point[c->n - 1];
}

typedef double Get(const Point *p);
static double shown_mean(const Point *p) { return p->shown.mean; }
static double shown_worst(const Point *p) { return p->shown.worst; }
static double held_geomean(const Point *p) { return p->held_out.geomean; }
static double tried_geomean(const Point *p) { return p->tried.geomean; }
static double held_worst(const Point *p) { return p->held_out.worst; }
static double last_seconds(const Point *p) { return p->seconds; }
static double last_trials(const Point *p) { return (double)p->trials; }
static double last_kernels(const Point *p) { return p->kernels; }

static double last(const Outcome *r, Get *get)
{
    double v[MAX_SEEDS];
    for (int i = 0; i < r->n; i++)
        v[i] = get(&r->last[i]);
    return median(v, r->n);
}

static void print_head(void)
{
    printf("%-22s %8s %9s %5s | %7s %8s %7s %7s %7s | %8s %7s\n", "", "trials", "seconds", "of", "trials", "seconds",
           "kernels", "mean", "worst", "geomean", "worst");
    printf("%-22s %24s | %40s | %16s\n", "way", "until within 5%", "at the end, shapes shown", "held out");
}

static void print_result(const Outcome *r)
{
    printf("%-22s %8.0f %9.1f %2d/%-2d | %7.0f %8.1f %7.0f %6.2f%% %6.1f%% | %7.2f%% %6.1f%%\n", r->name,
           median(r->trials, r->n), median(r->seconds, r->n), r->nreached, r->n, last(r, last_trials),
           last(r, last_seconds), last(r, last_kernels), 100 * last(r, shown_mean), 100 * last(r, shown_worst),
           100 * last(r, held_geomean), 100 * last(r, held_worst));
    fflush(stdout);
}

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *result_json(const Outcome *r)
{
    static const struct {
        const char *name;
        Get *get;
    } column[] = { { "end_trials", last_trials },   { "end_seconds", last_seconds },
                   { "end_kernels", last_kernels }, { "shown_mean", shown_mean },
                   { "shown_worst", shown_worst },  { "held_out_geomean", held_geomean },
                   { "held_out_worst", held_worst } };
    json_t *o = json_object();
    json_object_set_new(o, "way", json_string(r->name));
    json_object_set_new(o, "runs", json_integer(r->n));
    json_object_set_new(o, "within_5_percent", json_integer(r->nreached));
    json_object_set_new(o, "trials", real(median(r->trials, r->n)));
    json_object_set_new(o, "seconds", real(median(r->seconds, r->n)));
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        json_object_set_new(o, column[i].name, real(last(r, column[i].get)));
    return o;
}

typedef struct {
    const char *name;
    StrategyKind strategy;
    Curve (*run)(Arena *a, const Contest *c, const Strategy *s, uint64_t seed);
} Way;

static const Way ways[] = {
    { "joint", STRATEGY_JOINT, contest_joint },
    { "random", STRATEGY_RANDOM, contest_joint },
    { "one search a shape", STRATEGY_JOINT, contest_per_shape },
    { "largest shape for all", STRATEGY_JOINT, contest_largest },
};
enum { NWAY = sizeof ways / sizeof *ways };

static void run_way(const Contest *c, const Way *way, int seeds, Outcome *r)
{
    *r = (Outcome){ .name = way->name };
    for (int i = 0; i < seeds; i++) {
        Arena *a = arena_new();
        const Curve curve = way->run(a, c, &strategies[way->strategy], (uint64_t)(1000 * i + 1));
        take(r, &curve);
        arena_free(a);
    }
    print_result(r);
}

static void run_analytic(const Contest *c, Outcome *r)
{
    Arena *a = arena_new();
    *r = (Outcome){ .name = "analytic, no trial", .n = 1, .trials = { INFINITY }, .seconds = { INFINITY } };
    r->last[0] = contest_analytic(a, c);
    arena_free(a);
    print_result(r);
}

/* Shown the ends of the range too, as dcgen tunes them by itself: shapes held out then lie between others. */
static Contest with_ends(Arena *a, const Contest *c)
{
    const Dim *dim = &c->table->job->spec->dim[0];
    const int64_t end[] = { dim->min, dim->max };
    int64_t *shown = ARENA_ARRAY(a, (size_t)c->nshown + 2, int64_t);
    Contest more = *c;
    memcpy(shown, c->shown, (size_t)c->nshown * sizeof *shown);
    for (int i = 0; i < 2; i++)
        if (!contest_shows(c, end[i]))
            shown[more.nshown++] = end[i];
    more.shown = shown;
    return more;
}

/* What fewer kernels cost. */
static void run_budgets(const Contest *c, int seeds, json_t *out)
{
    static const int kernels[] = { 1, 2, 4, 8 };
    static const char *const name[] = { "joint, 1 kernel", "joint, 2 kernels", "joint, 4 kernels", "joint, 8 kernels" };
    enum { N = sizeof kernels / sizeof *kernels };
    Outcome r[N] = { 0 };
    Point point[N];
    for (int i = 0; i < seeds; i++) {
        Arena *a = arena_new();
        contest_budgets(a, c, (uint64_t)(1000 * i + 1), kernels, N, point);
        for (int k = 0; k < N; k++) {
            r[k].trials[i] = r[k].seconds[i] = INFINITY;
            r[k].last[r[k].n++] = point[k];
        }
        arena_free(a);
    }
    for (int k = 0; k < N; k++) {
        r[k].name = name[k];
        print_result(&r[k]);
        json_array_append_new(out, result_json(&r[k]));
    }
}

static void say_agreement(const Outcome *joint, json_t *out)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < joint->n; i++) {
        low = fmin(low, 1 + joint->last[i].shown.mean);
        high = fmax(high, 1 + joint->last[i].shown.mean);
    }
    printf("\njoint searches with %d seeds: weighted time of their choices within %.2f%% of each other\n", joint->n,
           100 * (high / low - 1));
    json_object_set_new(out, "agreement", real(high / low - 1));
}

/* ---- whole searches, by their time ---- */

/* Searches of so many seconds: how good their choices are, and what the packages would say of that. */
static json_t *run_timed(const Contest *c, double seconds, Noise *noise, const char *machine, int seeds)
{
    Outcome r = { .name = machine };
    double stated[MAX_SEEDS], worst = 0;
    int nbelow = 0;
    for (int i = 0; i < seeds; i++) {
        Arena *a = arena_new();
        if (noise)
            noise_seed(noise, (uint64_t)i);
        Point *p = &r.last[r.n];
        if (contest_timed(a, c, seconds, noise, (uint64_t)(1000 * i + 1), p, &stated[r.n])) {
            worst = fmax(worst, p->held_out.geomean);
            nbelow += stated[r.n++] < p->tried.geomean - TOO_LOW;
        }
        arena_free(a);
    }
    if (!r.n) {
        printf("%4.0f s  %-6s no seed found a kernel\n", seconds, machine);
        return json_pack("{s:f,s:s,s:i}", "seconds", seconds, "machine", machine, "seeds", 0);
    }
    printf("%4.0f s  %-6s %5.0f trials %3.0f kernels | %6.2f%% %6.1f%% | %6.2f%% %6.1f%%, at most %6.2f%% | %6.2f%% "
           "%6.2f%%, %d too low of %d\n",
           seconds, machine, last(&r, last_trials), last(&r, last_kernels), 100 * last(&r, shown_mean),
           100 * last(&r, shown_worst), 100 * last(&r, held_geomean), 100 * last(&r, held_worst), 100 * worst,
           100 * median(stated, r.n), 100 * last(&r, tried_geomean), nbelow, r.n);
    fflush(stdout);
    return json_pack("{s:f,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:i,s:i}", "seconds", seconds, "machine", machine, "trials",
                     real(last(&r, last_trials)), "shown_mean", real(last(&r, shown_mean)), "held_out_geomean",
                     real(last(&r, held_geomean)), "held_out_worst", real(last(&r, held_worst)),
                     "held_out_geomean_most", real(worst), "stated_mean", real(median(stated, r.n)), "tried_geomean",
                     real(last(&r, tried_geomean)), "stated_too_low", nbelow, "seeds", r.n);
}

/* Of each budget without noise and with it. */
static json_t *run_budgets_of_time(const Contest *c, const Arguments *q, Noise *noise)
{
    json_t *list = json_array();
    printf("                                     | shapes shown: mean, worst | held out: geomean, worst, of all seeds "
           "| stated, true against what was tried\n");
    for (int i = 0; i < q->nseconds; i++)
        for (int busy = 0; busy <= (noise != NULL); busy++)
            json_array_append_new(
                list, run_timed(c, (double)q->seconds[i], busy ? noise : NULL, busy ? "busy" : "quiet", q->seeds));
    return list;
}

/* ---- models ---- */

static void add_score(ModelScore *sum, const ModelScore *s, double part)
{
    sum->error += part * s->error;
    sum->rank += part * s->rank;
    sum->recall += part * s->recall;
    sum->regret += part * s->regret;
    sum->top_regret += part * s->top_regret;
}

static void print_score(const ModelScore *s)
{
    printf(" | %5.1f%% %5.2f %5.2f %6.2f%% %6.2f%%", 100 * s->error, s->rank, s->recall, 100 * s->regret,
           100 * s->top_regret);
}

static json_t *score_json(const ModelScore *s)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f}", "median_error", s->error, "rank_correlation", s->rank, "top_8_recall",
                     s->recall, "regret", s->regret, "top_8_regret", s->top_regret);
}

/* Means over the seeds. */
static void run_model(const Contest *c, ModelKind kind, int nkernel, int seeds, json_t *out)
{
    ModelScore mean[2] = { 0 }, one[2];
    for (int i = 0; i < seeds; i++) {
        if (!models_score(c, kind, nkernel, (uint64_t)(1000 * i + 1), one)) {
            printf("%-14s %4d   not available\n", model_name[kind], nkernel);
            return;
        }
        for (int held = 0; held < 2; held++)
            add_score(&mean[held], &one[held], 1.0 / seeds);
    }
    printf("%-14s %4d", model_name[kind], nkernel);
    print_score(&mean[0]);
    print_score(&mean[1]);
    printf("\n");
    fflush(stdout);
    json_array_append_new(out, json_pack("{s:s,s:i,s:o,s:o}", "model", model_name[kind], "kernels", nkernel, "shown",
                                         score_json(&mean[0]), "held_out", score_json(&mean[1])));
}

/* Fitted to so many kernels, each measured on a few of the shapes shown. */
static void run_models(const Contest *c, int seeds, json_t *out)
{
    static const int nkernel[] = { 24, 48, 96, 192 };
    printf("\n%-14s %4s | %36s | %36s\n", "model", "of", "shapes shown: error, rank, recall,", "held out: the same");
    printf("%-14s %4s | %36s |\n", "", "", "regret of the best, of the best 8");
    for (size_t i = 0; i < sizeof nkernel / sizeof *nkernel; i++)
        for (ModelKind kind = 0; kind < MODEL_COUNT; kind++)
            run_model(c, kind, nkernel[i], seeds, out);
}

/* What searches of their own cost, against one for all. With all values of the dim each would have one: that is
 * extrapolated, as the joint search's package serves them as it is. */
static void say_costs(const Table *t, int nshown, const Outcome *joint, const Outcome *own, json_t *out)
{
    const Dim *dim = &t->job->spec->dim[0];
    const double all = (double)(dim->max - dim->min + 1) / nshown;
    const double near = median(own->seconds, own->n) / median(joint->seconds, joint->n);
    const double end = last(own, last_seconds) / last(joint, last_seconds);
    printf("\none search a shape against joint, in seconds: %.2fx until within 5%%, %.2fx until each ends by itself;\n"
           "for all %" PRId64 " values (extrapolated) %.1fx and %.1fx\n",
           near, end, dim->max - dim->min + 1, all * near, all * end);
    json_object_set_new(out, "seconds_ratio_within_5_percent", real(near));
    json_object_set_new(out, "seconds_ratio_at_the_end", real(end));
    json_object_set_new(out, "all_values", json_integer(dim->max - dim->min + 1));
    json_object_set_new(out, "seconds_ratio_all_values_within_5_percent_extrapolated", real(all * near));
    json_object_set_new(out, "seconds_ratio_all_values_at_the_end_extrapolated", real(all * end));
}

static bool read_list(const char *text, int64_t *list, int most, int *n)
{
    *n = 0;
    for (char *end; *text && *n < most; text = *end == ',' ? end + 1 : end) {
        list[(*n)++] = strtoll(text, &end, 10);
        if (end == text)
            return false;
    }
    return *n > 0;
}

static bool read_option(const char *name, const char *value, Arguments *q)
{
    if (strcmp(name, "--seeds") == 0)
        return (q->seeds = atoi(value)) > 0 && q->seeds <= MAX_SEEDS;
    if (strcmp(name, "--trials") == 0)
        return (q->trials = atoi(value)) > 0;
    if (strcmp(name, "--shown") == 0)
        return read_list(value, q->shown, MAX_SHOWN, &q->nshown);
    if (strcmp(name, "--seconds") == 0)
        return read_list(value, q->seconds, MAX_BUDGETS, &q->nseconds);
    if (strcmp(name, "--noise") == 0)
        return (q->noise = value) != NULL;
    if (strcmp(name, "--kernel-s") == 0)
        return (q->cost.kernel_s = atof(value)) >= 0;
    if (strcmp(name, "--request-s") == 0)
        return (q->cost.request_s = atof(value)) >= 0;
    if (strcmp(name, "--json") == 0)
        return (q->json = value) != NULL;
    if (strcmp(name, "--results") == 0)
        return (q->results = value) != NULL;
    return false;
}

static bool read_arguments(int argc, char **argv, Arguments *q)
{
    int operands = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0) {
            if (i + 1 == argc || !read_option(argv[i], argv[i + 1], q))
                return false;
            i++;
        } else {
            *(operands++ ? &q->records : &q->spec) = argv[i];
        }
    }
    return operands == 2;
}

/* FOLDER/<device>/<spec>.json, as the other results of bench/; of whole searches by their time <spec>_seconds.json. */
static const char *result_path(Arena *a, const Table *t, const Arguments *q)
{
    const Machine here = machine_probe();
    char *slug = arena_strdup(a, t->device->name);
    machine_slug(t->device->name, slug);
    const char *dir = arena_printf(a, "%s/%s", q->results, t->target->family->off_cpu ? slug : here.slug);
    mkdir(q->results, 0777);
    mkdir(dir, 0777);
    return arena_printf(a, "%s/%s%s.json", dir, t->job->spec->name, q->nseconds ? "_seconds" : "");
}

/* All ways, models and costs, into out. */
static void run_ways(Arena *a, const Contest *c, const Arguments *q, json_t *out)
{
    print_head();
    Outcome r[NWAY + 1];
    json_t *list = json_array(), *budgets = json_array(), *models = json_array();
    for (int i = 0; i < NWAY; i++)
        run_way(c, &ways[i], q->seeds, &r[i]);
    run_analytic(c, &r[NWAY]);
    for (int i = 0; i <= NWAY; i++)
        json_array_append_new(list, result_json(&r[i]));
    const Contest ends = with_ends(a, c);
    printf("\nthe same search, shown the ends of the range too:\n");
    run_budgets(&ends, q->seeds, budgets);
    say_agreement(&r[0], out);
    run_models(c, q->seeds, models);
    say_costs(c->table, q->nshown, &r[0], &r[2], out);
    json_object_set_new(out, "ways", list);
    json_object_set_new(out, "budgets", budgets);
    json_object_set_new(out, "models", models);
}

int main(int argc, char **argv)
{
    Arguments q = { .seeds = 10,
                    .trials = 256,
                    .nshown = 8,
                    .shown = { 5, 24, 43, 62, 81, 100, 119, 128 }, /* DietCode's values of T */
                    .cost = { .kernel_s = 0.4, .request_s = 0.004 } };
    if (!read_arguments(argc, argv, &q)) {
        fprintf(stderr, "usage: tuning SPEC RECORDS [--seeds N] [--shown T,T,...] [--trials N] [--kernel-s X] "
                        "[--request-s X] [--json FILE] [--results FOLDER]\n");
        return 2;
    }
    Arena *a = arena_new();
    const Table *t = table_read(a, q.spec, q.records);
    if (!t)
        return 3;
    Contest c = { .table = t, .cost = q.cost, .shown = q.shown, .nshown = q.nshown, .trials = q.trials };
    Noise *noise = q.noise ? noise_read(a, q.noise) : NULL;
    if (q.noise && !noise)
        return 3;
    printf("%s on %s: %" PRId64 " kernels, %" PRId64 " shapes, %d seeds\n\n", t->job->spec->name, t->device->name,
           t->space->n, t->truth->nshape, q.seeds);
    json_t *out = json_object();
    json_object_set_new(out, "device", json_string(t->device->name));
    if (q.nseconds)
        json_object_set_new(out, "budgets_of_time", run_budgets_of_time(&c, &q, noise));
    else
        run_ways(a, &c, &q, out);
    if (q.results && !q.json)
        q.json = result_path(a, t, &q);
    const bool ok = !q.json || json_dump_file(out, q.json, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(out);
    arena_free(a);
    return ok ? 0 : 3;
}
