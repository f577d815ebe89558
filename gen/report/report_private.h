/* SPDX-License-Identifier: Apache-2.0
 *
 * report_private: what the parts of report share. report.c fills the page's pattern, report_table.c says what stands in its tables,
 * report_figure.c and report_map.c write what gnuplot draws, report_group.c sorts the shapes for both.
 */
#ifndef DCGEN_REPORT_PRIVATE_H
#define DCGEN_REPORT_PRIVATE_H

#include <stdbool.h>
#include "gen/base/text.h"
#include "gen/report/choice.h"
#include "gen/report/plot.h"
#include "gen/report/report.h"
#include "gen/report/roofline.h"
#include "gen/template/fill.h"

enum {
    REPORT_MAX_PANEL = 12,
    REPORT_MAX_BAR = 24,
    REPORT_MAX_PLANE = 6,
    REPORT_MAX_ROW = 500,
    REPORT_MAX_PLOT = REPORT_MAX_PANEL + REPORT_MAX_PLANE + 6
};

/* Instances that differ in one dim only, or where there is none in one extent, ascending by it. */
typedef struct {
    int axis; /* an extent that varies along it: of the x axis */
    int64_t n;
    int64_t *at; /* indices into Spec.instance */
    double weight;
    const char *label; /* "N = 768, K = 768, 2 threads"; "M = T, N = T, K = 512" */
    bool panel, bar;   /* among those that are shown in figures: the heaviest */
} Group;

typedef struct {
    const Spec *spec;
    int *dim;         /* one a declared shape: along which it varies; -1: along none */
    int *axis;        /* one a declared shape: the extent that shows it */
    const char *axes; /* of the x axis of figures of several groups: "M", "M or N" */
    int ngroup, npanel, nbar;
    Group *group; /* by threads, declared shape and its other dims */
} Groups;

Groups report_groups(Arena *a, const Spec *spec);

typedef struct {
    Arena *arena;
    const Result *in;
    const Spec *spec; /* of it, as the next four */
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Contract *contract;
    const char *version; /* of dcgen */
    Roofline roofline;   /* nlimit 0: the machine's limits are not known */
    const char *part;    /* before each id: "avx2-" of a target among several, else "" */
    Groups groups;
    FillScope *words; /* of this part of the page */
    int nplot;
    Plot plot[REPORT_MAX_PLOT];
    bool has_roof, has_library; /* in some panel */
} Report;

/* A part of the page, about one target, to which nothing is written yet and of which nothing is worked out. */
Report *report_begin(Arena *a, const Result *in, const char *version, bool several);

bool report_draw(Report *r, const char **err); /* all figures, by one gnuplot */
void report_draw_maps(Report *r);

/* The page's pattern filled with n parts; in: of the package. */
char *report_fill(Arena *a, const Result *in, Report *const *part, int n, const char **err);

/* Words of the page's pattern, quoted for HTML. */
void report_word(FillScope *s, const char *name, const char *text);
void report_wordf(FillScope *s, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void report_setting_words(Report *r); /* spec, device, compiler, declared shapes */
void report_limit_words(Report *r);   /* what the machine does at most */
void report_shape_words(Report *r);
void report_kernel_words(Report *r);
void report_model_words(Report *r);
void report_contract_words(Report *r); /* the regret contract */

/* Begins a figure of that size, for a word of the page's pattern; id: unique in the part. */
Plot *report_plot(Report *r, const char *word, const char *id, const char *caption, int width, int height);

/* What the contract says of a tuned shape. NULL: nothing was compared there. */
const ContractShape *report_contract_shape(const Report *r, int64_t shape);
const char *report_kernel(const Report *r, int kernel);  /* "k3", by the package's number */
int64_t report_instance(const Report *r, int64_t shape); /* index of a tuned shape's instance */
double report_cost(const Report *r, int64_t instance, int kernel);

double report_varying(const Report *r, int64_t instance); /* the extent of its group's x axis */
Range report_shared_x(const Report *r); /* of all groups that are drawn, so that they can be compared */

#endif
