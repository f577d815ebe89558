/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_import: any bytes as a model that becomes a spec. It is written, or there are errors; what is written is a text
 * of settings that can be read, and weights that lie within their file. The time is bounded.
 */
#include <time.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/import/lower.h"
#include "gen/import/safetensors.h"
#include "tests/fuzz/fuzz.h"

static char folder[64];

static void remove_folder(void)
{
    char path[128];
    static const char *const file[] = { "fuzz.cfg", "fuzz.safetensors" };
    for (size_t i = 0; i < LENGTH(file); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void make_folder(void)
{
    if (*folder)
        return;
    snprintf(folder, sizeof folder, "%s/dcgen-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    REQUIRE(mkdtemp(folder));
    atexit(remove_folder);
}

/* The spec is one text that people and libconfig read, whatever the model's names are made of. */
static void check_written(Arena *a)
{
    Diag *d = diag_new(a);
    const Source *src = conf_source(a, arena_printf(a, "%s/fuzz.cfg", folder), d);
    const bool is_large = !src; /* beyond what specs may have */
    const Conf *c = src ? conf_parse(a, src, 0, src->len, d) : NULL;
    REQUIRE(is_large || c);
    for (size_t i = 0; src && i < src->len; i++)
        REQUIRE(src->text[i] == '\n' || (unsigned char)src->text[i] >= 0x20);
    REQUIRE(!c || (conf_member(c->root, "functions") && conf_member(c->root, "graph")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TextList dims = { 0 };
    const char *err = NULL;
    make_folder();
    text_list_add(a, &dims, "batch=B:1..3");
    text_list_add(a, &dims, "N=T:1..40");
    OnnxModel *m = onnx_read(a, fuzz_file(data, size), d);
    Lower *l = m ? lower_model(a, m, &dims, false, d) : NULL;
    REQUIRE(l || diag_nerror(d) > 0);
    if (l) {
        const bool ok = write_model(l, "fuzz", folder, &err);
        REQUIRE(ok || err || diag_nerror(d) > 0);
        if (ok)
            check_written(a);
    }
    FILE *out = fopen("/dev/null", "w");
    REQUIRE(out);
    diag_print(d, out);
    fclose(out);
    onnx_close(m);
    arena_free(a);
    return 0;
}
