/* SPDX-License-Identifier: Apache-2.0
 *
 * report_common: numbers, words and the beginnings of figures, which several parts of the report share.
 */
#include <math.h>
#include <stdarg.h>
#include "gen/base/quote.h"
#include "gen/report/report_private.h"

const char *report_kernel(const Report *r, int kernel) { return arena_printf(r->arena, "k%d", r->in->first + kernel); }

int64_t report_instance(const Report *r, int64_t shape) { return r->study->shape[shape] - r->spec->instance; }

double report_cost(const Report *r, int64_t instance, int kernel)
{
    return r->assignment->cost[instance * r->assignment->nkernel + kernel];
}

const ContractShape *report_contract_shape(const Report *r, int64_t shape)
{
    const Contract *c = r->contract;
    for (int64_t i = 0; c && i < c->tuned.nshape; i++) /* in the spec's order, those that joined last */
        if (c->shape[i].inst == r->study->shape[shape])
            return c->shape[i].rival >= 0 ? &c->shape[i] : NULL;
    return NULL;
}

double report_regret(const Report *r, int64_t shape)
{
    const ContractShape *known = report_contract_shape(r, shape);
    const int64_t i = report_instance(r, shape);
    if (r->study->device->modelled)
        return choice_ns(r->in, i) / r->assignment->oracle_ns[i] - 1;
    return known ? known->regret : NAN;
}

void report_word(FillScope *s, const char *name, const char *text)
{
    Text t = { .arena = s->arena };
    quote_html(&t, text);
    fill_word(s, name, text_str(&t));
}

void report_words(FillScope *s, const FillWord *word)
{
    for (; word->name; word++)
        if (word->text)
            report_word(s, word->name, word->text);
        else
            fill_number(s, word->name, word->number);
}

void report_wordf(FillScope *s, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_word(s, name, arena_vprintf(s->arena, fmt, ap));
    va_end(ap);
}

double report_varying(const Report *r, int64_t instance)
{
    const Instance *inst = &r->spec->instance[instance];
    return (double)inst->extent[r->groups.axis[inst->decl]];
}

Range report_shared_x(const Report *r)
{
    Range x = RANGE_NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        for (int64_t k = 0; r->groups.group[i].bar && k < r->groups.group[i].n; k++)
            if (report_varying(r, r->groups.group[i].at[k]) > 0)
                range_add(&x, report_varying(r, r->groups.group[i].at[k]));
    return x;
}

Plot *report_plot(Report *r, const char *word, const char *id, const char *caption, int width, int height)
{
    Plot *p = &r->plot[r->nplot];
    *p = (Plot){ .name = arena_printf(r->arena, "%s%s%s_%d", r->spec->function ? r->spec->function : "",
                                      r->spec->function ? "_" : "", r->study->target->name, r->nplot++),
                 .width = width,
                 .height = height,
                 .script = { .arena = r->arena },
                 .drawing = { .arena = r->arena },
                 .word = word,
                 .id = id,
                 .caption = caption };
    text_printf(&p->script,
                "set border 3 back lw 1 lc rgb '#%06x'\nset grid lt 1 lw 1 dt 1 lc rgb '#%06x'\n"
                "set tics nomirror scale 0.5,0 textcolor rgb '#%06x'\nset key off\n"
                "set rmargin 1.5\nset tmargin 0.8\nset lmargin 8\nset bmargin 3\n",
                LOOK_AXIS, LOOK_GRID, LOOK_TEXT);
    return p;
}
