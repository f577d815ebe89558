#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package's own test finds what a kernel may do wrong, and its benchmark prints the figures that it should: both are linked with a package
# that pretends (product/pretend.c).
# ctest: fixture=packages
. "$SRC/tests/package/common.sh"
names='pkg_a pkg_d' # one that packs, with a bias, and one with W as it is, without

for name in $names; do
    silent cc -std=gnu11 -O2 -fno-builtin-printf -Wall -Wextra -Werror -I"$packages/$name" -I"$tmp" -c "$(fill pretend.c "$name")" -o "$tmp/$name.o"
    for source in "$built/$name/test.o" "$packages/$name/bench.c"; do
        program=$(basename -- "${source%.?}")
        quiet cc -std=gnu11 -O1 -I"$packages/$name" "$source" "$tmp/$name.o" "$built/$name/pool.o" \
            -o "$tmp/${name}_$program" -lm -pthread
    done
done

# ---- the test: the dispatcher's choice and two kernels, on one and three threads, on numbers and with some that are none; so each shape is twelve checks

for name in $names; do
    for harmless in none 'within tolerance' 'other CPU'; do
        ends 0 "$harmless" "$tmp/${name}_test"
        logged '^2 kernels, [0-9]* checks, 0 failed; largest error [0-9.]* of the tolerance$'
    done
done
ends 0 'within tolerance' "$tmp/pkg_a_test"
logged 'largest error 0\.[4-9][0-9]* of'
for fault in last hole before behind threads kernel tall corner plan 'beyond tolerance' refused 'no choice'; do
    ends 1 "$fault" "$tmp/pkg_a_test"
    logged '^2 kernels, [0-9]* checks, [1-9][0-9]* failed'
    logged '^wrong: M='
done
checks=$(sed -n 's/^2 kernels, \([0-9]*\) checks.*/\1/p' "$tmp/log")
[ "$checks" -ge 300 ] || failed "only $checks checks"
ends 1 leak "$tmp/pkg_a_test"
logged '^wrong: M=.* planted: code 0, error inf'
! grep -v -e planted -e ' failed;' "$tmp/log" || failed 'an infinity that leaks is found where there is none'
ends 1 pack "$tmp/pkg_a_test"
for name in $names; do
    ends 1 overlap "$tmp/${name}_test"
    logged '^wrong: M=[0-9]* N=[0-9]* K=[0-9]* with the output with its last element in operand 0: code 0'
done
# One of three kernels is wrong on both counts of threads, three threads with all kernels.
ends 1 kernel "$tmp/pkg_a_test"
logged " $((checks / 3)) failed"
logged '^wrong: M=[0-9]* N=[0-9]* K=[0-9]* kernel 1 threads 1: code 0, error '
ends 1 threads "$tmp/pkg_a_test"
logged " $((checks / 2)) failed"
ends 1 'no choice' "$tmp/pkg_a_test"
logged '^wrong: M=.* kernel -1 threads 3: code 3, error inf '

# ---- the benchmark: 2*M*N*K operations, 8 of the package's in a nanosecond and 2 of the library's, but for M = 1

row() { awk -v m="$1" -v n="$2" -v k="$3" '$1 == m && $2 == n && $3 == k { $1 = $1; print }' "$tmp/log"; }
for threads in 1 2; do
    case $threads in 1) both= one= ;; *) both=' 31.68 8.0 1.00' one=' 0.77 8.0 1.00' ;; esac # its two threads take as long as one
    ends 0 none "$tmp/pkg_a_bench" $threads
    logged '^CBLAS: a library$'
    [ "$(row 48 80 33)" = "48 80 33 1 31.68 8.0$both 126.72 2.0 4.00" ] || failed "the benchmark's row is: $(row 48 80 33)"
    [ "$(row 1 48 64)" = "1 48 64 0 0.77 8.0$one 0.77 8.0 1.00" ] || failed "the benchmark's row is: $(row 1 48 64)"
    logged '^geomean over 8 shapes: 3.364 times as fast as CBLAS$'    # 4 to the power of 7/8
    ! grep wrong "$tmp/log" || failed "the benchmark says so of a package that is right"
done
ends 0 none "$tmp/pkg_d_bench"
logged '^geomean over 6 shapes: 2.000 times as fast as CBLAS$'       # one half of them with M = 1
for fault in last hole refused; do
    ends 1 "$fault" "$tmp/pkg_a_bench"
    [ "$(grep -c '^wrong: M=' "$tmp/log")" = 8 ] || failed "the benchmark does not say so: $fault"
    ! grep geomean "$tmp/log" || failed "the benchmark timed a package that is wrong: $fault"
done
ends 0 rival "$tmp/pkg_a_bench"
[ "$(row 48 80 33)" = '48 80 33 1 31.68 8.0 CBLAS: wrong result' ] || failed "the benchmark's row is: $(row 48 80 33)"
logged '^geomean over 7 shapes: 3.281 times'                          # 4 to the power of 6/7
ends 0 'rival refuses' "$tmp/pkg_a_bench"
[ "$(row 48 80 33)" = '48 80 33 1 31.68 8.0 CBLAS: cannot' ] || failed "the benchmark's row is: $(row 48 80 33)"
! grep geomean "$tmp/log" || failed "the benchmark compares with nothing"
ends 0 'no rival' "$tmp/pkg_a_bench"
logged '^no CBLAS was found$'
[ "$(row 48 80 33)" = '48 80 33 1 31.68 8.0' ] || failed "the benchmark's row is: $(row 48 80 33)"
for arguments in 0 -1 'x' '1 2'; do
    # shellcheck disable=SC2086 # a list
    ends 2 none "$tmp/pkg_a_bench" $arguments
done
