/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * The whole model as one call, PACKAGE_run: NNODE calls of the package's functions, one after the other, in one workspace. Nothing is allocated,
 * compiled or interpreted in it, and no lock is taken.
 *
 *   PACKAGE_model model;
 *   void *memory = aligned_alloc(64, PACKAGE_model_bytes());
 *   PACKAGE_load(&model, file, bytes, memory);              once; file: a safetensors file, mapped or read
 *   PACKAGE_dims dims = { ... };
 *   void *workspace = aligned_alloc(64, PACKAGE_run_bytes(&dims, NULL));
 *   PACKAGE_run(&model, &dims, &inputs, &outputs, workspace, NULL);
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
    int64_t DIM; /* DIM_LEAST to DIM_MOST */ //@ repeat dims
#else
    int none; /* the model's sizes are always the same */
#endif
} PACKAGE_dims;

/* Operands lie densely, outermost extent first. */
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

/* A model that was loaded. A plain value of addresses: of the weights, of which those that are not packed must stay where they are (PACKAGE_weight),
 * and of memory with packed ones. */
typedef struct PACKAGE_model {
    const void *constant[NCONSTANT_ROOM];
    const void *packed[NPACKED_ROOM];
} PACKAGE_model;

/* Bytes of memory for packed weights; 0: none is. */
size_t PACKAGE_model_bytes(void);
/* Loads the model from a safetensors file of `bytes` bytes, which is in memory, as mmap puts it there: weights that are not packed are used where they
 * lie in it. memory: PACKAGE_model_bytes() of them, best aligned to 64. PACKAGE_BAD_WEIGHTS: the file is none, is cut off, or lacks a weight of the
 * type and extents that PACKAGE_weight tells. */
int PACKAGE_load(PACKAGE_model *model, const void *file, size_t bytes, void *memory);
/* The same from anywhere: find gives the address of the weight of that name, which has `bytes` bytes; NULL: there is none. */
int PACKAGE_load_from(PACKAGE_model *model, const void *(*find)(void *ctx, const char *name, size_t bytes), void *ctx, void *memory);

/* Weights are numbered from 0; NULL: there is no such one. */
typedef struct PACKAGE_weight {
    const char *name, *type; /* as in safetensors: "F32" */
    int rank;
    int64_t extent[MOST_RANK];
    int stays; /* 1: calls read it where it lies, so it must stay there; 0: it is only packed, once, and may be gone when the model is loaded */
} PACKAGE_weight;
const PACKAGE_weight *PACKAGE_weight_at(int weight);

/* Bytes of memory that a call with these dims needs, best aligned to 64; it holds anything before and behind. 0: no call has these dims. */
size_t PACKAGE_run_bytes(const PACKAGE_dims *dims, const PACKAGE_exec *exec);
/* Runs the model. The codes are those of the functions, and PACKAGE_BAD_SIZE and what follows it. Behind an error outputs hold anything. */
int PACKAGE_run(const PACKAGE_model *model, const PACKAGE_dims *dims,
#if NINPUT
                const PACKAGE_inputs *inputs,
#endif
#if NSTATE
                const PACKAGE_state *state,
#endif
                const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec);

/* Nodes are numbered from 0, in the order in which they run. What the model calls one; NULL: there is no such node. */
#define PACKAGE_NODES NNODE
const char *PACKAGE_node_name(int node);

#ifdef __cplusplus
}
#endif
#endif
