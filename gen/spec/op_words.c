/* SPDX-License-Identifier: Apache-2.0
 *
 * op_words: what others may ask of an op by name: specs for its sums, epilogues and accuracies, templates for parts of
 * its packed operand.
 */
#include <ctype.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/formula.h"
#include "gen/spec/op_private.h"

static void read_epilogue(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = { { "name", true, "as in bias" }, { "formula", true, "as in \"acc + bias[n]\"" } };
    OpEpilogue *e = &r->op->epilogue[r->op->nepilogue];
    *e = (OpEpilogue){ 0 };
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    conf_formula(r->conf, group, "formula", &e->expr);
    if (op_read_name(r, group, "epilogue", &e->name))
        r->op->nepilogue++;
}

/* Names that formulas have anyway, and parameters of the functions that compute them. */
static const char *const taken[] = { "a", "at", "extent", "inf", "lanes", "operand", "part", "r" };

/* What is wrong with the name of a sum, which is a variable of C beside the places of an element; NULL: nothing. */
static const char *sum_fault(const OpReader *r, const char *name)
{
    const Op *op = r->op;
    if (op_axis(op, name) >= 0 || op_axis(op, text_letters(arena_strdup(r->arena, name), toupper)) >= 0 ||
        names_row(NAMES(op->operand, op->noperand), name))
        return "has the name of an operand, an extent or a place along one";
    return names_find(NAMES(taken, LENGTH(taken)), name) >= 0 ? "has a name that formulas have anyway"
                                                              : name_argument_fault(name);
}

/* What formulas call the op's sums. */
static void read_sums(OpReader *r, const ConfSetting *root)
{
    const ConfSetting *s = conf_member(root, "sums");
    Op *op = r->op;
    op->sum[0] = "acc";
    op->nsum = 1;
    if (!s || !conf_strings(r->conf, root, "sums", op->sum, OP_MAX_NAME, &op->nsum))
        return;
    if (!op->reference)
        diag_error(r->diag, s->name_at, "'sums' are what a reference computes, and there is none");
    if (op->nsum == 0 || strcmp(op->sum[0], "acc") != 0)
        diag_error(r->diag, s->at, "'sums': expected names of sums, the first of which is \"acc\"");
    for (int i = 0; i < op->nsum; i++) {
        conf_check_name(r->diag, conf_elem(s, i)->at, "sum", op->sum[i], sum_fault(r, op->sum[i]));
        conf_twice(r->conf, s, i, "");
    }
}

static void read_accuracy(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = { { "name", true, "as in winograd" },
                                    { "factor", true,
                                      "how many times the rounding error of plain sums results may be off" },
                                    { "doc", false, NULL } };
    OpAccuracy *x = &r->op->accuracy[r->op->naccuracy];
    int64_t factor = 1;
    *x = (OpAccuracy){ .doc = "" };
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    conf_int(r->conf, group, "factor", 1, OP_MAX_ACCURACY, &factor);
    conf_string(r->conf, group, "doc", &x->doc);
    x->factor = (double)factor;
    if (!op_read_name(r, group, "accuracy", &x->name))
        return;
    if (names_find(NAMES(r->op->accuracy, r->op->naccuracy), x->name) >= 0)
        diag_error(r->diag, conf_member(group, "name")->at, "the accuracy '%s' is there twice", x->name);
    r->op->naccuracy++;
}

static void read_advice(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = { { "words", true, "as in [\"conv1d\"]" },
                                    { "say", true, "what to do instead of asking for them" } };
    OpAdvice *x = &r->op->advice[r->op->nadvice];
    *x = (OpAdvice){ .say = "" };
    if (!conf_group(r->conf, group, NULL) || !conf_keys(r->conf, group, keys, LENGTH(keys)))
        return;
    if (conf_strings(r->conf, group, "words", x->word, OP_MAX_NAME, &x->nword) &&
        conf_string(r->conf, group, "say", &x->say))
        r->op->nadvice++;
}

/* Names of parts of the packed operand, values of templates and words of pack.c: no names of extents or operands. */
static void read_packs(OpReader *r, const ConfSetting *root)
{
    const ConfSetting *s = conf_member(root, "packs");
    Op *op = r->op;
    if (!s || !conf_strings(r->conf, root, "packs", op->pack, OP_MAX_NAME, &op->npack))
        return;
    for (int i = 0; i < op->npack; i++) {
        const Loc at = conf_elem(s, i)->at;
        if (!name_is_capitals(op->pack[i]))
            diag_error(r->diag, at, "the part '%s' must be capital letters, digits and '_', beginning with a letter",
                       op->pack[i]);
        else if (op_axis(op, op->pack[i]) >= 0 || names_find(NAMES(op->operand, op->noperand), op->pack[i]) >= 0)
            diag_error(r->diag, at, "the part '%s' has the name of an extent or operand", op->pack[i]);
        conf_twice(r->conf, s, i, "");
    }
    for (int i = 0; i < op->noperand; i++)
        if (op->operand[i].role == ROLE_CONST)
            return;
    diag_error(r->diag, s->name_at, "'packs' are parts of a packed operand, and there is none with the role \"const\"");
}

void op_check_epilogues(OpReader *r, const ConfSetting *root)
{
    const char *name[OP_MAX_NAME];
    const Op *unused;
    for (int i = 0; i < r->op->nepilogue; i++) {
        const FormulaText text = { .expr = r->op->epilogue[i].expr };
        name[i] = r->op->epilogue[i].name;
        formula_read(r->arena, r->op, &text, &unused, r->diag);
    }
    op_check_unique(r, conf_member(root, "epilogues"), "epilogue", name, r->op->nepilogue);
}

void op_read_words(OpReader *r, const ConfSetting *root)
{
    read_sums(r, root);
    if (conf_member(root, "epilogues"))
        op_read_each(r, root, "epilogues", OP_MAX_NAME, read_epilogue);
    if (conf_member(root, "advice"))
        op_read_each(r, root, "advice", OP_MAX_NAME, read_advice);
    if (conf_member(root, "accuracies"))
        op_read_each(r, root, "accuracies", OP_MAX_NAME, read_accuracy);
    read_packs(r, root);
}
