#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The packages in products of C and of C++: as a subdirectory and installed, static and shared, below a DESTDIR, moved
# after installation, found by find_package with a version and by pkg-config, with options of the product that must not slow the
# kernels down or hide what the package exports.
# ctest: label=thorough timeout=600 cost=25 fixture=packages
. "$SRC/tests/package/common.sh"

names='pkg_a pkg_d' # one that packs, with an epilogue, and one that does not: building depends on nothing else

have g++ || have c++ || { echo "skipped: there is no C++ compiler"; exit 77; }

for name in $names; do
    fill use.c "$name" >/dev/null
done
main_of $names >"$tmp/main.c"
list=$(echo $names | tr ' ' ';')

# Compiles at -O0 in the end, whatever it was told: that takes half as long.
printf '#!/bin/sh\nexec "%s" "$@" -O0\n' "$(command -v "${CC:-cc}")" >"$tmp/quick_cc"
chmod +x "$tmp/quick_cc"
full=${CC:-cc}
export CC="$tmp/quick_cc"

# product FOLDER LANG OPTION...: configures, builds and runs the product of product/CMakeLists.txt.
product() {
    folder=$1 lang=$2
    shift 2
    quiet cmake -S "$product" -B "$folder" -DLANG="$lang" -DNAMES="$list" -DUSES="$tmp" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
    quiet cmake --build "$folder" -j2
    quiet ctest --test-dir "$folder" --no-tests=error --output-on-failure
}

# The last option of a kind in the command that compiles FILE: last_option FOLDER FILE PATTERN
last_option() {
    grep "\"command\".*$2[\\\\\" ]*,*\$" "$1/compile_commands.json" | tr ' ' '\n' | grep -e "$3" | tail -n 1
}

kernels_keep_their_options() {   # kernels_keep_their_options FOLDER
    for name in $names; do
        for option in -O3 -ffp-contract=fast -fexceptions -fPIC -std=gnu11 $(own_option "${CC:-cc}"); do
            kind=$(echo "$option" | sed 's/=.*//; s/^-O.*/-O/')
            last=$(last_option "$1" "$name/kernels.c" "^$kind")
            [ "$last" = "$option" ] || failed "$1: $name/kernels.c is compiled with '$last', not '$option'"
        done
    done
}

# A Debug build in C, the packages' own tests with it.
tests=$(for name in $names; do echo "-D${name}_TEST=ON"; done)
product "$tmp/debug" C -DFOLDER="$packages" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS='-O1 -ffp-contract=off' \
    -DCMAKE_C_FLAGS_DEBUG='-O0 -g' $tests
kernels_keep_their_options "$tmp/debug"
logged "100% tests passed, 0 tests failed out of $(echo $names product | wc -w)"

# A subdirectory is installed only where the product says so.
one=${names%% *}
quiet cmake --install "$tmp/debug" --prefix "$tmp/nothing"
[ ! -e "$tmp/nothing" ] || failed "the product's installation has files of its packages: $(find "$tmp/nothing" -type f)"
quiet cmake "$tmp/debug" -D"${one}_INSTALL=ON"
quiet cmake --install "$tmp/debug" --prefix "$tmp/asked"
[ "$(ls "$tmp/asked/include")" = "$(printf '%s.h\n%s_log.h\n%s_pool.h' "$one" "$one" "$one")" ] || failed "${one}_INSTALL does not install $one"

# C++ alone, shared libraries, everything hidden that is not asked for.
product "$tmp/shared" CXX -DFOLDER="$packages" -DBUILD_SHARED_LIBS=ON -DCMAKE_C_VISIBILITY_PRESET=hidden \
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON
for name in $names; do
    [ -f "$tmp/shared/third_party/$name/lib$name.so" ] || failed "no shared library of $name"
    [ ! -e "$tmp/shared/bin/${name}_test" ] || failed "$name: its test was built without being asked for"
done

# All in one: link-time optimisation, one translation unit a target, for this CPU.
CC=$full product "$tmp/lto" C -DFOLDER="$packages" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_POLICY_DEFAULT_CMP0069=NEW -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_C_FLAGS=-march=native
kernels_keep_their_options "$tmp/lto"

# Installed below a DESTDIR, then moved elsewhere.
for name in $names; do
    quiet cmake -S "$packages/$name" -B "$tmp/install/$name" -D"${name}_TEST=OFF" -DCMAKE_INSTALL_LIBDIR=lib
    quiet cmake --build "$tmp/install/$name" -j2
    quiet env DESTDIR="$tmp/stage" cmake --install "$tmp/install/$name" --prefix /opt/products
    for file in include/$name.h include/${name}_pool.h lib/lib$name.a lib/cmake/$name/$name-config.cmake; do
        [ -f "$tmp/stage/opt/products/$file" ] || failed "$name: $file is not installed"
    done
done
[ ! -e /opt/products/include ] || failed "DESTDIR was not heeded"
if grep -rF -e "$tmp" -e "$packages" -e /opt/products "$tmp/stage"; then
    failed "installed files name folders of this machine"
fi
mv "$tmp/stage/opt/products" "$tmp/moved"
version=$("$DCGEN" --version | sed 's/dcgen //')
product "$tmp/found" C -DCMAKE_PREFIX_PATH="$tmp/moved" -DVERSION="${version%.*}"
for other in 99 "$version.1"; do
    ! cmake -S "$product" -B "$tmp/refused" -DLANG=C -DNAMES="$list" -DUSES="$tmp" -DCMAKE_PREFIX_PATH="$tmp/moved" -DVERSION="$other" \
        >"$tmp/log" 2>&1 || failed "version $other was found"
    logged "$one-config.cmake, version: $version"
done

# by_pkg_config PREFIX OPTION: the product with no help of CMake
by_pkg_config() {
    if ! have pkg-config; then echo "skipped: pkg-config is not installed"; return; fi
    export PKG_CONFIG_PATH="$1/lib/pkgconfig"
    for name in $names; do
        [ "$(pkg-config --modversion "$name")" = "$version" ] || failed "$name.pc is of version $(pkg-config --modversion "$name")"
        echo "int ${name}_use(void); int main(void) { return ${name}_use(); }" >"$tmp/${name}_main.c"
        # shellcheck disable=SC2046 # a list of options
        silent cc -std=gnu11 "$tmp/${name}_main.c" "$tmp/${name}_use.c" -I"$tmp" $(pkg-config --cflags --libs $2 "$name") -lm -o "$tmp/${name}_main"
        quiet env LD_LIBRARY_PATH="$1/lib" "$tmp/${name}_main"
    done
}
by_pkg_config "$tmp/moved" --static
case $(pkg-config --static --libs "$one") in *-pthread*) ;; *) failed "$one.pc does not say that the archive needs threads" ;; esac

# Installed as shared libraries, found by C++.
for name in $names; do
    quiet cmake -S "$packages/$name" -B "$tmp/install/$name" -DBUILD_SHARED_LIBS=ON
    quiet cmake --build "$tmp/install/$name" -j2
    quiet cmake --install "$tmp/install/$name" --prefix "$tmp/prefix"
done
product "$tmp/found_shared" CXX -DCMAKE_PREFIX_PATH="$tmp/prefix"
by_pkg_config "$tmp/prefix" ''
for name in $names; do
    abi=$(sed -n "s/^#define ${name}_ABI //p" "$tmp/prefix/include/$name.h")
    soname=lib$name.so.$abi
    readelf -d "$tmp/prefix/lib/lib$name.so" | grep -q "SONAME.*\[$soname\]" || failed "lib$name.so has no numbered SONAME"
    [ "$(readlink "$tmp/prefix/lib/$soname")" = "lib$name.so.$abi.$version" ] || failed "$soname is no link to the library"
    readelf -d "$tmp/${name}_main" | grep -q "NEEDED.*\[$soname\]" || failed "a program does not ask for $soname"
done
