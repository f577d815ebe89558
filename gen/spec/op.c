/* SPDX-License-Identifier: Apache-2.0
 *
 * op: reads and checks op.cfg. The extents are read first, since every expression of an op is over them.
 */
#include "gen/spec/op.h"

#include <string.h>
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/op_private.h"

const char *const role_names[ROLE_COUNT] = {
    [ROLE_IN] = "in", [ROLE_CONST] = "const", [ROLE_OUT] = "out", [ROLE_INDEX] = "index"
};
const char *const data_names[DATA_COUNT] = {
    [DATA_NORMAL] = "normal",   [DATA_INTEGERS] = "integers", [DATA_BITS] = "bits",
    [DATA_LENGTHS] = "lengths", [DATA_PLACES] = "places",     [DATA_PERMUTATION] = "permutation",
    [DATA_PARTS] = "parts",     [DATA_OFFSETS] = "offsets",   [DATA_OUTLIERS] = "outliers",
    [DATA_SPREAD] = "spread",   [DATA_EDGES] = "edges"
};

enum { MAX_TRY = 1 << 20 }; /* a larger extent would take too long to verify */
static const Storage *const index_storage = &storages[STORED_S32];

/* Checks a name for generated C. Axes and operands are arguments of functions there, which rules out more names. */
static bool check_identifier(OpReader *r, const ConfSetting *s, const char *what, const char *name)
{
    static const char *const word[] = { "layout", "op", "epilogue", "accuracy" };
    const bool is_argument = names_find(NAMES(word, LENGTH(word)), what) < 0;
    return conf_check_name(r->diag, s->at, what, name, is_argument ? name_argument_fault(name) : name_fault(name));
}

bool op_read_name(OpReader *r, const ConfSetting *group, const char *what, const char **out)
{
    const ConfSetting *s = conf_member(group, "name");
    return s && conf_string(r->conf, s, NULL, out) && check_identifier(r, s, what, *out);
}

void op_check_unique(OpReader *r, const ConfSetting *s, const char *what, const char *const *names, int n)
{
    for (int i = 1; i < n; i++)
        if (names_find(NAMES(names, i), names[i]) >= 0) {
            diag_error(r->diag, s->at, "the %s '%s' is there twice", what, names[i]);
            return;
        }
}

static void read_words(OpReader *r, const ConfSetting *group, const char *key, const char *what, Names known,
                       const char **out, int *n)
{
    const ConfSetting *s = conf_member(group, key);
    if (!conf_strings(r->conf, group, key, out, OP_MAX_NAME, n) || !s)
        return;
    for (int i = 0; i < *n; i++)
        conf_lookup(r->diag, conf_elem(s, i)->at, what, out[i], known);
    op_check_unique(r, s, what, out, *n);
}

/* Reads an expression over the extents so far, and binds it to them. As C it is of integers, but for the operations. */
static void read_expr(OpReader *r, const ConfSetting *group, const char *key, Expr **out)
{
    const Names extents = NAMES(r->op->extent, r->op->nextent);
    if (!conf_expr(r->conf, group, key, out) || !*out || !r->axes_ok)
        return;
    const bool is_real = out == &r->op->flops;
    if (is_real && !expr_c_real(r->arena, *out, "", ""))
        diag_error(r->diag, expr_loc(*out), "'%s' has log2, exp2 or sqrt, which packages do without", expr_text(*out));
    if (!is_real && !expr_c_int(r->arena, *out, ""))
        diag_error(r->diag, expr_loc(*out), "'%s' %s", expr_text(*out), expr_status_text(EXPR_NOT_INTEGER));
    conf_check_names(r->diag, *out, r->op->nextent > r->op->naxis ? "extent" : "axis", extents);
    expr_bind(*out, extents);
}

/* ---- extents ---- */

/* Reads what all kinds of extents have. NULL after an error. */
static Extent *new_extent(OpReader *r, const ConfSetting *group, const ConfKey *keys, size_t nkey, ExtentKind kind)
{
    Op *op = r->op;
    if (op->nextent == OP_MAX_EXTENT) {
        diag_error(r->diag, group->at, "more than %d axes, attributes and derived extents", OP_MAX_EXTENT);
        return NULL;
    }
    Extent *x = &op->extent[op->nextent];
    *x = (Extent){ .name = "", .doc = "", .kind = kind, .most = OP_MAX_NUMBER, .loc = group->at };
    if (!conf_group(r->conf, group, NULL))
        return NULL;
    conf_keys(r->conf, group, keys, nkey);
    conf_string(r->conf, group, "doc", &x->doc);
    return op_read_name(r, group,
                        kind == EXTENT_ATTRIBUTE ? "attribute"
                        : kind == EXTENT_DERIVED ? "extent"
                                                 : "axis",
                        &x->name)
               ? x
               : NULL;
}

static void read_axis(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in M" }, { "kind", true, "\"batch\", \"spatial\" or \"reduce\"" },
        { "least", false, NULL },    { "doc", false, NULL },
        { "try", false, NULL },
    };
    static const char *const kinds[] = { [AXIS_BATCH] = "batch", [AXIS_SPATIAL] = "spatial", [AXIS_REDUCE] = "reduce" };
    Extent *x = new_extent(r, group, keys, LENGTH(keys), AXIS_SPATIAL);
    int kind = 0;
    conf_choice(r->conf, group, "kind", "kind of axis", NAMES(kinds, LENGTH(kinds)), &kind);
    if (!x)
        return;
    conf_int(r->conf, group, "least", 0, 1, &x->least);
    conf_ints(r->conf, group, "try", 1, MAX_TRY, x->tries, OP_MAX_NAME, &x->ntry);
    x->kind = (ExtentKind)kind;
    r->op->nextent++;
}

static void read_attribute(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in STRIDE" }, { "min", true, "the least legal value" },
        { "max", true, "the greatest" },  { "default", false, NULL },
        { "brief", false, NULL },         { "doc", false, NULL },
    };
    Extent *x = new_extent(r, group, keys, LENGTH(keys), EXTENT_ATTRIBUTE);
    const ConfSetting *brief = conf_member(group, "brief");
    if (!x)
        return;
    if (brief && conf_string(r->conf, brief, NULL, &x->brief))
        check_identifier(r, brief, "brief name", x->brief);
    conf_int(r->conf, group, "min", -OP_MAX_NUMBER, OP_MAX_NUMBER, &x->least);
    conf_int(r->conf, group, "max", x->least, OP_MAX_NUMBER, &x->most);
    x->has_usual = conf_member(group, "default");
    conf_int(r->conf, group, "default", x->least, x->most, &x->usual);
    r->op->nextent++;
}

/* What an expression can be for legal extents. False after an error: it overflows there, or divides by zero. */
static bool find_bounds(OpReader *r, const Expr *e, int64_t *least, int64_t *most)
{
    int64_t lo[OP_MAX_EXTENT], hi[OP_MAX_EXTENT];
    for (int i = 0; i < r->op->nextent; i++) {
        lo[i] = r->op->extent[i].least;
        hi[i] = r->op->extent[i].most;
    }
    const ExprStatus s = expr_bounds(e, lo, hi, least, most);
    return s == EXPR_OK ||
           diag_error(r->diag, expr_loc(e), "'%s' %s for some legal extents", expr_text(e), expr_status_text(s));
}

static void read_derived(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in P" },
        { "expr", true, "an expression over the extents before it" },
        { "doc", false, NULL },
    };
    Extent *x = new_extent(r, group, keys, LENGTH(keys), EXTENT_DERIVED);
    const int before = diag_nerror(r->diag);
    int64_t least, most;
    if (!x)
        return;
    read_expr(r, group, "expr", &x->expr);
    if (r->axes_ok && x->expr && diag_nerror(r->diag) == before)
        find_bounds(r, x->expr, &least, &most);
    r->op->nextent++;
}

/* ---- operands ---- */

/* Reads a layout's extents. An extent that can be negative has no meaning. */
static void read_extents(OpReader *r, const ConfSetting *group, Layout *l)
{
    const ConfSetting *list = conf_member(group, "extents");
    const int n = conf_length(list);
    if (!list)
        return;
    if ((list->type != CONF_ARRAY && list->type != CONF_LIST) || n < 1 || n > OP_MAX_RANK) {
        diag_error(r->diag, list->at, "'extents': expected 1 to %d extents, outermost first, as in [\"M\", \"K\"]",
                   OP_MAX_RANK);
        return;
    }
    for (int i = 0; i < n; i++) {
        int64_t least, most;
        const int before = diag_nerror(r->diag);
        read_expr(r, conf_elem(list, i), NULL, &l->extent[i]);
        if (!l->extent[i] || diag_nerror(r->diag) > before || !r->axes_ok)
            return;
        if (find_bounds(r, l->extent[i], &least, &most) && least < 0)
            diag_error(r->diag, expr_loc(l->extent[i]),
                       "'%s' is negative for some legal extents; a derived extent never is", expr_text(l->extent[i]));
    }
    l->rank = n;
}

Expr *op_elements(Arena *a, const Op *op, const Layout *l)
{
    Expr *product = l->rank ? l->extent[0] : NULL;
    for (int i = 1; i < l->rank; i++)
        product = expr_apply(a, "*", product, l->extent[i]);
    if (product)
        expr_bind(product, NAMES(op->extent, op->nextent));
    return product;
}

static Expr *elements(OpReader *r, const Layout *l)
{
    Expr *product = op_elements(r->arena, r->op, l);
    if (!product && l->rank)
        diag_error(r->diag, expr_loc(l->extent[0]), "the product of these extents is too long");
    return product;
}

static void read_layout(OpReader *r, const ConfSetting *group, Operand *o)
{
    static const ConfKey keys[] = { { "name", true, "as in NK" },
                                    { "extents", true, "outermost first, as in [\"N\", \"K\"]" } };
    Layout *l = &o->layout[o->nlayout];
    *l = (Layout){ .name = "" };
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    read_extents(r, group, l);
    if (!op_read_name(r, group, "layout", &l->name))
        return;
    if (l->rank && o->layout[0].rank && l->rank != o->layout[0].rank)
        diag_error(r->diag, group->at, "the layout '%s' has %d extents, '%s' has %d", l->name, l->rank,
                   o->layout[0].name, o->layout[0].rank);
    if (names_find(NAMES(o->layout, o->nlayout), l->name) >= 0)
        diag_error(r->diag, group->at, "the layout '%s' is there twice", l->name);
    o->nlayout++;
}

/* An operand that lies as one before it does, with layouts of the same names. */
static void read_layout_of(OpReader *r, const ConfSetting *group, Operand *o)
{
    const ConfSetting *s = conf_member(group, "layout_of");
    const Names before = NAMES(r->op->operand, r->op->noperand);
    if (!s || !conf_string(r->conf, s, NULL, &o->layout_of) ||
        conf_lookup(r->diag, s->at, "operand", o->layout_of, before) < 0)
        return;
    const Operand *of = names_row(before, o->layout_of);
    bool same = o->nlayout > 1 && o->nlayout == of->nlayout;
    for (int i = 0; same && i < o->nlayout; i++)
        same = strcmp(o->layout[i].name, of->layout[i].name) == 0;
    if (!same)
        diag_error(r->diag, s->at, "'layout_of': expected an operand with layouts of the same names in the same order");
}

static void read_layouts(OpReader *r, const ConfSetting *group, Operand *o)
{
    const ConfSetting *several = conf_member(group, "layouts"), *list = conf_list(r->conf, group, "layouts");
    if (several && conf_member(group, "extents"))
        diag_error(r->diag, several->name_at, "an operand has 'extents', or 'layouts' with extents each");
    if (several && list && (conf_length(list) < 1 || conf_length(list) > OP_MAX_NAME))
        diag_error(r->diag, list->at, "'layouts': %d of them, expected 1 to %d", conf_length(list), OP_MAX_NAME);
    else if (several)
        for (int i = 0; i < conf_length(list); i++)
            read_layout(r, conf_elem(list, i), o);
    else {
        o->layout[o->nlayout++] = (Layout){ .name = "" };
        read_extents(r, group, &o->layout[0]);
    }
    o->elems = elements(r, &o->layout[0]);
    read_layout_of(r, group, o);
}

/* Does it hold how much there is, or which part? A permutation says neither. */
static bool is_of_extent(const Operand *o) { return o->data >= DATA_LENGTHS && o->data != DATA_PERMUTATION; }

/* What is wrong with an operand's data; NULL: nothing. `of` says whether the key `of` is there. */
static const char *data_fault(const Op *op, const Operand *o, bool of)
{
    const bool needs_of = is_of_extent(o);
    if (o->role == ROLE_OUT && o->data != DATA_NORMAL)
        return "is the output and has no data of its own";
    if (o->role == ROLE_INDEX && o->data == DATA_NORMAL)
        return "is an index and needs 'data': \"integers\", \"bits\", \"lengths\", \"places\", \"permutation\", "
               "\"parts\" or "
               "\"offsets\"";
    if (o->role != ROLE_INDEX && o->data >= DATA_LENGTHS)
        return "has data of an index, but not its role";
    if (o->role == ROLE_INDEX && o->stored && !storage_is_whole(o->stored))
        return "is an index, whose dtype is always s32";
    if (o->data == DATA_BITS && o->role != ROLE_INDEX && !(o->stored && storage_is_whole(o->stored)))
        return "has words of any bits and needs dtype = \"s32\": of real numbers some are no numbers";
    if (needs_of != of)
        return of ? "has 'of', which belongs to \"lengths\", \"places\", \"parts\" and \"offsets\" alone"
                  : "has data of an extent and needs 'of', the name of that";
    if (o->of >= 0 && op->extent[o->of].least < 0)
        return "has data of an attribute that may be negative";
    if (o->data == DATA_PLACES && o->of >= 0 && op->extent[o->of].least < 1)
        return "has places along an axis that may have none; it needs least = 1";
    if (o->data == DATA_PERMUTATION && o->of < 0)
        return "has permutations, but its last extent is no axis that they are of";
    return NULL;
}

/* Reads what test data there is for an operand whose role and elems are known. */
static void read_data(OpReader *r, const ConfSetting *group, Operand *o)
{
    const ConfSetting *of = conf_member(group, "of");
    const char *axis = NULL;
    int data = DATA_NORMAL;
    o->of = -1;
    if (!conf_choice(r->conf, group, "data", "kind of data", NAMES(data_names, DATA_OF_OPS), &data))
        return;
    o->data = (DataKind)data;
    if (of && conf_string(r->conf, of, NULL, &axis) && r->axes_ok)
        o->of = conf_lookup(r->diag, of->at, "axis", axis, NAMES(r->op->extent, r->op->nextent));
    if (o->data == DATA_PERMUTATION && o->layout->rank)
        o->of = op_axis(r->op, expr_text(o->layout->extent[o->layout->rank - 1]));
    const char *fault = data_fault(r->op, o, of);
    if (fault)
        diag_error(r->diag, group->at, "the operand %s", fault);
    if (o->role == ROLE_INDEX && !o->stored)
        o->stored = index_storage;
}

static void read_operand(OpReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = {
        { "name", true, "as in X" },  { "role", true, "\"in\", \"const\", \"out\" or \"index\"" },
        { "extents", false, NULL },   { "layouts", false, NULL },
        { "strided", false, NULL },   { "dtype", false, NULL },
        { "doc", false, NULL },       { "data", false, NULL },
        { "of", false, NULL },        { "finite", false, NULL },
        { "layout_of", false, NULL },
    };
    Operand *o = &r->op->operand[r->op->noperand];
    const int nerror = diag_nerror(r->diag);
    OperandType types[OPERAND_TYPE_MOST];
    int role = 0, type = -1;
    *o = (Operand){ .name = "", .doc = "" };
    if (!conf_group(r->conf, group, NULL))
        return;
    conf_keys(r->conf, group, keys, LENGTH(keys));
    if (!conf_member(group, "extents") && !conf_member(group, "layouts"))
        diag_error(r->diag, group->at,
                   "missing 'extents': an operand's extents, outermost first, as in [\"M\", \"K\"]");
    conf_string(r->conf, group, "doc", &o->doc);
    conf_bool(r->conf, group, "strided", &o->strided);
    o->never_strided = conf_member(group, "strided") && !o->strided;
    conf_string(r->conf, group, "finite", &o->finite);
    conf_choice(r->conf, group, "dtype", "dtype", NAMES(types, operand_types(types)), &type);
    o->stored = type < 0 ? NULL : types[type].stored;
    conf_choice(r->conf, group, "role", "role", NAMES(role_names, ROLE_COUNT), &role);
    o->role = (Role)role;
    read_layouts(r, group, o);
    if (diag_nerror(r->diag) == nerror)
        read_data(r, group, o);
    if (op_read_name(r, group, "operand", &o->name)) {
        o->loc = conf_member(group, "name")->at;
        r->op->noperand++;
    }
}

void op_read_each(OpReader *r, const ConfSetting *root, const char *key, int max,
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

/* Without a reference an op computes formulas along the rows of its output, which lies in one way only: each of its
 * extents is another axis or derived extent. */
static void check_output(OpReader *r)
{
    const Op *op = r->op;
    const Operand *out = op_output(op);
    unsigned seen = 0;
    for (int i = 0; i < out->layout->rank; i++) {
        const int extent = op_axis(op, expr_text(out->layout->extent[i]));
        if (extent < 0 || seen >> extent & 1)
            diag_error(r->diag, expr_loc(out->layout->extent[i]),
                       "'%s': an op without 'reference' computes a formula of places, one along each extent of '%s'; "
                       "expected another axis or derived extent",
                       expr_text(out->layout->extent[i]), out->name);
        seen |= extent < 0 ? 0 : 1u << extent;
    }
    if (out->nlayout > 1)
        diag_error(r->diag, expr_loc(out->layout[1].extent[0]),
                   "the output of an op without 'reference' has one layout");
}

/* Checks what the generators rely on: distinct names, one output. */
static void check_operands(OpReader *r, const ConfSetting *root)
{
    const Op *op = r->op;
    const ConfSetting *s = conf_member(root, "operands");
    const char *names[2 * OP_MAX_EXTENT + OP_MAX_OPERAND];
    int n = 0, nrole[ROLE_COUNT] = { 0 };
    for (int i = 0; i < op->nextent; i++)
        names[n++] = op->extent[i].name;
    for (int i = 0; i < op->nextent; i++)
        if (op_is_first_brief(op, i))
            names[n++] = op->extent[i].brief;
    for (int i = 0; i < op->noperand; i++) {
        names[n++] = op->operand[i].name;
        nrole[op->operand[i].role]++;
    }
    op_check_unique(r, s, "name", names, n);
    if (nrole[ROLE_OUT] != 1)
        diag_error(r->diag, s->at, "%d operands have the role \"out\", expected 1", nrole[ROLE_OUT]);
    if (nrole[ROLE_OUT] == 1 && !op->reference)
        check_output(r);
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

/* The op whose templates it has. An op without a reference has no work of its own either: both follow from formulas. */
static void read_templates(OpReader *r, const ConfSetting *root)
{
    const ConfSetting *s = conf_member(root, "templates"), *flops = conf_member(root, "flops");
    const bool reference = conf_member(root, "reference");
    r->op->templates = r->op->name;
    if (s && conf_string(r->conf, s, NULL, &r->op->templates))
        check_identifier(r, s, "op", r->op->templates);
    if (reference && !flops)
        diag_error(r->diag, root->at, "missing key 'flops': useful operations of one call, as in \"2*M*N*K\"");
    if (flops && !reference)
        diag_error(r->diag, root->at, "missing key 'reference': the naive reference, as in \"reference.c\"");
}

/* Does the work of a call depend on data? Unless op.cfg says it: where an operand holds lengths, parts or places. */
static void read_by_data(OpReader *r, const ConfSetting *root)
{
    Op *op = r->op;
    for (int i = 0; i < op->noperand; i++)
        op->by_data = op->by_data || is_of_extent(&op->operand[i]);
    conf_bool(r->conf, root, "work_by_data", &op->by_data);
}

/* The output seen as rows, by both keys or by neither: then a row is an element. */
static void read_rows(OpReader *r, const ConfSetting *root)
{
    Op *op = r->op;
    const ConfSetting *rows = conf_member(root, "rows"), *row_elems = conf_member(root, "row_elems");
    read_expr(r, root, "rows", &op->rows);
    read_expr(r, root, "row_elems", &op->row_elems);
    if (!rows != !row_elems)
        diag_error(r->diag, (rows ? rows : row_elems)->name_at, "'%s' needs '%s' beside it",
                   rows ? "rows" : "row_elems", rows ? "row_elems" : "rows");
    if (rows || row_elems)
        return;
    for (int i = 0; i < op->noperand; i++)
        if (op->operand[i].role == ROLE_OUT)
            op->rows = op->operand[i].elems;
    op->row_elems = expr_parse(r->arena, "1", (Loc){ .src = op->src }, r->diag);
}

static void read_op(OpReader *r, const ConfSetting *root)
{
    static const ConfKey keys[] = {
        { "name", true, "the name of its folder" },
        { "also", false, NULL },
        { "advice", false, NULL },
        { "doc", false, NULL },
        { "axes", true, "a list of groups { name; kind; }" },
        { "attributes", false, NULL },
        { "derived", false, NULL },
        { "dtypes", true, "as in [\"f32\"]" },
        { "epilogues", false, NULL },
        { "sums", false, NULL },
        { "accuracies", false, NULL },
        { "packs", false, NULL },
        { "operands", true, "in the order of the C API" },
        { "flops", false, NULL },
        { "work_by_data", false, NULL },
        { "rows", false, NULL },
        { "row_elems", false, NULL },
        { "reference", false, NULL },
        { "templates", false, NULL },
    };
    Op *op = r->op;
    const int before = diag_nerror(r->diag);
    conf_keys(r->conf, root, keys, LENGTH(keys));
    op_read_name(r, root, "op", &op->name);
    if (conf_member(root, "also"))
        conf_strings(r->conf, root, "also", op->also, OP_MAX_NAME, &op->nalso);
    conf_string(r->conf, root, "doc", &op->doc);
    int nerror = diag_nerror(r->diag);
    op_read_each(r, root, "axes", OP_MAX_AXIS, read_axis);
    op->naxis = op->ngiven = op->nextent;
    if (conf_member(root, "attributes"))
        op_read_each(r, root, "attributes", OP_MAX_AXIS, read_attribute);
    op->ngiven = op->nextent;
    r->axes_ok = conf_member(root, "axes") && diag_nerror(r->diag) == nerror;
    if (conf_member(root, "derived"))
        op_read_each(r, root, "derived", OP_MAX_AXIS, read_derived);
    r->axes_ok = conf_member(root, "axes") && diag_nerror(r->diag) == nerror;
    read_words(r, root, "dtypes", "dtype", NAMES(dtypes, DTYPE_COUNT), op->dtype, &op->ndtype);
    if (conf_member(root, "dtypes") && op->ndtype == 0 && diag_nerror(r->diag) == nerror)
        diag_error(r->diag, conf_member(root, "dtypes")->at, "'dtypes': expected at least one");
    op_read_each(r, root, "operands", OP_MAX_OPERAND, read_operand);
    read_expr(r, root, "flops", &op->flops);
    read_by_data(r, root);
    read_rows(r, root);
    read_reference(r, root);
    read_templates(r, root);
    if (conf_member(root, "operands") && diag_nerror(r->diag) == nerror)
        check_operands(r, root);
    op_read_words(r, root);
    if (diag_nerror(r->diag) == before)
        op_check_epilogues(r, root);
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

bool op_add_attribute(Op *op, const Extent *attribute)
{
    if (op->nextent == OP_MAX_EXTENT)
        return false;
    memmove(&op->extent[op->ngiven + 1], &op->extent[op->ngiven],
            (size_t)(op->nextent - op->ngiven) * sizeof *op->extent);
    op->extent[op->ngiven++] = *attribute;
    op->nextent++;
    const Names extents = NAMES(op->extent, op->nextent);
    for (int i = op->ngiven; i < op->nextent; i++)
        expr_bind(op->extent[i].expr, extents);
    for (Operand *o = op->operand; o < op->operand + op->noperand; o++) {
        o->of += o->of >= op->ngiven - 1;
        expr_bind(o->elems, extents);
        for (int i = 0; i < o->nlayout * o->layout->rank; i++)
            expr_bind(o->layout[i / o->layout->rank].extent[i % o->layout->rank], extents);
    }
    Expr *const of_call[] = { op->flops, op->rows, op->row_elems };
    for (size_t i = 0; i < LENGTH(of_call); i++)
        if (of_call[i])
            expr_bind(of_call[i], extents);
    return true;
}
