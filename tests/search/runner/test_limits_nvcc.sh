#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=120
#
# templates/device/limits.cu by nvcc for every GPU target, as dcgen compiles it: no spills; and the inner loops are what the file says: FFMA
# and HMMA with next to nothing else, loads of 16 bytes.
set -u

nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
cuobjdump=$(command -v cuobjdump || echo "${nvcc%nvcc}cuobjdump")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

for target in 75 80 86 89 90a; do
    "$nvcc" -std=c++17 -O3 -gencode="arch=compute_$target,code=sm_$target" -Xptxas -v -shared -Xcompiler -fPIC -cudart none \
        "-DSM_ARCH=${target%a}" -I "$SRC/templates/device" -o "$tmp/$target.so" "$SRC/templates/device/limits.cu" 2>"$tmp/log" ||
        { fail "sm_$target: $(cat "$tmp/log")"; continue; }
    grep -q 'bytes spill stores' "$tmp/log" || fail "sm_$target: ptxas says nothing"
    grep 'bytes spill stores' "$tmp/log" | grep -qv ' 0 bytes spill stores, 0 bytes' && fail "sm_$target: registers spill"
    [ -x "$cuobjdump" ] || continue
    "$cuobjdump" -sass "$tmp/$target.so" >"$tmp/sass" || fail "cuobjdump"
    awk '/Function :/ { name = $3 } / FFMA / { n[name]++ } END { for (k in n) if (k ~ /limits_fma/) print n[k] }' "$tmp/sass" | sort | uniq -c | tr -s ' ' >"$tmp/n"
    [ "$(cat "$tmp/n")" = ' 2 256' ] || fail "sm_$target: FFMA $(cat "$tmp/n")"
    # registers that an FFMA reads and the one before does not keep for it, in hundredths
    awk '
        /Function :/ { name = $3 }
        name !~ /limits_fma/ || !/\/\*[0-9a-f]+\*\// { next } # a line without an address goes on with the bits of the one before
        !/ FFMA/ { split("", kept); next }
        {
            match($0, /FFMA [^;]*/)
            n = split(substr($0, RSTART + 5, RLENGTH - 5), word, /, */)
            for (i = 2; i <= n; i++) {
                r = word[i]
                sub(/[. ].*/, "", r)
                reads[name] += kept[i] != r
                kept[i] = word[i] ~ /reuse/ ? r : ""
            }
            ffma[name]++
        }
        END { for (k in reads) printf "%s %d\n", k ~ /ILb1E/ ? "reuse" : "plain", 100 * reads[k] / ffma[k] }' "$tmp/sass" >"$tmp/n"
    [ $target != 90a ] || { grep -q 'plain 24[0-9]' "$tmp/n" && grep -q 'reuse 1[67][0-9]' "$tmp/n"; } ||
        fail "sm_$target: reads of registers: $(tr '\n' ' ' <"$tmp/n")"
    mma=$(awk '/Function :/ { name = $3 } / HMMA/ { n[name]++ } END { for (k in n) print n[k] }' "$tmp/sass" | sort | uniq -c | tr -s ' ')
    [ "$mma" = "$([ $target = 75 ] || echo ' 3 64')" ] || fail "sm_$target: HMMA $mma"
    grep -q 'LDS[.U]*.128' "$tmp/sass" && grep -q 'LDG.*[.]128' "$tmp/sass" || fail "sm_$target: no loads of 16 bytes"
done
[ -x "$cuobjdump" ] || echo "skipped: no cuobjdump: the inner loops"
exit $failed
