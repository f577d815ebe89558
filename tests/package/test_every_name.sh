#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every identifier of a package as a name in a spec: test_taken.c, which compiles every 8th one that is accepted.
#
# ctest: label=thorough timeout=1200
set -eu

# shellcheck disable=SC2154 # BIN is set by CTest
THOROUGH=1 "$BIN/tests/package_tests" test_taken
