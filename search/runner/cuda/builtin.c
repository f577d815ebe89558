/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin: two kernels of this program's own, as PTX text that the driver compiles: no nvcc at build time. One does
 * nothing: its time is the least that can be measured. The other makes a digest of memory, so that what lies on the GPU
 * is compared there and not downloaded.
 *
 *   digest = sum over i of mix(i, byte i), modulo 2^64
 *
 * Before the digest is used it must agree with the same sum by the CPU. Where the driver does not load its kernel, or
 * the sums differ, memory is downloaded and the CPU makes digests: that is slower, so that there is a limit to it, and
 * all else stays the same. The runtime hands out the driver's functions, so that this program needs no driver to start.
 */
#include "search/runner/cuda/runner_cuda.h"

#include <cuda.h>
#include <xxhash.h>

enum { NTHREAD = 256, BLOCKS_SM = 4, LANES = 32, PROOF_BYTES = 70000 };
static const size_t most_downloaded = (size_t)256 << 20;

/* The file builtin.ptx, which stands beside this one, as text. */
__asm__(".pushsection .rodata\n"
        ".globl builtin_ptx\n"
        "builtin_ptx: .incbin \"" BUILTIN_PTX "\"\n"
        ".byte 0\n"
        ".popsection");

static struct {
    CUfunction null, digest;
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                       void **, void **);
    unsigned most_blocks;
    uint64_t *sum; /* on the GPU: LANES a span; NULL: the CPU makes digests */
} builtin;

bool builtin_too_much(size_t bytes) { return !builtin.sum && bytes > most_downloaded; }

static uint64_t mix(uint64_t i, unsigned char byte)
{
    uint64_t x = (i << 8 | byte) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint64_t builtin_sum(const void *host, size_t bytes)
{
    const unsigned char *p = host;
    uint64_t h = 0;
    for (size_t i = 0; i < bytes; i++)
        h += mix(i, p[i]);
    return h;
}

/* Downloads memory in pieces, so that little room is taken, and makes its digest. Any digest will do, as none is
 * compared with one that the GPU made: this one is 9 times as fast as the sum. */
static uint64_t digest_downloaded(const Span *span)
{
    enum { PIECE = 1 << 20 };
    static unsigned char piece[PIECE];
    uint64_t digest = 0;
    for (size_t at = 0; at < span->bytes; at += PIECE) {
        const size_t n = span->bytes - at < PIECE ? span->bytes - at : PIECE;
        gpu_must(cudaMemcpy(piece, (const char *)span->data + at, n, cudaMemcpyDeviceToHost), "cudaMemcpy");
        digest = XXH3_64bits_withSeed(piece, n, digest);
    }
    return digest;
}

static void start_sum(const Span *span, uint64_t *sum)
{
    uint64_t p = (uint64_t)(uintptr_t)span->data, n = span->bytes, s = (uint64_t)(uintptr_t)sum;
    void *params[] = { &p, &n, &s };
    uint64_t blocks = (n + NTHREAD - 1) / NTHREAD;
    blocks = blocks < builtin.most_blocks ? blocks : builtin.most_blocks;
    if (n > 0)
        gpu_must(
            (cudaError_t)builtin.launch(builtin.digest, (unsigned)blocks, 1, 1, NTHREAD, 1, 1, 0, NULL, params, NULL),
            "the digest"); /* both have the same numbers */
}

void builtin_digest(const Span *span, int n, uint64_t *digest)
{
    uint64_t lane[MAX_SPAN][LANES];
    if (!builtin.sum) {
        for (int i = 0; i < n; i++)
            digest[i] = digest_downloaded(&span[i]);
        return;
    }
    const size_t bytes = (size_t)n * sizeof *lane;
    gpu_must(cudaMemset(builtin.sum, 0, bytes), "cudaMemset");
    for (int i = 0; i < n; i++)
        start_sum(&span[i], builtin.sum + i * LANES);
    gpu_must(cudaMemcpy(lane, builtin.sum, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < n; i++) {
        digest[i] = 0;
        for (int l = 0; l < LANES; l++)
            digest[i] += lane[i][l];
    }
}

/* True if the GPU makes the CPU's digest, of all values at an odd address, and another when a byte changes. */
static bool prove_digest(void)
{
    unsigned char host[PROOF_BYTES];
    GpuBuffer b;
    uint64_t digest[2] = { 0 };
    for (int i = 0; i < PROOF_BYTES; i++)
        host[i] = (unsigned char)(i * 167 + i / 251);
    if (!gpu_buffer_new(&b, PROOF_BYTES, 1))
        return false;
    for (int i = 0; i < 2; i++) {
        host[PROOF_BYTES / 2] ^= 1;
        gpu_buffer_put(&b, host);
        builtin_digest(&(Span){ b.data, b.bytes }, 1, &digest[i]);
    }
    gpu_buffer_free(&b);
    return digest[1] == builtin_sum(host, PROOF_BYTES) && digest[0] != digest[1];
}

static bool open_digest(void)
{
    void *sum = NULL;
    if (!builtin.digest || cudaMalloc(&sum, MAX_SPAN * LANES * sizeof(uint64_t)) != cudaSuccess)
        return false;
    builtin.sum = sum;
    if (prove_digest())
        return true;
    builtin.sum = NULL;
    gpu_must(cudaFree(sum), "cudaFree");
    return false;
}

static bool load_kernels(char why[LIBRARY_WHY_BYTES])
{
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*get)(CUfunction *, CUmodule, const char *);
    CUmodule module;
    snprintf(why, LIBRARY_WHY_BYTES, "the driver lacks a function for modules");
    if (!PACKAGE_driver_function("cuModuleLoadData", &load) || !PACKAGE_driver_function("cuModuleGetFunction", &get) ||
        !PACKAGE_driver_function("cuLaunchKernel", &builtin.launch))
        return false;
    CUresult code = load(&module, builtin_ptx); /* stays loaded */
    if (code == CUDA_SUCCESS)
        code = get(&builtin.null, module, "dcgen_null");
    if (code != CUDA_SUCCESS)
        snprintf(why, LIBRARY_WHY_BYTES, "the driver does not load the null kernel: %s",
                 cudaGetErrorString((cudaError_t)code)); /* both have the same numbers */
    else if (get(&builtin.digest, module, "dcgen_digest") != CUDA_SUCCESS)
        builtin.digest = NULL;
    return code == CUDA_SUCCESS;
}

bool builtin_open(int sms)
{
    char why[LIBRARY_WHY_BYTES];
    builtin.most_blocks = (unsigned)(BLOCKS_SM * (sms > 0 ? sms : 1));
    const bool good = load_kernels(why);
    if (!good || !open_digest())
        fprintf(stderr, "dcgen-runner-cuda: operands are compared by the CPU: %s\n",
                good ? "the GPU's digest of memory is not that of the CPU" : why);
    return good;
}

int builtin_null(void *stream) { return (int)builtin.launch(builtin.null, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL); }
