/* SPDX-License-Identifier: MIT-0
 *
 * gpt2 WEIGHTS [TOKENS [MORE [THREADS]]]: gives an imported GPT-2 a text of TOKENS tokens at once, then lets it write MORE tokens, one by one; keys and values
 * of the tokens before are kept. Prints the new tokens, the last of which no call reads, and the times. The ONNX file is as script/models gpt2 makes it:
 *   dcgen gpt2.onnx --keep --dim batch=B:1..1 --dim seq=T:1..128 --dim past=P:0..1023 --dim kept=K:1..1024
 */
#include "example.h"
#include "gpt2_model.h"
#include "gpt2_pool.h"

#ifndef WORDS
#define WORDS 50257
#define HEADS 12
#define DEPTH 64
#endif

int main(int argc, char **argv)
{
    size_t bytes;
    const void *weights = mapped(argc, argv, "gpt2 WEIGHTS [TOKENS [MORE [THREADS]]]", &bytes);
    const int tokens = number(argc, argv, 2, 43), more = number(argc, argv, 3, 20), threads = number(argc, argv, 4, 1), room = tokens + more;
    const gpt2_exec exec = { .threads = threads, .parallel_for = gpt2_pool_run, .ctx = gpt2_pool_start(threads) };
    gpt2_dims dims = { .B = 1, .T = tokens, .P = 0, .K = room };
    const gpt2_dims last = { .B = 1, .T = 1, .P = room - 1, .K = room };
    const size_t first_needs = gpt2_run_bytes(&dims, &exec), last_needs = gpt2_run_bytes(&last, &exec);
    must(more > 0 && first_needs > 0 && last_needs > 0, gpt2_strerror(gpt2_BAD_SIZE));
    gpt2_model model;
    int code = gpt2_load(&model, weights, bytes, memory(gpt2_model_bytes()));
    must(code == gpt2_OK, gpt2_strerror(code));

    gpt2_state state; /* keys and values of each layer: [HEADS][room][DEPTH] */
    for (size_t i = 0; i < sizeof state / sizeof(float *); i++)
        ((float **)&state)[i] = memory(sizeof(float) * HEADS * DEPTH * (size_t)room);
    int32_t *text = memory(sizeof *text * (size_t)room), *mask = memory(sizeof *mask * (size_t)room);
    for (int i = 0; i < room; i++) {
        text[i] = 1 + i * i % 50;
        mask[i] = 1;
    }
    float *logits = memory(sizeof *logits * WORDS * (size_t)tokens);
    const gpt2_outputs outputs = { .logits = logits };
    void *workspace = memory(first_needs > last_needs ? first_needs : last_needs);
    double first = 0, begin = now();
    for (int n = tokens; n < room; n++) {
        const gpt2_inputs inputs = { .input_ids = text + dims.P, .attention_mask = mask };
        code = gpt2_run(&model, &dims, &inputs, &state, &outputs, workspace, &exec);
        must(code == gpt2_OK, gpt2_strerror(code));
        text[n] = largest(logits + (dims.T - 1) * WORDS, WORDS);
        printf("%d ", text[n]);
        first = n == tokens ? now() - begin : first;
        dims.P = n;
        dims.T = 1;
    }
    printf("\n%d tokens, threads %d: %.3f ms", tokens, threads, 1e3 * first);
    if (more > 1)
        printf("; then %.3f ms each", 1e3 * (now() - begin - first) / (more - 1));
    printf("\n");
    gpt2_pool_stop(exec.ctx);
    return DONE;
}
