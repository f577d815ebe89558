/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_formula: any bytes as a formula, or as words of the short form behind a '[', of each of three ops; lines behind
 * it are types of operands, as in "len s32", and their extents, as in "word V,N". A formula is either read or has
 * errors; what is read keeps the promises of gen/spec/formula.h, its text means the same, and it can be printed for
 * each target and for the reference, at a length that is in proportion.
 */
#include "gen/base/name.h"
#include "gen/spec/dtype.h"
#include "gen/unit/unit.h"
#include "tests/fuzz/fuzz.h"

enum { NOP = 3 };

/* What all inputs have in common. */
static const Spec *base[NOP];
static TargetList targets;

static void read_base(void)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/tests/gen/spec/op" };
    static const char *const text[NOP] = {
        "name = \"one\"; op = \"dense\"; shapes = ( { M = 2; N = 3; K = 4; } );",
        "name = \"one\"; op = \"batch_matmul\"; shapes = ( { B0 = 2; B1 = 3; M = 2; N = 3; K = 4; } );",
        "name = \"one\"; op = \"rows\"; shapes = ( { M = 2; N = 3; } ); formula = \"x[m,n]\";",
    };
    static Arena *a;
    if (a)
        return;
    a = arena_new();
    for (int i = 0; i < NOP; i++) {
        Source *src = fuzz_source(a, "base.cfg", (const uint8_t *)text[i], strlen(text[i]));
        base[i] = spec_parse(a, src, folders, 1, diag_new(a));
        REQUIRE(base[i]);
    }
    REQUIRE(target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(a)));
}

/* The op as it was before a formula brought operands. */
static const Op *plain_op(Arena *a, const Op *op)
{
    Op *plain = ARENA_NEW(a, Op);
    *plain = *op;
    plain->noperand = 0;
    for (int i = 0; i < op->noperand; i++)
        if (!op->operand[i].of_formula)
            plain->operand[plain->noperand++] = op->operand[i];
    return plain;
}

/* ---- the input ---- */

/* Takes what stands before one of these characters off the text. */
static const char *take(Arena *a, const char **text, const char *until)
{
    const size_t n = strcspn(*text, until);
    const char *word = arena_strndup(a, *text, n);
    *text += n + ((*text)[n] != '\0');
    return word;
}

/* Where a part of the source stands. */
static Loc place_of(const Source *src, const char *at)
{
    Loc loc = { src, 1, 1, 1 };
    for (const char *c = src->text; c < at; c++) {
        loc.line += *c == '\n';
        loc.col = *c == '\n' ? 1 : loc.col + 1;
    }
    return loc;
}

/* Reads extents up to the end of the line. */
static void read_extents(Arena *a, const Source *src, const char *operand, const char *line, FormulaText *t)
{
    FormulaExtents *e = &t->extents[t->nextents];
    *e = (FormulaExtents){ .operand = operand, .at = { src, 1, 1, 1 } };
    while (*line && *line != '\n' && e->rank < OP_MAX_RANK) {
        const size_t n = strcspn(line, ",\n");
        if (!(e->extent[e->rank++] = expr_parse(a, arena_strndup(a, line, n), place_of(src, line), diag_new(a))))
            return;
        line += n + (line[n] == ',');
    }
    t->nextents += e->rank > 0;
}

static void read_operands(Arena *a, const Source *src, const char *lines, FormulaText *t)
{
    while (*lines && t->ntype < OP_MAX_OPERAND && t->nextents < OP_MAX_OPERAND) {
        const char *start = lines, *line = take(a, &lines, "\n"), *operand = take(a, &line, " ");
        if (strchr(line, ',')) {
            read_extents(a, src, operand, start + strlen(operand) + 1, t);
            continue;
        }
        t->operand[t->ntype] = operand;
        const Storage *stored = storage_find(line);
        t->type_at[t->ntype] = (Loc){ src, 1, 1, 1 };
        t->stored[t->ntype] = stored ? stored : &storages[STORED_S32];
        t->ntype++;
    }
}

/* False: there is nothing, or a syntax error. */
static bool read_text(Arena *a, const Source *src, FormulaText *t, Diag *d)
{
    const char *rest = src->text, *first = take(a, &rest, "\n");
    read_operands(a, src, rest, t);
    if (*first != '[') {
        Expr *e = expr_parse_formula(a, first, (Loc){ src, 1, 1, 1 }, d);
        t->expr = e;
        REQUIRE((e == NULL) == (diag_nerror(d) > 0));
        return e;
    }
    for (first++; *first && t->nword < OP_MAX_NAME; t->nword++) {
        t->word[t->nword] = take(a, &first, ",");
        t->at[t->nword] = (Loc){ src, 1, 1, 1 };
    }
    return t->nword > 0;
}

/* ---- what must hold ---- */

static void check_node(const Op *op, const Formula *f, int i, int *nuse)
{
    const FormulaNode *v = &f->node[i];
    REQUIRE(v->narg >= 0 && v->narg <= OP_MAX_RANK + v->guarded && v->nuse >= 0);
    for (int k = 0; k < v->narg; k++) {
        REQUIRE(v->arg[k] >= 0 && v->arg[k] < i);
        nuse[v->arg[k]]++;
    }
    REQUIRE(v->kind != FORMULA_ACC || op->reference);
    REQUIRE(v->kind != FORMULA_REDUCE || !op->reference);
    REQUIRE((v->kind != FORMULA_INDEX && v->kind != FORMULA_EXTENT) || (v->at >= 0 && v->at < op->nextent));
    REQUIRE(v->kind != FORMULA_APPLY || formula_functions[v->op].narg == v->narg);
    if (v->kind == FORMULA_ELEMENT) {
        REQUIRE(v->at >= 0 && v->at < op->noperand && op->operand[v->at].of_formula);
        REQUIRE(op->operand[v->at].layout->rank == formula_rank(v));
        REQUIRE(!v->guarded || f->node[v->arg[v->narg - 1]].type == v->type);
        const Layout *l = op->operand[v->at].layout;
        for (int k = 0; k < formula_rank(v); k++) {
            const FormulaNode *index = &f->node[v->arg[k]];
            REQUIRE(index->type == FORMULA_INT);
            if (formula_is_computed(f, op, v, k))
                continue;                                           /* it is checked once the shapes are known */
            const int along = op_axis(op, expr_text(l->extent[k])); /* nothing is read beyond the operand */
            REQUIRE(index->kind == FORMULA_INDEX
                        ? index->at == along
                        : op->operand[index->at].data == DATA_PLACES && op->operand[index->at].of == along);
        }
    }
}

static void check_formula(const Op *plain, const Op *op, const Formula *f)
{
    int nuse[FORMULA_MAX_NODE] = { 0 };
    REQUIRE(f->nnode > 0 && f->nnode <= FORMULA_MAX_NODE && f->text);
    for (int i = 0; i < f->nnode; i++)
        check_node(op, f, i, nuse);
    for (int i = 0; i < f->nnode; i++)
        REQUIRE(f->node[i].nuse == nuse[i] && (nuse[i] > 0 || i == f->nnode - 1));
    const Storage *stored = op->operand[op->noperand - 1].stored;
    REQUIRE(f->node[f->nnode - 1].type == (stored && storage_is_whole(stored) ? FORMULA_INT : FORMULA_REAL));
    REQUIRE(op->noperand >= plain->noperand && op->noperand <= OP_MAX_OPERAND);
    REQUIRE(op->operand[op->noperand - 1].role == ROLE_OUT);
    REQUIRE(f->bias < op->noperand && (f->bias < 0 || op->operand[f->bias].of_formula));
    REQUIRE(op->flops);
    for (int i = 0; i < op->noperand; i++)
        REQUIRE(!name_argument_fault(op->operand[i].name) && op_axis(op, op->operand[i].name) < 0 &&
                op->operand[i].elems);
}

/* Its own text, tidy, means the same. */
static void check_again(Arena *a, const Op *plain, const FormulaText *t, const Formula *f)
{
    FormulaText again = *t;
    const Op *op;
    Diag *d = diag_new(a);
    if (!t->expr)
        return;
    again.expr = expr_parse_formula(a, f->text, (Loc){ 0 }, d);
    REQUIRE(again.expr);
    const Formula *g = formula_read(a, plain, &again, &op, d);
    REQUIRE(g && g->nnode == f->nnode && g->bias == f->bias && g->is_affine == f->is_affine);
    for (int i = 0; i < f->nnode; i++)
        REQUIRE(g->node[i].kind == f->node[i].kind && g->node[i].op == f->node[i].op);
}

static void check_printed(Arena *a, const Spec *of, const Op *op, const Formula *f)
{
    static const char package_dir[] = DCGEN_SOURCE_DIR "/templates/package";
    enum { MOST_A_NODE = 8000 };
    Spec s = *of;
    s.op = op;
    s.formula = f;
    for (int k = 0; k < 2; k++) {
        const UnitContext u = { &s, NULL, &targets, package_dir, target_find(&targets, k ? "sm_80" : "avx2") };
        const char *text = unit_formula(a, &u, "", diag_new(a));
        REQUIRE(text && strlen(text) < (size_t)MOST_A_NODE * (size_t)(f->nnode + 8) + 400 * strlen(f->text));
    }
    REQUIRE(unit_formula_reference(a, &s, package_dir, false, diag_new(a)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_base();
    for (int i = 0; i < NOP; i++) {
        Arena *a = arena_new();
        Diag *d = diag_new(a);
        const Source *src = fuzz_source(a, "formula", data, size);
        FormulaText t = { 0 };
        const Op *plain = plain_op(a, base[i]->op), *op = NULL;
        if (read_text(a, src, &t, d) && (t.expr || plain->reference)) {
            const Formula *f = formula_read(a, plain, &t, &op, d);
            REQUIRE((f == NULL) == (diag_nerror(d) > 0));
            if (f) {
                check_formula(plain, op, f);
                check_again(a, plain, &t, f);
                check_printed(a, base[i], op, f);
            }
        }
        fuzz_check_diag(d, src);
        arena_free(a);
    }
    return 0;
}
