/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor: tensor maps, and the copies that the tensor memory accelerator makes by them: boxes of a tensor of up to five
 * extents, from global to shared memory (an mbarrier counts their bytes) and back (in groups that their thread waits
 * for). A copy is done as late as it may be: to shared memory when no thread can go on without, from there when its
 * thread waits. Until then its destination is poisoned, and nobody may write its source.
 *
 *   box    cuTensorMapEncodeTiled is told its extents in the tensor and a step along each: it has ceil(extent / step)
 *          elements, and element (i0, i1, ...) is that of the tensor i0, i1 * step1, ... from the copy's first on
 *   load   element (i0, i1, ...) of the box lands at smem + bytes * (i0 + box0 * (i1 + box1 * ...)), then swizzled:
 *          address ^ (address >> 3 & mask), mask 0x10, 0x30, 0x70 for 32, 64, 128 bytes, of addresses in the shared
 *          window. What lies outside of the tensor becomes 0; the mbarrier counts the bytes of the whole box.
 *   store  the inverse; what lies outside of the tensor is left out
 *
 * Source: CUDA's driver API (cuTensorMapEncodeTiled), PTX ISA (cp.async.bulk.tensor). Boxes narrower than the swizzle
 * are refused: nothing says how their rows lie.
 */
#include "search/runner/emu/matrix.h"
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>
#include "templates/device/emulator/cuda.h"

enum {
    MAP_MAGIC = 0x70616d74,
    MAX_RANK = 5,
    MAX_BOX = 256,
    MAX_STEP = 8,
    COPY_ALIGN = 128,
    MAP_ALIGN = 64,
    CHUNK = 16
};

/* What a CUtensorMap holds here. Strides in bytes; that of extent 0 is an element's. */
typedef struct {
    uint32_t magic;
    uint8_t rank, elem_bytes, swizzle; /* 0, 32, 64, 128 */
    uint8_t step[MAX_RANK];            /* elements of the tensor from one of the box to the next */
    uint16_t box[MAX_RANK];            /* elements that are copied */
    uint64_t address, extent[MAX_RANK], stride[MAX_RANK];
} Map;

_Static_assert(sizeof(Map) <= sizeof(CUtensorMap), "a map fits");

typedef struct {
    Map map;
    ClusterBlock *block;
    Mbarrier *barrier; /* NULL: a store */
    int64_t at[MAX_RANK];
    uint32_t offset, bytes, group, time;
    int fiber;
    uintptr_t site;
} BoxCopy;

struct Engine {
    BoxCopy *load, *store;
    int nload, nstore, max_load, max_store;
    uint32_t group[MAX_FIBERS];
    int agent[MAX_WARPS]; /* that makes its copies to global memory; 0: none yet */
};

void engine_begin(Worker *w)
{
    if (!w->engine)
        return;
    w->engine->nload = w->engine->nstore = 0;
    memset(w->engine->group, 0, sizeof w->engine->group);
    memset(w->engine->agent, 0, sizeof w->engine->agent);
}

void engine_free(Worker *w)
{
    if (w->engine) {
        free(w->engine->load);
        free(w->engine->store);
    }
    free(w->engine);
}

static struct Engine *engine(Worker *w)
{
    if (!w->engine)
        w->engine = checked_memory(calloc(1, sizeof *w->engine));
    order_follow(w);
    return w->engine;
}

/* ---- maps */

static int bytes_of_type(CUtensorMapDataType type)
{
    static const uint8_t bytes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };
    return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                       const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
                                       const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                       CUtensorMapFloatOOBfill fill)
{
    const int bytes = bytes_of_type(type);
    (void)promotion;
    if (!map || (uintptr_t)map % MAP_ALIGN != 0 || bytes == 0 || rank < 1 || rank > MAX_RANK || !extent || !box ||
        !steps || (uintptr_t)address % CHUNK != 0 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        swizzle > CU_TENSOR_MAP_SWIZZLE_128B || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return CUDA_ERROR_INVALID_VALUE;
    Map m = { .magic = MAP_MAGIC,
              .rank = (uint8_t)rank,
              .elem_bytes = (uint8_t)bytes,
              .swizzle = swizzle ? (uint8_t)(16 << swizzle) : 0,
              .address = (uintptr_t)address };
    for (cuuint32_t i = 0; i < rank; i++) {
        m.extent[i] = extent[i];
        m.step[i] = i ? (uint8_t)steps[i] : 1; /* of the innermost extent it is ignored */
        m.box[i] = (uint16_t)((box[i] - 1) / (m.step[i] ? m.step[i] : 1u) + 1);
        m.stride[i] = i ? stride[i - 1] : (uint64_t)bytes;
        if (extent[i] < 1 || extent[i] > (uint64_t)1 << 32 || box[i] < 1 || box[i] > MAX_BOX || steps[i] < 1 ||
            steps[i] > MAX_STEP || (i && (m.stride[i] % CHUNK != 0 || m.stride[i] >= (uint64_t)1 << 40)))
            return CUDA_ERROR_INVALID_VALUE;
    }
    const unsigned inner = m.box[0] * m.elem_bytes;
    if (inner % CHUNK != 0 || (m.swizzle && inner > m.swizzle))
        return CUDA_ERROR_INVALID_VALUE;
    memset(map, 0, sizeof *map);
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

typedef void Function(void);

EXPORT Function *dcgen_emu_driver_function(const char *name)
{
    return strcmp(name, "cuTensorMapEncodeTiled") == 0 ? (Function *)cuTensorMapEncodeTiled : NULL;
}

/* ---- boxes */

static uint32_t swizzled(const Map *m, uint32_t offset)
{
    return matrix_swizzled(offset + SHARED_SKEW, m->swizzle) - SHARED_SKEW;
}

/* Copies a chunk of a row that begins `offset` in the block's shared memory, the one way or the other. */
static void copy_chunks(const BoxCopy *c, uint32_t offset, unsigned char *row, uint32_t bytes, bool load)
{
    for (uint32_t i = 0; i < bytes; i += CHUNK) {
        unsigned char *shared = c->block->shared + swizzled(&c->map, offset + i);
        memcpy(load ? shared : row + i, load ? row + i : shared, CHUNK);
    }
}

/* The part of a row of the box that lies within the tensor: elements first .. first+n-1, at this address. n 0: none. */
typedef struct {
    int64_t first, n;
    uintptr_t address;
} Run;

static Run run_of(const BoxCopy *c, const int64_t *place)
{
    const Map *m = &c->map;
    uintptr_t address = m->address;
    for (int i = 1; i < m->rank; i++) {
        const int64_t at = c->at[i] + place[i] * m->step[i];
        if (at < 0 || (uint64_t)at >= m->extent[i])
            return (Run){ 0, 0, 0 };
        address += (uint64_t)at * m->stride[i];
    }
    const int64_t from = c->at[0] < 0 ? -c->at[0] : 0, left = (int64_t)m->extent[0] - c->at[0];
    const int64_t end = left < m->box[0] ? left : m->box[0];
    if (from >= end)
        return (Run){ 0, 0, 0 };
    return (Run){ from, end - from, address + (uintptr_t)((c->at[0] + from) * m->elem_bytes) };
}

/* Calls f for each row of the box, with its number. */
static void each_row(Worker *w, BoxCopy *c, void f(Worker *w, BoxCopy *c, uint32_t row, Run run))
{
    int64_t place[MAX_RANK] = { 0 };
    uint32_t nrow = 1;
    for (int i = 1; i < c->map.rank; i++)
        nrow *= c->map.box[i];
    for (uint32_t row = 0; row < nrow; row++) {
        f(w, c, row, run_of(c, place));
        for (int i = 1; i < c->map.rank && ++place[i] == c->map.box[i]; i++)
            place[i] = 0;
    }
}

static uint32_t row_bytes(const Map *m) { return (uint32_t)m->box[0] * m->elem_bytes; }

static void check_global(Worker *w, BoxCopy *c, uint32_t row, Run run)
{
    const Access a = { c->site, run.address, (uint32_t)run.n * c->map.elem_bytes, !c->barrier, false, false };
    (void)row;
    if (run.n > 0)
        global_access(w, &a);
}

static void load_row(Worker *w, BoxCopy *c, uint32_t row, Run run)
{
    unsigned char bytes[MAX_BOX * 8] = { 0 };
    (void)w;
    if (run.n > 0)
        memcpy(bytes + run.first * c->map.elem_bytes, (const void *)run.address, (size_t)run.n * c->map.elem_bytes);
    copy_chunks(c, c->offset + row * row_bytes(&c->map), bytes, row_bytes(&c->map), true);
}

static void store_row(Worker *w, BoxCopy *c, uint32_t row, Run run)
{
    unsigned char bytes[MAX_BOX * 8];
    copy_chunks(c, c->offset + row * row_bytes(&c->map), bytes, row_bytes(&c->map), false);
    check_global(w, c, row, run);
    if (run.n > 0)
        memcpy((void *)run.address, bytes + run.first * c->map.elem_bytes, (size_t)run.n * c->map.elem_bytes);
}

/* ---- copies */

/* A copy that the running thread starts. */
static BoxCopy box_copy(Worker *w, const void *map, int rank, const int *at, const void *smem, int line, uintptr_t site)
{
    BoxCopy c = { .block = w->at, .bytes = 1, .fiber = w->running, .site = site };
    w->fiber[w->running].line = line;
    spend(w, site);
    if ((uintptr_t)map % MAP_ALIGN != 0)
        finding_fatal(w, site, "uses a tensor map that is not aligned to %d bytes", MAP_ALIGN);
    memcpy(&c.map, map, sizeof c.map);
    if (c.map.magic != MAP_MAGIC)
        finding_fatal(w, site, "uses a tensor map that nobody has made");
    if (c.map.rank != rank)
        finding_fatal(w, site, "copies by %d coordinates from a tensor of %d extents", rank, c.map.rank);
    for (int i = 0; i < rank; i++) {
        c.at[i] = at[i];
        c.bytes *= c.map.box[i];
    }
    c.bytes *= c.map.elem_bytes;
    if (c.map.swizzle && row_bytes(&c.map) != c.map.swizzle)
        finding_fatal(w, site, "copies rows of %u bytes, swizzled by %u: how they lie is not known", row_bytes(&c.map),
                      c.map.swizzle);
    const Access shared = { site, (uintptr_t)smem, c.bytes, true, false, true };
    c.offset = (uint32_t)shared_offset_of(w, &shared);
    if ((c.offset + SHARED_SKEW) % COPY_ALIGN != 0)
        finding_fatal(w, site, "copies a box to or from shared byte %u, which is not aligned to %d", c.offset,
                      COPY_ALIGN);
    if (w->counting)
        w->counts.wavefronts += (c.bytes + 127) / 128;
    return c;
}

EXPORT void dcgen_emu_tensor_load(void *smem, const void *map, void *bar, int rank, const int *at, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    struct Engine *e = engine(w);
    BoxCopy c = box_copy(w, map, rank, at, smem, line, site);
    c.barrier = mbarrier_in(w, w->at, (uint32_t)((uintptr_t)bar - (uintptr_t)w->shared), site);
    if (!c.barrier->is_shown)
        finding(w, site, "copies by the mbarrier at shared byte %u, which no fence has shown to copies",
                c.barrier->offset);
    each_row(w, &c, check_global);
    shared_start_copy(w, c.offset, c.bytes, c.barrier->agent, site);
    e->load = array_with_room(e->load, e->nload, &e->max_load, sizeof *e->load);
    e->load[e->nload++] = c;
    fiber_pause(w);
}

static void end_load(Worker *w, int i)
{
    struct Engine *e = w->engine;
    BoxCopy c = e->load[i];
    const uint32_t time = order_tick(w);
    memmove(e->load + i, e->load + i + 1, (size_t)(--e->nload - i) * sizeof *e->load);
    each_row(w, &c, load_row);
    shared_end_copy(c.block, c.offset, c.bytes, c.barrier->agent, time);
    mbarrier_copied(w, c.barrier, time, c.bytes);
}

bool engine_end_load(Worker *w, uint64_t which)
{
    if (!w->engine || w->engine->nload == 0)
        return false;
    end_load(w, (int)(which % (uint64_t)w->engine->nload));
    return true;
}

EXPORT void dcgen_emu_tensor_store(const void *map, const void *smem, int rank, const int *at, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    struct Engine *e = engine(w);
    int *agent = &e->agent[w->running / LANES];
    BoxCopy c = box_copy(w, map, rank, at, smem, line, site);
    if (!*agent)
        *agent = order_agent(w);
    c.time = order_tick(w);
    c.group = e->group[w->running];
    shared_async_read(w, c.offset, c.bytes, *agent, c.time, "starts a copy that reads", site);
    e->store = array_with_room(e->store, e->nstore, &e->max_store, sizeof *e->store);
    e->store[e->nstore++] = c;
    w->fiber[w->running].nstore++;
}

EXPORT void dcgen_emu_bulk_commit(void) { engine(emu_worker)->group[emu_worker->running]++; }

EXPORT void dcgen_emu_bulk_wait_read(int keep)
{
    Worker *w = emu_worker;
    struct Engine *e = engine(w);
    int left = 0;
    for (int i = 0; i < e->nstore; i++) {
        BoxCopy c = e->store[i];
        if (c.fiber == w->running && (int64_t)c.group < (int64_t)e->group[w->running] - keep) {
            each_row(w, &c, store_row);
            order_learn(w, w->running, e->agent[w->running / LANES], c.time);
            w->fiber[w->running].nstore--;
        } else {
            e->store[left++] = c;
        }
    }
    e->nstore = left;
}

void engine_check_exit(Worker *w)
{
    if (w->fiber[w->running].nstore > 0)
        finding(w, 0, "exits before its copies to global memory have read shared memory");
    for (int i = 0; w->engine && w->at->nexited == w->nthread && i < w->engine->nload; i++)
        if (w->engine->load[i].block == w->at) {
            finding(w, w->engine->load[i].site, "exits while a copy to its shared memory is on its way");
            return;
        }
}
