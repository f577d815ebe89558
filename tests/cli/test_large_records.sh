#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A record file of 12 MB, as a fleet of machines writes it: memory is at most three times the file, processor time grows as the file does, and an
# interrupt ends replay at once.
# ctest: label=slow cost=8
. "$SRC/tests/cli/lib.sh"

write_spec tiny.cfg
run 0 --no-report tiny.cfg
mv out/tiny.records.jsonl one.jsonl

# Per round: our own measurements anew, another machine's, and a spec of the same name with kernels of its own. Times change from round to round, and
# so do names: the second half of a key's digits.
awk -v most=12000000 '
    { line[NR] = $0 }
    function put(s) { print s; bytes += length(s) + 1 }
    END {
        for (i = 1; i <= NR; i++) put(line[i])
        for (round = 1; bytes < most; round++) {
            name = sprintf("%016x", 16777216 * round + 12345)
            for (i = 1; i <= NR; i++) {
                s = line[i]
                gsub(/"ns":\[/, "&" 1000 + round % 977 ",", s)
                if (s ~ /"type":"measure"/) put(s)
                other = s
                gsub(/"device":"[^"]*"/, "\"device\":\"" name "\"", other)
                sub(/"device","id":"[^"]*"/, "\"device\",\"id\":\"" name "\"", other)
                put(other)
                sub(/"context":"[^"]*"/, "\"context\":\"" name "\"", s)
                if (match(s, /"key":"[0-9a-f]*"/)) s = substr(s, 1, RSTART + 22) name substr(s, RSTART + RLENGTH - 1)
                if (s ~ /"type":"(spec|kernel|measure)"/) put(s)
            }
        }
    }' one.jsonl >large.jsonl
bytes=$(wc -c <large.jsonl)

# replays CODE ARGUMENT...: within 20 s of a processor, of which it takes half of one; $kib: the most memory that it had, 0 where nobody can tell
replays() {
    want=$1 out=$tmp/log/out err=$tmp/log/err code=0 kib=0
    shift
    if command -v python3 >/dev/null && ! grep -qa __asan_init "$DCGEN"; then
        (ulimit -t 20; exec python3 -c 'import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as f:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=f)
sys.exit(code)' "$tmp/log/kib" "$dcgen" replay --no-report "$@") >"$out" 2>"$err" || code=$?
        kib=$(cat "$tmp/log/kib")
    else
        skipped "memory: no python3, or a sanitizer has memory of its own"
        (ulimit -t 100; exec "$dcgen" replay --no-report "$@") >"$out" 2>"$err" || code=$?
    fi
    [ $code -eq "$want" ] || failed "exit code $code, not $want: $*"
}
# fits: the run before had three times the file at most, besides what a small file takes
fits() { [ "$kib" -le $((small + 3 * bytes / 1024)) ] || failed "$kib KiB, and $small KiB for a small file"; }

replays 0 --records one.jsonl -o small tiny.cfg
small=$kib

section the spec that it is of
replays 0 --records large.jsonl -o large tiny.cfg
fits
[ -s large/records.jsonl ] || failed "no records in the package"

section a spec that it is not of
sed 's/^layout.*/epilogue = ["bias"];/' tiny.cfg >other.cfg
replays 1 --records large.jsonl -o other other.cfg
fits
said 'the records hold no verified measurement for this spec'
absent other

section an interrupt
for signal in INT TERM HUP; do
    env --default-signal=INT,TERM,HUP "$dcgen" replay --no-report --records large.jsonl -o ended tiny.cfg >"$out" 2>"$err" &
    pid=$!
    pids=$pid
    tries=0
    until ls -l /proc/$pid/fd 2>/dev/null | grep -q large.jsonl; do
        kill -0 $pid 2>/dev/null && [ $((tries += 1)) -lt 2000 ] || failed "it does not read"
    done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 130 ] || failed "exit code $code after SIG$signal, not 130"
    said 'dcgen: interrupted'
    absent ended
    nothing_left
done
