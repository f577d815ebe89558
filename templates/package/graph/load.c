/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Loads the weights of a model for CPUs: they stay where they are, and those that are packed are so in memory of the caller's. */
#endif
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
    PACKAGE_PACK(NUMBER, CALL_packed_bytes(PACK_SIZES), CALL_pack(PACK_SIZES, EACH(pack_from, model->constant[PLACE]), packed)); /* PACK_DOC */
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
