#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# --templates DIR with faulty templates. What is wrong with a template's text is told at its line; what is wrong with a kernel becomes
# a record, and the package is made of the good ones.
# ctest: label=slow cost=60
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
plain=$SRC/tests/cli/templates/dense/plain.c

# template DIR NAME SED-SCRIPT: plain.c under another name, with one value a parameter, changed
template() {
    mkdir -p "$1/dense"
    sed -e "s/\"plain\"/\"$2\"/; s/\[1, 2, 3, 4, 8, 16\]/[4]/; s/\[1, 2, 4\];  /[1];/" "$plain" >template.c
    sed -e "$3" template.c >"$1/dense/$2.c"
    ! cmp -s template.c "$1/dense/$2.c" || failed "the script for $2 changes nothing"
}
line_of() { grep -n -e "$2" "$1" | head -n1 | cut -d: -f1; }

section a kernel that hangs, in the background
template hang hangs 's/^    const int64_t n0 = .*/    for (;;) pause();\n&/; s/^static TARGET_ATTRIBUTE int KERNEL(/#include <unistd.h>\n&/'
start hang --templates hang -o hang.out --trials 6 --seconds 200 tiny.cfg

# told SCRIPT WHERE-PATTERN TEXT: an error at the first line with the pattern
told() {
    rm -rf faulty
    template faulty faulty "$1"
    for command in check 'generate -o x'; do
        # shellcheck disable=SC2086
        run 2 $command --templates faulty tiny.cfg
        said_first "faulty/dense/faulty.c:$(line_of faulty/dense/faulty.c "$2"):"
        said_first "$3"
    done
    absent x x.records.jsonl
}
section faulty texts
told 's/m0 += MB/m0 += MC/' 'm0 += MC' "'MC'"
told 's/^  { name = "UK"/  { name = "UV"; choices = [1]; doc = "of no use"; },\n&/; s/UK = 1; }/UK = 1; UV = 1; }/' 'name = "UV"' "'UV'"
told 's/^doc     = .*/doc     = "/' 'doc     = "' 'error'
told '/^doc     =/d' '^name ' "'doc'"
told 's/^tile = .*/tile = { M = "MQ"; N = "1"; K = "1"; };/' 'MQ' "'MQ'"
told 's/STEP <= 32/STEP <= /' 'STEP <= ' 'error'
run 0 check -v --templates "$SRC/templates" tiny.cfg
tuned=$(sed -n 's/^target: \([a-z0-9]*\) .*/\1/p' "$out")
told "s/\"$tuned\"; *MB = 4/\"$tuned\"; MB = 5/" 'MB = 5' "the general kernel for"
told 's/^#if HAS_EPILOGUE/#if HAS_EPILOGUE \&\& (/' '#if HAS_EPILOGUE' 'error'
run 2 --templates faulty,none -o x tiny.cfg
said_first "--templates: 'none': No such file"
run 2 --templates tiny.cfg -o x tiny.cfg
said_first "'tiny.cfg' is not a folder"
absent x

section faulty kernels
bad=bad/dense
template bad aborts  's/^    const int64_t n0 = .*/    __builtin_trap();\n&/'
template bad exits   's/^    const int64_t n0 = .*/    exit(0);\n&/; s/^static TARGET_ATTRIBUTE int KERNEL(/#include <stdlib.h>\n&/'
template bad gibber  's/^    const int64_t n0 = .*/    int bad = (;\n&/'
template bad nan     's/ = y;$/ = y * 0 \/ 0;/'
template bad none    's/ = y;$/ = a->Y[m * a->N + n];/'
template bad refuses 's/^    return 0;/    return PACKAGE_BAD_EXTENT;/'
template bad after   's/^    return 0;/    if (task == 0) a->Y[a->M * a->N] = 1;\n&/'
template bad before  's/^    return 0;/    if (task == 0) a->Y[-1] = 1;\n&/'
template bad input   's/^    return 0;/    if (task == 0) ((float *)(uintptr_t)a->X)[0] += 1;\n&/'
template bad wild    's/^    return 0;/    *(volatile int *)8 = 1;\n&/'
template bad wrong   's/sum\[k % UK\] +=/sum[k % UK] -=/'
template bad stack   's/^    return 0;/    volatile char big[1 << 28]; big[0] = big[1 << 20] = (char)task; (void)big;\n&/'
template bad talks   's/^    const int64_t n0 = .*/    puts("{\\"event\\":\\"done\\",\\"id\\":1}"); fflush(stdout);\n&/; s/^static TARGET_ATTRIBUTE int KERNEL(/#include <stdio.h>\n&/'
run 0 --templates bad -o good --trials 16 tiny.cfg

# became NAME STATUS WHY
became() {
    grep -q "\"template\":\"$1\".*\"status\":\"$2\".*\"why\":\"[^\"]*$3" good.records.jsonl ||
        failed "$1 is not recorded as $2 ($3): $(grep "\"template\":\"$1\"" good.records.jsonl)"
}
# A runner that was built with sanitizers exits where others are killed.
became aborts  crashed      '\(killed by SIGILL\|exited with code 1\) while verifying'
became exits   crashed      'exited with code 0 while verifying'
became gibber  build_failed 'error: expected expression'
became nan     wrong        ''
became none    wrong        ''
became refuses invalid      ''
became after   '[a-z]*'     ''
became before  '[a-z]*'     ''
became input   '[a-z]*'     ''
became wild    crashed      '\(killed by SIGSEGV\|exited with code 1\) while verifying'
became wrong   wrong        ''
became stack   crashed      ' while verifying'
became talks   ok           ''
for name in after before input; do
    grep "\"template\":\"$name\"" good.records.jsonl | grep -qE '"status":"(wrong|crashed)"' || failed "$name is not found out"
done
whole good
for name in aborts exits gibber nan none refuses after before input wild wrong stack; do
    ! grep -q "\"template\": \"$name\"" good/package.json || failed "$name is in the package"
done
grep -q ' failed; ' "$out" || failed "the summary does not count failures"

section kernels fixed for an extent
template fixed fixed 's/^  { name = "UK"/  { name = "FIXED_K"; choices = "K"; doc = "the K that it is wrong for"; },\n&/
    s/UK = 1; }/UK = 1; FIXED_K = 0; }/; s/^    return 0;/#if FIXED_K\n    a->Y[0] += a->K == FIXED_K;\n#endif\n&/'
run 0 --templates fixed -o fixed.out --trials 40 tiny.cfg
grep -q '"template":"fixed".*"FIXED_K":0.*"status":"ok"' fixed.out.records.jsonl || failed "nothing is fixed in it: $(grep '"template":"fixed"' fixed.out.records.jsonl)"
grep -q '"template":"fixed".*"FIXED_K":16.*"status":"wrong"' fixed.out.records.jsonl || failed "it was not verified at its own K: $(grep '"template":"fixed"' fixed.out.records.jsonl)"

section only faulty kernels
rm "$tmp/inst/share/dcgen/templates/dense/plain.c" "$bad/talks.c"
run 1 --templates bad -o none --trials 8 tiny.cfg
said 'dcgen: none of 8 candidates works: 1 not built, '
said ' x wrong: on M='
said '    for one: '
absent none
cp "$plain" "$tmp/inst/share/dcgen/templates/dense"

section no template for this spec
write_spec packed.cfg
sed -i 's/W = "NK"/W = "NK"; packed = true/' packed.cfg
run 2 -o x packed.cfg
said 'packed.cfg'
absent x x.records.jsonl

section what became of the one that hangs
finish hang 0
grep -q '"template":"hangs".*"status":"timed_out".*silent for [0-9]* s while verifying' hang.out.records.jsonl || failed "no timeout recorded: $(grep '"template":"hangs"' hang.out.records.jsonl)"
whole hang.out
! grep -q hangs hang.out/kernels.c || failed "it is in the package"
nothing_left
