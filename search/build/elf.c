/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: walks over the sections of a file that a compiler made. Nothing in the file is trusted: every place and every
 * size is bounded.
 */
#define _GNU_SOURCE /* memmem */
#include "search/build/compile.h"

#include <elf.h>
#include <string.h>

enum { MACHINE_CUDA = 190 };

/* An ELF image: it begins somewhere in a file, and may use all that follows. */
typedef struct {
    const char *data;
    uint64_t bytes;
    Elf64_Ehdr head;
    Elf64_Shdr names;
} Image;

static bool read_at(const Image *im, void *dst, size_t bytes, uint64_t offset)
{
    if (offset > im->bytes || bytes > im->bytes - offset)
        return false;
    memcpy(dst, im->data + offset, bytes);
    return true;
}

static bool read_section(const Image *im, int i, Elf64_Shdr *s)
{
    return read_at(im, s, sizeof *s, im->head.e_shoff + (uint64_t)i * sizeof *s);
}

/* True if all sections of the head lie within the file: else 65535 would be looked for behind it, in many images. */
static bool has_sections(const Image *im)
{
    const Elf64_Ehdr *h = &im->head;
    return h->e_shoff <= im->bytes && h->e_shnum * sizeof(Elf64_Shdr) <= im->bytes - h->e_shoff;
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

/* True if the section's name is ".text" or ".text.<kernel>". */
static bool is_text(const Image *im, const Elf64_Shdr *s)
{
    static const char text[] = ".text";
    char name[sizeof text];
    return s->sh_type == SHT_PROGBITS && im->names.sh_offset <= im->bytes && im->names.sh_size >= sizeof name &&
           s->sh_name <= im->names.sh_size - sizeof name &&
           read_at(im, name, sizeof name, im->names.sh_offset + s->sh_name) &&
           memcmp(name, text, sizeof text - 1) == 0 && (name[sizeof text - 1] == 0 || name[sizeof text - 1] == '.');
}

/* Adds two sizes. -1 stands for nothing. */
static int64_t add_sizes(int64_t a, int64_t b) { return a < 0 ? b : b < 0 ? a : a + b; }

/* The code of an image. -1: it has none. */
static int64_t sum_text(const Image *im)
{
    int64_t bytes = -1;
    Elf64_Shdr s;
    for (int i = 0; i < im->head.e_shnum; i++) {
        if (!read_section(im, i, &s) || !is_text(im, &s))
            continue;
        if (s.sh_size > im->bytes)
            return -1;
        bytes = add_sizes(bytes, (int64_t)s.sh_size);
    }
    return bytes;
}

/* The code of all images for GPUs behind the file's own. -1: there is none. */
static int64_t sum_embedded(const char *data, size_t file_bytes)
{
    const char *const end = data + file_bytes;
    int64_t bytes = -1;
    for (const char *at = data + 1; (at = memmem(at, (size_t)(end - at), ELFMAG, SELFMAG)); at += SELFMAG) {
        Image im = { .data = at, .bytes = (uint64_t)(end - at) };
        if (read_head(&im) && im.head.e_machine == MACHINE_CUDA)
            bytes = add_sizes(bytes, sum_text(&im));
    }
    return bytes;
}

int64_t elf_code_bytes(const char *path)
{
    Arena *scratch = arena_new();
    size_t len = 0;
    int64_t bytes = -1;
    const char *data = text_read_file(scratch, path, &len);
    Image im = { .data = data, .bytes = len };
    if (data && read_head(&im)) {
        bytes = im.head.e_machine == MACHINE_CUDA ? -1 : sum_embedded(data, len);
        bytes = bytes >= 0 ? bytes : sum_text(&im);
    }
    arena_free(scratch);
    return bytes <= (int64_t)len ? bytes : -1; /* more than the file where sections overlap */
}
