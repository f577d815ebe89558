#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A product that has specs and records in its tree and generates its packages when it is configured (find_package(dcgen), dcgen_generate):
# with an installed dcgen that was moved, folders with blanks, a source tree that cannot be written, no network and no gnuplot; two
# packages, several generators, C and C++. What changes is made anew, and no more; what is wrong is told in dcgen's own words.
# ctest: label=thorough timeout=600 cost=20 fixture=packages
. "$SRC/tests/package/common.sh"

quiet cmake --install "$BIN" --prefix "$tmp/first"
mv "$tmp/first" "$tmp/in stalled"
installed="$tmp/in stalled"
! grep -rlF -e "$tmp" -e "$SRC" -e "$BIN" "$installed/lib/cmake" || failed "installed CMake files name folders of this machine"

source="$tmp/pro duct"
mkdir -p "$source/specs" "$tmp/bin"
cp "$product/CMakeLists.txt" "$source"
for name in pkg_a pkg_c; do
    cp "$SRC/tests/package/spec/$name.cfg" "$source/specs"
    cp "$packages/$name.jsonl" "$source/specs/$name records.jsonl"
    fill use.c "$name" >/dev/null
done
main_of pkg_a pkg_c >"$tmp/main.c"

# A gnuplot that tells when it is called.
printf '#!/bin/sh\n: >"%s/called"\nexit 1\n' "$tmp" >"$tmp/bin/gnuplot"
chmod +x "$tmp/bin/gnuplot"
export PATH="$tmp/bin:$PATH" CMAKE_PREFIX_PATH="$installed"

used='pkg_a;pkg_c' alone=
if unshare -rn true 2>/dev/null; then alone='unshare -rn'; else echo "skipped: no name space without a network here"; fi

configure() {   # configure FOLDER LANG OPTION...
    folder=$1 lang=$2
    shift 2
    quiet $alone cmake -S "$source" -B "$folder" -DGENERATE=ON -DLANG="$lang" -DNAMES="$used" -DUSES="$tmp" "$@"
}
build() { quiet $alone cmake --build "$1" -j2 --verbose ${2:+--config "$2"}; }
works() { quiet ctest --test-dir "$1" --no-tests=error --output-on-failure ${2:+-C "$2"}; }

# refused TEXT...: the product in $source does not configure, and each TEXT is said. (Configured anew, but for the compiler.)
refused() {
    rm -rf "$tmp/refused/dcgen"
    ! cmake -S "$source" -B "$tmp/refused" -DGENERATE=ON -DLANG=C -DNAMES="${names_given:-pkg_a}" -DUSES="$tmp" -DOPTIONS="${options_given:-}" \
        >"$tmp/log" 2>&1 || failed "configured: $*"
    for text; do logged "$text"; done
}

# is_replay NAME: the generated package is what dcgen replay gives, and is checked as such
is_replay() {
    rm -rf "$tmp/replayed"
    quiet "$installed/bin/dcgen" replay "$source/specs/$1.cfg" --records "$source/specs/$1 records.jsonl" -o "$tmp/replayed" --no-report
    quiet diff -r "$tmp/replayed" "$build/dcgen/$1/source"
    quiet "$installed/bin/dcgen" replay --check "$build/dcgen/$1/source"
}
objects() { find "$build" -name '*.o' -newer "$tmp/mark" | sed 's|.*/||' | sort | tr '\n' ' '; }

# ---- as it comes ----
build="$tmp/build er"
chmod -R a-w "$source"
configure "$build" C -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Debug
build "$build"
logged '-ffp-contract=fast'        # the package's own options, in a product built with others
works "$build"
for name in pkg_a pkg_c; do
    is_replay $name
    [ ! -e "$build/dcgen/$name/build/${name}_test" ] || failed "$name: its test was built"
done
chmod -R u+w "$source"
[ ! -e "$tmp/called" ] || failed "gnuplot was called"
[ -z "$(find "$source" -newer "$tmp/main.c" -type f)" ] || failed "the source tree was written to"

# dcgen's build folder serves as an installation does.
for variable in dcgen_DIR CMAKE_PREFIX_PATH; do
    rm -rf "$tmp/by build/dcgen"
    quiet env -u CMAKE_PREFIX_PATH cmake -S "$source" -B "$tmp/by build" -DGENERATE=ON -DLANG=C -DNAMES=pkg_c -DUSES="$tmp" -Udcgen_DIR -D$variable="$BIN"
    [ "$(sed -n 's/^dcgen_DIR:[A-Z]*=//p' "$tmp/by build/CMakeCache.txt")" = "$BIN" ] || failed "$variable does not lead to $BIN"
    quiet diff -r "$build/dcgen/pkg_c/source" "$tmp/by build/dcgen/pkg_c/source"
done

# ---- what changes ----
touch "$tmp/mark"
sleep 1
echo '# a remark' >>"$source/specs/pkg_a.cfg"
build "$build"
is_replay pkg_a
[ -z "$(objects)" ] || failed "a remark in the spec recompiles $(objects)"

# Without the last kernel of which the package has times: one that was never timed makes no difference.
keys=$(sed -n 's/.*"type":"measure","key":"\([0-9a-f]*\)".*/\1/p' "$build/dcgen/pkg_a/source/records.jsonl" | uniq)
if [ "$(echo "$keys" | wc -l)" -gt 1 ]; then
    grep -v "$(echo "$keys" | tail -n 1)" "$source/specs/pkg_a records.jsonl" >"$tmp/fewer"
    before=$(cat "$build/dcgen/pkg_a/source/MANIFEST")
    cp "$tmp/fewer" "$source/specs/pkg_a records.jsonl"
    build "$build"
    is_replay pkg_a
    [ "$(cat "$build/dcgen/pkg_a/source/MANIFEST")" != "$before" ] || failed "other records, the same package"
    works "$build"
else
    echo "skipped: the search had time for one kernel alone"
fi

touch "$tmp/mark"
sleep 1
echo '/* a newer dcgen */' >>"$installed/share/dcgen/templates/package/pool.c"
build "$build"
is_replay pkg_a
[ "$(objects)" = 'pool.c.o pool.c.o ' ] || failed "a new pool.c recompiles: $(objects)"
: >"$build/dcgen/pkg_a/source/pieces.h"      # edited by hand: the next configuring mends it
quiet cmake "$build"
is_replay pkg_a

# ---- what is wrong: when it is built, then when it is configured ----
cp "$source/specs/pkg_a.cfg" "$tmp/good.cfg"
sed 's/weight/wieght/' "$tmp/good.cfg" >"$source/specs/pkg_a.cfg"
! cmake --build "$build" >"$tmp/log" 2>&1 || failed "a bad spec is built"
for text in 'dcgen_generate(pkg_a): dcgen replay ends with 2:' "unknown key 'wieght'; did you mean 'weight'?" '  *\^~~~~~'; do
    logged "$text"
done
refused 'dcgen_generate(pkg_a): dcgen replay ends with 2:' 'pkg_a.cfg:[0-9]*:[0-9]*: error'
cp "$tmp/good.cfg" "$source/specs/pkg_a.cfg"
build "$build"
works "$build"

cp "$source/specs/pkg_a records.jsonl" "$tmp/good.jsonl"
cp "$source/specs/pkg_c records.jsonl" "$source/specs/pkg_a records.jsonl"
refused 'dcgen_generate(pkg_a): dcgen replay ends with 1:' 'the records hold no verified measurement'
rm "$source/specs/pkg_a records.jsonl"
refused 'dcgen_generate(pkg_a): RECORDS is not there:' '^ */.*/specs/pkg_a records.jsonl$'
cp "$tmp/good.jsonl" "$source/specs/pkg_a records.jsonl"
names_given='pkg_a;pkg_a' refused 'there is a target pkg_a::pkg_a already'
options_given='WIBBLE' refused 'not understood: WIBBLE'
options_given='KERNELS;0' refused 'dcgen replay ends with 2:' "'0' is not a whole number"
options_given='TEMPLATES;nowhere' refused 'dcgen_generate(pkg_a): TEMPLATES is not there:'
sed 's/pkg_a/pkg_x/' "$tmp/good.cfg" >"$source/specs/pkg_a.cfg"
refused "dcgen_generate(pkg_a): the spec's name is 'pkg_x', not NAME:"
cp -R "$source" "$tmp/pro;duct"
rm -rf "$tmp/refused"
source="$tmp/pro;duct" refused "dcgen_generate(pkg_a): SPEC may have no ';' in its path:"
cp "$tmp/good.cfg" "$source/specs/pkg_a.cfg"

# ---- other generators, C++, options, a folder of the product's own templates ----
have g++ || have c++ || { echo "skipped: there is no C++ compiler"; exit 0; }
have ninja || { echo "skipped: ninja is not installed"; exit 0; }
mkdir -p "$source/own/dense"
cp "$SRC/tests/cli/templates/dense/plain.c" "$source/own/dense"
build="$tmp/ninja" used=pkg_c
main_of pkg_c >"$tmp/main.c"
configure "$build" CXX -G Ninja -DBUILD_SHARED_LIBS=ON -DOPTIONS='KERNELS;1;CODE_KIB;400;TARGET;host;TEMPLATES;own'
build "$build"
works "$build"
quiet "$installed/bin/dcgen" replay --check "$build/dcgen/pkg_c/source"
for setting in '.*kernels = 1;' '.*code_kib = 400;' 'target *= \["host"\];' 'templates = \["[^"]*/own"\];' 'report = false;'; do
    grep -q "^$setting" "$build/dcgen/pkg_c/source/spec.cfg" || failed "options are lost: $setting"
done
build="$tmp/multi"
configure "$build" C -G 'Ninja Multi-Config'
build "$build" Release
works "$build" Release
