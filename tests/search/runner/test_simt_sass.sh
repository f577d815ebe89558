#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=120
#
# The step loop of simt_gemm's largest tiles, as nvcc compiles it for sm_90a: at least 0.90 of its instructions are FFMA, which take the ports of
# registers (two registers a cycle, but what the instruction before keeps) at most 1.12 cycles each; nothing is on the stack.
set -eu
nvcc=$(command -v nvcc) || { echo "skipped: no nvcc"; exit 77; }
cuobjdump=$(command -v cuobjdump || echo "${nvcc%nvcc}cuobjdump")
[ -x "$cuobjdump" ] || { echo "skipped: no cuobjdump"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed=0
cat >"$tmp/spec.cfg" <<'END'
name = "pkg"; op = "dense"; dtype = "f32"; target = ["sm_90a"]; shapes = ( { M = 2048; N = 768; K = 3072; } );
epilogue = ["bias"]; layout = { W = "NK"; packed = true; };
END

# Of all loops the shortest one with the most FFMA multiplies chunks of four k; the shortest one around it, if any, is that of a step.
cat >"$tmp/count.awk" <<'AWK'
function address(text) { sub(/^.*\/\*0*/, "", text); sub(/\*\/.*$/, "", text); return text }
function target(line) { return match(line, /BRA [^;]*0x[0-9a-f]+/) ? substr(line, RSTART, RLENGTH) : "" }
BEGIN { n = nloop = 0 }
/\/\*[0-9a-f]+\*\// {
    place[address($1)] = n
    text[n++] = $0
}
END {
    for (i = 0; i < n; i++)
        sum[i + 1] = sum[i] + (text[i] ~ / FFMA /)
    for (i = 0; i < n; i++) {
        to = target(text[i])
        sub(/^.*0x/, "", to)
        if (to == "" || !(to in place) || place[to] > i)
            continue
        from = place[to]
        first[nloop] = from
        last[nloop++] = i
        ffma = sum[i + 1] - sum[from]
        if (ffma > most || ffma == most && i - from < in_last - in_first) { most = ffma; in_first = from; in_last = i }
    }
    outer = -1
    for (k = 0; k < nloop; k++)
        if (first[k] < in_first && last[k] > in_last && (outer < 0 || last[k] - first[k] < last[outer] - first[outer]))
            outer = k
    for (i = in_first; i <= in_last; i++) {
        if (text[i] !~ / FFMA /) { split("", kept); continue }
        match(text[i], /FFMA [^;]*/)
        nword = split(substr(text[i], RSTART + 5, RLENGTH - 5), word, /, */)
        for (k = 2; k <= nword; k++) {
            reused = word[k] ~ /reuse/
            sub(/[. ].*/, "", word[k])
            reads += kept[k] != word[k]
            kept[k] = reused ? word[k] : ""
        }
    }
    all = step / most * (in_last - in_first + 1) + (most < step ? last[outer] - first[outer] - (in_last - in_first) : 0)
    printf "%d %d\n", 1000 * step / all, 1000 * reads / 2 / most
}
AWK

# Each line: the FFMA of a warp in a step, and the kernel.
while read -r step kernel; do
    # shellcheck disable=SC2086
    "$DCGEN" try simt_gemm $kernel SPLITK=1 GROUP=0 ALIGNED=16 FIXED_K=0 FIXED_N=0 "$tmp/spec.cfg" -t sm_90a --dump source >"$tmp/k.cu"
    "$nvcc" -std=c++17 -O3 -w -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -cubin -I "$SRC" -I "$SRC/search/runner" \
        -o "$tmp/k.cubin" "$tmp/k.cu" 2>"$tmp/log"
    grep -q ' 0 bytes stack frame, 0 bytes spill stores' "$tmp/log" || { echo "FAILED: $kernel: uses the stack"; failed=1; }
    "$cuobjdump" -sass "$tmp/k.cubin" >"$tmp/sass"
    counts=$(awk -v step="$step" -f "$tmp/count.awk" "$tmp/sass")
    echo "$kernel: FFMA and cycles of ports in thousandths: $counts"
    [ "${counts% *}" -ge 900 ] && [ "${counts#* }" -le 1120 ] || { echo "FAILED: $kernel"; failed=1; }
done <<'END'
3072 BM=128 BN=96 TM=8 TN=12 BK=64 STAGES=3 KGROUPS=2
3072 BM=128 BN=96 TM=8 TN=12 BK=32 STAGES=3 KGROUPS=1
2048 BM=128 BN=128 TM=8 TN=16 BK=32 STAGES=3 KGROUPS=2
END
exit $failed
