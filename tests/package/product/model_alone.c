/* SPDX-License-Identifier: Apache-2.0
 *
 * model_alone WEIGHTS PAIR [DIM=NUMBER ...]: a call of the model on one thread allocates nothing, takes no lock, and
 * makes no system call, the first one included: functions that would are counted, and the kernel ends a process that
 * makes a system call. Exit code 0: nothing of that happens.
 */
#define main run_main
#include "run_model.c"
#undef main

#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static volatile int counted;

void *malloc(size_t n)
{
    counted++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    counted++;
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
    counted++;
    return __libc_realloc(p, n);
}
void *aligned_alloc(size_t align, size_t n)
{
    counted++;
    return __libc_memalign(align, n);
}
void free(void *p)
{
    counted++;
    __libc_free(p);
}
int pthread_mutex_lock(pthread_mutex_t *m)
{
    counted++;
    (void)m;
    return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *m)
{
    counted++;
    (void)m;
    return 0;
}

/* How a process ends that may make no system call but this last one, and calls the model. */
static int ends(run_call *c, int with_call)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(77);
        counted = 0;
        if (with_call == 1)
            run_once(c, &c->exec);
        if (with_call == 2)
            syscall(SYS_getppid);
        syscall(SYS_exit, counted ? 1 : 0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(int argc, char **argv)
{
    static run_call c = { .threads = 1 };
    size_t bytes = 0;
    (void)argc;
    run_read_line(&c, argv + 1);
    c.text = run_read(c.pair, &bytes);
    if (!NAME_open(&c.file, c.text, bytes))
        return 3;
    run_find_dims(&c);
    run_make(&c);
    run_load(&c);
    c.exec.threads = 1;
    c.workspace = run_take(NAME_run_bytes(&c.dims, &c.exec));
    const int before = counted;
    void *volatile p = malloc(1);
    free(p);
    if (counted != before + 2)
        return 4; /* nothing would be seen */
    const int plain = ends(&c, 0);
    if (plain != 0 || !WIFSIGNALED(ends(&c, 2)))
        printf("skipped: this system does not confine processes\n");
    counted = 0;
    run_once(&c, &c.exec);
    if (counted)
        printf("%d calls of the C library\n", counted);
    const int status = plain == 0 ? ends(&c, 1) : 0;
    if (status != 0)
        printf("a system call: status %x\n", (unsigned)status);
    return counted || status;
}
