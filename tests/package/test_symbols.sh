#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the object files of a package bring into a product: external symbols that begin with the package's name and no
# other kind, no variable that could be written, no allocation outside the pool. And several packages in one program.
# ctest: timeout=120 fixture=packages cost=10
. "$SRC/tests/package/common.sh"
names='pkg_a pkg_d' # one that packs, with an epilogue, and one that does not, for threads

have nm && have objdump || { echo "skipped: nm and objdump (binutils) are not installed"; exit 77; }

# "TYPE NAME" of what an object file defines for others to see.
defined() { nm -g --defined-only --portability "$1" | awk '{ print $2, $1 }'; }
needed() { nm -u --portability "$1" | awk '{ print $1 }'; }
size_of() { objdump -h "$1" | awk -v section="$2" '$2 == section && $3 !~ /^0*$/ { print section, $3 }'; }

none() {   # none WHAT LIST: nothing may be in it
    [ -z "$2" ] || failed "$1: $2"
}

check_object() {   # check_object NAME OBJECT
    none "$2: symbols without the prefix" "$(defined "$2" | awk -v n="$1" '$2 != n && index($2, n "_") != 1')"
    none "$2: symbols that are no functions or constants" "$(defined "$2" | awk '$1 !~ /^[TR]$/')"
    for section in .data .bss .tdata .tbss; do
        none "$2: variables" "$(size_of "$2" $section)"
    done
}

# The functions that the package's headers declare.
declared() {
    grep -ohE "\\b$1(_[a-z_]+)?\\(" "$packages/$1/$1.h" "$packages/$1/$1_pool.h" | tr -d '(' | sort -u
}

check_package() {   # check_package NAME FOLDER
    check_object "$1" "$2/kernels.o"
    check_object "$1" "$2/pool.o"
    none "$1: kernels.c allocates, prints or ends the program" \
        "$(needed "$2/kernels.o" | grep -E '^(.*alloc|free|mmap|.*printf|puts|abort|exit)$')"
    { defined "$2/kernels.o"; defined "$2/pool.o"; } >"$tmp/defined"
    for function in $(declared "$1"); do
        grep -qx "T $function" "$tmp/defined" || failed "$function is declared but not defined"
    done
}

for cc in $(compilers); do
    set -- # the parts of the program
    for name in $names; do
        folder=$built/$name
        case $cc in gcc) ;; *) folder=$tmp/$cc/$name && compile "$cc" '-O0 -fPIC -Wall -Wextra' "$name" "$folder" ;; esac
        check_package "$name" "$folder"
        set -- "$@" -I"$packages/$name" "$folder/kernels.o" "$folder/pool.o" "$(fill use.c "$name")"
    done
    main_of $names >"$tmp/main.c"
    silent "$cc" -std=c11 -O1 -Wall -Wextra -I"$tmp" "$@" "$tmp/main.c" -o "$tmp/program" -lm -pthread
    quiet "$tmp/program"
done
