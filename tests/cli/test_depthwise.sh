#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Depthwise convolutions (templates/conv2d/depthwise_conv.c): kernels for known and for any filters, on channels that fill no vector, images
# smaller than filters, strides, dilations and paddings that differ from side to side, formulas with and without functions, in one part and in
# several; and calls that are not depthwise. A package of it compiles without a warning, and passes its own test.
# ctest: label=slow timeout=300 cost=60
set -eu
: "${DCGEN:?the program to test}" "${SRC:?the source tree}"
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
cd "$tmp"
failed() { echo "FAILED: $*"; cat -- out err; exit 1; }

# spec NAME FORMULA ATTRIBUTES: images of 1 to 23 pixels a side, 37 channels; beside them a call with several channels and filters a group
spec() {
    cat >"$1.cfg" <<EOF
name = "$1"; op = "conv2d"; target = ["host"]; threads = [1, 3];
dims = { T = { min = 1; max = 23; }; };
shapes = ( { N = 2; G = 37; H = "T"; W = "T + 2"; C = 1; K = 1; R = 3; S = 3; $3 },
           { N = 1; G = 3; H = "T + 1"; W = "T"; C = 2; K = 5; R = 3; S = 3; $3 } );
tune = { T = [1, 2, 9, 23]; };
epilogue = "$2"; layout = { packed = true; };
budget = { kernels = 3; trials = 6; seconds = 40; };
EOF
}

# right SPEC PARAMETERS: such a kernel is
right() {
    "$DCGEN" try depthwise_conv $2 "$1.cfg" >out 2>err || failed "$1: $2"
    grep -qE ': right on [0-9]+ awkward shapes and on all tuned ones$' out || failed "$1: $2"
}
any='FR=0 FS=0 FH=0 FW=0'

spec plain 'clamp(acc + bias[oc], 0, 6)' 'PAD = 1;'
right plain "PT=1 QT=4 $any CB=2"
right plain 'PT=1 QT=5 FR=3 FS=3 FH=1 FW=1 CB=0'
right plain 'PT=2 QT=3 FR=3 FS=3 FH=1 FW=1 CB=2'
right plain 'PT=3 QT=2 FR=3 FS=3 FH=1 FW=1 CB=0'
spec halving 'silu(acc * scale[oc] + shift[oc])' 'STRIDE = 2; PAD_B = 1; PAD_R = 2; PAD_L = 1; PAD_T = 1;'
right halving "PT=1 QT=3 $any CB=0"
right halving 'PT=2 QT=3 FR=3 FS=3 FH=2 FW=2 CB=0'
spec apart 'acc + residual[n,p,q,oc]' 'PAD = 4; STRIDE_W = 3; DIL_H = 2;'
right apart "PT=1 QT=4 $any CB=0"
right apart 'PT=2 QT=3 FR=3 FS=3 FH=1 FW=3 CB=0' # has no way of its own with dilations

# The other template for f32 makes way for one of its name that is for another type.
mkdir -p templates/conv2d
sed 's/^dtypes *=.*/dtypes = ["f16"];/' "$SRC/templates/conv2d/direct_conv.c" >templates/conv2d/direct_conv.c
"$DCGEN" --templates templates --no-report -o package plain.cfg >out 2>err || failed "no package"
cmake -S package -B built -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' >out 2>err || failed "cmake"
cmake --build built -j2 >out 2>err || failed "the package does not compile"
built/plain_test >out 2>err || failed "the package's own test"
grep -qE '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed' out || failed "what the package's test says"
grep '"template":' package/package.json >out && ! grep -v '"depthwise_conv"' out || failed "other kernels than depthwise ones"
