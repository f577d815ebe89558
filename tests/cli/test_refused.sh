#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What no kernel computes is refused by its combination of op, formula, dtype, layout and target, with the reason, and with what would do instead:
# found by asking for that, so that it changes with the templates there are. Before anything is searched, and of each function.
. "$SRC/tests/cli/lib.sh"
install_cuda
share=$tmp/inst/share/dcgen/templates

# taken CHANGE...: the spec with these lines is good
taken() {
    sed "$@" spec.cfg >other.cfg
    run 0 check other.cfg
}
spec() { # spec DTYPE TARGET [MORE]
    printf 'name = "layer"; op = "dense"; dtype = "%s"; target = ["%s"]; shapes = ( { M = 4; N = 8; K = 8; } ); %s\n' "$1" "$2" "${3:-}" >spec.cfg
}

section a dtype that no template serves
spec bf16 portable 'epilogue = "gelu(acc)";'
run 2 check spec.cfg
said "spec.cfg:1:8: error: no kernel computes 'layer' (op dense, epilogue gelu(acc), dtype bf16, layout W: NK, target portable)"
said 'its templates for CPUs serve f32; dtype = "f32" would do'
taken 's/bf16/f32/'
run 2 spec.cfg
said 'dtype = "f32" would do'
absent out/layer

section a template more is an answer more
sed 's/^dtypes.*/dtypes = ["f32", "bf16"];/' "$share/dense/plain.cu" >keep.cu
grep -q bf16 keep.cu && cp keep.cu "$share/dense/plain.cu" || failed "plain.cu has no dtypes"
spec bf16 portable
run 2 check spec.cfg
said 'dtype = "f32" would do, or target = ["sm_90a"]'
taken 's/"portable"/"sm_90a"/'

section no template for such devices
rm "$share/dense/plain.cu"
spec f32 sm_80
run 2 check spec.cfg
said "(op dense, dtype f32, layout W: NK, target sm_80): the op has no template for GPUs; target = [\"host\"] would do"
taken 's/"sm_80"/"host"/'
spec f16 sm_80
run 2 check spec.cfg
said 'dtype = "f32" together with target = ["host"] would do'
taken 's/f16/f32/; s/"sm_80"/"host"/'

section a layout
spec f32 portable 'layout = { W = "KN"; };'
run 2 check spec.cfg
said 'layout W: KN, target portable): no template for CPUs and f32 serves this layout; layout = { W = "NK"; } would do'
taken 's/"KN"/"NK"/'

section packed
spec f32 portable 'layout = { packed = true; };'
run 2 check spec.cfg
said 'reads the constant operand packed; layout = { packed = false; } would do'
taken 's/packed = true/packed = false/'

section constraints
cp "$share/dense/plain.c" keep.c
sed 's/need = "STEP <= 32"; why = ".*";/need = "!EPILOGUE_CALLS \&\& STEP <= 32"; why = "it has no registers for calls";/' keep.c >"$share/dense/plain.c"
spec f32 portable 'epilogue = "acc + bias[n]";'
run 0 check spec.cfg
spec f32 portable 'epilogue = "exp(acc)";'
run 2 check spec.cfg
said 'most often of plain: it has no registers for calls; no epilogue would do'

section values that the spec allows
cp keep.c "$share/dense/plain.c"
spec f32 portable 'space = { MB = [16]; UK = [4]; };'
run 2 check spec.cfg
said "each of the 1 combinations of parameters with the values that 'space' allows breaks a constraint, most often of plain: a block of that size"
said "of no use; no 'space' would do"
taken 's/space = .*//'

section several functions
cat >pair.cfg <<'CFG'
name = "pair"; target = ["portable"];
functions = (
  { name = "good"; op = "dense"; shapes = ( { M = 4; N = 8; K = 8; } ); },
  { name = "bad";  op = "dense"; dtype = "f16"; shapes = ( { M = 4; N = 8; K = 8; } ); },
  { name = "worse"; op = "dense"; layout = { W = "KN"; }; shapes = ( { M = 4; N = 8; K = 8; } ); } );
CFG
for command in check ''; do
    run 2 $command pair.cfg
    said "pair.cfg:4:12: error: no kernel computes 'bad' (op dense, dtype f16,"
    said "pair.cfg:5:12: error: no kernel computes 'worse' (op dense, dtype f32, layout W: KN,"
    not_said "'good'"
    absent out/pair
done

section nothing would do
rm "$share/dense/plain.c"
spec f32 portable
run 2 check spec.cfg
said 'no other dtype, layout or target would do'
