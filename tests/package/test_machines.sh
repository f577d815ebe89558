#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Packages on other machines, emulated: a 64-bit ARM, an x86 of 32 bits, and an s390x, whose bytes lie the other way round. The
# package's own test, the edges of its API (contract.c) and many callers at once (stress.c). All but x86 have the portable kernels alone.
# ctest: label=thorough timeout=1500 fixture=packages
. "$SRC/tests/package/common.sh"
names='pkg_a pkg_d' # one that packs, with an epilogue, and one that does not, for threads

# A 64-bit x86 runs the code of 32 bits itself.
case $(uname -m) in x86_64) i386=env ;; *) i386=qemu-i386 ;; esac
machines="
aarch64-linux-gnu-gcc|qemu-aarch64
i686-linux-gnu-gcc|$i386
s390x-linux-gnu-gcc|qemu-s390x
"
ran=0
for machine in $machines; do
    cc=${machine%|*} emulator=${machine#*|}
    if ! have "$cc" || ! have "$emulator"; then
        echo "skipped: $cc or $emulator is not installed"
        continue
    fi
    ran=$((ran + 1))
    for name in $names; do
        compile "$cc" '-Wall -Wextra -Wconversion -Wsign-conversion -Werror' "$name" "$tmp/$cc"
        for program in "$packages/$name/test.c" "$(fill contract.c "$name")" "$(fill stress.c "$name")"; do
            link "$cc" -static "$name" "$tmp/$cc" "$tmp/$cc/program" "$program"
            quiet "$emulator" "$tmp/$cc/program"
        done
        link "$cc" -static "$name" "$tmp/$cc" "$tmp/$cc/program" "$(fill which.c "$name")"
        quiet "$emulator" "$tmp/$cc/program"
        case $cc in i686*) ;; *) ! grep -v '^[a-z_]* portable ' "$tmp/log" || failed "$cc: others than portable kernels" ;; esac
    done
done
[ "$ran" -gt 0 ] || { echo "skipped: no cross compiler is installed"; exit 77; }
