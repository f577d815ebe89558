#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Many random formulas as kernels compute them, under sanitizers and without: test_formula_kernels.c with more of them. A number as
# argument begins other random numbers.
#
# ctest: label=thorough timeout=600
set -eu
first=${1:-100}

# shellcheck disable=SC2154 # BIN is set by CTest
"$BIN/tests/gen_unit_tests" test_formula_kernels 16 "$first"
"$BIN/tests/gen_unit_tests" test_formula_kernels 4 $((first + 1)) sanitized
