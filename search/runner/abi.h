/* SPDX-License-Identifier: Apache-2.0
 *
 * abi: what a shared object that a runner loads must export. A candidate is the text of one kernel exactly as the
 * package ships it, with this uniform entry added, so that a runner needs to know no operator.
 *
 *   extent[]   the op's extents in op.cfg's order: axes, attributes, derived ones; then, for each operand
 *              that callers give strides of, those strides (gen/spec/op.h)
 *   operand[]  the op's operands in order, those of absent epilogues NULL. In a candidate with dcgen_pack the first
 *              constant operand is the packed one.
 *   task, ntask  the call does the task-th of ntask equal parts; parts write disjoint outputs
 *
 * scratch    memory that holds anything before and behind a call
 * counters   of GPU code: memory that is zero before a call and behind it
 *
 * Code for a GPU, and the same code compiled for the emulator, exports dcgen_launch instead of dcgen_run: pointers are
 * the device's, and the work is started in `stream`. Its dcgen_pack works in the default stream. Code that exports the
 * int dcgen_aligned only takes operands that begin on multiples of so many bytes (256 at most), and is verified on
 * these alone: the vendor's library, and kernels that a package calls for such operands alone.
 */
#ifndef DCGEN_ABI_H
#define DCGEN_ABI_H

#include <stdint.h>

/* What a negative code of dcgen_run or dcgen_launch means; optional. */
typedef const char *dcgen_why_fn(int code);

/* What a library is, for people: "OpenBLAS 0.3.21, core SkylakeX"; NULL: it is absent. Optional, for benchmarks. */
typedef const char *dcgen_name_fn(void);
/* Of a library that has several ways for a call, such as algorithms: it takes that one from now on, from 0 in the order
 * in which it proposes them, and refuses calls that have no such way. Optional; for packages' benchmarks. */
typedef void dcgen_use_fn(int way);

/* A candidate. dcgen_run returns 0, or non-zero when it refuses these extents; negative: dcgen_why may say why. */
typedef int dcgen_run_fn(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask);
/* 0, a cudaError_t of the launch, or negative when it refuses these extents. */
typedef int dcgen_launch_fn(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream);
/* Bytes of scratch memory for a call in ntask parts (on a GPU one) that share it; of counters. Optional: 0. */
typedef int64_t dcgen_scratch_fn(const int64_t *extent, int64_t ntask);
typedef int64_t dcgen_counters_fn(const int64_t *extent);
/* dcgen_packed_bytes and dcgen_pack: optional, both or neither. w: the constant operand; of an op with several, which
 * are packed together, a list of all operands, as operand[] above, of which the constant ones are read. */
typedef int64_t dcgen_packed_bytes_fn(const int64_t *extent);
typedef int dcgen_pack_fn(const int64_t *extent, const void *w, void *packed);

/* Code that measures what a GPU does at most (templates/device/limits.cu): starts one kernel in `stream`. probe: fma,
 * fma_reuse, tf32, f16, bf16, shared, l2, memory, handover, fill (which writes the buffer and comes first); variant:
 * from 0 on, as long as there are. The buffer is a multiple of 1 MiB and has 8 KiB for each of `sms` multiprocessors.
 * *work: what all of the launch does, in flops, bytes or hand-overs one after the other. 0, a cudaError_t of the
 * launch, or DCGEN_NO_PROBE: there is no such probe or variant. */
enum { DCGEN_NO_PROBE = -1 };
typedef int dcgen_limit_fn(const char *probe, int variant, int sms, int64_t rounds, void *buffer, int64_t bytes,
                           void *stream, double *work);

/* The reference (templates/<op>/reference.c), on the unpacked operands. The output is seen as rows x row_elems.
 * rows:   fills y[(row1-row0) * row_elems] with the exact result and bound[] with sum of |term| for each element:
 *         a correct kernel's error is at most rounding_tolerance() of it (gen/spec/dtype.h); infinite: any result is
 *         right.
 * check:  fills sum[row1-row0] with the exact sum of each row's elements and bound[] with the sum of their bounds:
 *         cheap (no product of all three extents), so that every row of a large output is checked. Optional: where it
 *         is absent, more elements of a large output are compared. It must be absent with an epilogue that is not
 *         linear.
 * terms:  number of rounded operations behind one element (K for dense), for the tolerance.
 * dcgen_reference_accuracy: a const double, how many times that tolerance a kernel may be off. Optional, absent: 1. */
typedef void dcgen_reference_rows_fn(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                                     double *y, double *bound);
typedef void dcgen_reference_check_fn(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                                      double *sum, double *bound);
typedef int64_t dcgen_reference_terms_fn(const int64_t *extent);

#endif
