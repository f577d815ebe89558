# SPDX-License-Identifier: Apache-2.0
#
# common: what the tests of generated packages share; sourced by them. Takes BIN and SRC, and $packages if they are not
# those of setup_packages.sh; gives $packages (the packages' folder), $built (the objects of each), $names (their names), $tmp (a folder
# that goes when the test ends) and the functions below.
set -eu
packages=${packages:-$BIN/tests/packages}
built=$packages/built
product=$SRC/tests/package/product
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

names=$(cd -- "$packages" && dirname -- */spec.cfg)
[ -f "$packages/${names%%[!a-z_]*}/spec.cfg" ] || { echo "FAILED: no packages in $packages (setup_*.sh)"; exit 1; }

failed() { echo "FAILED: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# quiet COMMAND...: its output, also left in $tmp/log, is shown only when it fails; then the test fails.
quiet() {
    "$@" >"$tmp/log" 2>&1 && return 0
    cat -- "$tmp/log"
    failed "$*"
}

# silent COMMAND...: the same, and anything said is a failure too.
silent() {
    quiet "$@"
    [ ! -s "$tmp/log" ] || { cat -- "$tmp/log"; failed "is not silent: $*"; }
}

logged() { grep -q -- "$1" "$tmp/log" || { cat -- "$tmp/log"; failed "does not say: $1"; }; }

# ends CODE FAULT COMMAND...: with that exit code where the package that pretends has that fault
ends() {
    want=$1 fault=$2
    shift 2
    if FAULT=$fault "$@" >"$tmp/log" 2>&1; then code=0; else code=$?; fi
    [ "$code" = "$want" ] || { tail -n 5 "$tmp/log"; failed "$* ends with $code, not $want, with the fault: $fault"; }
}

# The compilers that are here, of gcc and clang; says which is not.
compilers() {
    for cc in gcc clang; do
        if have "$cc"; then echo "$cc"; else echo "skipped: $cc is not installed" >&2; fi
    done
}

cxx_of() { case $1 in gcc) echo g++ ;; *) echo "$1++" ;; esac; }

# fill FILE NAME: product/FILE with NAME filled in, as $tmp/NAME_FILE; prints its path. (problem.h comes along.)
fill() {
    sed "s/NAME/$2/g" "$product/problem.h" >"$tmp/$2_problem.h"
    sed "s/NAME/$2/g" "$product/$1" >"$tmp/$2_$1"
    echo "$tmp/$2_$1"
}

# own_option CC: what kernels are compiled with by gcc alone.
own_option() { ! "$1" --version | grep -q 'Free Software Foundation' || echo -frename-registers; }

# compile CC FLAGS NAME FOLDER: the package's kernels.o and pool.o, as its README.md says for a product without CMake.
compile() {
    mkdir -p -- "$4"
    quiet "$1" -std=gnu11 -O3 -ffp-contract=fast -fexceptions $(own_option "$1") $2 -c "$packages/$3/kernels.c" -o "$4/kernels.o"
    quiet "$1" -std=gnu11 -O1 $2 -c "$packages/$3/pool.c" -o "$4/pool.o"
}

# link CC FLAGS NAME FOLDER PROGRAM SOURCE...: with what `compile` left in FOLDER, or $built/NAME.
link() {
    cc=$1 flags=$2 name=$3 folder=$4 linked=$5
    shift 5
    silent "$cc" -std=gnu11 -O1 -g -Wall -Wextra $flags -I"$packages/$name" -I"$tmp" "$@" "$folder/kernels.o" \
        "$folder/pool.o" -o "$linked" -lm -pthread
}

# can_sanitize CC SANITIZER: do programs built with it run here?
can_sanitize() {
    [ ! -e "$tmp/probed_$1_$2" ] || return 0
    echo 'int main(void) { return 0; }' >"$tmp/probe.c"
    "$1" "-fsanitize=$2" "$tmp/probe.c" -o "$tmp/probe" >/dev/null 2>&1 && "$tmp/probe" >/dev/null 2>&1 && : >"$tmp/probed_$1_$2"
}

# sanitized_runs CC SANITIZERS FLAG NAME PROGRAM...: PROGRAM is a source of product/, or test.c of the package. All at -O0: compiling
# what is instrumented any better, the kernels' unrolled tiles above all, takes longer than running it.
sanitized_runs() {
    cc=$1 flags="-g1 -fsanitize=$2 -fno-sanitize-recover=all $3 -O0" name=$4
    shift 4
    compile "$cc" "$flags" "$name" "$tmp/built"
    for program in "$@"; do
        case $program in
        test.c) source=$packages/$name/test.c ;;
        *) source=$(fill "$program" "$name") ;;
        esac
        link "$cc" "$flags" "$name" "$tmp/built" "$tmp/built/program" "$source"
        quiet env ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 "$tmp/built/program"
    done
}

# main_of NAME...: a program that uses these packages (use.c). Legal C and C++.
main_of() {
    for name in "$@"; do echo "int ${name}_use(void);"; done
    echo 'int main(void) { int wrong = 0;'
    for name in "$@"; do echo "    wrong += ${name}_use();"; done
    echo '    return wrong != 0; }'
}
