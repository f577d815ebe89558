/* SPDX-License-Identifier: Apache-2.0
 *
 * package.json, used as a binding generator would: from it alone a program is written that declares every call of the
 * header with the types that the file names, packs, calls, and compares the result; gcc must take it without a warning,
 * and the result be right. What else the file says of kernels, targets and files is compared with the package.
 * ctest: fixture=packages label=slow
 */
#include "tests/test.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/package/manifest.h"
#include "tests/arena.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static const char *const packages[] = { "pkg_a", "pkg_b", "pkg_c", "pkg_d" };
enum { NPACKAGE = sizeof packages / sizeof *packages };

static const char *path_of(const char *package, const char *file)
{
    return arena_printf(arena, "%s/tests/packages/%s/%s", DCGEN_BINARY_DIR, package, file);
}

static json_t *read_json(const char *package)
{
    json_error_t error;
    json_t *o = json_load_file(path_of(package, "package.json"), JSON_REJECT_DUPLICATES, &error);
    if (!o)
        fail_msg("%s: %s", package, error.text);
    return o;
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        fail_msg("there is no text \"%s\"", key);
    return s ? s : "";
}

static int64_t number_of(const json_t *o, const char *key)
{
    assert_true(json_is_integer(json_object_get(o, key)));
    return json_integer_value(json_object_get(o, key));
}

/* ---- a program from the file ---- */

/* A pointer to each call, of the type that the file gives it: a wrong type, order or number is an error of gcc's. */
static void declare(Text *t, const json_t *calls)
{
    const char *key;
    json_t *call, *argument;
    size_t i;
    json_object_foreach((json_t *)calls, key, call)
    {
        text_printf(t, "%s (*const typed_%s)(", text_of(call, "returns"), key);
        json_array_foreach(json_object_get(call, "arguments"), i, argument)
            text_printf(t, "%s%s", i ? ", " : "", text_of(argument, "type"));
        text_printf(t, ") = %s;\n", text_of(call, "name"));
    }
}

/* Every element of an input is 1. */
static void make_operands(Text *t, const json_t *call)
{
    json_t *argument;
    size_t i;
    json_array_foreach(json_object_get(call, "arguments"), i, argument)
    {
        const char *is = text_of(argument, "is"), *name = text_of(argument, "name");
        if (strcmp(is, "extent") == 0)
            text_printf(t, "    const %s %s = %zu;\n", text_of(argument, "type"), name, 5 + 2 * i);
        else if (strcmp(is, "operand") == 0)
            text_printf(t, "    float *%s = ones((size_t)(%s));\n", name, text_of(argument, "elements"));
        else
            text_printf(t, "    %s%s = NULL;\n", text_of(argument, "type"), name);
    }
}

/* "f(a, b)"; packed: what stands for the operand that is packed. */
static void add_call(Text *t, const json_t *call, const char *packed)
{
    json_t *argument;
    size_t i;
    text_printf(t, "%s(", text_of(call, "name"));
    json_array_foreach(json_object_get(call, "arguments"), i, argument)
    {
        const bool is_packed = json_is_true(json_object_get(argument, "packed"));
        text_printf(t, "%s%s", i ? ", " : "", is_packed ? packed : text_of(argument, "name"));
    }
    text_add(t, ")");
}

static const char *output_of(const json_t *call, const char **elements)
{
    json_t *argument;
    size_t i;
    json_array_foreach(json_object_get(call, "arguments"), i, argument)
    {
        const char *role = json_string_value(json_object_get(argument, "role"));
        *elements = json_string_value(json_object_get(argument, "elements"));
        if (role && strcmp(role, "out") == 0)
            return text_of(argument, "name");
    }
    fail_msg("no operand is written");
    return NULL;
}

/* With all inputs 1 each element of the dense result is K, or K + 1 with a bias. */
static const char *program_of(const json_t *package)
{
    const json_t *function = json_array_get(json_object_get(package, "functions"), 0),
                 *calls = json_object_get(function, "calls"), *call = json_object_get(calls, "call"),
                 *pack = json_object_get(calls, "pack");
    const char *elements = NULL, *out = output_of(call, &elements);
    Text t = { .arena = arena };
    text_printf(&t, "#include \"%s\"\n#include <stdlib.h>\n#include <string.h>\n", text_of(package, "header"));
    text_printf(&t, "_Static_assert(%s_ABI == %d, \"abi\");\n", text_of(package, "package"),
                (int)number_of(package, "abi"));
    declare(&t, calls);
    text_add(&t, "static float *ones(size_t n)\n{\n    float *p = malloc((n + 1) * sizeof *p);\n"
                 "    for (size_t i = 0; i < n; i++)\n        p[i] = 1;\n    return p;\n}\n\nint main(void)\n{\n");
    make_operands(&t, call);
    text_add(&t, "    void *packed = NULL;\n");
    if (pack) {
        text_add(&t, "    packed = aligned_alloc(64, (");
        add_call(&t, json_object_get(calls, "packed_bytes"), "packed");
        text_add(&t, " + 63) / 64 * 64);\n    if (");
        add_call(&t, pack, "packed");
        text_add(&t, ")\n        return 1;\n");
    }
    text_add(&t, "    if (");
    add_call(&t, json_object_get(calls, "workspace_bytes"), "packed");
    text_add(&t, " != 0 || ");
    add_call(&t, json_object_get(calls, "choose"), "packed");
    text_printf(&t, " < 0 || %s_nkernel() != %zu)\n        return 2;\n    if (", text_of(package, "package"),
                json_array_size(json_object_get(function, "kernels")));
    add_call(&t, call, "packed");
    text_printf(&t, " != %s_OK)\n        return 3;\n    (void)packed;\n", text_of(package, "package"));
    text_printf(&t,
                "    for (int64_t i = 0; i < %s; i++)\n        if (%s[i] != (float)(K + %d))\n            return 4;\n",
                elements, out, *text_of(function, "epilogue") ? 1 : 0);
    json_t *kernel;
    size_t i;
    json_array_foreach(json_object_get(function, "kernels"), i, kernel)
    {
        const char *name, *package_name = text_of(package, "package");
        json_t *value;
        assert_int_equal(number_of(kernel, "number"), (int64_t)i);
        text_printf(&t, "    if (strncmp(%s_kernel_text(%zu), \"%s \", %zu) != 0)\n        return 5;\n", package_name,
                    i, text_of(kernel, "template"), strlen(text_of(kernel, "template")) + 1);
        json_object_foreach(json_object_get(kernel, "parameters"), name, value)
            text_printf(&t, "    if (!strstr(%s_kernel_text(%zu), \" %s=%lld\"))\n        return 6;\n", package_name, i,
                        name, (long long)json_integer_value(value));
    }
    text_add(&t, "    return 0;\n}\n");
    return text_str(&t);
}

static void builds_and_runs(const char *folder, const char *package, const char *program)
{
    const char *source = arena_printf(arena, "%s/%s.c", folder, package);
    put_file(source, program);
    const int status = system(arena_printf(
        arena, "gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I'%s' '%s' '%s' '%s' -o '%s/%s' -pthread && '%s/%s'",
        path_of(package, ""), source, path_of(package, "kernels.c"), path_of(package, "pool.c"), folder, package,
        folder, package));
    if (status != 0)
        fail_msg("the program for %s does not compile, or ends with %d", package, status >> 8);
}

TEST(a_program_made_from_it_is_right)
{
    char folder[TMP_FOLDER_BYTES];
    assert_non_null(tmp_folder(folder));
    for (int i = 0; i < NPACKAGE; i += 2) { /* one that packs and one that does not; with a bias both */
        json_t *package = read_json(packages[i]);
        builds_and_runs(folder, packages[i], program_of(package));
        json_decref(package);
    }
    assert_int_equal(tmp_folder_remove(folder), 0);
}

/* ---- what else it says ---- */

TEST(names_every_file_with_its_hash)
{
    for (int i = 0; i < NPACKAGE; i++) {
        const char *err = NULL, *key;
        size_t len, nfile = 0;
        json_t *package = read_json(packages[i]), *hash;
        const Manifest *m =
            manifest_read(arena, text_read_file(arena, path_of(packages[i], MANIFEST_PATH), &len), &err);
        json_object_foreach(json_object_get(package, "sha256"), key, hash)
        {
            const char *text = text_read_file(arena, path_of(packages[i], key), &len);
            assert_non_null(text);
            assert_string_equal(json_string_value(hash), manifest_hash(arena, text, len));
        }
        assert_non_null(m);
        assert_string_equal(text_of(package, "dcgen"), m->version);
        assert_string_equal(text_of(package, "version"), m->release);
        for (int j = 0; j < m->n; j++)
            nfile += m->entry[j].kind != MANIFEST_TEMPLATE;
        assert_int_equal(json_object_size(json_object_get(package, "sha256")),
                         nfile - 2); /* all but itself and the bill of materials */
        json_decref(package);
    }
}

TEST(kernels_belong_to_targets_and_records)
{
    for (int i = 0; i < NPACKAGE; i++) {
        size_t len, j;
        json_t *package = read_json(packages[i]), *kernel, *row;
        const json_t *targets = json_object_get(package, "targets"),
                     *function = json_array_get(json_object_get(package, "functions"), 0),
                     *kernels = json_object_get(function, "kernels");
        const char *records = text_read_file(arena, path_of(packages[i], text_of(package, "records")), &len);
        json_array_foreach(kernels, j, kernel)
        {
            const json_t *target = json_array_get(targets, (size_t)number_of(kernel, "target"));
            const char *key = json_string_value(json_object_get(kernel, "record"));
            assert_non_null(target);
            assert_int_equal(key != NULL, json_is_true(json_object_get(target, "tuned")));
            assert_true(!key || strstr(records, arena_printf(arena, "\"key\":\"%s\"", key)));
        }
        json_array_foreach(json_object_get(function, "dispatcher"), j, row)
        {
            const json_t *general = json_array_get(kernels, (size_t)number_of(row, "general"));
            assert_int_equal(number_of(row, "target"), (int64_t)j);
            assert_int_equal(number_of(general, "target"), (int64_t)j);
            assert_true(number_of(row, "leaves") >= 1);
        }
        json_decref(package);
    }
}

TEST_EACH(setup, teardown)
