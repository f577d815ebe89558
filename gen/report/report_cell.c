/* SPDX-License-Identifier: Apache-2.0
 *
 * report_cell: what tables of the report are made of: beginnings, heads, rows, cells.
 */
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/report/html.h"
#include "gen/report/report_private.h"

void table_begin(Report *r, const char *name, const char *class)
{
    text_add(&r->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    quote_html(&r->out, name);
    text_printf(&r->out, "\">\n<table%s%s%s>\n", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
}

void table_end(Report *r) { text_add(&r->out, "</tbody>\n</table>\n</div>\n"); }

void table_cell(Report *r, const char *class, const char *text) { html_element(&r->out, "td", class, text); }

void table_head_begin(Report *r) { text_add(&r->out, "<thead><tr>"); }

void table_head(Report *r, const char *class, const char *text)
{
    text_printf(&r->out, class ? "<th scope=\"col\" class=\"%s\">" : "<th scope=\"col\">", class);
    quote_html(&r->out, text);
    text_add(&r->out, "</th>");
}

void table_head_end(Report *r) { text_add(&r->out, "</tr></thead>\n<tbody>\n"); }

void table_row_head(Report *r, const char *text)
{
    text_add(&r->out, "<tr><th scope=\"row\">");
    quote_html(&r->out, text);
    text_add(&r->out, "</th>");
}

void table_row_end(Report *r) { text_add(&r->out, "</tr>\n"); }

/* A row of a table of two columns. */
void table_pair(Report *r, const char *name, const char *value)
{
    table_row_head(r, name);
    table_cell(r, NULL, value);
    table_row_end(r);
}

const char *report_above_text(Report *r, double above, bool unsaid)
{
    return arena_printf(r->arena, "%s%s", unsaid ? "\xe2\x80\xa0 " : "", number_percent(r->arena, above));
}

const char *report_spread_text(Report *r, const ContractShape *s)
{
    return s && s->spread > 0 ? number_percent(r->arena, s->spread) : "-";
}
