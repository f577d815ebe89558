/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_safetensors: any bytes as a safetensors file. Tensors that are read lie within it, one behind the other, and
 * have as many bytes as their extents say.
 */
#include "gen/import/safetensors.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *err = NULL, *bytes = fuzz_source(a, "", data, size)->text;
    const SafeTensors *all = safetensors_read(a, bytes, size, &err);
    REQUIRE(!all == (err != NULL));
    size_t sum = 0;
    for (int i = 0; all && i < all->n; i++) {
        const SafeTensor *t = &all->tensor[i];
        int64_t count, n;
        REQUIRE(t->rank >= 0 && t->rank <= SAFETENSORS_MAX_RANK && elements[t->type].safetensors && t->name);
        REQUIRE(element_count(t->dim, t->rank, &count) && element_bytes(t->type, count, &n) && t->bytes == (size_t)n);
        REQUIRE((const char *)t->data >= bytes + 8 && (const char *)t->data + t->bytes <= bytes + size);
        REQUIRE(i == 0 || t->data == (const char *)all->tensor[i - 1].data + all->tensor[i - 1].bytes);
        sum += t->bytes;
    }
    REQUIRE(!all || (size >= 8 + sum && memcmp(bytes + size - sum, all->n ? all->tensor[0].data : "", sum) == 0));
    arena_free(a);
    return 0;
}
