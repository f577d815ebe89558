/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/html.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the UTF-8 character at s; 0: there is none. Overlong forms, surrogates and controls are none. */
static size_t character_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return bad ? 0 : n;
}

static const char *entity_of(char c)
{
    static const struct {
        char c;
        const char *entity;
    } row[] = { { '&', "&amp;" },  { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
                { '\'', "&#39;" }, { '\n', " " },   { '\t', " " } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].c == c)
            return row[i].entity;
    return NULL;
}

void html_text(Text *t, const char *s)
{
    while (s && *s) {
        const char *entity = entity_of(*s);
        size_t n = entity ? 1 : character_length((const unsigned char *)s);
        if (entity || n == 0)
            text_add(t, entity ? entity : "\xef\xbf\xbd");
        else
            text_addn(t, s, n);
        s += n ? n : 1;
    }
}

void html_element(Text *t, const char *tag, const char *class, const char *text)
{
    text_printf(t, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    html_text(t, text);
    text_printf(t, "</%s>", tag);
}
