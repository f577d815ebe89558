/* SPDX-License-Identifier: MIT-0
 *
 * resnet50 WEIGHTS [HEIGHT [WIDTH [THREADS]]]: runs an imported ResNet-50 on an image of that size, any within the range of the import, and prints the
 * likeliest class and the time. The ONNX file has an input `pixels` and an output `logits`, as script/models resnet50 makes it:
 *   dcgen resnet50.onnx --dim batch=B:1..1 --dim height=H:160..320 --dim width=W:160..320
 */
#include "example.h"
#include "resnet50_model.h"
#include "resnet50_pool.h"

#ifndef CLASSES
#define CLASSES 1000
#endif
enum { CHANNELS = 3, RUNS = 10 };

int main(int argc, char **argv)
{
    size_t bytes;
    const void *weights = mapped(argc, argv, "resnet50 WEIGHTS [HEIGHT [WIDTH [THREADS]]]", &bytes);
    const int height = number(argc, argv, 2, 224), width = number(argc, argv, 3, height), threads = number(argc, argv, 4, 1);
    const resnet50_dims dims = { .B = 1, .H = height, .W = width };
    const resnet50_exec exec = { .threads = threads, .parallel_for = resnet50_pool_run, .ctx = resnet50_pool_start(threads) };
    const size_t need = resnet50_run_bytes(&dims, &exec);
    must(need > 0, resnet50_strerror(resnet50_BAD_SIZE));
    resnet50_model model;
    int code = resnet50_load(&model, weights, bytes, memory(resnet50_model_bytes()));
    must(code == resnet50_OK, resnet50_strerror(code));

    float logits[CLASSES], *pixels = memory(sizeof(float) * CHANNELS * (size_t)(height * width));
    for (int i = 0; i < CHANNELS * height * width; i++)
        pixels[i] = i / 8 % 2 ? 1.0F : -1.0F; /* stripes */
    void *workspace = memory(need);
    double least = 1e30;
    for (int i = 0; i < RUNS; i++) {
        const double begin = now();
        code = resnet50_run(&model, &dims, &(resnet50_inputs){ .pixels = pixels }, &(resnet50_outputs){ .logits = logits }, workspace, &exec);
        must(code == resnet50_OK, resnet50_strerror(code));
        least = now() - begin < least ? now() - begin : least;
    }
    printf("%d x %d pixels, threads %d: %.3f ms; class %d\n", height, width, threads, 1e3 * least, largest(logits, CLASSES));
    resnet50_pool_stop(exec.ctx);
    return DONE;
}
