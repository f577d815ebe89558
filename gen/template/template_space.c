/* SPDX-License-Identifier: Apache-2.0
 *
 * template_space: checks what a spec's key `space` names: parameters and values that some template has.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/text.h"
#include "gen/template/template_private.h"

static const TemplateParam *find_param(const Template *t, const char *name)
{
    for (int i = 0; i < t->nparam; i++)
        if (strcmp(t->param[i].name, name) == 0)
            return &t->param[i];
    return NULL;
}

/* The i-th value that the limit names is a choice of its parameter in some template. */
static void check_value(Arena *a, const SpecLimit *l, int i, const TemplateList *templates, Diag *d)
{
    Text choices = { .arena = a };
    for (int k = 0; k < templates->n; k++) {
        const TemplateParam *p = find_param(templates->t[k], l->param);
        for (int j = 0; p && j < p->nchoice; j++) {
            if (p->choice[j] == l->value[i])
                return;
            text_printf(&choices, "%s%" PRId64, choices.len ? ", " : "", p->choice[j]);
        }
    }
    diag_error(d, l->value_loc[i], "no template has %s = %" PRId64 "; expected one of %s", l->param, l->value[i],
               text_str(&choices));
}

bool template_check_space(Arena *a, const Spec *s, const TemplateList *templates, Diag *d)
{
    const int before = diag_nerror(d);
    const char **name = ARENA_ARRAY(a, (size_t)templates->n * TEMPLATE_MAX_PARAM + 1, const char *);
    size_t n = 0;
    for (int i = 0; i < templates->n; i++)
        for (const TemplateParam *t = templates->t[i]->param; t < templates->t[i]->param + templates->t[i]->nparam; t++)
            if (text_index(name, n, t->name) < 0)
                name[n++] = t->name;
    for (int i = 0; i < s->nlimit; i++)
        if (conf_lookup(d, s->limit[i].loc, "parameter", s->limit[i].param, name, n) >= 0)
            for (int k = 0; k < s->limit[i].nvalue; k++)
                check_value(a, &s->limit[i], k, templates, d);
    return diag_nerror(d) == before;
}
