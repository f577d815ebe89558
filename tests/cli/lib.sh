# SPDX-License-Identifier: Apache-2.0
#
# What the end-to-end tests share; sourced first. Makes a temporary folder, goes there, and removes it at the end. The dcgen that is
# tested is an installation of its own in $tmp/inst, whose only template compiles at once (templates/dense/plain.c): a run
# takes a second. dcgen's temporary folders go to $tmp/scratch. What `gcc` compiles for dcgen is kept in $BIN/tests/cli: the next test that
# searches among the same kernels does not compile them again.
#
#   dcgen ARGUMENT...     the program          run CODE ARGUMENT...   runs it; its exit code must be CODE
#   out, err              files with what the last `run` said
set -eu
: "${DCGEN:?the program to test}" "${SRC:?the source tree}" "${BIN:?the build folder}"

tmp=$(mktemp -d)
tmp=$(CDPATH='' cd -- "$tmp" && pwd -P)
pids= out=$tmp/log/out err=$tmp/log/err

# A read-only file system that a test mounted is gone with the test's own name space.
cleanup() {
    code=$?
    for pid in $pids $(started | sed 's|/proc/||; s|/.*||'); do
        kill -KILL "$pid" 2>/dev/null || :
    done
    cd /
    rm -rf -- "$tmp" || :
    exit $code
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

mkdir "$tmp/work" "$tmp/scratch" "$tmp/log" "$tmp/inst" "$tmp/inst/bin" "$tmp/inst/share" "$tmp/inst/share/dcgen" \
    "$tmp/inst/share/dcgen/templates" "$tmp/inst/share/dcgen/templates/dense"
export TMPDIR="$tmp/scratch"
cp "$DCGEN" "$BIN/dcgen-runner-c" "$tmp/inst/bin"
for folder in targets family package vector device; do
    cp -R "$SRC/templates/$folder" "$tmp/inst/share/dcgen/templates"
done
for file in op.cfg reference.c pack.c; do
    cp "$SRC/templates/dense/$file" "$tmp/inst/share/dcgen/templates/dense"
done
cp "$SRC/tests/cli/templates/dense/plain.c" "$tmp/inst/share/dcgen/templates/dense"
dcgen=$tmp/inst/bin/dcgen
runner=$tmp/inst/bin/dcgen-runner-c
cd "$tmp/work"

# program FILE: an executable script, its text on stdin
program() {
    { echo '#!/bin/sh'; cat; } >"$1"
    chmod +x "$1"
}

# A text that dcgen compiles includes nothing of ours: it and the flags before -o say what becomes of it.
real_gcc=$(command -v gcc)
mkdir -p "$tmp/tools" "$BIN/tests/cli"
find "$BIN/tests/cli" -type f -mmin +600 -delete 2>/dev/null || : # other tests rename files meanwhile
program "$tmp/tools/gcc" <<CC
case "\$*" in *' -o '*/dcgen-[0-9]*-*/*.s\ * | *' -o '*/dcgen-[0-9]*-*/*.so\ *) ;; *) exec "$real_gcc" "\$@" ;; esac
for source; do [ "\$last" != -o ] || product=\$source; last=\$source; done
made=\$({ echo "$(gcc -dumpfullversion) \${*%%-o *}"; cat "\$source"; } | sha256sum)
made="$BIN/tests/cli/"\${made%% *}.\${product##*.}
cp "\$made" "\$product" 2>/dev/null && exit
said=\$("$real_gcc" "\$@" 2>&1) || { code=\$?; printf '%s\n' "\$said" >&2; exit \$code; }
[ -z "\$said" ] || { printf '%s\n' "\$said" >&2; exit 0; }
{ cp "\$product" "\$made.\$\$" && mv "\$made.\$\$" "\$made"; } 2>/dev/null || :
CC
PATH=$tmp/tools:$PATH

# install_cuda: what CUDA targets need besides; their only template is tests/cli/templates/dense/plain.cu
install_cuda() {
    share=$tmp/inst/share/dcgen/templates
    cp "$SRC/templates/dense/library.cu" "$share/dense"
    cp "$SRC/tests/cli/templates/dense/plain.cu" "$share/dense"
}

failed() {
    echo "FAILED: $*"
    for file in "$out" "$err"; do
        [ ! -s "$file" ] || { echo "--- $file"; head -c 4000 "$file"; }
    done
    exit 1
}
section() { echo "== $*"; }
skipped() { echo "skipped: $*"; }

# write_spec FILE [LINE]: a workload of four tiny shapes; LINE is added at the end
write_spec() {
    cat >"$1" <<SPEC
name   = "tiny";
op     = "dense";
dtype  = "f32";
dims   = { T = { min = 1; max = 4; }; };
shapes = ( { M = "T"; N = 24; K = 16; } );
layout = { W = "NK"; };
budget = { kernels = 2; trials = ${TRIALS:-3}; seconds = ${BUDGET_S:-20}; };
${2:-}
SPEC
}

# run CODE ARGUMENT...
run() {
    want=$1 out=$tmp/log/out err=$tmp/log/err
    shift
    got=0
    "$dcgen" "$@" >"$out" 2>"$err" </dev/null || got=$?
    [ "$got" -eq "$want" ] || failed "exit code $got, not $want: dcgen $*"
    ! grep -qE 'Sanitizer|runtime error' "$err" || failed "sanitizer: dcgen $*"
}

# start NAME ARGUMENT...: in the background; finish NAME CODE: waits for it, then out and err are of that run
start() {
    name=$1
    shift
    { code=0; "$dcgen" "$@" >"$tmp/log/$name.out" 2>"$tmp/log/$name.err" </dev/null || code=$?; echo $code >"$tmp/log/$name.code"; } &
    pids="$pids $!"
}
finish() {
    tries=0
    while [ ! -s "$tmp/log/$1.code" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || failed "$1 does not end"
        sleep 0.1
    done
    out=$tmp/log/$1.out err=$tmp/log/$1.err
    [ "$(cat "$tmp/log/$1.code")" -eq "$2" ] || failed "$1: exit code $(cat "$tmp/log/$1.code"), not $2"
}

# said TEXT: the last run said it on stderr
said() { grep -qF -- "$1" "$err" || failed "stderr does not say: $1"; }
said_first() { head -n1 "$err" | grep -qF -- "$1" || failed "the first line of stderr does not say: $1"; }
not_said() { ! grep -qF -- "$1" "$err" || failed "stderr says: $1"; }

absent() {
    for path; do
        [ ! -e "$path" ] || failed "$path was made"
    done
}

# whole DIR [NAME]: a package with every file, whose kernels compile
whole() {
    for file in kernels.c dispatch.h "${2:-tiny}.h" CMakeLists.txt README.md spec.cfg records.jsonl report.html regret.json test.c bench.c pool.c MANIFEST; do
        [ -s "$1/$file" ] || failed "$1/$file is missing"
    done
    gcc -std=gnu17 -fsyntax-only -I"$1" "$1/kernels.c" "$1/test.c" || failed "$1 does not compile"
}

# nothing_left [DIR]: no temporary folder, no half-written package, no process
nothing_left() {
    left=$(ls -A "$tmp/scratch")
    [ -z "$left" ] || failed "left in TMPDIR: $left"
    left=$(find "${1:-.}" -maxdepth 3 -name '.*.tmp.*' -o -maxdepth 3 -name '.*.old.*')
    [ -z "$left" ] || failed "left beside the package: $left"
    no_process
}

# Processes that are dcgen or its runner, or that one of them started. (The brackets keep grep from finding itself.) What lives on does so for
# minutes; what ends has half of one, as the machine may be busy.
started() {
    grep -lz "^$tmp/[i]nst/bin/" /proc/[0-9]*/cmdline 2>/dev/null || :
    grep -lz "^DCGEN_RUN=$tmp/" /proc/[0-9]*/environ 2>/dev/null || :
}
no_process() {
    tries=0
    while left=$(started) && [ -n "$left" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || failed "still running: $left"
        sleep 0.05
    done
}

lines() { grep -c "$1" "$2" || :; }
# trials FILE: the lines of kernels of the target that is tuned for; lesser targets' general kernels are recorded too, but they are no trials.
trials() {
    grep '"type":"kernel"' "$1" | grep "\"target\":\"$("$dcgen" check -v tiny.cfg | sed -n 's/^target: \([a-z0-9_]*\) .*/\1/p')\"" || :
}
ntrials() { trials "$1" | grep -c '' || :; }
