#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dense and conv2d on CPUs: a kernel of each template and way is right at borders and tails, with a formula that has functions, strides, padding, dilation
# and groups, in all layouts. The thorough suite has whole packages of convolutions (test_conv.sh).
# ctest: label=slow timeout=300 cost=30
. "$SRC/tests/cli/lib.sh"

# right KERNEL SPEC: this kernel is right for the rest of such a spec
right() {
    cat >borders.cfg <<CFG
name = "borders"; target = ["$target"]; threads = [1, 3]; dims = { T = { min = 1; max = 5; }; }; tune = { T = [1, 5]; };
$2
CFG
    "$dcgen" try --templates "$SRC/templates" $1 borders.cfg >"$tmp/log/try" 2>&1 && grep -q 'right on [0-9]* awkward shapes' "$tmp/log/try" ||
        { cat "$tmp/log/try"; echo "FAILED: $1 is not right for $2"; exit 1; }
}
# conv KERNEL SHAPE LAYOUT, dense KERNEL LAYOUT
conv() {
    right "$1" "op = \"conv2d\"; shapes = ( { N = \"T\"; $2 } ); layout = { $3 packed = true; }; epilogue = \"acc + bias[oc]\"; accuracy = 16.0;"
}
dense() { right "$1" "op = \"dense\"; shapes = ( { M = \"T\"; N = 37; K = 24; } ); layout = { $2 }; epilogue = \"tanh(acc + bias[n])\";"; }
target=portable
planes='X = "NCHW"; Y = "NCHW";'
same='G = 1; H = 5; W = 9; C = 5; K = 19; R = 3; S = 3; PAD = 1;'
odd='G = 2; H = 7; W = 11; C = 3; K = 17; R = 3; S = 2; STRIDE = 2; PAD_T = 1; PAD_R = 2; DIL_W = 2;'

dense 'direct_gemm MR=2 NV=4 UK=1 KC=256 PF=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0' 'W = "KN";'
dense 'dot_gemm MR=2 NR=4 UK=1 KC=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0' 'W = "NK";'
dense 'repack_gemm MR=2 NP=1 UK=4 KC=256 HOLD=0 EVEN=1 SPLIT=0' 'W = "NK";'
dense 'packed_gemm MR=2 NP=1 KA=1 UK=1 KC=0 PF=16 HOLD=0 BLOCK=8 CALLS=0 EVEN=1 SPLIT=0' 'packed = true;'
dense 'packed_gemm MR=2 NP=1 KA=1 UK=1 KC=0 PF=16 HOLD=0 BLOCK=8 CALLS=1 EVEN=1 SPLIT=0' 'packed = true;'
conv 'direct_conv MR=2 NP=1 UK=2 PF=0 HOLD=0 BLOCK=8 STRIP=0 CALLS=0' "$odd" ''
conv 'direct_conv MR=2 NP=1 UK=1 PF=1 HOLD=1 BLOCK=8 STRIP=0 CALLS=0' "$same" "$planes"
conv 'direct_conv MR=2 NP=1 UK=1 PF=1 HOLD=0 BLOCK=8 STRIP=1 CALLS=0' "$same" ''
conv 'direct_conv MR=2 NP=1 UK=2 PF=0 HOLD=2 BLOCK=8 STRIP=1 CALLS=0' "$odd" ''
conv 'depthwise_conv PT=1 QT=4 FR=0 FS=0 FH=0 FW=0 CB=0' 'G = 19; H = 7; W = 11; C = 1; K = 1; R = 3; S = 2; STRIDE = 2; PAD = 1; DIL_W = 2;' ''
conv 'depthwise_conv PT=1 QT=2 FR=3 FS=3 FH=1 FW=1 CB=2' 'G = 19; H = 5; W = 9; C = 1; K = 1; R = 3; S = 3; PAD = 1;' ''
conv 'winograd_conv YT=2 MR=1 NP=1 UK=1 PF=1 HOLD=1 BLOCK=8' "$same" ''
target=avx2 # its larger tile wants more registers than SSE2 has
if grep -qw avx2 /proc/cpuinfo; then
    conv 'winograd_conv YT=4 MR=2 NP=1 UK=1 PF=1 HOLD=1 BLOCK=4' "$same" ''
else
    skipped "Winograd's tiles of 4 x 4: this CPU does not run avx2"
fi
