/* SPDX-License-Identifier: Apache-2.0
 *
 * recall WEIGHTS PAIR: the example of docs/model.md against plain loops, rows at once and one by one; then files of
 * weights that are written otherwise or damaged. Writes the weights, and a pair of inputs and outputs, to these files.
 */
#include "example.c"
#include "recall_weights.h"

#define HEADER(w, b) "{" w "," b "}"
#define W "\"embed.weight\":{\"dtype\":\"F32\",\"shape\":[32,16],\"data_offsets\":[0,2048]}"
#define B "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2048,2176]}"

static const char *const good[] = {
    HEADER(W, B "   "),
    HEADER(B, W),
    HEADER("\"__metadata__\":{\"format\":\"pt\",\"a\":\"}],{\\\"\"}," W, B),
    HEADER(W, B ",\"__metadata__\":{}"),
    " {\n \"embed.bias\" : { \"data_offsets\" : [ 2048 , 2176 ] ,\t\"shape\" : [ 32 ] , \"dtype\" : \"F32\" } , \r\n" W
    " } ",
    HEADER("\"\\u0065mbed\\u002eweight\":{\"dtype\":\"F32\",\"shape\":[32,16],\"data_offsets\":[0,2048]}", B),
    HEADER("\"other \\\\\\\"\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]}," W, B),
    HEADER(
        "\"embed.weigh\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"embed.weight2\":{\"dtype\":\"F32\","
        "\"shape\":[1],\"data_offsets\":[0,4]}," W,
        B),
    HEADER("\"\\ud83d\\ude00\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}," W, B),
};

static const char *const bad[] = {
    "",
    "{",
    "{}",
    "[" W "," B "]",
    "{" W "}",
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[33],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32,1],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F16\",\"shape\":[32],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2052,2180]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2176,2048]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2048,2172]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[18446744073709551615,127]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[36893488147419103264],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2048]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"shape\":[-32],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"dtype\":\"F32\"}"),
    HEADER(W, "\"embed.bias\":[32]"),
    HEADER(W, "\"embed.bias\":\"F32\""),
    HEADER(W, "\"embed.bias\""),
    HEADER(W, "\"embed.bi\\u61s\":{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[2048,2176]}"),
    HEADER(W, "\"embed.bias"),
    HEADER("\"deep\":[[[[[[[[", B),
};

static int failed;

static void tell(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s\n", what);
        failed++;
    }
}

static void check_rows(Recall *r, const int *n)
{
    static double kept[64 * WIDTH], want[8 * WIDTH];
    static float x[64 * DEPTH], y[8 * WIDTH];
    for (int i = 0; i < 64 * DEPTH; i++)
        x[i] = input(i);
    for (int before = 0; *n; before += *n++) {
        tell(recall_rows(r, *n, before, x + before * DEPTH, y) == recall_OK, "a call fails");
        reference(kept, *n, before, want);
        double off = 0;
        for (int i = 0; i < *n * WIDTH; i++)
            off = fabs((double)y[i] - want[i]) <= off ? off : fabs((double)y[i] - want[i]);
        tell(off < 1e-5, "a result");
    }
}

static void check_sizes(Recall *r)
{
    static float x[8 * DEPTH], y[8 * WIDTH];
    tell(recall_rows(r, 9, 0, x, y) == recall_BAD_SIZE && recall_rows(r, 0, 0, x, y) == recall_BAD_SIZE,
         "T is out of its range");
    tell(recall_rows(r, 1, -1, x, y) == recall_BAD_SIZE, "P is out of its range");
    const int code = recall_rows(r, 8, 57, x, y);
    tell(code == recall_BAD_SIZES_0 && strstr(recall_strerror(code), "'kept'"), "more rows than are kept");
    tell(recall_run_bytes(&(recall_dims){ .T = 8, .P = 57 }, NULL) == 0, "memory for such a call");
    tell(recall_rows(r, 8, 56, x, y) == recall_OK, "as many rows as are kept");
}

/* Of each pointer, also where a node takes what lies behind it: NULL + 32*P is not NULL. */
static void check_pointers(const Recall *r)
{
    static float x[8 * DEPTH], y[8 * WIDTH], kept[64 * WIDTH];
    const recall_dims dims = { .T = 2, .P = 3 };
    const recall_model unloaded = { 0 };
    for (int i = 0; i < 5; i++) {
        const recall_inputs inputs = { i == 1 ? NULL : x };
        const recall_state state = { i == 2 ? NULL : kept };
        const recall_outputs outputs = { i == 3 ? NULL : y };
        const int code =
            recall_run(i == 4 ? &unloaded : &r->model, &dims, &inputs, &state, &outputs, r->workspace, NULL);
        tell(code == (i ? recall_BAD_POINTER : recall_OK), "a pointer that is NULL");
    }
}

static void check_files(void *packed)
{
    static _Alignas(64) unsigned char file[8192], *copy;
    recall_model m;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (recall_load(&m, file, put_weights(file, good[i]), packed) != recall_OK)
            tell(0, good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (recall_load(&m, file, put_weights(file, bad[i]), packed) != recall_BAD_WEIGHTS)
            tell(0, bad[i]);
    const size_t bytes = put_weights(file, good[0]);
    for (size_t n = 0; n < bytes; n++) { /* in memory of its own, so that sanitizers see what is read behind its end */
        copy = malloc(n ? n : 1);
        memcpy(copy, file, n);
        tell(recall_load(&m, copy, n, packed) == recall_BAD_WEIGHTS, "a file that is cut off");
        free(copy);
    }
    copy = malloc(bytes + 1);
    memcpy(copy + 1, file, bytes);
    tell(recall_load(&m, copy + 1, bytes, packed) == recall_BAD_WEIGHTS, "elements at odd addresses");
    free(copy);
    tell(recall_load(&m, NULL, 0, packed) == recall_BAD_WEIGHTS, "no file");
    tell(recall_load(&m, file, bytes, NULL) == recall_BAD_POINTER, "no memory for packed weights");
    file[7] = 0x80;
    tell(recall_load(&m, file, bytes, packed) == recall_BAD_WEIGHTS, "a header of 2^63 bytes");
}

/* 5 rows at once, and what is kept then. */
static size_t put_pair(unsigned char *to, const Recall *r)
{
    static float data[5 * DEPTH + 5 * WIDTH + 64 * WIDTH];
    static double kept[64 * WIDTH], want[8 * WIDTH];
    for (int i = 0; i < 5 * DEPTH; i++)
        data[i] = input(i);
    reference(kept, 5, 0, want);
    for (int i = 0; i < 5 * WIDTH; i++)
        data[5 * DEPTH + i] = (float)want[i];
    for (int i = 0; i < 5 * WIDTH; i++)
        data[5 * DEPTH + 5 * WIDTH + i] = (float)kept[i];
    (void)r;
    return put_file(to,
                    "{\"out.kept\":{\"dtype\":\"F32\",\"shape\":[64,32],\"data_offsets\":[960,9152]},"
                    "\"in.rows\":{\"dtype\":\"F32\",\"shape\":[5,16],\"data_offsets\":[0,320]},"
                    "\"out.y\":{\"dtype\":\"F32\",\"shape\":[5,32],\"data_offsets\":[320,960]}}",
                    data, sizeof data / sizeof *data);
}

int main(int argc, char **argv)
{
    static _Alignas(64) unsigned char file[16384];
    static Recall r;
    (void)argc;
    const size_t bytes = put_weights(file, good[0]);
    tell(write_file(argv[1], file, bytes) && recall_begin(&r, file, bytes) == recall_OK, "the weights");
    tell(!recall_weight_at(0)->stays && recall_weight_at(1)->stays,
         "the packed weight need not stay, the other one must");
    memset(file + bytes - 4 * (DEPTH + 1) * WIDTH, 0xff, 4 * DEPTH * WIDTH); /* the packed one */
    check_rows(&r, (const int[]){ 8, 8, 0 });
    check_rows(&r, (const int[]){ 5, 1, 1, 1, 8, 1, 0 });
    check_sizes(&r);
    check_pointers(&r);
    check_files(r.packed);
    tell(write_file(argv[2], file, put_pair(file, &r)), "the pair");
    return failed != 0;
}
