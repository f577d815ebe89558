#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# own.sh FOLDER: the own test and benchmark of the package FOLDER/pkg (test_calls_cuda.c makes it: f32, W as [N][K], not packed, with a bias) find
# what a kernel may do wrong, and print the figures that they should, without a GPU and without nvcc: both are linked with a package, a run
# time and a library that pretend (pretend.c).
packages=$1
folder=$1/pkg
. "$SRC/tests/package/common.sh"

cp "$SRC/tests/package/cuda/pretend.h" "$tmp/pkg.h"
cp "$folder/flush_l2.h" "$folder/test.c" "$folder/bench.c" "$tmp"
for program in test bench; do
    cc -std=gnu11 -O2 -w -I"$tmp" -I"$CUDA_INCLUDE" "$tmp/$program.c" "$SRC/tests/package/cuda/pretend.c" -o "$tmp/$program" -lm
done

# ---- the test: the dispatcher's choice and two kernels, aligned and not, on numbers and with some that are none; so each shape is twelve checks

for harmless in none 'other GPU'; do
    ends 0 "$harmless" "$tmp/test"
    logged '^2 kernels, [0-9]* checks, 0 failed; largest error 0\.'
done
checks=$(sed -n 's/^2 kernels, \([0-9]*\) checks.*/\1/p' "$tmp/log")
[ "$checks" -ge 300 ] || failed "only $checks checks"
ends 0 none "$tmp/test" 600
logged '^2 kernels, 12 checks, 0 failed'
for fault in last hole before behind shift kernel plan refused 'no choice'; do
    ends 1 "$fault" "$tmp/test"
    logged '^wrong: M='
done
ends 1 kernel "$tmp/test"
logged " $((checks / 3 + 1)) failed" # one of them on a workspace that was cleared
logged '^wrong: M=[0-9]* N=[0-9]* K=[0-9]* kernel 1 shift 0: code 0, error '
ends 1 shift "$tmp/test"
logged " $((checks / 2)) failed"
ends 1 negative "$tmp/test" 600
logged '^a call with an extent that is not legal: code 0 instead of 1$'
logged '^that was M=-1$'
for pair in 'clears anything:clearing what is not aligned' 'any workspace:a workspace not aligned' 'no workspace:no workspace'; do
    ends 1 "${pair%:*}" "$tmp/test" 600
    logged "^${pair#*:}: code 0 instead of 2\$"
done
ends 1 leak "$tmp/test"
logged '^wrong: M=.* planted: code 0, error inf'
ends 1 overlap "$tmp/test" 600
logged '^an output over an input: code 0 instead of 6$'
ends 134 'clears nothing' "$tmp/test" 600
ends 77 'no device' "$tmp/test"

# ---- the benchmark: 2*M*N*K picoseconds, twice that for the library (as long where M is 1), 0.8 for the better of two algorithms; cold twice as long

ends 0 none "$tmp/bench" --json
row() { grep "^M=$1 " "$tmp/log" | tr -s ' ' | sed 's/^ //'; }
[ "$(row 64)" = 'M=64 N=40 K=24 kernel 1 0.12 us 1.00 TFLOP/s default 0.25 us 2.000x best of 2 0.10 us 0.800x cold 0.25, 0.49, 0.20 us' ] || failed "its row is: $(row 64)"
[ "$(row '1 N=24')" = 'M=1 N=24 K=16 kernel 0 0.00 us 1.00 TFLOP/s default 0.00 us 1.000x best of 2 0.00 us 0.800x cold 0.00, 0.00, 0.00 us' ] || failed "its row is: $(row 1)"
logged '^{"M":64,"N":40,"K":24,"kernel":1,"package_us":0.1229,"package_cold_us":0.2458,"default_us":0.2458,"default_cold_us":0.4915,"ratio_default":2.0000[0-9],"best_us":0.0983,"best_cold_us":0.1966,"ratio_best":0.80000,"algorithms":2,"rounds":15}$'
library="the vendor's library"
logged ' SMs, a library; hot caches'
logged "^against $library as it comes: geometric mean 1.587x, least 1.000x, of 3 shapes\$" # 4 to the power of 1/3
logged "^against $library at its best: geometric mean 0.800x, least 0.800x, of 3 shapes\$"
[ "$(grep -c '^{' "$tmp/log")" = 3 ] || failed "it does not print each shape once"
ends 0 'no PTX' "$tmp/bench" --json --shape 64,40,24
logged '^no times with a cold L2 cache: error 221$'
logged ' cold      0.00,      0.00,      0.00 us$'
logged '"package_us":0.1229,.*"package_cold_us":0.0000,'
ends 0 none "$tmp/bench" --rounds 4 --shape 3,50,20
logged '^M=3 N=50 K=20 *kernel 1 .* 2.000x '
logged ' of 1 shapes$'
! grep -q '^{' "$tmp/log" || failed "it prints JSON though nobody asked"
ends 0 none "$tmp/bench" --rounds 1 --shape 3,50,20
logged '^M=3 N=50 K=20 *kernel 1 .* 2.000x '
ends 0 'no library' "$tmp/bench" --json --shape 64,40,24
logged ' SMs, without the vendor.s library; '
[ "$(row 64)" = 'M=64 N=40 K=24 kernel 1 0.12 us 1.00 TFLOP/s cold 0.25 us' ] || failed "its row is: $(row 64)"
logged '"package_cold_us":0.2458,"rounds":15}$'
ends 0 rival "$tmp/bench" --shape 64,40,24
logged "^$library: wrong result\$"
[ "$(row 64)" = 'M=64 N=40 K=24 kernel 1 0.12 us 1.00 TFLOP/s cold 0.25 us' ] || failed "its row is: $(row 64)"
ends 0 'rival refuses' "$tmp/bench" --shape 64,40,24
logged "^$library: cannot\$"
ends 0 none "$tmp/bench" --seconds 1e-9
logged '^[23] shapes left out: the time was over$'
for fault in last hole refused; do
    ends 1 "$fault" "$tmp/bench"
    [ "$(grep -c '^wrong: M=' "$tmp/log")" = 3 ] || failed "it does not say so of each shape: $fault"
    ! grep against "$tmp/log" || failed "a package that is wrong was timed: $fault"
done
ends 77 'no device' "$tmp/bench"
for arguments in '--rounds 0' '--rounds 102' '--seconds 0' '--shape 1,2' '--shape 1,1,1,1' '--shape 1,,1' '--shape 1,-1,1' '--shape 1,1,x' --what; do
    # shellcheck disable=SC2086 # a list
    ends 2 none "$tmp/bench" $arguments
done
