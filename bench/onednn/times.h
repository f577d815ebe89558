/* SPDX-License-Identifier: Apache-2.0
 *
 * times: what oneDNN needs for rows of the sizes that BERT-base has, next to a copy of the same bytes.
 */
#ifndef BENCH_ONEDNN_TIMES_H
#define BENCH_ONEDNN_TIMES_H

/* Prints a table: softmax of 16*12*T rows of T, layernorm of 16*T rows of 768. */
void times_print(int threads);

#endif
