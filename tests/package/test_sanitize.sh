#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The packages under the address, undefined behaviour and thread sanitizers: their own test, the edges of the API
# (contract.c), and many callers at once (stress.c). One of them under each sanitizer of gcc and of clang; the others
# under addresses by gcc; the last, whose calls are shared out between threads, under threads by clang.
# ctest: label=thorough timeout=600 fixture=packages
. "$SRC/tests/package/common.sh"

# Kernels at -O0: compiling all their instrumented, unrolled tiles any better takes half a minute.
# sanitized_runs CC SANITIZERS NAME PROGRAM...: PROGRAM is a source of product/, or test.c of the package.
sanitized_runs() {
    cc=$1 flags="-g -O0 -fsanitize=$2 -fno-sanitize-recover=all" name=$3
    shift 3
    compile "$cc" "$flags" "$name" "$tmp/built"
    for program in "$@"; do
        case $program in
        test.c) source=$packages/$name/test.c ;;
        *) source=$(fill "$program" "$name") ;;
        esac
        link "$cc" "$flags" "$name" "$tmp/built" "$source"
        quiet "$tmp/built/program"
    done
}

export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
ran=0
if have gcc && have clang; then others=yes; else others=no; fi
for cc in $(compilers); do
    for sanitizers in address,undefined thread; do
        if ! can_sanitize "$cc" "$sanitizers"; then
            echo "skipped: $cc cannot build and run with -fsanitize=$sanitizers here"
            continue
        fi
        case $cc,$sanitizers,$others in
        gcc,address* | *,no) some=$names ;;
        clang,thread*) some=${names##*[!a-z_]} ;;
        *) some=${names%%[!a-z_]*} ;;
        esac
        ran=$((ran + 1))
        for name in $some; do
            case $sanitizers in
            thread) sanitized_runs "$cc" "$sanitizers" "$name" test.c stress.c ;;
            *) sanitized_runs "$cc" "$sanitizers" "$name" test.c stress.c contract.c ;;
            esac
        done
    done
done
[ "$ran" -gt 0 ] || { echo "skipped: no compiler here has sanitizers"; exit 77; }
