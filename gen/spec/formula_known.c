/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_known: what is known of a whole formula once it is read: which nodes are used, how often kernels go along a
 * row, whether it is a bias or linear in acc, which operands are lengths, and how many operations a call takes.
 */
#include <string.h>
#include "gen/spec/formula_private.h"

/* How a value depends on acc. Where there are more sums nobody asks for it. */
typedef enum { NOT_AT_ALL, AFFINE, ANYHOW } Dependence;

static Dependence dependence_of(const Formula *f, const FormulaNode *v, const Dependence *of)
{
    Dependence most = v->kind == FORMULA_ACC ? AFFINE : NOT_AT_ALL;
    for (int i = 0; i < v->narg; i++)
        most = of[v->arg[i]] > most ? of[v->arg[i]] : most;
    if (v->kind == FORMULA_ACC || most != AFFINE)
        return most;
    if (v->kind != FORMULA_APPLY)
        return ANYHOW;
    if (v->op == FORMULA_ADD || v->op == FORMULA_SUB || v->op == FORMULA_NEG)
        return AFFINE;
    const int factor = of[v->arg[0]] == NOT_AT_ALL ? 0 : 1; /* of a product: the one without acc */
    const bool scales = v->op == FORMULA_MUL || (v->op == FORMULA_DIV && factor == 1);
    return scales && of[v->arg[factor]] == NOT_AT_ALL && !f->node[v->arg[factor]].along ? AFFINE : ANYHOW;
}

static bool is_affine(const Formula *f)
{
    Dependence of[FORMULA_MAX_NODE];
    for (int i = 0; i < f->nnode; i++)
        of[i] = dependence_of(f, &f->node[i], of);
    return of[f->nnode - 1] == AFFINE;
}

/* Is it an element that differs along two extents or more? */
static bool reads_rows(const Op *op, const FormulaNode *v)
{
    int along = 0;
    for (int i = 0; i < op->nextent; i++)
        along += v->along >> i & 1;
    return v->kind == FORMULA_ELEMENT && along > 1;
}

static bool any_reads_rows(const Formula *f, const Op *op)
{
    bool any = false;
    for (int i = 0; i < f->nnode; i++)
        any = any || reads_rows(op, &f->node[i]);
    return any;
}

/* The extent that comes last in the output, whatever its layout; -1: it depends on that. */
static int last_extent(const Op *op, const Operand *out)
{
    const char *last = expr_text(out->layout->extent[out->layout->rank - 1]);
    for (const Layout *l = out->layout; l < out->layout + out->nlayout; l++)
        if (strcmp(expr_text(l->extent[l->rank - 1]), last) != 0)
            return -1;
    return op_axis(op, last);
}

/* The operand of a formula that is acc + bias[n], n along the output's last extent, if it has no type of its own; -1:
 * it is none. */
static int bias_of(const Formula *f, int last, const Op *op)
{
    const FormulaNode *sum = &f->node[f->nnode - 1];
    if (sum->kind != FORMULA_APPLY || sum->op != FORMULA_ADD)
        return -1;
    for (int i = 0; i < 2; i++) {
        const FormulaNode *other = &f->node[sum->arg[1 - i]];
        if (f->node[sum->arg[i]].kind == FORMULA_ACC && other->kind == FORMULA_ELEMENT && other->narg == 1 &&
            !other->guarded && f->node[other->arg[0]].kind == FORMULA_INDEX && f->node[other->arg[0]].at == last &&
            !op->operand[other->at].stored && op->operand[other->at].role != ROLE_OUT)
            return other->at;
    }
    return -1;
}

/* The extent of a row where nothing is reduced: one that the op reduces and the output lacks, or the output's last. */
static int row_of_op(const FormulaReader *r, int last)
{
    for (int i = 0; i < r->op->naxis && !r->op->reference; i++)
        if (r->op->extent[i].kind == AXIS_REDUCE && !(r->places >> i & 1))
            return i;
    return last;
}

/* Finds the row's extent, and how often kernels go along it. False after an error. */
static bool find_passes(const FormulaReader *r, int last)
{
    Formula *f = r->f;
    const FormulaNode *root = &f->node[f->nnode - 1];
    const Loc at = formula_start(r->text);
    f->row = -1;
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++) {
        if (v->kind != FORMULA_REDUCE)
            continue;
        if (f->row >= 0 && v->at != f->row)
            return diag_error(r->diag, at, "reductions go along %s and along %s; expected one axis",
                              r->op->extent[f->row].name, r->op->extent[v->at].name);
        f->row = v->at;
    }
    if (f->row >= 0 && r->places >> f->row & 1 && f->row != last)
        return diag_error(r->diag, at, "a reduction goes along %s; expected the output's last extent, %s",
                          r->op->extent[f->row].name, r->op->extent[last].name);
    f->row = f->row < 0 ? row_of_op(r, last) : f->row;
    f->fills = f->row >= 0 && r->places >> f->row & 1;
    f->npass = root->level + f->fills;
    f->npass = f->npass || f->row < 0 ? f->npass : 1;
    return true;
}

bool formula_is_across(const Formula *f, const FormulaNode *v)
{
    int along_row = 0, places = 0, other = 0;
    for (int i = 0; i < v->narg && !v->guarded; i++) {
        const FormulaNode *index = &f->node[v->arg[i]];
        along_row += index->along >> f->row & 1;
        places += index->kind == FORMULA_INDEX && index->at == f->row;
        other += i + 1 < v->narg && f->beside >= 0 && index->along >> f->beside & 1;
    }
    const FormulaNode *last = v->kind == FORMULA_ELEMENT ? &f->node[v->arg[v->narg - 1]] : v;
    return last->kind == FORMULA_INDEX && v->kind == FORMULA_ELEMENT && !v->guarded && last->at == f->beside &&
           along_row == 1 && places == 1 && !other;
}

static void find_across(const FormulaReader *r)
{
    Formula *f = r->f;
    const Layout *out = r->op->operand[r->out].layout;
    f->beside = out->rank > 1 ? op_axis(r->op, expr_text(out->extent[out->rank - 2])) : -1;
    for (int i = 0; i < f->nnode && f->npass == 1 && f->node[f->nnode - 1].level == 0; i++)
        f->nacross += formula_is_across(f, &f->node[i]);
}

/* An integer that a place is compared with is a length of that extent: so it is drawn for verification. */
static void note_lengths(const Formula *f, Op *op)
{
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++)
        for (int i = 0; v->kind == FORMULA_APPLY && formula_is_comparison(v->op) && i < 2; i++) {
            const FormulaNode *e = &f->node[v->arg[i]], *place = &f->node[v->arg[1 - i]];
            if (e->kind != FORMULA_ELEMENT || place->kind != FORMULA_INDEX || !op->operand[e->at].of_formula ||
                op->operand[e->at].data == DATA_PLACES)
                continue;
            op->operand[e->at].data = DATA_LENGTHS;
            op->operand[e->at].of = place->at;
        }
}

/* Real numbers of several rows, which the formula goes along: verification draws rows of all kinds. */
static void note_rows(const Formula *f, Op *op)
{
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++) {
        const FormulaNode *last = v->kind == FORMULA_ELEMENT ? &f->node[v->arg[formula_rank(v) - 1]] : v;
        if (v->kind == FORMULA_ELEMENT && formula_rank(v) > 1 && v->type == FORMULA_REAL &&
            last->kind == FORMULA_INDEX && formula_is_plain(f, op, v, formula_rank(v) - 1) &&
            (f->row < 0 || last->at == f->row) && op->operand[v->at].of_formula)
            op->operand[v->at].of = last->at;
    }
}

/* How many elements of an operand calls read or write: as many as there are places that they are read at; of an output
 * that is read each twice. NULL: all. */
static Expr *reads_of(const FormulaReader *r, int operand)
{
    Expr *sum = NULL;
    bool gathers = false;
    for (const FormulaNode *v = r->f->node; v < r->f->node + r->f->nnode; v++) {
        Expr *places = NULL;
        if (v->kind != FORMULA_ELEMENT || v->at != operand)
            continue;
        for (int i = 0; i < r->op->nextent; i++)
            if (v->along >> i & 1) {
                Expr *extent = expr_name(r->arena, r->op->extent[i].name);
                places = places ? expr_apply(r->arena, "*", places, extent) : extent;
            }
        places = places ? places : expr_number(r->arena, 1);
        for (int i = 0; i < formula_rank(v); i++)
            gathers =
                gathers || r->f->node[v->arg[i]].kind == FORMULA_ELEMENT || formula_is_computed(r->f, r->op, v, i);
        sum = sum ? expr_apply(r->arena, "+", sum, places) : places;
    }
    const Operand *o = &r->op->operand[operand];
    Expr *reads = o->is_read ? expr_apply(r->arena, "*", expr_number(r->arena, 2), o->elems)
                  : gathers  ? expr_apply(r->arena, "min", sum, r->op->operand[operand].elems)
                             : NULL;
    if (reads)
        expr_bind(reads, NAMES(r->op->extent, r->op->nextent));
    return reads;
}

/* Takes away what nothing uses: such as a value that a short form did not need. The root comes last. */
static void keep_used(Formula *f, int root)
{
    bool used[FORMULA_MAX_NODE] = { 0 };
    int now[FORMULA_MAX_NODE], n = 0;
    used[root] = true;
    for (int i = root; i >= 0; i--)
        for (int k = 0; used[i] && k < f->node[i].narg; k++)
            used[f->node[i].arg[k]] = true;
    f->calls = false;
    for (int i = 0; i <= root; i++) {
        FormulaNode v = f->node[i];
        if (!used[i])
            continue;
        v.nuse = 0;
        for (int k = 0; k < v.narg; k++)
            f->node[v.arg[k] = now[v.arg[k]]].nuse++;
        f->calls = f->calls || (v.kind >= FORMULA_APPLY && formula_functions[v.op].is_call);
        f->node[now[i] = n++] = v;
    }
    f->nnode = n;
}

static bool uses_sum(const Formula *f, int sum)
{
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_ACC && f->node[i].at == sum)
            return true;
    return false;
}

/* What the op computes must be in the output. False after an error. */
static bool check_sums(const FormulaReader *r)
{
    const Op *op = r->op;
    const Loc at = formula_start(r->text);
    for (int i = 0; op->reference && i < op->nsum; i++) {
        if (uses_sum(r->f, i))
            continue;
        if (op->nsum > 1)
            return diag_error(r->diag, at, "the formula does not use %s; the op '%s' computes %s, each for the output",
                              op->sum[i], op->name, names_join(r->arena, NAMES(op->sum, op->nsum), " and "));
        return diag_error(r->diag, at,
                          "the formula does not use acc: nothing of what op '%s' computes would be in the output; the "
                          "op 'rows' computes formulas alone",
                          op->name);
    }
    return true;
}

/* The operations of a call: those for each element of a row, as many times as the rows have elements. */
static void count_operations(FormulaReader *r)
{
    int64_t n = 0;
    for (const FormulaNode *v = r->f->node; v < r->f->node + r->f->nnode; v++)
        if (v->kind >= FORMULA_APPLY)
            n += formula_functions[v->op].is_call ? 10 : 1;
    const Layout *out = r->op->operand[r->out].layout;
    Expr *elems = op_elements(r->arena, r->op, out);
    if (!r->f->fills && r->f->node[r->f->nnode - 1].level)
        elems = expr_apply(r->arena, "*", elems, expr_name(r->arena, r->op->extent[r->f->row].name));
    r->op->flops = expr_apply(r->arena, "*", elems, expr_number(r->arena, n ? n : 1));
    expr_bind(r->op->flops, NAMES(r->op->extent, r->op->nextent));
}

bool formula_know(FormulaReader *r, int root)
{
    const int last = last_extent(r->op, &r->op->operand[r->out]);
    keep_used(r->f, root);
    if (!check_sums(r) || !find_passes(r, last))
        return false;
    find_across(r);
    if (!r->op->reference)
        count_operations(r);
    r->f->is_affine = r->op->nsum == 1 && is_affine(r->f);
    r->f->reads = any_reads_rows(r->f, r->op);
    r->f->bias = r->op->nsum == 1 ? bias_of(r->f, last, r->op) : -1;
    note_lengths(r->f, r->op);
    note_rows(r->f, r->op);
    for (int i = 0; i < r->op->noperand; i++)
        r->op->operand[i].reads = reads_of(r, i);
    return true;
}
