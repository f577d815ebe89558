/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_private: what the files that read a spec share. The head of each says what it reads.
 */
#ifndef DCGEN_SPEC_PRIVATE_H
#define DCGEN_SPEC_PRIVATE_H

#include "gen/base/conf.h"
#include "gen/spec/points.h"
#include "gen/spec/spec.h"

enum {
    SPEC_TUNE_PER_SHAPE = 64, /* shapes that are measured of those that are declared together */
    SPEC_MAX_ROW_ERROR = 100  /* rows of a log are not looked at beyond so many errors */
};

typedef struct {
    Arena *arena;
    Conf *conf;
    const ConfSetting *root;
    const ConfSetting *group; /* with the keys of the function at hand: the root, or an element of 'functions' */
    Diag *diag;
    int nerror; /* that diag had before this file */
    Spec *spec;
    bool dims_known; /* all names are read; else expressions are not checked for names: one fault, one error */
    bool dims_ok;    /* and all ranges are good */
} SpecReader;

/* A value for each dim. */
typedef struct {
    int64_t value[SPEC_MAX_DIM];
} Point;

void spec_read_dims(SpecReader *r);     /* dims, tune, weights */
void spec_read_formula(SpecReader *r);  /* with types, extents, accuracy */
void spec_check_formula(SpecReader *r); /* once the ranges of all extents are known */
void spec_read_shapes(SpecReader *r);
void spec_read_strides(SpecReader *r); /* once layouts are known; likewise */
void spec_read_in_place(SpecReader *r);
/* Bit i: a shape of the function at hand names dim i. */
unsigned spec_named_dims(SpecReader *r);
/* The product of the dims' weights at a point; false after an error. */
bool spec_point_weight(SpecReader *r, const Point *p, double *out);
/* The extents of a shape at a point; false after an error. */
bool spec_point_extents(SpecReader *r, const ShapeDecl *shape, const Point *p, int64_t *extent);
void spec_make_instances(SpecReader *r);
/* Works out the derived extents of an instance that has the others, and widens the box by them; false after an
 * error. */
bool spec_derive_instance(SpecReader *r, Instance *in);
void spec_read_log(SpecReader *r, const ConfSetting *s); /* 'shapes' that are the path of a log */
bool spec_add_rows(SpecReader *r);                       /* instances of its rows; false after an error */
void box_widen(Box *box, int extent, int64_t value);     /* so that it holds the value too */

Grid spec_grid(const Spec *s, unsigned dims, int64_t limit); /* over the ranges of these dims */
bool spec_grid_next(const Spec *s, Grid *g, Point *p);       /* the other dims stand at their minimum */
const char *spec_point_text(SpecReader *r, unsigned dims, const int64_t *value); /* " for T = 5, S = 2"; "": no dims */
const char *spec_seen_path(SpecReader *r, const char *path); /* a path that is seen from the spec's folder */
double spec_log2(double x); /* of x >= 1, but linear between powers of two: exact, so all machines choose the same */
/* At most 8 values of min..max: see spec_instance.c. */
int spec_tune_values(int64_t min, int64_t max, int64_t *out);

#endif
