#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The report in a real browser (browser.sh has what is checked): of a workload with one dimension, and of one with two.
# tests/package/test_report.sh does the same with what was measured.
# ctest: label=slow timeout=300 cost=20
. "$SRC/tests/gen/browser.sh"

"$BIN/tests/gen_report_tests" test_report:pages_for_a_browser "$browser_dir/one.html" "$browser_dir/two.html"
check_page "$browser_dir/one.html"
check_page "$browser_dir/two.html"
