/* SPDX-License-Identifier: Apache-2.0
 *
 * report: prints the table, a line a shape, and the goals below it. report_json.c writes the same as JSON.
 */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/package.h"
#include "search/runner/peak.h"

#define QUIET_CORES 0.1

static const char *const verdict_word[] = { "MISSED", "met", "not judged" };

const char *report_caches(void) { return peer_cold ? "cold" : "hot"; }

void report_head(const Results *r)
{
    const Spec *s = contest.spec;
    printf("%s: %s\n%s", package_tested.name, r->machine.name, s->op->name);
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            printf(", %s %s%s", s->op->operand[i].name, i == s->const_operand && s->packed ? "packed from " : "",
                   s->op->operand[i].layout[s->layout[i]].name);
    printf("%s%s; caches: %s; limits: %s%s, streaming read of as many bytes as %s; %d rounds, medians\n",
           s->formula ? ", " : "", spec_formula_text(s), report_caches(),
           spec_moves(contest.spec) ? "a copy" : "FMA loop with ",
           spec_moves(contest.spec) ? "" : peak_name(peak_best()), s->op->operand[contest.op->streamed].name,
           r->nround);
    for (int c = 0; c < contest.op->ncolumn; c++) {
        const char *version = contest_version(c);
        printf("  %-14s %s\n", contest.op->column[c].title, version ? version : "left out");
    }
}

/* Wide enough for a title and for a figure with a letter behind it. */
static int column_width(int column)
{
    const int title = (int)strlen(contest.op->column[column].title) + 1;
    return title < 9 ? 9 : title;
}

/* Of an extent's column; 0: it has none, as it is the same for all shapes. */
static int extent_width(int extent)
{
    const int name = (int)strlen(contest.spec->op->extent[extent].name);
    return spec_is_constant(contest.spec, extent) ? 0 : name < 5 ? 5 : name;
}

void report_columns(int threads)
{
    const Op *op = contest.spec->op;
    printf("\n%d thread%s; %s, and how many times as fast as each peer, and as the best, dcgen is\n", threads,
           threads > 1 ? "s" : "", contest_unit());
    for (int i = 0; i < op->ngiven; i++)
        if (extent_width(i))
            printf("%*s ", extent_width(i), op->extent[i].name);
    printf("|%7s %4s %6s |", "dcgen", "+-%", "%limit");
    for (int c = 0; c < contest.op->ncolumn; c++)
        printf("%*s", column_width(c), contest.op->column[c].title);
    printf(" |");
    for (int c = 0; c < contest.op->ncolumn; c++)
        printf("%*s", column_width(c), contest.op->column[c].title);
    printf("%7s |%7s%7s%s\n", "best", "peak", "read", threads > 1 ? "  x 1 thread" : "");
}

static void print_cell(const Cell *c, int width)
{
    if (c->form)
        printf("%*.1f%s", width - 2, c->speed, c->form[0] == 'K' ? " k" : c->form[0] == 'N' ? " n" : "  ");
    else
        printf("%*s", width, "-  ");
}

static void print_ratio(const Cell *c, int width)
{
    if (c->form)
        printf("%*.2f", width, c->ratio);
    else
        printf("%*s", width, "-");
}

void report_line(const Line *l)
{
    for (int i = 0; i < contest.spec->op->ngiven; i++)
        if (extent_width(i))
            printf("%*lld ", extent_width(i), (long long)l->extent[i]);
    if (l->wrong) {
        printf("| dcgen: %s\n", l->wrong);
        return;
    }
    printf("|%7.1f %4.1f %6.1f |", l->speed, 100 * l->spread, 100 * l->limit_share);
    for (int c = 0; c < contest.op->ncolumn; c++)
        print_cell(&l->cell[c], column_width(c));
    printf(" |");
    for (int c = 0; c < contest.op->ncolumn; c++)
        print_ratio(&l->cell[c], column_width(c));
    print_ratio(&l->best, 7);
    printf(" |%7.1f%7.1f", l->peak_gflops, l->read_gbs);
    if (l->threads > 1)
        printf("%12.2f", l->speedup);
    printf("\n");
    fflush(stdout);
}

/* Of the ratios to each column, and to the best. */
static void print_ratios(const char *what, GoalKind kind, const Line *line, int n)
{
    printf("%-14s", what);
    for (int c = 0; c <= contest.op->ncolumn; c++) {
        const Goal any = { .kind = kind, .column = c < contest.op->ncolumn ? c : BEST, .to = INT64_MAX };
        const double v = goal_value(&any, line, n);
        if (isnan(v))
            printf("%16s", "-");
        else
            printf("%16.3f", v);
    }
    printf("\n");
}

static int judge_goals(const Line *line, int n)
{
    int missed = 0;
    for (int i = 0; i < contest.op->ngoal; i++) {
        const Goal *g = &contest.op->goals[i];
        if (!goal_applies(g, line->threads))
            continue;
        const double v = goal_value(g, line, n);
        const Verdict verdict = goal_verdict(g, v);
        printf("  %-50s %6.3f  (goal %.2f)  %s\n", g->text, v, g->at_least, verdict_word[verdict]);
        missed += verdict == GOAL_MISSED;
    }
    return missed;
}

static int lines_of_same_threads(const Results *r, int first)
{
    int end = first;
    while (end < r->nline && r->line[end].threads == r->line[first].threads)
        end++;
    return end - first;
}

int report_summary(const Results *r)
{
    int missed = r->dispatch_ns > GOAL_DISPATCH_NS;
    for (int i = 0, n; i < r->nline; i += n) {
        n = lines_of_same_threads(r, i);
        printf("\n%d thread%s, %d shapes:  ", r->line[i].threads, r->line[i].threads > 1 ? "s" : "", n);
        printf("times as fast as\n%-14s", "");
        for (int c = 0; c < contest.op->ncolumn; c++)
            printf("%16s", contest.op->column[c].title);
        printf("%16s\n", "the best of all");
        print_ratios("  geomean", GOAL_GEOMEAN, &r->line[i], n);
        print_ratios("  worst", GOAL_WORST, &r->line[i], n);
        missed += judge_goals(&r->line[i], n);
    }
    printf("\n  %-50s %6.1f  (goal %d at most)  %s\n", "ns to choose a kernel", r->dispatch_ns, GOAL_DISPATCH_NS,
           verdict_word[r->dispatch_ns <= GOAL_DISPATCH_NS]);
    int nrepeated = 0;
    for (int i = 0; i < r->nline; i++)
        nrepeated += r->line[i].nrepeated;
    printf("  %-50s %6d\n", "rounds held again, the FMA peak was not there", nrepeated);
    printf("  %-50s %6.2f%s\n", "cores that others took meanwhile", r->foreign_cores,
           r->foreign_cores > QUIET_CORES ? "  these figures are disturbed" : "");
    return missed;
}
