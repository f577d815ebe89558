/* SPDX-License-Identifier: Apache-2.0
 *
 * template_space: checks what a spec's key `space` names against the parameters of the templates.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/template/template_private.h"

static void put_choice(Arena *a, int64_t **list, size_t *n, int64_t value)
{
    size_t at = 0;
    while (at < *n && (*list)[at] < value)
        at++;
    if (at < *n && (*list)[at] == value)
        return;
    *list = arena_grow(a, *list, *n, *n + 1, sizeof **list);
    memmove(*list + at + 1, *list + at, ((*n)++ - at) * sizeof **list);
    (*list)[at] = value;
}

/* Reports an error unless the i-th value of the limit is a choice of its parameter in some template. */
static void check_value(Arena *a, const SpecLimit *l, int i, const TemplateList *templates, Diag *d)
{
    Text text = { .arena = a };
    int64_t *choice = NULL;
    size_t n = 0;
    for (int k = 0; k < templates->n; k++) {
        const TemplateParam *p = names_row(NAMES(templates->t[k]->param, templates->t[k]->nparam), l->param);
        for (int j = 0; p && j < p->nchoice; j++) {
            if (p->choice[j] == l->value[i])
                return;
            put_choice(a, &choice, &n, p->choice[j]);
        }
    }
    for (size_t k = 0; k < n; k++)
        text_printf(&text, "%s%" PRId64, k ? ", " : "", choice[k]);
    diag_error(d, l->value_loc[i], "no template has %s = %" PRId64 "; expected one of %s", l->param, l->value[i],
               text_str(&text));
}

bool template_check_space(Arena *a, const Spec *s, const TemplateList *templates, Diag *d)
{
    const int before = diag_nerror(d);
    const char **name = ARENA_ARRAY(a, (size_t)templates->n * TEMPLATE_MAX_PARAM + 1, const char *);
    size_t n = 0;
    for (int i = 0; i < templates->n; i++)
        for (const TemplateParam *p = templates->t[i]->param; p < templates->t[i]->param + templates->t[i]->nparam; p++)
            if (names_find(NAMES(name, n), p->name) < 0)
                name[n++] = p->name;
    for (int i = 0; i < s->nlimit; i++)
        if (conf_lookup(d, s->limit[i].loc, "parameter", s->limit[i].param, NAMES(name, n)) >= 0)
            for (int k = 0; k < s->limit[i].nvalue; k++)
                check_value(a, &s->limit[i], k, templates, d);
    return diag_nerror(d) == before;
}
