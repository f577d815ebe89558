#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow
#
# The output folder: what may not be replaced, cannot be written, or is full. Told before the search; a former package stays whole.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg

section a package, and again
run 0 tiny.cfg
whole out/tiny
nothing_left
grep -q '^tiny: ' "$out" || failed "no summary"
cp -R out/tiny before
same() { diff -r before out/tiny >/dev/null || failed "the former package changed"; }
cp out/tiny.records.jsonl records
records_same() { cmp -s records out/tiny.records.jsonl || failed "the records changed"; }

# refused TEXT ARGUMENT...: before anything is measured
refused() {
    text=$1
    shift
    run 3 "$@"
    said_first "$text"
    [ ! -s "$out" ] || failed "something on stdout"
    not_said search:
    nothing_left
}

section in the way
echo mine >file
refused "'file' is not a folder" -o file tiny.cfg
[ "$(cat file)" = mine ] || failed "the file was touched"
mkdir foreign
echo mine >foreign/file
refused "'foreign' holds other files and is not a dcgen package" -o foreign tiny.cfg
[ "$(ls -A foreign)" = file ] || failed "the folder was touched"
refused "'.' holds other files" -o . tiny.cfg
ln -s foreign link
refused "'link' holds other files" -o link tiny.cfg
refused "cannot write a folder in 'file'" -o file/sub tiny.cfg
refused "'/proc" -o /proc/none/sub tiny.cfg
absent foreign.records.jsonl file.records.jsonl link.records.jsonl

section files of a user in the folder
mkdir out/tiny/.git out/tiny/build out/tiny/empty
echo head >out/tiny/.git/HEAD
echo o >out/tiny/build/x.o
echo mine >out/tiny/notes.txt
mine_is_kept() {
    cat out/tiny/.git/HEAD out/tiny/build/x.o out/tiny/notes.txt >mine 2>/dev/null || failed "$1: files are gone"
    [ "$(tr '\n' ' ' <mine)" = 'head o mine ' ] && [ -d out/tiny/empty ] || failed "$1: files are others"
}
cp -R out/tiny before2
for how in '' replay --offline; do
    # shellcheck disable=SC2086
    refused "'out/tiny' holds what is not the package's: .git/, build/, empty/, notes.txt; move it elsewhere, or give --force" $how tiny.cfg
    diff -r before2 out/tiny >/dev/null || failed "the folder changed"
done
for how in '' replay --offline --fresh; do
    # shellcheck disable=SC2086
    run 0 --force $how -q tiny.cfg
    whole out/tiny
    mine_is_kept "$how --force"
    nothing_left
done
mkdir own
echo mine >own/spec.cfg
echo mine >own/dispatch.h
refused "'own' holds other files and is not a dcgen package (it has no MANIFEST): dispatch.h, spec.cfg; choose" -o own tiny.cfg
run 3 --force --records out/tiny.records.jsonl -o own replay tiny.cfg
said "dispatch.h' in 'own' is none of dcgen's files and in the way of one"
[ "$(cat own/spec.cfg own/dispatch.h)" = "$(printf 'mine\nmine')" ] || failed "the user's files changed"
nothing_left

section records in the folder
refused "--records: 'new/x.jsonl' is in the folder of the package; put it elsewhere" -o new --records new/x.jsonl tiny.cfg
absent new
rm -rf out/tiny/.git out/tiny/build out/tiny/empty out/tiny/notes.txt
refused "--records: 'out/tiny/x.jsonl' is in the folder of the package; put it elsewhere" --records out/tiny/x.jsonl tiny.cfg
refused "--records: 'out/tiny/records.jsonl' is a file of the package itself" --force --records out/tiny/records.jsonl tiny.cfg
refused "--records: 'new/records.jsonl' is a file of the package itself" --force -o new --records new/records.jsonl tiny.cfg
refused "--records: 'out/tiny/kernels.c' is a file of the package itself" --force --records out/tiny/kernels.c tiny.cfg
absent new out/tiny/x.jsonl
run 0 -q --force --records out/tiny/x.jsonl tiny.cfg
whole out/tiny
[ "$(ntrials out/tiny/x.jsonl)" -eq 3 ] || failed "the records in the folder are gone"
cp out/tiny/x.jsonl x.before
run 0 -q --force --records out/tiny/x.jsonl --trials 4 tiny.cfg
[ "$(ntrials out/tiny/x.jsonl)" -eq 4 ] || failed "what was measured is not there"
head -c "$(wc -c <x.before)" out/tiny/x.jsonl | cmp -s - x.before || failed "older records are gone"
run 0 -q --force -o new --records new/x.jsonl tiny.cfg
whole new
[ "$(ntrials new/x.jsonl)" -eq 3 ] || failed "the records in the new folder are gone"
run 0 replay -q -o out/tiny --records out/tiny/records.jsonl --force out/tiny/spec.cfg # a package from itself, in place
rm out/tiny/x.jsonl
run 0 replay -q tiny.cfg
nothing_left
rm -rf before
cp -R out/tiny before
cp out/tiny.records.jsonl records

section read-only
mkdir ro
if [ "$(id -u)" -ne 0 ]; then
    chmod 555 ro
    refused "cannot write a folder in 'ro': Permission denied" -o ro/x tiny.cfg
    chmod 755 ro
elif unshare -m true 2>/dev/null; then
    # As root, permissions do not stop anybody: a read-only mount does.
    cat >ro.sh <<RO
mount -t tmpfs -o ro none ro
exec "\$@"
RO
    code=0
    unshare -m sh ro.sh "$dcgen" -o ro/x tiny.cfg >"$out" 2>"$err" || code=$?
    [ $code -eq 3 ] || failed "exit code $code"
    said_first "cannot write a folder in 'ro': Read-only file system"
    not_said search:
else
    skipped "read-only output: root here, and no name space of mounts to be had"
fi
nothing_left

section a full disk
# The files of the package may not grow beyond 4 KiB: its writing fails in the middle.
code=0
(ulimit -f 8; exec "$dcgen" replay --no-report tiny.cfg) >"$out" 2>"$err" || code=$?
[ $code -eq 3 ] || failed "exit code $code"
said "of the package 'out/tiny': File too large"
same
records_same
nothing_left
if unshare -m true 2>/dev/null; then
    cat >full.sh <<'FULL'
dcgen=$1
mount -t tmpfs -o size=400k none full
"$dcgen" -q -o full/tiny tiny.cfg || exit 1
cp -R full/tiny first
while cat first/report.html >>full/ballast; do :; done 2>/dev/null
code=0
"$dcgen" -o full/tiny --trials 5 --fresh tiny.cfg || code=$?
diff -r first full/tiny && ls -A full && exit $code
FULL
    mkdir full
    code=0
    unshare -m sh full.sh "$dcgen" >"$out" 2>"$err" || code=$?
    [ $code -eq 3 ] || failed "exit code $code on a full disk"
    said 'No space left on device'
    [ "$(cat "$out" | tr '\n' ' ')" = 'ballast tiny tiny.records.jsonl tiny.records.jsonl~ ' ] || failed "other files are there"
    nothing_left
else
    skipped "a full disk: no name space of mounts to be had"
fi

section names with blanks and UTF-8, elsewhere
mkdir "a b" "ü €"
cp tiny.cfg "ü €/wörk load.cfg"
run 0 -q -o "a b/pä ckage" "ü €/wörk load.cfg"
whole "a b/pä ckage"
[ ! -s "$out" ] || failed "-q is not quiet"
TMPDIR="$tmp/scratch/ä b"
mkdir "$TMPDIR"
run 0 -q --fresh -o "a b/pä ckage" "ü €/wörk load.cfg"
rmdir "$TMPDIR" || failed "TMPDIR is not empty"
TMPDIR=$tmp/scratch
nothing_left

section over a package, and through a link
ln -s "a b/pä ckage" linked
run 0 -q --records out/tiny.records.jsonl -o linked/ tiny.cfg
[ -L linked ] || failed "the link was replaced"
whole linked
(cd out/tiny && code=0 && "$dcgen" --offline --records ../tiny.records.jsonl -o . ../../tiny.cfg 2>"$err" || code=$?
 [ "$code" -eq 3 ]) || failed "the current folder was replaced"
said 'current folder'
same
