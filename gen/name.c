/* SPDX-License-Identifier: Apache-2.0
 *
 * name: keywords of C17 and C++20 with GNU's, and the names that a package's own would clash with: functions of the C library,
 * libraries to link with, targets of CMake, files of the package, words that templates replace.
 */
#include "gen/name.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Both sorted, for bsearch. */
static const char *const keywords[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

static const char *const library[] = {
    "DCGEN",    "KERNEL",
    "NAME",     "TARGET_ATTRIBUTE",
    "abort",    "abs",
    "acos",     "aligned_alloc",
    "all",      "asin",
    "assert",   "atan",
    "atoi",     "bench",
    "bsearch",  "c",
    "calloc",   "ceil",
    "clean",    "clock",
    "close",    "cos",
    "dispatch", "div",
    "dl",       "edit_cache",
    "errno",    "exit",
    "exp",      "fabs",
    "fclose",   "floor",
    "fma",      "fmax",
    "fmin",     "fopen",
    "fprintf",  "fread",
    "free",     "fwrite",
    "getenv",   "help",
    "install",  "isnan",
    "kernels",  "labs",
    "linux",    "list_install_components",
    "log",      "log2",
    "m",        "main",
    "malloc",   "memcmp",
    "memcpy",   "memmove",
    "memset",   "open",
    "package",  "package_source",
    "pool",     "posix_memalign",
    "pow",      "preinstall",
    "printf",   "pthread",
    "puts",     "qsort",
    "rand",     "read",
    "realloc",  "rebuild_cache",
    "records",  "remove",
    "rename",   "report",
    "round",    "signal",
    "sin",      "snprintf",
    "spec",     "sqrt",
    "srand",    "stderr",
    "stdin",    "stdout",
    "strcmp",   "strlen",
    "system",   "tan",
    "tanh",     "test",
    "time",     "trunc",
    "unix",     "write",
};

static int compare_word(const void *key, const void *row) { return strcmp(key, *(const char *const *)row); }

static bool is_in(const char *word, const char *const *table, size_t n)
{
    return bsearch(word, table, n, sizeof *table, compare_word) != NULL;
}

const char *name_fault(const char *name)
{
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*name)
        return "is empty";
    if (strchr(name, '/') || strchr(name, '\\') || strcmp(name, "..") == 0)
        return "has parts of a path; expected a name of letters, digits and '_'";
    if (name[letters])
        return "is not a C identifier; expected letters, digits and '_'";
    if (*name >= '0' && *name <= '9')
        return "is not a C identifier; it begins with a digit";
    if (*name == '_')
        return "begins with '_', which C reserves";
    if (strlen(name) > NAME_MAX_LENGTH)
        return "is longer than 64 characters";
    if (is_in(name, keywords, sizeof keywords / sizeof *keywords))
        return "is a keyword of C or C++";
    return NULL;
}

const char *name_package_fault(const char *name)
{
    const char *why = name_fault(name);
    if (!why && is_in(name, library, sizeof library / sizeof *library))
        return "is taken: the package's function would hide one of the C library, or its test";
    return why;
}
