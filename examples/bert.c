/* SPDX-License-Identifier: MIT-0
 *
 * bert WEIGHTS [BATCH [T [THREADS]]]: runs an imported BERT on BATCH texts, of which the first has T tokens and each other one less, and prints how alike
 * it takes the first and the last to be (the cosine between their summaries), and the time. The ONNX file is as script/models bert makes it:
 *   dcgen bert.onnx --dim batch=B:1..8 --dim seq=T:1..384
 */
#include "example.h"
#include <math.h>
#include "bert_model.h"
#include "bert_pool.h"

#ifndef WIDTH
#define WIDTH 768
#endif
enum { WORDS = 100, RUNS = 10 };

static double likeness(const float *x, const float *y)
{
    double xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < WIDTH; i++) {
        xx += (double)x[i] * x[i];
        xy += (double)x[i] * y[i];
        yy += (double)y[i] * y[i];
    }
    return xy / sqrt(xx * yy);
}

int main(int argc, char **argv)
{
    size_t bytes;
    const void *weights = mapped(argc, argv, "bert WEIGHTS [BATCH [T [THREADS]]]", &bytes);
    const int batch = number(argc, argv, 2, 2), T = number(argc, argv, 3, 43), threads = number(argc, argv, 4, 1);
    const bert_dims dims = { .B = batch, .T = T };
    const bert_exec exec = { .threads = threads, .parallel_for = bert_pool_run, .ctx = bert_pool_start(threads) };
    const size_t need = bert_run_bytes(&dims, &exec), tokens = (size_t)batch * (size_t)T;
    must(need > 0, bert_strerror(bert_BAD_SIZE));
    bert_model model;
    int code = bert_load(&model, weights, bytes, memory(bert_model_bytes()));
    must(code == bert_OK, bert_strerror(code));

    int32_t *id = memory(sizeof *id * tokens), *mask = memory(sizeof *mask * tokens), *type = memory(sizeof *type * tokens);
    for (int i = 0; i < batch * T; i++) {
        id[i] = 1 + i * i % WORDS;
        mask[i] = i % T < T - i / T % T;
        type[i] = 0;
    }
    float *hidden = memory(sizeof *hidden * tokens * WIDTH), *summary = memory(sizeof *summary * (size_t)batch * WIDTH);
    const bert_inputs inputs = { .input_ids = id, .attention_mask = mask, .token_type_ids = type };
    const bert_outputs outputs = { .last_hidden_state = hidden, .pooler_output = summary };
    void *workspace = memory(need);
    double least = 1e30;
    for (int i = 0; i < RUNS; i++) {
        const double begin = now();
        code = bert_run(&model, &dims, &inputs, &outputs, workspace, &exec);
        must(code == bert_OK, bert_strerror(code));
        least = now() - begin < least ? now() - begin : least;
    }
    printf("%d texts of %d tokens, threads %d: %.3f ms; likeness %.4f\n", batch, T, threads, 1e3 * least, likeness(summary, summary + (batch - 1) * WIDTH));
    bert_pool_stop(exec.ctx);
    return DONE;
}
