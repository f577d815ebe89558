#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a product keeps books of: a package with a version of its own says it everywhere, in the words of each place; find_package heeds it, in the
# package's build folder as in an installation; the licence and the bill of materials are installed, and the bill's hashes are those of the
# files. A version changes no kernel and makes no measurement worthless.
# ctest: fixture=packages
. "$SRC/tests/package/common.sh"
name=pkg_c # the smallest

has() { grep -qF -- "$2" "$1" || failed "$1 does not say: $2"; }

# ---- in the package's files ----
{ echo 'version = "1.4.2-rc.1";'; cat "$packages/$name/spec.cfg"; } >"$tmp/spec.cfg"
package=$tmp/$name
quiet "$DCGEN" replay "$tmp/spec.cfg" --records "$packages/$name/records.jsonl" -o "$package" --no-report
has "$package/$name.h" "#define ${name}_VERSION \"1.4.2-rc.1\""
has "$package/package.json" '"version": "1.4.2-rc.1"'
has "$package/MANIFEST" '# version 1.4.2-rc.1'
has "$package/README.md" "# $name 1.4.2-rc.1"
has "$package/$name.spdx.json" '"versionInfo": "1.4.2-rc.1"'
quiet cmp "$package/records.jsonl" "$packages/$name/records.jsonl"
for file in kernels.c dispatch.h; do quiet cmp "$package/$file" "$packages/$name/$file"; done
quiet "$DCGEN" replay --check "$package"
quiet "$DCGEN" replay "$package/spec.cfg" --records "$package/records.jsonl" -o "$tmp/again" --no-report
quiet diff -r "$package" "$tmp/again"
has "$packages/$name/$name.h" "#define ${name}_VERSION \"$("$DCGEN" --version | sed 's/dcgen //')\"" # of a spec without a version

# ---- the bill of materials, by other programs' hashes ----
listed() { sed -n "s|^ *\"$1\": \"\(.*\)\",*\$|\1|p" "$package/$name.spdx.json"; }
(cd "$package" && sha1sum -- $(listed fileName) | cut -d ' ' -f 1) >"$tmp/sha1"
(cd "$package" && sha256sum -- $(listed fileName) | cut -d ' ' -f 1) >"$tmp/sha256"
listed checksumValue | grep -x '.\{40\}' >"$tmp/said1"
listed checksumValue | grep -x '.\{64\}' >"$tmp/said256"
quiet cmp "$tmp/sha1" "$tmp/said1"
quiet cmp "$tmp/sha256" "$tmp/said256"
(cd "$package" && for file in * .gitattributes; do case $file in MANIFEST | *.spdx.json) ;; *) echo "./$file" ;; esac; done | sort) >"$tmp/files"
listed fileName | sort | quiet cmp - "$tmp/files"
[ "$(listed packageVerificationCodeValue)" = "$(sort "$tmp/sha1" | tr -d '\n' | sha1sum | cut -d ' ' -f 1)" ] ||
    failed "the verification code is not that of the files"
(cd "$package" && quiet sha256sum --quiet -c MANIFEST)
if have pyspdxtools; then quiet pyspdxtools -i "$package/$name.spdx.json"; else echo "skipped: pyspdxtools (spdx-tools) is not installed"; fi

# ---- found by CMake: from the build folder, then installed ----
quiet cmake -S "$package" -B "$tmp/build" -D"${name}_TEST=OFF" -DCMAKE_INSTALL_PREFIX="$tmp/installed" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Debug
quiet cmake --build "$tmp/build" -j2
quiet cmake --install "$tmp/build"
quiet cmp "$tmp/installed/share/doc/$name/LICENSE" "$package/LICENSE"
quiet cmp "$tmp/installed/share/doc/$name/$name.spdx.json" "$package/$name.spdx.json"
has "$tmp/installed/lib/pkgconfig/$name.pc" 'Version: 1.4.2-rc.1'

# refused VERSION: it is none of those that the package serves
refused() {
    echo "find_package($name $1 QUIET PATHS \"$tmp/build\" \"$tmp/installed\")" >"$tmp/find.cmake"
    echo "message(\"\${${name}_FOUND}: \${${name}_CONSIDERED_VERSIONS}\")" >>"$tmp/find.cmake"
    quiet cmake -P "$tmp/find.cmake"
    logged '^0: 1.4.2;1.4.2$'
}
refused 1.5
refused 0.4
refused 2.0
fill use.c "$name" >/dev/null
main_of "$name" >"$tmp/main.c"
quiet cmake -S "$product" -B "$tmp/product" -DLANG=C -DNAMES="$name" -DUSES="$tmp" -DCMAKE_PREFIX_PATH="$tmp/build" -DVERSION=1.2
quiet cmake --build "$tmp/product" -j2
quiet "$tmp/product/bin/product"
