/* SPDX-License-Identifier: Apache-2.0
 *
 * report: prints the table, a line a shape, and the goals below it. report_json.c writes the same as JSON.
 */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include "bench/goal.h"
#include "search/runner/peak.h"

#define QUIET_CORES 0.1

static const char *const verdict_word[] = { "MISSED", "met", "not judged" };

void report_head(const Results *r)
{
    printf("%s: %s\n", package.name, r->machine.name);
    printf("W %s%s; limits: FMA loop with %s, streaming read of as many bytes as W; %d rounds, medians\n",
           package.w_packed ? "packed from " : "", package.w_kn ? "[K][N]" : "[N][K]", peak_name(peak_best()),
           r->nround);
    for (int c = 0; c < NCOLUMN; c++) {
        const char *version = contest_version(c);
        printf("  %-14s %s\n", contest_column[c].title, version ? version : "left out");
    }
}

void report_columns(int threads)
{
    printf("\n%d thread%s; GFLOP/s, and how many times as fast as each peer dcgen is\n", threads,
           threads > 1 ? "s" : "");
    printf("%5s %5s %5s |%7s %4s %6s", "M", "N", "K", "dcgen", "+-%", "%limit");
    printf(" |%9s%9s%9s%14s", "OpenBLAS", "BLIS", "oneDNN", "oneDNN-packed");
    printf(" |%9s%7s%7s%8s", "OpenBLAS", "BLIS", "oneDNN", "packed");
    printf(" |%7s%7s%s\n", "peak", "GB/s", threads > 1 ? "  x 1 thread" : "");
}

static void print_cell(const Cell *c, int width)
{
    if (c->form)
        printf("%*.1f%s", width - 2, c->gflops, c->form[0] == 'K' ? " k" : c->form[0] == 'N' ? " n" : "  ");
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
    printf("%5d %5d %5d |", (int)l->shape.M, (int)l->shape.N, (int)l->shape.K);
    if (l->wrong) {
        printf(" dcgen: %s\n", l->wrong);
        return;
    }
    static const int speed_width[NCOLUMN] = { 9, 9, 9, 14 }, ratio_width[NCOLUMN] = { 9, 7, 7, 8 };
    printf("%7.1f %4.1f %6.1f |", l->gflops, 100 * l->spread, 100 * l->limit_share);
    for (int c = 0; c < NCOLUMN; c++)
        print_cell(&l->cell[c], speed_width[c]);
    printf(" |");
    for (int c = 0; c < NCOLUMN; c++)
        print_ratio(&l->cell[c], ratio_width[c]);
    printf(" |%7.1f%7.1f", l->peak_gflops, l->read_gbs);
    if (l->threads > 1)
        printf("%12.2f", l->speedup);
    printf("\n");
    fflush(stdout);
}

static void print_ratios(const char *what, double (*value)(const Goal *, const Line *, int), const Line *line, int n)
{
    printf("%-14s", what);
    for (int c = 0; c < NCOLUMN; c++) {
        Goal any = { .column = c, .from_M = 1, .to_M = INT64_MAX };
        double v = value(&any, line, n);
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
    for (int i = 0; i < ngoal; i++) {
        if (!goal_applies(&goals[i], line->threads))
            continue;
        double v = goals[i].value(&goals[i], line, n);
        Verdict verdict = goal_verdict(&goals[i], v);
        printf("  %-50s %6.3f  (goal %.2f)  %s\n", goals[i].text, v, goals[i].at_least, verdict_word[verdict]);
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
        printf("times as fast as\n%-14s%16s%16s%16s%16s\n", "", "OpenBLAS", "BLIS", "oneDNN", "oneDNN-packed");
        print_ratios("  geomean", goal_ratio_geomean, &r->line[i], n);
        print_ratios("  worst", goal_ratio_worst, &r->line[i], n);
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
