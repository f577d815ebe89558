/* SPDX-License-Identifier: Apache-2.0
 *
 * recall_weights: files of the model of docs/model.md, in memory: its weights behind a header that is written in one
 * way or another.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 32, DEPTH = 16, W_BYTES = WIDTH * DEPTH * 4, B_BYTES = WIDTH * 4 };

static float weight(int i) { return (float)(i * 37 % 101 - 50) / 160; }

/* Writes a header and `count` floats behind it; the whole size. */
static size_t put_file(unsigned char *to, const char *header, const float *data, size_t count)
{
    const size_t length = strlen(header);
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xff);
    memcpy(to + 8, header, length);
    memcpy(to + 8 + length, data, count * sizeof *data);
    return 8 + length + count * sizeof *data;
}

static size_t put_weights(unsigned char *to, const char *header)
{
    float data[WIDTH * DEPTH + WIDTH];
    for (int i = 0; i < WIDTH * DEPTH + WIDTH; i++)
        data[i] = weight(i);
    return put_file(to, header, data, WIDTH * DEPTH + WIDTH);
}

static int write_file(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    return f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0;
}
