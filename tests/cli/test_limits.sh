#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dcgen limits on this machine's CPU: what it prints and records, and what is wrong with a command.
. "$SRC/tests/cli/lib.sh"
write_spec tiny.cfg 'threads = [1, 2];'

section measured and recorded
run 0 limits -t portable --records r.jsonl tiny.cfg
[ "$(lines '^portable f32 on ' "$out")" -eq 1 ] || failed "it does not name the device"
grep -qE '^ +1 +[0-9.]+ ' "$out" && grep -qE '^ +2 +[0-9.]+ ' "$out" || failed "no rates of one and two threads"
grep -q 'handover' "$out" && failed "a CPU hands over to nobody"
[ "$(lines '"type":"limit"' r.jsonl)" -eq 2 ] && [ "$(lines '"type":"device"' r.jsonl)" -eq 1 ] || failed "it is not recorded"
absent out

section what cannot be measured
run 3 limits -t portable --records r.jsonl --runner "sh -c exit" tiny.cfg
run 2 limits -t portable --trials 3 tiny.cfg
said "--trials is no option of 'limits'"
run 2 limits absent.cfg
nothing_left
echo done
