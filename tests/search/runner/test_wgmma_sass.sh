#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=120
#
# The step loops of wgmma's kernels, as nvcc compiles it for sm_90a: the products of a step are started together and waited for once, with at most 64 other
# instructions, which they hide; nothing is on the stack, and ptxas tells of no loss.
set -eu
nvcc=$(command -v nvcc) || { echo "skipped: no nvcc"; exit 77; }
cuobjdump=$(command -v cuobjdump || echo "${nvcc%nvcc}cuobjdump")
[ -x "$cuobjdump" ] || { echo "skipped: no cuobjdump"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed=0

# Of the loops with all products in them the shortest: products, instructions of the warpgroup, others.
cat >"$tmp/count.awk" <<'AWK'
function address(text) { sub(/^.*\/\*0*/, "", text); sub(/\*\/.*$/, "", text); return text }
BEGIN { n = 0; first = -1; best = -1 }
/\/\*[0-9a-f]+\*\/ .*;/ {
    place[address($1)] = n
    if ($0 ~ / HGMMA\./) { if (first < 0) first = n; last = n }
    text[n++] = $0
}
END {
    for (i = last; i < n; i++) {
        if (!match(text[i], /BRA [^;]*0x[0-9a-f]+/))
            continue
        to = substr(text[i], RSTART, RLENGTH)
        sub(/^.*0x/, "", to)
        if (to in place && place[to] <= first && (best < 0 || i - place[to] < best)) { best = i - place[to]; from = place[to] }
    }
    for (i = from; i <= from + best; i++)
        if (text[i] ~ / HGMMA\./) products++
        else if (text[i] ~ / WARPGROUP\./) waits++
        else others++
    print products, waits, others
}
AWK

# Each line: the products of a step, element type, layout of the second operand, and the kernel.
while read -r products dtype layout template kernel; do
    case $template in
    wgmma_gemm) op=dense shape='M = 2048; N = 768; K = 3072;' layouts="W = \"$layout\"; packed = true;" formula='acc + bias[n]' ;;
    wgmma_bmm) op=batch_matmul shape='B0 = 8; B1 = 12; M = 512; N = 512; K = 64;' layouts="B = \"$layout\";" formula='acc * 0.125 + mask[b0,n]' ;;
    wgmma_conv) op=conv2d shape='N = 8; G = 1; H = 28; W = 28; C = 128; K = 128; R = 3; S = 3; PAD = 1;' layouts="F = \"$layout\";" formula='acc + residual[n,p,q,oc]' ;;
    esac
    cat >"$tmp/spec.cfg" <<END
name = "pkg"; op = "$op"; dtype = "$dtype"; target = ["sm_90a"]; shapes = ( { $shape } );
epilogue = "$formula"; layout = { $layouts };
END
    # shellcheck disable=SC2086
    "$DCGEN" try "$template" $kernel "$tmp/spec.cfg" -t sm_90a --dump source >"$tmp/k.cu"
    "$nvcc" -std=c++17 -O3 -w -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -cubin -I "$SRC" -I "$SRC/search/runner" \
        -o "$tmp/k.cubin" "$tmp/k.cu" 2>"$tmp/log"
    grep -q ' 0 bytes stack frame, 0 bytes spill stores' "$tmp/log" || { echo "FAILED: $template $kernel: uses the stack"; failed=1; }
    ! grep 'Potential Performance Loss' "$tmp/log" || failed=1
    "$cuobjdump" -sass "$tmp/k.cubin" >"$tmp/sass"
    counts=$(awk -f "$tmp/count.awk" "$tmp/sass")
    echo "$dtype $layout $template $kernel: products, waits, others: $counts"
    [ "${counts% *}" = "$products 2" ] && [ "${counts##* }" -le 64 ] || { echo "FAILED: $template $kernel"; failed=1; }
done <<'END'
4 bf16 NK wgmma_gemm HIGH=128 WIDE=192 SWAP=0 CONSUMERS=2 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=8
4 bf16 NK wgmma_gemm HIGH=192 WIDE=192 SWAP=0 CONSUMERS=3 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=1 GROUP=0
8 bf16 NK wgmma_gemm HIGH=128 WIDE=128 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=0
4 f16 NK wgmma_gemm HIGH=64 WIDE=16 SWAP=1 CONSUMERS=1 STAGES=8 SPLITK=6 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0
4 bf16 KN wgmma_gemm HIGH=128 WIDE=144 SWAP=0 CONSUMERS=2 STAGES=5 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0
8 tf32 NK wgmma_gemm HIGH=128 WIDE=112 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=3 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0
4 bf16 NK wgmma_bmm HIGH=192 WIDE=192 SWAP=0 CONSUMERS=3 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0
4 f16 KN wgmma_bmm HIGH=128 WIDE=128 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0
4 bf16 KRSC wgmma_conv HIGH=192 WIDE=128 QT=14 PT=4 SWAP=0 CONSUMERS=3 STAGES=5 SPLITK=2 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0
8 f16 RSCK wgmma_conv HIGH=128 WIDE=128 QT=7 PT=1 SWAP=0 CONSUMERS=2 STAGES=7 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=0
END
exit $failed
