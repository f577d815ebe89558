/* SPDX-License-Identifier: Apache-2.0
 *
 * report: what a package holds and why, as one HTML5 page: tables, and figures as inline SVG drawn by gnuplot.
 * Nothing outside the page is referred to; no date, path, or host name is in it; the same input (and gnuplot) gives
 * the same bytes.
 */
#ifndef DCGEN_REPORT_H
#define DCGEN_REPORT_H

#include "search/choose/result.h"

/* Makes the page of n results, one a target, each with its `cost`; if there are several, each has a part of the page.
 * version: dcgen's. NULL with *err set if gnuplot is missing or fails, too: a page without figures where gnuplot is
 * missing would differ from machine to machine. */
char *report_html(Arena *a, const Result *result, int n, const char *version, const char **err);

#endif
