/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_file: regret.json, the contract (contract.h) as a file of a package: for each target the bounds and sums, then
 * a line for each shape.
 *
 *   { "schema": 1, "package": "bert_dense", "targets": [
 *    { "target": "avx512", "device": "AMD EPYC 9R45", "compiler": "gcc ...", "measured": true,
 *      "bound": { "tuned": { "mean": 0.0123, "worst": 0.0610 }, "held_out": { "mean": 0.0181, "worst": 0.0702 } },
 *      "regret": {
 *       "tuned": { "shapes": 32, "measured": 32, "resolved": 30, "mean": 0.0037, "worst": 0.0112, "noise": 0.0068 },
 *       "held_out": ... },
 *      "shapes": [
 *       { "tuned": true, "B": 80, "T": 768, "threads": 1, "weight": 1, "kernel": 3,
 *         "chosen_ns": 151200, "best_ns": 150900, "regret": 0.0020, "spread": 0.0110, "resolved": true,
 *         "rival": "kernel 1" },
 *       ... ] } ] }
 *
 * Mean, worst and bound are of all shapes where the chosen kernel was measured beside another; null: there is none.
 * Where "resolved" is false nobody can say whether it or "rival", the fastest of the others, is
 * faster (contract.h). A target without measured times has "measured": false and "why", no bound and no shapes.
 * "kernel" is the number that the package's NAME_kernel_text takes; "rival" is "kernel 3" for one of those, else names
 * a candidate in full.
 */
#ifndef DCGEN_REGRET_FILE_H
#define DCGEN_REGRET_FILE_H

#include "gen/package/emit.h"

/* Fills the contracts into a pattern: "regret.json", the file; or "regret.md", a part of README.md: a table of the sums
 * and bounds, and how to measure them again. NULL after errors in d. */
const char *regret_file_text(Arena *a, const EmitInput *in, const char *pattern, Diag *d);

/* The fastest of the others on a shape: "kernel 3" where the package has it, else in full. NULL: there is none. */
const char *regret_rival(Arena *a, const Result *r, const ContractShape *s);

/* What a package states of some shapes; INFINITY: nothing. */
typedef struct {
    double mean, worst;
} RegretBound;

/* Reads the bounds of one function for one target, of its tuned shapes and of those held out; function NULL: the
 * package has one. False with *err set: the file cannot be read, is no regret.json, or does not name the target. */
bool regret_file_read(Arena *a, const char *path, const char *function, const char *target, RegretBound out[2],
                      const char **err);

#endif
