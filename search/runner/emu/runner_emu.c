/* SPDX-License-Identifier: Apache-2.0
 *
 * dcgen-runner-emu: verifies CUDA kernels for dcgen without a GPU, by the protocol of protocol.md. It takes no times.
 *
 *     dcgen-runner-emu [--targets DIR]
 *
 * A kernel is called twice: on operands that are aligned to 16 bytes and more, then on operands that are aligned to
 * their element only, or to what it needs, with scratch memory and counters as the first call left them.
 */
#include "search/runner/serve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/json.h"
#include "search/runner/emu/emu.h"

enum { NAN_BYTE = 0xff, MEMORY_ALIGN = 256, WORD_BYTES = 4 };
static const size_t default_smem_limit = 232448; /* that of sm_90, the largest there is */

static Emu emu;

/* What the emulator finds does not depend on the machine: its device is the same everywhere. */
static json_t *hello_fields(Arena *a, const char **err)
{
    TargetList list = { 0 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    Device d = { .id = "emulator", .name = "CUDA emulator", .arch = "cuda", .cores = cores < 1 ? 1 : (int)cores };
    d.l1_bytes = (int64_t)default_smem_limit;
    if (!facts_targets(a, &list, err))
        return NULL;
    for (int i = 0; i < list.n && d.nisa < DEVICE_MAX_ISA; i++)
        if (!list.t[i].same_code && target_number(&list.t[i], "SM_ARCH") > 0)
            d.isa[d.nisa++] = list.t[i].name;
    return json_pack("{s:o}", "device", facts_json(&d));
}

static size_t smem_limit_of(int64_t wanted) { return wanted > 0 ? (size_t)wanted : default_smem_limit; }

static bool open_work(Work *w, char why[WHY_BYTES])
{
    enum { PADDING = 256 };
    const Shape *s = w->shape;
    /* More accesses than any block of a sane kernel makes: the whole call's, every extent padded by a large tile. */
    const double all =
        4.0 * ((double)s->rows + PADDING) * ((double)s->row_elems + PADDING) * ((double)s->terms + PADDING);
    emu = (Emu){ .workers = w->timing.threads, .smem_limit = smem_limit_of(w->smem_limit) };
    emu.block_budget = all < 0x1p62 ? (int64_t)all : INT64_MAX;
    (void)why;
    return true;
}

static bool no_memory; /* a region of the call at hand could not be added */

static void add_region(EmuRole role, const char *name, const Guarded *g, size_t elem_bytes)
{
    no_memory |= !emu_add_region(&emu, role, name, g->data, g->bytes, (unsigned)elem_bytes);
}

static int launch_on_regions(const Kernel *k, const int64_t *extent, void *const *operand, const Place *p)
{
    add_region(EMU_SCRATCH, "the scratch memory", &p->scratch, WORD_BYTES);
    add_region(EMU_COUNTERS, "the counters", &p->counters, WORD_BYTES);
    emu_begin(&emu);
    const int code = no_memory ? 0 : k->launch(extent, operand, p->scratch.data, p->counters.data, NULL);
    emu_end(&emu);
    return code;
}

/* Sets status and why by what the call returned and the emulator found. True: all was right. */
static bool judge_call(Kernel *k, int code)
{
    char text[EMU_TEXT_BYTES];
    if (no_memory) {
        no_memory = false;
        return kernel_fail(k, STATUS_INVALID, "no memory to emulate it");
    }
    if (emu.nfinding > 0) {
        emu_describe(&emu.finding[0], text);
        return kernel_fail(k, STATUS_WRONG, "%s", text);
    }
    if (emu.refusal[0])
        return kernel_fail(k, STATUS_INVALID, "%s (%d)", emu.refusal, code);
    return kernel_accepts(k, code);
}

static json_t *facts_of(const EmuCounts *c)
{
    return JSON_OBJECT(FIELD("sectors_read", c->sectors_read), FIELD("sectors_written", c->sectors_written),
                       FIELD("wavefronts", c->wavefronts), FIELD("conflicts", c->conflicts),
                       FIELD("barriers", c->barriers), FIELD("collectives", c->collectives), FIELD("blocks", c->blocks),
                       FIELD("threads", c->threads), FIELD("smem_bytes", c->smem_bytes));
}

static bool call_and_check(Kernel *k, const Setup *setup, Shape *s, const Place *p)
{
    void *pointer[OP_MAX_OPERAND];
    char name[64];
    for (int i = 0; i < setup->noperand; i++) {
        snprintf(name, sizeof name, "operand %d (%s)", i, setup->name[i]);
        const EmuRole role = setup->role[i] != ROLE_OUT ? EMU_INPUT : setup->reads_out ? EMU_IN_OUT : EMU_OUTPUT;
        add_region(role, name, &p->operand[i], setup->stored[i]->bytes);
    }
    if (p->packed.data)
        add_region(EMU_INPUT, "the packed operand", &p->packed, setup->stored[setup->constant]->bytes);
    place_pointers(p, setup, pointer);
    return judge_call(k, launch_on_regions(k, s->extent, pointer, p)) && kernel_check_traces(k, setup, s, p) &&
           kernel_check_output(k, setup, s, p->operand[setup->out].data);
}

static size_t packed_elem_bytes(const Setup *setup)
{
    size_t most = 0;
    for (int i = 0; i < setup->noperand; i++)
        if (setup->role[i] == ROLE_CONST && setup->stored[i]->bytes > most)
            most = setup->stored[i]->bytes;
    return most;
}

/* How far behind a multiple of a page an operand begins that is as little aligned as the kernel allows. */
static size_t shift_of(const Kernel *k, size_t elem_bytes)
{
    return (size_t)k->aligned > elem_bytes ? (size_t)k->aligned : elem_bytes;
}

/* Makes the operands and room for the packed one, on multiples of a page or a little behind. False: no memory. */
static bool place_new(Place *p, const Kernel *k, const Setup *setup, const Shape *s, bool aligned)
{
    for (int i = 0; i < setup->noperand; i++) {
        if (!guarded_new_at(&p->operand[i], s->bytes[i], aligned ? 0 : shift_of(k, setup->stored[i]->bytes)))
            return false;
        operand_put(&p->operand[i], setup, s, i);
    }
    const size_t offset = aligned || !k->pack ? 0 : shift_of(k, packed_elem_bytes(setup));
    return guarded_new_at(&p->packed, (size_t)k->packed_size, offset);
}

static bool call_at(Kernel *k, const Setup *setup, Shape *s, const Place *memory, bool aligned)
{
    Place p = *memory;
    const bool good =
        (place_new(&p, k, setup, s, aligned) || kernel_fail(k, STATUS_INVALID, "no memory for the operands")) &&
        (!k->pack || kernel_pack(k, setup, s, &p)) && call_and_check(k, setup, s, &p);
    p.scratch = p.counters = (Guarded){ 0 }; /* another call needs them as this one left them */
    place_free(&p);
    return good;
}

static bool memory_new(Place *p, const Kernel *k)
{
    if (!guarded_new(&p->scratch, (size_t)k->scratch_bytes, MEMORY_ALIGN, SIDE_START) ||
        !guarded_new(&p->counters, (size_t)k->counter_bytes, MEMORY_ALIGN, SIDE_START))
        return false;
    if (p->scratch.data)
        memset(p->scratch.data, NAN_BYTE, p->scratch.bytes);
    if (p->counters.data)
        memset(p->counters.data, 0, p->counters.bytes);
    return true;
}

static bool verify(Work *w, int i)
{
    Kernel *k = &w->kernel[i];
    Place memory = { 0 };
    if (!kernel_load(k, "dcgen_launch") || !kernel_sizes(k, w->setup, w->shape, 1))
        return false;
    if (!memory_new(&memory, k)) {
        place_free(&memory);
        return kernel_fail(k, STATUS_INVALID, "no memory for %lld bytes of scratch memory and counters",
                           (long long)(k->scratch_bytes + k->counter_bytes));
    }
    emu.count = w->count;
    bool good = call_at(k, w->setup, w->shape, &memory, true);
    if (good && w->count)
        k->more = JSON_OBJECT(FIELD("facts", facts_of(&emu.counts)));
    emu.count = false;
    good = good && call_at(k, w->setup, w->shape, &memory, false);
    place_free(&memory);
    return good;
}

/* ---- a call by itself */

/* Makes the call on these buffers; one worker executes its blocks, always in the same order. */
static bool call_on(Call *c, const Place *p)
{
    void *const operand[OP_MAX_OPERAND] = { p->operand[0].data, p->operand[1].data };
    memcpy(operand[0], c->in, c->in_bytes);
    memset(operand[1], NAN_BYTE, c->out_bytes);
    emu = (Emu){ .workers = 1, .smem_limit = smem_limit_of(c->smem_limit), .block_budget = (int64_t)1 << 30 };
    add_region(EMU_INPUT, "in", &p->operand[0], WORD_BYTES);
    add_region(EMU_OUTPUT, "out", &p->operand[1], WORD_BYTES);
    const int code = launch_on_regions(&c->kernel, c->extent, operand, p);
    memcpy(c->out, operand[1], c->out_bytes);
    if (emu.nfinding == 0 && code == 0) /* a launch that was refused is the object's to judge */
        emu.refusal[0] = '\0';
    return judge_call(&c->kernel, code);
}

static bool call_once(Call *c)
{
    Place p = { 0 };
    const bool memory = guarded_new_at(&p.operand[0], c->in_bytes, 0) &&
                        guarded_new_at(&p.operand[1], c->out_bytes, 0) && memory_new(&p, &c->kernel);
    const bool good = memory ? call_on(c, &p) : kernel_fail(&c->kernel, STATUS_INVALID, "no memory");
    place_free(&p);
    return good;
}

int main(int argc, char **argv)
{
    static const Engine engine = { .program = "dcgen-runner-emu",
                                   .runner = "emu",
                                   .hello = hello_fields,
                                   .open = open_work,
                                   .verify = verify,
                                   .end = emu_free,
                                   .call = call_once };
    return serve_main(&engine, argc, argv);
}
