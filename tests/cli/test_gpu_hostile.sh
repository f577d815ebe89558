#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=180
#
# script/gpu where its user, the disk or a second one of it does what is not expected: a word that says what is wrong, no
# traceback, nothing lost.
. "$SRC/tests/cli/gpu_fake.sh"
out=$tmp/out
pack=$tmp/pack
on="--pack $pack --work $tmp/work --spec $tmp/good.cfg"
refuses() { # CODE TEXT ARGUMENT...
    want=$1 text=$2
    shift 2
    run "$want" "$@"
    said "$text"
    grep -q Traceback "$tmp/said" && fail "a traceback"
}

echo "0 0" >"$tmp/behaviours"
run 0 pack "$pack" --portable "$tmp/portable" --spec "$tmp/good.cfg" --only f32_NK -j 2

# ---- arguments

PYTHONPATH=$tmp/src/script/gpu.d python3 -B - >"$tmp/said" 2>&1 <<'PY' || fail "numbers"
import contextlib, io, gpu
cases = [(["all", "out", "--minutes", n], f"argument --minutes: '{n}' is no number from 0.01 to 1440") for n in ("0", "-1", "nan", "inf", "1e9", "ten", "")]
cases += [(["pack", "pack", option, "0"], f"{option}: '0' is no number from 1 to") for option in ("--sample", "--trials", "--jobs")]
for argv, text in (*cases, (["plan", "--cores", "1.5"], "cores: '1.5' is no number")):
    code, said = 0, io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            gpu.options(argv)
    except SystemExit as end:
        code = end.code
    assert code == gpu.USAGE and text in said.getvalue(), (argv, code, said.getvalue())
PY
refuses 2 "OUTDIR: the name is empty" all "" $on
refuses 2 "work: the name is empty" all "$out" --work ""
refuses 2 "nowhere.cfg: No such file" all "$out" --pack "$pack" --work "$tmp/work" --spec "$tmp/nowhere.cfg"
refuses 2 "another spec has the name good, too" all "$out" $on --spec "$tmp/good.cfg"
refuses 2 "nowhere.cfg: No such file" pack "$pack" --portable "$tmp/portable" --spec "$tmp/nowhere.cfg"
echo 'name = "a b";' >"$tmp/blank.cfg"
refuses 2 "'a b' is no name for a package" all "$out" $on --spec "$tmp/blank.cfg"
refuses 3 "cannot be OUTDIR and the working folder" all "$out" --pack "$pack" --work "$out"
refuses 3 "$tmp/said: File exists" all "$tmp/said" $on
refuses 3 "$tmp/said/out: Not a directory" all "$tmp/said/out" $on
refuses 3 "$tmp/said/pack: Not a directory" pack "$tmp/said/pack" --portable "$tmp/portable"

# ---- broken files: an archive, a pack, what a runner says

mkdir "$tmp/broken"
echo '{"id":' >"$tmp/broken/manifest.json"
echo hello | tee "$tmp/broken/pack.tgz" >"$tmp/broken/gpu.tgz"
refuses 2 "$tmp/broken/gpu.tgz: Not a gzipped file" all "$out" $on --from "$tmp/broken/gpu.tgz"
refuses 2 "$tmp/broken/gpu.tgz: Not a gzipped file" all "$tmp/broken" $on
refuses 2 "$tmp/broken/gpu.tgz: Not a gzipped file" unpack "$tmp/broken/gpu.tgz"
refuses 2 "$tmp/broken: Is a directory" unpack "$tmp/broken"
refuses 3 "there is no pack in $tmp/broken" check "$out" --pack "$tmp/broken" --work "$tmp/work"
echo '{"id": 1, "sha256": "0"}' >"$tmp/broken/manifest.json"
refuses 3 "$tmp/broken/pack.tgz is not the file that its manifest.json is of" check "$out" --pack "$tmp/broken" --work "$tmp/work"
run 0 check "$out" $on --dry-run # unpacks it
said "gpu: begins anew in $tmp/work"
mv "$tmp/work/pack/bin/dcgen-runner-cuda" "$tmp/runner"
printf '#!/bin/sh\necho hello\n' | program "$tmp/work/pack/bin/dcgen-runner-cuda"
refuses 3 "no GPU: dcgen-runner-cuda says 'hello'" check "$out" $on
mv "$tmp/runner" "$tmp/work/pack/bin/dcgen-runner-cuda"

# ---- OUTDIR that cannot be written: the working folder has everything, and the next call brings it

mkdir "$out/gpu.tgz.part"
refuses 3 "$out is not up to date: .*Is a directory.*; $tmp/work is" all "$out" $on
rmdir "$out/gpu.tgz.part"
before=$(grep -cE '"type": "(check|limits|tune|bench)"' "$tmp/work/results.jsonl")
run 0 all "$out" $on
said "gpu: goes on in $tmp/work"
summary "all is done"
[ "$(tar xzOf "$out/gpu.tgz" results.jsonl | grep -cE '"type": "(check|limits|tune|bench)"')" -eq "$before" ] || fail "done again, or lost"

# ---- nobody listens any more

rm -rf "$out" "$tmp/work/results.jsonl"
"$gpu" all "$out" $on 2>&1 | :
summary "all is done"

# ---- a second one in the same folder; Ctrl-C

work() { # in the background, as from a terminal: a shell's own background ignores Ctrl-C
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$gpu" tune "$out" --pack "$pack" --work "$tmp/work" --spec "$tmp/slow.cfg" >"$tmp/told" 2>&1 &
    pid=$!
    begun "$tmp/slow.pid"
}
work
refuses 3 "another script/gpu is at work in $out" all "$out" --pack "$pack" --work "$tmp/other"
refuses 3 "another script/gpu is at work in $tmp/work" all "$tmp/other" --pack "$pack" --work "$tmp/work"
kill -INT $pid
code=0
wait $pid || code=$?
cp "$tmp/told" "$tmp/said"
[ $code -eq 130 ] || fail "exit code $code, not 130"
said "gpu: interrupted; the same command goes on from here"
grep -q Traceback "$tmp/said" && fail "a traceback"
kill -0 "$(cat "$tmp/slow.pid")" 2>/dev/null && fail "dcgen lives on"
tar xzOf "$out/gpu.tgz" records/fake-gpu/slow.jsonl | grep -q '"n"' || fail "records of the interrupted run are lost"

code=0
flock "$pack.work" "$gpu" pack "$pack" --portable "$tmp/portable" >"$tmp/said" 2>&1 || code=$?
[ $code -eq 3 ] || fail "two packs at once: exit code $code, not 3"
said "another script/gpu is at work in $pack.work"

# ---- a full disk, where we may mount one

if unshare -rm true 2>/dev/null; then
    # full OUTDIR WORK: one of them lies on a disk of 1 MiB
    full() {
        rm -rf "$tmp/full" "$tmp/free"
        mkdir "$tmp/full" "$tmp/free"
        code=0
        unshare -rm sh -c 'mount -t tmpfs -o size=1m tmpfs "$1" && { dd if=/dev/zero of="$1/big" bs=1k 2>/dev/null
            shift; exec "$@"; }' sh "$tmp/full" "$gpu" all "$1" --work "$2" --pack "$pack" --spec "$tmp/good.cfg" >"$tmp/said" 2>&1 || code=$?
        [ $code -eq 3 ] || fail "a full disk: exit code $code, not 3"
        said "No space left on device"
        grep -q Traceback "$tmp/said" && fail "a traceback"
    }
    full "$tmp/free/out" "$tmp/full/work"
    full "$tmp/full/out" "$tmp/free/work"
    grep -q '"type": "complete"' "$tmp/free/work/results.jsonl" || fail "the work does not go on"
else
    echo "skipped: a full disk: nothing can be mounted here"
fi
exit $failed
