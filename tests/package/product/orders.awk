# A random graph (-v seed=S) of 40 nodes, each of which adds two tensors of one of three sizes, of which each is read some time later. It is written as a
# spec; with -v as=c as lines of C: SIZE(name, size), ADD(name, x, z), and RESULT(name, output).
function below(n) { state = state * 16807 % 2147483647; return int(state / 7) % n }
function list(name, of, s) {
    print name " = ("
    for (s = 1; s <= 3; s++)
        printf("  { name = \"%s%d\"; extents = (\"%s\", \"%s\"); }%s", of, s, row[s], column[s], s < 3 ? ",\n" : " );\n")
}
function node(s, x, z, y) {
    if (as == "c")
        print "SIZE(" y ", " s ") ADD(" y ", " x ", " z ")"
    else
        printf("  { call = \"add\"; M = \"%s\"; N = \"%s\"; x = \"%s\"; z = \"%s\"; Y = \"%s\"; }%s", row[s], column[s], x, z, y, y == "o3" ? " );\n" : ",\n")
}
function latest(s) { return s in last ? "t" last[s] : "i" s }
BEGIN {
    state = seed
    split("T B*T T", row, " ")
    split("96 32 T", column, " ")
    if (as != "c") {
        print "name = \"orders\"; target = [\"portable\"]; threads = [1]; dims = { B = { min = 1; max = 8; }; T = { min = 1; max = 500; }; };"
        print "functions = ( { name = \"add\"; op = \"rows\"; formula = \"x[m,N-1-n] + 0.5 * z[m,N-1-n]\"; extents = { x = [\"M\", \"N\"]; z = [\"M\", \"N\"]; }; shapes = ("
        for (s = 1; s <= 3; s++)
            printf("  { M = \"%s\"; N = \"%s\"; }%s", row[s], column[s], s < 3 ? ",\n" : " ); } );\n")
        print "graph = {"
        list("inputs", "i")
        list("outputs", "o")
        print "nodes = ("
    }
    for (i = 0; i < 40; i++) {
        s = size[i] = 1 + below(3)
        x = below(4) ? latest(s) : "i" s
        for (k = below(i + 1) - 1; k >= 0 && size[k] != s; k--)
            ;
        node(s, x, k < 0 ? "i" s : "t" k, "t" i)
        last[s] = i
    }
    for (s = 1; s <= 3; s++)
        node(s, latest(s), latest(s), "o" s)
    if (as != "c")
        print "};"
}
