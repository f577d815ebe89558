/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: see elf.h. Nothing in the file is trusted: every offset is read through pread, every size is bounded.
 */
#define _GNU_SOURCE
#include "search/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(int fd, void *dst, size_t bytes, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, dst, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool read_header(int fd, Elf64_Ehdr *h)
{
    const uint16_t one = 1;
    const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    return read_at(fd, h, sizeof *h, 0) && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == order && h->e_shentsize == sizeof(Elf64_Shdr) &&
           h->e_shstrndx < h->e_shnum;
}

static bool read_section(int fd, const Elf64_Ehdr *h, int i, Elf64_Shdr *s)
{
    uint64_t offset;
    return !__builtin_add_overflow(h->e_shoff, (uint64_t)i * sizeof *s, &offset) && read_at(fd, s, sizeof *s, offset);
}

static bool is_text(int fd, const Elf64_Shdr *names, const Elf64_Shdr *s)
{
    static const char text[] = ".text";
    char name[sizeof text];
    uint64_t offset;
    if (s->sh_type != SHT_PROGBITS || names->sh_size < sizeof name || s->sh_name > names->sh_size - sizeof name)
        return false;
    return !__builtin_add_overflow(names->sh_offset, (uint64_t)s->sh_name, &offset) &&
           read_at(fd, name, sizeof name, offset) && memcmp(name, text, sizeof name) == 0;
}

static int64_t find_text(int fd, int64_t file_bytes)
{
    Elf64_Ehdr h;
    Elf64_Shdr names, s;
    if (!read_header(fd, &h) || !read_section(fd, &h, h.e_shstrndx, &names))
        return -1;
    for (int i = 0; i < h.e_shnum; i++)
        if (read_section(fd, &h, i, &s) && is_text(fd, &names, &s))
            return s.sh_size <= (uint64_t)file_bytes ? (int64_t)s.sh_size : -1;
    return -1;
}

int64_t elf_text_bytes(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int64_t bytes = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? find_text(fd, st.st_size) : -1;
    close(fd);
    return bytes;
}
