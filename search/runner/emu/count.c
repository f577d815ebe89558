/* SPDX-License-Identifier: Apache-2.0
 *
 * count: what a warp's instructions cost in memory. Lanes run one after the other here, so accesses are noted, and
 * those of one site that are each lane's n-th there since the last barrier count as one instruction.
 *
 *   global memory  the 32-byte sectors that an instruction touches
 *   shared memory  wavefronts: the most different 4-byte words that lanes want of one of the 32 banks, for all lanes
 *                  together, for halves of a warp if each wants 8 bytes, for quarters if 16. A load serves twice as
 *                  many lanes at once if all neighbours want the same: lanes whose numbers differ in bit 0, or all
 *                  whose numbers differ in bit 1. NVIDIA says so of compute capability 7.0 to 7.5
 *                  (forums.developer.nvidia.com/t/77228); later devices are taken to do the same.
 */
#include "search/runner/emu/worker.h"

enum { SECTOR_BYTES = 32, BANKS = 32, WORD_BYTES = 4 };

void count_access(Worker *w, const Access *a)
{
    Fiber *f = &w->fiber[w->running];
    f->access = array_with_room(f->access, f->naccess, &f->max_access, sizeof *f->access);
    f->access[f->naccess++] = *a;
}

/* Adds a number to a list of n different ones, unless it is there or the list is full. Returns how many there are. */
static int add_once(uintptr_t *list, int n, int max, uintptr_t number)
{
    int known = 0;
    while (known < n && list[known] != number)
        known++;
    if (known == max || known < n)
        return n;
    list[n] = number;
    return n + 1;
}

static int64_t count_sectors(const Instruction *x)
{
    uintptr_t seen[2 * LANES];
    int n = 0;
    for (int i = 0; i < LANES; i++)
        for (uintptr_t s = x->address[i] / SECTOR_BYTES;
             x->bytes[i] && s <= (x->address[i] + x->bytes[i] - 1) / SECTOR_BYTES; s++)
            n = add_once(seen, n, 2 * LANES, s);
    return n;
}

static int wavefronts_of(const uintptr_t *address, const uint32_t *bytes, int n)
{
    uintptr_t word[BANKS][LANES];
    int count[BANKS] = { 0 }, most = 0;
    for (int i = 0; i < n; i++)
        for (uintptr_t a = address[i] / WORD_BYTES; bytes[i] && a <= (address[i] + bytes[i] - 1) / WORD_BYTES; a++) {
            const int bank = (int)(a % BANKS);
            count[bank] = add_once(word[bank], count[bank], LANES, a);
            most = count[bank] > most ? count[bank] : most;
        }
    return most;
}

static bool are_paired(const Instruction *x, int apart)
{
    bool same = true;
    for (int i = 0; i < LANES; i++)
        same &= !x->bytes[i] || !x->bytes[i ^ apart] || x->address[i] == x->address[i ^ apart];
    return same;
}

typedef struct {
    int fronts, groups; /* wavefronts; groups of lanes that are served together and want anything */
} Cost;

static Cost cost_of(const Instruction *x, int together)
{
    Cost sum = { 0, 0 };
    for (int i = 0; i < LANES; i += together) {
        const int fronts = wavefronts_of(x->address + i, x->bytes + i, together);
        sum.fronts += fronts;
        sum.groups += fronts > 0;
    }
    return sum;
}

static void add_shared(EmuCounts *c, const Instruction *x, bool load)
{
    uint32_t widest = 0;
    for (int i = 0; i < LANES; i++)
        widest = x->bytes[i] > widest ? x->bytes[i] : widest;
    const int together = widest <= 4 ? LANES : widest <= 8 ? LANES / 2 : LANES / 4;
    Cost cost = cost_of(x, together);
    if (load && together < LANES && (are_paired(x, 1) || are_paired(x, 2))) {
        const Cost paired_cost = cost_of(x, 2 * together);
        cost = paired_cost.fronts < cost.fronts ? paired_cost : cost;
    }
    c->wavefronts += cost.fronts;
    c->conflicts += cost.fronts - cost.groups;
}

void count_rows(Worker *w, const uintptr_t *row, int n)
{
    Instruction x = { 0 };
    for (int i = 0; i < n; i++) {
        x.address[i] = row[i];
        x.bytes[i] = 16;
    }
    add_shared(&w->counts, &x, false); /* the 8 rows of a matrix are served together */
}

/* ---- from accesses to instructions */

/* The slot of an access's place; NULL: all slots are taken, by more places than a kernel of sane size has. */
static AccessSite *find_site(AccessSite *table, const Access *a)
{
    const unsigned kind = 2u * a->shared + a->write;
    unsigned slot = (unsigned)((a->site * 4 + kind) * 0x9e3779b97f4a7c15u >> 54);
    for (int i = 0; i < SITE_SLOTS; i++, slot = (slot + 1) % SITE_SLOTS) {
        AccessSite *s = &table[slot];
        if (s->of.site == 0)
            *s = (AccessSite){ .of = *a, .lane = -1, .max = s->max, .instruction = s->instruction };
        if (s->of.site == a->site && s->of.write == a->write && s->of.shared == a->shared)
            return s;
    }
    return NULL;
}

static bool add_access(Worker *w, const Access *a, int lane)
{
    AccessSite *s = find_site(w->site, a);
    if (!s)
        return false;
    if (s->lane != lane) {
        s->lane = lane;
        s->seen = 0;
    }
    const int at = s->seen++;
    s->instruction = array_with_room(s->instruction, at, &s->max, sizeof *s->instruction);
    if (at == s->n)
        s->instruction[s->n++] = (Instruction){ 0 };
    s->instruction[at].address[lane] = a->address;
    s->instruction[at].bytes[lane] = a->bytes;
    return true;
}

static void flush_warp(Worker *w, int first)
{
    for (int lane = 0; lane < LANES && first + lane < w->nfiber; lane++) {
        Fiber *f = &w->fiber[first + lane];
        for (int i = 0; i < f->naccess; i++)
            if (!add_access(w, &f->access[i], lane))
                finding_note(NULL, 0, "it cannot be counted: too many places access memory");
        f->naccess = 0;
    }
    for (AccessSite *s = w->site; s < w->site + SITE_SLOTS; s++) {
        for (int at = 0; s->of.site && at < s->n; at++)
            if (s->of.shared)
                add_shared(&w->counts, &s->instruction[at], !s->of.write);
            else if (s->of.write)
                w->counts.sectors_written += count_sectors(&s->instruction[at]);
            else
                w->counts.sectors_read += count_sectors(&s->instruction[at]);
        s->of.site = 0;
    }
}

void count_flush(Worker *w)
{
    for (int first = 0; first < w->nfiber; first += LANES)
        flush_warp(w, first);
}

void counts_add(EmuCounts *to, const EmuCounts *from)
{
    to->sectors_read += from->sectors_read;
    to->sectors_written += from->sectors_written;
    to->wavefronts += from->wavefronts;
    to->conflicts += from->conflicts;
    to->barriers += from->barriers;
    to->collectives += from->collectives;
    to->blocks += from->blocks;
    to->threads += from->threads;
    to->smem_bytes = from->smem_bytes > to->smem_bytes ? from->smem_bytes : to->smem_bytes;
}
