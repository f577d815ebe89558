/* SPDX-License-Identifier: Apache-2.0
 *
 * data, buffer: operands for timing and for verification, where they begin and what lies around them; what is kept of
 * shapes, and which rows of a large output are looked at.
 */
#include "tests/test.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "search/runner/runner.h"

enum { X, W, Y, NOPERAND, HUGE_PAGE = 2 << 20 };

/* ---- the op: y[m][n] = the sum over k of x[m][k] w[n][k], but for what it costs ---- */

static int64_t terms_of(const int64_t *e) { return e[2]; }
static int nrows, ncheck;

static void rows_of(const int64_t *e, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    assert_null(operand[Y]);
    assert_non_null(operand[X]);
    nrows += (int)(row1 - row0);
    for (int64_t i = 0; i < (row1 - row0) * e[1]; i++) {
        y[i] = (double)(row0 * e[1] + i);
        bound[i] = 1;
    }
}

static void check_of(const int64_t *e, const void *const *operand, int64_t row0, int64_t row1, double *sum,
                     double *bound)
{
    ncheck++;
    for (int64_t i = row0; i < row1; i++)
        sum[i - row0] = (double)(i * e[1]);
}

static Setup setup;

static int make(void **state)
{
    shape_forget_all();
    nrows = ncheck = 0;
    setup = (Setup){ .noperand = NOPERAND,
                     .role = { ROLE_IN, ROLE_CONST, ROLE_OUT },
                     .out = Y,
                     .constant = W,
                     .seed = 1,
                     .rows = rows_of,
                     .check = check_of,
                     .terms = terms_of };
    for (int i = 0; i < NOPERAND; i++)
        setup.stored[i] = storage_find("f32");
    return 0;
}

static Shape wanted(int64_t m, int64_t n, int64_t k)
{
    return (Shape){ .extent = { m, n, k }, .elems = { m * k, n * k, m * n }, .rows = m, .row_elems = n };
}

/* A shape whose request says more than its sizes. */
static Shape *get_as(const Shape *want)
{
    char why[WHY_BYTES] = "";
    Shape *s = shape_get(&setup, want, why);
    if (!s)
        fail_msg("%s", why);
    return s;
}

static Shape *get(int64_t m, int64_t n, int64_t k)
{
    const Shape want = wanted(m, n, k);
    return get_as(&want);
}

/* The same, when nothing is kept. */
static Shape *get_anew(int64_t m, int64_t n, int64_t k)
{
    shape_forget_all();
    return get(m, n, k);
}

/* Does writing (or reading) there end the process? */
static bool is_forbidden(volatile char *at, bool write)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        if (write)
            *at = 1;
        else
            (void)*at;
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status);
}

/* ---- buffers ---- */

TEST(timing_has_huge_pages)
{
    Block b;
    assert_true(block_new(&b, 100, 832));
    assert_int_equal((uintptr_t)b.data % HUGE_PAGE, 832);
    ((char *)b.data)[99] = 1;
    block_protect(&b);
    assert_true(is_forbidden(b.data, true) && !is_forbidden(b.data, false));
    block_free(&b);
    assert_true(!b.data && !b.map);
    assert_true(block_new(&b, HUGE_PAGE, 64)); /* the offset comes on top */
    ((char *)b.data)[HUGE_PAGE - 1] = 1;
    block_free(&b);
    assert_true(block_new(&b, 0, 64) && !b.data);
    assert_false(block_new(&b, (size_t)1 << 41, 0));
}

/* At either end as near as the alignment allows; what is left of the pages may be touched, which shows. */
TEST(verification_has_guards)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static const size_t sizes[] = { 1, 100, 4096, 4097 };
    for (int i = 0; i < 4; i++)
        for (int side = 0; side < 2; side++) {
            Guarded g;
            const size_t end = (sizes[i] + 15) / 16 * 16;
            assert_true(guarded_new(&g, sizes[i], 16, (Side)side));
            assert_int_equal(g.bytes, sizes[i]);
            assert_int_equal((uintptr_t)g.data % 16, 0);
            assert_true(is_forbidden(side == SIDE_END ? g.data + end : g.data - 1, false));
            assert_int_equal((uintptr_t)(side == SIDE_END ? g.data + end : g.data) % page, 0);
            memset(g.data, 7, sizes[i]);
            assert_true(guarded_intact(&g));
            char *beside[] = { g.map + page, g.data - 1, g.data + sizes[i], g.map + page + g.page_bytes - 1 };
            for (int k = 0; k < 4; k++) {
                if (beside[k] < g.map + page || beside[k] >= g.map + page + g.page_bytes ||
                    (beside[k] >= g.data && beside[k] < g.data + sizes[i]))
                    continue;
                *beside[k] = 0;
                assert_false(guarded_intact(&g));
                *beside[k] = (char)0xff;
                assert_true(guarded_intact(&g));
            }
            guarded_free(&g);
            assert_null(g.map);
        }
    Guarded g;
    assert_true(guarded_new_at(&g, page, 2)); /* begins behind the guard by so much, so it needs two pages */
    assert_true(is_forbidden(g.data - 3, false) && !is_forbidden(g.data - 2, false));
    assert_int_equal(g.page_bytes, 2 * page);
    guarded_free(&g);
    assert_true(guarded_new(&g, 0, 16, SIDE_END) && !g.data && guarded_intact(&g));
    assert_true(guarded_have(&g, 100, 16, SIDE_END));
    char *data = g.data;
    *data = 7;
    assert_true(guarded_have(&g, 100, 16, SIDE_END) && g.data == data && *data == 7);
    assert_true(guarded_have(&g, 0, 16, SIDE_END) && !g.data);
    assert_false(guarded_have(&g, (size_t)1 << 41, 16, SIDE_END));
    assert_false(guarded_have(&g, (size_t)1 << 41, 16, SIDE_END));
    guarded_free(&g);
}

/* ---- shapes ---- */

/* By seed, operand and size; about normal. What is an input is not to be written, and operands begin at different
 * places of a page. */
TEST(operands_are_random)
{
    const Shape *s = get(200, 100, 300);
    const float *x = s->operand[X].data, *w = s->operand[W].data;
    double sum = 0, squares = 0, beside = 0;
    int beyond = 0;
    for (int i = 0; i < 60000; i++) {
        sum += x[i];
        squares += x[i] * x[i];
        beside += i ? x[i] * x[i - 1] : 0;
        beyond += fabsf(x[i]) > 2;
        assert_true(isfinite(x[i]));
    }
    assert_true(fabs(sum / 60000) < 0.02 && fabs(squares / 60000 - 1) < 0.03 && fabs(beside / 60000) < 0.02);
    assert_in_range(beyond, 60000 * 0.0455 * 0.9, 60000 * 0.0455 * 1.1);
    static const double known[][6] = { { -0.870633, 1.604085, -0.079327, -0.125693, -0.550887, 0.401188 },
                                       { 0.430272, 1.034727, -0.558436, -0.057947, 0.738097, 2.059947 } };
    for (int i = 0; i < 6; i++) /* as another program that follows the papers has them */
        assert_true(fabs(x[i] - known[0][i]) < 1e-5 && fabs(w[i] - known[1][i]) < 1e-5);
    assert_true(fabs(x[59999] - 0.748584) < 1e-5);
    assert_true(is_forbidden(s->operand[X].data, true) && is_forbidden(s->operand[W].data, true));
    assert_false(is_forbidden(s->operand[Y].data, true));
    for (int i = 0; i < NOPERAND; i++)
        assert_int_equal((uintptr_t)s->operand[i].data % HUGE_PAGE, i * 13 * 64);
    assert_int_equal(s->bytes[X], 240000);
    const float first = x[0], last = x[59999];
    s = get_anew(200, 100, 300);
    assert_true(((float *)s->operand[X].data)[0] == first && ((float *)s->operand[X].data)[59999] == last);
    shape_forget_all();
    setup.seed = 2;
    assert_true(((float *)get(200, 100, 300)->operand[X].data)[0] != first);
    void *operand[OP_MAX_OPERAND];
    operand_pointers(get(200, 100, 300), operand);
    assert_ptr_equal(operand[W], get(200, 100, 300)->operand[W].data);
    assert_null(operand[NOPERAND]);
}

/* Places below an extent of 7, or lengths up to it: with both ends, and all between. */
static void check_bounded(DataKind kind, int most)
{
    enum { N = 70 };
    int seen = 0;
    setup.data[W] = kind;
    const int32_t *w = get_anew(10, 7, 10)->operand[W].data;
    for (int i = 0; i < N; i++) {
        assert_in_range(w[i], 0, most);
        seen |= 1 << w[i];
    }
    assert_true(seen == (2 << most) - 1 && w[0] == most && w[1] == 0);
}

/* Whole numbers from -4 to 4, lengths, places, one permutation after the other; packed words, of which each bit is as
 * often 1 as 0. */
TEST(kinds_of_data)
{
    enum { MOST = 7, N = 70, NWORD = 3000 };
    setup.data[X] = DATA_INTEGERS;
    setup.stored[W] = storage_find("s32");
    setup.of[W] = 1;
    check_bounded(DATA_LENGTHS, MOST);
    check_bounded(DATA_PLACES, MOST - 1);
    const float *x = get(10, MOST, 10)->operand[X].data;
    int seen = 0, different = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(x[i] >= -4 && x[i] <= 4 && x[i] == floorf(x[i]));
        seen |= 1 << ((int)x[i] + 4);
    }
    assert_int_equal(seen, 0x1ff);
    setup.data[W] = DATA_PERMUTATION;
    const int32_t *w = get_anew(10, MOST, 10)->operand[W].data;
    for (int i = 0; i < N; i += MOST) {
        int met = 0;
        for (int k = 0; k < MOST; k++)
            met |= 1 << w[i + k];
        assert_int_equal(met, 0x7f);
        different += i > 0 && memcmp(w + i, w, MOST * sizeof *w) != 0;
    }
    assert_true(different > N / MOST - 3);
    setup.of[W] = 5; /* an extent that the op has not */
    assert_int_equal(*(int32_t *)get(10, MOST, 11)->operand[W].data, 0);
    setup.data[W] = DATA_BITS;
    w = get_anew(1, NWORD, 1)->operand[W].data;
    for (int bit = 0; bit < 32; bit++) {
        int ones = 0;
        for (int i = 0; i < NWORD; i++)
            ones += (uint32_t)w[i] >> bit & 1;
        assert_in_range(ones, NWORD * 2 / 5, NWORD * 3 / 5);
    }
}

/* What a division of an extent into n parts is seen to be. */
typedef struct {
    int empty;
    int32_t largest;
} Division;

/* Lengths that add up to the extent, and offsets of the same parts, row by row. */
static Division check_division(int64_t way, int nrow, int n, int64_t extent)
{
    Division d = { 0 };
    const Shape want = { .extent = { nrow, n, extent },
                         .elems = { (int64_t)nrow * n, (int64_t)nrow * (n + 1), 1 },
                         .along = { n, n + 1, 1 },
                         .rows = 1,
                         .row_elems = 1,
                         .way = way };
    setup.data[X] = DATA_PARTS;
    setup.data[W] = DATA_OFFSETS;
    setup.stored[X] = setup.stored[W] = storage_find("s32");
    setup.of[X] = setup.of[W] = 2;
    const Shape *s = get_as(&want);
    const int32_t *length = s->operand[X].data, *offset = s->operand[W].data;
    for (int row = 0; row < nrow; row++, offset++) {
        assert_int_equal(*offset, 0);
        for (int i = 0; i < n; i++, length++, offset++) {
            assert_true(*length >= 0 && offset[1] == offset[0] + *length);
            d.empty += *length == 0;
            d.largest = *length > d.largest ? *length : d.largest;
        }
        assert_int_equal(*offset, n > 0 ? extent : 0);
    }
    return d;
}

/* Divisions follow from the seed and from the rows that they are of. */
TEST(extents_in_parts)
{
    enum { N = 40, MOST = 1000 };
    const Division random = check_division(WAY_RANDOM, 1, N, MOST), equal = check_division(WAY_EQUAL, 1, N, MOST),
                   one = check_division(WAY_ONE, 1, N, MOST), empty = check_division(WAY_EMPTY, 1, N, MOST);
    assert_true(random.empty > 3 && random.empty < N / 2 && random.largest < MOST / 5);
    assert_true(equal.empty == 0 && equal.largest == MOST / N);
    assert_true(one.empty == N - 1 && one.largest == MOST);
    assert_true(empty.empty == N * 3 / 4 && empty.largest == MOST / (N / 4));
    check_division(WAY_RANDOM, 3, 5, INT32_MAX);
    for (int way = 0; way < WAY_COUNT; way++)
        for (int n = 1; n < 6; n++)
            for (int extent = 0; extent < 4; extent++)
                check_division(way, 2, n, extent);
    const int32_t *w = get(1, 1, 1)->operand[W].data; /* an offset without parts, as the request says nothing of rows */
    assert_int_equal(*w, 0);
    int32_t drawn[3][N];
    for (int i = 0; i < 3; i++) {
        shape_forget_all();
        setup.seed = i < 2 ? 1 : 2;
        check_division(WAY_RANDOM, 2, N, MOST);
        Kept *k = kept_drawn(&(Draw){ X, DATA_PARTS, 2 * N, MOST, N, WAY_RANDOM });
        memcpy(drawn[i], k->block.data, sizeof drawn[i]);
        kept_drop(k);
    }
    assert_memory_equal(drawn[0], drawn[1], sizeof drawn[0]);
    assert_memory_not_equal(drawn[0], drawn[2], sizeof drawn[0]);
}

/* What takes the place of normal data where errors are told. */
TEST(kinds_of_real_numbers)
{
    enum { M = 100, K = 100, N = M * K };
    int outliers = 0, tiny = 0, huge = 0;
    Shape want = wanted(M, 1, K);
    want.told = DATA_OUTLIERS + 1;
    const float *x = get_as(&want)->operand[X].data;
    for (int i = 0; i < N; i++)
        outliers += fabsf(x[i]) > 10;
    assert_in_range(outliers, N / DATA_OUTLIER_EVERY / 2, N / DATA_OUTLIER_EVERY * 2);
    want.told = DATA_SPREAD + 1;
    x = get_as(&want)->operand[X].data;
    for (int i = 0; i < N; i++) {
        assert_true(isfinite(x[i]));
        tiny += fabsf(x[i]) < 1e-3f;
        huge += fabsf(x[i]) > 1e3f;
    }
    assert_true(tiny > N / 20 && huge > N / 50);
    want.told = DATA_NORMAL + 1; /* the numbers are those of the setup, the shape is another */
    const Shape *told = get_as(&want), *judged = get(M, 1, K);
    assert_ptr_not_equal(told, judged);
    assert_memory_equal(told->operand[X].data, judged->operand[X].data, N * sizeof *x);
    setup.data[X] = DATA_INTEGERS; /* what an op says of its operand stays */
    want.told = DATA_SPREAD + 1;
    shape_forget_all();
    x = get_as(&want)->operand[X].data;
    for (int i = 0; i < N; i++)
        assert_true(x[i] == floorf(x[i]));
}

/* Rows of all kinds, of an operand that has rows; they are judged, and the same each time. */
TEST(kinds_of_rows)
{
    enum { M = 20, K = 300 };
    static const char *const type[] = { "f32", "bf16", "f16" };
    for (int t = 0; t < 3; t++) {
        Shape want = wanted(M, 5, K);
        int constant = 0, far = 0, large = 0, small = 0, noutlier = 0, outlier[M + 1] = { 0 };
        double once[M * K];
        setup.stored[X] = setup.stored[W] = storage_find(type[t]);
        setup.of[X] = 2;
        setup.of[W] = -1;
        want.told = DATA_EDGES + 1;
        assert_false(shape_is_told(&want));
        for (int again = 0; again < 2; again++) {
            shape_forget_all();
            const Shape *s = get_as(&want);
            for (int64_t i = 0; i < M * K; i++) {
                const double v = storage_load(setup.stored[X], s->operand[X].data, i);
                assert_true(isfinite(v) && (!again || v == once[i]));
                once[i] = v;
            }
            assert_memory_equal(s->operand[W].data, get(M, 5, K)->operand[W].data, s->bytes[W]);
        }
        for (const double *row = once; row < once + M * K; row += K) {
            double least = INFINITY, most = -INFINITY, magnitude = 0;
            int nfar = 0;
            for (int i = 0; i < K; i++) {
                outlier[noutlier] = fabs(row[i]) > 900 ? i : outlier[noutlier];
                nfar += fabs(row[i]) > 900;
                least = fmin(least, row[i]);
                most = fmax(most, row[i]);
                magnitude = fmax(magnitude, fabs(row[i]));
            }
            noutlier += nfar == 1;
            constant += least == most;
            far += least > 900 && most > least;
            large += magnitude > (t < 2 ? 1e36 : 1e4);
            small += magnitude < (t < 2 ? 1e-38 : 1e-5);
        }
        assert_true(constant >= 2 && (far == 2 || t == 1) && large == 2 &&
                    small == 2); /* two of each; bf16 has few numbers near 1e7 */
        assert_true(noutlier == 2 && outlier[0] != outlier[1]);
    }
}

TEST(shapes_are_kept)
{
    Shape *a = get(5, 7, 9), *b = get(5, 9, 7);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(get(5, 7, 9), a);
    Shape want = wanted(5, 7, 9);
    char why[WHY_BYTES];
    want.elems[W] = 0; /* an operand that this request lacks */
    assert_ptr_not_equal(get_as(&want), a);
    want = wanted(5, 7, 9);
    want.rows = 35;
    want.row_elems = 1;
    assert_ptr_not_equal(get_as(&want), a);
    want = wanted((int64_t)1 << 21, (int64_t)1 << 21, 1);
    assert_null(shape_get(&setup, &want, why));
    assert_string_equal(why, "no memory for the operands");
    assert_ptr_equal(get(5, 9, 7), b);
}

/* Beyond half a GiB the one goes that was asked for longest ago. Outputs of 200 MiB that nobody writes cost nothing. */
TEST(the_oldest_shape_goes)
{
    const int64_t m = 50 << 10;
    Shape *a = get(m, 1024, 0), *b = get(m, 1025, 0);
    a->has_reference = b->has_reference = true; /* to be known by */
    get(m, 1024, 0);
    get(m, 1026, 0); /* there is room for more, until now */
    get(m, 1027, 0); /* b goes */
    assert_true(get(m, 1024, 0)->has_reference);
    assert_false(get(m, 1025, 0)->has_reference);
}

/* What is packed counts, and goes with its shape. */
TEST(packed_operands_go_with_their_shape)
{
    enum { PACKED = 130 }; /* of two huge pages each */
    Shape *s = get(5, 7, 9);
    char *p[PACKED], *x = s->operand[X].data;
    s->has_reference = true; /* to be known by */
    for (int i = 0; i < PACKED; i++)
        p[i] = (char *)shape_packed(s, &i, sizeof i);
    get(5, 7, 9);
    assert_true(get(5, 7, 9)->has_reference && !is_forbidden(p[PACKED / 2], false) && !is_forbidden(x, false));
    get(5, 7, 8);
    assert_true(is_forbidden(p[PACKED / 2], false));
    assert_false(get(5, 7, 9)->has_reference);
    x = get(5, 7, 9)->operand[X].data;
    shape_forget_all();
    assert_true(is_forbidden(x, false));
}

/* A packed operand with a content that is known is that one; it is not to be written. */
TEST(packed_operands_are_kept_once)
{
    Shape *s = get(5, 7, 9);
    const char one[] = "abcdefg", other[] = "abcdefh";
    const void *p = shape_packed(s, one, 7), *q = shape_packed(s, other, 7);
    assert_memory_equal(p, one, 7);
    assert_memory_equal(q, other, 7);
    assert_ptr_not_equal(p, q);
    assert_ptr_equal(shape_packed(s, one, 7), p);
    assert_ptr_not_equal(shape_packed(s, one, 6), p);
    assert_true(is_forbidden((char *)p, true));
}

/* A weight, and what is packed of it, is in memory once for all M, until the last shape that has it goes. Y is each
 * shape's own; so is an X of another size. (Outputs of 200 MiB that nobody writes cost nothing.) */
TEST(shapes_share_what_is_the_same)
{
    const int64_t m = 50 << 10;
    Shape *a = get(m, 1024, 1), *b = get(2, 1024, 1);
    char *w = b->operand[W].data, *x = a->operand[X].data;
    assert_ptr_equal(a->operand[W].data, w);
    assert_ptr_not_equal(x, b->operand[X].data);
    assert_ptr_not_equal(a->operand[Y].data, b->operand[Y].data);
    char *p = (char *)shape_packed(a, "abcdefg", 7);
    assert_ptr_equal(shape_packed(b, "abcdefg", 7), p);
    assert_ptr_equal(shape_packed(b, "abcdefg", 7), p);
    a->has_reference = true; /* to be known by */
    get(m, 1025, 1);
    get(m, 1026, 1);
    get(2, 1024, 1);
    get(1, 1, 1); /* a goes */
    assert_false(is_forbidden(w, false) || is_forbidden(p, false));
    a = get(m, 1024, 1);
    assert_true(!a->has_reference && a->operand[W].data == w);
    shape_forget_all();
    assert_true(is_forbidden(w, false) && is_forbidden(p, false));
}

/* Indices are bounded by an extent: those of another one are others, though they are as many. */
TEST(shapes_share_no_other_draw)
{
    setup.stored[W] = storage_find("s32");
    setup.data[W] = DATA_PLACES;
    const Shape *a = get(5, 7, 9), *b = get(6, 7, 9);
    assert_ptr_not_equal(a->operand[W].data, b->operand[W].data);
    shape_forget_all();
    setup.data[W] = DATA_INTEGERS;
    Shape gaps = wanted(5, 7, 9);
    gaps.apart[W] = (Apart){ .rank = 2, .extent = { 7, 9 }, .stride = { 10 }, .span = 69 };
    const Shape *dense = get(5, 7, 9), *apart = get_as(&gaps);
    assert_ptr_not_equal(dense->operand[W].data, apart->operand[W].data);
    assert_memory_equal(dense->operand[W].data, apart->operand[W].data, 9 * sizeof(int32_t));
    assert_ptr_equal(dense->operand[X].data, apart->operand[X].data);
    assert_ptr_equal(get(6, 7, 9)->operand[W].data, dense->operand[W].data); /* not the one with gaps */
    setup.stored[W] = setup.stored[X];
    setup.data[W] = setup.data[X];
    shape_forget_all();
    assert_ptr_not_equal(get(5, 5, 9)->operand[X].data, get(5, 5, 9)->operand[W].data); /* as many elements each */
}

/* ---- references ---- */

/* Of inputs it has one element each, whatever its extents say. */
static Shape *large(int64_t m, int64_t n, int64_t k)
{
    Shape want = wanted(m, n, k);
    want.elems[X] = want.elems[W] = 1;
    return get_as(&want);
}

/* Up to 2^26 products all rows are computed, once; of more a sample: the first, the last four, and others by chance;
 * and all rows' sums. */
TEST(rows_that_are_compared)
{
    Shape *s = large(1 << 10, 1 << 8, 1 << 8);
    assert_true(s->full);
    assert_int_equal(s->nrow, 1 << 10);
    shape_reference(&setup, s);
    shape_reference(&setup, s);
    assert_true(nrows == 1 << 10 && ncheck == 0);
    assert_true(s->y[1000] == 1000 && s->row[77] == 77);
    s = large((1 << 10) + 1, 1 << 8, 1 << 8);
    assert_false(s->full);
    assert_int_equal(s->nrow, 32);
    nrows = 0;
    shape_reference(&setup, s);
    assert_true(nrows == 32 && ncheck == 1 && s->has_reference);
    int different = 0;
    for (int i = 0; i < 32; i++) {
        assert_in_range(s->row[i], 0, 1 << 10);
        assert_true(s->y[i * 256 + 3] == (double)(s->row[i] * 256 + 3));
        different += i > 0 && i < 28 && s->row[i] != s->row[i - 1] + 1;
    }
    assert_int_equal(s->row[0], 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(s->row[28 + i], (1 << 10) - 3 + i);
    assert_true(different > 20);
    assert_true(s->sum[1024] == 1024 * 256);
    assert_int_equal(large(2000, 1 << 12, 1 << 12)->nrow, 8); /* 2^27 products of 2^24 a row */
    assert_int_equal(large(40, 1 << 13, 1 << 13)->nrow, 3);   /* three at least */
    assert_int_equal(large(2, 1 << 14, 1 << 13)->nrow, 2);    /* of those that there are */
    assert_false(large((1 << 13) + 1, 1 << 10, 1)->full);     /* nor so many results */
    assert_true(large(1 << 13, 1 << 10, 1)->full);
    assert_int_equal(get(3, 4, 0)->terms, 1);
}

TEST_EACH(make, NULL)
