/* SPDX-License-Identifier: MIT-0
 *
 * layer: the graph of specs/bert_layer.cfg as the package runs it, with the memory and the threads that it is given.
 */
#include "layer.h"

#include <stdlib.h>
#include <string.h>
#include "bert_layer_model.h"
#include "bert_layer_pool.h"

typedef struct {
    bert_layer_model model;
    bert_layer_dims dims;
    bert_layer_exec exec;
    void *packed, *workspace;
} Layer;

static void *memory(size_t bytes) { return bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL; }

/* Weights are given in the order in which the model has them. */
static const void *find(void *weights, const char *name, size_t bytes)
{
    const float *const *all = weights;
    int i = 0;
    (void)bytes;
    while (strcmp(bert_layer_weight_at(i)->name, name) != 0)
        i++;
    return all[i];
}

void *bert_layer_example_new(int batch, int T, int threads, const float *const *weights)
{
    Layer *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->dims = (bert_layer_dims){ .B = batch, .T = T };
    if (threads > 1)
        l->exec = (bert_layer_exec){ .threads = threads, .parallel_for = bert_layer_pool_run, .ctx = bert_layer_pool_start(threads) };
    l->packed = memory(bert_layer_model_bytes());
    l->workspace = memory(bert_layer_run_bytes(&l->dims, &l->exec));
    if (l->workspace && (threads < 2 || l->exec.ctx) && bert_layer_load_from(&l->model, find, (void *)weights, l->packed) == bert_layer_OK)
        return l;
    bert_layer_example_free(l);
    return NULL;
}

int bert_layer_example_run(void *state, const float *x, const int32_t *lengths, float *y)
{
    const Layer *l = state;
    const bert_layer_inputs inputs = { .x = x, .lengths = lengths };
    const bert_layer_outputs outputs = { .y = y };
    return bert_layer_run(&l->model, &l->dims, &inputs, &outputs, l->workspace, &l->exec);
}

void bert_layer_example_free(void *state)
{
    Layer *l = state;
    if (!l)
        return;
    bert_layer_pool_stop(l->exec.ctx);
    free(l->packed);
    free(l->workspace);
    free(l);
}
