/* SPDX-License-Identifier: MIT-0
 *
 * resnet50 WEIGHTS [HEIGHT [WIDTH [THREADS]]]: runs an imported ResNet-50 (CMakeLists.txt says how it is made) on an image of that size, any within the
 * range of the import, and prints the likeliest class and the time. WEIGHTS: the file that the import wrote. Exit code 0: done, 1: not, 2: bad usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include "resnet50_model.h"
#include "resnet50_pool.h"

#ifndef CLASSES
#define CLASSES 1000
#endif

enum { CHANNELS = 3, RUNS = 10 };

static void *memory(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

/* Loads the model from a file, in which the weights that are not packed stay. */
static int load(resnet50_model *model, const char *path)
{
    struct stat s;
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &s) != 0)
        return resnet50_BAD_WEIGHTS;
    const void *weights = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    return weights == MAP_FAILED ? resnet50_BAD_WEIGHTS : resnet50_load(model, weights, (size_t)s.st_size, memory(resnet50_model_bytes()));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A picture of stripes, channel by channel. */
static float *picture(const resnet50_dims *d)
{
    float *pixels = memory(sizeof(float) * CHANNELS * (size_t)(d->H * d->W));
    for (int64_t i = 0; pixels && i < CHANNELS * d->H * d->W; i++)
        pixels[i] = i / 8 % 2 ? 1.0F : -1.0F;
    return pixels;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 5) {
        fprintf(stderr, "usage: resnet50 WEIGHTS [HEIGHT [WIDTH [THREADS]]]\n");
        return 2;
    }
    const int height = argc > 2 ? atoi(argv[2]) : 224, width = argc > 3 ? atoi(argv[3]) : height, threads = argc > 4 ? atoi(argv[4]) : 1;
    const resnet50_dims dims = { .B = 1, .H = height, .W = width };
    const resnet50_exec exec = { .threads = threads, .parallel_for = resnet50_pool_run, .ctx = resnet50_pool_start(threads) };
    resnet50_model model;
    int code = load(&model, argv[1]), best = 0;
    if (code == resnet50_OK && resnet50_run_bytes(&dims, &exec) == 0)
        code = resnet50_BAD_SIZE;
    float logits[CLASSES], *pixels = code ? NULL : picture(&dims);
    void *workspace = code ? NULL : memory(resnet50_run_bytes(&dims, &exec));
    const resnet50_inputs inputs = { .pixels = pixels };
    const resnet50_outputs outputs = { .logits = logits };
    double least = 1e30;
    for (int i = 0; i < RUNS && code == resnet50_OK; i++) {
        const double begin = now();
        code = resnet50_run(&model, &dims, &inputs, &outputs, workspace, &exec);
        least = now() - begin < least ? now() - begin : least;
    }
    if (code) {
        fprintf(stderr, "resnet50: %s\n", resnet50_strerror(code));
        return 1;
    }
    for (int i = 1; i < CLASSES; i++)
        best = logits[i] > logits[best] ? i : best;
    printf("%d x %d pixels, threads %d: %.3f ms; class %d\n", height, width, threads, 1e3 * least, best);
    resnet50_pool_stop(exec.ctx);
    free(pixels);
    free(workspace);
    return 0;
}
