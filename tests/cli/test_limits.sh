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
not_said "dcgen has no assembly"

section what cannot be measured
run 3 limits -t portable --records r.jsonl --runner "sh -c exit" tiny.cfg
run 2 limits -t portable --trials 3 tiny.cfg
said "--trials is no option of 'limits'"
run 2 limits absent.cfg
nothing_left

section an architecture of which nobody has taught dcgen anything
if [ "$(setarch i686 uname -m 2>/dev/null)" = i686 ]; then
    printf '#!/bin/sh\nexec setarch i686 "%s" "$@"\n' "$dcgen" >other
    chmod +x other
    dcgen=$tmp/work/other
    run 0 limits --records r.jsonl tiny.cfg
    [ "$(lines 'dcgen has no assembly that measures what i686 can do at most: C does it, and may find less' "$err")" -eq 1 ] ||
        failed "it does not say once how it measures the peak"
    [ "$(lines 'dcgen cannot read the assembly of i686: ' "$err")" -eq 1 ] || failed "it does not say once that spills go unseen"
    [ "$(lines '^portable f32 on ' "$out")" -eq 1 ] || failed "it does not measure"
    run 0 limits -q --records r.jsonl tiny.cfg
    not_said "dcgen "
else
    skipped "this machine passes for no other architecture (setarch)"
fi
nothing_left
echo done
