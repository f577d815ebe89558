#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which kernels run on which CPU. qemu stands in for CPUs without AVX-512 (Haswell) and without AVX (Nehalem);
# NAME_CPU fixes the instruction set when compiling. Each time the package's own test passes, and the kernels that the
# package chooses are those that it should. (Another architecture: test_machines.sh.)
# A fixed set for one package, and the test under one of the two CPUs; with THOROUGH all of it for both.
# ctest: thorough timeout=360 cost=20 fixture=packages
. "$SRC/tests/package/common.sh"
names='pkg_a pkg_d' # one that packs, with an epilogue, and one that does not, for threads
fixed=${THOROUGH:+pkg_d }pkg_a

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

# The first of SETS (a package's) that one of HAS (a CPU's) names.
best_of() {
    for s in $1; do
        case " $2 " in *" $s "*) echo "$s"; return ;; esac
    done
}

# A qemu before 7.2 emulates no AVX2, whatever the CPU is called.
qemu_has() {   # qemu_has CPU SET
    echo "int main(void) { return !__builtin_cpu_supports(\"$2\"); }" >"$tmp/probe.c"
    quiet cc "$tmp/probe.c" -o "$tmp/probe"
    qemu-x86_64 -cpu "$1" "$tmp/probe" 2>/dev/null
}

emulate() {   # emulate NAME CPU SETS-OF-THE-CPU; a test takes long there
    case ${THOROUGH:-}$1,$2 in 1* | pkg_a,Haswell | pkg_d,Nehalem)
        quiet qemu-x86_64 -cpu "$2" "$built/$1/$1_test"
        logged ' 0 failed' ;;
    esac
    chooses "$(best_of "$(sets_of "$1")" "$3")" "$1" qemu-x86_64 -cpu "$2" "$tmp/which_$1"
}

case $(uname -m) in x86_64) ;; *) echo "skipped: this CPU has one instruction set only"; exit 77 ;; esac
cpu_has=$(awk -F: '/^flags/ { f = $2 " "
    if (f ~ / avx512f / && f ~ / avx512vl / && f ~ / avx512dq / && f ~ / avx512bw /) printf "avx512 "
    if (f ~ / avx2 / && f ~ / fma /) printf "avx2 "
    print "portable"; exit }' /proc/cpuinfo)

for name in $names; do
    sets=$(sets_of "$name")
    [ -n "$sets" ] || failed "$name: dispatch.h does not list its instruction sets"
    link cc '' "$name" "$built/$name" "$tmp/which_$name" "$(fill which.c "$name")"
    chooses "$(best_of "$sets" "$cpu_has")" "$name" "$tmp/which_$name"
    if have qemu-x86_64; then
        if qemu_has Haswell avx2; then
            emulate "$name" Haswell 'avx2 portable'
        else
            echo "skipped: this qemu-x86_64 has no AVX2"
        fi
        emulate "$name" Nehalem 'portable'
    fi
done
for name in $fixed; do
    i=0
    for s in $(sets_of "$name"); do
        case " $cpu_has " in
        *" $s "*)
            folder=$tmp/$name-$i
            compile cc "-O1 -D${name}_CPU=$i" "$name" "$folder"
            link cc '' "$name" "$folder" "$folder/test" "$built/$name/test.o"
            link cc '' "$name" "$folder" "$folder/which" "$(fill which.c "$name")"
            quiet "$folder/test"
            logged ' 0 failed'
            chooses "$s" "$name" "$folder/which" ;;
        *) echo "skipped: this CPU has no $s: ${name}_CPU=$i" ;;
        esac
        i=$((i + 1))
    done
done

have qemu-x86_64 || echo "skipped: qemu-x86_64 (qemu-user) is not installed: no CPU without AVX-512, none without AVX"
