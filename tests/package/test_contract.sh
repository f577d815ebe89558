#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The packages at the edges of their API, compiled as they ship (test_sanitize.sh does the same under the sanitizers).
# ctest: timeout=120 fixture=packages
. "$SRC/tests/package/common.sh"

for name in $names; do
    compile cc '' "$name" "$tmp/$name"
    link cc '' "$name" "$tmp/$name" "$(fill contract.c "$name")"
    quiet "$tmp/$name/program"
done
