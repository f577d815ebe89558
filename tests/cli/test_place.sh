#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dcgen finds its templates: from a build folder anywhere, without an installation; installed, after the prefix was moved, and called by a
# link. What is installed besides: the man page and the completions, where bash and zsh look for them.
# ctest: label=slow
set -eu
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed() { echo "FAILED: $*"; cat "$tmp/log"; exit 1; }
quiet() { "$@" >"$tmp/log" 2>&1 || failed "$*"; }
spec=$SRC/tests/package/spec/pkg_a.cfg
checks() { (cd / && quiet env -i PATH="$PATH" "$1" check "$spec"); }

# The program is not built again: what CMake lays into a build folder is what matters.
quiet cmake -S "$SRC" -B "$tmp/else where" -DBUILD_TESTING=OFF
mkdir "$tmp/else where/Release"       # as with several configurations
cp "$DCGEN" "$tmp/else where"
cp "$DCGEN" "$tmp/else where/Release"
checks "$tmp/else where/dcgen"
checks "$tmp/else where/Release/dcgen"
cp "$DCGEN" "$tmp"
! "$tmp/dcgen" check "$spec" >"$tmp/log" 2>&1 || failed "templates are found from nowhere"

quiet cmake --install "$BIN" --prefix "$tmp/first"
mkdir "$tmp/links"
mv "$tmp/first" "$tmp/mo ved"
ln -s "$tmp/mo ved/bin/dcgen" "$tmp/links/dcgen"
checks "$tmp/mo ved/bin/dcgen"
checks "$tmp/links/dcgen"
for file in libexec/dcgen/dcgen-runner-c share/man/man1/dcgen.1 share/bash-completion/completions/dcgen \
    share/zsh/site-functions/_dcgen share/doc/dcgen/CHANGELOG.md; do
    [ -s "$tmp/mo ved/$file" ] || failed "$file is not installed"
done
! grep -rlF -e "$SRC" -e "$BIN" "$tmp/mo ved/share" >"$tmp/log" || failed "installed files name folders of this machine"
