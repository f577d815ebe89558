#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow
#
# The record file in every bad state. What is good in it is used and kept, byte by byte; the rest is said, and left alone.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
run 0 tiny.cfg
records=out/tiny.records.jsonl
cp $records good
nline=$(wc -l <good)

# again CODE ARGUMENT...: with what is in the record file now
again() { want=$1; shift; run "$want" "$@" tiny.cfg; nothing_left; }

section every time stands beside the time of the anchor
anchor=$(trials good | sed -n '1s/.*"key":"\([^"]*\)".*/\1/p')
grep '"type":"measure"' good | grep -v '"ns":\[\]' >timed
[ -s timed ] || failed "nothing was timed"
! grep -q '"anchor_ns":0[.0]*,' timed || failed "timed alone: $(grep -m1 '"anchor_ns":0[.0]*,' timed)"
# Its least sample; less where something disturbed the machine: then it is what the anchor takes at rest.
grep "\"key\":\"$anchor\"" timed | sed 's/.*"ns":\[\([^]]*\)\].*"anchor_ns":\([^,]*\),.*/\2,\1/' |
    awk -F, '{ least = $2; for (i = 3; i <= NF; i++) if ($i + 0 < least + 0) least = $i }
        $1 + 0 > least + 0 { wrong = 1 } $1 + 0 == least + 0 { same++ } END { exit wrong || !same }' ||
    failed "the anchor is not its own measure"

section a torn last line
{ cat good; head -n3 good | tail -n1 | head -c 100; } >$records
again 0
said "$records:$((nline + 1)): warning: the last line is torn and is dropped"
head -c "$(wc -c <good)" $records | cmp -s - good || failed "good records are gone"
again 0 --trials 4
[ "$(tail -c 1 $records | od -An -c | tr -d ' ')" = '\n' ] || failed "the last line is torn"
again 0
not_said warning

section a last line without its newline
head -c -1 good >$records
again 0 --trials 4
not_said warning
head -c "$(wc -c <good)" $records | cmp -s - good || failed "the line was lost"

section another version, and lines that are not records
{ sed '2s/"v":1/"v":999/' good; echo 'hello'; echo '{"v":1,"type":"kernel"}'; echo '[]'; } >$records
cp $records before
again 0
said '1 line of another schema version ignored'
said '3 unreadable lines ignored'
[ "$(lines 'unreadable lines ignored' "$err")" -eq 1 ] || failed "said twice"
head -c "$(wc -c <before)" $records | cmp -s - before || failed "the lines were not left alone"
again 0 --offline
said '3 unreadable lines ignored'

section another machine
sed 's/"\(device\|id\)":"[0-9a-f]*"/"\1":"0123456789abcdef"/' good >$records
cp $records before
again 0
head -c "$(wc -c <before)" $records | cmp -s - before || failed "its records are gone"
[ "$(lines '"type":"device"' $records)" -eq 2 ] || failed "this machine is not recorded beside the other"
! grep -q 0123456789abcdef out/tiny/records.jsonl || failed "the package is of the other machine's records"

section much of another machine, little of this one
rm $records
run 0 --trials 1 tiny.cfg
for i in 1 2 3; do sed 's/"\(device\|id\)":"[0-9a-f]*"/"\1":"0123456789abcdef"/' good; done >>$records
again 0 --trials 1
! grep -q 0123456789abcdef out/tiny/records.jsonl || failed "the package is of the other machine's records"

section another compiler
cat >cc <<'CC'
#!/bin/sh
[ "$1" != --version ] || { echo 'gcc (of another kind) 99'; exit; }
exec gcc "$@"
CC
chmod +x cc
cp good $records
again 0 --cc "$tmp/work/cc"
[ "$(ntrials $records)" -eq 6 ] || failed "times of one compiler were taken for another's"
grep -q 'of another kind' out/tiny/records.jsonl || failed "the package names the wrong compiler"

section another spec
[ "$(lines '"type":"spec"' good)" -eq 1 ] || failed "the records do not say which spec they are of, once"
write_spec other.cfg 'accuracy = 4;'
run 1 replay other.cfg --records good -o x
said "kernels of spec 'tiny', which has accuracy = 1.0 (here 4.0)"
absent x
cp good $records
run 0 other.cfg --records $records -o x
[ "$(lines '"type":"spec"' $records)" -eq 2 ] || failed "the other spec is not recorded"
grep '"type":"spec"' x/records.jsonl | grep -v '"accuracy":4.0' && failed "the package's records name another spec"
rm -rf x
grep -v '"type":"spec"' good >old
run 1 replay other.cfg --records old -o x
said 'the records do not say which'
run 0 replay tiny.cfg --records old -o x
grep -q '"type":"spec"' x/records.jsonl || failed "the package's records do not say which spec they are of"
rm -rf x
cp good $records

section hostile lines
{
    cat good
    head -c 100000 /dev/zero | tr '\0' '['
    echo
    head -c 3000000 /dev/zero
    echo
    printf '{"v":1,"type":"device","id":"../../etc","name":"\033[2J\033]0;x\007"}\n'
    sed -n 's/"M[A-Z]*":[0-9]*/"MB":99999999999999999999/p' good | head -n1
    sed -n 's/"ns":\[[^]]*/&,1e-300,1e308/p' good | head -n1
    sed -n 's/"template":"plain"/"template":"..\/..\/x"/p' good | head -n1
} >$records
cp $records before
again 0
said 'unreadable lines ignored'
! LC_ALL=C grep -q "$(printf '\033')" "$err" || failed "escape sequences reach the terminal"
head -c "$(wc -c <before)" $records | cmp -s - before || failed "the lines were not left alone"

section records of invented kernels
# A record whose key does not follow from its contents is of no use.
sed 's/"key":"[0-9a-f]*"/"key":"00000000000000000000000000000000"/' good >$records
again 0 --trials 3
grep -q '"key":"[0-9a-f]*[1-9a-f]' $records || failed "nothing was measured"
! grep -q 00000000000000000000000000000000 out/tiny/records.jsonl || failed "the package has records of an invented key"

section not a record file
echo 'my diary' >diary
run 3 --records diary -o x tiny.cfg
said 'diary: not a record file'
[ "$(cat diary)" = 'my diary' ] || failed "it was changed"
mkdir folder

section neither a file nor a link to one
# no_file ARGUMENT...: the last of them is none
no_file() {
    timeout 60 "$dcgen" "$@" tiny.cfg >"$out" 2>"$err" && code=0 || code=$?
    [ $code -eq 3 ] || failed "exit code $code: $*"
    for name; do :; done
    said "dcgen: $name: not a regular file"
}
mkfifo fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
for path in fifo socket folder /dev/null /dev/full; do
    ln -sfn "$path" link
    for row in "-o x --records $path" '-o x --records link'; do no_file $row; done
done
for how in '-o x --offline' '-o x --fresh' '-o x replay' '--dump records'; do no_file $how --records fifo; done
absent x
: >empty
run 1 --offline --records empty -o x tiny.cfg
run 0 --records empty -o x tiny.cfg
whole x

section read-only
cp good $records
chmod 444 $records
if [ "$(id -u)" -ne 0 ]; then
    again 3
    said "$records: Permission denied"
elif unshare -m true 2>/dev/null; then
    code=0
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" tiny.cfg' sh $records "$dcgen" >"$out" 2>"$err" ||
        code=$?
    [ $code -eq 3 ] || failed "exit code $code"
    said "$records: Read-only file system"
else
    skipped "read-only records: root here, and no name space of mounts to be had"
fi
run 0 --offline --records $records -o x tiny.cfg
cmp -s good $records || failed "the records changed"
chmod 644 $records

section --fresh keeps the old file beside the new one
cp good $records
again 0 --fresh
cmp -s good "$records~" || failed "the old records are gone"
[ "$(ntrials $records)" -eq 3 ] || failed "the new ones are not new"

section the package from its own records
cp -R out/tiny first
run 0 --offline --records first/records.jsonl -o second tiny.cfg
diff -r first second || failed "another package"
