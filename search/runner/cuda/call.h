/* SPDX-License-Identifier: Apache-2.0
 *
 * call: a `call` request on the GPU. Guard bands around input, output and workspace show writes outside of
 * them. The output is filled with 0xff before, so that elements show that were not written.
 */
#ifndef DCGEN_CUDA_CALL_H
#define DCGEN_CUDA_CALL_H

#include <cuda_runtime_api.h>
#include "search/runner/call.h"

/* True: the output is in c->out. False: status and why of c->kernel say what is wrong. An error that ruins the context ends the process. */
bool gpu_call(Call *c, cudaStream_t stream);

#endif
