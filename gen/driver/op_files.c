/* SPDX-License-Identifier: Apache-2.0
 *
 * op_files: checks that an operator's files have in them what runners and packages call, before anything is searched in
 * vain.
 */
#define _GNU_SOURCE /* basename */
#include <ctype.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/text.h"
#include "gen/driver/tools.h"
#include "gen/target/family.h"
#include "gen/template/fill.h"

/* An error if the file has no such name outside comments. why: what it is needed for. */
static void need_name(Arena *a, const Source *src, const char *name, const char *why, Diag *d)
{
    if (!fill_has_name(a, src->text, name))
        diag_error(d, (Loc){ .src = src }, "the file lacks '%s', %s", name, why);
}

static void check_reference(Arena *a, const Spec *s, Diag *d)
{
    const Op *op = s->op;
    if (!op->reference) /* its definition is the formula */
        return;
    if (access(op->reference, R_OK) != 0) {
        diag_error(d, (Loc){ .src = op->src },
                   "the folder of op '%s' lacks '%s', its definition, which kernels are checked against", op->name,
                   basename(op->reference));
        return;
    }
    const Source *src = conf_source(a, op->reference, d);
    if (!src)
        return;
    need_name(a, src, "dcgen_reference_rows", "which computes the output", d);
    need_name(a, src, "dcgen_reference_terms", "which says how many rounded operations an element takes", d);
}

/* The folder's own file of this name; NULL: it has none. */
static const Source *own_file(Arena *a, const Op *op, const char *name, Diag *d)
{
    const char *path = arena_printf(a, "%s/%s", op->dir, name);
    return access(path, F_OK) == 0 ? conf_source(a, path, d) : NULL;
}

/* Only the op knows how several constant operands lie in one; what dcgen does by itself is for one, and on devices
 * whose kernels read packed operands as they read others, for one of the spec's element type. */
static void check_packing(const Spec *s, const Family *f, Diag *d)
{
    int n = 0;
    for (int i = 0; i < s->op->noperand; i++)
        n += s->op->operand[i].role == ROLE_CONST;
    const Operand *w = &s->op->operand[s->const_operand];
    if (n > 1)
        diag_error(d, (Loc){ .src = s->op->src },
                   "the op '%s' has %d operands with the role \"const\": 'packed' needs a file '%s' in its folder, "
                   "which packs them into one",
                   s->op->name, n, f->pack);
    else if (f->packed_alike && w->stored && strcmp(w->stored->name, s->dtype) != 0)
        diag_error(d, w->loc, "'%s' has elements of its own type, %s: 'packed' needs a file '%s' in the op's folder",
                   w->name, w->stored->name, f->pack);
}

/* is_wanted: is the family that which the kernels are for, as far as that is known? */
static void check_own_files(Arena *a, const Spec *s, const Family *f, bool is_wanted, Diag *d)
{
    const Source *pack = s->packed ? own_file(a, s->op, f->pack, d) : NULL;
    if (pack) {
        need_name(a, pack, arena_printf(a, "NAME%s_packed_bytes", f->call), "which says how much memory packing takes",
                  d);
        need_name(a, pack, arena_printf(a, "NAME%s_pack", f->call), "which packs the constant operands", d);
    } else if (s->packed && is_wanted)
        check_packing(s, f, d);
    for (const PackageRow *row = f->file; row->pattern; row++) {
        const Source *program = row->owner == OWNER_OP ? own_file(a, s->op, row->pattern, d) : NULL;
        if (program)
            need_name(a, program, "main", "which a package's program of this name begins with", d);
    }
}

bool op_files_check(Run *r, const Workload *w)
{
    Diag *d = diag_new(r->a);
    const Family *wanted = site_family(w->job);
    for (int i = 0; i < w->nfunction; i++) {
        const Spec *s = w->function[i].spec;
        check_reference(r->a, s, d);
        for (int k = 0; k < FAMILY_COUNT; k++)
            if (!wanted || families[k] == wanted)
                check_own_files(r->a, s, families[k], wanted || !families[k]->off_cpu, d);
    }
    diag_print(d, stderr);
    if (diag_nerror(d))
        r->code = EXIT_USAGE;
    return !diag_nerror(d);
}
