#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Libraries that hold a package's pool, and go. The shared library that the package's CMakeLists.txt builds stays after dlclose, as workers
# may be alive. A plug-in of the product that compiles pool.c itself may go when its pool is stopped, by its destructor too; and at exit.
# ctest: timeout=120 fixture=packages
. "$SRC/tests/package/common.sh"
name=pkg_c

source=$(fill unload.c "$name")
silent cc -std=gnu11 -O1 -Wall -Wextra -I"$packages/$name" "$source" -o "$tmp/unload" -ldl
silent cc -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -I"$packages/$name" -DPLUGIN "$source" "$packages/$name/pool.c" -o "$tmp/plugin.so" -pthread
quiet cmake -S "$packages/$name" -B "$tmp/shared" -DBUILD_SHARED_LIBS=ON -D"${name}_TEST=OFF"
quiet cmake --build "$tmp/shared"
quiet "$tmp/unload" plugin "$tmp/plugin.so"
quiet "$tmp/unload" library "$tmp/shared/lib$name.so"
