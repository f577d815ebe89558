/* SPDX-License-Identifier: Apache-2.0
 *
 * check: no kernel is timed before it has passed here. Each runs on operands that lie on multiples of 256 bytes, and on
 * operands that are aligned to an element only; each time twice, on a workspace that is zero before the first call,
 * and both calls must give the same bits. It must write nothing but its output and its workspace, and be right
 * (search/runner/verify.c). After its last sample it is called once more: it must still give those bits. Results are
 * downloaded and compared with the reference; but one that has the very bits of an earlier one, of whatever kernel, need
 * not be: equal bytes are known by their digests (builtin.h), as is what must not change.
 */
#ifndef DCGEN_CUDA_CHECK_H
#define DCGEN_CUDA_CHECK_H

#include "search/runner/cuda/gpu.h"
#include "search/runner/serve.h"

typedef enum { ALIGNED, SHIFTED, PLACEMENTS } Placement;
enum { COLD_CALLS = 2, MAX_COLD = RECORD_MAX_SAMPLE * COLD_CALLS };

/* What a kernel keeps for its timing. */
typedef struct {
    GpuBuffer packed, workspace;
    uint64_t packed_digest, output_digest; /* with bands; of the result, once it was found right */
    int ncold;
    double cold_ns[MAX_COLD]; /* times behind a flush of the L2 cache, COLD_CALLS a sample */
} Extra;

/* A request's operands on the GPU. */
typedef struct {
    Work *work;
    const Setup *setup; /* the work's; likewise below */
    Shape *shape;
    cudaStream_t stream;
    GpuBuffer operand[PLACEMENTS][OP_MAX_OPERAND];
    uint64_t digest[PLACEMENTS][OP_MAX_OPERAND]; /* of inputs, with their bands */
    char *output;                                /* host: a result */
    Extra *extra;                                /* one a kernel */
} Check;

bool check_open(Check *c, Work *w, cudaStream_t stream);
void check_close(Check *c);

/* Status and why tell the result. False with status STATUS_OK is not possible. */
bool check_kernel(Check *c, Kernel *k, Extra *e);
/* When it has been timed: it is as right as it was, and the workspace is as its calls left it. */
bool check_once_more(Check *c, Kernel *k, Extra *e);

/* Starts one call; 0, a negative number: refused, or a cudaError_t that is not fatal. Fatal ones end the process. */
int check_launch(const Check *c, const Kernel *k, const Extra *e, Placement p);
/* Why a call was not started. */
bool check_refused(Kernel *k, int code);

#endif
