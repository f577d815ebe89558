#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Nodes of a model that do not depend on each other run at the same time on several threads, where that is worth it: the results are those of one
# thread, bit for bit, each node has scratch memory of its own, and no two of them meet in memory (under the thread sanitizer).
# ctest: label=slow timeout=300 cost=15
. "$SRC/tests/cli/lib.sh"
product=$SRC/tests/package/product
run 0 -q --templates "$SRC/templates" --trials 1 --seconds 1 --no-report -o branches --records branches.jsonl "$product/branches.cfg"
[ "$(grep -c '^    branches_begin_group(' branches/model.c)" -eq 3 ] || failed "there are not three groups"
grep -q 'KERNEL_scratch\|_scratch(' branches/kernels.c || failed "no kernel needs scratch memory"
cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror -fsyntax-only branches/model.c ||
    failed "model.c has warnings"
for sanitizer in thread address,undefined; do
    gcc -std=gnu17 -O1 -g1 -fsanitize=$sanitizer -fno-sanitize-recover=all -Ibranches -o "test" "$product/branches.c" branches/model.c branches/kernels.c \
        branches/pool.c -lm -pthread || failed "branches.c"
    ASAN_OPTIONS=detect_leaks=0 ./test || failed "branches.c, -fsanitize=$sanitizer"
done
cmake -S branches -B built >"$tmp/log/cmake" 2>&1 && cmake --build built --target branches_test_model >>"$tmp/log/cmake" 2>&1 && built/branches_test_model >"$tmp/log/test" ||
    { cat "$tmp/log/cmake" "$tmp/log/test"; failed "the package's test"; }
