/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_plan: what a kernel's head says of its launch and memory (Template.plan) as words of its row in the list
 * kernels, for patterns that print it as a function of a call's extents, in doubles. Parameters, values and facts of
 * the target are numbers there, and what numbers decide is left out. So are the tensor maps that it is given.
 */
#include <string.h>
#include "gen/unit/unit.h"

typedef struct {
    Arena *arena;
    Binding b; /* no extent is bound */
    const Expr *derived[TEMPLATE_MAX_DERIVED];
    bool used[TEMPLATE_MAX_DERIVED];
    unsigned extents; /* bit i: extent i is used */
    bool asks_sms, calls;
} Planner;

static int derived_at(const Template *t, const char *name) { return names_find(NAMES(t->derived, t->nderived), name); }

/* The number that a name stands for; NULL: it is an extent, a derived name, or only known at a call. */
static Expr *number_of(void *ctx, const char *name)
{
    Planner *p = ctx;
    const Op *op = p->b.spec->op;
    const int at = derived_at(p->b.t, name);
    int64_t value;
    const bool is_number =
        at >= 0 ? p->derived[at] && expr_is_number(p->derived[at], &value)
                : op_axis(op, name) < 0 && strcmp(name, "SMS") != 0 && template_lookup(&p->b, name, &value);
    return is_number ? expr_number(p->arena, value) : NULL;
}

static const Expr *known(Planner *p, const Expr *e);

/* Works out the derived names that an expression uses. */
static void prepare(Planner *p, const Expr *e)
{
    for (const ExprName *n = expr_names(e); n; n = n->next) {
        const int at = derived_at(p->b.t, n->name);
        if (at >= 0 && !p->derived[at])
            p->derived[at] = known(p, p->b.t->derived[at].expr);
    }
}

static const Expr *known(Planner *p, const Expr *e)
{
    prepare(p, e);
    return expr_fold(p->arena, expr_substitute(p->arena, e, number_of, p));
}

static void note_names(Planner *p, const Expr *e)
{
    p->calls = p->calls || expr_c_calls(e);
    for (const ExprName *n = expr_names(e); n; n = n->next) {
        const int at = derived_at(p->b.t, n->name), axis = op_axis(p->b.spec->op, n->name);
        if (axis >= 0)
            p->extents |= 1u << axis;
        else if (at < 0)
            p->asks_sms = true;
        else if (!p->used[at]) {
            p->used[at] = true;
            note_names(p, p->derived[at]);
        }
    }
}

/* Notes the extents that an expression uses. */
static void note_extents(Planner *p, const Expr *e)
{
    for (const ExprName *n = expr_names(e); n; n = n->next)
        if (op_axis(p->b.spec->op, n->name) >= 0)
            p->extents |= 1u << op_axis(p->b.spec->op, n->name);
}

static const char *text_of(const Planner *p, const Expr *e) { return expr_c_real(p->arena, e, p->b.spec->package, ""); }

/* Adds a list of the extents that are used. */
static void add_extents(FillScope *row, const char *list, const Planner *p)
{
    const Op *op = p->b.spec->op;
    fill_list(row, list);
    for (int i = 0; i < op->nextent; i++)
        if (p->extents >> i & 1)
            FILL_WORDS(fill_row(row), WORD("EXTENT", op->extent[i].name),
                       WORD("IS_ATTRIBUTE", op->extent[i].kind == EXTENT_ATTRIBUTE));
}

/* Adds the variables that the plan is worked out from, each behind those that it uses. */
static void add_variables(FillScope *row, const Planner *p)
{
    add_extents(row, "plan_extents", p);
    fill_list(row, "plan_names");
    for (int i = 0; i < p->b.t->nderived; i++)
        if (p->used[i])
            FILL_WORDS(fill_row(row), WORD("DERIVED", p->b.t->derived[i].name),
                       WORD("DERIVED_VALUE", text_of(p, p->derived[i])));
}

void unit_add_plan(FillScope *row, const Binding *b)
{
    static const char *const word[PLAN_COUNT] = { [PLAN_X] = "GRID_X",
                                                  [PLAN_Y] = "GRID_Y",
                                                  [PLAN_Z] = "GRID_Z",
                                                  [PLAN_CLUSTER] = "CLUSTER",
                                                  [PLAN_THREADS] = "BLOCK_THREADS",
                                                  [PLAN_SMEM] = "SMEM_BYTES",
                                                  [PLAN_SCRATCH] = "SCRATCH",
                                                  [PLAN_COUNTERS] = "COUNTERS" };
    Planner *p = ARENA_NEW(row->arena, Planner);
    bool has[PLAN_COUNT];
    p->arena = row->arena;
    p->b = *b;
    p->b.extent = NULL;
    for (int i = 0; i < PLAN_COUNT; i++) {
        const Expr *e = b->t->plan[i] ? known(p, b->t->plan[i]) : expr_number(p->arena, 0);
        int64_t value;
        has[i] = !expr_is_number(e, &value) || value;
        note_names(p, e);
        fill_word(row, word[i], text_of(p, e));
    }
    add_variables(row, p);
    FILL_WORDS(row, WORD("HAS_SCRATCH", has[PLAN_SCRATCH]), WORD("HAS_COUNTERS", has[PLAN_COUNTERS]),
               WORD("ASKS_SMS", p->asks_sms), WORD("SMS_NAME", "SMS"), WORD("PLAN_CALLS", p->calls));
}

static int64_t number_at(const Planner *p, const Expr *e)
{
    int64_t value = 0;
    expr_int(e, template_lookup, (void *)&p->b, &value);
    return value;
}

/* True if the map is one of this kernel's: its box has no extent of 0. */
static bool has_map(Planner *p, const TemplateMap *m)
{
    const int rank = spec_layout(p->b.spec, m->operand)->rank;
    for (int i = 0; i < rank; i++)
        if (number_at(p, m->box[i]) == 0)
            return false;
    return true;
}

static void add_map(FillScope *map, Planner *p, const TemplateMap *m)
{
    const Spec *spec = p->b.spec;
    const Operand *o = &spec->op->operand[m->operand];
    const Layout *l = spec_layout(spec, m->operand);
    FILL_WORDS(map, WORD("MAP", m->name), WORD("OPERAND", o->name), WORD("RANK", l->rank),
               WORD("ELEMENT_BYTES", (int64_t)spec_element(spec, o)->bytes), WORD("SWIZZLE", number_at(p, m->swizzle)),
               WORD("HAS_STEPS", m->step[0] != NULL));
    fill_list(map, "box");
    for (int i = 0; i < l->rank; i++) {
        const Expr *step = m->step[i] ? m->step[i] : expr_number(map->arena, 1);
        note_extents(p, l->extent[i]);
        note_extents(p, step);
        FILL_WORDS(fill_row(map), WORD("ALONG", expr_c_int(map->arena, l->extent[i], spec->package)),
                   WORD("BOX", number_at(p, m->box[i])), WORD("STEP", expr_c_int(map->arena, step, spec->package)));
    }
}

void unit_add_maps(FillScope *row, const Binding *b)
{
    Planner *p = ARENA_NEW(row->arena, Planner);
    bool any = false;
    p->b = *b;
    p->b.extent = NULL;
    fill_list(row, "maps");
    for (const TemplateMap *m = b->t->map; m < b->t->map + b->t->nmap; m++)
        if (has_map(p, m)) {
            add_map(fill_row(row), p, m);
            any = true;
        }
    fill_list(row, "read_maps");
    for (const TemplateMap *m = b->t->map; m < b->t->map + b->t->nmap; m++)
        if (has_map(p, m) && &b->spec->op->operand[m->operand] != op_output(b->spec->op))
            FILL_WORDS(fill_row(row), WORD("MAP", m->name));
    fill_number(row, "HAS_MAPS", any);
    add_extents(row, "map_extents", p);
}
