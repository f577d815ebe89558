/* SPDX-License-Identifier: Apache-2.0
 *
 * report_private: what the files of the report share. The head of each says what it does.
 */
#ifndef DCGEN_REPORT_PRIVATE_H
#define DCGEN_REPORT_PRIVATE_H

#include <stdbool.h>
#include "gen/base/text.h"
#include "gen/report/choice.h"
#include "gen/report/plot.h"
#include "gen/report/report.h"
#include "gen/report/shares.h"
#include "gen/spec/op_shown.h"
#include "gen/template/fill.h"
#include "search/choose/distribution.h"

/* How many a part of the page has at most. */
enum {
    REPORT_MAX_PANEL = 12, /* panels of speed, one a group */
    REPORT_MAX_BAR = 24,   /* bars of the map, one a group */
    REPORT_MAX_PLANE = 6,
    REPORT_MAX_ROW = 500, /* rows of the table of tuned shapes */
    /* 6 other figures: the map and its narrow form, the model's scatter and residuals, the curve, the progress. */
    REPORT_MAX_PLOT = REPORT_MAX_PANEL + REPORT_MAX_PLANE + DISTRIBUTION_MOST + 6
};

/* Instances that differ in one dim only, or, if no dim varies, in one extent. They ascend by the extent `axis`. */
typedef struct {
    int axis; /* the extent on the x axis of its figures: it varies with the dim */
    int64_t n;
    int64_t *at; /* indices into Spec.instance */
    double weight;
    const char *label; /* "N = 768, K = 768, 2 threads"; "M = T, N = T, K = 512" */
    bool panel, bar;   /* it is heavy enough to have a panel, a bar of the map */
} Group;

typedef struct {
    const Spec *spec;
    int *dim;         /* of each declared shape the dim that it varies along; -1: none */
    int *axis;        /* of each declared shape the Group.axis of its groups */
    const char *axes; /* label of the x axis in figures of several groups: "T", or "S or T" where these vary */
    int ngroup, npanel, nbar;
    Group *group; /* sorted by threads, declared shape and its other dims */
} Groups;

Groups report_groups(Arena *a, const Spec *spec);

typedef struct {
    Arena *arena;
    const Result *in;
    const Spec *spec; /* this and the next four: from `in` */
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Contract *contract;
    const char *version; /* dcgen's */
    const char *part;    /* prefix of each id: "avx2-" if the page has several targets, else "" */
    Groups groups;
    const Distribution *distribution; /* of the log of shapes; NULL: there is none */
    int nshown;                       /* columns of tables of shapes */
    OpShown shown[OP_MAX_EXTENT];
    FillScope *words; /* what the pattern's names stand for in this part of the page */
    int nplot;
    Plot plot[REPORT_MAX_PLOT];
    bool has_roof, has_library; /* some panel shows the roofline, the library */
    bool is_over_roof;          /* some panel, or the table, has a time that is less than the roofline allows */
} Report;

/* Begins the part of the page about one target, without figures and words. several: the page has several targets. */
Report *report_begin(Arena *a, const Result *in, const char *version, bool several);

bool report_draw(Report *r, const char **err); /* draws all figures by one gnuplot */
void report_draw_log(Report *r);               /* adds the figures of a log of shapes, if there is one */
void report_draw_maps(Report *r);              /* adds the figures that show which kernel serves which shape */

/* Fills the page's pattern with n parts. in: any result of the package. */
char *report_fill(Arena *a, const Result *in, Report *const *part, int n, const char **err);

/* Give words of the page's pattern their texts, quoted for HTML, or integers: REPORT_WORDS(row, WORD("MEAN", text)). */
#define REPORT_WORDS(s, ...) report_words(s, (const FillWord[]){ __VA_ARGS__, { .name = NULL } })
void report_words(FillScope *s, const FillWord *word);
void report_word(FillScope *s, const char *name, const char *text);
void report_wordf(FillScope *s, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void report_setting_words(Report *r); /* spec, device, compiler, declared shapes */
void report_log_words(Report *r);     /* how the calls of a log are spread */
void report_limit_words(Report *r);   /* the machine's peak and bandwidths */
void report_shape_words(Report *r);
void report_kernel_words(Report *r);
void report_model_words(Report *r);
void report_contract_words(Report *r); /* the regret contract */

/* Begins a figure of that size, for a word of the page's pattern; id: unique in the part. */
Plot *report_plot(Report *r, const char *word, const char *id, const char *caption, int width, int height);

/* What the contract says of a tuned shape. NULL: no kernels were compared on it. */
const ContractShape *report_contract_shape(const Report *r, int64_t shape);
/* The regret of a tuned shape, as its table has it; where nothing was measured the model's. NAN: not known. */
double report_regret(const Report *r, int64_t shape);
const char *report_kernel(const Report *r, int kernel);            /* "k3", by the package's number */
int64_t report_instance(const Report *r, int64_t shape);           /* index in Spec.instance of a tuned shape */
double report_cost(const Report *r, int64_t instance, int kernel); /* ns */

double report_varying(const Report *r, int64_t instance); /* the extent of its group's x axis */
Range report_shared_x(const Report *r); /* of all groups that have a bar: one x range makes figures comparable */

#endif
