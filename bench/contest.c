/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: where W is constant a user may store it in either order, so a package that packs W meets each peer in both
 * and is compared with the faster one; a package that does not meets the peers in its own order only.
 */
#include "bench/contest.h"

#include <math.h>
#include <stdio.h>
#include "bench/stats.h"
#include "search/runner/peak.h"

const Column contest_column[NCOLUMN] = {
    [COLUMN_OPENBLAS] = { "OpenBLAS", &openblas_peer, false },
    [COLUMN_BLIS] = { "BLIS", &blis_peer, false },
    [COLUMN_DNNL] = { "oneDNN", &dnnl_peer, false },
    [COLUMN_DNNL_PACKED] = { "oneDNN-packed", &dnnl_peer, true },
};

enum { NFORM = FORM_PACKED + 1 };

static const char *const form_name[NFORM] = { "NK", "KN", "packed" };
static bool is_open[NCOLUMN];

void contest_open(void)
{
    package_peer.open();
    for (int c = 0; c < NCOLUMN; c++) {
        const char *why = contest_column[c].peer->open();
        is_open[c] = !why;
        if (why)
            fprintf(stderr, "bench: %s is left out: %s\n", contest_column[c].title, why);
    }
}

const char *contest_version(int column) { return is_open[column] ? contest_column[column].peer->version() : NULL; }

static bool plays(int column, WeightForm form)
{
    const Column *c = &contest_column[column];
    WeightForm own = package.w_kn ? FORM_KN : FORM_NK;
    bool form_fits = c->packed ? form == FORM_PACKED : form != FORM_PACKED && (package.w_packed || form == own);
    return is_open[column] && form_fits && (c->peer->forms & 1U << form);
}

static void add_contestant(Match *m, const Peer *peer, WeightForm form, int threads)
{
    m->contestant[m->ncontestant++] = (Contestant){ .peer = peer, .form = form, .threads = threads };
}

/* The package first; with several threads, the package on one thread last. */
static Match match_make(Shape z, int threads, int nround, int first_of_column[NCOLUMN + 1])
{
    Match m = { .shape = z, .threads = threads, .nround = nround };
    add_contestant(&m, &package_peer, FORM_PACKED, threads);
    for (int c = 0; c < NCOLUMN; c++) {
        first_of_column[c] = m.ncontestant;
        for (int form = 0; form < NFORM; form++)
            if (plays(c, form))
                add_contestant(&m, contest_column[c].peer, form, threads);
    }
    first_of_column[NCOLUMN] = m.ncontestant;
    if (threads > 1)
        add_contestant(&m, &package_peer, FORM_PACKED, 1);
    return m;
}

static double gflops_of(Shape z, double time_ns) { return 2.0 * (double)z.M * (double)z.N * (double)z.K / time_ns; }

/* The faster of contestants first..end-1. */
static Cell cell_of(const Match *m, int first, int end)
{
    Cell best = { .time_ns = INFINITY, .ratio = NAN };
    for (int i = first; i < end; i++) {
        const Contestant *c = &m->contestant[i];
        if (c->left_out) {
            fprintf(stderr, "bench: %s (%s), M=%d: %s\n", c->peer->name, form_name[c->form], (int)m->shape.M,
                    c->left_out);
            continue;
        }
        Summary t = stats_summary(c->time_ns, m->nround);
        if (t.median < best.time_ns)
            best = (Cell){ form_name[c->form], t.median, gflops_of(m->shape, t.median), t.spread,
                           stats_ratio(c->time_ns, m->contestant[0].time_ns, m->nround).median };
    }
    return best;
}

/* GFLOP/s that this CPU allows: 2*M flops for each weight of 4 bytes that is read. */
static double limit_gflops(Shape z, double peak_gflops, double read_gbs)
{
    return z.M <= 4 ? fmin(peak_gflops, read_gbs * 2 * (double)z.M / 4) : peak_gflops;
}

static double limit_share(const Match *m)
{
    double share[MAX_ROUND];
    for (int i = 0; i < m->nround; i++)
        share[i] = gflops_of(m->shape, m->contestant[0].time_ns[i]) /
                   limit_gflops(m->shape, m->peak_gflops[i], m->read_gbs[i]);
    return stats_summary(share, m->nround).median;
}

static Line line_of(const Match *m, const int first_of_column[NCOLUMN + 1])
{
    const Contestant *own = &m->contestant[0], *last = &m->contestant[m->ncontestant - 1];
    Summary t = stats_summary(own->time_ns, m->nround);
    Line line = {
        .shape = m->shape,
        .threads = m->threads,
        .wrong = own->left_out,
        .time_ns = t.median,
        .spread = t.spread,
        .gflops = gflops_of(m->shape, t.median),
        .limit_share = limit_share(m),
        .peak_gflops = stats_summary(m->peak_gflops, m->nround).median,
        .read_gbs = stats_summary(m->read_gbs, m->nround).median,
        .read_way = peak_read_name(m->read_way),
        .nrepeated = m->nrepeated,
        .speedup = m->threads > 1 ? stats_ratio(last->time_ns, own->time_ns, m->nround).median : NAN,
    };
    for (int c = 0; c < NCOLUMN; c++)
        line.cell[c] = cell_of(m, first_of_column[c], first_of_column[c + 1]);
    return line;
}

/* Room for both orders of W, the packed forms of package and peers, X, Y and working memory. */
static size_t region_bytes(Shape z)
{
    return sizeof(float) * (size_t)(6 * z.N * z.K + 4 * z.M * (z.N + z.K)) + (64U << 20);
}

Line contest_run(Shape z, int threads, int nround)
{
    int first_of_column[NCOLUMN + 1];
    Memory mem = memory_map(region_bytes(z));
    Problem p = problem_make(z, package.has_bias, &mem);
    Expected e = expected_make(&p);
    Match m = match_make(z, threads, nround, first_of_column);
    match_run(&m, &p, &e);
    Line line = line_of(&m, first_of_column);
    expected_free(&e);
    memory_unmap(&mem);
    return line;
}
