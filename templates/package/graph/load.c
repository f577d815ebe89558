/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Loads the weights of a model for CPUs: those that nodes read as they are stay where they are, and others are packed in memory of the caller's. */
#endif
#if NCONSTANT
/* Weights on their way. */
typedef struct {
    const void *(*find)(void *ctx, const char *name, size_t bytes);
    void *ctx;
    PACKAGE_model *model;
    int code; /* of what went wrong */
} PACKAGE_loading;

static const void *PACKAGE_weight_there(PACKAGE_loading *l, int weight)
{
    const PACKAGE_weight *w = &PACKAGE_weights[weight];
    size_t need = PACKAGE_type_bytes(w->type);
    for (int k = 0; k < w->rank; k++)
        need *= (size_t)w->extent[k];
    const void *const stays = l->model->constant[weight], *const found = stays ? stays : l->find(l->ctx, w->name, need);
    if (!found && need)
        l->code = PACKAGE_BAD_WEIGHTS;
    return found;
}

#endif
#if NPACKED
/* Packs one more weight behind the others, which take `used` bytes so far. l NULL: only counts. */
#define PACKAGE_PACK(number, need, call) \
    do { \
        if (l && l->code == PACKAGE_OK) { \
            void *const packed = memory + used; \
            l->model->packed[number] = packed; \
            const int code = (call); \
            l->code = l->code == PACKAGE_OK ? code : l->code; \
        } \
        used += ((need) + 63) / 64 * 64; \
    } while (0)

static size_t PACKAGE_pack_all(PACKAGE_loading *l, char *memory)
{
    size_t used = 0;
//@ repeat packed
    PACKAGE_PACK(NUMBER, CALL_packed_bytes(PACK_SIZES), CALL_pack(PACK_SIZES, EACH(pack_from, PACKAGE_weight_there(l, PLACE)), packed)); /* PACK_DOC */
//@ end
    return used;
}

size_t PACKAGE_model_bytes(void) { return PACKAGE_pack_all(NULL, NULL); }
#else
size_t PACKAGE_model_bytes(void) { return 0; }
#endif

int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory)
{
    memset(model, 0, sizeof *model);
    if (!memory && PACKAGE_model_bytes())
        return PACKAGE_BAD_POINTER;
#if NCONSTANT
    PACKAGE_loading l = { .find = find, .ctx = ctx, .model = model, .code = PACKAGE_OK };
    model->constant[PLACE] = PACKAGE_weight_there(&l, PLACE); //@ repeat read_constants
#if NPACKED
    PACKAGE_pack_all(&l, memory);
#endif
    return l.code;
#else
    (void)find, (void)ctx;
    return PACKAGE_OK;
#endif
}

int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory)
{
    PACKAGE_file f;
    return file && PACKAGE_open(&f, file, bytes) ? PACKAGE_load_from(model, PACKAGE_find, &f, memory) : PACKAGE_BAD_WEIGHTS;
}
