/* SPDX-License-Identifier: Apache-2.0
 *
 * request: its kernels, and what it is as a line of the protocol (search/runner/protocol.md).
 */
#include "gen/base/json.h"
#include "search/measure/runner_private.h"

int kernels_add(Kernels *k, const char *key, const char *so, int at)
{
    if (k->n == REQUEST_MOST)
        return -1;
    k->key[k->n] = key;
    k->so[k->n] = so;
    k->at[k->n] = at;
    return k->n++;
}

/* The extent that lies k-th in memory, outermost first: the last one is always the innermost. */
static int in_memory(const MeasureRequest *q, int rank, int k)
{
    return q->gap && q->lie == LIE_TURNED && k + 1 < rank ? rank - 2 - k : k;
}

/* An operand's extents and strides, outermost first. False: one overflows. */
static bool lay_out(const Runner *r, const MeasureRequest *q, int operand, int64_t *extent, int64_t *stride)
{
    const int rank = r->layout[operand]->rank;
    const bool repeats = q->gap && q->lie == LIE_REPEATED && r->op->operand[operand].role != ROLE_OUT;
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        const int k = in_memory(q, rank, i);
        if (expr_int_at(r->layout[operand]->extent[k], q->extent, &extent[k]) != EXPR_OK)
            return false;
        /* of every other operand all rows are one, of the others those along the first extent */
        stride[k] = repeats && k + 1 < rank && (k == 0 || operand % 2) ? 0 : step;
        if (stride[k] &&
            (__builtin_mul_overflow(step, extent[k], &step) || __builtin_add_overflow(step, q->gap, &step)))
            return false;
    }
    return true;
}

static json_t *integers(const int64_t *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_integer(v[i]));
    return list;
}

/* Adds the strides of strided operands behind a call's extents, and to `apart` those with gaps. False: overflow. */
static bool add_strides(const Runner *r, const MeasureRequest *q, json_t *extent, json_t *apart)
{
    const Op *op = r->op;
    for (int i = 0; i < op->noperand; i++) {
        const int rank = r->layout[i]->rank;
        int64_t along[OP_MAX_RANK], stride[OP_MAX_RANK];
        if (!op->operand[i].strided)
            continue;
        if (!lay_out(r, q, i, along, stride))
            return false;
        json_t *strides = integers(stride, rank - 1);
        json_array_extend(extent, strides);
        if (q->gap && rank > 1)
            json_array_append_new(apart, JSON_OBJECT(FIELD("operand", i), FIELD("extents", integers(along, rank)),
                                                     FIELD("strides", json_incref(strides))));
        json_decref(strides);
    }
    return true;
}

/* An operand's k-th extent; 0 where it cannot be computed, which the operand's size reports. */
static int64_t extent_along(const Runner *r, const MeasureRequest *q, int operand, int k)
{
    int64_t along = 0;
    return expr_int_at(r->layout[operand]->extent[k], q->extent, &along) == EXPR_OK ? along : 0;
}

static json_t *output_extents(const Runner *r, const MeasureRequest *q)
{
    json_t *list = json_array();
    int out = 0;
    while (r->op->operand[out].role != ROLE_OUT)
        out++;
    for (int k = 0; k < r->layout[out]->rank; k++)
        json_array_append_new(list, json_integer(extent_along(r, q, out, k)));
    return list;
}

/* Adds the lengths of operands' rows, and how extents are divided into parts, where an operand has rows or parts. */
static void add_parts(const Runner *r, const MeasureRequest *q, json_t *line)
{
    const Op *op = r->op;
    int64_t row[OP_MAX_OPERAND];
    if (!op_has_parts(op))
        return;
    for (int i = 0; i < op->noperand; i++) {
        const int64_t along = extent_along(r, q, i, r->layout[i]->rank - 1);
        row[i] = along > 1 ? along : 1;
    }
    JSON_SET(line, FIELD("along", integers(row, op->noperand)));
    JSON_SET(line, FIELD("way", q->way));
}

/* Lists kernels of a request. *keep: the place of MeasureRequest.keep in the list; -1: it is not there. */
static json_t *list_kernels(const Request *q, const int *which, int n, int *keep)
{
    json_t *kernels = json_array();
    *keep = -1;
    for (int i = 0; i < n; i++) {
        *keep = which[i] == q->measure.keep ? i : *keep;
        json_array_append_new(kernels,
                              json_pack("{s:s, s:s}", "key", q->kernel.key[which[i]], "so", q->kernel.so[which[i]]));
    }
    return kernels;
}

char *request_measure_line(const Runner *r, const Request *request, int repeats, const int *which, int n)
{
    const MeasureRequest *q = &request->measure;
    const Op *op = r->op;
    int64_t rows = 0, row_elems = 0;
    double flops = 0;
    int keep;
    bool good = expr_int_at(op->rows, q->extent, &rows) == EXPR_OK &&
                expr_int_at(op->row_elems, q->extent, &row_elems) == EXPR_OK &&
                expr_real_at(op->flops, q->extent, &flops) == EXPR_OK;
    json_t *extent = integers(q->extent, op->nextent), *elems = json_array(), *apart = json_array();
    json_t *kernels = list_kernels(request, which, n, &keep);
    good = add_strides(r, q, extent, apart) && good;
    for (int i = 0; i < op->noperand; i++) {
        int64_t all = 0;
        good = good && expr_int_at(op->operand[i].elems, q->extent, &all) == EXPR_OK;
        json_array_append_new(elems, json_integer(all));
    }
    json_t *line =
        JSON_OBJECT(FIELD("extent", extent), FIELD("elems", elems), FIELD("rows", rows), FIELD("row_elems", row_elems),
                    FIELD("flops", fmax(flops, 0)), FIELD("out_extents", output_extents(r, q)), FIELD("cmd", "measure"),
                    FIELD("id", r->last_id), FIELD("threads", q->threads), FIELD("repeats", repeats),
                    FIELD("sample_ns", q->sample_ns), FIELD("max_ns", q->max_ns), FIELD("hot", (bool)!q->cold),
                    FIELD("kernels", kernels));
    if (q->drop > 0)
        JSON_SET(line, FIELD("drop", q->drop));
    if (q->keep >= 0)
        JSON_SET(line, FIELD("keep", keep));
    if (json_array_size(apart) > 0)
        JSON_SET(line, FIELD("apart", json_incref(apart)));
    json_decref(apart);
    if (q->count)
        JSON_SET(line, FIELD("count", (bool)true));
    if (q->data)
        JSON_SET(line, FIELD("data", q->data));
    add_parts(r, q, line);
    if (q->smem_limit > 0)
        JSON_SET(line, FIELD("smem_limit", q->smem_limit));
    char *text = runner_line(request->arena, line);
    return good ? text : NULL;
}

char *request_limits_line(const Runner *r, const Request *request)
{
    const LimitRequest *q = &request->limits;
    json_t *threads = json_array();
    for (int i = 0; i < q->nthread; i++)
        json_array_append_new(threads, json_integer(q->threads[i]));
    return runner_line(request->arena, json_pack("{s:s, s:I, s:s, s:s, s:o, s:f, s:s*}", "cmd", "limits", "id",
                                                 (json_int_t)r->last_id, "target", q->target, "dtype", q->dtype,
                                                 "threads", threads, "max_ns", q->max_ns, "so", q->so));
}
