/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_limit: reads the key `space`, which values of templates' parameters are searched. Whether the templates have those
 * parameters and values is checked when they have been read (gen/template/template_space.c).
 */
#include <string.h>
#include "gen/spec/spec_private.h"

static void read_limit(SpecReader *r, const ConfSetting *s)
{
    SpecLimit *l = &r->spec->limit[r->spec->nlimit];
    l->param = s->name;
    l->loc = s->name_at;
    if (!conf_ints(r->conf, s, NULL, INT32_MIN, INT32_MAX, l->value, SPEC_MAX_CHOICE, &l->nvalue))
        return;
    if (l->nvalue == 0)
        diag_error(r->diag, s->at, "'%s': expected at least one value, as in [1, 2]", l->param);
    for (int i = 0; i < l->nvalue; i++)
        l->value_loc[i] = conf_elem(s, i)->at;
    r->spec->nlimit++;
}

void spec_read_limits(SpecReader *r)
{
    const ConfSetting *group = conf_group(r->conf, r->root, "space");
    const int n = group ? conf_length(group) : 0;
    if (n > SPEC_MAX_LIMIT)
        diag_error(r->diag, group->name_at, "'space' names more than %d parameters", SPEC_MAX_LIMIT);
    for (int i = 0; i < n && i < SPEC_MAX_LIMIT; i++)
        read_limit(r, conf_elem(group, i));
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
