#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which kernels run on which CPU. qemu stands in for CPUs without AVX-512 (Haswell) and without AVX (Nehalem);
# NAME_CPU fixes the instruction set when compiling. Each time the package's own test passes, and the kernels that the
# package chooses are those that it should.
# ctest: timeout=360 fixture=packages
. "$SRC/tests/package/common.sh"

# The package's instruction sets, best first, as dispatch.h numbers them: "avx512 avx2 portable".
sets_of() {
    sed -n 's|^/\* The best instruction set .*: \(.*\)\. Define .*|, \1|p' "$packages/$1/dispatch.h" |
        sed 's/, [0-9]* / /g'
}

# chooses SET NAME COMMAND...: all that the program `which` prints is of this instruction set.
chooses() {
    set_name=$1 package=$2
    shift 2
    quiet "$@"
    logged "^[a-z_]* $set_name "
    if grep -v "^qemu-x86_64: warning" "$tmp/log" | grep -qv "^[a-z_]* $set_name "; then
        cat -- "$tmp/log"
        failed "$package: others than $set_name kernels chosen by: $*"
    fi
}

build_both() {   # build_both NAME FOLDER FLAGS: FOLDER/test and FOLDER/which
    compile cc "$3" "$1" "$2"
    link cc "$3" "$1" "$2" "$packages/$1/test.c"
    mv "$2/program" "$2/test"
    link cc "$3" "$1" "$2" "$(fill which.c "$1")"
    mv "$2/program" "$2/which"
}

# The first of SETS (a package's) that one of HAS (a CPU's) names.
best_of() {
    for s in $1; do
        case " $2 " in *" $s "*) echo "$s"; return ;; esac
    done
}

emulate() {   # emulate NAME FOLDER CPU SETS-OF-THE-CPU
    best=$(best_of "$(sets_of "$1")" "$4")
    quiet qemu-x86_64 -cpu "$3" "$2/test"
    logged ' 0 failed'
    chooses "$best" "$1" qemu-x86_64 -cpu "$3" "$2/which"
}

case $(uname -m) in x86_64) ;; *) echo "skipped: this CPU has one instruction set only"; exit 77 ;; esac
cpu_has=$(awk -F: '/^flags/ { f = $2 " "
    if (f ~ / avx512f / && f ~ / avx512vl / && f ~ / avx512dq / && f ~ / avx512bw /) printf "avx512 "
    if (f ~ / avx2 / && f ~ / fma /) printf "avx2 "
    print "portable"; exit }' /proc/cpuinfo)

for name in $names; do
    sets=$(sets_of "$name")
    [ -n "$sets" ] || failed "$name: dispatch.h does not list its instruction sets"
    build_both "$name" "$tmp/$name" ''
    chooses "$(best_of "$sets" "$cpu_has")" "$name" "$tmp/$name/which"
    if have qemu-x86_64; then
        emulate "$name" "$tmp/$name" Haswell 'avx2 portable'
        emulate "$name" "$tmp/$name" Nehalem 'portable'
    fi
    i=0
    for s in $sets; do
        case " $cpu_has " in
        *" $s "*)
            build_both "$name" "$tmp/$name-$i" "-O1 -D${name}_CPU=$i"
            quiet "$tmp/$name-$i/test"
            logged ' 0 failed'
            chooses "$s" "$name" "$tmp/$name-$i/which" ;;
        *) echo "skipped: this CPU has no $s: ${name}_CPU=$i" ;;
        esac
        i=$((i + 1))
    done
done
have qemu-x86_64 || echo "skipped: qemu-x86_64 (qemu-user) is not installed: no CPU without AVX-512, none without AVX"
