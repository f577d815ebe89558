#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Calls with extents of 0, whose operands without elements are NULL, under the address and undefined behaviour sanitizers, as a product may be
# built: a portable kernel of every template for CPUs, which must refuse calls that it is not for, and packages of an operator each with their own tests.
# ctest: label=slow,thorough timeout=300 cost=15
. "$SRC/tests/cli/lib.sh"
sanitize='-std=gnu17 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all'
quiet() { "$@" >"$tmp/log/step" 2>&1 || { tail -n 40 "$tmp/log/step"; failed "$*"; }; }
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }

echo 'int main(void) { return 0; }' >probe.c
cc=
for each in gcc clang; do # the latter takes half as long
    ! { $each $sanitize probe.c -o probe && ./probe; } >probe.log 2>&1 || cc=$each
done
[ -n "$cc" ] || { skipped "no compiler builds and runs with sanitizers here"; exit 77; }

# spec NAME OP LAYOUT SHAPE [LINE]; LAYOUT and LINE are lines of the spec
spec() {
    cat >"$1.cfg" <<CFG
name = "$1"; op = "$2"; target = ["portable"]; threads = [1, 3];
dims = { T = { min = 1; max = 9; }; };
shapes = ( { $4 } ); tune = { T = [1, 9]; };
$3
budget = { kernels = 1; trials = 1; seconds = 1; };
${5:-}
CFG
}

# kernel SPEC TEMPLATE VALUES DEFINITION...: such a kernel, by every call of empty_calls.c
tried=
kernel() {
    spec=$1 template=$2 values=$3
    shift 3
    tried="$tried $template"
    run 0 try --templates "$SRC/templates" "$template" $values "$spec.cfg" --dump source
    cp "$out" kernel.c
    quiet $cc $sanitize -I"$SRC" "$@" -o calls "$SRC/tests/cli/empty_calls.c" kernel.c -lm
    quiet ./calls
}

# package SPEC DEFINITION...: its own test, on these calls
package() {
    spec=$1
    shift
    run 0 --templates "$SRC/templates" --no-report -o "$spec" "$spec.cfg"
    quiet gcc -DROWS -I"$SRC" "$@" -o rows "$SRC/tests/cli/empty_calls.c"
    ./rows >rows.txt
    sed -i -e '/_tried\[\]\[.*{$/r rows.txt' -e '/_tried\[\]\[.*{$/,/^};/{ /^    {/d; }' "$spec/test.c"
    quiet $cc $sanitize -I"$spec" -o empty_test "$spec/kernels.c" "$spec/pool.c" "$spec/test.c" -lm -pthread
    ./empty_test >"$out" 2>&1 || failed "$spec: its own test"
    shows '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed'
}

section products of matrices
spec packed_w dense 'layout = { W = "NK"; packed = true; };' 'M = "T"; N = 20; K = 5;'
spec w_nk dense 'layout = { W = "NK"; };' 'M = "T"; N = 20; K = 5;'
spec w_kn dense 'layout = { W = "KN"; };' 'M = "T"; N = 20; K = 5;'
spec b_kn batch_matmul 'layout = { B = "KN"; };' 'B0 = 2; B1 = 3; M = "T"; N = 20; K = 5;'
spec b_nk batch_matmul 'layout = { A = "KM"; B = "NK"; };' 'B0 = 2; B1 = 3; M = "T"; N = 20; K = 5;'
kernel packed_w packed_gemm 'MR=2 NP=1 KA=1 UK=1 KC=0 PF=8 HOLD=0 BLOCK=0 CALLS=0 EVEN=1 SPLIT=0' -DOP_dense
kernel w_nk dot_gemm 'MR=2 NR=4 UK=1 KC=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0' -DOP_dense
kernel w_nk repack_gemm 'MR=2 NP=1 UK=1 KC=64 HOLD=0 EVEN=0 SPLIT=0' -DOP_dense
kernel w_kn direct_gemm 'MR=1 NV=4 UK=1 KC=0 PF=4 HOLD=0 ORDER=0 EVEN=0 SPLIT=0' -DOP_dense
kernel b_kn direct_bmm 'MR=2 NV=2 PF=2 HOLD=1 HALF=0' -DOP_batch_matmul -DA_KM=0 -DB_NK=0
kernel b_nk pack_bmm 'MR=2 NV=2 PF=2 HOLD=1 HALF=0' -DOP_batch_matmul -DA_KM=1 -DB_NK=1
spec b_dot batch_matmul 'layout = { B = "NK"; };' 'B0 = 2; B1 = 3; M = "T"; N = 20; K = 5;'
kernel b_dot dot_bmm 'MR=2 NR=2' -DOP_batch_matmul -DA_KM=0 -DB_NK=1
package b_kn -DOP_batch_matmul -DA_KM=0 -DB_NK=0

gated='epilogue = "acc * gate + 1";'
spec gated_packed gated_dense 'layout = { W = "NK"; packed = true; };' 'M = "T"; N = 20; K = 5;' "$gated"
spec gated_nk gated_dense 'layout = { W = "NK"; };' 'M = "T"; N = 20; K = 5;' "$gated"
spec gated_kn gated_dense 'layout = { W = "KN"; };' 'M = "T"; N = 20; K = 5;' "$gated"
kernel gated_packed packed_gated 'MR=2 NP=1 KA=1 UK=1 PF=8 HOLD=0 BLOCK=0 EVEN=1 SPLIT=0' -DOP_gated_dense
kernel gated_nk dot_gated 'MR=2 NR=4 UK=1 HOLD=0 ORDER=0 EVEN=1 SPLIT=0' -DOP_gated_dense
kernel gated_nk repack_gated 'MR=2 NP=1 UK=1 HOLD=0 EVEN=0 SPLIT=0' -DOP_gated_dense
kernel gated_kn repack_gated 'MR=2 NP=1 UK=1 HOLD=0 EVEN=0 SPLIT=0' -DOP_gated_dense
package gated_packed -DOP_gated_dense

section convolutions
padded=-DATTRIBUTES=1,1,1,1,1,1,1,1 halved=-DATTRIBUTES=2,2,0,0,0,0,1,1 most=2147483647
size='N = 1; G = 1; H = "T"; W = "T"; C = 5; K = 20; R = 3; S = 3;'
spec nhwc conv2d 'layout = { packed = true; };' "$size PAD = 1;"
spec depths conv2d 'layout = { packed = true; };' 'N = 1; G = 20; H = "T"; W = "T"; C = 1; K = 1; R = 3; S = 3; PAD = 1;'
spec nchw conv2d 'layout = { X = "NCHW"; Y = "NCHW"; packed = true; };' "$size PAD = 1;"
spec as_they_lie conv2d 'layout = { X = "NCHW"; F = "KCRS"; Y = "NCHW"; };' "$size PAD = 1;"
spec in_planes conv2d 'layout = { X = "NCHW"; F = "KCRS"; Y = "NCHW"; };' 'N = 1; G = 20; H = "T"; W = "T"; C = 1; K = 1; R = 3; S = 3; PAD = 1;'
spec packed_planes conv2d 'layout = { X = "NCHW"; Y = "NCHW"; packed = true; };' 'N = 1; G = 20; H = "T"; W = "T"; C = 1; K = 1; R = 3; S = 3; PAD = 1;'
spec points conv2d 'layout = { packed = true; };' "$size STRIDE = 2;"
spec winograd conv2d 'layout = { packed = true; };' "$size PAD = 1;" 'accuracy = "winograd";'
direct='MR=2 NP=1 UK=1 PF=1 HOLD=0 SHORT=0 BLOCK=8 TAPS=1 CALLS=0'
depthwise='e[C] == 1 && e[K] == 1'
other=-DSERVES="!($depthwise)"
kernel nhwc direct_conv "$direct STRIP=0" -DOP_conv2d $padded "$other"
kernel nhwc direct_conv "$direct STRIP=1" -DOP_conv2d $padded "$other" -DTOO_LARGE=1,1,$most,$most,$most,1,$most,$most,1,1,1,1,1,1,1,1,3,3,$most,1
kernel nchw direct_conv "$direct STRIP=0" -DOP_conv2d $padded "$other"
kernel points direct_conv "$direct STRIP=1" -DOP_conv2d $halved "$other"
kernel depths depthwise_conv 'PT=1 QT=4 FR=0 FS=0 FH=0 FW=0 PF=0 CB=2' -DOP_conv2d $padded -DSERVES="$depthwise"
kernel winograd winograd_conv 'YT=2 MR=2 NP=1 UK=1 PF=1 HOLD=0 BLOCK=2' -DOP_conv2d $padded -DSERVES="e[R] == 3 && e[S] == 3 && e[C] > 0 && !($depthwise)"
kernel nhwc any_conv '' -DOP_conv2d $padded
kernel nchw any_conv '' -DOP_conv2d $padded
kernel as_they_lie filters_conv 'MR=2 NV=4 UK=1 KC=128 BLOCK=4 HOLD=0' -DOP_conv2d $padded
kernel in_planes planes_conv 'PT=1 FR=0 FS=0 FH=0 FW=0' -DOP_conv2d $padded -DSERVES='e[C] == 1'
kernel packed_planes packed_planes_conv 'PT=1 FR=0 FS=0 FH=0 FW=0' -DOP_conv2d $padded -DSERVES='e[C] == 1'
kernel points any_conv '' -DOP_conv2d $halved
package nchw -DOP_conv2d $padded
package as_they_lie -DOP_conv2d $padded

section other operators on images
spec up conv_transpose2d 'layout = { packed = true; };' "$size STRIDE = 2;"
kernel up phases_conv 'MR=2 NV=2' -DOP_conv_transpose2d
window='N = 1; C = 20; H = "T"; W = "T"; R = 3; S = 3; PAD = 1;' planes='layout = { X = "NCHW"; Y = "NCHW"; };'
spec pooled max_pool2d '' "$window"
spec pooled_planes max_pool2d "$planes" "$window"
kernel pooled any_pool '' -DOP_max_pool2d
kernel pooled channels_pool 'V=2 QT=1 FR=0 FS=0' -DOP_max_pool2d
kernel pooled sliding_pool 'V=2 FR=3 FS=3 FW=1' -DOP_max_pool2d -DSERVES='e[R] == 3 && e[S] == 3'
kernel pooled_planes rows_pool 'FR=0 FS=0' -DOP_max_pool2d
kernel pooled_planes planes_pool 'FR=0 FS=0' -DOP_max_pool2d
resized='N = 1; C = 20; H = 3; W = 4; P = "T"; Q = "2*T";'
spec larger resize_bilinear '' "$resized"
spec larger_planes resize_bilinear "$planes" "$resized"
kernel larger any_resize '' -DOP_resize_bilinear
kernel larger channels_resize 'V=2' -DOP_resize_bilinear
kernel larger_planes rows_resize '' -DOP_resize_bilinear

section rows
spec along rows '' 'M = "T"; N = 37;' 'formula = "x[m,n] - mean[n](x[m,n])";'
spec across rows '' 'M = "T"; N = 37;' 'formula = "x[n,m]";'
kernel along rows 'NV=2 SIDE=1 PF=1 FN=0' -DOP_rows
kernel across block_rows 'ROWS=2 COLS=2' -DOP_rows
package along -DOP_rows

section no template is left out
templates=$(sed -n 's/^name *= "\(.*\)";$/\1/p' "$SRC"/templates/*/*.c)
[ -n "$templates" ] || failed "there are no templates"
for template in $templates; do
    case " $tried " in *" $template "*) ;; *) failed "no kernel of $template was tried" ;; esac
done
nothing_left
