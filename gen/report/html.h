/* SPDX-License-Identifier: Apache-2.0
 *
 * html: elements of a page.
 */
#ifndef DCGEN_HTML_H
#define DCGEN_HTML_H

#include "gen/base/text.h"

/* <tag>text</tag>, <tag class="class">text</tag>; class may be NULL. tag and class are ours, text may come from anywhere. */
void html_element(Text *t, const char *tag, const char *class, const char *text);

#endif
