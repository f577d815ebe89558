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

static bool has_choice(const TemplateParam *p, int64_t value)
{
    for (int i = 0; p && i < p->nchoice; i++)
        if (p->choice[i] == value)
            return true;
    return false;
}

/* Every parameter of these templates once. */
static size_t param_names(const TemplateList *templates, const char **name)
{
    size_t n = 0;
    for (int i = 0; i < templates->n; i++)
        for (int k = 0; k < templates->t[i]->nparam; k++) {
            size_t at = 0;
            while (at < n && strcmp(name[at], templates->t[i]->param[k].name) != 0)
                at++;
            if (at == n)
                name[n++] = templates->t[i]->param[k].name;
        }
    return n;
}

static const char *choices_text(Arena *a, const TemplateList *templates, const char *param)
{
    Text text = { .arena = a };
    for (int i = 0; i < templates->n; i++) {
        const TemplateParam *p = find_param(templates->t[i], param);
        for (int k = 0; p && k < p->nchoice; k++)
            text_printf(&text, "%s%" PRId64, text.len ? ", " : "", p->choice[k]);
    }
    return text_str(&text);
}

static void check_value(Arena *a, const SpecLimit *l, int i, const TemplateList *templates, Diag *d)
{
    for (int k = 0; k < templates->n; k++)
        if (has_choice(find_param(templates->t[k], l->param), l->value[i]))
            return;
    diag_error(d, l->value_loc[i], "no template has %s = %" PRId64 "; expected one of %s", l->param, l->value[i],
               choices_text(a, templates, l->param));
}

bool template_check_space(Arena *a, const Spec *s, const TemplateList *templates, Diag *d)
{
    const int before = diag_nerror(d);
    const char **name = ARENA_ARRAY(a, (size_t)templates->n * TEMPLATE_MAX_PARAM + 1, const char *);
    const size_t n = param_names(templates, name);
    for (int i = 0; i < s->nlimit; i++)
        if (conf_lookup(d, s->limit[i].loc, "parameter", s->limit[i].param, name, n) >= 0)
            for (int k = 0; k < s->limit[i].nvalue; k++)
                check_value(a, &s->limit[i], k, templates, d);
    return diag_nerror(d) == before;
}
