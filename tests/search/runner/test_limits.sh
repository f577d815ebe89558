#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The request `limits`: samples are taken as long as its time allows, of which each thread count has its part. (Twice one thread: two that wait
# for each other take any time where others use the machine.)
set -eu
fail() { echo "failed: $*"; exit 1; }

answer=$(printf '%s\n' '{"cmd":"limits","id":7,"target":"portable","dtype":"f32","threads":[1,1],"max_ns":8e9}' |
    "$BIN/dcgen-runner-c" --targets "$SRC/templates/targets" | grep '"event":"limits"')
echo "$answer"
rounds=$(echo "$answer" | grep -o '"rounds":[0-9]*' | cut -d : -f 2)
[ "$(echo "$rounds" | wc -w)" -eq 2 ] || fail "not one number of rounds a thread count"
for n in $rounds; do
    [ "$n" -ge 2 ] || fail "$n round in 4 s"
done
