/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_query: what follows from a spec that was read: its operands as they are stored and lie, its shapes counted.
 */
#include "gen/spec/spec.h"

#include <stdlib.h>
#include "gen/base/order.h"
#include "gen/base/text.h"

const Operand *spec_output(const Spec *s) { return op_output(s->op); }

const Storage *spec_element(const Spec *s, const Operand *o) { return op_element(s->op, o, s->dtype); }

const Storage *spec_part(const Spec *s, DtypePart part)
{
    const Dtype *d = dtype_find(s->dtype);
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        if (!o->of_formula && o->role != ROLE_INDEX && op_part(s->op, o) == part)
            return spec_element(s, o);
    return d ? d->part[part] : NULL;
}

const char *spec_formula_text(const Spec *s) { return s->formula ? s->formula->text : ""; }

const char *spec_log_path(Arena *a, const Spec *s)
{
    return s->function ? arena_printf(a, "shapes_%s" SPEC_LOG_SUFFIX, s->function) : "shapes" SPEC_LOG_SUFFIX;
}

const Layout *spec_layout(const Spec *s, int operand) { return &s->op->operand[operand].layout[s->layout[operand]]; }

bool spec_is_aligned(const Spec *s, int operand)
{
    const Operand *o = &s->op->operand[operand];
    const Dtype *d = dtype_find(s->dtype);
    return (o->role == ROLE_IN || o->role == ROLE_CONST) && !o->of_formula && d &&
           spec_element(s, o) == d->part[op_part(s->op, o)];
}

int64_t spec_align(const Spec *s, const int64_t *extent)
{
    uint64_t all = ALIGN_MOST;
    for (int i = 0; i < s->op->noperand; i++) {
        const Layout *l = spec_layout(s, i);
        const Storage *stored = spec_element(s, &s->op->operand[i]);
        uint64_t step = stored ? stored->bytes : 1;
        if (!spec_is_aligned(s, i) || (s->packed && s->op->operand[i].role == ROLE_CONST)) /* packed rows are padded */
            continue;
        for (int k = l->rank - 1; k > 0; k--) {
            int64_t inner = 0, outer = 0;
            expr_int_at(l->extent[k], extent, &inner);
            expr_int_at(l->extent[k - 1], extent, &outer);
            step *= (uint64_t)inner;
            all |= outer > 1 ? step : 0;
        }
    }
    return (int64_t)(all & -all);
}

const char *spec_layout_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            text_printf(&t, "%s%s: %s", t.len ? ", " : "", s->op->operand[i].name, spec_layout(s, i)->name);
    return text_str(&t);
}

bool spec_is_constant(const Spec *s, int extent)
{
    return s->op->extent[extent].kind == EXTENT_ATTRIBUTE && s->box.min[extent] == s->box.max[extent];
}

bool spec_passes(const Spec *s, int operand)
{
    return !s->packed || s->op->operand[operand].role != ROLE_CONST || operand == s->const_operand;
}

const Spec *spec_of_one_thread(Arena *a, const Spec *s)
{
    if (s->nthread == 1 && s->threads[0] == 1)
        return s;
    Spec *one = ARENA_NEW(a, Spec);
    *one = *s;
    one->nthread = one->threads[0] = 1;
    one->ninstance = spec_shape_count(s); /* those of the least number of threads come first */
    one->instance = ARENA_ARRAY(a, (size_t)one->ninstance, Instance);
    for (int64_t i = 0; i < one->ninstance; i++) {
        one->instance[i] = s->instance[i];
        one->instance[i].threads = 1;
    }
    return one;
}

int64_t spec_shape_count(const Spec *s) { return s->ninstance / s->nthread; }

int64_t spec_tuned_count(const Spec *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        n += s->instance[i].tuned;
    return n / s->nthread;
}

int spec_extents(const Spec *s, int axis, int64_t *extent, int max)
{
    int n = 0;
    for (int64_t i = 0; i < s->ninstance; i++) {
        int at = 0;
        while (at < n && extent[at] != s->instance[i].extent[axis])
            at++;
        if (at == max)
            return 0;
        extent[at] = s->instance[i].extent[axis];
        n += at == n;
    }
    qsort(extent, (size_t)n, sizeof *extent, order_number);
    return n;
}

bool spec_wants(const Spec *s, const char *param, int64_t value)
{
    const SpecLimit *l = names_row(NAMES(s->limit, s->nlimit), param);
    int i = 0;
    while (l && i < l->nvalue && l->value[i] != value)
        i++;
    return !l || i < l->nvalue;
}

bool spec_dim_holds(const Spec *s, int i, int64_t value)
{
    return !(s->dims >> i & 1) || (value >= s->dim[i].min && value <= s->dim[i].max);
}
