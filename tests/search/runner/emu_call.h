/* SPDX-License-Identifier: Apache-2.0
 *
 * emu_call: kernels in C for the emulator, which announce their accesses themselves, as a compiler would.
 */
#ifndef DCGEN_TESTS_EMU_CALL_H
#define DCGEN_TESTS_EMU_CALL_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "search/runner/emu/emu.h"

typedef struct {
    unsigned x, y, z;
} Index;
typedef float Float4 __attribute__((vector_size(16)));
typedef uint32_t Word4 __attribute__((vector_size(16)));
typedef uint32_t Word2 __attribute__((vector_size(8)));

Index dcgen_emu_thread_index(void);
Index dcgen_emu_block_index(void);
Index dcgen_emu_block_dim(void);
Index dcgen_emu_grid_dim(void);
void dcgen_emu_barrier(int line);
void dcgen_emu_fence(void);
unsigned char *dcgen_emu_shared_memory(void);
unsigned dcgen_emu_shared_address(const void *p);
void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line);
void dcgen_emu_cp_commit(void);
void dcgen_emu_cp_wait(int keep);
Word4 dcgen_emu_ldmatrix(int matrices, int transposed, const void *row, int line);
Float4 dcgen_emu_mma(int kind, Float4 d, Word4 a, Word2 b, int line);
float dcgen_emu_shfl_xor(float value, int mask, int line);
float dcgen_emu_shfl_down(float value, int delta, int line);
unsigned dcgen_emu_atomic_add(unsigned *p, unsigned value, int acq_rel, int line);
void dcgen_emu_written(const void *address, size_t bytes);
int dcgen_emu_launch(void (*call)(void *kernel, const void *args), void *kernel, const void *args, const unsigned *grid,
                     unsigned cluster, const unsigned *block, size_t smem_bytes);

#define EMU_HOOKS(n)                        \
    void __tsan_read##n(void *p);           \
    void __tsan_write##n(void *p);          \
    void __tsan_unaligned_read##n(void *p); \
    void __tsan_unaligned_write##n(void *p);
EMU_HOOKS(1)
EMU_HOOKS(2)
EMU_HOOKS(4)
EMU_HOOKS(8)
EMU_HOOKS(16)
void __tsan_read_range(void *p, long bytes);
void __tsan_write_range(void *p, long bytes);

typedef void KernelOf(unsigned *out);

/* Functions whose accesses no sanitizer watches; one of them that is a kernel, of the words at p. */
#define PLAIN __attribute__((no_sanitize("address"))) static
#define KERNEL(name) PLAIN void name(unsigned *p)

static inline unsigned thread_of(void) { return dcgen_emu_thread_index().x; }

static inline void emu_call(void *kernel, const void *args)
{
    KernelOf *f;
    memcpy(&f, &kernel, sizeof f);
    f(*(unsigned *const *)args);
}

static inline int launch_as(KernelOf *f, unsigned *out, const unsigned *grid, unsigned cluster, const unsigned *block,
                            size_t smem_bytes)
{
    void *kernel;
    memcpy(&kernel, &f, sizeof kernel);
    return dcgen_emu_launch(emu_call, kernel, &out, grid, cluster, block, smem_bytes);
}

static inline int launch(KernelOf *f, unsigned *out, const unsigned *grid, const unsigned *block, size_t smem_bytes)
{
    return launch_as(f, out, grid, 0, block, smem_bytes);
}

/* So many blocks of so many threads, side by side. */
static inline int launch_row(KernelOf *f, unsigned *out, unsigned nblock, unsigned nthread, size_t smem_bytes)
{
    return launch(f, out, (unsigned[]){ nblock, 1, 1 }, (unsigned[]){ nthread, 1, 1 }, smem_bytes);
}

/* The same in clusters of so many; 0: there are none. */
static inline int launch_clusters(KernelOf *f, unsigned *out, unsigned nblock, unsigned cluster, unsigned nthread,
                                  size_t smem_bytes)
{
    return launch_as(f, out, (unsigned[]){ nblock, 1, 1 }, cluster, (unsigned[]){ nthread, 1, 1 }, smem_bytes);
}

/* The first finding's text; "": there is none. */
static inline const char *first_finding(const Emu *e) { return e->nfinding ? e->finding[0].text : ""; }

#endif
