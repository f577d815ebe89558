/* SPDX-License-Identifier: Apache-2.0
 *
 * limits: `dcgen limits SPEC`. Measures what the device of each of the spec's targets does at most, for its data type
 * and thread counts; appends it to the workload's records, and prints it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/json.h"
#include "gen/base/number.h"
#include "gen/command/command.h"
#include "gen/driver/tools.h"

static const double SECONDS = 1; /* for measuring one target, unless --seconds says otherwise */

/* What was measured for one job. */
typedef struct {
    const Job *job;
    const Target *target;
    const Device *device;
    int n;
    LimitRecord *limit; /* one a thread count */
} Measured;

/* The columns of the table, and their names in JSON, which has the rates of levels in an object of their own. */
static const struct {
    const char *name, *head;
    size_t field; /* place of a double in LimitRecord, whose value is 0 if it was not measured */
    double unit;  /* one of the head's units in those of the field */
    bool is_level;
} COLUMNS[] = { { "flops_per_s", "GFLOP/s", offsetof(LimitRecord, flops_per_s), 1e9, false },
                { "l1", "L1 GB/s", offsetof(LimitRecord, bytes_per_s[LEVEL_L1]), 1e9, true },
                { "l2", "L2 GB/s", offsetof(LimitRecord, bytes_per_s[LEVEL_L2]), 1e9, true },
                { "l3", "L3 GB/s", offsetof(LimitRecord, bytes_per_s[LEVEL_L3]), 1e9, true },
                { "memory", "memory GB/s", offsetof(LimitRecord, bytes_per_s[LEVEL_MEMORY]), 1e9, true },
                { "clock_mhz", "clock MHz", offsetof(LimitRecord, clock_mhz), 1, false },
                { "launch_ns", "launch ns", offsetof(LimitRecord, launch_ns), 1, false },
                { "handover_ns", "handover ns", offsetof(LimitRecord, handover_ns), 1, false },
                { "reuse_flops_per_s", "reuse GFLOP/s", offsetof(LimitRecord, reuse_flops_per_s), 1e9, false } };
enum { NCOLUMN = LENGTH(COLUMNS) };

static double value_of(const LimitRecord *l, int column)
{
    return *(const double *)((const char *)l + COLUMNS[column].field);
}

/* True if the column has a value in some row. */
static bool is_known(const Measured *m, int column)
{
    for (int i = 0; i < m->n; i++)
        if (value_of(&m->limit[i], column) > 0)
            return true;
    return false;
}

static void print_table(Arena *a, const Measured *m, FILE *to)
{
    quote_printf(to, "%s %s on %s\n%8s", m->target->name, m->job->spec->dtype, m->device->name, "threads");
    for (int k = 0; k < NCOLUMN; k++)
        if (is_known(m, k))
            fprintf(to, " %12s", COLUMNS[k].head);
    fprintf(to, "\n");
    for (const LimitRecord *l = m->limit; l < m->limit + m->n; l++) {
        fprintf(to, "%8d", l->threads);
        for (int k = 0; k < NCOLUMN; k++)
            if (is_known(m, k))
                fprintf(to, " %12s", value_of(l, k) > 0 ? number_sig(a, value_of(l, k) / COLUMNS[k].unit, 4) : "-");
        fprintf(to, "\n");
    }
}

static json_t *limit_json(const LimitRecord *l)
{
    json_t *rates = json_object(), *o = JSON_OBJECT(FIELD("threads", l->threads), FIELD("bytes_per_s", rates));
    for (int k = 0; k < NCOLUMN; k++)
        if (value_of(l, k) > 0)
            JSON_SET(COLUMNS[k].is_level ? rates : o, FIELD(COLUMNS[k].name, value_of(l, k)));
    return o;
}

static void print_json(const Measured *m, int n, FILE *to)
{
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        json_t *list = json_array();
        for (int k = 0; k < m[i].n; k++)
            json_array_append_new(list, limit_json(&m[i].limit[k]));
        json_array_append_new(all,
                              JSON_OBJECT(FIELD("target", m[i].target->name), FIELD("dtype", m[i].job->spec->dtype),
                                          FIELD("device", m[i].device->name), FIELD("records", m[i].job->records),
                                          FIELD("limits", list)));
    }
    char *text = json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(RECORD_DIGITS));
    fprintf(to, "%s\n", text ? text : "[]");
    free(text);
    json_decref(all);
}

/* Measures and records the limits of the runner's device. The compilers and the runner are open. */
static bool measure_device(Run *r, const Site *site, Tools *t, Measured *m)
{
    m->device = tools_device(r, site, t);
    m->target = job_target(r->a, m->job, m->device, &r->err);
    if (!m->target) {
        r->code = EXIT_USAGE;
        return false;
    }
    const UnitContext u = job_unit(r->a, m->job, m->device, m->target);
    m->limit = ARENA_ARRAY(r->a, (size_t)u.spec->nthread + 1, LimitRecord);
    if (!tools_open_records(r, m->job, t) || !record_add_device(t->records, m->device, &r->err))
        return false;
    Workshop shop = { .unit = &u, .builder = t->builder, .agents = t->agents, .records = t->records };
    const double most_s = r->o->seconds > 0 ? r->o->seconds : SECONDS;
    return calibrate(&shop, r->a, most_s, m->limit, &m->n, r->stop, &r->err, &r->err) && m->n > 0;
}

static bool measure_job(Run *r, Measured *m)
{
    Site site;
    Tools t = { 0 };
    const bool ok = site_find(r, m->job, false, &site) && record_check(r->a, m->job->records, &r->err) &&
                    tools_open(r, m->job, &site, &t) && measure_device(r, &site, &t, m);
    if (!ok)
        run_say(r);
    tools_close(r, &t);
    return ok;
}

/* Was the data type of the job measured for an earlier function? They differ by target and type alone. */
static bool is_measured(const Job *job)
{
    for (const Job *before = job->workload->job; before->spec != job->spec; before++)
        if (strcmp(before->spec->dtype, job->spec->dtype) == 0)
            return true;
    return false;
}

bool limits(Run *r)
{
    const Workload *w = run_workload(r);
    if (!w)
        return false;
    Measured *m = ARENA_ARRAY(r->a, (size_t)w->njob, Measured);
    int n = 0;
    for (const Job *job = w->job; job < w->job + w->njob; job++) {
        if (is_measured(job))
            continue;
        m[n].job = job;
        if (!measure_job(r, &m[n]))
            return false;
        if (!r->o->json)
            print_table(r->a, &m[n], stdout);
        n++;
    }
    if (r->o->json)
        print_json(m, n, stdout);
    return true;
}
