#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A model that a spec says by hand (docs/model.md): the page's graph makes a package, its example compiles as it stands and computes what it should,
# also with rows that stay from call to call; calls whose dims do not fit say why; files of weights are read whatever way their header is written in,
# and refused where they lack something; a workspace has several orders where one does not do; a call allocates nothing, takes no lock and makes no system call; records make the same bytes again.
# ctest: label=slow timeout=300 cost=15
. "$SRC/tests/cli/lib.sh"
page=$SRC/docs/model.md
product=$SRC/tests/package/product
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror'

section the graph of the page
sed -n '/^name  = "recall"/,/^```$/p' "$page" | grep -v '^```' >recall.cfg
[ "$(grep -c '' recall.cfg)" -gt 20 ] || failed "docs/model.md has no graph"
run 0 --templates "$SRC/templates" --target portable --trials 1 --seconds 1 --no-report -o recall --records recall.jsonl recall.cfg
not_said warning
run 0 --templates "$SRC/templates" --target portable --trials 1 --seconds 1 --no-report --offline -o again --records recall.jsonl recall.cfg
diff -r recall again >"$tmp/log/diff" || { cat "$tmp/log/diff"; failed "records make other bytes"; }

! grep -nE '(in|out)\.recall' recall/*.[ch] recall/README.md || failed "a name of an input is taken for a word"

section a node of the model
run 0 explain recall 'embed rows' T=3 P=2
grep -q 'kernel' "$out" || failed "no kernel is said"
run 2 explain recall 'embed rows' T=3
said 'P=VALUE is missing'

section sizes that are always the same
sed '/^dims/d; s/"P + T"/5/g; s/"32\*P"/0/; s/"T"/5/g' recall.cfg >fixed.cfg
run 0 -q --templates "$SRC/templates" --target portable --trials 1 --seconds 1 --no-report -o fixed --records fixed.jsonl fixed.cfg
for file in model run_model test_model; do
    cc -std=c11 $warnings -fsyntax-only "fixed/$file.c" || failed "$file.c without dims"
done

section names that the code has too
sed 's/\bT\b/w/g; s/\bP\b/n/g; s/"kept"/"task"/g; s/"x"; ext/"recall_exec"; ext/; s/X = "x"/X = "recall_exec"/; s/"y"/"recall_embed"/g; s/"weights"/"recall_dims"/g' recall.cfg >names.cfg
run 0 replay --templates "$SRC/templates" --target portable --records recall.jsonl -o names names.cfg
for file in model run_model test_model; do
    cc -std=c11 -O1 $warnings -c "names/$file.c" -o "names_$file.o" || failed "$file.c of names that it has"
done
echo '#include "recall_model.h"' | c++ -x c++ -Wall -Wextra -Wshadow -Werror -Inames -fsyntax-only - || failed "recall_model.h of names that it has"

section names of any characters
# As it stands in the spec; in sed's own language each backslash, & and | has one more.
odd=$(sed 's/[\\&|]/\\&/g' <<'NAME'
a */ \\ \"b\" ??/ %s é \n #@ //@ end $(x) NAME
NAME
)
sed "s|\"embed rows\"|\"$odd\"|; s|from = \"rows\"|from = \"$odd x\"|; s|\"embed.bias\"|\"$odd b\"|; s|(\"T\", 32); } );\$|(\"T\", 32); from = \"$odd y\"; } );|" recall.cfg >odd.cfg
[ "$(grep -c 'a \*/' odd.cfg)" -eq 4 ] || failed "odd.cfg"
run 0 replay --templates "$SRC/templates" --target portable --records recall.jsonl -o odd odd.cfg
for file in model run_model test_model check_embed; do
    cc -std=c11 $warnings -trigraphs -fsyntax-only "odd/$file.c" || failed "$file.c of odd names"
done

section the model in package.json
cat >json.cmake <<'EOF'
file(READ ${file} text)
foreach(path "inputs;0;from" "inputs;0;extents;0" "states;0;name" "outputs;0;dtype" "weights;1;name" "dims;1;most" "nodes;0;function" "nodes;3;name")
    string(JSON value GET "${text}" model ${path})
    message("${value}")
endforeach()
EOF
cmake -Dfile=recall/package.json -P json.cmake >"$tmp/log/model" 2>&1
printf '%s\n' rows T kept f32 embed.bias 60 recall_embed mean | cmp - "$tmp/log/model" || { cat "$tmp/log/model"; failed "package.json"; }
cmake -Dfile=odd/package.json -P json.cmake >"$tmp/log/model" 2>&1
grep -qF '#@ //@ end $(x) NAME b' "$tmp/log/model" || { cat "$tmp/log/model"; failed "package.json of odd names"; }

section all of it compiles without a warning
for file in model run_model test_model check_embed check_scores check_softmax check_mean; do
    cc -std=c11 -O1 $warnings -c "recall/$file.c" -o "$file.o" || failed "$file.c has warnings"
done
gcc -std=gnu17 -O1 -c recall/kernels.c -o kernels.o
cc -std=gnu11 -O1 -c recall/pool.c -o pool.o
cc -o test_model test_model.o check_*.o model.o kernels.o pool.o -lm -pthread
./test_model >"$tmp/log/test" || { cat "$tmp/log/test"; failed "the model's test"; }

cc -o names_test names_test_model.o check_*.o names_model.o kernels.o pool.o -lm -pthread
./names_test >"$tmp/log/test" || { cat "$tmp/log/test"; failed "the test of a model with names that the code has"; }

section the example of the page
sed -n '/^```c$/,/^```$/p' "$page" | sed -n '/example: a model that/,/^```$/p' | grep -v '^```' >example.c
[ -s example.c ] || failed "docs/model.md has no example"
cp "$product/recall.c" "$product/recall_weights.h" .
cc -std=c11 -O1 $warnings -Wno-unused-function -Irecall -o example recall.c model.o kernels.o pool.o -lm -pthread || failed "the example"
./example weights.safetensors pair.safetensors || failed "the example computes something else, or a wrong file is taken"

section files
cc -o run_model run_model.o model.o kernels.o pool.o -lm -pthread
says() { # CODE TEXT ARGUMENT...: what the package's program ends with, and says
    want=$1 text=$2 got=0
    shift 2
    ./run_model "$@" >"$tmp/log/said" 2>&1 || got=$?
    [ "$got" -eq "$want" ] && grep -q -- "$text" "$tmp/log/said" || { cat "$tmp/log/said"; failed "run_model $*: $got, not $want and $text"; }
}
says 0 '^y \[5\]\[32\]: largest error' weights.safetensors pair.safetensors P=0
says 0 '^kept \[64\]\[32\]: largest error' weights.safetensors pair.safetensors P=0 3
says 1 'y .*: wrong$' weights.safetensors pair.safetensors P=2
says 2 'no input tells the dim P' weights.safetensors pair.safetensors
says 2 'the model has no such dim' weights.safetensors pair.safetensors Q=1
says 2 usage weights.safetensors
says 1 'must be at least 0' weights.safetensors pair.safetensors P=60
says 1 'outside of its range' weights.safetensors pair.safetensors P=61
says 1 'must be \[3\]\[16\]' weights.safetensors pair.safetensors P=0 T=3
says 1 'no safetensors file' weights.safetensors recall.cfg P=0
says 1 'weights are no' pair.safetensors pair.safetensors P=0
says 3 'cannot read none' weights.safetensors none
says 3 'cannot read \.' . pair.safetensors P=0
says 3 'cannot write' weights.safetensors pair.safetensors P=0 -o none/of/it
says 0 'median of 3 calls' weights.safetensors pair.safetensors P=0 --times 3 -o out.safetensors
grep -q ' us .* %  embed rows$' "$tmp/log/said" || failed "no times of nodes"
head -c 20000 pair.safetensors | tail -c +9 | grep -aq 'out.y' && grep -aq '"out.y":{"dtype":"F32","shape":\[5,32\]' out.safetensors || failed "no outputs were written"

section the package builds its programs
{ cmake -S recall -B built -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' && cmake --build built --target recall_test_model recall_run_model -j2; } >"$tmp/log/cmake" 2>&1 ||
    { cat "$tmp/log/cmake"; failed "cmake"; }
built/recall_run_model weights.safetensors pair.safetensors P=0 >"$tmp/log/said" && built/recall_test_model weights.safetensors >"$tmp/log/said" ||
    { cat "$tmp/log/said"; failed "a program of the package"; }

section sums beyond the floats, which are infinite or not, as they are rounded
cat >beyond.cfg <<'CFG'
name = "beyond"; target = ["portable"]; dims = { T = { min = 1; max = 9; }; };
functions = ( { name = "mask"; op = "rows"; formula = "x[m,n] + (n <= m ? 0.0 : -3.4e38)"; shapes = ( { M = "T"; N = "T"; } ); },
              { name = "softmax"; op = "rows"; formula = "softmax[n](x[m,n])"; shapes = ( { M = "T"; N = "T"; } ); },
              { name = "place"; op = "rows"; formula = "floor(3.0 * x[m,n])"; types = { Y = "s32"; }; shapes = ( { M = "T"; N = "T"; } ); },
              { name = "at"; op = "rows"; formula = "x[m,n] + at[m,n]"; types = { at = "s32"; }; shapes = ( { M = "T"; N = "T"; } ); } );
graph = { inputs = ( { name = "x"; extents = ("T", "T"); } ); outputs = ( { name = "y"; extents = ("T", "T"); } );
          nodes = ( { call = "mask"; x = "x"; Y = "once"; }, { call = "mask"; x = "once"; Y = "twice"; }, { call = "softmax"; x = "twice"; Y = "part"; },
                    { call = "place"; x = "part"; Y = "whole"; }, { call = "at"; x = "part"; at = "whole"; Y = "y"; } ); };
CFG
run 0 -q --templates "$SRC/templates" --trials 1 --seconds 1 --no-report -o beyond beyond.cfg
gcc -std=gnu17 -O1 -o beyond_test beyond/test_model.c beyond/check_*.c beyond/model.c beyond/kernels.c beyond/pool.c -lm -pthread || failed "beyond"
./beyond_test >"$tmp/log/test" || { cat "$tmp/log/test"; failed "the test of a model whose sums are beyond the floats"; }

section a workspace in several orders
awk -v seed=12 -f "$product/orders.awk" >orders.cfg
run 0 -q --templates "$SRC/templates" --trials 1 --seconds 1 --no-report -o orders --records orders.jsonl orders.cfg
norder=$(grep -c "^static int64_t orders_place_" orders/model.c)
[ "$norder" -gt 1 ] || failed "the graph needs one order alone"
awk -v seed=12 -v as=c -f "$product/orders.awk" >nodes.inc
places=$(i=0; while [ $i -lt "$norder" ]; do printf 'orders_place_%d,' $i; i=$((i + 1)); done)
gcc -std=gnu17 -O1 -c orders/kernels.c -o orders_kernels.o
cc -std=c11 -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -I. -Iorders -DPLACES="$places" -o orders_test "$product/orders.c" orders_kernels.o pool.o -lm -pthread || failed "orders.c"
./orders_test || failed "a workspace in several orders"

section nothing but arithmetic
sed "s/NAME/recall/g" "$product/model_alone.c" >alone.c
cc -std=gnu11 -O1 -Wall -Wextra -Werror -Irecall -o alone alone.c model.o kernels.o pool.o -lm -pthread || failed "model_alone.c"
./alone weights.safetensors pair.safetensors P=0 || failed "the call does more than arithmetic"
