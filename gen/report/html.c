/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/report/html.h"

#include "gen/base/quote.h"

void html_element(Text *t, const char *tag, const char *class, const char *text)
{
    text_printf(t, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    quote_html(t, text);
    text_printf(t, "</%s>", tag);
}
