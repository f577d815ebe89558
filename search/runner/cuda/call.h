/* SPDX-License-Identifier: Apache-2.0
 *
 * call: a `call` request on the GPU. Input, output and workspace lie between guard bands, the output is 0xff before.
 */
#ifndef DCGEN_CUDA_CALL_H
#define DCGEN_CUDA_CALL_H

#include <cuda_runtime_api.h>
#include "search/runner/call.h"

/* False: its status and why say what is wrong. An error that ruins the context ends the process. */
bool gpu_call(Call *c, cudaStream_t stream);

#endif
