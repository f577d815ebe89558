/* SPDX-License-Identifier: Apache-2.0
 *
 * call: reads the input file, loads the object, and writes the output to its file.
 */
#include "search/runner/call.h"

#include <stdlib.h>
#include "gen/base/text.h"

enum { MAX_BYTES = 1 << 30 };

const char *call_open(Call *c, const char *in, int64_t out_bytes)
{
    c->kernel.key = c->kernel.so;
    if (out_bytes < 1 || out_bytes > MAX_BYTES)
        return "bad out_bytes";
    c->arena = arena_new();
    c->in = text_read_file(c->arena, in, &c->in_bytes);
    if (!c->in || c->in_bytes < 1 || c->in_bytes > MAX_BYTES)
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
    return text_write_file(c->out_path, c->out, c->out_bytes) ? NULL : "the file out cannot be written";
}

void call_close(Call *c)
{
    kernel_unload(&c->kernel);
    free(c->out);
    arena_free(c->arena);
}
