/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before a packed operand in a file: the same for all functions of a package, for CPUs and for GPUs. */
#endif
/* The header of a packed operand. Its words are in the byte order of the machine that wrote it: to one of the other order its magic number is
 * none. */
typedef struct {
    uint64_t magic;
    uint64_t layout;  /* of what operator, of what type, packed in what way */
    uint64_t extents;
    uint64_t bytes;   /* of the packed operand */
    uint64_t data;    /* its checksum */
    uint64_t unused[2];
    uint64_t header;  /* checksum of all this but itself */
} PACKAGE_file_head;

/* A word joins a sum. Whatever else there is, another word or another sum gives another one. */
static uint64_t PACKAGE_file_join(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

/* A checksum that finds what breaks by chance. Four words at a time, in sums of their own: as fast as memory is read. */
static uint64_t PACKAGE_file_sum(const void *data, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)data;
    uint64_t word[4] = { 0, 0, 0, 0 }, sum[4] = { 1, 2, 3, 4 }, all = bytes;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++)
            sum[i] = PACKAGE_file_join(sum[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, bytes);
    for (int i = 0; i < 4; i++)
        all = PACKAGE_file_join(all, PACKAGE_file_join(sum[i], word[i]));
    return all;
}

/* The header of an operand of `bytes` bytes, but for their checksum and its own. layout: a text; extents: extent_bytes bytes of int64_t. */
static PACKAGE_file_head PACKAGE_file_head_of(const char *layout, const int64_t *extents, size_t extent_bytes, size_t bytes)
{
    PACKAGE_file_head head;
    memset(&head, 0, sizeof head);
    head.magic = UINT64_C(0x314b434150474344); /* "DCGPACK1" in a file of a little-endian machine; the 1 is the version of this header */
    head.layout = PACKAGE_file_sum(layout, strlen(layout));
    head.extents = PACKAGE_file_sum(extents, extent_bytes);
    head.bytes = bytes;
    return head;
}

static void PACKAGE_file_seal(PACKAGE_file_head *head, uint64_t data)
{
    head->data = data;
    head->header = PACKAGE_file_sum(head, offsetof(PACKAGE_file_head, header));
}

/* head: what the header is to be. */
static int PACKAGE_file_is(PACKAGE_file_head *head, const void *file, size_t bytes, int whole)
{
    PACKAGE_file_head found;
    const char *data = (const char *)file + sizeof found;
    if (bytes < sizeof found || bytes - sizeof found < head->bytes)
        return 0;
    memcpy(&found, file, sizeof found);
    PACKAGE_file_seal(head, found.data);
    return memcmp(head, &found, sizeof found) == 0 && (!whole || PACKAGE_file_sum(data, (size_t)head->bytes) == found.data);
}
