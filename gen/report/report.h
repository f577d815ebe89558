/* SPDX-License-Identifier: Apache-2.0
 *
 * report: what a package holds and why, as one HTML5 page: tables, and figures as inline SVG drawn by gnuplot.
 * Nothing outside the page is referred to; no date, path, or host name is in it; the same input (and gnuplot) gives
 * the same bytes.
 */
#ifndef DCGEN_REPORT_H
#define DCGEN_REPORT_H

#include "search/choose/result.h"

/* A page of n results, each of which has its `cost`; of several targets with a part for each. version: of dcgen. NULL with *err set: its
 * figures cannot be drawn, as gnuplot is missing or fails. A page without them would be another page on another machine. */
char *report_html(Arena *a, const Result *result, int n, const char *version, const char **err);

#endif
