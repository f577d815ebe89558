/* SPDX-License-Identifier: Apache-2.0
 *
 * access: the calls that -fsanitize=thread puts before each access of a kernel, and shared memory.
 *
 * Each 2 bytes of shared memory have two stamps: of the last write, and of the last read, whose thread is SEVERAL when
 * more than one read in that epoch. That is enough to see every race between two barriers, in whatever order the
 * threads came: of two accesses by different threads in one epoch, one a write, the later one meets the stamp of the
 * other.
 *
 *   read   fails unless written by this thread in this epoch, or by anyone in an earlier epoch of this block
 *   write  fails if anyone else wrote or read in this epoch
 *
 * An asynchronous copy writes PENDING when it is started and the data when its thread has waited for it, so that
 * whoever looks too early fails.
 */
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST
#endif
#define INLINE static inline __attribute__((always_inline))
#define SITE ((uintptr_t)__builtin_return_address(0))

enum { POISON = 0xff };
static const uint32_t poison[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
static const uint32_t pending_mark = 0xc0000000;

/* ---- shared memory */

static size_t shadow_bytes(const Worker *w)
{
    return (w->smem_bytes + GRANULE_BYTES - 1) / GRANULE_BYTES * sizeof *w->written;
}

void shared_begin(Worker *w)
{
    if (++w->epoch > MAX_EPOCH / 2) { /* leaves a block as many epochs as it may want */
        memset(w->written, 0, SHARED_BYTES / GRANULE_BYTES * sizeof *w->written);
        memset(w->read, 0, SHARED_BYTES / GRANULE_BYTES * sizeof *w->read);
        w->epoch = 1;
    }
    /* Copies that never arrived would look like those of this block. */
    for (size_t i = 0; i < shadow_bytes(w) / sizeof *w->written; i++)
        if (w->written[i] >= pending_mark)
            w->written[i] = 0;
    w->block_stamp = stamp_of(w->epoch, 0);
    memset(w->shared, POISON, w->smem_bytes);
}

void shared_rebase(Worker *w)
{
    const uint32_t old = w->block_stamp;
    w->block_stamp = stamp_of(1, 0);
    for (size_t i = 0; i < shadow_bytes(w) / sizeof *w->written; i++) {
        uint32_t s = w->written[i];
        w->written[i] = s >= pending_mark ? s : s < old ? 0 : stamp_of(1, stamp_thread(s));
        w->read[i] = 0;
    }
}

/* Says what is wrong with granules that an access may not touch. */
static void report(Worker *w, uint32_t offset, size_t bytes, bool write, uint32_t stamp, uintptr_t site)
{
    const char *does = write ? "writes" : "reads";
    for (uint32_t g = offset / GRANULE_BYTES; g <= (offset + bytes - 1) / GRANULE_BYTES; g++) {
        const uint32_t written = w->written[g], read = w->read[g], byte = g * GRANULE_BYTES;
        const bool same_epoch = stamp_epoch(written) == stamp_epoch(stamp) && written != stamp;
        if (written >= pending_mark)
            finding(w, site,
                    "%s shared byte %u before the asynchronous copy to it by thread %d is known to be complete", does,
                    byte, stamp_thread(written));
        else if (!write && written < w->block_stamp)
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

/* n granules from the pointers on; whether all may be read, and that they are. */
INLINE bool may_read(const uint32_t *written, uint32_t *read, int n, uint32_t stamp, uint32_t first)
{
    const uint32_t now = stamp & ~(uint32_t)SEVERAL, span = now - first;
    uint32_t bad = 0;
    for (int i = 0; i < n; i++)
        bad |= (uint32_t)(written[i] - first >= span) & (uint32_t)(written[i] != stamp);
    for (int i = 0; i < n; i++)
        read[i] = (read[i] ^ stamp) - 1 < SEVERAL ? now | SEVERAL : stamp;
    return !bad;
}

INLINE bool may_write(uint32_t *written, const uint32_t *read, int n, uint32_t stamp, uint32_t mark)
{
    uint32_t bad = 0;
    for (int i = 0; i < n; i++)
        bad |= (uint32_t)((written[i] ^ stamp) - 1 < SEVERAL) | (uint32_t)((read[i] ^ stamp) - 1 < SEVERAL) |
               (uint32_t)(written[i] >= pending_mark);
    if (bad)
        return false;
    for (int i = 0; i < n; i++)
        written[i] = mark;
    return true;
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

INLINE void shared_access(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    const uintptr_t offset = address - (uintptr_t)w->shared;
    if (__builtin_expect(offset >= w->smem_bytes || w->smem_bytes - offset < bytes, 0))
        shared_out_of_bounds(w, address, bytes, write, site);
    if (__builtin_expect(aligned && offset % bytes != 0, 0))
        misaligned(w, address, bytes, write, site);
    uint32_t *written = w->written + offset / GRANULE_BYTES, *read = w->read + offset / GRANULE_BYTES;
    const int n = aligned ? (int)((bytes + 1) / GRANULE_BYTES)
                          : (int)((offset + bytes - 1) / GRANULE_BYTES - offset / GRANULE_BYTES + 1);
    bool good =
        write ? may_write(written, read, n, w->stamp, w->stamp) : may_read(written, read, n, w->stamp, w->block_stamp);
    if (__builtin_expect(!good, 0))
        report(w, (uint32_t)offset, bytes, write, w->stamp, site);
    if (__builtin_expect(w->counting, 0))
        count_access(w, site, address, bytes, COUNT_SHARED);
}

INLINE void access(uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    Worker *w = emu_worker;
    if (address - w->window < w->window_bytes)
        shared_access(w, address, bytes, write, aligned, site);
    else if (address - w->stack < w->stack_bytes || w->window_bytes == 0)
        return;
    else
        global_access(w, address, bytes, write, aligned, site);
    if (__builtin_expect(--w->budget < 0, 0))
        finding_fatal(w, site, "does not end");
}

/* ---- the calls that compilers make */

#define HOOKS(n)                                                                                   \
    EXPORT FAST void __tsan_read##n(void *p) { access((uintptr_t)p, n, false, true, SITE); }       \
    EXPORT FAST void __tsan_write##n(void *p) { access((uintptr_t)p, n, true, true, SITE); }       \
    EXPORT void __tsan_unaligned_read##n(void *p) { access((uintptr_t)p, n, false, false, SITE); } \
    EXPORT void __tsan_unaligned_write##n(void *p) { access((uintptr_t)p, n, true, false, SITE); }

/* Their names are the compilers'. */
#define DECLARE(n)                          \
    void __tsan_read##n(void *p);           \
    void __tsan_write##n(void *p);          \
    void __tsan_unaligned_read##n(void *p); \
    void __tsan_unaligned_write##n(void *p);

DECLARE(1)
DECLARE(2)
DECLARE(4)
DECLARE(8)
DECLARE(16) HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16)

    void __tsan_read_range(void *p, long bytes);
void __tsan_write_range(void *p, long bytes);
void __tsan_init(void);
void __tsan_func_entry(void *site);
void __tsan_func_exit(void);
EXPORT void __tsan_read_range(void *p, long bytes) { access((uintptr_t)p, (size_t)bytes, false, false, SITE); }
EXPORT void __tsan_write_range(void *p, long bytes) { access((uintptr_t)p, (size_t)bytes, true, false, SITE); }
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
    const uintptr_t offset = address - (uintptr_t)w->shared;
    const uint32_t stamp = w->stamp | SEVERAL;
    if (offset >= w->smem_bytes || w->smem_bytes - offset < ROW_BYTES)
        shared_out_of_bounds(w, address, ROW_BYTES, false, 0);
    if (offset % ROW_BYTES != 0)
        misaligned(w, address, ROW_BYTES, false, 0);
    if (!may_read(w->written + offset / GRANULE_BYTES, w->read + offset / GRANULE_BYTES, ROW_BYTES / GRANULE_BYTES,
                  stamp, w->block_stamp))
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
    uint32_t *written = w->written + offset / GRANULE_BYTES, *read = w->read + offset / GRANULE_BYTES;
    const uint32_t mark = pending_mark | (uint32_t)w->running;
    return width == 16  ? may_write(written, read, 8, w->stamp, mark)
           : width == 8 ? may_write(written, read, 4, w->stamp, mark)
                        : may_write(written, read, 2, w->stamp, mark);
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

EXPORT FAST void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    const uintptr_t to = (uintptr_t)smem, offset = to - (uintptr_t)w->shared, site = SITE;
    f->line = line;
    if (bytes < 0 || bytes > width)
        finding_fatal(w, site, "copies %d bytes by an asynchronous copy of %d", bytes, width);
    if (offset >= w->smem_bytes || w->smem_bytes - offset < (uintptr_t)width)
        shared_out_of_bounds(w, to, (size_t)width, true, site);
    if (offset % (uintptr_t)width != 0)
        misaligned(w, to, (size_t)width, true, site);
    if (bytes > 0 && (uintptr_t)gmem % (uintptr_t)width != 0)
        misaligned(w, (uintptr_t)gmem, (size_t)width, false, site);
    if (bytes > 0)
        global_access(w, (uintptr_t)gmem, (size_t)bytes, false, false, site);
    if (!may_start_copy(w, offset, width))
        report(w, (uint32_t)offset, (size_t)width, true, w->stamp, site);
    if (w->counting)
        count_access(w, site + 1, to, (size_t)width, COUNT_SHARED);
    PendingCopy *c = copy_new(w, f);
    *c = (PendingCopy){ .offset = (uint32_t)offset, .bytes = (uint32_t)width, .group = f->group };
    if (bytes == width)
        copy_width(c->data, gmem, (uint32_t)width);
    else
        memcpy(c->data, gmem, (size_t)bytes);
    copy_width(w->shared + offset, poison, (uint32_t)width);
    if (--w->budget < 0)
        finding_fatal(w, site, "does not end");
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
        copy_width(w->shared + c->offset, c->data, c->bytes);
        for (uint32_t g = 0; g < c->bytes / GRANULE_BYTES; g++)
            w->written[c->offset / GRANULE_BYTES + g] = w->stamp;
        f->first_copy++;
        f->ncopy--;
    }
    f->first_copy = 0;
}
