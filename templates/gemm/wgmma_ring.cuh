/* SPDX-License-Identifier: MIT-0 */
/* The ring of stages in shared memory: the producer fills one after the other, the consumers multiply what is there.
 *
 *   stage     X's part, BM rows of 128 bytes along k; then W's part, NK: BN rows of 128 bytes along k; KN: BN / W_BOX boxes of BK rows, W_SPAN bytes
 *             along n each. Of a row of S bytes, chunk c of 16 bytes is in the place of chunk c ^ (row * S / 128 % (S / 16)): what TMA does.
 *             tf32x3: then the low parts of the second operand's rows.
 *   full      of each stage: its copies are there (one arrival, and their bytes)
 *   split     tf32x3: and the low parts (one arrival)
 *   empty     of each stage: nobody reads it any more (one arrival of each warp that multiplies it) */
struct KERNEL_ring {
    unsigned char *stage;
    uint64_t *full, *empty;
#if THREE
    uint64_t *split;
#endif
};

struct KERNEL_place { /* the next stage, and the parity of its phase for who fills it or reads it */
    int stage;
    unsigned parity;
};

/* Shared memory that TMA swizzles begins at a multiple of 1024. */
static __device__ __forceinline__ KERNEL_ring KERNEL_find_ring()
{
    unsigned char *memory = PACKAGE_device::shared_memory();
    KERNEL_ring r;
    r.stage = memory + (1024 - PACKAGE_device::shared_address(memory) % 1024) % 1024;
    r.full = (uint64_t *)(r.stage + STAGES * STAGE_BYTES + CONSUMERS * PART_BYTES);
    r.empty = r.full + STAGES;
#if THREE
    r.split = r.empty + STAGES;
#endif
    return r;
}

static __device__ __forceinline__ void KERNEL_open_ring(const KERNEL_ring &r)
{
#if X_ROWS < BM /* rows that are multiplied, but nobody copies */
    for (int s = 0; s < STAGES; s++)
        for (int e = X_ROWS * 128 + threadIdx.x * 16; e < BM * 128; e += NT * 16)
            *(uint4 *)(r.stage + s * STAGE_BYTES + e) = make_uint4(0, 0, 0, 0);
    PACKAGE_device::proxy_fence();
#endif
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            PACKAGE_device::mbarrier_init(r.full + s, 1);
            PACKAGE_device::mbarrier_init(r.empty + s, 4 * SHARERS);
#if THREE
            PACKAGE_device::mbarrier_init(r.split + s, 1);
#endif
        }
        PACKAGE_device::mbarrier_init_fence();
    }
    __syncthreads();
}

static __device__ __forceinline__ void KERNEL_next(KERNEL_place &p)
{
    if (++p.stage == STAGES)
        p = { 0, p.parity ^ 1 };
}
#if TURNS

/* Passes over so many stages. */
static __device__ __forceinline__ void KERNEL_skip(KERNEL_place &p, int steps)
{
    const unsigned to = p.stage + (unsigned)steps;
    p = { (int)(to % STAGES), p.parity ^ (to / STAGES & 1) };
}
#endif
