/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_log: makes instances of the rows of a log (shape_log.h), and chooses those that are tuned: the most frequent
 * ones, the ends of each extent's range, the calls of the least and the most work, and a sample of the others. Rows are
 * as far from each other as the logarithms of their extents. The sample takes one row after the other, each with a
 * chance of its weight times the square of its distance from those that are taken (k-means++), where the "chances" are
 * the multiples of the golden ratio: the same on every machine.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"
#include "gen/spec/spec_private.h"

enum { MOST_FREQUENT = SPEC_TUNE_PER_SHAPE / 4 };

/* ---- choosing ---- */

typedef struct {
    const Spec *spec;
    int64_t n;
    int naxis;     /* extents that vary */
    double *coord; /* n rows of their logarithms */
    double *far;   /* of each row, the square of its distance from the nearest that is taken */
    int64_t *near; /* that one */
    int64_t nwanted;
} Chooser;

static void take(Chooser *c, int64_t row)
{
    Instance *in = &c->spec->instance[row];
    if (in->tuned || c->nwanted == 0)
        return;
    in->tuned = true;
    c->nwanted--;
    for (int64_t i = 0; i < c->n; i++) {
        double d = 0;
        for (int k = 0; k < c->naxis; k++) {
            const double along = c->coord[i * c->naxis + k] - c->coord[row * c->naxis + k];
            d += along * along;
        }
        if (d < c->far[i]) {
            c->far[i] = d;
            c->near[i] = row;
        }
    }
}

static double log_place(int64_t x) { return x < 0 ? -spec_log2((double)(1 - x)) : spec_log2((double)(1 + x)); }

static Chooser make_chooser(Arena *a, const Spec *s)
{
    Chooser c = { .spec = s, .n = s->ninstance, .nwanted = SPEC_TUNE_PER_SHAPE };
    int axis[OP_MAX_EXTENT];
    for (int x = 0; x < s->op->ngiven; x++)
        if (s->box.min[x] < s->box.max[x])
            axis[c.naxis++] = x;
    c.coord = ARENA_ARRAY(a, (size_t)(c.n * c.naxis) + 1, double);
    c.far = ARENA_ARRAY(a, (size_t)c.n, double);
    c.near = ARENA_ARRAY(a, (size_t)c.n, int64_t);
    for (int64_t i = 0; i < c.n; i++) {
        c.far[i] = INFINITY;
        for (int k = 0; k < c.naxis; k++)
            c.coord[i * c.naxis + k] = log_place(s->instance[i].extent[axis[k]]);
    }
    return c;
}

static void take_most_frequent(Chooser *c)
{
    for (int k = 0; k < MOST_FREQUENT; k++) {
        int64_t best = -1;
        for (int64_t i = 0; i < c->n; i++)
            if (!c->spec->instance[i].tuned &&
                (best < 0 || c->spec->instance[i].weight > c->spec->instance[best].weight))
                best = i;
        if (best >= 0)
            take(c, best);
    }
}

/* Takes the rows that have the least and the most of something; of several, the most frequent. */
static void take_ends(Chooser *c, double (*of)(const Chooser *c, int64_t row, int k), int k)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t best = 0;
        for (int64_t i = 1; i < c->n; i++) {
            const double more = sign * (of(c, i, k) - of(c, best, k));
            if (more > 0 || (more >= 0 && c->spec->instance[i].weight > c->spec->instance[best].weight))
                best = i;
        }
        take(c, best);
    }
}

static double coord_of(const Chooser *c, int64_t row, int k) { return c->coord[row * c->naxis + k]; }

static double work_of(const Chooser *c, int64_t row, int k)
{
    (void)k;
    const int64_t *extent = c->spec->instance[row].extent;
    return spec_moves(c->spec) ? spec_bytes(c->spec, extent) : spec_flops(c->spec, extent);
}

/* The row at which so much of all chances is reached; -1: none has a chance. */
static int64_t row_at(const Chooser *c, double part)
{
    double all = 0, sum = 0;
    int64_t last = -1;
    for (int64_t i = 0; i < c->n; i++)
        all += c->spec->instance[i].weight * c->far[i];
    for (int64_t i = 0; i < c->n && (last < 0 || sum < part * all); i++)
        if (c->spec->instance[i].weight * c->far[i] > 0) {
            sum += c->spec->instance[i].weight * c->far[i];
            last = i;
        }
    return last;
}

static void choose_tuned(Arena *a, const Spec *s)
{
    static const double golden = 0.6180339887498949;
    Chooser c = make_chooser(a, s);
    take_most_frequent(&c);
    take_ends(&c, work_of, 0);
    for (int k = 0; k < c.naxis; k++)
        take_ends(&c, coord_of, k);
    for (int64_t k = 1, row; c.nwanted > 0 && (row = row_at(&c, (double)k * golden - floor((double)k * golden))) >= 0;
         k++)
        take(&c, row);
    for (int64_t i = 0; i < c.n; i++)
        s->instance[c.near[i]].stands += s->instance[i].weight;
}

/* ---- instances ---- */

/* Of more rows than may stay the rarest go: those below this count, and of those that have it all but *nleast. */
static int64_t least_count(Arena *a, const ShapeLog *l, int64_t most, int64_t *nleast)
{
    int64_t *count = ARENA_ARRAY(a, (size_t)l->n, int64_t), n = l->n;
    for (int64_t i = 0; i < n; i++)
        count[i] = shape_log_count(l, i);
    qsort(count, (size_t)n, sizeof *count, order_number);
    const int64_t least = count[n > most ? n - most : 0];
    while (n > 0 && count[n - 1] > least)
        n--;
    *nleast = most - (l->n - n);
    return least;
}

/* Makes an instance of a row, and keeps it if it has work and `keep` says so. */
static bool add_row(SpecReader *r, int64_t row, bool keep)
{
    Spec *s = r->spec;
    Instance *in = &s->instance[s->ninstance];
    *in = (Instance){ .weight = (double)shape_log_count(s->log, row) };
    for (int i = 0; i < s->ndim; i++)
        in->dim[i] = s->dim[i].min;
    memcpy(in->extent, shape_log_row(s->log, row), (size_t)s->op->ngiven * sizeof *in->extent);
    if (!spec_derive_instance(r, in))
        return false;
    s->ninstance += keep && spec_has_work(s, in->extent);
    return true;
}

static void warn_rare(SpecReader *r, int64_t nkept, double calls_kept)
{
    const ShapeLog *l = r->spec->log;
    if (nkept < l->n)
        diag_warn(r->diag, conf_member(r->group, "shapes")->at,
                  "of %" PRId64 " different shapes the %" PRId64 " most frequent count, %.3g %% of the calls", l->n,
                  nkept, 100 * calls_kept / (double)l->calls);
}

bool spec_add_rows(SpecReader *r)
{
    Spec *s = r->spec;
    const ShapeLog *l = s->log;
    const int64_t most = SPEC_MAX_INSTANCE / s->nthread;
    int64_t nleast, nkept = 0, least = least_count(r->arena, l, most, &nleast);
    double calls = 0;
    bool ok = true;
    s->instance = ARENA_ARRAY(r->arena, (size_t)((l->n < most ? l->n : most) * s->nthread) + 1, Instance);
    for (int64_t i = 0; i < l->n && diag_nerror(r->diag) - r->nerror < SPEC_MAX_ROW_ERROR; i++) {
        const int64_t count = shape_log_count(l, i);
        const bool keep = count > least || (count == least && nleast-- > 0);
        nkept += keep;
        calls += keep ? (double)count : 0;
        ok = add_row(r, i, keep) && ok;
    }
    if (ok) {
        warn_rare(r, nkept, calls);
        if (s->ninstance)
            choose_tuned(r->arena, s);
    }
    return ok;
}

/* ---- reading ---- */

/* The op's extents as a row of all of them says them: what never varies as a number, else as a name without a value. */
static void declare(SpecReader *r, Loc at)
{
    Spec *s = r->spec;
    ShapeDecl *shape = s->shape = ARENA_NEW(r->arena, ShapeDecl);
    *shape = (ShapeDecl){ .weight = 1, .loc = at };
    s->nshape = 1;
    for (int x = 0; x < s->op->ngiven; x++) {
        for (int64_t i = 0; i < s->log->n; i++)
            box_widen(&s->box, x, shape_log_row(s->log, i)[x]);
        const bool varies = s->box.min[x] < s->box.max[x];
        shape->extent[x] = expr_parse(
            r->arena, varies ? s->op->extent[x].name : arena_printf(r->arena, "%" PRId64, s->box.min[x]), at, r->diag);
    }
}

void spec_read_log(SpecReader *r, const ConfSetting *s)
{
    const char *why, *path = spec_seen_path(r, s->text);
    Source *src = ARENA_NEW(r->arena, Source);
    src->path = path;
    src->text = conf_read(r->arena, path, SHAPE_LOG_MAX_BYTES, &src->len, &why);
    if (!src->text)
        diag_error(r->diag, s->at, "the shapes '%s': %s", path, why);
    else if (r->spec->op && (r->spec->log = shape_log_parse(r->arena, src, r->spec->op, r->diag)))
        declare(r, s->at);
}
