/* SPDX-License-Identifier: Apache-2.0
 *
 * access: the calls that -fsanitize=thread puts before each access of a kernel, and shared memory.
 *
 * Each granule of 2 bytes of shared memory has two stamps: of the last write, and of the last read, whose thread is
 * SEVERAL when more than one read in that epoch. That is enough to see every race between two barriers, in whatever
 * order the threads came: of two accesses by different threads in one epoch, one a write, the later one meets the stamp
 * of the other.
 *
 *   read   fails unless written by this thread in this epoch, or by anyone in an earlier epoch of this block
 *   write  fails if anyone else wrote or read in this epoch
 *
 * An asynchronous copy writes PENDING when it is started and the data when its thread has waited for it, so that
 * whoever looks too early fails.
 *
 * Kernels mostly access 16 bytes, so a line of 8 granules with equal stamps keeps them once; where they differ it says
 * MIXED, and they are in arrays of their own. What goes by lines is done in the calls themselves, all else by slow
 * functions behind them.
 */
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define SITE ((uintptr_t)__builtin_return_address(0))

enum { POISON = 0xff };
static const uint32_t poison[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
static const uint32_t pending_mark = 0xc0000000; /* | thread; no stamp reaches it */
static const uint32_t MIXED = UINT32_MAX;

/* ---- shared memory */

static uint32_t lines_of(const Worker *w) { return (w->smem_bytes + LINE_BYTES - 1) / LINE_BYTES; }

void shared_begin(Worker *w)
{
    w->epoch = 1;
    memset(w->line, 0, lines_of(w) * sizeof *w->line);
    memset(w->shared, POISON, w->smem_bytes);
}

static void split(uint32_t *line, uint32_t *granules)
{
    if (*line == MIXED)
        return;
    for (int i = 0; i < LINE_GRANULES; i++)
        granules[i] = *line;
    *line = MIXED;
}

static void split_written(Worker *w, size_t line) { split(&w->line[line].written, w->written + line * LINE_GRANULES); }
static void split_read(Worker *w, size_t line) { split(&w->line[line].read, w->read + line * LINE_GRANULES); }

void shared_rebase(Worker *w)
{
    for (uint32_t l = 0; l < lines_of(w); l++) {
        split_written(w, l);
        for (uint32_t g = l * LINE_GRANULES; g < (l + 1) * LINE_GRANULES; g++)
            if (w->written[g] && w->written[g] < pending_mark)
                w->written[g] = stamp_of(1, stamp_thread(w->written[g]));
        w->line[l].read = 0;
    }
}

/* Says what is wrong with granules that an access may not touch. */
static void report(Worker *w, uint32_t offset, size_t bytes, bool write, uint32_t stamp, uintptr_t site)
{
    const char *does = write ? "writes" : "reads";
    for (uint32_t l = offset / LINE_BYTES; l <= (offset + bytes - 1) / LINE_BYTES; l++) {
        split_written(w, l);
        split_read(w, l);
    }
    for (uint32_t g = offset / GRANULE_BYTES; g <= (offset + bytes - 1) / GRANULE_BYTES; g++) {
        const uint32_t written = w->written[g], read = w->read[g], byte = g * GRANULE_BYTES;
        const bool same_epoch = stamp_epoch(written) == stamp_epoch(stamp) && written != stamp;
        if (written >= pending_mark)
            finding(w, site,
                    "%s shared byte %u before the asynchronous copy to it by thread %d is known to be complete", does,
                    byte, stamp_thread(written));
        else if (!write && written == 0)
            finding(w, site, "reads shared byte %u, which nobody has written", byte);
        else if (same_epoch)
            finding(w, site, "%s shared byte %u, which thread %d writes between the same barriers", does, byte,
                    stamp_thread(written));
        else if (write && stamp_epoch(read) == stamp_epoch(stamp) && read != stamp && stamp_thread(read) == SEVERAL)
            finding(w, site, "writes shared byte %u, which other threads read between the same barriers", byte);
        else if (write && stamp_epoch(read) == stamp_epoch(stamp) && read != stamp)
            finding(w, site, "writes shared byte %u, which thread %d reads between the same barriers", byte,
                    stamp_thread(read));
        else
            continue;
        return;
    }
}

INLINE uint32_t epoch_start(uint32_t stamp) { return stamp & ~(uint32_t)SEVERAL; }

/* Whether what has this stamp of its last write may be read by the owner of `stamp`. */
INLINE bool is_readable(uint32_t written, uint32_t stamp)
{
    return written == stamp || written - 1 < epoch_start(stamp) - 1;
}

/* Whether, as far as this stamp of an access goes, it may be written. */
INLINE bool is_writable(uint32_t accessed, uint32_t stamp)
{
    return accessed == stamp || accessed < epoch_start(stamp);
}

/* The stamp of the last read after one more. */
INLINE uint32_t read_stamp(uint32_t before, uint32_t stamp)
{
    return before == stamp || before < epoch_start(stamp) ? stamp : stamp | SEVERAL;
}

/* The stamp that all granules of a line have; MIXED: they differ. */
static uint32_t common_stamp(const uint32_t *granules)
{
    for (int i = 1; i < LINE_GRANULES; i++)
        if (granules[i] != granules[0])
            return MIXED;
    return granules[0];
}

/* Whether n granules of a line may be read. Who wrote them does not matter in later epochs. */
static bool may_read_written(Worker *w, size_t line, int from, int n, uint32_t stamp)
{
    Line *l = &w->line[line];
    const uint32_t *granules = w->written + line * LINE_GRANULES, now = epoch_start(stamp);
    bool good = true, old = n == LINE_GRANULES;
    if (l->written != MIXED)
        return is_readable(l->written, stamp);
    for (int i = from; i < from + n; i++) {
        good &= is_readable(granules[i], stamp);
        old &= granules[i] < now;
    }
    if (good && old)
        l->written = granules[0];
    return good;
}

static bool read_part(Worker *w, size_t line, int from, int n, uint32_t stamp)
{
    Line *l = &w->line[line];
    uint32_t *granules = w->read + line * LINE_GRANULES;
    const bool good = may_read_written(w, line, from, n, stamp);
    if (l->read != MIXED) {
        const uint32_t after = read_stamp(l->read, stamp);
        if (n == LINE_GRANULES)
            l->read = after;
        if (l->read == after)
            return good;
        split_read(w, line);
    }
    for (int i = from; i < from + n; i++)
        granules[i] = read_stamp(granules[i], stamp);
    if (n == LINE_GRANULES)
        l->read = common_stamp(granules);
    return good;
}

static bool all_writable(uint32_t line, const uint32_t *granules, int n, uint32_t stamp)
{
    bool good = true;
    if (line != MIXED)
        return is_writable(line, stamp);
    for (int i = 0; i < n; i++)
        good &= is_writable(granules[i], stamp);
    return good;
}

/* mark: the stamp that what is written gets. */
static bool write_part(Worker *w, size_t line, int from, int n, uint32_t stamp, uint32_t mark)
{
    Line *l = &w->line[line];
    uint32_t *written = w->written + line * LINE_GRANULES + from;
    if (!all_writable(l->written, written, n, stamp) ||
        !all_writable(l->read, w->read + line * LINE_GRANULES + from, n, stamp))
        return false;
    if (n == LINE_GRANULES) {
        l->written = mark;
        if (l->read == MIXED)
            l->read = 0; /* older, or of this thread, which the mark says as well */
    } else if (l->written != mark) {
        split_written(w, line);
        for (int i = 0; i < n; i++)
            written[i] = mark;
    }
    return true;
}

/* Any bytes of shared memory, by lines; false: some may not be accessed. */
static bool access_parts(Worker *w, uintptr_t offset, size_t bytes, bool write, uint32_t mark)
{
    bool good = true;
    for (size_t g = offset / GRANULE_BYTES, end = (offset + bytes - 1) / GRANULE_BYTES + 1; g < end;) {
        const int from = (int)(g % LINE_GRANULES), left = (int)(end - g);
        const int n = left < LINE_GRANULES - from ? left : LINE_GRANULES - from;
        good &= write ? write_part(w, g / LINE_GRANULES, from, n, w->stamp, mark)
                      : read_part(w, g / LINE_GRANULES, from, n, mark);
        g += (size_t)n;
    }
    return good;
}

__attribute__((noinline, cold)) static void shared_out_of_bounds(Worker *w, uintptr_t address, size_t bytes, bool write,
                                                                 uintptr_t site)
{
    char text[EMU_TEXT_BYTES];
    finding_fatal(w, site, "%s %zu bytes at %s, but the block has %u bytes", write ? "writes" : "reads", bytes,
                  place_text(w, address, text), w->smem_bytes);
}

__attribute__((noinline, cold)) static void misaligned(Worker *w, uintptr_t address, size_t bytes, bool write,
                                                       uintptr_t site)
{
    char text[EMU_TEXT_BYTES];
    finding_fatal(w, site, "%s %zu bytes at %s, which is not aligned to them", write ? "writes" : "reads", bytes,
                  place_text(w, address, text));
}

/* The offset of an access to shared memory, which must be the block's own. */
INLINE uintptr_t shared_offset(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    const uintptr_t offset = address - (uintptr_t)w->shared;
    if (offset >= w->smem_bytes || w->smem_bytes - offset < bytes)
        shared_out_of_bounds(w, address, bytes, write, site);
    if (aligned && offset % bytes != 0)
        misaligned(w, address, bytes, write, site);
    return offset;
}

static void shared_access(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    const uintptr_t offset = shared_offset(w, address, bytes, write, aligned, site);
    if (!access_parts(w, offset, bytes, write, w->stamp))
        report(w, (uint32_t)offset, bytes, write, w->stamp, site);
    if (w->counting)
        count_access(w, site, address, bytes, write ? COUNT_SHARED_WRITE : COUNT_SHARED_READ);
}

static void endless(Worker *w, uintptr_t site) { finding_fatal(w, site, "does not end"); }

/* Any access that is not to the stack of the running fiber. */
static __attribute__((noinline)) void slow_access(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned,
                                                  uintptr_t site)
{
    if (w->window_bytes == 0)
        return;
    if (address - w->window < w->window_bytes)
        shared_access(w, address, bytes, write, aligned, site);
    else
        global_access(w, address, bytes, write, aligned, site);
    if (--w->budget < 0)
        endless(w, site);
}

/* Whether an access to a line of shared memory is in order and does not tell its granules apart; it is noted then. */
INLINE bool line_access(Line *l, size_t bytes, bool write, uint32_t stamp)
{
    const uint32_t written = l->written, read = l->read;
    if (write) {
        if (!is_writable(written, stamp) || !is_writable(read, stamp) || (bytes < LINE_BYTES && written != stamp))
            return false;
        l->written = stamp;
        return true;
    }
    const uint32_t after = read_stamp(read, stamp);
    if (!is_readable(written, stamp) || read == MIXED || (bytes < LINE_BYTES && read != after))
        return false;
    l->read = after;
    return true;
}

/* `unit`: offset / bytes, or a huge number if that is not whole. */
INLINE void access(uintptr_t address, size_t bytes, bool write, uintptr_t site)
{
    Worker *w = emu_worker;
    const uintptr_t offset = address - (uintptr_t)w->shared, units_a_line = LINE_BYTES / bytes;
    const uintptr_t unit = offset / bytes | offset << (64 - __builtin_ctzll(bytes)) % 64;
    if (__builtin_expect(unit < w->nline * units_a_line, 1) &&
        __builtin_expect(line_access(&w->line[unit / units_a_line], bytes, write, w->stamp), 1)) {
        if (__builtin_expect(--w->budget < 0, 0))
            endless(w, site);
        return;
    }
    if (address - w->stack >= w->stack_bytes)
        slow_access(w, address, bytes, write, true, site);
}

/* ---- the calls that compilers make */

#define FAST_HOOKS(n)                                                             \
    EXPORT void __tsan_read##n(void *p) { access((uintptr_t)p, n, false, SITE); } \
    EXPORT void __tsan_write##n(void *p) { access((uintptr_t)p, n, true, SITE); }

#define SLOW_HOOKS(name, n, aligned)                                                                   \
    EXPORT void __tsan_##name##read##n(void *p) { any_access((uintptr_t)p, n, false, aligned, SITE); } \
    EXPORT void __tsan_##name##write##n(void *p) { any_access((uintptr_t)p, n, true, aligned, SITE); }

static void any_access(uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    Worker *w = emu_worker;
    if (address - w->stack >= w->stack_bytes)
        slow_access(w, address, bytes, write, aligned, site);
}

FAST_HOOKS(4)
FAST_HOOKS(8)
FAST_HOOKS(16)
SLOW_HOOKS(, 1, true)
SLOW_HOOKS(, 2, true)
SLOW_HOOKS(unaligned_, 1, false)
SLOW_HOOKS(unaligned_, 2, false)
SLOW_HOOKS(unaligned_, 4, false)
SLOW_HOOKS(unaligned_, 8, false)
SLOW_HOOKS(unaligned_, 16, false)

EXPORT void __tsan_read_range(void *p, long bytes) { any_access((uintptr_t)p, (size_t)bytes, false, false, SITE); }
EXPORT void __tsan_write_range(void *p, long bytes) { any_access((uintptr_t)p, (size_t)bytes, true, false, SITE); }
EXPORT void __tsan_init(void) {}
EXPORT void __tsan_func_entry(void *site) { (void)site; }
EXPORT void __tsan_func_exit(void) {}

/* ---- primitives */

EXPORT unsigned char *dcgen_emu_shared_memory(void) { return emu_worker->shared; }

EXPORT unsigned dcgen_emu_shared_address(const void *p)
{
    return (unsigned)((uintptr_t)p - (uintptr_t)emu_worker->shared + SHARED_SKEW);
}

void shared_read_row(Worker *w, uintptr_t address)
{
    enum { ROW_BYTES = 16 };
    const uintptr_t offset = shared_offset(w, address, ROW_BYTES, false, true, 0);
    const uint32_t stamp = w->stamp | SEVERAL;
    if (!line_access(&w->line[offset / LINE_BYTES], ROW_BYTES, false, stamp) &&
        !access_parts(w, offset, ROW_BYTES, false, stamp))
        report(w, (uint32_t)offset, ROW_BYTES, false, stamp, 0);
}

/* 4, 8 or 16 bytes. */
INLINE void copy_width(void *to, const void *from, uint32_t width)
{
    if (width == 16)
        memcpy(to, from, 16);
    else if (width == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, 4);
}

INLINE bool may_start_copy(Worker *w, uintptr_t offset, int width)
{
    const uint32_t mark = pending_mark | (uint32_t)w->running;
    Line *l = &w->line[offset / LINE_BYTES];
    if (width != LINE_BYTES || !is_writable(l->written, w->stamp) || !is_writable(l->read, w->stamp))
        return access_parts(w, offset, (size_t)width, true, mark);
    l->written = mark;
    return true;
}

static void end_copy(Worker *w, const PendingCopy *c)
{
    copy_width(w->shared + c->offset, c->from ? c->from : c->data, c->bytes);
    const size_t line = c->offset / LINE_BYTES;
    if (c->bytes == LINE_BYTES) {
        w->line[line].written = w->stamp;
        return;
    }
    split_written(w, line);
    for (uint32_t g = 0; g < c->bytes / GRANULE_BYTES; g++)
        w->written[c->offset / GRANULE_BYTES + g] = w->stamp;
}

/* A place for one more copy. */
static PendingCopy *copy_new(Worker *w, Fiber *f)
{
    if (f->first_copy + f->ncopy == f->max_copy && f->first_copy > 0) {
        memmove(f->copy, f->copy + f->first_copy, (size_t)f->ncopy * sizeof *f->copy);
        f->first_copy = 0;
    }
    if (f->ncopy == f->max_copy) {
        int max = f->max_copy ? 2 * f->max_copy : 64;
        PendingCopy *more = realloc(f->copy, (size_t)max * sizeof *more);
        if (!more)
            finding_fatal(w, 0, "no memory for its asynchronous copies");
        f->copy = more;
        f->max_copy = max;
    }
    return &f->copy[f->first_copy + f->ncopy++];
}

INLINE void copy_start(PendingCopy *c, const Worker *w, const void *gmem, size_t width, size_t bytes)
{
    c->from = NULL;
    if (bytes == width && global_reads_input(w, (uintptr_t)gmem, bytes)) {
        c->from = gmem;
        __builtin_prefetch(gmem);
        return;
    }
    memset(c->data, 0, sizeof c->data);
    memcpy(c->data, gmem, bytes);
}

EXPORT void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    const uintptr_t to = (uintptr_t)smem, site = SITE;
    f->line = line;
    if (bytes < 0 || bytes > width)
        finding_fatal(w, site, "copies %d bytes by an asynchronous copy of %d", bytes, width);
    const uintptr_t offset = shared_offset(w, to, (size_t)width, true, true, site);
    if (bytes > 0 && (uintptr_t)gmem % (uintptr_t)width != 0)
        misaligned(w, (uintptr_t)gmem, (size_t)width, false, site);
    if (bytes > 0)
        global_access(w, (uintptr_t)gmem, (size_t)bytes, false, false, site);
    if (!may_start_copy(w, offset, width))
        report(w, (uint32_t)offset, (size_t)width, true, w->stamp, site);
    if (w->counting)
        count_access(w, site + 1, to, (size_t)width, COUNT_SHARED_WRITE);
    PendingCopy *c = copy_new(w, f);
    c->offset = (uint32_t)offset;
    c->bytes = (uint32_t)width;
    c->group = f->group;
    copy_start(c, w, gmem, (size_t)width, (size_t)bytes);
    copy_width(w->shared + offset, poison, (uint32_t)width);
    if (--w->budget < 0)
        endless(w, site);
}

EXPORT void dcgen_emu_cp_commit(void) { emu_worker->fiber[emu_worker->running].group++; }

/* Completes all but the last `keep` groups, as late as that may happen. */
EXPORT void dcgen_emu_cp_wait(int keep)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    while (f->ncopy > 0) {
        const PendingCopy *c = &f->copy[f->first_copy];
        if ((int64_t)c->group >= (int64_t)f->group - keep)
            return;
        end_copy(w, c);
        f->first_copy++;
        f->ncopy--;
    }
    f->first_copy = 0;
}
