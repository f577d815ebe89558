/* SPDX-License-Identifier: Apache-2.0
 *
 * call: one call of dcgen_launch (abi.h) on the bytes of a file, which gives the bytes of another file. Nothing is
 * verified and nothing is timed: the caller knows what the bytes mean.
 */
#ifndef DCGEN_CALL_H
#define DCGEN_CALL_H

#include "gen/base/arena.h"
#include "search/runner/runner.h"

/* A `call` request. dcgen_launch gets operands { in, out } and a workspace of dcgen_workspace() bytes, which is zero. */
typedef struct {
    int64_t extent[OP_MAX_AXIS];
    Kernel kernel;  /* its object, and what came of the call */
    Arena *arena;   /* `in` is in it */
    char *in, *out; /* on the host; the engine fills in `out` */
    size_t in_bytes, out_bytes;
    const char *out_path;
    int64_t smem_limit; /* bytes of shared memory that a block may have, for the emulator; 0: its own limit */
} Call;

/* Reads the file `in` and takes memory for the output. NULL, or why not. */
const char *call_open(Call *c, const char *in, int64_t out_bytes);
/* Loads the object and asks for the bytes of the workspace. False: its status and why say what is wrong. */
bool call_load(Call *c);
/* Writes the output's file. NULL, or why not. */
const char *call_keep(const Call *c);
/* What the other calls took. */
void call_close(Call *c);

#endif
