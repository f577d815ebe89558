/* SPDX-License-Identifier: Apache-2.0
 *
 * global: operands, scratch memory and counters. An access outside of them ends the launch. Each element of all but
 * inputs has a mark: the block and the stamp of its last write, 0 if none in this call.
 *
 * One block may read what another wrote only as CUDA's memory model promises it: the writer stored, and after a block
 * barrier a thread released, which adds to a counter in the order acq_rel; a thread of the reader added to the same
 * counter in that order later, then there was a barrier before the read. The thread that counts needs no barrier for
 * what it stores and reads itself. A relaxed addition (atomicAdd) does it too with a fence (__threadfence) on its side:
 * before it for the writer, behind it for the reader. Where fence and barrier come in the other order, the fence must
 * be the one of the thread that counts, or of the one that reads.
 */
#define _GNU_SOURCE
#include "search/runner/emu/worker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A mark: the number of the block << 36 | do atomics add to the element? << 35 | time << 13 | thread of the block. */
enum { BLOCK_BIT = 36 };
static const uint64_t counter_mark = (uint64_t)1 << 35;
static const uint64_t host_mark = 1; /* of what host code wrote: older than any launch */

static const char no_counter[] = "without a counter that says so";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Release *releases;   /* all of this launch */
static uint64_t last_order; /* that of the last atomic */

/* ---- memory */

static uintptr_t distance_to(const EmuRegion *r, uintptr_t address)
{
    return address < r->base ? r->base - address : address - r->base < r->bytes ? 0 : address - r->base - r->bytes + 1;
}

static const EmuRegion *region_near(uintptr_t address, uintptr_t reach)
{
    const Emu *e = emu_current;
    const EmuRegion *nearest = NULL;
    for (int i = 0; e && i < e->nregion; i++)
        if (distance_to(&e->region[i], address) <= reach &&
            (!nearest || distance_to(&e->region[i], address) < distance_to(nearest, address)))
            nearest = &e->region[i];
    return nearest;
}

const EmuRegion *emu_memory_of(const void *address, size_t bytes)
{
    const EmuRegion *r = region_near((uintptr_t)address, 0);
    return r && r->role == EMU_MEMORY && r->bytes - ((uintptr_t)address - r->base) >= bytes ? r : NULL;
}

const void *emu_unwritten(const EmuRegion *r, const void *address, size_t bytes)
{
    const uintptr_t offset = (uintptr_t)address - r->base;
    for (size_t g = offset / r->elem_bytes; g * r->elem_bytes < offset + bytes; g++)
        if (r->shadow[g] == 0)
            return (const void *)(r->base + g * r->elem_bytes);
    return NULL;
}

EXPORT void dcgen_emu_written(const void *address, size_t bytes)
{
    const EmuRegion *r = emu_memory_of(address, bytes);
    if (!r)
        return;
    const uintptr_t offset = (uintptr_t)address - r->base;
    for (size_t g = offset / r->elem_bytes; g * r->elem_bytes < offset + bytes; g++)
        r->shadow[g] = host_mark;
}

/* ---- the end of a launch */

/* Checks that a counter is 0 again: in memory of a program after each launch, in that of a call after the call. */
static void check_counter(const EmuRegion *r, uintptr_t address, const char *what)
{
    const unsigned count = *(const unsigned *)address;
    if (count != 0 && emu_current->nfinding == 0)
        finding_note(NULL, 0, "the counter at %s byte %zu is %u after the %s, not 0", r->name,
                     (size_t)(address - r->base), count, what);
}

void global_end(void)
{
    for (Release *r = releases, *next; r; r = next) {
        const EmuRegion *memory = emu_memory_of((const void *)r->address, sizeof(unsigned));
        if (memory)
            check_counter(memory, r->address, "launch");
        next = r->next;
        free(r);
    }
    releases = NULL;
}

void global_check_counters(void)
{
    for (const EmuRegion *r = emu_current->region; r < emu_current->region + emu_current->nregion; r++)
        for (size_t g = 0; r->role == EMU_COUNTERS && g < r->bytes / r->elem_bytes; g++)
            check_counter(r, r->base + g * r->elem_bytes, "call");
}

static uint32_t mark_block(uint64_t mark) { return (uint32_t)(mark >> BLOCK_BIT); }
static int mark_thread(uint64_t mark) { return stamp_id(mark); }
static uint32_t mark_time(uint64_t mark) { return stamp_time(mark & (counter_mark - 1)); }
static int own_thread(const Worker *w) { return w->running - first_fiber(w); }
static uint64_t own_mark(const Worker *w)
{
    return (uint64_t)w->at->number << BLOCK_BIT | stamp_of(stamp_time(w->stamp), own_thread(w));
}

static const char *writer_text(const Worker *w, uint64_t mark, char text[EMU_TEXT_BYTES])
{
    unsigned block[3];
    launch_place(w->launch, mark_block(mark) - w->launch->first_block, block);
    snprintf(text, EMU_TEXT_BYTES, "block (%u,%u,%u) thread %d", block[0], block[1], block[2], mark_thread(mark));
    return text;
}

/* Does what a thread of the running one's block did at that time lie behind what the running one does? */
static bool is_behind(const Worker *w, int thread, uint32_t time)
{
    return order_known(w, w->running, first_fiber(w) + thread, time);
}

/* Does an atomic of the block let the running thread see what lies before the counts that it found? */
static bool is_acquired(const Worker *w, const Release *own)
{
    const Fiber *reader = &w->fiber[w->running], *counts = &w->fiber[first_fiber(w) + own->thread];
    if (own_thread(w) == own->thread)
        return own->acq_rel || reader->fences > own->fences;
    if (own->acq_rel)
        return is_behind(w, own->thread, own->time);
    return w->at->epoch > own->epoch && (counts->fences_at_barrier > own->fences || reader->fence_epoch > own->epoch);
}

/* Why an atomic of a block does not let the running thread see a store of that block; NULL: it does, by one of its own
 * block that came later. */
static const char *why_not_by(const Worker *w, const Release *r, uint64_t mark)
{
    const char *why = NULL;
    for (const Release *own = w->at->release; own; own = own->past) {
        if (own->address != r->address || own->order < r->order)
            continue;
        if (__atomic_load_n(&r->visible[mark_thread(mark)], __ATOMIC_ACQUIRE) < mark_time(mark))
            return "which did not release it: no barrier or no order between store and counter";
        if (is_acquired(w, own))
            return NULL;
        why = "which it did not acquire: no barrier or no order behind the counter";
    }
    return why ? why : no_counter;
}

/* Why the running thread may not read another block's store; NULL: it may. */
static const char *why_not_visible(const Worker *w, uint64_t mark)
{
    const char *why = NULL;
    const Release *r =
        __atomic_load_n(&w->launch->release[mark_block(mark) - w->launch->first_block], __ATOMIC_ACQUIRE);
    if (!r)
        return "which has not counted up yet";
    for (; r; r = r->past) {
        const char *by = why_not_by(w, r, mark);
        if (!by)
            return NULL;
        why = why && why != no_counter ? why : by;
    }
    return why;
}

/* Checks an access to an element with that mark against its last write, if that was in this launch. */
static void check_order(Worker *w, uint64_t mark, uintptr_t address, bool write, uintptr_t site)
{
    char writer[EMU_TEXT_BYTES];
    const char *does = write ? "writes" : "reads", *why;
    if (mark_block(mark) < w->launch->first_block || own_mark(w) == mark)
        return;
    if (mark_block(mark) != w->at->number) {
        if ((why = why_not_visible(w, mark)))
            finding(w, site, "%s %s of %s, %s", does, place_text(w, address), writer_text(w, mark, writer), why);
    } else if (!is_behind(w, mark_thread(mark), mark_time(mark))) {
        finding(w, site, "%s %s, which thread %d writes %s", does, place_text(w, address), mark_thread(mark),
                w->followed ? "without a barrier between" : "between the same barriers");
    }
}

static void read_granule(Worker *w, const EmuRegion *r, size_t granule, uintptr_t site)
{
    const uint64_t mark = __atomic_load_n(&r->shadow[granule], __ATOMIC_RELAXED);
    const uintptr_t address = r->base + granule * r->elem_bytes;
    if (mark & counter_mark || (mark == 0 && r->role == EMU_IN_OUT))
        return;
    if (mark == 0)
        finding(w, site, "reads %s, which nobody has written", place_text(w, address));
    else
        check_order(w, mark, address, false, site);
}

static void write_output(Worker *w, const EmuRegion *r, size_t granule, uintptr_t site)
{
    char writer[EMU_TEXT_BYTES];
    const uint64_t own = own_mark(w), old = __atomic_exchange_n(&r->shadow[granule], own, __ATOMIC_RELAXED);
    if (old == 0 || mark_block(old) < w->launch->first_block)
        return;
    if (mark_block(old) != w->at->number || mark_thread(old) != own_thread(w))
        finding(w, site, "writes %s, which %s has written too", place_text(w, r->base + granule * r->elem_bytes),
                writer_text(w, old, writer));
}

static void write_shared(Worker *w, const EmuRegion *r, size_t granule, uintptr_t site)
{
    const uintptr_t address = r->base + granule * r->elem_bytes;
    const uint64_t old = __atomic_load_n(&r->shadow[granule], __ATOMIC_RELAXED), counter = old & counter_mark;
    Fiber *f = &w->fiber[w->running];
    if (counter && (!w->at->release || address - w->at->release->address >= sizeof(unsigned)))
        finding(w, site, "writes %s, a counter, without having counted", place_text(w, address));
    else if (old && !counter)
        check_order(w, old, address, true, site);
    /* This store came after them, so none of this thread's at this time is visible by them any more. */
    for (Release *x = counter ? NULL : w->at->release; x && x->visible[own_thread(w)] >= f->time; x = x->past)
        __atomic_store_n(&x->visible[own_thread(w)], f->time - 1, __ATOMIC_RELEASE);
    __atomic_store_n(&r->shadow[granule], own_mark(w) | counter, __ATOMIC_RELAXED);
    f->write_fences = f->fences;
    f->write_time = f->time;
}

/* ---- accesses */

static bool is_constant(const Worker *w, uintptr_t address)
{
    Dl_info code, data;
    return dladdr((void *)w->launch->call, &code) && dladdr((void *)address, &data) && code.dli_fbase == data.dli_fbase;
}

/* The memory that an access goes to; NULL: it reads a constant. */
static const EmuRegion *find_region(Worker *w, const Access *a)
{
    const EmuRegion *r = region_near(a->address, 0);
    if (!r && !a->write && is_constant(w, a->address))
        return NULL;
    if (!r || r->bytes - (a->address - r->base) < a->bytes)
        finding_access(w, a, "");
    w->recent[1] = w->recent[0];
    w->recent[0] = r;
    return r;
}

bool global_reads_input(const Worker *w, const Access *a)
{
    for (int i = 0; i < 2 && !a->write; i++) {
        const EmuRegion *r = w->recent[i];
        if (r && r->role == EMU_INPUT && a->address - r->base < r->bytes &&
            r->bytes - (a->address - r->base) >= a->bytes)
            return true;
    }
    return false;
}

void global_access(Worker *w, const Access *a)
{
    const bool misaligned = a->aligned && a->address % a->bytes != 0;
    if (!w->counting && !misaligned && global_reads_input(w, a))
        return;
    const EmuRegion *r = find_region(w, a);
    if (!r)
        return;
    if (misaligned)
        finding_access(w, a, ", which is not aligned to them");
    if (w->counting)
        count_access(w, a);
    if (r->role == EMU_INPUT && a->write)
        finding_fatal(w, a->site, "writes %s, an input", place_text(w, a->address));
    const size_t offset = a->address - r->base, last = (offset + a->bytes - 1) / r->elem_bytes;
    for (size_t g = offset / r->elem_bytes; r->role != EMU_INPUT && g <= last; g++) {
        if (!a->write)
            read_granule(w, r, g, a->site);
        else if (r->role == EMU_OUTPUT || r->role == EMU_IN_OUT)
            write_output(w, r, g, a->site);
        else
            write_shared(w, r, g, a->site);
    }
}

const char *place_text(Worker *w, uintptr_t address)
{
    const uintptr_t reach = 1 << 20;
    const EmuRegion *r = region_near(address, reach);
    if (address - w->window < w->window_bytes)
        snprintf(w->place, EMU_TEXT_BYTES, "shared byte %td", (ptrdiff_t)(address - (uintptr_t)w->shared));
    else if (!r)
        snprintf(w->place, EMU_TEXT_BYTES, "address 0x%zx, far from all operands", (size_t)address);
    else if ((address - r->base) % r->elem_bytes != 0)
        snprintf(w->place, EMU_TEXT_BYTES, "%s byte %td", r->name, (ptrdiff_t)(address - r->base));
    else if (address - r->base < r->bytes)
        snprintf(w->place, EMU_TEXT_BYTES, "%s element %zu", r->name, (size_t)(address - r->base) / r->elem_bytes);
    else
        snprintf(w->place, EMU_TEXT_BYTES, "%s element %td of %zu", r->name,
                 (ptrdiff_t)(address - r->base) / (ptrdiff_t)r->elem_bytes, r->bytes / r->elem_bytes);
    return w->place;
}

/* ---- counters */

/* Up to which time an atomic of the running thread makes the stores of thread x visible: by its order, or a fence. */
static uint32_t released_time(const Worker *w, int x, bool acq_rel)
{
    const int fiber = first_fiber(w) + x;
    const Fiber *f = &w->fiber[fiber], *counts = &w->fiber[w->running];
    const uint32_t barrier = w->at->epoch - 1, known = w->followed ? counts->clock.known[fiber] : 0;
    if (fiber == w->running && (acq_rel || f->fences > f->write_fences || f->write_time == 0))
        return f->time;
    if (acq_rel)
        return known > barrier ? known : barrier;
    return f->fences_at_barrier > f->write_fences || counts->fence_epoch > f->write_time ? barrier : 0;
}

static void note_release(Worker *w, Release *r, uintptr_t address, bool acq_rel)
{
    *r = (Release){ .address = address,
                    .order = ++last_order,
                    .epoch = w->at->epoch,
                    .time = w->fiber[w->running].time,
                    .fences = w->fiber[w->running].fences,
                    .thread = own_thread(w),
                    .acq_rel = acq_rel,
                    .next = releases,
                    .past = w->at->release };
    for (int x = 0; x < w->nthread; x++)
        r->visible[x] = released_time(w, x, acq_rel);
    releases = w->at->release = r;
    __atomic_store_n(&w->launch->release[w->at->number - w->launch->first_block], r, __ATOMIC_RELEASE);
}

EXPORT unsigned dcgen_emu_atomic_add(unsigned *p, unsigned value, int acq_rel, int line)
{
    Worker *w = emu_worker;
    const Access a = { (uintptr_t)__builtin_return_address(0), (uintptr_t)p, sizeof *p, true, false, false };
    w->fiber[w->running].line = line;
    if (a.address % sizeof *p != 0)
        finding_fatal(w, a.site, "adds to %s, which is not aligned to 4 bytes", place_text(w, a.address));
    const EmuRegion *r = find_region(w, &a);
    if (r->role != EMU_COUNTERS && r->role != EMU_MEMORY)
        finding_fatal(w, a.site, "adds to %s, which is no counter", place_text(w, a.address));
    if (w->counting)
        count_access(w, &a);
    uint64_t *mark = &r->shadow[(a.address - r->base) / r->elem_bytes];
    Release *release = checked_memory(calloc(1, sizeof *release + (size_t)w->nthread * sizeof *release->visible));
    pthread_mutex_lock(&lock);
    const uint64_t old_mark = __atomic_load_n(mark, __ATOMIC_RELAXED);
    const unsigned old = *p;
    *p += value;
    for (size_t i = 0; i < sizeof *p / r->elem_bytes; i++)
        __atomic_store_n(&mark[i], own_mark(w) | counter_mark, __ATOMIC_RELAXED);
    note_release(w, release, a.address, acq_rel != 0);
    pthread_mutex_unlock(&lock);
    if (old_mark && !(old_mark & counter_mark) && mark_block(old_mark) >= w->launch->first_block)
        finding(w, a.site, "adds to %s, to which a plain store was made", place_text(w, a.address));
    return old;
}
