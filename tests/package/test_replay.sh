#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The same spec and records give the same package, byte for byte and with the same modes: as generate wrote it, again (from the package's own
# spec and records: test_readme.sh); in another folder, time zone, language (one with decimal commas too) and environment, with another umask (but for the
# modes), on fewer cores, on other CPUs, twice at the same time; with the records' lines and the folders' entries in other orders.
# With THOROUGH all of it for every package, emulation for one that packs and one that does not; else most of it for these two.
# ctest: thorough timeout=300 cost=15 fixture=packages
. "$SRC/tests/package/common.sh"
two='pkg_b pkg_d' some=$two # one that packs and one that does not
if [ -n "${THOROUGH:-}" ]; then some=$names; fi

modes() { (cd "$1" && find . -exec stat -c '%A %n' {} + | sort); }
same() { quiet diff -r "$packages/$1" "$2"; }

replayed() {   # replayed NAME SPEC RECORDS WHAT [COMMAND...]: replays into $tmp/NAME/WHAT, by COMMAND, and compares
    of=$1 by_spec=$2 by_records=$3 out=$tmp/$1/$4
    shift 4
    mkdir -p "$tmp/$of"
    quiet "$@" "${dcgen:-$DCGEN}" replay "$by_spec" --records "$by_records" --out "$out"
    same "$of" "$out"
    if [ "$(umask)" = "$umask" ] && [ "$(modes "$out")" != "$(modes "$packages/$of")" ]; then failed "$out: other modes"; fi
    rm -rf -- "$out"
}
umask=$(umask)

# A language that writes 0,5 for 0.5, and has all else as C.
mkdir "$tmp/locale"
{
    printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n'
    for category in CTYPE COLLATE MONETARY TIME MESSAGES; do printf 'LC_%s\ncopy "POSIX"\nEND LC_%s\n' $category $category; done
} >"$tmp/comma"
localedef -c -i "$tmp/comma" -f ANSI_X3.4-1968 "$tmp/locale/comma" >/dev/null 2>&1 || :
[ "$(LOCPATH="$tmp/locale" LC_ALL=comma locale decimal_point 2>/dev/null)" = , ] || echo "skipped: no locale with decimal commas can be made"

# dcgen and its templates as installed; readdir gives the entries of every folder in the opposite order.
reversed=$tmp/reversed
mkdir -p "$reversed/bin" "$reversed/share/dcgen"
cp "$DCGEN" "$reversed/bin"
cp -R "$SRC/templates" "$reversed/share/dcgen"
cat >"$tmp/readdir.c" <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <string.h>
static struct dirent entry[1024];
static DIR *of;
static int left;
struct dirent *readdir(DIR *stream)
{
    struct dirent *(*next)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir"), *e;
    if (stream != of || left == 0)
        for (of = stream, left = 0; left < 1024 && (e = next(stream)); left++)
            memcpy(&entry[left], e, e->d_reclen);
    return left ? &entry[--left] : NULL;
}
C
quiet cc -shared -fPIC "$tmp/readdir.c" -o "$tmp/readdir.so" -ldl

for name in $names; do
    spec=$SRC/tests/package/spec/$name.cfg records=$packages/$name.jsonl
    replayed "$name" "$spec" "$records" 'with a blank/and "quotes"/é'
    # shellcheck disable=SC2012 # the names are dcgen's own
    [ "$(ls "$packages/$name" | grep -c '')" -gt 12 ] || failed "$name is no package"
done
for name in $some; do
    spec=$SRC/tests/package/spec/$name.cfg records=$packages/$name.jsonl

    (
        mkdir "$tmp/else where" && cd "$tmp/else where"
        cp "$spec" here.cfg
        cp "$records" here.jsonl
        export TZ=Pacific/Auckland LOCPATH="$tmp/locale" LC_ALL=comma LANG=comma HOME=/nonexistent TERM=dumb SOURCE_DATE_EPOCH=1
        umask 077
        replayed "$name" here.cfg here.jsonl masked
    )
    rm -rf "$tmp/else where"
    one_core=
    if have taskset; then one_core="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')"; fi
    # shellcheck disable=SC2086 # a command
    replayed "$name" "$spec" "$records" bare $one_core env -i PATH="$PATH"
    awk 'BEGIN { srand(1) } { print rand() "\t" $0 }' "$records" | sort -k1,1g | cut -f2- >"$tmp/shuffled.jsonl"
    ! cmp -s "$records" "$tmp/shuffled.jsonl" || failed "not shuffled"
    (dcgen=$reversed/bin/dcgen; replayed "$name" "$spec" "$tmp/shuffled.jsonl" reversed env LD_PRELOAD="$tmp/readdir.so")
    quiet "$DCGEN" generate --offline "$spec" --records "$records" --out "$tmp/$name/offline"
    same "$name" "$tmp/$name/offline"

    "$DCGEN" replay "$spec" --records "$records" --out "$tmp/$name/left" >/dev/null & left=$!
    "$DCGEN" replay "$spec" --records "$records" --out "$tmp/$name/right" >/dev/null & right=$!
    wait $left || failed "$name: the first of two at once"
    wait $right || failed "$name: the second of two at once"
    same "$name" "$tmp/$name/left"
    same "$name" "$tmp/$name/right"
done

# Other CPUs: OpenBLAS, which solves the model's least squares, and the C library choose other code there.
for name in $some; do
    spec=$SRC/tests/package/spec/$name.cfg records=$packages/$name.jsonl
    case $(uname -m) in
        x86_64)
            for core in ${THOROUGH:+Haswell} Prescott; do
                replayed "$name" "$spec" "$records" "$core" env OPENBLAS_CORETYPE=$core \
                    GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F
            done
            case "${THOROUGH:+ $two }" in *" $name "*) ;; *) continue ;; esac # it takes ten times as long there
            if have qemu-x86_64; then
                replayed "$name" "$spec" "$records" nehalem env -u OPENBLAS_CORETYPE qemu-x86_64 -cpu Nehalem
            else
                echo "skipped: qemu-x86_64 is not installed" >&2
            fi ;;
        *) echo "skipped: other x86-64 cores, on $(uname -m)" >&2 ;;
    esac
done

# Along the curve of budgets without a measurement: what fewer kernels give is what the full package said of them.
point() { tr -d ' \n' <"$1" | sed 's/.*"curve":\[\([^]]*\)\].*/\1/; s/},{/}\n{/g' | sed -n "$2"; }   # point FILE SED-COMMAND
for name in $some; do
    "$DCGEN" replay "$packages/$name/spec.cfg" --records "$packages/$name/records.jsonl" --out "$tmp/full" --json >"$tmp/full.json"
    most=$(point "$tmp/full.json" '/"kept":true/p' | sed 's/.*"kernels":\([0-9]*\).*/\1/')
    for n in $(seq "$most"); do
        "$DCGEN" replay "$packages/$name/spec.cfg" --records "$packages/$name/records.jsonl" --kernels "$n" --out "$tmp/few" \
            --no-report --json >"$tmp/few.json"
        said=$(point "$tmp/full.json" "${n}p" | sed 's/,"kept".*//') got=$(point "$tmp/few.json" '/"kept":true/p' | sed 's/,"kept".*//')
        [ -n "$got" ] && [ "$got" = "$said" ] || failed "$name with $n kernels: $got, not $said"
        [ "$(grep -c "^/\* Kernel [0-9]*: [a-z_]* avx512" "$tmp/few/kernels.c" || :)" -le "$n" ] || failed "$name has more than $n kernels"
        rm -rf "${tmp:?}/few"
    done
    rm -rf "${tmp:?}/full"
done
