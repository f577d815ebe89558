/* SPDX-License-Identifier: Apache-2.0
 *
 * report_write: what sections of the page are made of: tables and figures.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/quote.h"
#include "gen/report/report_private.h"

static void html_element(Text *t, const char *tag, const char *class, const char *text)
{
    text_printf(t, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    quote_html(t, text);
    text_printf(t, "</%s>", tag);
}

/* ---- tables ---- */

void table_begin(Report *r, const char *name)
{
    r->head = r->body = (Text){ .arena = r->arena };
    r->nrow = 0;
    text_add(&r->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    quote_html(&r->out, name);
    text_add(&r->out, "\">\n<table>\n");
}

void table_row(Report *r) { text_add(&r->body, r->nrow++ ? "</tr>\n<tr>" : "<tr>"); }

void table_cell(Report *r, const char *heading, const char *class, const char *text)
{
    const bool is_head = class && strcmp(class, "row") == 0, is_number = class && strcmp(class, "num") == 0;
    if (r->nrow == 1) {
        text_add(&r->head, is_number ? "<th scope=\"col\" class=\"num\">" : "<th scope=\"col\">");
        quote_html(&r->head, heading);
        text_add(&r->head, "</th>");
    }
    if (!is_head) {
        html_element(&r->body, "td", class, text);
        return;
    }
    text_add(&r->body, "<th scope=\"row\">");
    quote_html(&r->body, text);
    text_add(&r->body, "</th>");
}

void table_extents(Report *r, const Instance *inst)
{
    for (int x = 0; x < r->spec->op->naxis; x++)
        table_cell(r, r->spec->op->axis[x].name, "num", arena_printf(r->arena, "%" PRId64, inst->extent[x]));
    if (r->spec->nthread > 1)
        table_cell(r, "threads", "num", arena_printf(r->arena, "%d", inst->threads));
}

void table_end(Report *r)
{
    if (r->head.len)
        text_printf(&r->out, "<thead><tr>%s</tr></thead>\n", text_str(&r->head));
    text_add(&r->out, "<tbody>\n");
    text_add(&r->out, text_str(&r->body));
    text_add(&r->out, r->nrow ? "</tr>\n</tbody>\n</table>\n</div>\n" : "</tbody>\n</table>\n</div>\n");
}

/* ---- figures ---- */

void report_figure(Report *r, int plot, const char *id, const char *caption)
{
    const Plot *p = &r->plot[plot];
    id = arena_printf(r->arena, "%s%s", r->part, id);
    text_printf(&r->out, "<figure>\n<figcaption id=\"%s\">", id);
    quote_html(&r->out, caption);
    text_printf(&r->out,
                "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-labelledby=\"%s\">\n%s</svg>\n</figure>\n",
                p->width, p->height, id, p->svg);
}
