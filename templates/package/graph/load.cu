/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Loads the weights of a model for GPUs: they are copied to the device once, and packed there where nodes take them so. */
#endif
/* Weights on their way to the device. */
typedef struct {
    const void *given[NCONSTANT_ROOM]; /* where find has them */
    PACKAGE_model *model;
    char *room; /* for those that are packed and read by nobody else: of one node at a time */
    size_t used;
    struct CUstream_st *stream;
    int code; /* of what went wrong */
} PACKAGE_loading;

static size_t PACKAGE_weight_bytes(const PACKAGE_weight *w)
{
    size_t bytes = PACKAGE_type_bytes(w->type);
    for (int k = 0; k < w->rank; k++)
        bytes *= (size_t)w->extent[k];
    return bytes;
}

#if NCONSTANT
static size_t PACKAGE_aligned_bytes(size_t bytes) { return (bytes + 255) / 256 * 256; }

static void PACKAGE_send_weight(PACKAGE_loading *l, int weight, void *to)
{
    const size_t bytes = PACKAGE_weight_bytes(&PACKAGE_weights[weight]);
    if (bytes && cudaMemcpyAsync(to, l->given[weight], bytes, cudaMemcpyDefault, l->stream) != cudaSuccess)
        l->code = PACKAGE_CUDA_ERROR;
}

/* Copies one more weight behind what takes `used` bytes so far. l NULL: only counts, here and below. */
#define PACKAGE_COPY(number) \
    do { \
        if (l) { \
            l->model->constant[number] = memory + used; \
            PACKAGE_send_weight(l, number, memory + used); \
        } \
        used += PACKAGE_aligned_bytes(PACKAGE_weight_bytes(&PACKAGE_weights[number])); \
    } while (0)

#endif
#if NPACKED
/* Where on the device a weight is that is to be packed. */
static const void *PACKAGE_weight_there(PACKAGE_loading *l, int weight)
{
    if (l->model->constant[weight])
        return l->model->constant[weight];
    void *const to = l->room + l->used;
    l->used += PACKAGE_aligned_bytes(PACKAGE_weight_bytes(&PACKAGE_weights[weight]));
    PACKAGE_send_weight(l, weight, to);
    return to;
}

/* Packs one more. */
#define PACKAGE_PACK(number, need, call) \
    do { \
        if (l) { \
            void *const packed = memory + used; \
            l->model->packed[number] = packed; \
            l->used = 0; \
            const int code = (call); \
            l->code = l->code == PACKAGE_OK ? code : l->code; \
        } \
        used += PACKAGE_aligned_bytes(need); \
    } while (0)

#endif
/* The bytes of all that lies in memory. */
static size_t PACKAGE_load_all(PACKAGE_loading *l, char *memory)
{
    size_t used = ROOM_BYTES; /* first the room for those that are on their way to be packed */
    PACKAGE_COPY(PLACE); /* TENSOR_DOC */ //@ repeat read_constants
//@ repeat packed
    /* PACK_DOC */
    PACKAGE_PACK(NUMBER, CALL_packed_bytes(PACK_SIZES), CALL_pack(PACK_SIZES, EACH(pack_from, PACKAGE_weight_there(l, PLACE)), packed, l->stream));
//@ end
    (void)l, (void)memory;
    return used;
}

size_t PACKAGE_model_bytes(void) { return PACKAGE_load_all(NULL, NULL); }

int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory,
                      struct CUstream_st *stream)
{
    PACKAGE_loading l = { .model = model, .room = memory, .stream = stream, .code = PACKAGE_OK };
    memset(model, 0, sizeof *model);
    for (int i = 0; i < NCONSTANT; i++) {
        const size_t need = PACKAGE_weight_bytes(&PACKAGE_weights[i]);
        l.given[i] = find(ctx, PACKAGE_weights[i].name, need);
        if (!l.given[i] && need)
            return PACKAGE_BAD_WEIGHTS;
    }
    if (!memory && PACKAGE_model_bytes())
        return PACKAGE_BAD_POINTER;
    PACKAGE_load_all(&l, memory);
    return l.code;
}

int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory, struct CUstream_st *stream)
{
    PACKAGE_file f;
    return file && PACKAGE_open(&f, file, bytes) ? PACKAGE_load_from(model, PACKAGE_find, &f, memory, stream) : PACKAGE_BAD_WEIGHTS;
}
