#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The texts of docs/recipes.md, as they stand there: Meson, Bazel and Conan build a package and pass its test, or a product that uses it; each
# compiles the kernels with the options that they were measured with. The CI job's check passes, and fails for an edited package.
# A tool that is missing is skipped.
# ctest: label=thorough timeout=600 fixture=packages
. "$SRC/tests/package/common.sh"
name=pkg_a

# recipe SECTION LANGUAGE: the text in that language, for this package
recipe() {
    sed -n "/^## $1\$/,/^## /p" "$SRC/docs/recipes.md" | sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" | grep -v '^```' | sed "s/bert_dense/$name/g; s/bert-dense/pkg-a/g"
}
# put FILE SECTION LANGUAGE: beside a fresh copy of the package
put() {
    mkdir -p "$(dirname -- "$1")"
    [ -d "$(dirname -- "$1")/$name" ] || cp -R "$packages/$name" "$(dirname -- "$1")"
    recipe "$2" "$3" >"$1"
    [ -s "$1" ] || failed "docs/recipes.md has no recipe for $2"
}
fill use.c "$name" >/dev/null
main_of "$name" >"$tmp/main.c"
uses="main.c ${name}_use.c ${name}_problem.h"
product_in() { for file in $uses; do cp "$tmp/$file" "$1"; done; }

# ---- CI ----
put "$tmp/product/third_party/$name/ci.yml" 'CI: .*' yaml
if have python3 && python3 -c 'import yaml' 2>/dev/null; then
    quiet python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))["jobs"]' "$tmp/product/third_party/$name/ci.yml"
else
    echo "skipped: Python's yaml is not installed"
fi
check=$(sed -n 's|^ *- run: dcgen/build/release/dcgen ||p' "$tmp/product/third_party/$name/ci.yml")
[ "$check" = "replay --check third_party/$name/$name" ] || failed "the CI job checks otherwise: $check"
for script in $(sed -n 's/^ *- run: dcgen\(.*\)/\1/p' "$tmp/product/third_party/$name/ci.yml" | grep -o 'script/[a-z]*'); do
    [ -x "$SRC/$script" ] || failed "there is no $script"
done
cd "$tmp/product"
quiet "$DCGEN" $check
echo '/* faster */' >>"third_party/$name/$name/kernels.c"
! "$DCGEN" $check >/dev/null 2>&1 || failed "the CI job takes an edited package"

# ---- vcpkg: its program is not to be had here ----
recipe vcpkg json >"$tmp/vcpkg.json"
recipe vcpkg cmake >"$tmp/portfile.cmake"
[ -s "$tmp/portfile.cmake" ] || failed "docs/recipes.md has no recipe for vcpkg"
cat >"$tmp/port.cmake" <<CMAKE
file(READ "$tmp/vcpkg.json" json)
string(JSON license GET "\${json}" license)
foreach(function IN ITEMS vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
    function(\${function})
        foreach(argument IN LISTS ARGN)
            if(argument MATCHES "^/" AND NOT EXISTS "\${argument}")
                message(FATAL_ERROR "\${argument} is not there")
            endif()
        endforeach()
    endfunction()
endforeach()
set(CURRENT_PORT_DIR "$tmp/product/third_party/$name")
set(CURRENT_PACKAGES_DIR "$tmp/vcpkg_packages")
include("$tmp/portfile.cmake")
CMAKE
quiet cmake -P "$tmp/port.cmake"

# ---- Meson ----
if have meson; then
    put "$tmp/meson/subprojects/$name/meson.build" Meson meson
    cat >"$tmp/meson/meson.build" <<MESON
project('product', 'c', default_options: ['c_std=c99'])
cc = meson.get_compiler('c')
executable('product', 'main.c', '${name}_use.c', dependencies: [dependency('$name', version: '>= 0.1'), cc.find_library('m')])
MESON
    product_in "$tmp/meson"
    for library in static shared; do
        quiet meson setup --buildtype debug -Ddefault_library=$library "$tmp/meson/$library" "$tmp/meson"
        ! grep WARNING "$tmp/log" || failed "Meson warns"
        quiet meson compile -C "$tmp/meson/$library"
        quiet "$tmp/meson/$library/product"
        quiet meson test -C "$tmp/meson/$library"
        logged 'Ok: *1'
        tr '\n' ' ' <"$tmp/meson/$library/compile_commands.json" | grep -q -e '-O0.* -O3 -ffp-contract=fast -fexceptions.*kernels.c' ||
            failed "Meson compiles the kernels otherwise"
    done
else
    echo "skipped: meson is not installed"
fi

# ---- Conan ----
if have conan; then
    export CONAN_HOME="$tmp/conan_home"
    put "$tmp/conan/conanfile.py" Conan python
    product_in "$tmp/conan"
    quiet conan profile detect
    version=$(sed -n "s/^#define ${name}_VERSION \"\(.*\)\"/\1/p" "$packages/$name/$name.h")
    quiet conan create "$tmp/conan" --no-remote
    logged "$name/$version"
    quiet conan install --requires="$name/$version" --no-remote -g CMakeDeps -g CMakeToolchain -of "$tmp/conan/found"
    quiet cmake -S "$product" -B "$tmp/conan/build" -DCMAKE_TOOLCHAIN_FILE="$tmp/conan/found/conan_toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DLANG=C -DNAMES="$name" -DUSES="$tmp" -DVERSION="${version%.*}"
    quiet cmake --build "$tmp/conan/build"
    quiet "$tmp/conan/build/bin/product"
    find "$CONAN_HOME/p" -path "*/p/licenses/LICENSE" | grep -q . || failed "Conan's package has no licence"
else
    echo "skipped: conan is not installed"
fi

# ---- Bazel, which would download rules_cc and rules_java: here these are Bazel's own rules, as before Bazel 8. A cc_test takes more
# downloads: it is built as a program.
own_rules() {   # own_rules LANGUAGE RULE...: RULE, or RULE=OTHER for Bazel's OTHER
    language=$1 folder=$tmp/rules_$1
    shift
    mkdir -p "$folder/$language"
    : >"$folder/WORKSPACE"
    : >"$folder/$language/BUILD"
    for rule; do printf 'def %s(**arguments):\n    native.%s(**arguments)\n' "${rule%=*}" "${rule#*=}"; done >"$folder/$language/defs.bzl"
}
if have bazel; then
    own_rules cc cc_library cc_binary cc_test=cc_binary cc_toolchain cc_toolchain_suite
    own_rules java java_import java_runtime java_toolchain
    put "$tmp/bazel/third_party/$name/BUILD.bazel" Bazel bazel
    : >"$tmp/bazel/WORKSPACE"
    product_in "$tmp/bazel"
    echo "cc_binary(name = 'product', srcs = ['main.c', '${name}_use.c', '${name}_problem.h'], copts = ['-std=c99'], deps = ['//third_party/$name'], linkopts = ['-lm'])" \
        >"$tmp/bazel/BUILD.bazel"
    bazel() { command bazel --batch --output_user_root="$tmp/bazel_root" "$@"; }
    cd "$tmp/bazel"
    quiet bazel build --override_repository=rules_cc="$tmp/rules_cc" --override_repository=rules_java="$tmp/rules_java" --subcommands //:product "//third_party/$name:${name}_test"
    logged '-O3.*-ffp-contract=fast.*-fexceptions.*kernels.c'
    quiet bazel-bin/product
    quiet bazel-bin/third_party/$name/${name}_test
    cd "$tmp"
    chmod -R u+w "$tmp/bazel_root"
else
    echo "skipped: bazel is not installed"
fi
