/* SPDX-License-Identifier: Apache-2.0
 *
 * emu_hopper: what kernels in C for the emulator call of Hopper's primitives, and what hosts need for them.
 */
#ifndef DCGEN_TESTS_EMU_HOPPER_H
#define DCGEN_TESTS_EMU_HOPPER_H

#include "tests/test.h"
#include <stdint.h>
#include "templates/device/emulator/cuda.h"
#include "tests/search/runner/emu_call.h"

void dcgen_emu_mbarrier_init(void *bar, unsigned arrivals, int line);
void dcgen_emu_mbarrier_init_fence(void);
void dcgen_emu_mbarrier_arrive(void *bar, int bytes, int line);
void dcgen_emu_mbarrier_arrive_at(void *bar, unsigned rank, int line);
void dcgen_emu_mbarrier_wait(void *bar, unsigned parity, int line);
void dcgen_emu_proxy_fence(void);
void dcgen_emu_tensor_load(void *smem, const void *map, void *bar, int rank, const int *at, int line);
void dcgen_emu_tensor_store(const void *map, const void *smem, int rank, const int *at, int line);
void dcgen_emu_bulk_commit(void);
void dcgen_emu_bulk_wait_read(int keep);
void dcgen_emu_wgmma(int kind, int n, float *d, unsigned long long a, const unsigned *a_regs, unsigned long long b,
                     int b_is_kn, int add, int line);
void dcgen_emu_wgmma_fence(int line);
void dcgen_emu_wgmma_commit(void);
void dcgen_emu_wgmma_wait(int keep, int line);
void dcgen_emu_registers(int n, int line);
void dcgen_emu_warp_sync(int line);
void dcgen_emu_barrier_sync(int id, int threads, int line);
void dcgen_emu_barrier_arrive(int id, int threads, int line);
unsigned dcgen_emu_cluster_rank(void);
void dcgen_emu_cluster_arrive(int line);
void dcgen_emu_cluster_wait(int line);
Float4 dcgen_emu_cluster_load16(const void *smem, unsigned rank, int line);
void (*dcgen_emu_driver_function(const char *name))(void);

typedef cuuint64_t Extents[4];
typedef cuuint32_t Box[4];

/* A map of a tensor with two extents; its rows are stride[0] bytes apart. */
static inline void encode_map(CUtensorMap *map, CUtensorMapDataType type, void *address, const cuuint64_t *extent,
                              const cuuint64_t *stride, const cuuint32_t *box, CUtensorMapSwizzle swizzle)
{
    assert_int_equal(cuTensorMapEncodeTiled(map, type, 2, address, extent, stride, box, (Box){ 1, 1, 1, 1 },
                                            CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                     CUDA_SUCCESS);
}

/* Is this the text wanted, in which @ stands for any number? */
static inline bool is_said(const char *text, const char *want)
{
    for (; *want; want++)
        if (*want == '@') {
            if (*text < '0' || *text > '9')
                return false;
            text += strspn(text, "0123456789");
        } else if (*text++ != *want) {
            return false;
        }
    return *text == '\0';
}

/* A small whole number as a half. */
static inline uint16_t half_of(int x)
{
    const unsigned sign = x < 0 ? 0x8000 : 0, m = (unsigned)(x < 0 ? -x : x);
    const unsigned log = m ? 31 - (unsigned)__builtin_clz(m) : 0;
    return (uint16_t)(m ? sign | (log + 15) << 10 | (m << (10 - log) & 0x3ff) : 0);
}

#endif
