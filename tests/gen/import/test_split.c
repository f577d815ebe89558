/* SPDX-License-Identifier: Apache-2.0
 *
 * split: what one formula cannot say is computed in several steps, whose results are those of the expression.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/import/lower.h"
#include "tests/gen/import/onnx_model.h"
#include "tests/near.h"

enum { SIDE = 5, MOST_MEMORY = 64, MOST_DIM = 256 };

static Onnx__ModelProto *proto;
static Lower *lower;
static double data[MOST_MEMORY][SIDE * SIDE];

static int setup_model(void **state)
{
    if (setup_folder(state) != 0)
        return -1;
    proto = new_model();
    ADD(proto->graph->input, proto->graph->n_input, new_value("x", "5 5"));
    add_output(proto->graph, "y");
    return 0;
}

static double x_at(int64_t i) { return sin((double)(i * 7 + 1)); }

/* ---- steps, carried out ---- */

static int64_t extent_of(const Memory *m, int k)
{
    int64_t n;
    assert_true(poly_is_number(m->extent[k], &n));
    return n;
}

static bool load(void *ctx, int memory, const int64_t *index, int n, double *value)
{
    const Memory *m = &lower->memory[memory];
    int64_t at = 0;
    for (int k = 0; k < n; k++)
        at = at * extent_of(m, k) + index[k];
    *value = m->kind == MEMORY_CONSTANT ? ((const float *)m->data)[at] : data[memory][at];
    return true;
}

static void run(const Step *s)
{
    const Memory *m = &lower->memory[s->out];
    int64_t dims[MOST_DIM] = { 0 }, n = 1;
    assert_true(polys_ndim(lower->polys) <= MOST_DIM && s->out < MOST_MEMORY);
    for (int k = 0; k < m->rank; k++)
        n *= extent_of(m, k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = m->rank - 1, rest = i; k >= 0; k--) {
            dims[lower_place(lower, (int)k, m->extent[k])] = rest % extent_of(m, (int)k);
            rest /= extent_of(m, (int)k);
        }
        assert_true(elem_at(lower->elems, s->value, dims, load, NULL, &data[s->out][i]));
    }
}

/* Imports and runs the model; the memory of y. */
static const double *result(int least_steps)
{
    OnnxModel *m = good(proto);
    TextList none = { 0 };
    Diag *d = diag_new(arena);
    int y = -1;
    lower = lower_model(arena, m, &none, false, d);
    if (!lower)
        fail_msg("%s", golden_diag(arena, d));
    assert_true(lower->norder >= least_steps);
    for (int i = 0; i < lower->nmemory; i++)
        for (int k = 0; k < SIDE * SIDE && lower->memory[i].kind == MEMORY_INPUT; k++)
            data[i][k] = x_at(k);
    for (int i = 0; i < lower->norder; i++)
        run(&lower->step[lower->order[i]]);
    for (int i = 0; i < lower->nmemory; i++)
        if (lower->memory[i].output)
            y = i;
    assert_true(y >= 0);
    onnx_close(m);
    return data[y];
}

static void reduce(const char *op, const char *input, const char *output, int axis, bool keeps)
{
    Onnx__NodeProto *n = NODE(proto->graph, op, "", input, output);
    Onnx__AttributeProto *axes = ATTRIBUTE(n, "axes", INTS);
    ADD(axes->ints, axes->n_ints, axis);
    attribute_int(n, "keepdims", keeps);
}

TEST(more_operands_than_a_formula_takes)
{
    enum { N = 20 };
    static float weight[N][SIDE];
    const char *before = "x";
    for (int i = 0; i < N; i++) {
        const char *name = arena_printf(arena, "w%d", i);
        for (int k = 0; k < SIDE; k++)
            weight[i][k] = (float)(i * 3 + k) / 8;
        set_raw(add_tensor(proto->graph, name, ELEMENT_F32, "5"), weight[i], sizeof weight[i]);
        const char *output = i + 1 < N ? arena_printf(arena, "v%d", i) : "y";
        NODE(proto->graph, i % 2 ? "Mul" : "Add", "", arena_printf(arena, "%s %s", before, name), output);
        before = output;
    }
    const double *y = result(2);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double want = x_at(k);
        for (int i = 0; i < N; i++)
            want = i % 2 ? want * (double)weight[i][k % SIDE] : want + (double)weight[i][k % SIDE];
        assert_near(y[k], want);
    }
}

TEST(rows_of_rows)
{
    double want = 0;
    reduce("ReduceMean", "x", "r", 1, false);
    reduce("ReduceMax", "r", "y", 0, false);
    const double *y = result(2);
    for (int i = 0; i < SIDE; i++) {
        double mean = 0;
        for (int k = 0; k < SIDE; k++)
            mean += x_at(i * SIDE + k) / SIDE;
        want = i == 0 || mean > want ? mean : want;
    }
    assert_near(y[0], want);
}

TEST(rows_along_both_axes)
{
    reduce("ReduceMean", "x", "m", 1, true); /* of each row */
    NODE(proto->graph, "Mul", "", "x m", "p");
    reduce("ReduceMax", "p", "y", 0, false); /* of each column */
    const double *y = result(2);
    for (int k = 0; k < SIDE; k++) {
        double most = -INFINITY;
        for (int i = 0; i < SIDE; i++) {
            double mean = 0;
            for (int j = 0; j < SIDE; j++)
                mean += x_at(i * SIDE + j) / SIDE;
            most = fmax(most, mean * x_at(i * SIDE + k));
        }
        assert_near(y[k], most);
    }
}

TEST(functions_that_are_nested_too_deeply)
{
    enum { N = 300 };
    for (int i = 0; i < N; i++) {
        const char *output = i + 1 < N ? arena_printf(arena, "h%d", i) : "y";
        NODE(proto->graph, i % 2 ? "Relu" : "Tanh", "", i ? arena_printf(arena, "h%d", i - 1) : "x", output);
    }
    const double *y = result(2);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double want = x_at(k);
        for (int i = 0; i < N; i++)
            want = i % 2 ? fmax(want, 0) : tanh(want);
        assert_near(y[k], want);
    }
}

/* ((x*1 + x*2) + (x*3 + x*4)) + ... */
TEST(a_sum_that_is_too_long)
{
    enum { N = 256 };
    static float factor[N];
    for (int i = 0; i < N; i++) {
        factor[i] = (float)(i % 2 ? -i : i) / 8 + 0.5f;
        set_raw(add_tensor(proto->graph, arena_printf(arena, "c%d", i), ELEMENT_F32, "1"), &factor[i], sizeof *factor);
        NODE(proto->graph, "Mul", "", arena_printf(arena, "x c%d", i), arena_printf(arena, "s%d", N + i));
    }
    for (int i = N - 1; i > 0; i--)
        NODE(proto->graph, "Add", "", arena_printf(arena, "s%d s%d", 2 * i, 2 * i + 1),
             i > 1 ? arena_printf(arena, "s%d", i) : "y");
    const double *y = result(2);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double want = 0;
        for (int i = 0; i < N; i++)
            want += x_at(k) * (double)factor[i];
        assert_near(y[k], want);
    }
}

TEST_EACH(setup_model, teardown_folder)
