/* SPDX-License-Identifier: Apache-2.0
 *
 * call: maps the input file, loads the object, and writes the output to its file.
 */
#include "search/runner/call.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_BYTES = 1 << 30, PIECE_BYTES = 1 << 20 };

/* All bytes of a file; false: it cannot be read, is empty or too long, or there is no memory. */
static bool read_file(const char *path, void **data, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    size_t got = 1;
    while (f && got > 0 && *bytes <= MAX_BYTES) {
        char *more = realloc(*data, *bytes + PIECE_BYTES);
        if (!more)
            break;
        *data = more;
        got = fread(more + *bytes, 1, PIECE_BYTES, f);
        *bytes += got;
    }
    const bool good = f && got == 0 && !ferror(f) && *bytes > 0;
    if (f)
        fclose(f);
    return good;
}

const char *call_open(Call *c, const char *in, int64_t out_bytes)
{
    c->kernel.key = c->kernel.so;
    if (out_bytes < 1 || out_bytes > MAX_BYTES)
        return "bad out_bytes";
    if (!read_file(in, &c->in, &c->in_bytes))
        return "the file in cannot be read, or is empty or too long";
    c->out_bytes = (size_t)out_bytes;
    c->out = malloc(c->out_bytes);
    return c->out ? NULL : "no memory";
}

bool call_load(Call *c)
{
    Kernel *k = &c->kernel;
    if (!kernel_load(k, "dcgen_launch"))
        return false;
    k->workspace_bytes = k->workspace ? k->workspace(c->extent) : 0;
    if (k->workspace_bytes >= 0 && k->workspace_bytes <= MAX_BYTES)
        return true;
    return kernel_fail(k, STATUS_INVALID, "wants %lld bytes of workspace", (long long)k->workspace_bytes);
}

const char *call_keep(const Call *c)
{
    FILE *f = fopen(c->out_path, "wb");
    const bool written = f && fwrite(c->out, 1, c->out_bytes, f) == c->out_bytes;
    return (f && fclose(f) != 0) || !written ? "the file out cannot be written" : NULL;
}

void call_close(Call *c)
{
    kernel_unload(&c->kernel);
    free(c->in);
    free(c->out);
}
