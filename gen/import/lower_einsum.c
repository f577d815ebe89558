/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_einsum: Einsum of one or two operands. Each letter is a place. Of two operands, letters that the output lacks
 * are summed over: that is a product of matrices, whose rows are the letters of the first operand alone, and whose
 * columns are those of the second one.
 */
#include <ctype.h>
#include <string.h>
#include "gen/import/lower.h"

enum { EINSUM_PLACE = 160, NLETTER = 128 }; /* places of letters are numbered from here on */

typedef struct {
    int n;
    char letter[LOWER_MAX_RANK]; /* dots stand for letters of their own, 1 for the last extent */
} Letters;

typedef struct {
    Lower *lower;
    int noperand;
    Letters operand[2], output;
    const Poly *dim[NLETTER];
} Einsum;

static bool has_letter(const Letters *x, char letter) { return memchr(x->letter, letter, (size_t)x->n) != NULL; }

/* Reads the letters of an operand of this rank up to the text's end. rank -1: dots stand for `dots` extents. */
static bool read_letters(Einsum *e, const char *text, size_t n, int rank, int dots, Letters *out)
{
    int letters = 0;
    for (size_t i = 0; i < n; i++)
        letters += isalpha((unsigned char)text[i]) != 0;
    dots = rank < 0 ? dots : rank - letters;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == ' ')
            continue;
        if (strncmp(text + i, "...", 3) == 0 && i + 3 <= n && dots >= 0 && out->n + dots <= LOWER_MAX_RANK) {
            for (int k = dots; k > 0; k--)
                out->letter[out->n++] = (char)k;
            i += 2;
        } else if (isalpha((unsigned char)text[i]) && out->n < LOWER_MAX_RANK) {
            out->letter[out->n++] = text[i];
        } else {
            return lower_error(e->lower, "its equation cannot be read");
        }
    }
    return rank < 0 || out->n == rank ||
           lower_error(e->lower, "its equation has %d letters, expected %d", out->n, rank);
}

/* Without an arrow: what dots stand for, and letters that stand once, in the order of the alphabet. */
static void usual_output(Einsum *e, int dots)
{
    for (int k = dots; k > 0; k--)
        e->output.letter[e->output.n++] = (char)k;
    for (int c = 'A'; c <= 'z'; c++) {
        int count = 0;
        for (int i = 0; i < e->noperand; i++)
            for (int k = 0; k < e->operand[i].n; k++)
                count += e->operand[i].letter[k] == c;
        if (count == 1 && e->output.n < LOWER_MAX_RANK)
            e->output.letter[e->output.n++] = (char)c;
    }
}

static bool read_equation(Einsum *e)
{
    Lower *l = e->lower;
    const char *text = onnx_string(l->node->onnx, "equation", ""), *arrow = strstr(text, "->"),
               *comma = strchr(text, ',');
    const char *end = arrow ? arrow : text + strlen(text);
    int dots = 0;
    if ((comma ? 2 : 1) != e->noperand)
        return lower_error(l, "its equation has not as many operands as it has inputs");
    for (int i = 0; i < e->noperand; i++) {
        const char *from = i ? comma + 1 : text, *to = !i && comma ? comma : end;
        const Value *v = lower_input(l, i);
        if (!read_letters(e, from, (size_t)(to - from), v->rank, 0, &e->operand[i]))
            return false;
        for (int k = 0; k < v->rank; k++) {
            const char letter = e->operand[i].letter[k];
            const Poly **dim = &e->dim[(int)letter];
            dots = letter < ' ' && letter > dots ? letter : dots;
            if (!*dim || poly_is(*dim, 1))
                *dim = v->dim[k];
            else if (!poly_is(v->dim[k], 1) && !lower_require(l, *dim, v->dim[k]))
                return false;
        }
    }
    if (!arrow)
        usual_output(e, dots);
    else if (!read_letters(e, arrow + 2, strlen(arrow + 2), -1, dots, &e->output))
        return false;
    for (int i = 0; i < e->output.n; i++)
        if (!e->dim[(int)e->output.letter[i]])
            return lower_error(l, "its output has a letter that no operand has");
    return true;
}

static int letter_place(Einsum *e, char letter)
{
    return lower_place(e->lower, EINSUM_PLACE + letter, e->dim[(int)letter]);
}

/* An operand's element over the places of letters. */
static const Elem *over_letters(Einsum *e, int operand)
{
    Lower *l = e->lower;
    const Value *v = lower_input(l, operand);
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank; i++)
        by[i] = poly_is(v->dim[i], 1) ? elem_int(l->elems, 0)
                                      : elem_place(l->elems, letter_place(e, e->operand[operand].letter[i]));
    return elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
}

/* Several letters as one extent: what each is by its place. */
static const Poly *join(Einsum *e, const Letters *x, int axis, int *place, const Elem **by, int *n)
{
    Lower *l = e->lower;
    const Poly *all = poly_number(l->polys, 1);
    for (int i = 0; i < x->n; i++)
        all = poly_mul(l->polys, all, e->dim[(int)x->letter[i]]);
    const Poly *at = elem_as_size(lower_place_elem(l, axis, all));
    for (int i = x->n - 1; i >= 0; i--) {
        const Poly *dim = e->dim[(int)x->letter[i]];
        place[*n] = letter_place(e, x->letter[i]);
        by[(*n)++] = elem_size(l->elems, i ? poly_apply(l->polys, "%", at, dim) : at);
        at = poly_apply(l->polys, "/", at, dim);
    }
    return all;
}

/* An operand as matrices: over the letters of the batch, and of rows and columns. */
static Value as_matrices(Einsum *e, int operand, const Letters *batch, const Letters *rows, const Letters *columns)
{
    Lower *l = e->lower;
    Value m = { .type = lower_input(l, operand)->type, .is_known = true, .rank = batch->n + 2 };
    int place[3 * LOWER_MAX_RANK], n = 0;
    const Elem *by[3 * LOWER_MAX_RANK];
    for (int i = 0; i < batch->n; i++) {
        m.dim[i] = e->dim[(int)batch->letter[i]];
        place[n] = letter_place(e, batch->letter[i]);
        by[n++] = lower_place_elem(l, i, m.dim[i]);
    }
    m.dim[batch->n] = join(e, rows, batch->n, place, by, &n);
    m.dim[batch->n + 1] = join(e, columns, batch->n + 1, place, by, &n);
    m.elem = over_letters(e, operand);
    for (int i = 0; i < n; i++)
        m.elem = elem_replace(l->elems, m.elem, 1, &place[i], &by[i]);
    return m;
}

/* The place of several letters' extent, by the output's places. */
static const Elem *joined_place(Einsum *e, const Letters *x)
{
    Lower *l = e->lower;
    const Poly *at = poly_number(l->polys, 0);
    for (int i = 0; i < x->n; i++) {
        const Poly *dim = e->dim[(int)x->letter[i]];
        const int k =
            (int)((const char *)memchr(e->output.letter, x->letter[i], (size_t)e->output.n) - e->output.letter);
        at = poly_add(l->polys, poly_mul(l->polys, at, dim), elem_as_size(lower_place_elem(l, k, dim)));
    }
    return elem_size(l->elems, at);
}

static bool give_output(Einsum *e, const Elem *x)
{
    const Poly *dim[LOWER_MAX_RANK];
    for (int i = 0; i < e->output.n; i++)
        dim[i] = e->dim[(int)e->output.letter[i]];
    return lower_give(e->lower, 0, lower_input(e->lower, 0)->type, e->output.n, dim, x);
}

/* x, over the places of letters, over those of the output. */
static const Elem *over_output(Einsum *e, const Elem *x)
{
    Lower *l = e->lower;
    for (int i = 0; i < e->output.n; i++) {
        const char letter = e->output.letter[i];
        const int place = letter_place(e, letter);
        const Elem *by = lower_place_elem(l, i, e->dim[(int)letter]);
        x = elem_replace(l->elems, x, 1, &place, &by);
    }
    return x;
}

/* Of one operand: its elements at other places, summed over letters that the output lacks. */
static bool of_one(Einsum *e)
{
    Lower *l = e->lower;
    Value v = { .is_known = true };
    unsigned axes = 0;
    const Elem *x = over_output(e, over_letters(e, 0));
    for (; v.rank < e->output.n; v.rank++)
        v.dim[v.rank] = e->dim[(int)e->output.letter[v.rank]];
    for (int i = 0; i < e->operand[0].n; i++) {
        const char letter = e->operand[0].letter[i];
        if (has_letter(&e->output, letter) || memchr(e->operand[0].letter, letter, (size_t)i))
            continue;
        if (v.rank == LOWER_MAX_RANK)
            return lower_error(l, "more than %d letters", LOWER_MAX_RANK);
        v.dim[v.rank] = e->dim[(int)letter];
        const int place = letter_place(e, letter);
        const Elem *by = lower_place_elem(l, v.rank, v.dim[v.rank]);
        x = elem_replace(l->elems, x, 1, &place, &by);
        axes |= 1u << v.rank++;
    }
    return give_output(e, axes ? lower_reduced(l, "sum", &v, x, axes) : x);
}

static bool of_two(Einsum *e)
{
    Lower *l = e->lower;
    Letters batch = { 0 }, rows = batch, columns = batch, sums = batch;
    const Poly *dim[LOWER_MAX_RANK];
    int rank;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < e->operand[i].n; k++) {
            const char letter = e->operand[i].letter[k];
            const bool both = has_letter(&e->operand[!i], letter), kept = has_letter(&e->output, letter);
            Letters *to = both ? kept ? &batch : &sums : i ? &columns : &rows;
            if (!both && !kept)
                return lower_error(l, "a sum over a letter of one operand alone is not supported");
            if (memchr(e->operand[i].letter, letter, (size_t)k))
                return lower_error(l, "diagonals are not supported");
            if (!(both && i))
                to->letter[to->n++] = letter;
        }
    if (!sums.n)
        return give_output(e, over_output(e, ELEM(l->elems, "*", over_letters(e, 0), over_letters(e, 1))));
    if (batch.n + 2 > LOWER_MAX_RANK)
        return lower_error(l, "more than %d letters", LOWER_MAX_RANK);
    Value a = as_matrices(e, 0, &batch, &rows, &sums), b = as_matrices(e, 1, &batch, &sums, &columns);
    const Elem *x = lower_product(l, &a, &b, &rank, dim), *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK];
    if (!x)
        return false;
    lower_places(l, rank, dim, place);
    for (int i = 0; i < batch.n; i++)
        by[i] = joined_place(e, &(Letters){ .n = 1, .letter = { batch.letter[i] } });
    by[batch.n] = joined_place(e, &rows);
    by[batch.n + 1] = joined_place(e, &columns);
    return give_output(e, elem_replace(l->elems, x, rank, place, by));
}

static bool lower_einsum(Lower *l, const NetNode *n)
{
    Einsum e = { .lower = l, .noperand = n->ninput };
    if (n->ninput < 1 || n->ninput > 2)
        return lower_error(l, "of %d operands it is not supported; two at a time are", n->ninput);
    if (!lower_has_reals(l, n->ninput) || !read_equation(&e))
        return false;
    return n->ninput == 1 ? of_one(&e) : of_two(&e);
}

const LowerRow lower_einsums[] = {
    { "Einsum", lower_einsum, 0, NULL },
    { NULL, NULL, 0, NULL },
};
