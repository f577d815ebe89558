/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: sizes of code in files that are written here, section by section: of a CPU's, of a GPU's, and of one within the
 * other.
 */
#include "tests/test.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "search/build/compile.h"
#include "tests/tmp_folder.h"

enum { X86 = 62, CUDA = 190, MOST_SECTION = 8, IMAGE = 1024, NAMES_AT = 64, SECTIONS_AT = 256 };

typedef struct {
    const char *name;
    uint32_t type;
    uint64_t bytes; /* what it says; nothing is there */
} Section;

static _Alignas(Elf64_Ehdr) char file[4 * IMAGE];
static char path[TMP_FOLDER_BYTES + 16], folder[TMP_FOLDER_BYTES];

static int make(void **state)
{
    memset(file, 0, sizeof file);
    if (!tmp_folder(folder))
        return -1;
    snprintf(path, sizeof path, "%s/elf", folder);
    return 0;
}

static int drop(void **state) { return tmp_folder_remove(folder); }

/* An image at that place: its head, the names of its sections, and these; the names are section 0. */
static Elf64_Ehdr *put(size_t at, int machine, const Section *s, int n)
{
    Elf64_Ehdr *head = (Elf64_Ehdr *)(file + at);
    Elf64_Shdr *section = (Elf64_Shdr *)(file + at + SECTIONS_AT);
    size_t name = 1;
    *head = (Elf64_Ehdr){ .e_machine = (Elf64_Half)machine,
                          .e_shoff = SECTIONS_AT,
                          .e_shentsize = sizeof *section,
                          .e_shnum = (Elf64_Half)(n + 1),
                          .e_shstrndx = 0 };
    memcpy(head->e_ident, ELFMAG, SELFMAG);
    head->e_ident[EI_CLASS] = ELFCLASS64;
    head->e_ident[EI_DATA] = ELFDATA2LSB;
    for (int i = 0; i < n; i++) {
        section[i + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)name, .sh_type = s[i].type, .sh_size = s[i].bytes };
        strcpy(file + at + NAMES_AT + name, s[i].name);
        name += strlen(s[i].name) + 1;
    }
    section[0] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = SECTIONS_AT - NAMES_AT };
    return head;
}

/* Images lie anywhere. */
static void put_askew(size_t at, int machine, const Section *s, int n)
{
    put(at, machine, s, n);
    memmove(file + at + 3, file + at, IMAGE);
}

/* The code of a file of these bytes. */
static int64_t bytes_of(size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(file, 1, n, f);
    fclose(f);
    return elf_code_bytes(path);
}

static const Section cpu[] = { { ".text", SHT_PROGBITS, 300 },
                               { ".data", SHT_PROGBITS, 40 },
                               { ".text.hot", SHT_PROGBITS, 7 },
                               { ".textual", SHT_PROGBITS, 1000 },
                               { ".text", SHT_NOBITS, 500 } };
static const Section gpu[] = { { ".text.kernel", SHT_PROGBITS, 128 },
                               { ".nv.info", SHT_PROGBITS, 9 },
                               { ".text.other", SHT_PROGBITS, 64 } };
static const Section more[] = { { ".text.third", SHT_PROGBITS, 256 } };

/* ".text" and what begins with it and a dot, if it is there at all. */
TEST(code_is_text)
{
    put(0, X86, cpu, 5);
    assert_int_equal(bytes_of(IMAGE), 307);
    put(0, X86, cpu + 1, 1);
    assert_int_equal(bytes_of(IMAGE), -1);
    put(0, CUDA, gpu, 3);
    assert_int_equal(bytes_of(IMAGE), 192);
}

/* Of a file with images for GPUs in it, those count: what is around them starts kernels only. Of another machine's they
 * do not. */
TEST(code_for_gpus_counts_alone)
{
    put(0, X86, cpu, 5);
    put(IMAGE, CUDA, gpu, 3);
    put_askew(2 * IMAGE, CUDA, more, 1);
    assert_int_equal(bytes_of(sizeof file), 192 + 256);
    put(IMAGE, X86, gpu, 3);
    assert_int_equal(bytes_of(sizeof file), 256);
    put_askew(2 * IMAGE, X86, more, 1);
    assert_int_equal(bytes_of(sizeof file), 307);
    put(0, CUDA, gpu, 3);
    put(IMAGE, CUDA, more, 1); /* a GPU's own file is one image */
    assert_int_equal(bytes_of(sizeof file), 192);
}

/* The first 64 KiB of a search end within the four bytes that an image begins with. */
TEST(an_image_is_found_across_pieces)
{
    enum { SCAN = 1 << 16 };
    put(0, X86, cpu, 5);
    put(IMAGE, CUDA, gpu, 3);
    for (int before = 0; before < 6; before++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fwrite(file, 1, IMAGE, f);
        for (int i = IMAGE; i < 1 + SCAN - before; i++)
            putc(0, f);
        fwrite(file + IMAGE, 1, IMAGE, f);
        fclose(f);
        assert_int_equal(elf_code_bytes(path), 192);
    }
}

/* 256 + 12 * 64 bytes are the whole file; sections that say more than there is, by themselves or together. */
TEST(what_is_not_believed)
{
    enum { WHOLE, BEHIND, NAMES, CLASS32, OTHER_ORDER, SHORT, LARGE, LARGEST, TOGETHER, NCASE };
    Elf64_Ehdr *head = (Elf64_Ehdr *)file;
    Elf64_Shdr *section = (Elf64_Shdr *)(file + SECTIONS_AT);
    for (int i = 0; i < NCASE; i++) {
        put(0, X86, cpu, 5);
        head->e_shnum = i == WHOLE ? 12 : i == BEHIND ? 13 : head->e_shnum;
        head->e_shstrndx = i == NAMES ? 6 : 0;
        head->e_ident[EI_CLASS] = i == CLASS32 ? ELFCLASS32 : ELFCLASS64;
        head->e_ident[EI_DATA] = i == OTHER_ORDER ? ELFDATA2MSB : ELFDATA2LSB;
        head->e_shentsize = i == SHORT ? 63 : 64;
        section[1].sh_size = i == LARGE ? IMAGE + 1 : i == LARGEST ? IMAGE - 7 : i == TOGETHER ? IMAGE - 6 : 300;
        assert_int_equal(bytes_of(IMAGE), i == WHOLE ? 307 : i == LARGEST ? IMAGE : -1);
    }
}

TEST_EACH(make, drop)
