#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# From a product's calls to the package that is chosen by them: a program counts the shapes of its calls by the header in a package, and writes
# the log; a spec takes its shapes from there; the package of that spec holds the log, and is made again from its own folder.
# ctest: label=slow
. "$SRC/tests/cli/lib.sh"

# compiles ARGUMENT...: as strict C11
compiles() {
    gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -O2 "$@"
}

section a product counts its calls
write_spec first.cfg
run 0 -o tiny first.cfg
whole tiny
[ -s tiny/tiny_log.h ] || failed "no tiny_log.h"
cat >product.c <<'C'
#include <string.h>
#include "tiny.h"
#include "tiny_log.h"

static _Thread_local tiny_log_table table, other;

/* Calls with M = 1 + i % 3 of N = 24, K = 16, and some that are not counted. */
int main(int argc, char **argv)
{
    static float x[3 * 16], w[24 * 16], y[3 * 24];
    for (int i = 0; i < 100; i++) {
        const int64_t m = 1 + i % 3;
        if (tiny(m, 24, 16, x, w, y, NULL, NULL) != tiny_OK)
            return 1;
        tiny_log(&table, m, 24, 16);
        tiny_log(i % 2 ? &table : &other, 4, 24, 16);
    }
    tiny_log(&table, 1, -1, 16);
    tiny_log(&table, 1, (int64_t)1 << 32, 16);
    tiny_log(&table, 0, 0, 0);
    if (table.lost != 2 || other.lost != 0)
        return 2;
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!file || tiny_log_write(&table, file) || tiny_log_write(&other, file) || fclose(file))
        return 3;
    FILE *full = fopen("/dev/full", "w");
    if (full && (setvbuf(full, NULL, _IONBF, 0), tiny_log_write(&table, full)) != -1)
        return 4;

    /* More shapes than there is room for: each call is counted in the table, or as lost. */
    static tiny_log_table small;
    uint64_t n = 0;
    for (int64_t i = 1; i <= 4 << tiny_LOG_BITS; i++)
        tiny_log(&small, i, 7 * i % 1000, 5);
    for (int i = 0; i < 1 << tiny_LOG_BITS; i++)
        n += small.slot[i].count;
    return n + small.lost == UINT64_C(4) << tiny_LOG_BITS && small.lost > 0 ? 0 : 5;
}
C
compiles -Itiny -c product.c -o product.o || failed "the header is no clean C11"
gcc -std=gnu11 -O1 -Itiny product.o tiny/kernels.c tiny/pool.c -lm -pthread -o product || failed "the product is not linked"
./product shapes.csv || failed "the product: exit code $?"
printf '#include "tiny_log.h"\nint main() { static tiny_log_table t; tiny_log(&t, 1, 2, 3); return tiny_log_write(&t, stdout); }\n' >product.cc
g++ -std=c++11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Itiny product.cc -o product_cc || failed "the header is no clean C++11"
[ "$(./product_cc)" = "M,N,K,count
1,2,3,1" ] || failed "C++: $(./product_cc)"
[ "$(grep -c '^M,N,K,count$' shapes.csv)" -eq 2 ] || failed "the log has not a header a table"
for row in 1,24,16,34 2,24,16,33 3,24,16,33 4,24,16,50 0,0,0,1; do
    grep -qx "$row" shapes.csv || failed "the log lacks $row"
done

section the example of docs/package.md
sed -n '/^## A log of shapes/,/^## The regret/p' "$SRC/docs/package.md" | sed -n '/^```c$/,/^```$/p' | sed -e '/^```/d' -e 's/\bname/tiny/g' >example.c
cat >>example.c <<'C'

int main(void)
{
    static float x[3 * 16], w[24 * 16], y[3 * 24];
    for (int i = 0; i < 5; i++)
        if (layer(3, 24, 16, x, w, y) != tiny_OK)
            return 1;
    return layer_log(stdout);
}
C
compiles -c -Itiny example.c -o example.o || failed "the example is no clean C11"
gcc -std=gnu11 -O1 -Itiny example.o tiny/kernels.c tiny/pool.c -lm -pthread -o example
[ "$(./example)" = "M,N,K,count
3,24,16,5" ] || failed "the example: $(./example)"

section its shapes are what the spec asks for
sed -e '/^dims/d' -e 's/^shapes.*/shapes = "shapes.csv";/' first.cfg >second.cfg
run 0 check second.cfg
grep -q '^tiny: dense, f32, 4 shapes, 4 of them tuned;' "$out" || failed "not the four shapes"
run 0 --dump spec --json second.cfg
tr -d ' \n' <"$out" | grep -qF '"K":16,"M":4,"N":24' || tr -d ' \n' <"$out" | grep -qF '"M":4,"N":24,"K":16' || failed "no such shape"
tr -d ' \n' <"$out" | grep -qF '"weight":100' || failed "the rows of both tables are not one"
mkdir specs && cp second.cfg shapes.csv specs
run 0 -o second specs/second.cfg
whole second
cmp shapes.csv second/shapes.csv || failed "the package's log is another"
grep -qx 'shapes = "shapes.csv";' second/spec.cfg || failed "its spec has another path"
grep -qE '^[0-9a-f]{64}  shapes.csv$' second/MANIFEST || failed "MANIFEST does not name the log"
grep -qF '| `shapes.csv` |' second/README.md || failed "README.md does not name the log"
for word in 'Shapes of the log' 'id="log-M"' 'called 201 times together' '<td class="line">M = 4, N = 24, K = 16</td><td class="num">100</td>'; do
    grep -qF "$word" second/report.html || failed "the report does not show: $word"
done
grep -qF '| M = 4, N = 24, K = 16 | 100 | 50.0 % | ' second/README.md || failed "README.md does not show the most frequent shape"

section the package is whole by itself
mv second else
(cd else && run 0 replay --check .)
run 0 replay else/spec.cfg --records else/records.jsonl -o again
diff -r -x report.html else again || failed "another package"
run 0 explain else M=4 N=24 K=16
run 2 explain else
said 'no shape is given; expected M=... N=... K=...'
run 2 explain else T=4
echo 9,24,16,7 >>else/shapes.csv
run 1 replay --check else
grep -qx 'edited: shapes.csv' "$out" || failed "the edit is not told"
grep -q 'not made again' "$out" || failed "a package was made of an edited log"

section a hundred thousand shapes
awk 'BEGIN { print "M,N,K,count"; for (i = 0; i < 100000; i++) printf "%d,%d,%d,%d\n", 1 + i % 50, 1 + int(i / 50) % 40, 1 + int(i / 2000), 1 + 100000 / (1 + i) }' >specs/shapes.csv
run 0 --seconds 5 -o many specs/second.cfg
grep -q 'the kernel of its tree at all 100000 declared shapes' "$out" || failed "not all of them were compared"
cmp -s specs/shapes.csv many/shapes.csv || failed "the package's log is another"

section a log that is faulty
printf 'M,N,K,cuont\n1,2,3,4\n' >specs/shapes.csv
run 2 check specs/second.cfg
said "specs/shapes.csv:1:7: error: unknown column 'cuont'; did you mean 'count'?"
printf 'M,N,K\n1,2\n1,2,3,4\n' >specs/shapes.csv
run 2 check specs/second.cfg
said 'specs/shapes.csv:2:4: error: the line has 2 values, expected 3: M,N,K'
said 'specs/shapes.csv:3:7: error: the line has more values than the header has names, expected 3: M,N,K'
rm specs/shapes.csv
run 2 check specs/second.cfg
said "specs/second.cfg:4:10: error: the shapes 'specs/shapes.csv': cannot read the file: No such file or directory"
nothing_left
