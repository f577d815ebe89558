/* SPDX-License-Identifier: Apache-2.0
 *
 * report_json: the results as a file that can be committed and compared; 4 significant digits, sorted keys.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "bench/package.h"
#include "bench/report.h"
#include "search/runner/peak.h"

enum { SCHEMA = 2 };

static json_t *number(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return isfinite(x) ? json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL) : json_null();
}

static const char *speed_key(void) { return spec_moves(contest.spec) ? "gbs" : "gflops"; }

static json_t *cell_json(const Cell *c)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "form", c->form, "time_ns", number(c->time_ns), speed_key(),
                     number(c->speed), "spread", number(c->spread), "ratio", number(c->ratio));
}

static json_t *line_json(const Line *l)
{
    json_t *peers = json_object();
    for (int c = 0; c < contest.op->ncolumn; c++)
        if (l->cell[c].form)
            json_object_set_new(peers, contest.op->column[c].title, cell_json(&l->cell[c]));
    json_t *o = json_pack("{s:i, s:o}", "threads", l->threads, "peers", peers);
    for (int i = 0; i < contest.spec->op->ngiven; i++)
        json_object_set_new(o, contest.spec->op->extent[i].name, json_integer(l->extent[i]));
    if (l->wrong) {
        json_object_set_new(o, "error", json_string(l->wrong));
        return o;
    }
    json_object_set_new(o, "time_ns", number(l->time_ns));
    json_object_set_new(o, speed_key(), number(l->speed));
    json_object_set_new(o, "spread", number(l->spread));
    json_object_set_new(o, "peak_gflops", number(l->peak_gflops));
    json_object_set_new(o, "read_gbs", number(l->read_gbs));
    json_object_set_new(o, "read_way", json_string(l->read_way));
    json_object_set_new(o, "limit_share", number(l->limit_share));
    json_object_set_new(o, "rounds_repeated", json_integer(l->nrepeated));
    if (l->threads > 1)
        json_object_set_new(o, "speedup", number(l->speedup));
    return o;
}

static json_t *goal_json(const Goal *g, const Line *line, int nline)
{
    static const char *const word[] = { "missed", "met", "not judged" };
    const double value = goal_value(g, line, nline);
    return json_pack("{s:s, s:i, s:o, s:o, s:s}", "goal", g->text, "threads", line->threads, "value", number(value),
                     "at_least", number(g->at_least), "verdict", word[goal_verdict(g, value)]);
}

static json_t *summary_json(const Line *line, int nline)
{
    json_t *o = json_pack("{s:i, s:i}", "threads", line->threads, "shapes", nline);
    json_t *geomean = json_object(), *worst = json_object();
    for (int c = 0; c <= contest.op->ncolumn; c++) {
        const bool is_best = c == contest.op->ncolumn;
        const char *title = is_best ? "best" : contest.op->column[c].title;
        Goal any = { .kind = GOAL_GEOMEAN, .column = is_best ? BEST : c, .to = INT64_MAX };
        json_object_set_new(geomean, title, number(goal_value(&any, line, nline)));
        any.kind = GOAL_WORST;
        json_object_set_new(worst, title, number(goal_value(&any, line, nline)));
    }
    json_object_set_new(o, "geomean", geomean);
    json_object_set_new(o, "worst", worst);
    return o;
}

static json_t *versions_json(void)
{
    json_t *o = json_object();
    for (int c = 0; c < contest.op->ncolumn; c++)
        if (contest_version(c))
            json_object_set_new(o, contest.op->column[c].title, json_string(contest_version(c)));
    return o;
}

/* Of the operands that have several. */
static json_t *layouts_json(void)
{
    const Spec *s = contest.spec;
    json_t *o = json_object();
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            json_object_set_new(o, s->op->operand[i].name, json_string(s->op->operand[i].layout[s->layout[i]].name));
    return o;
}

static json_t *results_json(const Results *r)
{
    json_t *lines = json_array(), *summaries = json_array(), *judged = json_array();
    for (int i = 0; i < r->nline; i++)
        json_array_append_new(lines, line_json(&r->line[i]));
    for (int i = 0, n; i < r->nline; i += n) {
        for (n = 1; i + n < r->nline && r->line[i + n].threads == r->line[i].threads;)
            n++;
        json_array_append_new(summaries, summary_json(&r->line[i], n));
        for (int g = 0; g < contest.op->ngoal; g++)
            if (goal_applies(&contest.op->goals[g], r->line[i].threads))
                json_array_append_new(judged, goal_json(&contest.op->goals[g], &r->line[i], n));
    }
    return json_pack("{s:i, s:s, s:s, s:i, s:s, s:s, s:b, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     SCHEMA, "package", package_tested.name, "cpu", r->machine.name, "cores", r->machine.cores, "isa",
                     peak_name(peak_best()), "caches", report_caches(), "packed", contest.spec->packed, "op",
                     contest.spec->op->name, "formula", spec_formula_text(contest.spec), "layouts", layouts_json(),
                     "rounds", r->nround, "dispatch_ns", number(r->dispatch_ns), "foreign_cores",
                     number(r->foreign_cores), "versions", versions_json(), "summary", summaries, "goals", judged,
                     "shapes", lines);
}

static bool folder_make(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

bool report_json(const Results *r, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, r->machine.slug);
    bool made = folder_make(folder) && folder_make(path);
    snprintf(path, sizeof path, "%s/%s/%s%s.json", folder, r->machine.slug, package_tested.name,
             peer_cold ? "_cold" : "");
    json_t *o = results_json(r);
    bool written = made && json_dump_file(o, path, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(4)) == 0;
    json_decref(o);
    if (written)
        printf("\nwritten: %s\n", path);
    else
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return written;
}
