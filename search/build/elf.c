/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: walks over the sections of a file that a compiler made. Nothing in the file is trusted: every offset is read through pread, every size is bounded.
 */
#define _GNU_SOURCE
#include "search/build/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MACHINE_CUDA = 190, SCAN_BYTES = 1 << 16 };

/* An ELF image that begins at byte `base` of a file. */
typedef struct {
    int fd;
    int64_t base, file_bytes;
    Elf64_Ehdr head;
    Elf64_Shdr names;
} Image;

static bool read_at(const Image *im, void *dst, size_t bytes, uint64_t offset)
{
    uint64_t at;
    return !__builtin_add_overflow(offset, (uint64_t)im->base, &at) && at <= INT64_MAX &&
           pread(im->fd, dst, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool read_section(const Image *im, int i, Elf64_Shdr *s)
{
    uint64_t offset;
    return !__builtin_add_overflow(im->head.e_shoff, (uint64_t)i * sizeof *s, &offset) &&
           read_at(im, s, sizeof *s, offset);
}

/* So many as the head says lie within the file: else 65535 of them would be looked for behind it, in each of many images. */
static bool has_sections(const Image *im)
{
    const Elf64_Ehdr *h = &im->head;
    uint64_t end;
    return !__builtin_add_overflow(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), &end) &&
           end <= (uint64_t)(im->file_bytes - im->base);
}

static bool read_head(Image *im)
{
    const uint16_t one = 1;
    const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    const Elf64_Ehdr *h = &im->head;
    return read_at(im, &im->head, sizeof im->head, 0) && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == order && h->e_shentsize == sizeof(Elf64_Shdr) &&
           h->e_shstrndx < h->e_shnum && has_sections(im) && read_section(im, h->e_shstrndx, &im->names);
}

/* ".text" itself, or ".text.<kernel>". */
static bool is_text(const Image *im, const Elf64_Shdr *s)
{
    static const char text[] = ".text";
    char name[sizeof text];
    uint64_t offset;
    if (s->sh_type != SHT_PROGBITS || im->names.sh_size < sizeof name || s->sh_name > im->names.sh_size - sizeof name)
        return false;
    return !__builtin_add_overflow(im->names.sh_offset, (uint64_t)s->sh_name, &offset) &&
           read_at(im, name, sizeof name, offset) && memcmp(name, text, sizeof text - 1) == 0 &&
           (name[sizeof text - 1] == 0 || name[sizeof text - 1] == '.');
}

/* -1: no code. */
static int64_t sum_text(const Image *im)
{
    int64_t sum = -1;
    Elf64_Shdr s;
    for (int i = 0; i < im->head.e_shnum; i++) {
        if (!read_section(im, i, &s) || !is_text(im, &s))
            continue;
        if (s.sh_size > (uint64_t)im->file_bytes)
            return -1;
        sum = (sum < 0 ? 0 : sum) + (int64_t)s.sh_size;
    }
    return sum;
}

/* Of all images for GPUs behind the file's own; -1: there is none. */
static int64_t sum_embedded(int fd, int64_t file_bytes)
{
    char chunk[SCAN_BYTES];
    int64_t sum = -1;
    for (int64_t at = 1; at < file_bytes;) {
        ssize_t n = pread(fd, chunk, sizeof chunk, (off_t)at);
        const char *hit = n >= SELFMAG ? memmem(chunk, (size_t)n, ELFMAG, SELFMAG) : NULL;
        if (!hit) {
            at += n > SELFMAG ? n - SELFMAG + 1 : file_bytes;
            continue;
        }
        Image im = { .fd = fd, .base = at + (hit - chunk), .file_bytes = file_bytes };
        int64_t bytes = read_head(&im) && im.head.e_machine == MACHINE_CUDA ? sum_text(&im) : -1;
        if (bytes >= 0)
            sum = (sum < 0 ? 0 : sum) + bytes;
        at = im.base + SELFMAG;
    }
    return sum;
}

static int64_t code_bytes(int fd, int64_t file_bytes)
{
    Image im = { .fd = fd, .file_bytes = file_bytes };
    if (!read_head(&im))
        return -1;
    int64_t own = sum_text(&im), embedded = im.head.e_machine == MACHINE_CUDA ? -1 : sum_embedded(fd, file_bytes);
    int64_t bytes = embedded >= 0 ? embedded : own;
    return bytes <= file_bytes ? bytes : -1; /* more than the file where sections overlap */
}

int64_t elf_code_bytes(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int64_t bytes = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? code_bytes(fd, st.st_size) : -1;
    close(fd);
    return bytes;
}
