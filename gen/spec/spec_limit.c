/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_limit: the key `space`, which values of templates' parameters are searched. What it names is known only when the templates have
 * been read, so that is checked later, by spec_check_limits.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/spec_private.h"

static void read_limit(SpecReader *r, const ConfSetting *group, const ConfSetting *s)
{
    SpecLimit *l = &r->spec->limit[r->spec->nlimit];
    l->param = conf_name(r->conf, s);
    l->loc = conf_name_loc(r->conf, s);
    if (!conf_ints(r->conf, group, l->param, INT32_MIN, INT32_MAX, l->value, SPEC_MAX_CHOICE, &l->nvalue))
        return;
    if (l->nvalue == 0)
        diag_error(r->diag, conf_value_loc(r->conf, s), "'%s': expected at least one value, as in [1, 2]", l->param);
    for (int i = 0; i < l->nvalue; i++)
        l->value_loc[i] = conf_value_loc(r->conf, conf_elem(s, i));
    r->spec->nlimit++;
}

void spec_read_limits(SpecReader *r)
{
    const ConfSetting *group = conf_group(r->conf, r->root, "space");
    const int n = group ? conf_length(group) : 0;
    if (n > SPEC_MAX_LIMIT)
        diag_error(r->diag, conf_name_loc(r->conf, group), "'space' names more than %d parameters", SPEC_MAX_LIMIT);
    for (int i = 0; i < n && i < SPEC_MAX_LIMIT; i++)
        read_limit(r, group, conf_elem(group, i));
}

/* ---- once the templates are known ---- */

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

bool spec_check_limits(Arena *a, const Spec *s, const TemplateList *templates, Diag *d)
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

bool spec_wants(const Spec *s, const char *param, int64_t value)
{
    for (int i = 0; i < s->nlimit; i++) {
        if (strcmp(s->limit[i].param, param) != 0)
            continue;
        for (int k = 0; k < s->limit[i].nvalue; k++)
            if (s->limit[i].value[k] == value)
                return true;
        return false;
    }
    return true;
}
