/* SPDX-License-Identifier: Apache-2.0
 *
 * report_private: what the parts of report share. report.c writes the page, report_table.c its tables, report_figure.c
 * what gnuplot draws, report_group.c sorts the shapes for both, report_style.c is the style sheet.
 */
#ifndef DCGEN_REPORT_PRIVATE_H
#define DCGEN_REPORT_PRIVATE_H

#include <stdbool.h>
#include "gen/plot.h"
#include "gen/report.h"
#include "gen/text.h"

enum { REPORT_MAX_PANEL = 12, REPORT_MAX_BAR = 24, REPORT_MAX_ROW = 500, REPORT_MAX_PLOT = REPORT_MAX_PANEL + 5 };

/* Instances that differ in one extent only, ascending by it. */
typedef struct {
    int64_t n, ntuned;
    int64_t *at; /* indices into Spec.instance */
    double weight;
    const char *label; /* "N = 768, K = 768, 2 threads" */
    bool panel, bar;   /* among those that are shown in figures: the heaviest */
} Group;

typedef struct {
    int axis; /* the extent with the most values */
    int ngroup, npanel, nbar;
    Group *group; /* by threads, then the other extents */
} Groups;

Groups report_groups(Arena *a, const Spec *spec);

typedef struct {
    const ReportInput *in;
    Arena *arena;
    Groups groups;
    Text out; /* the page */
    int nplot;
    Plot plot[REPORT_MAX_PLOT];
    int *panel;                                    /* plot of each group's panel; -1: none */
    int map, narrow_map, scatter, curve, progress; /* plots; -1: none */
    const char *no_plot;                           /* why there are no figures; NULL: there are */
    double speedup; /* time with one kernel for all shapes / with the chosen ones, weighted geometric mean */
    double tuned_regret, worst_regret; /* over tuned shapes: weighted mean, largest */
    int64_t worst;                     /* the instance of the largest */
} Report;

void report_draw(Report *r); /* all figures, by one gnuplot */

void report_table_setting(Report *r); /* spec, device, compiler */
void report_table_shapes(Report *r);
void report_table_kernels(Report *r);
void report_list_parameters(Report *r);
void report_table_space(Report *r);
void report_table_model(Report *r);

int64_t report_instance(const Report *r, int64_t shape); /* index of a tuned shape's instance */
double report_cost(const Report *r, int64_t instance, int kernel);
const char *report_shape_text(Report *r, const Instance *inst); /* "M = 80, N = 768, K = 768" */

extern const char report_style[];

#endif
