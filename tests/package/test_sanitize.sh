#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is quick of the packages under sanitizers: one that packs and has no bias under addresses and undefined behaviour, by clang where
# it is there, which finds more; one whose calls are shared out between threads under threads. (test_variants.sh does all there is.)
# ctest: timeout=200 fixture=packages cost=10
. "$SRC/tests/package/common.sh"

first=$(compilers | tail -n 1) ran=0
for run in "address,undefined pkg_b test.c contract.c" "thread pkg_d stress.c"; do
    set -- $run
    if ! can_sanitize "$first" "$1"; then
        echo "skipped: $first cannot build and run with -fsanitize=$1 here"
        continue
    fi
    ran=$((ran + 1)) sanitizers=$1
    shift
    sanitized_runs "$first" "$sanitizers" '' "$@"
done
[ "$ran" -gt 0 ] || exit 77
