/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_products: products of matrices, which become calls of dcgen's operators. Their operands lie in memory, and are
 * seen as they lie there where the operator takes strides or another layout.
 */
#include <string.h>
#include "gen/import/lower.h"

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* ---- products of matrices ---- */

enum { BATCH_PLACE = 32, MAX_BATCH = 6 }; /* places of batches, rows, columns and sums are numbered from here on */

/* Both matrices over places of their own: of the batch, m, n and k. */
typedef struct {
    int nbatch;
    const Poly *batch[MAX_BATCH];
    const Poly *M, *N, *K;
    const Elem *a, *b;               /* loads, over the places of batch and (m, k), (k, n) */
    const Elem *place_of[MAX_BATCH]; /* of each extent of the model's batch: its place by those here */
} Product;

static const Elem *batch_place(Lower *l, const Product *p, int i)
{
    return lower_place_elem(l, BATCH_PLACE + i, p->batch[i]);
}
static int m_place(Lower *l, const Product *p) { return lower_place(l, BATCH_PLACE + MAX_BATCH, p->M); }
static int n_place(Lower *l, const Product *p) { return lower_place(l, BATCH_PLACE + MAX_BATCH + 1, p->N); }
static int k_place(Lower *l, const Product *p) { return lower_place(l, BATCH_PLACE + MAX_BATCH + 2, p->K); }

/* The operand's load over places of the product. rows, columns: of the matrix. */
static const Elem *load_of(Lower *l, const Product *p, const Value *v, int rank, const Poly *rows, int row,
                           const Poly *columns, int column)
{
    const Elem *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK];
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank - 2; i++)
        by[i] = poly_is(v->dim[i], 1) ? elem_int(l->elems, 0) : p->place_of[rank - v->rank + i];
    by[v->rank - 2] = poly_is(rows, 1) ? elem_int(l->elems, 0) : elem_place(l->elems, row);
    by[v->rank - 1] = poly_is(columns, 1) ? elem_int(l->elems, 0) : elem_place(l->elems, column);
    return elem_replace(l->elems, v->elem, v->rank, place, by);
}

/* The access over the batch, and then two places. */
static bool access_product(Lower *l, const Product *p, const Elem *x, int first, int second, Access *a)
{
    int place[MAX_BATCH + 2];
    for (int i = 0; i < p->nbatch; i++)
        place[i] = lower_place(l, BATCH_PLACE + i, p->batch[i]);
    place[p->nbatch] = first;
    place[p->nbatch + 1] = second;
    return access_of(l, x, p->nbatch + 2, place, a);
}

/* Where an index of x has a place of the batch divided by a number, as heads that share keys do, that place becomes
 * two. False: none does. */
static bool split_batch(Lower *l, Product *p, const Elem *x)
{
    for (int i = 0; i < x->narg; i++) {
        const Poly *by, *a, *b, *rest;
        const char *op;
        int64_t n;
        if (!elem_as_size(x->arg[i]) || !poly_split(l->polys, x->arg[i]->size, &by, &op, &a, &b, &rest) ||
            strcmp(op, "/") != 0 || !poly_is_number(b, &n) || n < 2)
            continue;
        for (int k = 0; k < p->nbatch && p->nbatch < MAX_BATCH; k++) {
            const Poly *outer = poly_quotient(l->polys, p->batch[k], b);
            const int place = lower_place(l, BATCH_PLACE + k, p->batch[k]);
            if (!outer || poly_is_dim(l->polys, a) != place)
                continue;
            Product q = *p;
            q.nbatch++;
            for (int j = p->nbatch; j > k + 1; j--)
                q.batch[j] = p->batch[j - 1];
            q.batch[k] = outer;
            q.batch[k + 1] = b;
            int from[MAX_BATCH];
            const Elem *to[MAX_BATCH];
            for (int j = 0; j < p->nbatch; j++) {
                from[j] = lower_place(l, BATCH_PLACE + j, p->batch[j]);
                to[j] = j == k ? ELEM(l->elems, "+", ELEM(l->elems, "*", batch_place(l, &q, k), elem_size(l->elems, b)),
                                      batch_place(l, &q, k + 1))
                               : batch_place(l, &q, j < k ? j : j + 1);
            }
            q.a = elem_replace(l->elems, p->a, p->nbatch, from, to);
            q.b = elem_replace(l->elems, p->b, p->nbatch, from, to);
            for (int j = 0; j < MAX_BATCH; j++)
                q.place_of[j] = p->place_of[j] ? elem_replace(l->elems, p->place_of[j], p->nbatch, from, to) : NULL;
            *p = q;
            return true;
        }
    }
    return false;
}

/* Extents of a batch that is 1, or that goes on where the one before it ends in both matrices, are left out, until two
 * remain. False: more do. */
static bool join_batch(Lower *l, const Access *a, const Access *b, int n, const Poly *const *batch, int *axis)
{
    int naxis = 0;
    for (int i = 0; i < n; i++)
        axis[i] = poly_is(batch[i], 1) ? -1 : naxis++;
    for (int i = 0; i + 1 < n && naxis > 2; i++)
        if (axis[i] >= 0 && axis[i + 1] >= 0 && access_merges(l, a, batch, i) && access_merges(l, b, batch, i)) {
            for (int k = i + 1; k < n; k++)
                axis[k] -= axis[k] >= 0;
            naxis--;
        }
    for (int i = 0; i < n; i++)
        axis[i] = axis[i] < 0 ? -1 : axis[i] + (2 - naxis); /* one batch is the inner one */
    return naxis <= 2;
}

/* The access of a matrix over the two batches and its rows and columns. */
static Access over_axes(Lower *l, const Product *p, const Access *x, const int *axis)
{
    Access a = { .memory = x->memory, .at = x->at, .n = 4 };
    for (int i = 0; i < 2; i++)
        a.stride[i] = number(l, 0);
    for (int i = 0; i < p->nbatch; i++) /* of several that are one the last one's */
        if (axis[i] >= 0)
            a.stride[axis[i]] = x->stride[i];
    a.stride[2] = x->stride[p->nbatch];
    a.stride[3] = x->stride[p->nbatch + 1];
    return a;
}

static void swap_last(Access *a, const Poly **extent)
{
    const Poly *s = a->stride[2], *e = extent[2];
    a->stride[2] = a->stride[3];
    a->stride[3] = s;
    extent[2] = extent[3];
    extent[3] = e;
}

/* The product as a call of batch_matmul. 0: an error; -1: an operand must be copied first, *which says which one. */
static int as_batch(Lower *l, Product *p, int *out, int *which)
{
    Access a, b;
    int axis[MAX_BATCH];
    const int m = m_place(l, p), n = n_place(l, p), k = k_place(l, p);
    while (!access_product(l, p, p->a, m, k, &a))
        if (!split_batch(l, p, p->a))
            return *which = 0, -1;
    while (!access_product(l, p, p->b, k, n, &b))
        if (!split_batch(l, p, p->b))
            return *which = 1, -1;
    if (!access_product(l, p, p->a, m, k, &a))
        return *which = 0, -1;
    if (!join_batch(l, &a, &b, p->nbatch, p->batch, axis))
        return *which = l->memory[a.memory].kind == MEMORY_RESULT, -1;
    Access A = over_axes(l, p, &a, axis), B = over_axes(l, p, &b, axis);
    const Poly *size[2] = { number(l, 1), number(l, 1) };
    for (int i = 0; i < p->nbatch; i++)
        if (axis[i] >= 0)
            size[axis[i]] = poly_mul(l->polys, size[axis[i]], p->batch[i]);
    const Poly *of_a[4] = { size[0], size[1], p->M, p->K }, *of_b[4] = { size[0], size[1], p->K, p->N };
    const bool mk = poly_is(A.stride[3], 1) || poly_is(p->K, 1), kn = poly_is(B.stride[3], 1) || poly_is(p->N, 1);
    if (!mk && !poly_is(A.stride[2], 1) && !poly_is(p->M, 1))
        return *which = 0, -1;
    if (!kn && !poly_is(B.stride[2], 1) && !poly_is(p->K, 1))
        return *which = 1, -1;
    if (!mk)
        swap_last(&A, of_a);
    if (!kn)
        swap_last(&B, of_b);
    A.stride[3] = B.stride[3] = number(l, 1);
    const Poly *extent[MAX_BATCH + 2];
    memcpy(extent, p->batch, sizeof p->batch);
    extent[p->nbatch] = p->M;
    extent[p->nbatch + 1] = p->N;
    Memory r = memory_result(&storages[STORED_F32], p->nbatch + 2, extent);
    int nread = 0;
    for (int i = 0; i < p->nbatch; i++)
        nread += axis[i] >= 0;
    Step s = { .op = "batch_matmul", .naxis = 4, .axis = { "b0", "b1", "m", "n" } };
    for (int i = 0; i < p->nbatch; i++) {
        s.axis_of[i] = axis[i] < 0 ? 0 : axis[i];
        for (int j = 0; j < i; j++)
            r.is_ordered = r.is_ordered || (axis[i] >= 0 && axis[i] == axis[j]); /* two that are one lie side by side */
    }
    for (int i = 0; i < r.rank; i++)
        r.order[i] = i;
    s.axis_of[p->nbatch] = 2;
    s.axis_of[p->nbatch + 1] = 3;
    step_extent(&s, "B0", size[0]);
    step_extent(&s, "B1", size[1]);
    step_extent(&s, "M", p->M);
    step_extent(&s, "N", p->N);
    step_extent(&s, "K", p->K);
    step_operand(&s, "A", &A, of_a);
    step_operand(&s, "B", &B, of_b);
    s.layout = arena_printf(l->arena, "A = \"%s\"; B = \"%s\";", mk ? "MK" : "KM", kn ? "KN" : "NK");
    s.out = *out = memory_add(l, r);
    step_add(l, s);
    return 1;
}

/* The product with a constant matrix as a call of dense; false: it is none. */
static bool as_dense(Lower *l, Product *p, int *out)
{
    Access a, b;
    const int m = m_place(l, p), n = n_place(l, p), k = k_place(l, p), of_b[2] = { k, n };
    const Memory *w = &l->memory[p->b->memory];
    const Poly *count = poly_product(l->polys, w->rank, w->extent);
    if (w->kind != MEMORY_CONSTANT || poly_compare(l->polys, count, poly_mul(l->polys, p->N, p->K)) != POLY_EQUAL ||
        !access_of(l, p->b, 2, of_b, &b) || !poly_is(b.at, 0))
        return false;
    const bool kn =
        poly_is(p->K, 1) || (poly_is(b.stride[1], 1) && poly_compare(l->polys, b.stride[0], p->N) == POLY_EQUAL);
    const bool nk =
        poly_is(p->N, 1) || (poly_is(b.stride[0], 1) && poly_compare(l->polys, b.stride[1], p->K) == POLY_EQUAL);
    if ((!kn && !nk) || !access_product(l, p, p->a, m, k, &a) ||
        !(poly_is(a.stride[p->nbatch + 1], 1) || poly_is(p->K, 1)))
        return false;
    const Poly *extent[MAX_BATCH + 2], *M = p->M;
    memcpy(extent, p->batch, sizeof p->batch);
    extent[p->nbatch] = p->M;
    for (int i = 0; i < p->nbatch; i++)
        M = poly_mul(l->polys, M, p->batch[i]);
    int last = -1; /* extents that are 1 do not count */
    for (int i = 0; i <= p->nbatch; i++) {
        if (poly_is(extent[i], 1))
            continue;
        if (last >= 0 &&
            poly_compare(l->polys, a.stride[last], poly_mul(l->polys, a.stride[i], extent[i])) != POLY_EQUAL)
            return false;
        last = i;
    }
    Access X = { .memory = a.memory, .at = a.at, .n = 2, .stride = { last < 0 ? p->K : a.stride[last], number(l, 1) } };
    const Poly *of_x[2] = { M, p->K }, *of_w[2] = { kn ? p->K : p->N, kn ? p->N : p->K };
    Access W = { .memory = p->b->memory, .at = number(l, 0), .n = 2, .stride = { of_w[1], number(l, 1) } };
    extent[p->nbatch + 1] = p->N;
    Memory r = memory_result(&storages[STORED_F32], p->nbatch + 2, extent);
    r.is_ordered = true;
    Step s = { .op = "dense",
               .naxis = 2,
               .axis = { "m", "n" },
               .layout = kn ? "W = \"KN\"; packed = true;" : "W = \"NK\"; packed = true;" };
    for (int i = 0; i < r.rank; i++) {
        r.order[i] = i;
        s.axis_of[i] = i == r.rank - 1;
    }
    step_extent(&s, "M", M);
    step_extent(&s, "N", p->N);
    step_extent(&s, "K", p->K);
    step_operand(&s, "X", &X, of_x);
    step_operand(&s, "W", &W, of_w);
    s.out = *out = memory_add(l, r);
    step_add(l, s);
    return true;
}

const Elem *lower_product(Lower *l, Value *a, Value *b, int *rank, const Poly **dim)
{
    Product p = { 0 };
    int out, which;
    *rank = a->rank > b->rank ? a->rank : b->rank;
    if (*rank - 2 > MAX_BATCH - 1)
        return lower_error(l, "more than %d extents of a batch", MAX_BATCH - 1), NULL;
    p.M = a->dim[a->rank - 2];
    p.K = a->dim[a->rank - 1];
    p.N = b->dim[b->rank - 1];
    if (!lower_require(l, p.K, b->dim[b->rank - 2]) || !store_value(l, a) || !store_value(l, b))
        return NULL;
    for (int copies = 0;; copies++) {
        p.nbatch = *rank - 2;
        for (int i = 0; i < p.nbatch; i++) {
            const int in_a = i - (*rank - a->rank), in_b = i - (*rank - b->rank);
            const Poly *one = number(l, 1), *x = in_a < 0 ? one : a->dim[in_a], *y = in_b < 0 ? one : b->dim[in_b];
            if (!poly_is(x, 1) && !poly_is(y, 1) && !lower_require(l, x, y))
                return NULL;
            dim[i] = p.batch[i] = poly_is(x, 1) ? y : x;
            p.place_of[i] = batch_place(l, &p, i);
        }
        p.a = load_of(l, &p, a, *rank, p.M, m_place(l, &p), p.K, k_place(l, &p));
        p.b = load_of(l, &p, b, *rank, p.K, k_place(l, &p), p.N, n_place(l, &p));
        if (as_dense(l, &p, &out))
            break;
        const int done = as_batch(l, &p, &out, &which);
        if (done > 0)
            break;
        if (!done || copies == 2 || !store_copy(l, which ? b : a, NULL))
            return done && copies == 2 ? lower_error(l, "its operands lie in no order that products take"), NULL : NULL;
    }
    dim[*rank - 2] = p.M;
    dim[*rank - 1] = p.N;
    const Memory *r = &l->memory[out];
    const Elem *index[LOWER_MAX_RANK];
    for (int i = 0; i < r->rank - 2; i++) { /* a place of the batch by those of the model's */
        index[i] = batch_place(l, &p, i);
        for (int k = 0; k < *rank - 2; k++) {
            const Poly *at = elem_as_size(p.place_of[k]), *stride, *rest;
            const int place = lower_place(l, BATCH_PLACE + i, p.batch[i]);
            if (poly_is(p.batch[i], 1) || !poly_uses(l->polys, at, place) ||
                !poly_linear(l->polys, at, &place, 1, &stride, &rest))
                continue;
            const Poly *whole = poly_apply(l->polys, "/", elem_as_size(lower_place_elem(l, k, dim[k])), stride);
            const bool first = poly_compare(l->polys, poly_mul(l->polys, stride, p.batch[i]), dim[k]) == POLY_EQUAL;
            index[i] = elem_size(l->elems, first ? whole : poly_apply(l->polys, "%", whole, p.batch[i]));
        }
    }
    index[r->rank - 2] = lower_place_elem(l, *rank - 2, p.M);
    index[r->rank - 1] = lower_place_elem(l, *rank - 1, p.N);
    return elem_load(l->elems, out, ELEM_REAL, r->rank, index);
}

/* A vector seen as a matrix of one row or column. */
static Value as_matrix(Lower *l, const Value *v, bool is_column)
{
    Value m = *v;
    const int place = lower_place(l, 0, v->dim[0]);
    const Elem *by = lower_place_elem(l, is_column ? 0 : 1, v->dim[0]);
    if (v->rank != 1)
        return m;
    m.rank = 2;
    m.dim[!is_column] = v->dim[0];
    m.dim[is_column] = number(l, 1);
    m.elem = elem_replace(l->elems, value_elem(l, v), 1, &place, &by);
    m.nlist = 0;
    return m;
}

/* Takes a number out of a factor of a product: of x*0.5 it leaves x. Gives the number. */
static double take_number(Lower *l, Value *v)
{
    double number_;
    const Elem *x = v->elem;
    if (!x || v->nlist || x->kind != ELEM_APPLY || strcmp(x->op, "*") != 0 || !elem_is_number(x->arg[1], &number_))
        return 1;
    v->elem = elem_as(l->elems, x->arg[0], ELEM_REAL);
    return number_;
}

/* A factor as it is stored: others that read the same value find it in memory too, if nothing was taken out of it. */
static Value *factor(Value *own, Value *copy, double number_) { return number_ == 1 && own->rank > 1 ? own : copy; }

static bool lower_matmul(Lower *l, const NetNode *n)
{
    if (!lower_has_reals(l, 2))
        return false;
    Value *a = &l->value[n->input[0]], *b = &l->value[n->input[1]], A, B;
    const Poly *dim[LOWER_MAX_RANK];
    int rank;
    if (!a->rank || !b->rank)
        return lower_error(l, "expected matrices");
    const bool is_row = a->rank == 1, is_column = b->rank == 1;
    A = as_matrix(l, a, false);
    B = as_matrix(l, b, true);
    const double of_a = take_number(l, &A), of_b = take_number(l, &B);
    const Elem *x = lower_product(l, factor(a, &A, of_a), factor(b, &B, of_b), &rank, dim);
    if (!x)
        return false;
    x = ELEM(l->elems, "*", x, elem_number(l->elems, of_a * of_b));
    int place[LOWER_MAX_RANK], kept = 0;
    const Elem *by[LOWER_MAX_RANK];
    const Poly *left[LOWER_MAX_RANK];
    lower_places(l, rank, dim, place);
    for (int i = 0; i < rank; i++) {
        const bool gone = (is_row && i == rank - 2) || (is_column && i == rank - 1);
        by[i] = gone ? elem_int(l->elems, 0) : lower_place_elem(l, kept, dim[i]);
        if (!gone)
            left[kept++] = dim[i];
    }
    return lower_give(l, 0, a->type, kept, left, elem_replace(l->elems, x, rank, place, by));
}

/* The last two extents the other way round. */
static Value turned(Lower *l, const Value *v)
{
    Value t = *v;
    int place[2];
    const int at = v->rank - 2;
    t.dim[at] = v->dim[at + 1];
    t.dim[at + 1] = v->dim[at];
    for (int i = 0; i < 2; i++)
        place[i] = lower_place(l, at + i, v->dim[at + i]);
    const Elem *by[2] = { lower_place_elem(l, at + 1, t.dim[at + 1]), lower_place_elem(l, at, t.dim[at]) };
    t.elem = elem_replace(l->elems, value_elem(l, v), 2, place, by);
    t.nlist = 0;
    return t;
}

/* ONNX Runtime's product of matrices, either of them transposed. */
static bool lower_fused_matmul(Lower *l, const NetNode *n)
{
    const Poly *dim[LOWER_MAX_RANK];
    int rank;
    if (!lower_has_reals(l, 2) || lower_input(l, 0)->rank < 2 || lower_input(l, 1)->rank < 2)
        return lower_error(l, "expected matrices");
    if (onnx_int(n->onnx, "transBatchA", 0) || onnx_int(n->onnx, "transBatchB", 0))
        return lower_error(l, "transposed batches are not supported");
    Value *a = &l->value[n->input[0]], *b = &l->value[n->input[1]];
    if (!store_value(l, a) || !store_value(l, b))
        return false;
    Value A = onnx_int(n->onnx, "transA", 0) ? turned(l, a) : *a,
          B = onnx_int(n->onnx, "transB", 0) ? turned(l, b) : *b;
    const Elem *x = lower_product(l, &A, &B, &rank, dim);
    const Elem *alpha = elem_number(l->elems, onnx_float(n->onnx, "alpha", 1));
    return x && lower_give(l, 0, a->type, rank, dim, ELEM(l->elems, "*", x, alpha));
}

static bool lower_gemm(Lower *l, const NetNode *n)
{
    if (!lower_has_reals(l, 2) || lower_input(l, 0)->rank != 2 || lower_input(l, 1)->rank != 2)
        return lower_error(l, "expected two matrices");
    Value *a = &l->value[n->input[0]], *b = &l->value[n->input[1]], A, B;
    const Poly *dim[LOWER_MAX_RANK];
    int rank;
    const bool ta = onnx_int(n->onnx, "transA", 0), tb = onnx_int(n->onnx, "transB", 0);
    if (!store_value(l, a) || !store_value(l, b))
        return false;
    A = ta ? turned(l, a) : *a;
    B = tb ? turned(l, b) : *b;
    const Elem *x = lower_product(l, &A, &B, &rank, dim);
    if (!x)
        return false;
    x = ELEM(l->elems, "*", x, elem_number(l->elems, onnx_float(n->onnx, "alpha", 1)));
    if (lower_input(l, 2)) {
        const Elem *c = lower_broadcast(l, lower_input(l, 2), rank, dim);
        x = ELEM(l->elems, "+", x, ELEM(l->elems, "*", c, elem_number(l->elems, onnx_float(n->onnx, "beta", 1))));
    }
    return lower_give(l, 0, a->type, rank, dim, x);
}

const LowerRow lower_products[] = {
    { "MatMul", lower_matmul, 0, NULL },
    { "Gemm", lower_gemm, 0, NULL },
    { "com.microsoft.FusedMatMul", lower_fused_matmul, 0, NULL },
    { NULL, NULL, 0, NULL },
};
