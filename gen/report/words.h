/* SPDX-License-Identifier: Apache-2.0
 *
 * words: a shape, a speed and a kernel's parameters, as people and programs are told them, in text and JSON.
 */
#ifndef DCGEN_WORDS_H
#define DCGEN_WORDS_H

#include "gen/base/json.h"
#include "search/space/space.h"

/* "M = 80, N = 768, K = 768"; with threads > 0 ", 2 threads" behind it. Attributes as in gen/spec/op_shown.h. */
const char *words_shape(Arena *a, const Op *op, const int64_t *extent, int threads);
const char *words_shape_values(Arena *a, const Op *op, const char *const *value,
                               int threads);               /* of texts: "M = 16*T" */
const char *words_candidate(Arena *a, const Candidate *c); /* "packed_gemm avx512 MR=8 NP=3" */
/* Which of its package's functions and targets a search or a result is for, where there are several: "layer_scores for
 * avx512", "layer_scores", "avx512"; else "". */
const char *words_part(Arena *a, const Spec *spec, const Target *target, bool several_targets);

/* What a call does in a ns: useful operations, or bytes where these count; 0: nothing, or the time is not known. */
double words_speed(const Spec *spec, const int64_t *extent, double ns);
const char *words_speed_unit(const Spec *spec); /* "GFLOP/s" or "GB/s" */

/* Adds fields to the object, "B": 80, "T": 768, and returns it. */
json_t *words_extents_json(json_t *object, const Op *op, const int64_t *extent);
json_t *words_values_json(const Candidate *c); /* { "MR": 8, "NP": 3 } */
/* Why candidates were left out of the space: each reason, and how often. */
json_t *words_rejected_json(const Space *s);

#endif
