/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose fault a failure is: the system's own words and errors mean the same, and what a compiler says of a text is the
 * text's fault.
 */
#include "tests/test.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "search/record/blame.h"

TEST(words_and_errors_agree)
{
    static const int lacking[] = { ENOSPC, EDQUOT, EFBIG, EROFS, EIO, EMFILE, ENFILE, EAGAIN, ENOMEM };
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        assert_int_equal(blame_error(lacking[i]), lacking[i] == ENOMEM ? BLAME_MOMENT : BLAME_MACHINE);
        assert_int_equal(blame_text(strerror(lacking[i]), NULL), blame_error(lacking[i]));
    }
    assert_int_equal(blame_error(0), BLAME_CANDIDATE);
    assert_int_equal(blame_error(ENOENT), BLAME_CANDIDATE);
    assert_int_equal(blame_text(strerror(ENOENT), NULL), BLAME_CANDIDATE);
}

/* Lines of compilers, linkers, loaders and runners. */
TEST(words)
{
    static const struct {
        const char *said;
        Blame blame;
        const char *sign;
    } cases[] = {
        { "k.c: note\nvirtual memory exhausted: Cannot allocate memory\n", BLAME_MOMENT, "Cannot allocate" },
        { "collect2: fatal error: ld terminated with signal 9 [Killed]", BLAME_MOMENT, "terminated with signal 9" },
        { "gcc: internal compiler error: Killed (program cc1)", BLAME_MOMENT, "Killed (program" },
        { "clang: error: unable to execute command: Killed", BLAME_MOMENT, "unable to execute command: Killed" },
        { "nvcc error   : 'cicc' died due to signal 9 (Kill signal)", BLAME_MOMENT, "died due to signal 9" },
        { "ptxas fatal   : Memory allocation failure", BLAME_MOMENT, "Memory allocation failure" },
        { "terminate called after throwing an instance of 'std::bad_alloc'", BLAME_MOMENT, "bad_alloc" },
        { "/usr/bin/ld: memory exhausted", BLAME_MOMENT, "memory exhausted" },
        { "LLVM ERROR: out of memory", BLAME_MOMENT, "out of memory" },
        { "as: Out of memory allocating 65536 bytes", BLAME_MOMENT, "Out of memory" },
        { "gcc: fatal error: CPU time limit exceeded signal terminated program cc1", BLAME_MOMENT, "CPU time limit" },
        { "no memory for the operands", BLAME_MOMENT, "no memory" },
        { "times of kernels are lost: CUPTI: records were dropped", BLAME_MOMENT, "times of kernels" },
        { "the GPU makes no digests, and operands of 300 MiB are too much to be compared by the CPU", BLAME_MACHINE,
          "too much to be compared" },
        { "dcgen-runner-cuda: verifying k: cudaErrorECCUncorrectable (uncorrectable ECC error encountered)",
          BLAME_MOMENT, "cudaErrorECC" },
        { "dcgen-runner-cuda: timing: cudaErrorMpsClientTerminated (the MPS client has been terminated by the server)",
          BLAME_MOMENT, "cudaErrorMps" },
        { "dcgen-runner-cuda: timing: cudaErrorUnknown (unknown error)", BLAME_MOMENT, "cudaErrorUnknown" },
        { "dcgen-runner-cuda: timing: cudaErrorLaunchFailure (unspecified launch failure)", BLAME_CANDIDATE, NULL },
        { "k.so: failed to map segment from shared object", BLAME_MOMENT, "failed to map segment" },
        { "cc1: error while loading shared libraries: libisl.so.23: failed to map segment", BLAME_MACHINE,
          "error while" },
        { "gcc: fatal error: File size limit exceeded signal terminated program as", BLAME_MACHINE, "File size limit" },
        { "k.so: cannot open shared object file: Too many open files", BLAME_MACHINE, "Too many" },
        { "k.c:1:1: error: expected ';'", BLAME_CANDIDATE, NULL },
        { "collect2: fatal error: ld terminated with signal 11 [Segmentation fault]", BLAME_CANDIDATE, NULL },
        { "undefined symbol: missing", BLAME_CANDIDATE, NULL },
        { "", BLAME_CANDIDATE, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *sign = "";
        assert_int_equal(blame_text(cases[i].said, &sign), cases[i].blame);
        if (cases[i].sign)
            assert_ptr_equal(sign, strstr(cases[i].said, cases[i].sign));
        else
            assert_null(sign);
    }
}

/* A wait status is a signal's number, or a code times 256. */
TEST(endings)
{
    static const int moment[] = { SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGXCPU },
                     own[] = { SIGSEGV, SIGABRT, SIGILL, SIGFPE };
    for (size_t i = 0; i < sizeof moment / sizeof *moment; i++)
        assert_int_equal(blame_end(moment[i]), BLAME_MOMENT);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_int_equal(blame_end(own[i]), BLAME_CANDIDATE);
    assert_int_equal(blame_end(SIGXFSZ), BLAME_MACHINE);
    assert_int_equal(blame_end(SIGKILL << 8), BLAME_CANDIDATE); /* exited with that code */
}
