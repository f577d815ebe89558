/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Finds tensors in a safetensors file: 8 bytes with the length of a header, the header, which is JSON, and the data:
 *   { "name": { "dtype": "F32", "shape": [768, 768], "data_offsets": [0, 2359296] }, ..., "__metadata__": { ... } } */
#endif
/* A file's header, and the data behind it. */
typedef struct {
    const char *at, *end;
    const unsigned char *data;
    size_t data_bytes;
} PACKAGE_file;

static size_t PACKAGE_type_bytes(const char *type)
{
    return strcmp(type, "F32") == 0 || strcmp(type, "I32") == 0 ? 4 : 2;
}

static void PACKAGE_skip_blanks(PACKAGE_file *f)
{
    while (f->at < f->end && (*f->at == ' ' || *f->at == '\n' || *f->at == '\t' || *f->at == '\r'))
        f->at++;
}

/* Takes a sign if it comes next. */
static int PACKAGE_takes(PACKAGE_file *f, char sign)
{
    PACKAGE_skip_blanks(f);
    if (f->at == f->end || *f->at != sign)
        return 0;
    f->at++;
    return 1;
}

/* The hexadecimal number of n digits at f->at, or -1. */
static long PACKAGE_hex(PACKAGE_file *f, int n)
{
    long value = 0;
    for (; n > 0; n--, f->at++) {
        const char c = f->at < f->end ? *f->at : 0;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Takes the rest of an escape behind its backslash: bytes of UTF-8 in `to`. Their number; 0: it is none. */
static int PACKAGE_escape(PACKAGE_file *f, unsigned char *to)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char c = f->at < f->end ? *f->at++ : 0;
    const char *known = c ? strchr(names, c) : NULL;
    if (known) {
        *to = (unsigned char)means[known - names];
        return 1;
    }
    long u = c == 'u' ? PACKAGE_hex(f, 4) : -1;
    if (u >= 0xd800 && u < 0xdc00 && f->end - f->at >= 6 && f->at[0] == '\\' && f->at[1] == 'u') {
        f->at += 2;
        const long low = PACKAGE_hex(f, 4);
        u = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    const int n = u < 0 ? 0 : u < 0x80 ? 1 : u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, u >>= 6)
        to[i] = (unsigned char)(0x80 | (u & 0x3f));
    to[0] = (unsigned char)(n == 1 ? u : (0xf00 >> n & 0xff) | u);
    return n;
}

/* Takes a string. 1: it is `text`, or text is NULL; 0: it is another one; -1: it is no string. */
static int PACKAGE_string(PACKAGE_file *f, const char *text)
{
    int same = 1;
    if (!PACKAGE_takes(f, '"'))
        return -1;
    while (f->at < f->end && *f->at != '"') {
        unsigned char part[4] = { (unsigned char)*f->at++ };
        const int n = part[0] == '\\' ? PACKAGE_escape(f, part) : 1;
        if (!n)
            return -1;
        for (int i = 0; i < n && text; i++) {
            same = same && *text && (unsigned char)*text == part[i];
            text += *text != 0;
        }
    }
    return f->at++ < f->end ? same && (!text || !*text) : -1;
}

/* Takes a whole number from 0 on. */
static int PACKAGE_number(PACKAGE_file *f, uint64_t *value)
{
    PACKAGE_skip_blanks(f);
    const char *begin = f->at;
    for (*value = 0; f->at < f->end && *f->at >= '0' && *f->at <= '9'; f->at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return 0;
        *value = *value * 10 + (uint64_t)(*f->at - '0');
    }
    return f->at > begin;
}

/* Takes whole numbers in brackets, `most` at most; their number, or -1. */
static int PACKAGE_numbers(PACKAGE_file *f, uint64_t *value, int most)
{
    int n = 0;
    if (!PACKAGE_takes(f, '['))
        return -1;
    if (PACKAGE_takes(f, ']'))
        return 0;
    do
        if (n == most || !PACKAGE_number(f, &value[n++]))
            return -1;
    while (PACKAGE_takes(f, ','));
    return PACKAGE_takes(f, ']') ? n : -1;
}

/* Passes over a value of strings, numbers, lists and groups. */
static int PACKAGE_pass(PACKAGE_file *f)
{
    int depth = 0;
    do {
        PACKAGE_skip_blanks(f);
        if (f->at == f->end)
            return 0;
        const char c = *f->at;
        if (c == '"') {
            if (PACKAGE_string(f, NULL) < 0)
                return 0;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return 1;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        f->at++;
    } while (depth > 0 || (f->at < f->end && *f->at != ',' && *f->at != '}'));
    return 1;
}

/* Takes what describes a tensor, and gives its extents. Its address if it is of that type and rank, and within the file; NULL: it is not. */
static const void *PACKAGE_tensor(PACKAGE_file *f, const char *type, int rank, uint64_t *extent)
{
    uint64_t offset[2] = { 1, 0 }, need = PACKAGE_type_bytes(type);
    int same = PACKAGE_takes(f, '{'), has = 0;
    while (same && has < 3) {
        PACKAGE_file key = *f;
        if (PACKAGE_string(&key, "dtype") == 1) {
            PACKAGE_string(f, NULL);
            same = PACKAGE_takes(f, ':') && PACKAGE_string(f, type) == 1;
        } else if (key = *f, PACKAGE_string(&key, "shape") == 1) {
            PACKAGE_string(f, NULL);
            same = PACKAGE_takes(f, ':') && PACKAGE_numbers(f, extent, MOST_RANK) == rank;
        } else if (key = *f, PACKAGE_string(&key, "data_offsets") == 1) {
            PACKAGE_string(f, NULL);
            same = PACKAGE_takes(f, ':') && PACKAGE_numbers(f, offset, 2) == 2;
        } else {
            same = 0;
        }
        has += same;
        PACKAGE_takes(f, ',');
    }
    if (!same || offset[0] > f->data_bytes || offset[1] > f->data_bytes || offset[1] < offset[0])
        return NULL;
    for (int k = 0; k < rank; k++) {
        if (extent[k] && need > f->data_bytes / extent[k])
            return NULL;
        need *= extent[k];
    }
    return offset[1] - offset[0] == need ? f->data + offset[0] : NULL;
}

/* 1: `file` begins as a safetensors file does, and its header is there as a whole. */
static int PACKAGE_open(PACKAGE_file *f, const void *file, size_t bytes)
{
    const unsigned char *begin = file;
    uint64_t header = 0;
    for (int i = 0; i < 8 && bytes >= 8; i++)
        header |= (uint64_t)begin[i] << 8 * i;
    if (bytes < 8 || header > bytes - 8)
        return 0;
    f->at = (const char *)begin + 8;
    f->end = f->at + header;
    f->data = begin + 8 + header;
    f->data_bytes = bytes - 8 - (size_t)header;
    return PACKAGE_takes(f, '{');
}

/* Goes to what describes the tensor of that name in an open file. 0: there is none. */
static int PACKAGE_seek(PACKAGE_file *f, const char *name)
{
    do {
        const int is_it = PACKAGE_string(f, name);
        if (is_it < 0 || !PACKAGE_takes(f, ':'))
            return 0;
        if (is_it)
            return 1;
        if (!PACKAGE_pass(f))
            return 0;
    } while (PACKAGE_takes(f, ','));
    return 0;
}
