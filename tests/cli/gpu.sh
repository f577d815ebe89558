# SPDX-License-Identifier: Apache-2.0
#
# What the tests of script/gpu share; sourced. Makes $tmp, which is removed at the end; $failed is their exit code.
#
#   run CODE ARGUMENT...   $gpu; what it says goes to $tmp/said
#   said TEXT              it has said so
set -u

python=$(python3 -S -c 'import sys; print(sys.executable); sys.exit(sys.version_info < (3, 8))' 2>/dev/null) || { echo "skipped: no Python 3.8"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
export TMPDIR="$tmp"
gpu=$SRC/script/gpu
failed=0
: >"$tmp/said"

fail() { echo "FAILED: $*"; sed 's/^/    /' "$tmp/said"; failed=1; }
program() { cat >"$1"; chmod +x "$1"; }
# Python alone, without packages, which a borrowed machine lacks; and without what may be in its place in PATH, a script that looks for it.
mkdir "$tmp/bin"
program "$tmp/bin/python3" <<PYTHON
#!/bin/sh
exec "$python" -S "\$@"
PYTHON
PATH=$tmp/bin:$PATH
run() {
    want=$1
    shift
    code=0
    "$gpu" "$@" >"$tmp/said" 2>&1 || code=$?
    [ $code -eq "$want" ] || fail "gpu $*: exit code $code, not $want"
}
said() { grep -q -e "$1" "$tmp/said" || fail "not said: $1"; }
wrote() { grep -q -e "$2" "$1" 2>/dev/null || fail "$1 has no $2"; }
summary() { grep -q -e "$1" "$out/summary.txt" || { fail "the summary has no: $1"; cat "$out/summary.txt"; }; }
# begun FILE [PATTERN]: waits until the file is there and has it
begun() {
    tries=0
    until grep -q -e "${2:-.}" "$1" 2>/dev/null || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
    [ $tries -le 600 ] || fail "$1 has no ${2:-line}"
}
