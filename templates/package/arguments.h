/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* One call of a function, as its kernels see it, and how that follows from the call's arguments: the same in a package and in a candidate. */
#endif
/* One call, as the kernels see it. */
typedef struct {
#if FAMILY_CUDA
    int ALL_AXES;
#else
    int64_t ALL_AXES;
#endif
//@ repeat operands
#if KEEPS_STRIDES
    C_TYPE *OPERAND;
    int64_t OPERAND_stride[NSTRIDE]; /* elements from one to the next along each extent but the last */
#else
    C_TYPE *OPERAND;
#endif
//@ end
#if ANY_SCRATCH
    void *scratch; /* memory that holds anything before and behind a call */
#endif
#if ANY_COUNTERS
    unsigned *counters; /* zero before a call, and behind it */
#endif
} NAME_args;
#if HAS_ATTRIBUTES

/* Attributes of a call, of which some are the same for all. */
//@ repeat attributes
#if IS_FIXED && FAMILY_CUDA
#define NAME_AXIS(args) VALUE
#elif IS_FIXED
#define NAME_AXIS(args) ((int64_t)VALUE)
#elif FAMILY_CUDA
#define NAME_AXIS(args) ((args).AXIS)
#else
#define NAME_AXIS(args) ((args)->AXIS)
#endif
//@ end
#endif

#if HAS_STRIDES
/* Strides of elements that lie densely; extents outermost first. Unsigned, as it wraps where no memory could hold the elements. */
static inline void NAME_dense(int rank, const int64_t *extent, int64_t *stride)
{
    uint64_t step = 1;
    for (int i = rank - 1; i > 0; i--)
        stride[i - 1] = (int64_t)(step *= (uint64_t)extent[i]);
}

#endif
static inline NAME_args NAME_arguments(ALL_EXTENTS,
    EACH(operands, INNER))
{
    NAME_args args;
#if FAMILY_CUDA
    args.AXIS = (int)AXIS; //@ repeat extents
#else
    args.AXIS = AXIS; //@ repeat extents
#endif
    args.OPERAND = OPERAND; //@ repeat operands
#if ANY_SCRATCH
    args.scratch = NULL;
#endif
#if ANY_COUNTERS
    args.counters = NULL;
#endif
//@ repeat operands
#if KEEPS_STRIDES
    const int64_t OPERAND_extent[] = { EACH(order, ALONG) };
    NAME_dense(RANK, OPERAND_extent, args.OPERAND_stride);
#if IS_STRIDED
    for (int i = 0; OPERAND_stride && i < NSTRIDE; i++)
        args.OPERAND_stride[i] = OPERAND_stride[i];
#endif
#endif
//@ end
    return args;
}
#if ANY_ALIGN

/* The bytes, 16 at most, that the inputs begin at multiples of, and all their rows. */
static inline int64_t NAME_align(EVERY_EXTENTS,
    const NAME_args *args)
{
    uint64_t all = 16, step;
    (void)AXIS; //@ repeat every
//@ repeat operands
#if IS_ALIGNED
    const int64_t OPERAND_extent[] = { EACH(order, ALONG) };
    all |= (uintptr_t)args->OPERAND;
    step = ELEMENT_BYTES;
    for (int i = RANK - 1; i > 0; i--) {
#if KEEPS_STRIDES
        step = (uint64_t)args->OPERAND_stride[i - 1] * ELEMENT_BYTES;
#else
        step *= (uint64_t)OPERAND_extent[i];
#endif
        all |= OPERAND_extent[i - 1] > 1 ? step : 0;
    }
#endif
//@ end
    return (int64_t)(all & (0 - all));
}
#endif
#if FAMILY_CUDA

/* How a kernel is started: its grid, blocks of a cluster (0: there are no clusters), threads a block, bytes of dynamic shared memory a block; and
 * the bytes of scratch memory and of counters that the call needs. */
typedef struct {
    unsigned x, y, z, cluster;
    int threads;
    size_t smem_bytes, scratch_bytes, counter_bytes;
} NAME_plan;

/* Bytes that a workspace begins with, for counters; what follows is scratch memory. */
enum { NAME_counters_room = 16384 };

/* A plan, of numbers as heads of templates give them. A grid that CUDA has not, or more counters than there is room for, becomes one of no
 * blocks, which cannot be launched. */
static inline __attribute__((unused)) NAME_plan NAME_planned(double x, double y, double z, double cluster, double threads, double smem, double scratch, double counters)
{
    const double most = 2147483647, most_yz = 65535;
    const bool fits = x <= most && !(y > most_yz || z > most_yz || counters > NAME_counters_room);
    return { fits ? (unsigned)x : 0, fits && y > 1 ? (unsigned)y : 1, fits && z > 1 ? (unsigned)z : 1, (unsigned)cluster, (int)threads,
             (size_t)smem, fits && scratch > 0 ? (size_t)scratch : 0, fits && counters > 0 ? (size_t)counters : 0 };
}
#endif
