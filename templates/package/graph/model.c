/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * The model: where its tensors lie, and its nodes, a call each.
 */
#include "PACKAGE_model.h"

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

/* Finds the weight of that name in an open file, of which PACKAGE_weights tells type and extents. */
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
    return found;
}

/* Packs one more weight behind the others, which take *used bytes. memory NULL: only counts. */
#define PACKAGE_PACK(number, need, call) \
    do { \
        void *const packed = memory ? (char *)memory + used : NULL; \
        used += ((need) + 63) / 64 * 64; \
        if (memory) { \
            model->packed[number] = packed; \
            code = (call); \
            if (code != PACKAGE_OK) \
                return code; \
        } \
    } while (0)

static int PACKAGE_pack_all(PACKAGE_model *model, void *memory, size_t *bytes)
{
    size_t used = 0;
    int code = PACKAGE_OK;
    (void)model, (void)memory, (void)code;
//@ repeat packed
    PACKAGE_PACK(NUMBER, CALL_packed_bytes(PACK_SIZES), CALL_pack(PACK_SIZES, PACK_FROM, packed)); /* PACK_DOC */
//@ end
    *bytes = used;
    return PACKAGE_OK;
}

size_t PACKAGE_model_bytes(void)
{
    size_t bytes;
    PACKAGE_pack_all(NULL, NULL, &bytes);
    return bytes;
}

int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory)
{
    size_t bytes;
    for (int i = 0; i < NCONSTANT; i++) {
        const PACKAGE_weight *w = &PACKAGE_weights[i];
        size_t need = PACKAGE_type_bytes(w->type);
        for (int k = 0; k < w->rank; k++)
            need *= (size_t)w->extent[k];
        model->constant[i] = find(ctx, w->name, need);
        if (!model->constant[i] && need)
            return PACKAGE_BAD_WEIGHTS;
    }
    if (!memory && PACKAGE_model_bytes())
        return PACKAGE_BAD_POINTER;
    return PACKAGE_pack_all(model, memory, &bytes);
}

int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory)
{
    PACKAGE_file f;
    return file && PACKAGE_open(&f, file, bytes) ? PACKAGE_load_from(model, PACKAGE_find, &f, memory) : PACKAGE_BAD_WEIGHTS;
}

/* ---- sizes ---- */

/* PACKAGE_OK: a call may have these dims. */
static int PACKAGE_check(const PACKAGE_dims *dims)
{
    const int64_t DIM = dims->DIM; //@ repeat dims
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

/* Where the slots of the workspace begin, in bytes; all together they have as many as this gives. Tensors share a slot, or slots share memory, where
 * they do not hold anything at the same time. */
static size_t PACKAGE_lay_out(const PACKAGE_dims *dims, int64_t *at)
{
    const int64_t DIM = dims->DIM; //@ repeat dims
    int64_t end[PACKAGE_nslot + 1] = { 0 }, all = 0;
    (void)dims, (void)at;
    (void)DIM; //@ repeat dims
//@ repeat slots
    end[NUMBER] = (at[NUMBER] = SLOT_AT) + SLOT_BYTES; /* SLOT_DOC */
//@ end
    for (int i = 0; i < PACKAGE_nslot; i++)
        all = PACKAGE_max(all, end[i]);
    return (size_t)all;
}

/* Scratch memory of the node that needs most. */
static size_t PACKAGE_scratch_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec)
{
    const int64_t DIM = dims->DIM; //@ repeat dims
    size_t most = 0, need;
    (void)dims;
    (void)DIM; //@ repeat dims
//@ repeat calls
    need = CALL_workspace_bytes(CALL_SIZES, exec);
    most = need > most ? need : most;
//@ end
    return most;
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
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec)
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
    char *const memory = workspace;
    void *const scratch = memory + PACKAGE_lay_out(dims, slot);

    const int64_t DIM = dims->DIM; //@ repeat dims
    (void)DIM; //@ repeat dims
#if NINPUT
    const TENSOR_TYPE *const TENSOR = inputs->MEMBER; //@ repeat read_inputs
#endif
#if NSTATE
    TENSOR_TYPE *const TENSOR = state->MEMBER; //@ repeat read_states
#endif
    TENSOR_TYPE *const TENSOR = outputs->MEMBER; //@ repeat read_outputs
    const TENSOR_TYPE *const TENSOR = model->constant[PLACE]; //@ repeat read_constants
    TENSOR_TYPE *const TENSOR = (TENSOR_TYPE *)(memory + slot[SLOT]); //@ repeat inner

//@ repeat nodes
    /* NODE_COMMENT */
    NODE(NUMBER, CALL(NODE_SIZES, NODE_OPERANDS, scratch, exec));
//@ end
    PACKAGE_watched(exec, NNODE);
    return PACKAGE_OK;
}
