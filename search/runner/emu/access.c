/* SPDX-License-Identifier: Apache-2.0
 *
 * access: the calls that -fsanitize=thread puts before each access of a kernel, and a thread's asynchronous copies.
 * What goes by lines of shared memory with one stamp is done in the calls themselves, all else by slow functions
 * behind them (shadow.c, global.c).
 */
#include "search/runner/emu/shadow.h"

#include <stdlib.h>
#include <string.h>

#define SITE ((uintptr_t)__builtin_return_address(0))

static const uint32_t poison[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

/* ---- shared memory */

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

uintptr_t shared_offset_of(Worker *w, const Access *a) { return shared_offset(w, a); }

static void shared_access(Worker *w, const Access *a)
{
    const uintptr_t offset = shared_offset(w, a);
    shadow_access(w, a, offset, w->stamp);
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
    else if (__builtin_expect(w->holding, 0))
        wgmma_stack_access(w, &(Access){ site, address, (uint32_t)bytes, write, false, false });
}

/* Takes the short way for accesses within a line of shared memory. `unit` is offset / bytes, or huge if not whole. */
INLINE void access(uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site)
{
    Worker *w = emu_worker;
    const uintptr_t offset = address - (uintptr_t)w->shared, units_a_line = LINE_BYTES / bytes;
    const uintptr_t unit = offset / bytes | offset << (64 - __builtin_ctzll(bytes)) % 64;
    if (__builtin_expect(unit < w->nline * units_a_line, 1) &&
        __builtin_expect(line_access(w, &w->line[unit / units_a_line], bytes, write, w->stamp), 1)) {
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
    const Stamp stamp = w->stamp | SEVERAL;
    if (w->followed || !line_access(w, &w->line[offset / LINE_BYTES], LINE_BYTES, false, stamp))
        shadow_access(w, &row, offset, stamp);
}

EXPORT Float4 dcgen_emu_cluster_load16(const void *smem, unsigned rank, int line)
{
    Worker *w = emu_worker;
    const Access a = { SITE, (uintptr_t)smem, LINE_BYTES, false, true, true };
    const uintptr_t offset = shared_offset(w, &a);
    Float4 v;
    w->fiber[w->running].line = line;
    ClusterBlock *b = cluster_block(w, rank, a.site);
    shared_read_remote(w, b, (uint32_t)offset, LINE_BYTES, a.site);
    memcpy(&v, b->shared + offset, sizeof v);
    return v;
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
    copy_width(w->shared + c->offset, c->from ? c->from : c->data, c->bytes);
    shadow_end_write(w, c->offset, c->bytes);
}

EXPORT void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    const Stamp mark = shadow_pending(w);
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
    if (width == LINE_BYTES && is_writable(w, l->written, w->stamp) && is_writable(w, l->read, w->stamp))
        l->written = mark;
    else
        shadow_access(w, &to, offset, mark);
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
