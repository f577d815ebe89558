#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# script/bootstrap with a pretended system: stubs of dpkg-query, apt-get, id and sudo that note how they were called.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
mkdir "$tmp/tools" "$tmp/debian"
for tool in grep env sh cat; do
    ln -s "$(command -v "$tool")" "$tmp/tools/$tool"
done

stub() {   # stub NAME: the program's text on stdin
    { echo '#!/bin/sh'; cat; } >"$tmp/debian/$1"
    chmod +x "$tmp/debian/$1"
}
stub apt-get <<STUB
echo "apt-get \$*" >>"$tmp/calls"
STUB
stub sudo <<STUB
echo "sudo \$*" >>"$tmp/calls"
STUB
stub dpkg-query <<STUB
for package; do :; done
grep -qx "\$package" "$tmp/absent" && exit 1
printf installed
STUB
stub apt-cache <<STUB
exit 1
STUB
stub id <<STUB
cat "$tmp/uid"
STUB

failed() { echo "FAILED: $1"; cat "$tmp/output"; exit 1; }

# run_bootstrap PATH CODE ARGUMENT...: its output goes to $tmp/output, the calls it made to $tmp/calls
run_bootstrap() {
    path=$1 expected=$2
    shift 2
    : >"$tmp/calls"
    code=0
    PATH=$path "$tmp/tools/sh" "$SRC/script/bootstrap" "$@" >"$tmp/output" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || failed "exit code $code, not $expected"
}
calls_are() { [ "$(cat "$tmp/calls")" = "$1" ] || { cat "$tmp/calls"; failed "other calls than: $1"; }; }
says() { grep -qF -- "$1" "$tmp/output" || failed "does not say: $1"; }

debian=$tmp/debian:$tmp/tools
echo 0 >"$tmp/uid"

# everything there: nothing is contacted, nothing is said
: >"$tmp/absent"
run_bootstrap "$debian" 0 --tests --bench
calls_are ''
[ ! -s "$tmp/output" ] || failed "not silent"

# only what is missing, and only of the groups asked for
printf '%s\n' libjansson-dev cmake libcmocka-dev libdnnl-dev >"$tmp/absent"
run_bootstrap "$debian" 0
calls_are 'apt-get update -q
apt-get install -y -q --no-install-recommends cmake libjansson-dev'
says 'installing by apt-get: cmake libjansson-dev'
run_bootstrap "$debian" 0 --tests
calls_are 'apt-get update -q
apt-get install -y -q --no-install-recommends cmake libjansson-dev libcmocka-dev'

# not root: by sudo; without sudo: the command to run
echo 1000 >"$tmp/uid"
run_bootstrap "$debian" 0
grep -q '^sudo -- apt-get update' "$tmp/calls" || failed "no sudo"
rm "$tmp/debian/sudo"
run_bootstrap "$debian" 3
calls_are ''
says 'as root, run: apt-get install cmake libjansson-dev'

# apt-get that fails
echo 0 >"$tmp/uid"
stub apt-get <<STUB
exit 100
STUB
run_bootstrap "$debian" 3
says 'apt-get could not install: cmake libjansson-dev'

# neither Debian nor Ubuntu: what is missing, by what it provides
run_bootstrap "$tmp/tools" 3
says 'neither Debian nor Ubuntu'
says 'Jansson: JSON'

run_bootstrap "$debian" 2 --everything
says "unknown option '--everything'"
