/* SPDX-License-Identifier: MIT-0
 *
 * flush_l2: puts everything out of a GPU's L2 cache, for times of calls that find nothing there. Included by bench.c, and by what measured
 * the kernels.
 *
 * A kernel reads a buffer of twice the cache, which was written long before. Reading, not writing: written lines must go back to memory when
 * others want their place, so that the call behind the flush would wait for that too. What was written before goes back while the buffer is
 * read. The kernel is text that the driver compiles: neither nvcc nor the driver's library is needed to build this.
 */
#ifndef PACKAGE_FLUSH_L2_H
#define PACKAGE_FLUSH_L2_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Thread t of all reads the 16 bytes at 16 t, then those so many threads further on. Nobody writes the 1 that it looks for: without that the
 * loads would be of no use, and left out. */
static const char PACKAGE_flush_ptx[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n"
    ".visible .entry flush_l2(.param .u64 p, .param .u64 n)\n{\n"
    "    .reg .pred %q;\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %p, %n, %i, %d, %x;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u64 %n, [n];\n"
    "    cvta.to.global.u64 %p, %p;\n"
    "    mov.u32 %r0, %tid.x;\n"
    "    mov.u32 %r1, %ntid.x;\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %nctaid.x;\n"
    "    mad.lo.u32 %r0, %r2, %r1, %r0;\n"
    "    mul.wide.u32 %i, %r0, 16;\n"
    "    mul.lo.u32 %r3, %r3, %r1;\n"
    "    mul.wide.u32 %d, %r3, 16;\n"
    "    mov.u32 %r4, 0;\n"
    "LOOP:\n"
    "    setp.ge.u64 %q, %i, %n;\n"
    "    @%q bra DONE;\n"
    "    add.s64 %x, %p, %i;\n"
    "    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%x];\n"
    "    or.b32 %r0, %r0, %r1;\n"
    "    or.b32 %r2, %r2, %r3;\n"
    "    or.b32 %r4, %r4, %r0;\n"
    "    or.b32 %r4, %r4, %r2;\n"
    "    add.s64 %i, %i, %d;\n"
    "    bra LOOP;\n"
    "DONE:\n"
    "    setp.eq.u32 %q, %r4, 1;\n"
    "    @%q st.global.u32 [%p], %r4;\n"
    "    ret;\n}\n";

enum { PACKAGE_FLUSH_BYTE = 0x3c, PACKAGE_FLUSH_BLOCKS = 1024, PACKAGE_FLUSH_THREADS = 256 };

typedef struct {
    void *memory; /* on the GPU */
    size_t bytes;
    CUfunction kernel; /* NULL: there is no flush */
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
} PACKAGE_flush;

/* One of the driver's functions, by way of the run time; function: a pointer to a function pointer. 0: the driver lacks it. */
static inline int PACKAGE_driver_function(const char *name, void *function)
{
    void *address = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t e = cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
    cudaError_t e = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    memcpy(function, &address, sizeof address);
    return e == cudaSuccess && found == cudaDriverEntryPointSuccess && address;
}

/* Once the GPU is in use. 0, or an error of CUDA's: then there is no flush. */
static inline int PACKAGE_flush_open(PACKAGE_flush *f, size_t l2_bytes)
{
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*get)(CUfunction *, CUmodule, const char *);
    CUmodule module; /* stays loaded */
    memset(f, 0, sizeof *f);
    f->bytes = 2 * l2_bytes / 16 * 16;
    if (!PACKAGE_driver_function("cuModuleLoadData", &load) || !PACKAGE_driver_function("cuModuleGetFunction", &get) ||
        !PACKAGE_driver_function("cuLaunchKernel", &f->launch))
        return (int)cudaErrorNotSupported;
    int code = (int)cudaMalloc(&f->memory, f->bytes);
    code = code ? code : (int)cudaMemset(f->memory, PACKAGE_FLUSH_BYTE, f->bytes);
    code = code ? code : (int)load(&module, PACKAGE_flush_ptx);
    code = code ? code : (int)get(&f->kernel, module, "flush_l2");
    if (code)
        f->kernel = NULL;
    return code;
}

/* In the stream, where it may be captured. 0, or an error of CUDA's. */
static inline int PACKAGE_flush_start(const PACKAGE_flush *f, cudaStream_t stream)
{
    uint64_t p = (uint64_t)(uintptr_t)f->memory, n = f->bytes;
    void *params[] = { &p, &n };
    return (int)f->launch(f->kernel, PACKAGE_FLUSH_BLOCKS, 1, 1, PACKAGE_FLUSH_THREADS, 1, 1, 0, stream, params, NULL);
}

#endif
