/* SPDX-License-Identifier: Apache-2.0
 *
 * recall_weights: files of the model of docs/model.md, in memory: its weights behind a header that is written in one
 * way or another; its inputs, and what it computes, by plain loops.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 32, DEPTH = 16, W_BYTES = WIDTH * DEPTH * 4, B_BYTES = WIDTH * 4 };

static float weight(int i) { return (float)(i * 37 % 101 - 50) / 160; }

/* Writes a header, with blanks behind it up to 8 bytes, and `count` floats; the whole size. */
static size_t put_file(unsigned char *to, const char *header, const float *data, size_t count)
{
    const size_t given = strlen(header), length = (given + 7) / 8 * 8;
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xff);
    memset(to + 8, ' ', length);
    memcpy(to + 8, header, given);
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

static float input(int i) { return (float)(i * 29 % 53 - 26) / 20; }

/* Rows before..before + n - 1 by plain loops. */
static void reference(double *kept, int n, int before, double *y)
{
    for (int t = before; t < before + n; t++)
        for (int i = 0; i < WIDTH; i++) {
            kept[t * WIDTH + i] = (double)weight(WIDTH * DEPTH + i);
            for (int k = 0; k < DEPTH; k++)
                kept[t * WIDTH + i] += (double)input(t * DEPTH + k) * (double)weight(i * DEPTH + k);
        }
    for (int t = before; t < before + n; t++) {
        double w[64], all = 0;
        for (int s = 0; s < before + n; s++) {
            double dot = 0;
            for (int i = 0; i < WIDTH; i++)
                dot += kept[t * WIDTH + i] * kept[s * WIDTH + i];
            all += w[s] = exp(dot / sqrt(WIDTH));
        }
        for (int i = 0; i < WIDTH; i++) {
            double sum = 0;
            for (int s = 0; s < before + n; s++)
                sum += w[s] / all * kept[s * WIDTH + i];
            y[(t - before) * WIDTH + i] = sum;
        }
    }
}
