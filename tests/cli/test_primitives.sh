#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A kernel that calls a primitive (templates/vector) without a formula: its key and MANIFEST follow the text of that primitive, and of those that it
# calls, and of no other.
. "$SRC/tests/cli/lib.sh"
write_spec tiny.cfg
share=$tmp/inst/share/dcgen/templates
sed 's/x\[k\] \* w\[k\]/PACKAGE_load_MACHINE(x + k, 1)[0] * w[k]/' "$SRC/tests/cli/templates/dense/plain.c" >"$share/dense/plain.c"
grep -q PACKAGE_load_MACHINE "$share/dense/plain.c" || failed "the template calls no primitive"
run 0 --no-report -o tiny tiny.cfg
records="--no-report --records tiny.records.jsonl"

section what MANIFEST names
for path in load floats copy; do
    grep -qE "^# template [0-9a-f]{64}  vector/$path.h\$" tiny/MANIFEST || failed "MANIFEST does not name $path.h"
done
! grep -q 'vector/erf.h' tiny/MANIFEST || failed "MANIFEST names what nothing calls"

section a primitive that nothing calls
echo '/* changed */' >>"$share/vector/erf.h"
run 0 replay $records -o again tiny.cfg
run 0 replay --check tiny

# load.h calls floats.h on every target, copy.h on one
for path in load floats copy; do
    section "$path.h"
    cp "$share/vector/$path.h" kept.h
    echo '/* changed */' >>"$share/vector/$path.h"
    run 1 replay $records -o again tiny.cfg
    said '3 kernels of another version of dense/plain.c'
    run 1 replay --check tiny
    grep -q "vector/$path.h" "$out" || failed "replay --check does not name it"
    cp kept.h "$share/vector/$path.h"
    run 0 replay $records -o again tiny.cfg
done
