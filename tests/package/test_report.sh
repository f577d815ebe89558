#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The report of a real package, in a real browser: no message on the console, every figure drawn, no horizontal scrolling on a phone;
# and it has what only a search can tell.
# ctest: timeout=200 fixture=packages
. "$SRC/tests/gen/browser.sh"

page=$BIN/tests/packages/pkg_a/report.html
if grep -q '<svg class="plot"' "$page"; then
    for figure in panel-0 map scatter progress; do
        grep -q "<figcaption id=\"$figure\"" "$page" || fail "there is no figure $figure"
    done
fi
grep -q '<th scope="col">limited by</th>' "$page" || fail "nothing is held against the roofline"
check_page "$page"
