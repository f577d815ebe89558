/* SPDX-License-Identifier: Apache-2.0
 *
 * op: reads and checks op.cfg. The axes are read first, since every expression of an op is over them.
 */
#include "gen/spec/op.h"

#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"

const char *const role_names[ROLE_COUNT] = { [ROLE_IN] = "in", [ROLE_CONST] = "const", [ROLE_OUT] = "out" };

typedef struct {
    Arena *arena;
    Conf *conf;
    Diag *diag;
    Op *op;
    bool axes_ok; /* false: names in expressions are not checked, so that a fault in an axis gives one error */
} OpReader;

/* Checks a name that will stand in generated C. Axes and operands are arguments of functions there, which rules out more names. */
static bool check_identifier(OpReader *r, const ConfSetting *s, const char *what, const char *name)
{
    const bool is_argument = strcmp(what, "axis") == 0 || strcmp(what, "operand") == 0;
    return conf_check_name(r->diag, s->at, what, name, is_argument ? name_argument_fault(name) : name_fault(name));
}

static bool read_name(OpReader *r, const ConfSetting *group, const char *what, const char **out)
{
    const ConfSetting *s = conf_member(group, "name");
    return s && conf_string(r->conf, s, NULL, out) && check_identifier(r, s, what, *out);
}

static void check_unique(OpReader *r, const ConfSetting *s, const char *what, const char *const *names, int n)
{
    for (int i = 1; i < n; i++)
        if (names_find(NAMES(names, i), names[i]) >= 0) {
            diag_error(r->diag, s->at, "the %s '%s' is there twice", what, names[i]);
            return;
        }
}

/* Reads words: of `known`, or any that may stand in generated C where known.n is 0. */
static void read_words(OpReader *r, const ConfSetting *group, const char *key, const char *what, Names known,
                       const char **out, int *n)
{
    const ConfSetting *s = conf_member(group, key);
    if (!conf_strings(r->conf, group, key, out, OP_MAX_NAME, n) || !s)
        return;
    for (int i = 0; i < *n; i++)
        if (known.n)
            conf_lookup(r->diag, conf_elem(s, i)->at, what, out[i], known);
        else
            check_identifier(r, conf_elem(s, i), what, out[i]);
    check_unique(r, s, what, out, *n);
}

/* Reads an expression over the axes and binds its names to them. */
static void read_expr(OpReader *r, const ConfSetting *group, const char *key, Expr **out)
{
    if (!conf_expr(r->conf, group, key, out) || !*out || !r->axes_ok)
        return;
    conf_check_names(r->diag, *out, "axis", NAMES(r->op->axis, r->op->naxis));
    expr_bind(*out, NAMES(r->op->axis, r->op->naxis));
}

static void read_axis(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in M" },
        { "kind", true, "\"spatial\" or \"reduce\"" },
        { "doc", false, NULL },
    };
    static const char *const kinds[] = { [AXIS_SPATIAL] = "spatial", [AXIS_REDUCE] = "reduce" };
    Axis *axis = &r->op->axis[r->op->naxis];
    int kind = 0;
    axis->name = axis->doc = "";
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    conf_string(r->conf, group, "doc", &axis->doc);
    conf_choice(r->conf, group, "kind", "kind of axis", NAMES(kinds, LENGTH(kinds)), &kind);
    axis->kind = (AxisKind)kind;
    if (read_name(r, group, "axis", &axis->name))
        r->op->naxis++;
}

static void read_operand(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in X" },
        { "role", true, "\"in\", \"const\" or \"out\"" },
        { "elems", true, "its number of elements, as in \"M*K\"" },
        { "dtype", false, NULL },
        { "doc", false, NULL },
        { "epilogue", false, NULL },
        { "layouts", false, NULL },
    };
    Operand *o = &r->op->operand[r->op->noperand];
    int role = 0, epilogue = -1, dtype = -1;
    o->name = o->doc = "";
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    conf_string(r->conf, group, "doc", &o->doc);
    conf_choice(r->conf, group, "dtype", "dtype", NAMES(dtypes, DTYPE_COUNT), &dtype);
    o->dtype = dtype < 0 ? NULL : dtypes[dtype].name;
    conf_choice(r->conf, group, "role", "role", NAMES(role_names, ROLE_COUNT), &role);
    o->role = (Role)role;
    read_expr(r, group, "elems", &o->elems);
    conf_choice(r->conf, group, "epilogue", "epilogue", NAMES(r->op->epilogue, r->op->nepilogue), &epilogue);
    o->epilogue = epilogue < 0 ? NULL : r->op->epilogue[epilogue];
    read_words(r, group, "layouts", "layout", (Names){ 0 }, o->layout, &o->nlayout);
    if (read_name(r, group, "operand", &o->name))
        r->op->noperand++;
}

/* Reads each group of a list of 1 to `max`. */
static void read_each(OpReader *r, const ConfSetting *root, const char *key, int max,
                      void (*read)(OpReader *, const ConfSetting *))
{
    const ConfSetting *list = conf_list(r->conf, root, key);
    if (list && (conf_length(list) == 0 || conf_length(list) > max)) {
        diag_error(r->diag, list->at, "'%s': %d of them, expected 1 to %d", key, conf_length(list), max);
        return;
    }
    for (int i = 0; i < conf_length(list); i++)
        read(r, conf_elem(list, i));
}

/* Checks what the generators rely on: distinct names, one output, at most one constant operand, and layouts for that one alone. */
static void check_operands(OpReader *r, const ConfSetting *root)
{
    const Op *op = r->op;
    const ConfSetting *s = conf_member(root, "operands");
    const char *names[OP_MAX_AXIS + OP_MAX_OPERAND];
    int n = 0, nrole[ROLE_COUNT] = { 0 };
    for (int i = 0; i < op->naxis; i++)
        names[n++] = op->axis[i].name;
    for (int i = 0; i < op->noperand; i++) {
        names[n++] = op->operand[i].name;
        nrole[op->operand[i].role]++;
    }
    check_unique(r, s, "name", names, n);
    if (nrole[ROLE_OUT] != 1)
        diag_error(r->diag, s->at, "%d operands have the role \"out\", expected 1", nrole[ROLE_OUT]);
    if (nrole[ROLE_CONST] > 1)
        diag_error(r->diag, s->at, "%d operands have the role \"const\", at most 1 is allowed", nrole[ROLE_CONST]);
    for (int i = 0; i < op->noperand; i++)
        if ((op->operand[i].role == ROLE_CONST) != (op->operand[i].nlayout > 0))
            diag_error(r->diag, s->at, "the operand '%s' %s", op->operand[i].name,
                       op->operand[i].nlayout ? "has layouts, but its role is not \"const\""
                                              : "is constant and needs layouts");
}

/* The reference is a file beside op.cfg. */
static void read_reference(OpReader *r, const ConfSetting *root)
{
    const char *file = NULL;
    if (!conf_string(r->conf, root, "reference", &file) || !file)
        return;
    if (!*file || strpbrk(file, "/\n\r"))
        diag_error(r->diag, conf_member(root, "reference")->at,
                   "'reference': expected the name of a file in the same folder, found '%s'", file);
    r->op->reference = arena_printf(r->arena, "%s/%s", r->op->dir, file);
}

static void read_op(OpReader *r, const ConfSetting *root)
{
    static const ConfKey keys[] = {
        { "name", true, "the name of its folder" },
        { "doc", false, NULL },
        { "axes", true, "a list of groups { name; kind; }" },
        { "dtypes", true, "as in [\"f32\"]" },
        { "epilogues", false, NULL },
        { "operands", true, "in the order of the C API" },
        { "flops", true, "useful operations of one call, as in \"2*M*N*K\"" },
        { "rows", true, "rows of the output" },
        { "row_elems", true, "elements of each row of the output" },
        { "reference", true, "the naive reference, as in \"reference.c\"" },
    };
    Op *op = r->op;
    conf_keys(r->conf, root, keys, LENGTH(keys));
    read_name(r, root, "op", &op->name);
    conf_string(r->conf, root, "doc", &op->doc);
    int nerror = diag_nerror(r->diag);
    read_each(r, root, "axes", OP_MAX_AXIS, read_axis);
    r->axes_ok = conf_member(root, "axes") && diag_nerror(r->diag) == nerror;
    read_words(r, root, "dtypes", "dtype", NAMES(dtypes, DTYPE_COUNT), op->dtype, &op->ndtype);
    if (conf_member(root, "dtypes") && op->ndtype == 0 && diag_nerror(r->diag) == nerror)
        diag_error(r->diag, conf_member(root, "dtypes")->at, "'dtypes': expected at least one");
    read_words(r, root, "epilogues", "epilogue", (Names){ 0 }, op->epilogue, &op->nepilogue);
    read_each(r, root, "operands", OP_MAX_OPERAND, read_operand);
    read_expr(r, root, "flops", &op->flops);
    read_expr(r, root, "rows", &op->rows);
    read_expr(r, root, "row_elems", &op->row_elems);
    read_reference(r, root);
    if (conf_member(root, "operands") && diag_nerror(r->diag) == nerror)
        check_operands(r, root);
}

Op *op_read(Arena *a, const char *dir, Diag *d)
{
    const Source *src = conf_source(a, arena_printf(a, "%s/op.cfg", dir), d);
    return src ? op_parse(a, dir, src, d) : NULL;
}

Op *op_parse(Arena *a, const char *dir, const Source *src, Diag *d)
{
    int nerror = diag_nerror(d);
    Op *op = ARENA_NEW(a, Op);
    *op = (Op){ .name = "", .doc = "", .dir = arena_strdup(a, dir), .src = src };
    OpReader r = { .arena = a, .diag = d, .op = op, .conf = conf_parse(a, src, 0, src->len, d) };
    if (!r.conf)
        return NULL;
    read_op(&r, r.conf->root);
    return diag_nerror(d) == nerror ? op : NULL;
}

int op_axis(const Op *op, const char *name) { return names_find(NAMES(op->axis, op->naxis), name); }

bool op_has_operand(const Operand *o, const char *const *epilogues, int nepilogue)
{
    return !o->epilogue || names_find(NAMES(epilogues, nepilogue), o->epilogue) >= 0;
}
