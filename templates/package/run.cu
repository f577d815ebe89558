/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the package's own programs, which are C, call it on a device. */
#endif
/* ---- the device ---- */

typedef struct {
    NAME_problem problem;
    char *memory[NAME_noperand]; /* as NAME_operand.room, with space for a shift by one element */
    void *packed;                /* the constant operand as the call takes it, or NULL */
} NAME_site;

static void NAME_die(const char *what, cudaError_t code)
{
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    exit(3);
}

static char *NAME_take_device(size_t bytes)
{
    void *p = NULL;
    const cudaError_t code = cudaMalloc(&p, bytes ? bytes : 1);
    if (code != cudaSuccess)
        NAME_die("cudaMalloc", code);
    return p;
}

static void NAME_copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t code = bytes ? cudaMemcpy(to, from, bytes, kind) : cudaSuccess;
    if (code != cudaSuccess)
        NAME_die("cudaMemcpy", code);
}

/* Bytes of an operand with its canaries. */
static size_t NAME_room_bytes(const NAME_problem *p, int operand)
{
    return (size_t)p->operand[operand].span * NAME_fact[operand].bytes + 2 * NAME_canary;
}

/* What a call takes for an operand that lies `shift` elements behind the start of its memory; NULL: it has no elements. */
static void *NAME_device_address(const NAME_site *s, int operand, int shift)
{
    return s->problem.operand[operand].elems ? s->memory[operand] + NAME_canary + (size_t)shift * NAME_fact[operand].bytes : NULL;
}

/* Copies all operands to the device, the output as NaN. */
static void NAME_send(NAME_site *s, int shift)
{
    NAME_put(&s->problem, NAME_out);
    for (int k = 0; k < NAME_noperand; k++)
        if (NAME_fact[k].rank)
            NAME_copy(s->memory[k] + (size_t)shift * NAME_fact[k].bytes, s->problem.operand[k].room, NAME_room_bytes(&s->problem, k),
                      cudaMemcpyHostToDevice);
}

/* The result's error, as NAME_worst has it. */
static double NAME_fetch_worst(NAME_site *s, int shift)
{
    NAME_copy(s->problem.operand[NAME_out].room, s->memory[NAME_out] + (size_t)shift * NAME_fact[NAME_out].bytes,
              NAME_room_bytes(&s->problem, NAME_out), cudaMemcpyDeviceToHost);
    return NAME_worst(&s->problem);
}

/* Lays the operands out, as NAME_place does, with memory on the device. */
static void NAME_place_on_device(NAME_site *s, int is_apart)
{
    NAME_place(&s->problem, is_apart);
    for (int k = 0; k < NAME_noperand; k++)
        if (NAME_fact[k].rank) {
            cudaFree(s->memory[k]);
            s->memory[k] = NAME_take_device(NAME_room_bytes(&s->problem, k) + NAME_fact[k].bytes);
        }
}

static void NAME_pack_constant(NAME_site *s)
{
#if PACKED
    const size_t packed_bytes = NAME_cuda_packed_bytes(EACH(packed_axes, s->problem.extent[PLACE]));
    cudaFree(s->packed);
    s->packed = NAME_take_device(packed_bytes);
    void *nothing = NAME_take(packed_bytes); /* NaN in what the packing leaves out */
    memset(nothing, 0xff, packed_bytes);
    NAME_copy(s->packed, nothing, packed_bytes, cudaMemcpyHostToDevice);
    free(nothing);
    NAME_send(s, 0);
    if (NAME_cuda_pack(EACH(packed_axes, s->problem.extent[PLACE]), EACH(packed_operands, NAME_device_address(s, PLACE, 0)), s->packed, NULL) != PACKAGE_OK)
        NAME_die("NAME_cuda_pack", cudaGetLastError());
#else
    (void)s;
#endif
}

static NAME_site NAME_site_new(const int64_t *extent, int64_t most_terms)
{
    NAME_site s = { .problem = NAME_problem_new(extent, most_terms) };
    NAME_place_on_device(&s, 0);
    NAME_pack_constant(&s);
    return s;
}

static void NAME_site_free(NAME_site *s)
{
    for (int k = 0; k < NAME_noperand; k++)
        cudaFree(s->memory[k]);
    cudaFree(s->packed);
    NAME_problem_free(&s->problem);
}

/* The workspace grows to what any call so far needed; what is new is zeroed. */
static void *NAME_workspace(size_t bytes)
{
    static void *held;
    static size_t held_bytes;
    if (bytes > held_bytes) {
        cudaFree(held);
        held = NAME_take_device(bytes);
        held_bytes = bytes;
        if (PACKAGE_cuda_workspace_clear(held, bytes, NULL) != PACKAGE_OK)
            NAME_die("PACKAGE_cuda_workspace_clear", cudaGetLastError());
    }
    return bytes ? held : NULL;
}

static size_t NAME_needs(const NAME_site *s, const PACKAGE_exec *exec)
{
    return NAME_cuda_workspace_bytes(EACH(axes, s->problem.extent[PLACE]), exec);
}

#define NAME_ARGUMENTS EACH(axes, s->problem.extent[PLACE]) \
//@ repeat operands
#if IS_CONSTANT && PACKED
    , s->packed \
#else
    , NAME_device_address(s, PLACE, shift) \
#endif
#if IS_STRIDED
    , s->problem.is_apart ? s->problem.operand[PLACE].stride : NULL \
#endif
//@ end

/* The call itself, on this workspace. A plan's counters are at its beginning, too; its scratch memory is the end of it. */
static int NAME_start_on(const NAME_site *s, const PACKAGE_exec *exec, int shift, void *work, cudaStream_t stream)
{
    if (!s->problem.is_planned)
        return NAME_cuda(NAME_ARGUMENTS, work, exec, stream);
    NAME_cuda_plan plan;
    const int code = NAME_cuda_prepare(NAME_ARGUMENTS, exec, &plan);
    if (code != PACKAGE_OK)
        return code;
    const size_t at = plan.scratch_bytes ? (NAME_needs(s, exec) - plan.scratch_bytes) / 16 * 16 : 0;
    return NAME_cuda_execute(&plan, plan.scratch_bytes ? (char *)work + at : NULL, work, stream);
}

static int NAME_start(const NAME_site *s, const PACKAGE_exec *exec, int shift, cudaStream_t stream)
{
    return NAME_start_on(s, exec, shift, NAME_workspace(NAME_needs(s, exec)), stream);
}
