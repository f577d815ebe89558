/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * The whole model as one call, PACKAGE_run: NNODE calls of the package's functions, one after the other, in one workspace. Nothing is allocated,
 * compiled or interpreted in it, and no lock is taken.
 *
#if FAMILY_CUDA
 * All nodes are queued in one stream, and nothing is waited for: the call may be captured as a CUDA graph. PACKAGE_run_kept does that by itself.
 *
 *   PACKAGE_model model;
 *   cudaMalloc(&memory, PACKAGE_model_bytes());
 *   PACKAGE_load(&model, file, bytes, memory, stream);      once; file: a safetensors file, mapped or read
 *   PACKAGE_dims dims = { ... };
 *   size_t need = PACKAGE_run_bytes(&dims, NULL);           of the largest dims
 *   cudaMalloc(&workspace, need);
 *   PACKAGE_cuda_workspace_clear(workspace, need, stream);  once
 *   PACKAGE_run(&model, &dims, &inputs, &outputs, workspace, NULL, stream);
#else
 *   PACKAGE_model model;
 *   void *memory = aligned_alloc(64, PACKAGE_model_bytes());
 *   PACKAGE_load(&model, file, bytes, memory);              once; file: a safetensors file, mapped or read
 *   PACKAGE_dims dims = { ... };
 *   void *workspace = aligned_alloc(64, PACKAGE_run_bytes(&dims, NULL));
 *   PACKAGE_run(&model, &dims, &inputs, &outputs, workspace, NULL);
#endif
 */
#ifndef PACKAGE_MODEL_H
#define PACKAGE_MODEL_H

#include "PACKAGE.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sizes of a call. */
typedef struct PACKAGE_dims {
#if NDIM
    int64_t MEMBER; /* DIM_LEAST to DIM_MOST */ //@ repeat dims
#else
    int none; /* the model's sizes are always the same */
#endif
} PACKAGE_dims;

#if FAMILY_CUDA
/* Operands lie densely, outermost extent first, in memory of the device. */
#else
/* Operands lie densely, outermost extent first. */
#endif
#if NINPUT
typedef struct PACKAGE_inputs {
    const TENSOR_GIVEN *TENSOR; /* TENSOR_DOC */ //@ repeat inputs
} PACKAGE_inputs;

#endif
#if NSTATE
/* What stays from call to call, in memory of the caller's: read and written. */
typedef struct PACKAGE_state {
    TENSOR_GIVEN *TENSOR; /* TENSOR_DOC */ //@ repeat states
} PACKAGE_state;

#endif
typedef struct PACKAGE_outputs {
    TENSOR_GIVEN *TENSOR; /* TENSOR_DOC */ //@ repeat outputs
} PACKAGE_outputs;

#if FAMILY_CUDA
/* A model that was loaded. A plain value of addresses on the device, of weights and of packed ones. NULL: a weight that is only packed. */
#else
/* A model that was loaded. A plain value of addresses: of weights, which must stay where they are, and of memory with packed ones. NULL: a weight that is
 * only packed (stays in PACKAGE_weight). */
#endif
typedef struct PACKAGE_model {
    const void *constant[NCONSTANT_ROOM];
    const void *packed[NPACKED_ROOM];
} PACKAGE_model;

#if FAMILY_CUDA
/* Bytes of device memory for all weights, each once: packed where nodes take it so. */
size_t PACKAGE_model_bytes(void);
/* Loads the model from a safetensors file of `bytes` bytes, which is in the host's memory, as mmap puts it there: weights are copied to the device, and
 * packed there, in the stream. The file must stay where it is until the stream has come so far. memory: PACKAGE_model_bytes() of the current device's,
 * which must stay too. PACKAGE_BAD_WEIGHTS: the file is none, is cut off, or lacks a weight of the type and extents that PACKAGE_weight tells. */
int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory, struct CUstream_st *stream);
/* The same from anywhere: find gives the address, in the host's memory or in the device's, of the weight of that name, which has `bytes` bytes;
 * NULL: there is none. */
int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory,
                      struct CUstream_st *stream);
#else
/* Bytes of memory for packed weights; 0: none is. */
size_t PACKAGE_model_bytes(void);
/* Loads the model from a safetensors file of `bytes` bytes, which is in memory, as mmap puts it there: weights that are not packed are used where they
 * lie in it. memory: PACKAGE_model_bytes() of them, best aligned to 64. PACKAGE_BAD_WEIGHTS: the file is none, is cut off, or lacks a weight of the
 * type and extents that PACKAGE_weight tells, at a multiple of its elements' size. */
int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory);
/* The same from anywhere: find gives the address of the weight of that name, which has `bytes` bytes; NULL: there is none. Weights that stay come first.
 * Each of the others is packed before find is asked for the second one behind it: two buffers, used in turn, hold all of them. */
int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory);
#endif

/* Weights are numbered from 0; NULL: there is no such one. */
typedef struct PACKAGE_weight {
    const char *name, *type; /* as in safetensors: "F32" */
    int rank;
    int64_t extent[MOST_RANK];
#if FAMILY_CUDA
    int stays; /* 1: calls read it as it is; 0: it is only packed. The host's copy may go in either case, when the model is loaded */
#else
    int stays; /* 1: calls read it where it lies, so it must stay there; 0: it is only packed, once, and may be gone when the model is loaded */
#endif
} PACKAGE_weight;
const PACKAGE_weight *PACKAGE_weight_at(int weight);

#if FAMILY_CUDA
/* Bytes of device memory that a call with these dims needs, on a multiple of 16 bytes, as all memory of cudaMalloc is. It is zeroed once, before its
 * first use (PACKAGE_cuda_workspace_clear); every call leaves it fit for the next, of any dims that it is large enough for. 0: no call has these dims. */
size_t PACKAGE_run_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec);
/* Queues the model in the stream. The codes are those of the functions, and PACKAGE_BAD_SIZE and what follows it. Behind an error outputs hold
 * anything. */
#else
/* Bytes of memory that a call with these dims needs, best aligned to 64; it holds anything before and behind. 0: no call has these dims. */
size_t PACKAGE_run_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec);
/* Runs the model. The codes are those of the functions, and PACKAGE_BAD_SIZE and what follows it. Behind an error outputs hold anything. */
#endif
int PACKAGE_run(const PACKAGE_model *model, const PACKAGE_dims *dims,
#if NINPUT
                const PACKAGE_inputs *inputs,
#endif
#if NSTATE
                const PACKAGE_state *state,
#endif
#if FAMILY_CUDA
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec, struct CUstream_st *stream);
#else
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec);
#endif

#if FAMILY_CUDA
/* A call that was captured: what PACKAGE_run queues for these very arguments, as a CUDA graph. An array of them, zeroed before its first use, keeps as
 * many, in the order in which they were used last. */
typedef struct PACKAGE_kept {
    struct CUgraphExec_st *graph; /* NULL: the entry is free */
    const PACKAGE_model *model;
    void *workspace;
    PACKAGE_dims dims;
#if NINPUT
    PACKAGE_inputs inputs;
#endif
#if NSTATE
    PACKAGE_state state;
#endif
    PACKAGE_outputs outputs;
    int64_t kernel; /* of exec */
} PACKAGE_kept;

/* As PACKAGE_run, at a fraction of its time on the host. Where one of the n entries is of these arguments (addresses count, not what is there), its
 * graph is launched. Else the model is queued as PACKAGE_run does it, and captured behind that, in place of the entry that was not used for longest. So
 * give calls the same memory again. The stream is any but the default one, and is not being captured. Only one thread at a time may use an array.
 * exec->watch is only called where the model is queued. n of 0: as PACKAGE_run. */
int PACKAGE_run_kept(PACKAGE_kept *kept, int n, const PACKAGE_model *model, const PACKAGE_dims *dims,
#if NINPUT
                     const PACKAGE_inputs *inputs,
#endif
#if NSTATE
                     const PACKAGE_state *state,
#endif
                     const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec, struct CUstream_st *stream);
/* Frees the graphs of all entries: before memory that they use is freed, or the model is loaded anew. Launches that are under way end well. */
void PACKAGE_kept_free(PACKAGE_kept *kept, int n);

#endif
/* Nodes are numbered from 0, in the order in which they run. What the model calls one; NULL: there is no such node. */
#define PACKAGE_NODES NNODE
const char *PACKAGE_node_name(int node);

#ifdef __cplusplus
}
#endif
#endif
