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
 * The destination of an asynchronous copy has pending_mark and POISON from its start until its thread has waited for
 * it, so that whoever looks too early fails.
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
static const uint32_t pending_mark = 0xc0000000; /* | thread: an asynchronous copy is on its way; no stamp reaches it */
static const uint32_t MIXED = UINT32_MAX;        /* in a line: its granules have stamps of their own */

/* ---- shared memory */

static uint32_t lines_of(const Worker *w) { return (w->smem_bytes + LINE_BYTES - 1) / LINE_BYTES; }

void shared_begin(Worker *w)
{
    w->epoch = 1;
    memset(w->line, 0, lines_of(w) * sizeof *w->line);
    memset(w->shared, POISON, w->smem_bytes);
}

static void split_line(uint32_t *line, uint32_t *granules)
{
    if (*line == MIXED)
        return;
    for (int i = 0; i < LINE_GRANULES; i++)
        granules[i] = *line;
    *line = MIXED;
}

static void split_written(Worker *w, size_t line)
{
    split_line(&w->line[line].written, w->written + line * LINE_GRANULES);
}
static void split_read(Worker *w, size_t line) { split_line(&w->line[line].read, w->read + line * LINE_GRANULES); }

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

static void report_access(Worker *w, const Access *a, uint32_t offset, uint32_t stamp)
{
    const char *does = a->write ? "writes" : "reads";
    const uint32_t last = offset + a->bytes - 1;
    for (uint32_t g = offset / GRANULE_BYTES; g <= last / GRANULE_BYTES; g++) {
        const AccessLine *l = &w->line[g / LINE_GRANULES];
        const uint32_t written = l->written == MIXED ? w->written[g] : l->written, byte = g * GRANULE_BYTES;
        const uint32_t read = l->read == MIXED ? w->read[g] : l->read;
        const bool others_read = a->write && stamp_epoch(read) == stamp_epoch(stamp) && read != stamp;
        if (written >= pending_mark)
            finding(w, a->site,
                    "%s shared byte %u before the asynchronous copy to it by thread %d is known to be complete", does,
                    byte, stamp_thread(written));
        else if (!a->write && written == 0)
            finding(w, a->site, "reads shared byte %u, which nobody has written", byte);
        else if (stamp_epoch(written) == stamp_epoch(stamp) && written != stamp)
            finding(w, a->site, "%s shared byte %u, which thread %d writes between the same barriers", does, byte,
                    stamp_thread(written));
        else if (others_read && stamp_thread(read) == SEVERAL)
            finding(w, a->site, "writes shared byte %u, which other threads read between the same barriers", byte);
        else if (others_read)
            finding(w, a->site, "writes shared byte %u, which thread %d reads between the same barriers", byte,
                    stamp_thread(read));
        else
            continue;
        return;
    }
}

INLINE uint32_t epoch_start(uint32_t stamp) { return stamp & ~(uint32_t)SEVERAL; }

/* True if the owner of `stamp` may read what has the stamp `written`: its own, or one of an earlier epoch. */
INLINE bool is_readable(uint32_t written, uint32_t stamp)
{
    return written == stamp || written - 1 < epoch_start(stamp) - 1;
}

/* True if the owner of `stamp` may write what has the stamp `accessed`: its own, or one of an earlier epoch. */
INLINE bool is_writable(uint32_t accessed, uint32_t stamp)
{
    return accessed == stamp || accessed < epoch_start(stamp);
}

/* The stamp of the last read, when `stamp` reads what had `before`. */
INLINE uint32_t read_stamp(uint32_t before, uint32_t stamp)
{
    return before == stamp || before < epoch_start(stamp) ? stamp : stamp | SEVERAL;
}

static uint32_t common_stamp(const uint32_t *granules)
{
    for (int i = 1; i < LINE_GRANULES; i++)
        if (granules[i] != granules[0])
            return MIXED;
    return granules[0];
}

/* May n granules of a line be read? One written in former epochs gets one stamp, whoever wrote it. */
static bool may_read_written(Worker *w, size_t line, int from, int n, uint32_t stamp)
{
    AccessLine *l = &w->line[line];
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
    AccessLine *l = &w->line[line];
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

static void mark_written(Worker *w, size_t line, int from, int n, uint32_t mark)
{
    if (n == LINE_GRANULES) {
        w->line[line].written = mark;
    } else if (w->line[line].written != mark) {
        split_written(w, line);
        for (int i = from; i < from + n; i++)
            w->written[line * LINE_GRANULES + (size_t)i] = mark;
    }
}

static bool write_part(Worker *w, size_t line, int from, int n, uint32_t mark)
{
    AccessLine *l = &w->line[line];
    const size_t first = line * LINE_GRANULES + (size_t)from;
    if (!all_writable(l->written, w->written + first, n, w->stamp) ||
        !all_writable(l->read, w->read + first, n, w->stamp))
        return false;
    mark_written(w, line, from, n, mark);
    if (n == LINE_GRANULES && l->read == MIXED)
        l->read = 0; /* older, or of this thread, which the mark says as well */
    return true;
}

/* Checks and notes an access to any bytes of shared memory, line by line. False: some may not be accessed. */
static bool access_parts(Worker *w, uintptr_t offset, size_t bytes, bool write, uint32_t mark)
{
    bool good = true;
    for (size_t g = offset / GRANULE_BYTES, end = (offset + bytes - 1) / GRANULE_BYTES + 1; g < end;) {
        const int from = (int)(g % LINE_GRANULES), left = (int)(end - g);
        const int n = left < LINE_GRANULES - from ? left : LINE_GRANULES - from;
        good &=
            write ? write_part(w, g / LINE_GRANULES, from, n, mark) : read_part(w, g / LINE_GRANULES, from, n, mark);
        g += (size_t)n;
    }
    return good;
}

_Noreturn static void report_out_of_block(Worker *w, const Access *a)
{
    char more[64];
    snprintf(more, sizeof more, ", but the block has %u bytes", w->smem_bytes);
    finding_access(w, a, more);
}

/* The offset of an access to shared memory, which must be the block's own. */
INLINE uintptr_t shared_offset(Worker *w, const Access *a)
{
    const uintptr_t offset = a->address - (uintptr_t)w->shared;
    if (offset >= w->smem_bytes || w->smem_bytes - offset < a->bytes)
        report_out_of_block(w, a);
    if (a->aligned && offset % a->bytes != 0)
        finding_access(w, a, ", which is not aligned to them");
    return offset;
}

static void shared_access(Worker *w, const Access *a)
{
    const uintptr_t offset = shared_offset(w, a);
    if (!access_parts(w, offset, a->bytes, a->write, w->stamp))
        report_access(w, a, (uint32_t)offset, w->stamp);
    if (w->counting)
        count_access(w, a);
}

/* Any access that is not to the stack of the running fiber. */
static __attribute__((noinline)) void slow_access(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned,
                                                  uintptr_t site)
{
    const bool shared = address - w->window < w->window_bytes;
    const Access a = { site, address, (uint32_t)bytes, write, aligned, shared };
    if (w->window_bytes == 0)
        return;
    if (shared)
        shared_access(w, &a);
    else
        global_access(w, &a);
    spend(w, site);
}

INLINE void any_access(uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    Worker *w = emu_worker;
    if (address - w->stack >= w->stack_bytes)
        slow_access(w, address, bytes, write, aligned, site);
}

/* Notes an access to a line of shared memory that is right and leaves one stamp for it. False: it is another. */
INLINE bool line_access(AccessLine *l, size_t bytes, bool write, uint32_t stamp)
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

/* Takes the short way for accesses within a line of shared memory. `unit` is offset / bytes, or huge if not whole. */
INLINE void access(uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    Worker *w = emu_worker;
    const uintptr_t offset = address - (uintptr_t)w->shared, units_a_line = LINE_BYTES / bytes;
    const uintptr_t unit = offset / bytes | offset << (64 - __builtin_ctzll(bytes)) % 64;
    if (__builtin_expect(unit < w->nline * units_a_line, 1) &&
        __builtin_expect(line_access(&w->line[unit / units_a_line], bytes, write, w->stamp), 1)) {
        spend(w, site);
        return;
    }
    any_access(address, bytes, write, aligned, site);
}

/* ---- the calls that compilers make */

#define HOOKS(call, name, n, aligned)                                                            \
    EXPORT void __tsan_##name##read##n(void *p) { call((uintptr_t)p, n, false, aligned, SITE); } \
    EXPORT void __tsan_##name##write##n(void *p) { call((uintptr_t)p, n, true, aligned, SITE); }

HOOKS(access, , 4, true)
HOOKS(access, , 8, true)
HOOKS(access, , 16, true)
HOOKS(any_access, , 1, true)
HOOKS(any_access, , 2, true)
HOOKS(any_access, unaligned_, 1, false)
HOOKS(any_access, unaligned_, 2, false)
HOOKS(any_access, unaligned_, 4, false)
HOOKS(any_access, unaligned_, 8, false)
HOOKS(any_access, unaligned_, 16, false)

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
    const Access row = { .address = address, .bytes = LINE_BYTES, .aligned = true };
    const uintptr_t offset = shared_offset(w, &row);
    const uint32_t stamp = w->stamp | SEVERAL;
    if (!line_access(&w->line[offset / LINE_BYTES], LINE_BYTES, false, stamp) &&
        !access_parts(w, offset, LINE_BYTES, false, stamp))
        report_access(w, &row, (uint32_t)offset, stamp);
}

INLINE void copy_width(void *to, const void *from, uint32_t width)
{
    if (width == 16)
        memcpy(to, from, 16);
    else if (width == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, 4);
}

/* Lets an asynchronous copy arrive: its thread may read the bytes from now on. */
static void end_copy(Worker *w, const PendingCopy *c)
{
    const uint32_t granule = c->offset / GRANULE_BYTES;
    copy_width(w->shared + c->offset, c->from ? c->from : c->data, c->bytes);
    mark_written(w, granule / LINE_GRANULES, (int)(granule % LINE_GRANULES), (int)(c->bytes / GRANULE_BYTES), w->stamp);
}

EXPORT void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    const uint32_t mark = pending_mark | (uint32_t)w->running;
    Access from = { SITE, (uintptr_t)gmem, (uint32_t)width, false, false, false };
    Access to = { from.site, (uintptr_t)smem, (uint32_t)width, true, true, true };
    f->line = line;
    if (bytes < 0 || bytes > width)
        finding_fatal(w, to.site, "copies %d bytes by an asynchronous copy of %d", bytes, width);
    const uint32_t offset = (uint32_t)shared_offset(w, &to);
    if (bytes > 0 && from.address % from.bytes != 0)
        finding_access(w, &from, ", which is not aligned to them");
    from.bytes = (uint32_t)bytes;
    if (bytes > 0)
        global_access(w, &from);
    AccessLine *l = &w->line[offset / LINE_BYTES];
    if (width == LINE_BYTES && is_writable(l->written, w->stamp) && is_writable(l->read, w->stamp))
        l->written = mark;
    else if (!access_parts(w, offset, to.bytes, true, mark))
        report_access(w, &to, offset, w->stamp);
    if (w->counting)
        count_access(w, &to);
    f->copy = array_with_room(f->copy, f->ncopy, &f->max_copy, sizeof *f->copy);
    PendingCopy *c = &f->copy[f->ncopy++];
    *c = (PendingCopy){ .offset = offset, .bytes = to.bytes, .group = f->group };
    if (from.bytes == to.bytes && global_reads_input(w, &from))
        __builtin_prefetch(c->from = gmem);
    else
        memcpy(c->data, gmem, from.bytes);
    copy_width(w->shared + offset, poison, to.bytes);
    spend(w, from.site);
}

EXPORT void dcgen_emu_cp_commit(void) { emu_worker->fiber[emu_worker->running].group++; }

/* Completes all but the last `keep` groups, as late as that may happen. */
EXPORT void dcgen_emu_cp_wait(int keep)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    int done = 0;
    for (; done < f->ncopy && (int64_t)f->copy[done].group < (int64_t)f->group - keep; done++)
        end_copy(w, &f->copy[done]);
    f->ncopy -= done;
    if (done > 0)
        memmove(f->copy, f->copy + done, (size_t)f->ncopy * sizeof *f->copy);
}
