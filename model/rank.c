/* SPDX-License-Identifier: Apache-2.0
 *
 * rank: sorts by a number and computes Spearman's rank correlation.
 */
#include "model/rank.h"

#include <stdlib.h>

int ranked_compare(const void *x, const void *y)
{
    const Ranked *a = x, *b = y;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->at > b->at) - (a->at < b->at);
}

int ranked_insert(Ranked *list, int n, int most, double key, int64_t at)
{
    int k = n < most ? n++ : most;
    for (; k > 0 && list[k - 1].key > key; k--)
        if (k < most)
            list[k] = list[k - 1];
    if (k < most)
        list[k] = (Ranked){ key, at };
    return n;
}

RankOrder rank_new(Arena *a, int64_t most)
{
    return (RankOrder){ 0, most, ARENA_ARRAY(a, (size_t)most + 1, Ranked), ARENA_ARRAY(a, (size_t)most + 1, Ranked) };
}

void rank_add(RankOrder *o, double truth, double predicted, int64_t at)
{
    o->truth[o->n] = (Ranked){ truth, at };
    o->predicted[o->n++] = (Ranked){ predicted, at };
}

void rank_sort(RankOrder *o)
{
    qsort(o->truth, (size_t)o->n, sizeof *o->truth, ranked_compare);
    qsort(o->predicted, (size_t)o->n, sizeof *o->predicted, ranked_compare);
}

double rank_spearman(Arena *a, const RankOrder *o)
{
    int64_t *rank = ARENA_ARRAY(a, (size_t)o->most + 1, int64_t);
    double sum = 0, n = (double)o->n;
    for (int64_t i = 0; i < o->n; i++)
        rank[o->truth[i].at] = i;
    for (int64_t i = 0; i < o->n; i++) {
        const double d = (double)(rank[o->predicted[i].at] - i);
        sum += d * d;
    }
    return 1 - 6 * sum / (n * (n * n - 1));
}

double rank_recall(const RankOrder *o, int top)
{
    int hits = 0;
    for (int i = 0; i < top && i < o->n; i++)
        for (int k = 0; k < top && k < o->n; k++)
            hits += o->truth[i].at == o->predicted[k].at;
    return (double)hits / top;
}
