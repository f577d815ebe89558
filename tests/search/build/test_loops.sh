#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The innermost loops that compilers make of the kernels that packages fall back on, and of one of Winograd's: the tile's FMAs, each vector loaded
# once, nothing on the stack, whichever compiler it is: for each instruction set by the newest clang and a gcc of another version, if they are here (a
# search looks at what its own compiler makes), and for NEON by a cross compiler.
# (The loop of pack_bmm packs on its way, which is no straight loop; formulas of rows may keep what they like on the stack.)
# ctest: label=slow,thorough timeout=900 cost=30
set -eu
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
compilers='clang-19 clang-16 clang gcc-14 gcc-13 aarch64-linux-gnu-gcc'
# The newest of each kind that is here.
compilers=$(for c in $compilers; do
    command -v "$c" >/dev/null && echo "$c" || echo "skipped: $c is not installed" >&2
done | awk '{ kind = $1; sub(/-[0-9]+$/, "", kind) } !seen[kind]++')

cc -std=gnu17 -O1 -Wall -Wextra -I"$SRC" loops.c "$BIN/libroom_search_build.a" "$BIN/libroom_gen_target.a" "$BIN/libroom_gen_base.a" \
    -o "$tmp/loops" -lm

# spec NAME OP REST
spec() {
    echo "name = \"$1\"; op = \"$2\"; dtype = \"f32\"; target = [\"portable\"]; dims = { T = { min = 1; max = 64; }; }; tune = { T = [1, 64]; };
threads = [1]; $3" >"$tmp/$1.cfg"
}
spec in_panels dense 'shapes = ( { M = "T"; N = 64; K = 64; } ); layout = { W = "NK"; packed = true; };'
spec w_nk dense 'shapes = ( { M = "T"; N = 64; K = 64; } ); layout = { W = "NK"; };'
spec w_kn dense 'shapes = ( { M = "T"; N = 64; K = 64; } ); layout = { W = "KN"; };'
spec b_kn batch_matmul 'shapes = ( { B0 = 2; B1 = 2; M = "T"; N = 64; K = 64; } ); layout = { B = "KN"; };'
spec b_nk batch_matmul 'shapes = ( { B0 = 2; B1 = 2; M = "T"; N = 64; K = 64; } ); layout = { B = "NK"; };'
spec images conv2d 'shapes = ( { N = "T"; G = 1; H = 14; W = 14; C = 64; K = 64; R = 3; S = 3; PAD = 1; } ); layout = { packed = true; };
accuracy = 16.0;'
spec planes conv2d 'shapes = ( { N = "T"; G = 1; H = 14; W = 14; C = 64; K = 64; R = 3; S = 3; PAD = 1; } ); layout = { X = "NCHW"; F = "KCRS"; Y = "NCHW"; };'
spec depths conv2d 'shapes = ( { N = "T"; G = 64; H = 14; W = 14; C = 1; K = 1; R = 3; S = 3; PAD = 1; } ); layout = { packed = true; };'

# SPEC TEMPLATE ROWS VECTORS STEPS [PARAMETERS]: a round is STEPS times ROWS x VECTORS FMAs; VP: the vectors of a panel. Without
# parameters it is what the template calls general.
table='in_panels packed_gemm MR NP*VP KA*UK
w_nk dot_gemm MR NR UK
w_nk repack_gemm MR NP*VP UK
w_kn direct_gemm MR NV UK
b_kn direct_bmm MR NV 2
b_nk dot_bmm MR NR 1
images direct_conv MR NP*VP UK
depths depthwise_conv 1 QT 1
planes filters_conv MR NV UK
images winograd_conv MR NP*VP UK YT=4 MR=avx512:5,avx2:6,portable:1 NP=avx512:3,avx2:1,portable:1 UK=1 PF=1 HOLD=1 BLOCK=1'

found=0 wrong=0
check() {
    spec=$1 template=$2 target=$3 lanes=$4 rows=$5 vectors=$6 steps=$7
    shift 7
    "$DCGEN" try "$template" "$@" "$tmp/$spec.cfg" -t "$target" --dump source >"$tmp/kernel.c"
    VP=$((16 / lanes))
    eval "$*" # MR=8 NP=3 ..., of which the table's expressions are made
    rows=$(($rows)) vectors=$(($vectors)) steps=$(($steps))
    # Where loads may be folded into FMAs, each row has its own.
    loads=$((steps * (rows * vectors + rows + vectors)))
    for compiler in $compilers; do
        arch=x86_64 own=
        case $compiler in *gcc*) own=-frename-registers ;; esac
        case $compiler,$target in
        aarch64*,portable) arch=aarch64 ;;
        aarch64*) continue ;;
        esac
        [ "$arch" = aarch64 ] || [ "$(uname -m)" = x86_64 ] || continue
        "$compiler" -std=gnu17 -O3 -ffp-contract=fast $own -fPIC -S "$tmp/kernel.c" -o "$tmp/kernel.s"
        loop=$("$tmp/loops" "$arch" <"$tmp/kernel.s" | grep -Ev '_(finish|fill|pack)$' | sort -n | tail -n 1)
        found=$((found + 1))
        # A store that nothing loads again is not a register that was short: one of them passes.
        echo "$loop" | {
            read -r fmas loaded stored from_stack to_stack function
            case $function in *[a-z]*) ;; *) exit 1 ;; esac
            [ "$fmas" -eq $((rows * vectors * steps)) ] && [ "$loaded" -le "$loads" ] && [ "$from_stack" -eq 0 ] &&
                [ "$to_stack" -le 1 ] && [ "$stored" -eq "$to_stack" ]
        } || {
            wrong=$((wrong + 1))
            echo "FAILED: $compiler $target $template $*: '$loop' (FMAs, loads, stores, from and to the stack) for $((rows * vectors * steps)) FMAs, $loads loads at most"
        }
    done
}

for target in avx512:16 avx2:8 portable:4; do
    lanes=${target#*:} target=${target%:*}
    [ "$(uname -m)" = x86_64 ] || [ "$target" = portable ] || continue
    echo "$table" >"$tmp/table"
    for spec in in_panels w_nk w_kn b_kn b_nk images planes depths; do
        "$DCGEN" --dump space "$tmp/$spec.cfg" -t "$target" >"$tmp/$spec.space"
    done
    while read -r spec template rows vectors steps parameters; do
        if [ -n "$parameters" ]; then
            parameters=$(echo "$parameters" | sed "s/[a-z0-9:,]*$target:\([0-9]*\)[a-z0-9:,]*/\1/g")
        else
            parameters=$(sed -n "s/^general: $template $target //p" "$tmp/$spec.space")
        fi
        # shellcheck disable=SC2086 # a list
        check "$spec" "$template" "$target" "$lanes" "$rows" "$vectors" "$steps" $parameters </dev/null
    done <"$tmp/table"
done
echo "$found loops"
[ "$wrong" -eq 0 ]
[ "$found" -gt 0 ] || exit 77
