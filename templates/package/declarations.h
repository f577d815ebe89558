/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One function of a package in its header. */
#endif
#if IS_ONE_OF_SEVERAL
/* ---- FUNCTION ---- */

#endif
#define NAME_HAS_BIAS IS_BIAS
#if HAS_CONSTANT
#define NAME_LAYOUT IS_ASKED //@ repeat layouts
#define NAME_CONSTANT_PACKED PACKED

#endif
#if PACKED
#if NCONSTANT > 1
/* CONSTANTS are packed together, once, and then used with any other extents. Bytes that the packed copy takes; 0: bad extents,
#else
/* CONSTANTS is packed once and then used with any other extents. Bytes that the packed copy takes; 0: bad extents,
#endif
 * nothing to pack, or more than memory can hold. */
size_t CALL_packed_bytes(PACK_EXTENTS);
#if FAMILY_CUDA
/* CONSTANTS_DOC. packed: CALL_packed_bytes(...) bytes, as cudaMalloc
 * aligns them. All on the device; the copy is done when what was put into the stream is. */
int CALL_pack(PACK_EXTENTS, EACH(packed_operands, const void *OPERAND), void *packed, struct CUstream_st *stream);
#else
/* CONSTANTS_DOC. packed: CALL_packed_bytes(...) bytes,
 * best aligned to 64. */
int CALL_pack(PACK_EXTENTS, EACH(packed_operands, C_TYPE *OPERAND), void *packed);
#endif
/* CONSTANT packed may be kept in a file, and mapped by other processes: PACKAGE_PACKED_HEADER bytes that say what follows, then
 * the packed bytes. It serves every package that packs CONSTANT in the same way, on whatever machine of the same byte order.
 * Fills the header. packed: what CALL_pack wrote, in memory of the host, as are all pointers of these two functions. */
int CALL_packed_header(PACK_EXTENTS, const void *packed, void *header);
/* PACKAGE_OK: what begins at `file` is such a header, for these extents, and what follows is as long as it should be;
 * `bytes` says how much there is from `file` on, and nothing beyond is read. With `whole` other than 0 the packed bytes are
 * read, too, and compared with their checksum, which finds what broke by chance. PACKAGE_BAD_PACKED: pack again.
 * Where CALL_packed_bytes(...) is 0 there is nothing to keep, and both return PACKAGE_BAD_EXTENT. */
int CALL_packed_check(PACK_EXTENTS, const void *file, size_t bytes, int whole);

#endif
#if FAMILY_CUDA
/* Bytes of device memory that a call with these arguments needs on the current device; 0: none, workspace may be NULL.
 * The workspace begins on a multiple of 16 bytes, as all memory of cudaMalloc does. It is zeroed once, before its first use
 * (PACKAGE_cuda_workspace_clear); every call leaves it fit for the next, of any extents. Calls that may run at the same time
 * need one each. */
size_t CALL_workspace_bytes(EXTENTS, const PACKAGE_exec *exec);
#else
/* Bytes of scratch memory that a call with these arguments needs, best aligned to 64; 0: none, workspace may be NULL. It holds anything before and
 * behind a call. Calls that may run at the same time need one each. */
size_t CALL_workspace_bytes(EXTENTS, const PACKAGE_exec *exec);
#endif

/* OP_DOC
#if HAS_FORMULA
 *   formula   FORMULA
#if HAS_ACC
 *             SUMS: what the operator computed for the element
#endif
#if IS_MOVING
 *             in floats: where a sum or a product on the way is beyond 3.4e38, as the squares of large elements, the result is
 *             not determined
#endif
#endif
 *   AXIS_COLUMN AXIS_MEANING //@ repeat axes
 *   AXIS_COLUMN AXIS_DOC: VALUE in all calls //@ repeat constants
 *   AXIS_COLUMN AXIS_DOC: EXPRESSION //@ repeat derived
 *   OPERAND_COLUMN OPERAND_DOC //@ repeat operands
#if HAS_STRIDED
 *   ..._stride  elements from one element of that operand to the next, along each of its extents but the last, from 0 to
 *             2147483647; NULL: it lies densely
#endif
#if FAMILY_CUDA
 *   stream    a cudaStream_t; NULL: the default stream
 * All pointers are the current device's. Operands need no alignment beyond their element's (16 bytes are fastest), and one
 * without elements may be NULL. Any extents from 0 to 2147483647 are right; those that spec.cfg names are fast. Starts
 * one kernel, allocates nothing and waits for nothing: a call may be captured in a CUDA graph.
#else
 * Operands need no alignment beyond their element's, and one without elements may be NULL. Any extents from 0 to
 * 2147483647 are right; those that spec.cfg names are fast.
#endif
 * The output may not overlap an input: PACKAGE_BAD_OVERLAP.
#if OUTPUT_IS_STRIDED
 * Nor may two of its elements lie in one place: the same code. Inputs may, by strides of 0, which repeat them.
#endif
#if OUTPUT_IS_READ
 * OUTPUT_OPERAND is read, too: the formula's OUTPUT_OPERAND[...] is what each element holds before the call, which is counted in once. A call that did not
 * end cannot be made again: some elements have their result, others still hold what they did.
#endif
//@ repeat operands
#if MAY_BE_OUTPUT
#if IS_STRIDED
 * But it may be OPERAND itself: OUTPUT_OPERAND == OPERAND, with the same strides.
#else
 * But it may be OPERAND itself: OUTPUT_OPERAND == OPERAND.
#endif
#endif
#if MUST_BE_FINITE
 * OPERAND should hold finite numbers: WHY_FINITE.
#endif
//@ end
#if HAS_ACCURACY
 * Results may be off by ACCURACY_TEXT times the rounding error of plain sums: the spec's accuracy.
 * ACCURACY_DOC. //@ repeat accuracies
#endif
#if HAS_LIMITS
 * Of the extents above some have narrower limits, and none that follows from them may be negative.
#endif
#if HAS_REACH
 * Nor may the formula read outside of an operand: a call whose extents would have it do so is refused.
#endif
 */
int CALL(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
#if FAMILY_CUDA
    const PACKAGE_exec *exec, struct CUstream_st *stream);
#else
    const PACKAGE_exec *exec);
#endif

/* A call that is worked out once and carried out as often as wanted: which kernel, how it is started, on which operands. A plain value, which may be
 * copied, for this process and as long as the package's code is loaded. What it points to must be there whenever it is carried out: operands, packed
 * ones too. It is only read, but has one output: calls at the same time need plans of their own. */
typedef struct CALL_plan {
    int kernel;           /* its kernel's number; -1: the output has no elements, there is nothing to do */
    size_t scratch_bytes; /* memory that CALL_execute needs; it holds anything before and behind, so other calls may have it in between */
#if FAMILY_CUDA
    size_t counter_bytes; /* bytes of counters that it needs: zeroed before their first use, and zero behind every call, whichever it is */
#endif
    uint64_t kept[PLAN_WORDS];    /* the package's own */
} CALL_plan;

#if FAMILY_CUDA
/* Fills a plan for the current device, where it is to be executed. The arguments are those of the call, the codes too; after an error the plan is as
 * it was. */
#else
/* Fills a plan. The arguments are those of the call, and what is in `exec` is kept: what its `ctx` means, such as a pool, must be there whenever the
 * plan is carried out. The codes too are the call's. After an error the plan is as it was. */
#endif
int CALL_prepare(EXTENTS,
    EACH(operands, PARAMETER),
    const PACKAGE_exec *exec, CALL_plan *plan);
#if FAMILY_CUDA
/* Carries a plan out, in the stream, with what the operands hold by then. scratch and counters: the plan's bytes of each, on multiples of 16 bytes;
 * NULL where it needs none. Calls that may run at the same time need their own. */
int CALL_execute(const CALL_plan *plan, void *scratch, void *counters, struct CUstream_st *stream);
#else
/* Carries a plan out, with what the operands hold by then. scratch: its scratch_bytes, best aligned to 64; NULL where it needs none. Calls that may run
 * at the same time need their own. */
int CALL_execute(const CALL_plan *plan, void *scratch);
#endif

#if FAMILY_CUDA
/* The kernel that a call with these extents takes on the current device, for logs; -1: bad extents, or no kernel of this
 * package runs there. */
#else
/* The kernel that one thread's call with these extents takes on this CPU, for logs; -1: bad extents. */
#endif
int CALL_choose(EXTENTS);

/* Kernels of this function are numbered from 0. What each is, in words; NULL when there is no such kernel. */
int NAME_nkernel(void);
const char *NAME_kernel_text(int kernel);

