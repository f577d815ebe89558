/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: where an operand is constant a user may store it in either order, so a package that packs it meets each peer
 * in both and is compared with the faster one; a package that does not meets the peers in its own order only.
 */
#include "bench/contest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/stats.h"
#include "search/runner/peak.h"

Contest contest;

void contest_open(const Spec *spec)
{
    contest = (Contest){ .spec = spec, .op = operator_of(spec->op) };
    for (int c = 0; c < contest.op->ncolumn; c++) {
        const Column *column = &contest.op->column[c];
        const char *why = column->peer->knows(spec) ? column->peer->library->open() : "it is not for this formula";
        contest.is_open[c] = !why;
        if (why)
            fprintf(stderr, "bench: %s is left out: %s\n", column->title, why);
    }
}

const char *contest_version(int column)
{
    return contest.is_open[column] ? contest.op->column[column].peer->library->version() : NULL;
}

static const char *form_name(int form)
{
    const int w = contest.spec->const_operand;
    return form == FORM_PACKED ? "packed" : w < 0 ? "" : contest.spec->op->operand[w].layout[form].name;
}

/* Forms of the constant operand, as the column says; plain ones are the package's own one alone, where that is not
 * packed. */
static bool plays(int column, int form)
{
    const Keeps keeps = contest.op->column[column].keeps;
    const bool packed = keeps == PACKED || (keeps == AS_PACKAGE && contest.spec->packed);
    const int w = contest.spec->const_operand, own = w < 0 ? 0 : contest.spec->layout[w];
    const int nlayout = w < 0 ? 1 : contest.spec->op->operand[w].nlayout;
    const bool fits = packed ? form == FORM_PACKED : form < nlayout && (contest.spec->packed || form == own);
    return contest.is_open[column] && fits;
}

static void add_contestant(Match *m, const Peer *peer, int form, int threads)
{
    m->contestant[m->ncontestant++] = (Contestant){ .peer = peer, .form = form, .threads = threads };
}

/* The package first; with several threads, the package on one thread last. */
static Match match_make(const Shape *z, int threads, int nround, int first_of_column[MAX_COLUMN + 1])
{
    Match m = { .extent = z->extent, .threads = threads, .nround = nround };
    add_contestant(&m, &package_peer, FORM_PACKED, threads);
    for (int c = 0; c < contest.op->ncolumn; c++) {
        first_of_column[c] = m.ncontestant;
        for (int form = 0; form <= FORM_PACKED; form++)
            if (plays(c, form))
                add_contestant(&m, contest.op->column[c].peer, form, threads);
    }
    first_of_column[contest.op->ncolumn] = m.ncontestant;
    if (threads > 1)
        add_contestant(&m, &package_peer, FORM_PACKED, 1);
    return m;
}

const char *contest_unit(void) { return spec_moves(contest.spec) ? "GB/s" : "GFLOP/s"; }

static double speed_of(const int64_t *extent, double time_ns)
{
    return (spec_moves(contest.spec) ? spec_bytes : spec_flops)(contest.spec, extent) / time_ns;
}

/* The faster of contestants first..end-1. */
static Cell cell_of(const Match *m, int first, int end)
{
    Cell best = { .time_ns = INFINITY, .ratio = NAN };
    for (int i = first; i < end; i++) {
        const Contestant *c = &m->contestant[i];
        if (c->left_out) {
            fprintf(stderr, "bench: %s %s: %s\n", c->peer->library->name, form_name(c->form), c->left_out);
            continue;
        }
        Summary t = stats_summary(c->time_ns, m->nround);
        if (t.median < best.time_ns)
            best = (Cell){ form_name(c->form), t.median, speed_of(m->extent, t.median), t.spread,
                           stats_ratio(c->time_ns, m->contestant[0].time_ns, m->nround).median };
    }
    return best;
}

/* The least time that there can be. */
static double limit_ns(const Match *m, int round)
{
    for (int i = 0; contest.op->limit && i < m->ncontestant; i++)
        if (m->contestant[i].peer == contest.op->limit && !m->contestant[i].left_out)
            return m->contestant[i].time_ns[round];
    const double peak_gflops = m->peak_gflops[round];
    if (spec_moves(contest.spec))
        return spec_bytes(contest.spec, m->extent) / m->read_gbs[round];
    return spec_flops(contest.spec, m->extent) /
           (contest.op->limit_gflops ? contest.op->limit_gflops(m->extent, peak_gflops, m->read_gbs[round])
                                     : peak_gflops);
}

static double limit_share(const Match *m)
{
    double share[MAX_ROUND];
    for (int i = 0; i < m->nround; i++)
        share[i] = limit_ns(m, i) / m->contestant[0].time_ns[i];
    return stats_summary(share, m->nround).median;
}

static Line line_of(const Match *m, const int first_of_column[MAX_COLUMN + 1])
{
    const Contestant *own = &m->contestant[0], *last = &m->contestant[m->ncontestant - 1];
    Summary t = stats_summary(own->time_ns, m->nround);
    Line line = {
        .threads = m->threads,
        .wrong = own->left_out,
        .time_ns = t.median,
        .spread = t.spread,
        .speed = speed_of(m->extent, t.median),
        .limit_share = limit_share(m),
        .peak_gflops = stats_summary(m->peak_gflops, m->nround).median,
        .read_gbs = stats_summary(m->read_gbs, m->nround).median,
        .read_way = peak_read_name(m->read_way),
        .nrepeated = m->nrepeated,
        .speedup = m->threads > 1 ? stats_ratio(last->time_ns, own->time_ns, m->nround).median : NAN,
        .best = { .time_ns = INFINITY, .ratio = NAN },
    };
    memcpy(line.extent, m->extent, sizeof line.extent);
    for (int c = 0; c < contest.op->ncolumn; c++) {
        line.cell[c] = cell_of(m, first_of_column[c], first_of_column[c + 1]);
        if (!contest.op->column[c].peer->apart && line.cell[c].time_ns < line.best.time_ns)
            line.best = line.cell[c];
    }
    return line;
}

static size_t elems_of(int operand, const int64_t *extent)
{
    double elems = 0;
    return expr_real_at(contest.spec->op->operand[operand].elems, extent, &elems) == EXPR_OK ? (size_t)elems : 0;
}

/* Room for all operands as the definition and as calls read them, the constant one in other orders and as each peer
 * packs it, the definition's results in double precision, as much again for the function beside it, and working
 * memory. */
static size_t region_bytes(const int64_t *extent)
{
    size_t elems = 0;
    for (int i = 0; i < contest.spec->op->noperand; i++)
        elems += (i == contest.spec->const_operand ? 13 : 12) * elems_of(i, extent);
    return sizeof(float) * elems + (64U << 20);
}

Line contest_run(const Shape *z, int threads, int nround)
{
    int first_of_column[MAX_COLUMN + 1];
    Memory mem = memory_map(region_bytes(z->extent));
    Problem p = { .spec = contest.spec, .extent = z->extent, .mem = &mem };
    Match m = match_make(z, threads, nround, first_of_column);
    problem_make(&p);
    m.streamed = (Span){ p.operand[contest.op->streamed], sizeof(float) * elems_of(contest.op->streamed, z->extent) };
    m.streamed_cold = peer_cold && contest.op->streamed == contest.spec->const_operand;
    match_run(&m, &p);
    Line line = line_of(&m, first_of_column);
    memory_unmap(&mem);
    return line;
}
