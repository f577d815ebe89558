/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * The model: where its tensors lie, and its nodes, a call each.
 */
#include "PACKAGE_model.h"

#if FAMILY_CUDA
#include <cuda_runtime_api.h>
#endif
#if MOST_BESIDE
#include "pieces.h"

#include <stdatomic.h>
#endif
#include <string.h>

//@ arithmetic

/* ---- weights ---- */

static const PACKAGE_weight PACKAGE_weights[] = {
    { WEIGHT_NAME, "WEIGHT_TYPE", RANK, { WEIGHT_EXTENTS }, STAYS }, //@ repeat weights
#if NCONSTANT == 0
    { NULL, NULL, 0, { 0 }, 0 },
#endif
};

const PACKAGE_weight *PACKAGE_weight_at(int weight) { return weight >= 0 && weight < NCONSTANT ? &PACKAGE_weights[weight] : NULL; }

//@ safetensors

/* Finds the weight of that name in an open file, of which PACKAGE_weights tells type and extents. NULL: there is none. */
static const void *PACKAGE_find(void *ctx, const char *name, size_t bytes)
{
    PACKAGE_file f = *(const PACKAGE_file *)ctx;
    const PACKAGE_weight *w = PACKAGE_weights;
    uint64_t extent[MOST_RANK] = { 0 };
    (void)bytes;
    while (w->name != name)
        w++;
    const void *found = PACKAGE_seek(&f, name) ? PACKAGE_tensor(&f, w->type, w->rank, extent) : NULL;
    for (int k = 0; k < w->rank; k++)
        found = extent[k] == (uint64_t)w->extent[k] ? found : NULL;
#if FAMILY_CPU
    found = (uintptr_t)found % PACKAGE_type_bytes(w->type) ? NULL : found; /* what compilers need not read rightly */
#endif
    return found;
}

//@ load

#if MOST_BESIDE
/* ---- nodes that run at the same time ---- */

//@ beside

//@ together

#endif
/* ---- sizes ---- */

/* PACKAGE_OK: a call may have these dims. */
static int PACKAGE_check(const PACKAGE_dims *dims)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)dims;
//@ repeat dims
    if (DIM < DIM_LEAST || DIM > DIM_MOST)
        return PACKAGE_BAD_SIZE;
//@ end
//@ repeat conditions
    if (!(CONDITION))
        return BAD_NAME; /* CONDITION_DOC */
//@ end
    return PACKAGE_OK;
}

enum { PACKAGE_nslot = NSLOT };

//@ repeat orders
/* Places the slots of the workspace, whose sizes are given, and gives the bytes that they have all together. */
static int64_t PACKAGE_place_NUMBER(const int64_t *size, int64_t *at)
{
    int64_t all = 0;
    at[PLACED] = SLOT_AT; //@ repeat slot_places
    for (int i = 0; i < PACKAGE_nslot; i++)
        all = PACKAGE_max(all, at[i] + size[i]);
    return all;
}

//@ end
static void PACKAGE_slot_bytes(const PACKAGE_dims *dims, int64_t *size)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)dims, (void)size;
    (void)DIM; //@ repeat dims
    size[NUMBER] = SLOT_BYTES; /* SLOT_DOC */ //@ repeat slots
}

/* Where the slots of the workspace begin, in bytes; all together they have as many as this gives. Tensors share a slot, or slots share memory, where
 * they do not hold anything at the same time. */
static size_t PACKAGE_lay_out(const PACKAGE_dims *dims, int64_t *at)
{
    int64_t size[PACKAGE_nslot + 1] = { 0 };
    PACKAGE_slot_bytes(dims, size);
    int64_t all = PACKAGE_place_0(size, at);
#if NORDER > 1
    /* No order of slots is best for all dims: of several the one that needs fewest bytes. */
    static int64_t (*const others[])(const int64_t *, int64_t *) = {
        PACKAGE_place_NUMBER, //@ repeat orders
    };
    for (int i = 1; i < NORDER; i++) {
        int64_t other[PACKAGE_nslot];
        const int64_t bytes = others[i](size, other);
        if (bytes < all) {
            all = bytes;
            memcpy(at, other, sizeof other);
        }
    }
#endif
    return (size_t)all;
}

#if FAMILY_CUDA
/* What workspaces of all functions begin with: counters, which every call leaves zero. */
enum { PACKAGE_counter_bytes = 16384 };

/* Bytes of the workspace that nodes have one after the other: counters, and scratch memory of the node that needs most. */
static size_t PACKAGE_scratch_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    size_t most = PACKAGE_counter_bytes, need = 0;
    (void)dims, (void)exec, (void)need;
#else
/* Scratch memory of the node that needs most, or of those that run at the same time. */
static size_t PACKAGE_scratch_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec)
{
    const int64_t DIM = dims->MEMBER; //@ repeat dims
    size_t most = 0, need;
    (void)dims;
#endif
    (void)DIM; //@ repeat dims
//@ repeat calls
#if FAMILY_CPU || NEEDS_SCRATCH
    need = CALL_workspace_bytes(CALL_SIZES, exec);
    most = need > most ? need : most;
#endif
//@ end
#if MOST_BESIDE
    PACKAGE_exec alone = exec ? *exec : (PACKAGE_exec){ 0 };
    alone.threads = 1;
//@ repeat nodes
#if IS_BESIDE
#if BESIDE_PLACE == 0
    need = 0;
#endif
    need += (CALL_workspace_bytes(NODE_SIZES, &alone) + 63) / 64 * 64;
#if ENDS_BESIDE
    most = need > most && PACKAGE_may_share(exec) ? need : most;
#endif
#endif
//@ end
#endif
#if FAMILY_CUDA
    return (most + 255) / 256 * 256;
#else
    return most;
#endif
}

size_t PACKAGE_run_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec)
{
    int64_t at[PACKAGE_nslot + 1];
    if (!dims || PACKAGE_check(dims) != PACKAGE_OK)
        return 0;
    const size_t bytes = PACKAGE_lay_out(dims, at) + PACKAGE_scratch_bytes(dims, exec);
    return bytes ? bytes : 64; /* 0 would be an error */
}

/* ---- the model ---- */

static const char *const PACKAGE_names[] = {
    NODE_NAME, //@ repeat nodes
};

const char *PACKAGE_node_name(int node) { return node >= 0 && node < NNODE ? PACKAGE_names[node] : NULL; }

/* Before each node, and with NNODE behind the last one. */
static inline void PACKAGE_watched(const PACKAGE_exec *exec, int node)
{
    if (exec && exec->watch)
        exec->watch(exec->watch_ctx, node);
}

#define NODE(number, call) \
    do { \
        PACKAGE_watched(exec, number); \
        code = (call); \
        if (code != PACKAGE_OK) \
            return code; \
    } while (0)

#define STRIDES(...) (const int64_t[]){ __VA_ARGS__ }

int PACKAGE_run(const PACKAGE_model *model, const PACKAGE_dims *dims,
#if NINPUT
                const PACKAGE_inputs *inputs,
#endif
#if NSTATE
                const PACKAGE_state *state,
#endif
#if FAMILY_CUDA
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec, struct CUstream_st *stream)
#else
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec)
#endif
{
    int64_t slot[PACKAGE_nslot + 1];
    if (!model || !dims || !outputs || !workspace)
        return PACKAGE_BAD_POINTER;
#if NINPUT
    if (!inputs)
        return PACKAGE_BAD_POINTER;
#endif
#if NSTATE
    if (!state)
        return PACKAGE_BAD_POINTER;
#endif
    int code = PACKAGE_check(dims);
    if (code != PACKAGE_OK)
        return code;
#if FAMILY_CUDA
    /* Counters must be zero, and no tensor may ever lie where they are: they come first, whatever the dims. */
    void *const scratch = workspace;
    char *const memory = (char *)workspace + PACKAGE_scratch_bytes(dims, exec);
    (void)memory;
    PACKAGE_lay_out(dims, slot);
#else
    char *const memory = workspace;
    void *const scratch = memory + PACKAGE_lay_out(dims, slot);
#endif

    const int64_t DIM = dims->MEMBER; //@ repeat dims
    (void)DIM; //@ repeat dims
#if NINPUT
    const TENSOR_TYPE *const TENSOR = inputs->MEMBER; //@ repeat read_inputs
#endif
#if NSTATE
    TENSOR_TYPE *const TENSOR = state->MEMBER; //@ repeat read_states
#endif
    TENSOR_TYPE *const TENSOR = outputs->MEMBER; //@ repeat read_outputs
    const TENSOR_TYPE *const TENSOR = model->constant[PLACE]; //@ repeat read_constants
//@ repeat given
    if (IS_MISSING)
        return PACKAGE_BAD_POINTER;
//@ end
    TENSOR_TYPE *const TENSOR = (TENSOR_TYPE *)(memory + slot[SLOT]); //@ repeat inner

#if MOST_BESIDE
    PACKAGE_group group;
#endif
//@ repeat nodes
#if IS_BESIDE && BESIDE_PLACE == 0

    /* The next BESIDE_COUNT nodes do not depend on each other: small ones run at the same time. */
    PACKAGE_begin_group(&group, exec, (const PACKAGE_work[]){ EACH(beside, { NODE_FLOPS, NODE_BYTES }) }, BESIDE_COUNT, scratch);
#endif
    /* NODE_COMMENT */
#if IS_BESIDE
    BESIDE(NUMBER, BESIDE_PLACE, CALL, NODE_SIZES, NODE_OPERANDS);
#else
    NODE(NUMBER, CALL(NODE_SIZES, NODE_OPERANDS, scratch, CALL_WITH));
#endif
#if IS_BESIDE && ENDS_BESIDE
    code = PACKAGE_end_group(&group, exec);
    if (code != PACKAGE_OK)
        return code;

#endif
//@ end
    PACKAGE_watched(exec, NNODE);
    return PACKAGE_OK;
}
