/* SPDX-License-Identifier: Apache-2.0
 *
 * html: text that goes into a page. Whatever comes from a spec, a template or a record goes through here.
 */
#ifndef DCGEN_HTML_H
#define DCGEN_HTML_H

#include "gen/text.h"

/* Escaped for element content and for quoted attributes; control characters and bytes that are not UTF-8 become
 * U+FFFD. */
void html_text(Text *t, const char *s);

/* <tag>text</tag>, <tag class="class">text</tag>; class may be NULL. tag and class are ours, text is escaped. */
void html_element(Text *t, const char *tag, const char *class, const char *text);

#endif
