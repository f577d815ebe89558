/* SPDX-License-Identifier: Apache-2.0
 *
 * report_private: what the parts of report share. report.c fills the page's pattern, report_write.c writes tables and figures,
 * report_table.c its tables, report_figure.c and report_{axis,map,fit,curve}.c what gnuplot draws, report_group.c sorts the
 * shapes for both.
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
    REPORT_MAX_NAMED = 64, /* kernels with a label in a plane */
    REPORT_MAX_ROW = 500,
    REPORT_MAX_PLOT = REPORT_MAX_PANEL + REPORT_MAX_PLANE + 6
};

/* Instances that differ in one dim only, or where there is none in one extent, ascending by it. */
typedef struct {
    int axis; /* an extent that varies along it: of the x axis */
    int64_t n, ntuned;
    int64_t *at; /* indices into Spec.instance */
    double weight;
    const char *label; /* "N = 768, K = 768, 2 threads"; "M = T, N = T, K = 512" */
    bool panel, bar;   /* among those that are shown in figures: the heaviest */
} Group;

typedef struct {
    const int *axis;  /* one a declared shape */
    const char *axes; /* of the x axis of figures of several groups: "M", "M or N" */
    int ngroup, npanel, nbar;
    Group *group; /* by threads, declared shape and its other dims */
} Groups;

Groups report_groups(Arena *a, const Spec *spec);

typedef struct {
    int plot;
    const char *label; /* "M = T, N = 64*S, K = 768" */
} PlaneFigure;

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
    Text out;         /* the table or figure in hand */
    Text head, body;  /* of the table that is written */
    int nrow;
    int nplot;
    Plot plot[REPORT_MAX_PLOT];
    int *panel;                                              /* plot of each group's panel; -1: none */
    int map, narrow_map, scatter, residual, curve, progress; /* plots; -1: none */
    int nplane;
    PlaneFigure plane[REPORT_MAX_PLANE]; /* in place of the maps */
    bool has_roof, has_library;          /* in some panel */
    double speedup; /* time with one kernel for all shapes / with the chosen ones, weighted geometric mean */
    Against library;
    double tuned_regret, worst_regret; /* over tuned shapes: weighted mean; largest of those that can be said */
    int64_t worst;                     /* the instance of the largest */
} Report;

/* A part of the page, about one target, to which nothing is written yet and of which nothing is worked out. */
Report *report_begin(Arena *a, const Result *in, const char *version, bool several);

bool report_draw(Report *r, const char **err); /* all figures, by one gnuplot */
void report_draw_maps(Report *r);
void report_draw_model(Report *r);
void report_draw_search(Report *r);

/* The page's pattern filled with n parts; in: of the package. */
char *report_fill(Arena *a, const Result *in, Report *const *part, int n, const char **err);

/* Words of the page's pattern. Text is quoted everywhere. */
const char *report_quoted(Report *r, const char *text);
void report_word(Report *r, const char *name, const char *text);
void report_wordf(Report *r, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void report_setting_words(Report *r); /* spec, device, compiler */
void report_template_words(Report *r);
void report_model_words(Report *r);
void report_contract_words(Report *r); /* the regret contract */

/* A table that scrolls by itself where it is too wide; name: for those who hear the page. Its head is made of the headings of the first row's
 * cells. Class "row": the cell is the head of its row; it may be NULL. */
void table_begin(Report *r, const char *name);
void table_row(Report *r);
void table_cell(Report *r, const char *heading, const char *class, const char *text);
void table_extents(Report *r, const Instance *inst); /* a cell each, and threads where they differ */
void table_end(Report *r);

/* id: of the figure, unique in the part. */
void report_figure(Report *r, int plot, const char *id, const char *caption);

void report_table_declared(Report *r); /* shapes */
void report_table_limits(Report *r);   /* of the machine */
void report_table_shapes(Report *r);
void report_table_rivals(Report *r); /* the library, the model, the roofline */
void report_table_sums(Report *r);   /* of the contract */
void report_table_held_out(Report *r);
void report_table_kernels(Report *r);
void report_table_prices(Report *r);
void report_table_residuals(Report *r); /* of f_adapt */

/* What the contract says of a tuned shape. NULL: nothing was compared there. */
const ContractShape *report_contract_shape(const Report *r, int64_t shape);
/* Its times differ too much to say how far it is from the best. */
bool report_is_unsaid(const Report *r, int64_t shape);
const char *report_time_text(Report *r, double ns);                  /* "1.23 µs" */
const char *report_signed_percent(Report *r, double part);           /* "+1.2 %" */
const char *report_above_text(Report *r, double above, bool unsaid); /* "1.2 %", "† 18.3 %" */
const char *report_spread_text(Report *r, const ContractShape *s);
const char *report_kernel(const Report *r, int kernel);  /* "k3", by the package's number */
int64_t report_instance(const Report *r, int64_t shape); /* index of a tuned shape's instance */
double report_cost(const Report *r, int64_t instance, int kernel);

double report_varying(const Report *r, int64_t instance); /* the extent of its group's x axis */
struct Range report_shared_x(const Report *r); /* of all groups that are drawn, so that they can be compared */

#endif
