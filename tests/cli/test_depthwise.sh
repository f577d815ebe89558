#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package of depthwise convolutions, and of a call that is not one, compiles without a warning and passes its own test. (Kernels:
# tests/search/runner/test_cpu_kernels.c.)
# ctest: label=slow,thorough timeout=300 cost=10
. "$SRC/tests/cli/lib.sh"
dcgen=$DCGEN # with all templates

cat >plain.cfg <<'CFG'
name = "plain"; op = "conv2d"; target = ["host"]; threads = [1];
dims = { T = { min = 1; max = 23; }; };
shapes = ( { N = 2; G = 37; H = "T"; W = "T + 2"; C = 1; K = 1; R = 3; S = 3; PAD = 1; },
           { N = 1; G = 3; H = "T + 1"; W = "T"; C = 2; K = 5; R = 3; S = 3; PAD = 1; } );
tune = { T = [2, 9]; };
epilogue = "clamp(acc + bias[oc], 0, 6)"; layout = { packed = true; };
budget = { kernels = 2; trials = 2; seconds = 90; };
CFG
# The other template for f32 makes way for one of its name that is for another type.
mkdir -p templates/conv2d
sed 's/^dtypes *=.*/dtypes = ["f16"];/' "$SRC/templates/conv2d/direct_conv.c" >templates/conv2d/direct_conv.c
run 0 --templates templates --no-report -o package plain.cfg
{ cmake -S package -B built -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' && cmake --build built -j2; } >"$out" 2>&1 || failed "the package does not compile"
built/plain_test >"$out" 2>&1 || failed "the package's own test"
grep -qE '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed' "$out" || failed "what the package's test says"
# On each kind of machine only depthwise kernels, and one for calls that they do not serve.
grep -E '"(target|template)":' package/package.json >"$out"
awk -F'"' '$2 == "target" { target = $3 }
    $2 == "template" { seen[target]; if ($4 == "depthwise_conv") own[target]++; else if ($4 == "any_conv") any[target]++; else other = 1 }
    END { for (target in seen) { n++; other += !own[target] || any[target] != 1 } exit !(n && !other) }' "$out" || failed "other kernels than depthwise ones"
