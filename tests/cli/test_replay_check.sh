#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a package's MANIFEST names, and that `replay --check` finds what tests/gen/print/test_drift.c has in all its kinds: files edited by hand,
# missing or too many, other line ends, another version or other templates. And packages without a report, which need no gnuplot.
# ctest: label=slow
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
run 0 -o tiny tiny.cfg
whole tiny
share=$tmp/inst/share/dcgen/templates

# told LINE: the last run's stdout has this line; told_not TEXT: it has no such text
told() { grep -qxF -- "$1" "$out" || failed "stdout does not say: $1"; }
told_not() { ! grep -qF -- "$1" "$out" || failed "stdout says: $1"; }
fresh() { rm -rf p; cp -R tiny p; }
# key NAME VALUE: the last run's JSON object has it
key() {
    tr -d '\n' <"$out" | tr -s ' ' | grep -qF -- "\"$1\": $2" || failed "no \"$1\": $2"
}

section what MANIFEST names
for path in .gitattributes CMakeLists.txt README.md bench.c dispatch.h kernels.c package.json pieces.h pool.c records.jsonl regret.json \
    report.html spec.cfg test.c tiny.h tiny_pool.h; do
    [ "$(grep -cE "^[0-9a-f]{64}  $path\$" tiny/MANIFEST)" -eq 1 ] || failed "MANIFEST does not name $path"
done
for line in '# package tiny' "# dcgen $("$dcgen" --version | sed 's/dcgen //')"; do
    grep -qx "$line" tiny/MANIFEST || failed "MANIFEST does not say: $line"
done
for path in dense/op.cfg dense/plain.c dense/reference.c package/test.c package/kernels.c package/candidate.c targets/avx2.cfg; do
    grep -qE "^# template [0-9a-f]{64}  $path\$" tiny/MANIFEST || failed "MANIFEST does not name the template $path"
done
[ "$(grep -c '' tiny/MANIFEST)" -eq "$(sort -u tiny/MANIFEST | grep -c '')" ] || failed "a line is there twice"
# shellcheck disable=SC2012 # the names are dcgen's own
[ "$(ls -A tiny | grep -c '')" -eq "$(($(grep -c '^[^#]' tiny/MANIFEST) + 1))" ] || failed "a file is not named"
! grep -F -e "$tmp" -e cuda -e sm_ tiny/MANIFEST || failed "MANIFEST names what the package was not made of"
(cd tiny && sha256sum -c --strict MANIFEST >"$tmp/log/sums" 2>&1) || failed "sha256sum: $(cat "$tmp/log/sums")"
[ "$(grep -c ': OK$' "$tmp/log/sums")" -eq "$(grep -c '^[^#]' tiny/MANIFEST)" ] || failed "sha256sum: $(cat "$tmp/log/sums")"

section as written
run 0 replay --check tiny
told "tiny: as dcgen $(sed -n 's/^# dcgen //p' tiny/MANIFEST) writes it, byte for byte; report.html is as it was, and was not drawn again"
[ "$(grep -c '' "$out")" -eq 1 ] || failed "more is said than that"
run 0 replay --check tiny --json
key same true
key edited '[]'
(mkdir -p "$tmp/else where"; cp -R tiny "$tmp/else where/with space"; cd /; run 0 replay --check "$tmp/else where/with space")

section edited, missing, extra
fresh
echo '/* faster */' >>p/kernels.c
rm p/pool.c
mkdir p/build
: >p/notes.txt
run 1 replay --check p
told 'edited: kernels.c'
told 'missing: pool.c'
told 'extra: build/ (no file of the package; regenerating in place takes --force, which keeps it)'
told 'extra: notes.txt (no file of the package; regenerating in place takes --force, which keeps it)'
grep -q '^p: edited by hand: 2 files are not as dcgen .* wrote them$' "$out" || failed "no verdict"
told_not 'made by'
told_not 'would change'
run 1 replay --check p --json
key edited '[ "kernels.c" ]'
key missing '[ "pool.c" ]'
key extra '[ "build/", "notes.txt" ]'
key changed '[]'
key replayed true
key same false

section git with autocrlf
if command -v git >/dev/null 2>&1; then
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
    mine() { git -C product -c user.name=a -c user.email=a@b -c core.autocrlf=false "$@" >"$tmp/log/git" 2>&1 || failed "git: $(cat "$tmp/log/git")"; }
    git init -q product
    cp -R tiny product/tiny
    mine add -A
    mine commit -m with
    git clone -q -c core.autocrlf=true product theirs
    run 0 replay --check theirs/tiny
    rm product/tiny/.gitattributes          # as a product may lose it
    mine commit -a -m without
    rm -rf theirs
    git clone -q -c core.autocrlf=true product theirs
    run 1 replay --check theirs/tiny
    told 'missing: .gitattributes'
    told 'line ends: kernels.c'
    cp tiny/.gitattributes theirs/tiny      # what the message advises
    (cd theirs/tiny && rm -f -- * && git checkout -q -- .) # all of them: git leaves a file alone that is as old as its index says
    run 0 replay --check theirs/tiny
else
    skipped "git is not installed"
fi

section edited inputs
fresh
echo >>p/records.jsonl
run 1 replay --check p
told 'edited: records.jsonl'
told 'p: not made again, as that takes its own spec.cfg, logs of shapes and records.jsonl'

section edited together with MANIFEST, and a file that this dcgen would not write
fresh
sed 's/return/return  /' tiny/dispatch.h >p/dispatch.h
echo 'of another dcgen' >p/more.txt
sed '/  dispatch.h$/d' tiny/MANIFEST >p/MANIFEST
(cd p && sha256sum more.txt >>MANIFEST)
run 1 replay --check p
for file in dispatch.h more.txt MANIFEST; do told "would change: $file"; done
told_not 'edited:'
told_not 'extra: more.txt'
told_not 'would change: kernels.c'
grep -q 'of the same version and templates, makes other bytes' "$out" || failed "no verdict"

section a MANIFEST that is gone or nonsense
fresh
rm p/MANIFEST
run 1 replay --check p
told 'missing: MANIFEST'
told_not 'would change'
for line in '12  kernels.c' '0000000000000000000000000000000000000000000000000000000000000000  ../secret' '# rubbish'; do
    { cat tiny/MANIFEST; echo "$line"; } >p/MANIFEST
    run 1 replay --check p
    told "p: MANIFEST: line $(grep -c '' p/MANIFEST) is none of a package's manifest"
done

section another version, other templates
fresh
sed 's/^# dcgen .*/# dcgen 0.0.1/' tiny/MANIFEST >p/MANIFEST
run 1 replay --check p
told 'made by: dcgen 0.0.1'
told 'would change: MANIFEST'
told_not 'edited:'
told 'p: made by another dcgen or other templates than these: regenerating would change it'
run 1 replay --check p --json
key made_by '"0.0.1"'
key changed '[ "MANIFEST" ]'
key same false
fresh
cp "$share/package/pool.c" pool.c
echo '/* another one */' >>"$share/package/pool.c"
run 1 replay --check p
told 'made by: template package/pool.c'
[ "$(grep -c 'made by: ' "$out")" -eq 1 ] || failed "more than one maker is named"
told 'would change: pool.c'
told 'would change: MANIFEST'
told_not 'would change: kernels.c'
told_not 'edited:'
mv pool.c "$share/package/pool.c"
fresh
cp "$share/dense/plain.c" plain.c
echo '/* another one */' >>"$share/dense/plain.c"      # its records are for the other text
run 1 replay --check p
told 'made by: template dense/plain.c'
said 'the records hold no verified measurement for this spec, these templates'
said 'kernels of another version of dense/plain.c'
told_not 'byte for byte'
mv plain.c "$share/dense/plain.c"
section what is no package
mkdir empty
run 2 replay --check empty
said "'empty' is no package of dcgen's: it has neither MANIFEST nor spec.cfg"
run 2 replay --check tiny --records x.jsonl
said "--records is no option of 'replay --check'"
run 2 check --check tiny
said "--check is no option of 'check'; it goes with replay --check"

section without a report
run 0 replay tiny.cfg --records tiny.records.jsonl -o bare --no-report
absent bare/report.html
! grep -q 'report.html' bare/MANIFEST bare/README.md || failed "a report is named that is not there"
{ cat tiny.cfg; echo 'report = false;'; } | cmp - bare/spec.cfg || failed "spec.cfg does not keep --no-report"
run 0 replay --check bare
run 0 replay bare/spec.cfg --records bare/records.jsonl -o bare2
diff -r bare bare2 || failed "the package does not repeat itself"
for file in kernels.c dispatch.h tiny.h test.c; do
    cmp "bare/$file" "tiny/$file" || failed "--no-report changes $file"
done

section without gnuplot
mkdir nowhere
bare() { code=0; PATH=$tmp/work/nowhere "$dcgen" "$@" >"$out" 2>"$err" || code=$?; }
bare replay tiny.cfg --records tiny.records.jsonl -o x
[ "$code" -eq 3 ] || failed "exit code $code without gnuplot"
said 'gnuplot was not found'
said 'gnuplot-nox'
said '--no-report'
absent x
bare replay tiny.cfg --records tiny.records.jsonl -o x --no-report
[ "$code" -eq 0 ] || failed "exit code $code with --no-report"
diff -r bare x || failed "another package without gnuplot"
bare replay --check tiny
[ "$code" -eq 0 ] || failed "exit code $code of --check without gnuplot"
bare replay --check bare
[ "$code" -eq 0 ] || failed "exit code $code of --check of a package without a report"
cp -R tiny p2
echo >>p2/report.html
bare replay --check p2
[ "$code" -eq 1 ] || failed "exit code $code of --check with an edited report"
told 'edited: report.html'
told_not 'would change'
mkdir tools
ln -s "$real_gcc" tools/gcc # without what lib.sh has in its place
for tool in as ld collect2; do ln -s "$(command -v $tool || echo /nowhere)" tools/; done
code=0
PATH=$tmp/work/tools "$dcgen" tiny.cfg -o y >"$out" 2>"$err" || code=$?
[ "$code" -eq 3 ] || failed "exit code $code of a search without gnuplot"
said 'gnuplot was not found'
absent y y.records.jsonl          # told before anything is measured

section a package that needs a folder of templates
mkdir -p own/dense
sed 's/"plain"/"owned"/' "$SRC/tests/cli/templates/dense/plain.c" >own/dense/owned.c
run 0 --templates own -o made/with --trials 6 tiny.cfg --no-report
{ cat tiny.cfg; echo 'templates = ["../../own"];'; echo 'report = false;'; } | cmp - made/with/spec.cfg || failed "it does not keep the folder"
! grep -rF "$tmp" made/with || failed "a path of this machine is in the package"
run 0 explain made/with T=2
run 0 replay --check made/with
run 0 replay made/with/spec.cfg --records made/with/records.jsonl -o made/again
diff -r made/with made/again || failed "another package beside it"
(cd made && "$dcgen" explain with T=2 >/dev/null) || failed "it is not found from another folder"
mv own elsewhere
for command in explain 'replay --check'; do
    # shellcheck disable=SC2086
    run 2 $command made/with
    said "made/with/spec.cfg:9:14: error: there is no folder 'made/with/../../own'; where it lies elsewhere now, name it by --templates DIR"
done
run 0 explain made/with T=2 --templates elsewhere
nothing_left
