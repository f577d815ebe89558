/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow: who wrote and read what of shared memory, and when.
 *
 * Each granule of 2 bytes of shared memory has two stamps: of the last write, and of the last read, whose thread is
 * SEVERAL when more than one read since the last __syncthreads. While that is all that orders threads, it is enough to
 * see every race: of two accesses by different threads between two barriers, one a write, the later one meets the
 * stamp of the other, in whatever order the threads came.
 *
 *   read   fails unless written by this thread, or by anyone of this block before the last barrier
 *   write  fails if anyone else wrote or read since that barrier
 *
 * Kernels mostly access 16 bytes, so a line of 8 granules with equal stamps keeps them once; where they differ it says
 * MIXED, and they are in arrays of their own.
 *
 * Once clocks are kept (order.c), an access asks them instead: all that is known to lie behind is right. Reads that do
 * not lie behind one another are then kept in a list, READERS stands for it. An agent's stamp says ASYNC; what goes
 * through the asynchronous proxy must also find a fence behind what threads stored.
 *
 * The destination of an asynchronous copy has PENDING and is poisoned from its start until it is done, so that whoever
 * looks too early fails.
 */
#include "search/runner/emu/shadow.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xff, NLINE = SHARED_BYTES / LINE_BYTES, NGRANULE = SHARED_BYTES / GRANULE_BYTES };

static const Stamp READERS = (Stamp)1 << 63; /* of reads: they are in a list */
static const Stamp ASYNC = (Stamp)1 << 62;   /* | stamp: an agent wrote it */
static const Stamp PENDING =
    (Stamp)3 << 62; /* | id: a copy of this thread or agent is on its way; no stamp reaches it */
static const Stamp BARRIER = (Stamp)7 << 61; /* an mbarrier lies there */

/* Who read, a fiber or an agent, and when last. */
typedef struct {
    uint32_t time;
    int id;
} Reader;

typedef struct Readers {
    int n, max;
    Reader *r;
} Readers;

bool shadow_prepare(ClusterBlock *b)
{
    if (!b->line) {
        b->line = calloc(NLINE, sizeof *b->line);
        b->written = calloc(NGRANULE, sizeof *b->written);
        b->read = calloc(NGRANULE, sizeof *b->read);
    }
    return b->line && b->written && b->read;
}

void shadow_free(ClusterBlock *b)
{
    free(b->line);
    free(b->written);
    free(b->read);
    for (int i = 0; b->readers && i < NLINE + NGRANULE; i++)
        free(b->readers[i].r);
    free(b->readers);
}

void shadow_begin(Worker *w, ClusterBlock *b)
{
    memset(b->line, 0, (w->smem_bytes + LINE_BYTES - 1) / LINE_BYTES * sizeof *b->line);
    memset(b->shared, POISON, w->smem_bytes);
}

/* Those of a line; behind all lines, of a granule. */
static Readers *readers_of(ClusterBlock *b, size_t cell)
{
    if (!b->readers)
        b->readers = checked_memory(calloc(NLINE + NGRANULE, sizeof *b->readers));
    return &b->readers[cell];
}

static void split_line(Stamp *line, Stamp *granules)
{
    if (*line == MIXED)
        return;
    for (int i = 0; i < LINE_GRANULES; i++)
        granules[i] = *line;
    *line = MIXED;
}

static void split_written(ClusterBlock *b, size_t line)
{
    split_line(&b->line[line].written, b->written + line * LINE_GRANULES);
}

static void copy_readers(Readers *to, const Readers *from)
{
    for (to->n = 0; to->n < from->n; to->n++) {
        to->r = array_with_room(to->r, to->n, &to->max, sizeof *to->r);
        to->r[to->n] = from->r[to->n];
    }
}

static void split_read(ClusterBlock *b, size_t line)
{
    if (b->line[line].read == READERS)
        for (size_t i = 0; i < LINE_GRANULES; i++)
            copy_readers(readers_of(b, NLINE + line * LINE_GRANULES + i), readers_of(b, line));
    split_line(&b->line[line].read, b->read + line * LINE_GRANULES);
}

static void mark_written(ClusterBlock *b, size_t line, int from, int n, Stamp mark)
{
    if (n == LINE_GRANULES) {
        b->line[line].written = mark;
    } else if (b->line[line].written != mark) {
        split_written(b, line);
        for (int i = from; i < from + n; i++)
            b->written[line * LINE_GRANULES + (size_t)i] = mark;
    }
}

/* ---- while only __syncthreads orders threads */

static Stamp common_stamp(const Stamp *granules)
{
    for (int i = 1; i < LINE_GRANULES; i++)
        if (granules[i] != granules[0])
            return MIXED;
    return granules[0];
}

/* May n granules of a line be read? One written before the last barrier gets one stamp, whoever wrote it. */
static bool may_read_written(Worker *w, size_t line, int from, int n, Stamp stamp)
{
    AccessLine *l = &w->at->line[line];
    const Stamp *granules = w->at->written + line * LINE_GRANULES;
    bool good = true, old = n == LINE_GRANULES;
    if (l->written != MIXED)
        return is_readable(w, l->written, stamp);
    for (int i = from; i < from + n; i++) {
        good &= is_readable(w, granules[i], stamp);
        old &= granules[i] < w->floor;
    }
    if (good && old)
        l->written = granules[0];
    return good;
}

static bool read_part(Worker *w, size_t line, int from, int n, Stamp stamp)
{
    AccessLine *l = &w->at->line[line];
    Stamp *granules = w->at->read + line * LINE_GRANULES;
    const bool good = may_read_written(w, line, from, n, stamp);
    if (l->read != MIXED) {
        const Stamp after = read_stamp(w, l->read, stamp);
        if (n == LINE_GRANULES)
            l->read = after;
        if (l->read == after)
            return good;
        split_read(w->at, line);
    }
    for (int i = from; i < from + n; i++)
        granules[i] = read_stamp(w, granules[i], stamp);
    if (n == LINE_GRANULES)
        l->read = common_stamp(granules);
    return good;
}

static bool all_writable(const Worker *w, Stamp line, const Stamp *granules, int n)
{
    bool good = true;
    if (line != MIXED)
        return is_writable(w, line, w->stamp);
    for (int i = 0; i < n; i++)
        good &= is_writable(w, granules[i], w->stamp);
    return good;
}

static bool write_part(Worker *w, size_t line, int from, int n, Stamp mark)
{
    ClusterBlock *b = w->at;
    AccessLine *l = &b->line[line];
    const size_t first = line * LINE_GRANULES + (size_t)from;
    if (!all_writable(w, l->written, b->written + first, n) || !all_writable(w, l->read, b->read + first, n))
        return false;
    mark_written(b, line, from, n, mark);
    if (n == LINE_GRANULES && l->read == MIXED)
        l->read = 0; /* older, or of this thread, which the mark says as well */
    return true;
}

/* ---- once clocks are kept */

/* An access of the running fiber, or one of an agent that it starts. */
typedef struct {
    bool write, async;
    Stamp mark;    /* of what is written */
    Reader reader; /* who reads */
} Visit;

static Reader reader_of(Stamp stamp) { return (Reader){ stamp_time(stamp), stamp_id(stamp) }; }

/* Does what has this stamp, in memory of this block, lie behind what the running fiber does? */
static bool is_known(const Worker *w, const ClusterBlock *b, Stamp s)
{
    return (b == w->at && s < w->floor) || order_known(w, w->running, stamp_id(s), stamp_time(s));
}

typedef enum { GOOD, IS_PENDING, IS_BARRIER, IS_UNWRITTEN, IS_WRITTEN, IS_UNFENCED, IS_READ } Verdict;

static Verdict judge_written(const Worker *w, const ClusterBlock *b, Stamp written, const Visit *v)
{
    if (written == 0)
        return v->write ? GOOD : IS_UNWRITTEN;
    if (written == BARRIER)
        return IS_BARRIER;
    if (written >= PENDING)
        return IS_PENDING;
    if (!is_known(w, b, written))
        return written & ASYNC ? IS_PENDING : IS_WRITTEN;
    return v->async && !order_fenced(w, w->running, stamp_id(written), stamp_time(written)) ? IS_UNFENCED : GOOD;
}

/* The first read that is not known to lie behind; NULL: none. */
static const Reader *unknown_reader(const Worker *w, const ClusterBlock *b, Stamp read, const Readers *list)
{
    static _Thread_local Reader one;
    if (read != READERS) {
        one = reader_of(read);
        return read && !is_known(w, b, read) ? &one : NULL;
    }
    for (int i = 0; i < list->n; i++)
        if (!order_known(w, w->running, list->r[i].id, list->r[i].time))
            return &list->r[i];
    return NULL;
}

/* Adds a reader. Where the list is full, those who read before what the running fiber does are left out: whoever knows
 * of its read knows of theirs. */
static void add_reader(Worker *w, Readers *list, Reader r)
{
    int left = 0;
    for (Reader *e = list->r; e < list->r + list->n; e++)
        if (e->id == r.id) {
            e->time = r.time;
            return;
        }
    for (int i = 0; list->n == list->max && i < list->n; i++)
        if (list->r[i].id >= MAX_FIBERS || !order_known(w, w->running, list->r[i].id, list->r[i].time))
            list->r[left++] = list->r[i];
    list->n = list->n == list->max ? left : list->n;
    list->r = array_with_room(list->r, list->n, &list->max, sizeof *list->r);
    list->r[list->n++] = r;
}

/* Adds the running fiber, or all lanes of its warp. */
static void add_readers(Worker *w, Readers *list, Reader r)
{
    if (r.id != SEVERAL) {
        add_reader(w, list, r);
        return;
    }
    for (int i = w->running / LANES * LANES, end = i + LANES; i < end; i++)
        add_reader(w, list, (Reader){ w->fiber[i].time, i });
}

/* A granule, or a line whose granules are alike. */
typedef struct {
    Stamp *written, *read;
    size_t readers;
} Cell;

static Verdict visit_cell(Worker *w, ClusterBlock *b, Cell c, const Visit *v)
{
    const Verdict verdict = judge_written(w, b, *c.written, v);
    if (v->write) {
        if (verdict == GOOD && unknown_reader(w, b, *c.read, *c.read == READERS ? readers_of(b, c.readers) : NULL))
            return IS_READ;
        return verdict;
    }
    if (*c.read != READERS) {
        const bool alone = *c.read == 0 || is_known(w, b, *c.read);
        if (alone && v->reader.id < MAX_FIBERS && v->reader.id / w->nthread == b - w->block) {
            *c.read = stamp_of(v->reader.time, v->reader.id);
            return verdict;
        }
        readers_of(b, c.readers)->n = 0;
        if (!alone)
            add_reader(w, readers_of(b, c.readers), reader_of(*c.read));
        *c.read = READERS;
    }
    add_readers(w, readers_of(b, c.readers), v->reader);
    return verdict;
}

static Cell granule_cell(ClusterBlock *b, size_t g) { return (Cell){ &b->written[g], &b->read[g], NLINE + g }; }

/* Visits n granules of a line. Gives the verdict about the first one that is not good, and which that is. */
static Verdict visit_part(Worker *w, ClusterBlock *b, size_t line, int from, int n, const Visit *v, size_t *bad)
{
    AccessLine *l = &b->line[line];
    Verdict verdict = GOOD;
    *bad = line * LINE_GRANULES + (size_t)from;
    if (n == LINE_GRANULES && l->written != MIXED && l->read != MIXED) {
        verdict = visit_cell(w, b, (Cell){ &l->written, &l->read, line }, v);
    } else {
        split_written(b, line);
        split_read(b, line);
        for (int i = from; i < from + n && verdict == GOOD; i++) {
            *bad = line * LINE_GRANULES + (size_t)i;
            verdict = visit_cell(w, b, granule_cell(b, *bad), v);
        }
    }
    if (!v->write || verdict != GOOD)
        return verdict;
    mark_written(b, line, from, n, v->mark);
    if (n == LINE_GRANULES)
        l->read = 0;
    else
        for (int i = from; i < from + n; i++)
            b->read[line * LINE_GRANULES + (size_t)i] = 0;
    return GOOD;
}

static void say_verdict(Worker *w, Verdict verdict, ClusterBlock *b, size_t g, const char *does, uintptr_t site)
{
    const AccessLine *l = &b->line[g / LINE_GRANULES];
    const Stamp written = l->written == MIXED ? b->written[g] : l->written;
    const bool is_line = l->read != MIXED;
    const Stamp read = is_line ? l->read : b->read[g];
    const Readers *list = read == READERS ? readers_of(b, is_line ? g / LINE_GRANULES : NLINE + g) : NULL;
    const unsigned byte = (unsigned)g * GRANULE_BYTES;
    const int writer = stamp_id(written) % w->nthread;
    const Reader *r;
    switch (verdict) {
    case IS_PENDING:
        finding(w, site, "%s shared byte %u before the asynchronous copy to it is known to be complete", does, byte);
        break;
    case IS_BARRIER:
        finding(w, site, "%s shared byte %u, where an mbarrier lies", does, byte);
        break;
    case IS_UNWRITTEN:
        finding(w, site, "%s shared byte %u, which nobody has written", does, byte);
        break;
    case IS_WRITTEN:
        finding(w, site, "%s shared byte %u, which thread %d writes without a barrier between", does, byte, writer);
        break;
    case IS_UNFENCED:
        finding(w, site, "%s shared byte %u, which thread %d writes without a proxy_fence between", does, byte, writer);
        break;
    case IS_READ:
        r = unknown_reader(w, b, read, list);
        if (r && r->id >= MAX_FIBERS)
            finding(w, site, "%s shared byte %u before its asynchronous read is known to be complete", does, byte);
        else
            finding(w, site, "%s shared byte %u, which thread %d reads without a barrier between", does, byte,
                    r ? r->id % w->nthread : 0);
        break;
    case GOOD:
        break;
    }
}

/* The parts of lines that bytes of shared memory lie in. */
typedef struct {
    size_t line;
    int from, n;
} Part;

static Part part_at(size_t g, size_t end)
{
    const int from = (int)(g % LINE_GRANULES), left = (int)(end - g);
    return (Part){ g / LINE_GRANULES, from, left < LINE_GRANULES - from ? left : LINE_GRANULES - from };
}

static size_t end_granule(size_t offset, size_t bytes) { return (offset + bytes - 1) / GRANULE_BYTES + 1; }

/* Visits all these bytes; what is wrong is said once. */
static void visit(Worker *w, ClusterBlock *b, uint32_t offset, uint32_t bytes, const Visit *v, const char *does,
                  uintptr_t site)
{
    for (size_t g = offset / GRANULE_BYTES, end = end_granule(offset, bytes), bad; g < end;) {
        const Part p = part_at(g, end);
        const Verdict verdict = visit_part(w, b, p.line, p.from, p.n, v, &bad);
        if (verdict != GOOD) {
            say_verdict(w, verdict, b, bad, does, site);
            return;
        }
        g += (size_t)p.n;
    }
}

/* ---- accesses */

static void report(Worker *w, const Access *a, uint32_t offset, Stamp stamp)
{
    const char *does = a->write ? "writes" : "reads";
    const ClusterBlock *b = w->at;
    const uint32_t last = offset + a->bytes - 1;
    for (uint32_t g = offset / GRANULE_BYTES; g <= last / GRANULE_BYTES; g++) {
        const AccessLine *l = &b->line[g / LINE_GRANULES];
        const Stamp written = l->written == MIXED ? b->written[g] : l->written;
        const Stamp read = l->read == MIXED ? b->read[g] : l->read;
        const uint32_t byte = g * GRANULE_BYTES;
        const bool others_read = a->write && read >= w->floor && read != stamp;
        if (written >= PENDING)
            finding(w, a->site,
                    "%s shared byte %u before the asynchronous copy to it by thread %d is known to be complete", does,
                    byte, stamp_id(written) % w->nthread);
        else if (!a->write && written == 0)
            finding(w, a->site, "reads shared byte %u, which nobody has written", byte);
        else if (written >= w->floor && written != stamp)
            finding(w, a->site, "%s shared byte %u, which thread %d writes between the same barriers", does, byte,
                    stamp_id(written) % w->nthread);
        else if (others_read && stamp_id(read) == SEVERAL)
            finding(w, a->site, "writes shared byte %u, which other threads read between the same barriers", byte);
        else if (others_read)
            finding(w, a->site, "writes shared byte %u, which thread %d reads between the same barriers", byte,
                    stamp_id(read) % w->nthread);
        else
            continue;
        return;
    }
}

void shadow_access(Worker *w, const Access *a, uintptr_t offset, Stamp mark)
{
    bool good = true;
    if (w->followed) {
        const Visit v = { a->write, false, mark, reader_of(a->write ? w->stamp : mark) };
        visit(w, w->at, (uint32_t)offset, a->bytes, &v, a->write ? "writes" : "reads", a->site);
        return;
    }
    for (size_t g = offset / GRANULE_BYTES, end = end_granule(offset, a->bytes); g < end;) {
        const Part p = part_at(g, end);
        good &= a->write ? write_part(w, p.line, p.from, p.n, mark) : read_part(w, p.line, p.from, p.n, mark);
        g += (size_t)p.n;
    }
    if (!good)
        report(w, a, (uint32_t)offset, a->write ? w->stamp : mark);
}

static void mark_all(ClusterBlock *b, uint32_t offset, uint32_t bytes, Stamp mark)
{
    for (size_t g = offset / GRANULE_BYTES, end = end_granule(offset, bytes); g < end;) {
        const Part p = part_at(g, end);
        mark_written(b, p.line, p.from, p.n, mark);
        g += (size_t)p.n;
    }
}

/* ---- asynchronous copies of a thread */

Stamp shadow_pending(const Worker *w) { return PENDING | (Stamp)w->running; }

void shadow_end_write(Worker *w, uint32_t offset, uint32_t bytes) { mark_all(w->at, offset, bytes, w->stamp); }

/* ---- agents, and other blocks */

void shared_start_copy(Worker *w, uint32_t offset, uint32_t bytes, int agent, uintptr_t site)
{
    const Visit v = { .write = true, .async = true, .mark = PENDING | (Stamp)agent };
    visit(w, w->at, offset, bytes, &v, "starts a copy that writes", site);
    memset(w->shared + offset, POISON, bytes);
}

void shared_end_copy(ClusterBlock *b, uint32_t offset, uint32_t bytes, int agent, uint32_t time)
{
    mark_all(b, offset, bytes, ASYNC | stamp_of(time, agent));
}

void shared_async_read(Worker *w, uint32_t offset, uint32_t bytes, int agent, uint32_t time, const char *does,
                       uintptr_t site)
{
    const Visit v = { .async = true, .reader = reader_of(stamp_of(time, agent)) };
    if (offset >= w->smem_bytes || w->smem_bytes - offset < bytes)
        finding_fatal(w, site, "%s shared byte %d, but the block has %u bytes", does, (int)offset, w->smem_bytes);
    visit(w, w->at, offset, bytes, &v, does, site);
}

void shared_read_remote(Worker *w, ClusterBlock *b, uint32_t offset, uint32_t bytes, uintptr_t site)
{
    const Visit v = { .reader = reader_of(w->stamp) };
    visit(w, b, offset, bytes, &v, "reads of another block", site);
}

void shared_make_barrier(Worker *w, uint32_t offset, uint32_t bytes, uintptr_t site)
{
    const Visit v = { .write = true, .mark = BARRIER };
    visit(w, w->at, offset, bytes, &v, "makes an mbarrier of", site);
}
