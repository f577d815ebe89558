/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_names: finds the names that a package has anyway in the text that it is made from, and refuses those of a spec
 * that would be the same.
 *
 *   shared   behind PACKAGE_: what there is once, as exec of PACKAGE_exec, and load_avx2 of PACKAGE_load_MACHINE
 *   own      behind NAME_: what each function has, as args of NAME_args. The names of a function begin with
 *            PACKAGE_FUNCTION: one that is called pool would have PACKAGE_pool_run, as there is NAME_run. An attribute
 *            A is the macro NAME_A
 *   beside   what stands in code that declares operands, or extents, by their own names, as exec in int NAME(EXTENTS,
 *            EACH(operands, PARAMETER), ..., const PACKAGE_exec *exec). A piece of code ends with a line that begins
 *            with '}'
 */
#include "gen/unit/unit_names.h"

#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/name_set.h"
#include "gen/target/family.h"
#include "gen/unit/formula_print.h"

/* What code declares. */
typedef enum { OPERANDS, EXTENTS, KIND_COUNT } Kind;

/* Words of patterns that declare them (unit_scope.c), blanks around. OPERAND_stride follows from an operand's name. */
static const char *const declares[KIND_COUNT] = { " PARAMETER INNER OPERAND CONSTANT ",
                                                  " EXTENTS ALL_EXTENTS EVERY_EXTENTS PACK_EXTENTS ALL_AXES AXIS " };
static const char of_operand[] = "OPERAND_";

typedef struct {
    Arena *arena;
    const TargetList *targets;
    NameSet shared, own, beside[KIND_COUNT];
} Taken;

/* What follows the beginning of a name; NULL: it begins in another way, or nothing follows. */
static const char *behind(const char *name, const char *beginning)
{
    const size_t n = strlen(beginning);
    return strncmp(name, beginning, n) == 0 && name[n] ? name + n : NULL;
}

/* ---- names in a text ---- */

/* Adds a name, for each target where it has MACHINE in it. */
static void add_of_targets(const Taken *n, NameSet *s, const char *name)
{
    static const char word[] = "MACHINE";
    const char *at = strstr(name, word);
    if (!at)
        name_set_add(n->arena, s, name);
    for (int i = 0; at && i < n->targets->n; i++)
        name_set_add(
            n->arena, s,
            arena_printf(n->arena, "%.*s%s%s", (int)(at - name), name, n->targets->t[i].name, at + strlen(word)));
}

/* Is the identifier a member, as in args.M and args->M, a word of the preprocessor, as in #define, or a list's name, as
 * in EACH(order, ALONG)? */
static bool takes_no_name(const char *text, const char *id)
{
    static const char each[] = "EACH(";
    const size_t n = strlen(each);
    if ((size_t)(id - text) >= n && memcmp(id - n, each, n) == 0)
        return true;
    return id > text && (id[-1] == '.' || id[-1] == '#' || (id[-1] == '>' && id - text > 1 && id[-2] == '-'));
}

/* Adds the names of a piece of code. is_of_op: its author knows what else is there. */
static void add_code(Taken *n, const char *code, bool is_of_op)
{
    FillNames names = fill_names(n->arena, code);
    NameSet here = { 0 };
    bool declared[KIND_COUNT] = { false };
    size_t len;
    for (const char *id; (id = fill_next_name(&names, &len));) {
        const char *name = arena_strndup(n->arena, id, len), *ending;
        if ((ending = behind(name, "PACKAGE_")))
            add_of_targets(n, &n->shared, ending);
        else if ((ending = behind(name, "NAME_")))
            add_of_targets(n, &n->own, ending);
        else if (!takes_no_name(code, id))
            name_set_add(n->arena, &here, name);
        for (int kind = 0; kind < KIND_COUNT && !is_of_op; kind++)
            declared[kind] = declared[kind] || name_is_among(declares[kind], id, len);
    }
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (size_t i = 0; declared[kind] && i < here.n; i++)
            name_set_add(n->arena, &n->beside[kind], here.name[i]);
}

static void add_folder(Taken *n, const char *dir, bool is_of_op, Diag *d)
{
    static const char *const suffix[] = { ".c", ".h", ".cu", ".cuh" };
    for (size_t i = 0; i < LENGTH(suffix); i++) {
        char **path = NULL;
        int npath = 0;
        dir_list(n->arena, dir, suffix[i], &path, &npath);
        for (int k = 0; k < npath; k++) {
            const Source *src = conf_source(n->arena, path[k], d);
            for (const char *text = src ? src->text : "", *end; *text; text = end) {
                end = strstr(text, "\n}");
                end = end ? end + strlen("\n}") : text + strlen(text);
                add_code(n, arena_strndup(n->arena, text, (size_t)(end - text)), is_of_op);
            }
        }
    }
}

static Taken taken_of(Arena *a, const char *package_dir, bool has_graph, const TargetList *targets,
                      Spec *const *function, int nfunction, Diag *d)
{
    Taken n = { .arena = a, .targets = targets };
    const Spec *any = function[0];
    add_folder(&n, package_dir, false, d);
    if (has_graph)
        add_folder(&n, arena_printf(a, "%s/graph", package_dir), false, d);
    for (int i = 0; i < FAMILY_COUNT; i++)
        for (int k = 0; k < any->ntemplates; k++)
            add_folder(&n, arena_printf(a, "%s/%s", any->templates[k], families[i]->primitives.folder), false, d);
    for (int i = 0; i < nfunction; i++) {
        int k = 0; /* the first function with that op */
        while (strcmp(function[k]->op->dir, function[i]->op->dir) != 0)
            k++;
        if (k == i)
            add_folder(&n, function[i]->op->dir, true, d);
    }
    name_set_sort(&n.shared);
    name_set_sort(&n.own);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        name_set_sort(&n.beside[kind]);
    return n;
}

/* ---- names of a spec ---- */

static void check_function(const Taken *n, const Spec *s, Diag *d)
{
    const char *beginning = arena_printf(n->arena, "%s_", s->function);
    for (size_t i = 0; i < n->shared.n; i++) {
        const char *name = n->shared.name[i], *ending = behind(name, beginning);
        if (strcmp(name, s->function) != 0 &&
            !(ending && (name_set_has(&n->own, ending) || op_axis(s->op, ending) >= 0)))
            continue;
        diag_error(
            d, s->name_loc,
            "the name '%s' is taken: '%s_%s' would be the function's and the package's own; expected another one",
            s->function, s->package, name);
        return;
    }
}

/* Does the name follow from that of an operand, as x_stride from x? */
static bool follows(const Taken *n, const Op *op, const char *name)
{
    for (const Operand *o = op->operand; o < op->operand + op->noperand; o++) {
        const char *ending = o->strided ? behind(name, o->name) : NULL;
        if (ending && *ending == '_' &&
            name_set_has(&n->beside[OPERANDS], arena_printf(n->arena, "%s%s", of_operand, ending + 1)))
            return true;
    }
    return false;
}

/* May the name be what a pattern has as NAME_<own>? Words there may stand for numbers: begin_0 for begin_PASS. */
static bool is_filled(const char *name, const char *own)
{
    for (;; name++, own++) {
        const size_t n = strcspn(name, "_"), k = strcspn(own, "_");
        const bool is_number =
            n && strspn(name, "0123456789") == n && k && strspn(own, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == k;
        if (!is_number && (n != k || memcmp(name, own, n) != 0))
            return false;
        name += n;
        own += k;
        if (!*name || !*own)
            return *name == *own;
    }
}

/* Has a function such a name for something of its own: a macro or a function NAME_args, a kernel NAME_k3 with
 * NAME_k3_pass, a variable of its formula? */
static bool is_own(const Taken *n, const char *name)
{
    const size_t digits = *name == 'k' ? strspn(name + 1, "0123456789") : 0;
    for (size_t i = 0; i < n->own.n; i++)
        if (is_filled(name, n->own.name[i]))
            return true;
    return (digits && (!name[1 + digits] || name[1 + digits] == '_')) ||
           (print_is_taken(name) && !name_is_capitals(name));
}

static void check_argument(const Taken *n, const Spec *s, Kind kind, const char *name, Loc at, Diag *d)
{
    const char *what = kind == OPERANDS ? "operand" : "extent";
    const bool is_brought = kind == EXTENTS && at.src != s->op->src; /* by the spec: the op's files do not know it */
    if (behind(name, arena_printf(n->arena, "%s_", s->package)) || behind(name, "dcgen_") || behind(name, "DCGEN_"))
        diag_error(d, at, "the %s '%s' begins as names of the package do; expected one without '%s_' or 'dcgen_'", what,
                   name, s->package);
    else if (name_set_has(&n->beside[kind], name) || (is_brought && is_own(n, name)) ||
             (kind == OPERANDS && follows(n, s->op, name)))
        diag_error(d, at, "the %s '%s' is taken: the package's code has that name beside its %ss; expected another one",
                   what, name, what);
}

bool unit_names_check(Arena *a, const char *package_dir, bool has_graph, const TargetList *targets,
                      Spec *const *function, int nfunction, Diag *d)
{
    const int before = diag_nerror(d);
    const Taken n = taken_of(a, package_dir, has_graph, targets, function, nfunction, d);
    for (int i = 0; i < nfunction; i++) {
        const Op *op = function[i]->op;
        if (function[i]->function)
            check_function(&n, function[i], d);
        for (int k = 0; k < op->noperand; k++)
            check_argument(&n, function[i], OPERANDS, op->operand[k].name, op->operand[k].loc, d);
        for (int k = 0; k < op->nextent; k++)
            check_argument(&n, function[i], EXTENTS, op->extent[k].name, op->extent[k].loc, d);
    }
    return diag_nerror(d) == before;
}
