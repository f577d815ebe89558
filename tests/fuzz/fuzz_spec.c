/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_spec: any bytes as a spec, and every quoted string in them as an expression. A spec is either read or has
 * errors, and what is read keeps its promises; an expression's own text means the same.
 */
#include "gen/base/expr.h"
#include "gen/spec/spec.h"
#include "tests/fuzz/fuzz.h"

static const char *const ops[] = { DCGEN_SOURCE_DIR "/tests/gen/spec/op" };

static bool lookup(void *ctx, const char *name, int64_t *value)
{
    (void)ctx;
    *value = (int64_t)strlen(name) * 3 - 4;
    return name[0] != 'q';
}

/* What was parsed has a value or a reason for having none, and its tidy text means the same. */
static void check_expr(Arena *a, const char *text)
{
    Diag *d = diag_new(a);
    Source src = { "e", text, strlen(text) };
    Expr *e = expr_parse(a, text, (Loc){ &src, 1, 1, 1 }, d);
    REQUIRE((e == NULL) == (diag_nerror(d) > 0));
    if (!e)
        return;
    Expr *again = expr_parse(a, expr_text(e), (Loc){ 0 }, d);
    REQUIRE(again);
    int64_t x = 0, y = 0;
    ExprStatus s = expr_int(e, lookup, NULL, &x);
    REQUIRE(s == expr_int(again, lookup, NULL, &y));
    REQUIRE(s != EXPR_OK || x == y);
    double real;
    expr_bind(e, NAMES(&(const char *){ "T" }, 1));
    expr_real_at(e, &(int64_t){ 7 }, &real);
    REQUIRE(strlen(expr_status_text(s)) > 0);
    REQUIRE(expr_loc(e).width >= 1);
}

static void check_strings(Arena *a, const char *text)
{
    enum { MAX_STRINGS = 64 };
    for (int i = 0; i < MAX_STRINGS && (text = strchr(text, '"')); i++) {
        const char *end = strchr(++text, '"');
        if (!end)
            return;
        check_expr(a, arena_strndup(a, text, (size_t)(end - text)));
        text = end;
    }
}

static void check_spec(const Spec *s)
{
    REQUIRE(s->ninstance > 0 && s->ninstance <= SPEC_MAX_INSTANCE);
    double sum = 0;
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        for (int x = 0; x < s->op->naxis; x++)
            REQUIRE(in->extent[x] >= 1 && in->extent[x] <= INT32_MAX);
        for (int k = 0; k < s->ndim; k++)
            REQUIRE(in->dim[k] >= s->dim[k].min && in->dim[k] <= s->dim[k].max);
        REQUIRE(in->weight >= 0 && in->decl < s->nshape && in->threads >= 1);
        sum += in->weight;
    }
    REQUIRE(sum > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Source *src = fuzz_source(a, "fuzz.cfg", data, size);
    const Spec *spec = spec_parse(a, src, ops, 1, d);
    REQUIRE((spec == NULL) == (diag_nerror(d) > 0));
    if (spec)
        check_spec(spec);
    fuzz_check_diag(d, src);
    check_strings(a, src->text);
    arena_free(a);
    return 0;
}
