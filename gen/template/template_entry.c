/* SPDX-License-Identifier: Apache-2.0
 *
 * template_entry: reads lists of a head or of a family's file, entry by entry.
 */
#include "gen/template/template_private.h"

bool template_list(TemplateReader *r, const Conf *c, const char *key, int max,
                   bool read(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to), void *to)
{
    const ConfSetting *list = conf_list(c, c->root, key);
    bool ok = conf_length(list) <= max;
    if (!ok)
        diag_error(r->diag, list->name_at, "more than %d entries", max);
    for (int i = 0, n = ok ? conf_length(list) : 0; i < n; i++)
        ok &= read(r, c, conf_elem(list, i), to);
    return ok;
}

bool template_named(const Conf *c, const ConfSetting *s, NamedExpr *e)
{
    static const ConfKey keys[] = { { "name", true, "its name" },
                                    { "expr", true, "its value" },
                                    { "doc", true, "what it is" } };
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 3) || !conf_string(c, s, "name", &e->name) ||
        !conf_string(c, s, "doc", &e->doc) || !conf_expr(c, s, "expr", &e->expr))
        return false;
    e->loc = conf_member(s, "name")->at;
    return true;
}
