#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The dispatcher is compiled and compared with its tree before a package is written; one that is wrong is never written.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg 'threads = [1, 2];'

section it is checked
run 0 tiny.cfg
grep -q 'dispatcher compiled: the kernel of its tree at all 8 declared shapes, around' "$out" ||
    failed "the summary does not say so"
whole out/tiny
nothing_left
cp -R out/tiny before
run 0 --offline tiny.cfg
grep -q 'at all 8 declared shapes' "$out" || failed "not when nothing is measured"
run 0 --offline --json tiny.cfg
grep -q '"dispatcher_checked": 8' "$out" || failed "not in JSON"
grep -q '"dispatcher_checked_all": true' "$out" || failed "not in JSON"

section replay compiles nothing
mkdir compilers
for name in cc gcc g++ clang nvcc as ld; do
    echo "touch '$tmp/work/compiled'; exit 1" | program compilers/$name
done
PATH="$tmp/work/compilers:$PATH" run 0 replay tiny.cfg
absent compiled
! grep -q 'dispatcher compiled' "$out" || failed "replay says that it was checked"
[ ! -s "$err" ] || failed "something on stderr"
diff -r before out/tiny >/dev/null || failed "replay made another package"

section no compiler
run 0 --offline --cc no-such-cc tiny.cfg
said 'the dispatcher was not checked: cannot start the compiler no-such-cc'
! grep -q 'dispatcher compiled' "$out" || failed "it says that it was checked"
run 0 --offline -q --cc no-such-cc tiny.cfg
[ ! -s "$err" ] || failed "-q is not quiet"
diff -r before out/tiny >/dev/null || failed "another package"

# cc_other SED: a compiler that compiles another dispatcher than it is given
cc_other() {
    program cc_other <<CC
for last; do :; done
if grep -q dcgen_dispatch -- "\$last" 2>/dev/null; then sed -i '$1' "\$last"; fi
exec gcc "\$@"
CC
}

section a dispatcher that is wrong
cc_other 's/M > 4/M > 3/; s/outside ? 0/outside ? 1/'
run 1 --offline --cc "$tmp/work/cc_other" tiny.cfg
said 'internal error: the dispatcher of tiny is wrong: '
said ': M='
said ': kernel 1, not 0'
[ ! -s "$out" ] || failed "a summary of a package that was not written"
diff -r before out/tiny >/dev/null || failed "the former package changed"
run 1 --offline --cc "$tmp/work/cc_other" -o new tiny.cfg --records out/tiny.records.jsonl
absent new
nothing_left

section a dispatcher that does not compile
cc_other 's/int64_t threads)/int64_t threads/'
run 1 --offline --cc "$tmp/work/cc_other" tiny.cfg
said 'internal error: the dispatcher of tiny is wrong: it does not compile: '
diff -r before out/tiny >/dev/null || failed "the former package changed"
nothing_left
