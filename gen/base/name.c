/* SPDX-License-Identifier: Apache-2.0
 *
 * name: keywords of C17 and C++20 with GNU's, and the names that a package cannot have. A package's name is a function,
 * the first part of all other names, a header, a library and a target of CMake. What clashes with the system's is told
 * by its form where all such names have one (types end in _t, macros are in capitals), else by the tables: they hold
 * the functions, macros and types of the C library (glibc with all its extensions, so C17, POSIX and BSD too), of C++
 * and of the CUDA run time, as their headers declare and their libraries export them. tests/package/test_names.c asks
 * the compiler for all names and tries those that pass.
 */
#include "gen/base/name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include "gen/base/text.h"

/* Words between blanks, a blank at both ends. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

/* A name with an ending of those below counts as the name before it: sinf, asctime_r, ffsll. */
static const char library[] =
    " CUuuid a64l abort abs accept accept4 access acct acos acosh addmntent addseverity adjtime adjtimex advance "
    "alarm aligned_alloc alloca alphasort arc4random arc4random_buf arc4random_uniform arch_prctl asctime asin "
    "asinh asprintf assert assert_perror at_quick_exit atan atan2 atanh atexit atof atoi atol authnone_create "
    "backtrace backtrace_symbols backtrace_symbols_fd basename bcmp bcopy bdflush be16toh be32toh be64toh bind "
    "bind_textdomain_codeset bindresvport bindresvport6 bindtextdomain blockDim blockIdx brk bsd_signal bsearch "
    "btowc bzero c16rtomb c32rtomb c8rtomb cabs cacos cacosh call_once calloc callrpc canonicalize "
    "canonicalize_file_name capget capset carg casin casinh catan catanh catclose catgets catopen cbc_crypt cbrt "
    "ccos ccosh cdecl ceil cexp cfgetispeed cfgetospeed cfmakeraw cfree cfsetispeed cfsetospeed cfsetspeed char1 "
    "char2 char3 char4 chdir chflags chmod chown chroot cimag clearenv clearerr clntraw_create clnttcp_create "
    "clntudp_bufcreate clntudp_create clntunix_create clock clock_adjtime clock_getcpuclockid clock_getres "
    "clock_gettime clock_nanosleep clock_settime clog clog10 clone close close_range closedir closefrom closelog "
    "complex confstr conj connect copy_file_range copysign cos cosh cospi cpow cproj creal creat create_module "
    "crypt csin csinh csqrt ctan ctanh ctermid ctime cuserid cyl_bessel_i0 cyl_bessel_i1 d_fileno daddl daemon "
    "daylight dcgettext dcngettext ddivl delete_module des_setparity dfmal dgettext difftime dim3 dirfd dirname div "
    "dl_iterate_phdr dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym dmull dngettext double1 "
    "double2 double3 double4 double4_16a double4_32a dprintf drand48 drem dsqrtl dsubl dup dup2 dup3 duplocale "
    "dysize eaccess ecb_crypt ecvt endaliasent endfsent endgrent endhostent endmntent endnetent endnetgrent "
    "endorder endprotoent endpwent endrpcent endservent endsgent endspent endttyent endusershell endutent endutxent "
    "environ epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait erand48 erf erfc erfcinv "
    "erfcx erfinv err errno error error_at_line error_message_count error_one_per_line error_print_progname errx "
    "euidaccess eventfd eventfd_read eventfd_write execl execle execlp execv execve execveat execvp execvpe exit "
    "exp exp10 exp2 explicit_bzero expm1 f32addf128 f32addf32x f32addf64 f32addf64x f32divf128 f32divf32x f32divf64 "
    "f32divf64x f32fmaf128 f32fmaf32x f32fmaf64 f32fmaf64x f32mulf128 f32mulf32x f32mulf64 f32mulf64x f32sqrtf128 "
    "f32sqrtf32x f32sqrtf64 f32sqrtf64x f32subf128 f32subf32x f32subf64 f32subf64x f32xaddf128 f32xaddf64 "
    "f32xaddf64x f32xdivf128 f32xdivf64 f32xdivf64x f32xfmaf128 f32xfmaf64 f32xfmaf64x f32xmulf128 f32xmulf64 "
    "f32xmulf64x f32xsqrtf128 f32xsqrtf64 f32xsqrtf64x f32xsubf128 f32xsubf64 f32xsubf64x f64addf128 f64addf64x "
    "f64divf128 f64divf64x f64fmaf128 f64fmaf64x f64mulf128 f64mulf64x f64sqrtf128 f64sqrtf64x f64subf128 "
    "f64subf64x f64xaddf128 f64xdivf128 f64xfmaf128 f64xmulf128 f64xsqrtf128 f64xsubf128 fabs faccessat fadd "
    "fallocate fanotify_init fanotify_mark far fattach fchdir fchflags fchmod fchmodat fchown fchownat fclose "
    "fcloseall fcntl fcvt fd_mask fd_set fdatasync fdetach fdim fdiv fdivide fdopen fdopendir feclearexcept "
    "fedisableexcept feenableexcept fegetenv fegetexcept fegetexceptflag fegetmode fegetround feholdexcept feof "
    "feraiseexcept ferror fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag "
    "feupdateenv fexecve fflush ffma ffs fgetc fgetgrent fgetpos fgetpwent fgets fgetsgent fgetspent fgetwc fgetws "
    "fgetxattr fileno finite flistxattr float1 float2 float3 float4 flock flockfile floor fma fmax fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num "
    "fminimum_num fminmag fmod fmtmsg fmul fnmatch fopen fopencookie fork forkpty fortran fpathconf fpclassify "
    "fprintf fputc fputs fputwc fputws fread free freeaddrinfo freeifaddrs freelocale fremovexattr freopen frexp "
    "fromfp fromfpx fscanf fsconfig fseek fseeko fsetpos fsetxattr fsmount fsopen fspick fsqrt fstat fstatat "
    "fstatfs fstatvfs fsub fsync ftell ftello ftime ftok ftruncate ftrylockfile fts64_children fts64_close "
    "fts64_open fts64_read fts64_set fts_children fts_close fts_open fts_read fts_set ftw funlockfile futimens "
    "futimes futimesat fwide fwprintf fwrite fwscanf gai_cancel gai_error gai_strerror gai_suspend gamma gcvt "
    "get_avphys_pages get_current_dir_name get_kernel_syms get_myaddress get_nprocs get_nprocs_conf get_phys_pages "
    "getaddrinfo getaddrinfo_a getaliasbyname getaliasent getauxval getc getchar getcontext getcpu getcwd getdate "
    "getdate_err getdelim getdents64 getdirentries getdomainname getdtablesize getegid getentropy getenv geteuid "
    "getfsent getfsfile getfsspec getgid getgrent getgrgid getgrnam getgrouplist getgroups gethostbyaddr "
    "gethostbyname gethostbyname2 gethostent gethostid gethostname getifaddrs getipv4sourcefilter getitimer getline "
    "getloadavg getlogin getmntent getmsg getnameinfo getnetbyaddr getnetbyname getnetent getnetgrent getnetname "
    "getopt getopt_long getopt_long_only getpagesize getpass getpayload getpeername getpgid getpgrp getpid getpmsg "
    "getppid getpriority getprotobyname getprotobynumber getprotoent getpt getpublickey getpw getpwent getpwnam "
    "getpwuid getrandom getresgid getresuid getrlimit getrpcbyname getrpcbynumber getrpcent getrpcport getrusage "
    "gets getsecretkey getservbyname getservbyport getservent getsgent getsgnam getsid getsockname getsockopt "
    "getsourcefilter getspent getspnam getsubopt gettext gettid gettimeofday getttyent getttynam getuid getumask "
    "getusershell getutent getutid getutline getutmp getutmpx getutxent getutxid getutxline getw getwc getwchar "
    "getwd getxattr glob glob_pattern_p globfree gmtime grantpt gridDim group_member gsignal gtty h_addr h_errlist "
    "h_errno h_nerr hasmntopt hcreate hdestroy herror host2netname hpux hsearch hstrerror htobe16 htobe32 htobe64 "
    "htole16 htole32 htole64 htonl htons huge hypot i386 iconv iconv_close iconv_open if_freenameindex "
    "if_indextoname if_nameindex if_nametoindex ilogb imaxabs imaxdiv in6addr_any in6addr_loopback index "
    "init_module initgroups initstate innetgr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch insque "
    "int1 int2 int3 int4 ioctl ioperm iopl iruserok iruserok_af isalnum isalpha isascii isastream isatty "
    "isblank iscanonical iscntrl isctype isdigit iseqsig isfdtype isfinite isgraph isgreater isgreaterequal isinf "
    "isless islessequal islessgreater islower isnan isnormal isprint ispunct issignaling isspace issubnormal "
    "isunordered isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct "
    "iswspace iswupper iswxdigit isxdigit iszero j0 j1 jmp_buf jn jrand48 kill kill_dependency killpg klogctl l64a "
    "labs lchmod lchown lckpwdf lcong48 ldexp ldiv le16toh le32toh le64toh leaf lfind lgamma lgetxattr "
    "libraryPropertyType link linkat linux listen listxattr llabs lldiv llistxattr llmax llmin llogb llrint llround "
    "llseek loc1 loc2 localeconv localtime lockf locs log log10 log1p log2 logb login login_tty logout logwtmp "
    "long1 long2 long3 long4 long4_16a long4_32a longjmp longlong1 longlong2 longlong3 longlong4 longlong4_16a "
    "longlong4_32a lrand48 lremovexattr lrint lround lsearch lseek lsetxattr lstat lutimes m68k madvise main "
    "makecontext mallinfo mallinfo2 malloc malloc_info malloc_stats malloc_trim malloc_usable_size mallopt "
    "mallwatch math_errhandling matherr max mblen mbrlen mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit mbsnrtowcs "
    "mbsrtowcs mbstowcs mbtowc mcheck mcheck_check_all mcheck_pedantic mcount memalign memccpy memchr memcmp memcpy "
    "memfd_create memfrob memmem memmove memory_order mempcpy memrchr memset min mincore mips mkdir mkdirat mkdtemp "
    "mkfifo mkfifoat mknod mknodat mkostemp mkostemps mkstemp mkstemps mktemp mktime mlock mlock2 mlockall mmap "
    "modf modify_ldt moncontrol monstartup mount mount_setattr move_mount mprobe mprotect mrand48 mremap msg_cbytes "
    "msgctl msgget msgrcv msgsnd msync mtrace munlock munlockall munmap muntrace name_to_handle_at nan nanosleep "
    "near nearbyint netname2host netname2user newlocale nextafter nextdown nexttoward nextup nfsservctl nftw "
    "ngettext nice nl_catd nl_item nl_langinfo noreturn norm norm3d norm4d normcdf normcdfinv nrand48 ntohl ntohs "
    "ntp_adjtime ntp_gettime ntp_gettimex offsetof on_exit once_flag open open_by_handle_at open_memstream "
    "open_tree open_wmemstream openat opendir openlog openpty optarg opterr optind optopt parse_printf_format "
    "pascal passwd2des pathconf pause pclose perror personality pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 "
    "pivot_root pixel pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set pmap_getmaps pmap_getport pmap_rmtcall "
    "pmap_set pmap_unset poll popen postorder pow pow10 ppoll prctl pread preadv preadv2 preadv64v2 preorder printf "
    "printf_size printf_size_info prlimit process_madvise process_mrelease process_vm_readv process_vm_writev "
    "profil program_invocation_name program_invocation_short_name pselect psiginfo psignal ptrace ptsname putc "
    "putchar putenv putgrent putmsg putpmsg putpwent puts putsgent putspent pututline pututxline putw putwc "
    "putwchar pvalloc pwrite pwritev pwritev2 pwritev64v2 qecvt qfcvt qgcvt qsort query_module quick_exit quotactl "
    "raise rand random rawmemchr rcbrt rcmd rcmd_af read readahead readdir readlink readlinkat readv realloc "
    "reallocarray realpath reboot recv recvfrom recvmmsg recvmsg regcomp regerror regexec regfree "
    "register_printf_function register_printf_modifier register_printf_specifier register_printf_type registerrpc "
    "remainder remap_file_pages remove removexattr remque remquo rename renameat renameat2 revoke rewind rewinddir "
    "rexec rexec_af rexecoptions rhypot rindex rint rmdir rnorm rnorm3d rnorm4d round roundeven rpmatch rresvport "
    "rresvport_af rsqrt rtime ruserok ruserok_af ruserpass sbrk scalb scalbln scalbn scandir scandirat scanf "
    "secure_getenv seed48 seekdir select semctl semget semop semtimedop send sendfile sendmmsg sendmsg sendto "
    "setaliasent setbuf setbuffer setcontext setdomainname setegid setenv seteuid setfsent setfsgid setfsuid setgid "
    "setgrent setgroups sethostent sethostid sethostname setipv4sourcefilter setitimer setjmp setlinebuf setlocale "
    "setlogin setlogmask setmntent setnetent setnetgrent setns setpayload setpayloadsig setpgid setpgrp setpriority "
    "setprotoent setpwent setregid setresgid setresuid setreuid setrlimit setrpcent setservent setsgent setsid "
    "setsockopt setsourcefilter setspent setstate settimeofday setttyent setuid setusershell setutent setutxent "
    "setvbuf setxattr sgetsgent sgetspent shmat shmctl shmdt shmget short1 short2 short3 short4 shutdown "
    "sigabbrev_np sigaction sigaddset sigaltstack sigandset sigblock sigdelset sigdescr_np sigemptyset sigfillset "
    "siggetmask sighold sigignore siginterrupt sigisemptyset sigismember sigjmp_buf siglongjmp sigmask signal "
    "signalfd signbit signgam significand sigorset sigpause sigpending sigprocmask sigqueue sigrelse sigreturn "
    "sigset sigsetjmp sigsetmask sigstack sigsuspend sigtimedwait sigvec sigwait sigwaitinfo sin sincos sincospi "
    "sinh sinpi sleep snprintf sockatmark socket socketpair sparc splice sprintf sprofil sqrt srand srand48 "
    "srandom sscanf ssignal sstk stat statfs statvfs statx std stderr stdin stdout step stime stpcpy stpncpy "
    "strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strdupa strerror "
    "strerrordesc_np strerrorname_np strfmon strfromd strfromf strfromf128 strfromf32 strfromf32x strfromf64x "
    "strfroml strfry strftime strlen strncasecmp strncat strncmp strncpy strndup strndupa strnlen strpbrk strptime "
    "strrchr strsep strsignal strspn strstr strtod strtof strtof128 strtof32 strtof32x strtof64x strtoimax strtok "
    "strtol strtold strtoq strtoul strtoumax strtouq strverscmp strxfrm stty sun svcauthdes_stats svcerr_auth "
    "svcerr_decode svcerr_noproc svcerr_noprog svcerr_progvers svcerr_systemerr svcerr_weakauth svcfd_create "
    "svcraw_create svctcp_create svcudp_bufcreate svcudp_create svcudp_enablecache svcunix_create svcunixfd_create "
    "swab swapcontext swapoff swapon swprintf swscanf symlink symlinkat sync sync_file_range syncfs sys_errlist "
    "sys_nerr sys_sigabbrev sys_siglist syscall sysconf sysctl sysinfo syslog system sysv_signal tan tanh tcdrain "
    "tcflow tcflush tcgetattr tcgetpgrp tcgetsid tcp_seq tcsendbreak tcsetattr tcsetpgrp tdelete tdestroy tee "
    "telldir tempnam textdomain tfind tgamma tgkill threadIdx time timegm timelocal timer_create timer_delete "
    "timer_getoverrun timer_gettime timer_settime timeradd timerclear timercmp timerfd_create timerfd_gettime "
    "timerfd_settime timerisset timersub times timespec_get timespec_getres timezone tmpfile tmpnam toascii tolower "
    "totalorder totalordermag toupper towctrans towlower towupper tr_break trunc truncate tsearch ttyname ttyslot "
    "twalk tzname tzset u_char u_int u_long u_short ualarm uchar1 uchar2 uchar3 uchar4 ufromfp ufromfpx uint uint1 "
    "uint2 uint3 uint4 ulckpwdf ulimit ullmax ullmin ulong ulong1 ulong2 ulong3 ulong4 ulong4_16a ulong4_32a "
    "ulonglong1 ulonglong2 ulonglong3 ulonglong4 ulonglong4_16a ulonglong4_32a umask umax umin umount umount2 uname "
    "ungetc ungetwc unix unlink unlinkat unlockpt unsetenv unshare updwtmp updwtmpx uselib uselocale user2netname "
    "ushort ushort1 ushort2 ushort3 ushort4 usleep ustat utime utimensat utimes utmpname utmpxname valloc vasprintf "
    "vax vdprintf vector verr verrx versionsort vfork vfprintf vfscanf vfwprintf vfwscanf vhangup vlimit vmsplice "
    "vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vsyslog vtimes vwarn vwarnx vwprintf vwscanf wait "
    "wait3 wait4 waitid waitpid warn warnx warpSize wcpcpy wcpncpy wcrtomb wcscasecmp wcscat wcschr wcschrnul "
    "wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs "
    "wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstof128 wcstof32 wcstof32x wcstof64x wcstoimax wcstok "
    "wcstol wcstold wcstombs wcstoq wcstoul wcstoumax wcstouq wcswcs wcswidth wcsxfrm wctob wctomb wctrans wctype "
    "wcwidth wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wordexp wordfree wprintf write writev wscanf "
    "xdecrypt xencrypt xprt_register xprt_unregister y0 y1 yn ";
static const char endings[] = " f128 f32x f64x f16 f32 f64 f l 64 _r _l _unlocked ";

/* Names that begin so are the C library's, POSIX' or CUDA's. */
static const char beginnings[] =
    " AF_ Dl_ L_ M_ PF_ PRI P_ SCN TCP_ aio_ argp_ argz_ atomic_ auth_ authdes_ authunix_ cblas_ clnt_ cnd_ cublas "
    "cuda dn_ envz_ ether_ gnu_ ifa_ ifc_ ifr_ inet6_ inet_ key_ lio_ memory_order_ mq_ mtx_ ns_ nss_ obstack_ "
    "posix_ pthread_ re_ res_ rpc_ s6_ sa_ sched_ sem_ shm_ si_ sigev_ st_ svc_ thrd_ tss_ va_ xdr_ xdrmem_ xdrrec_ "
    "xdrstdio_ ";

/* Macros that the headers of C17 and C++17 define, those of Windows that look like names, and words of dcgen's
 * patterns. An argument's name stands in the package's header, which programs include behind any others.
 * tests/package/test_taken.c asks the compiler for them. */
static const char macros[] =
    " AIO_PRIO_DELTA_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ BYTE_ORDER CHARCLASS_NAME_MAX CLOSE_RANGE_CLOEXEC "
    "CLOSE_RANGE_UNSHARE COLL_WEIGHTS_MAX CSIGNAL DCGEN DECIMAL_DIG DELAYTIMER_MAX E2BIG EACCES EADDRINUSE "
    "EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY "
    "ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT "
    "EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN "
    "EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC "
    "ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN "
    "ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM "
    "ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM "
    "ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT "
    "EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN "
    "ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS "
    "EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS EXPR_NEST_MAX FALSE FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO "
    "FILENAME_MAX FOPEN_MAX F_LOCK F_OK F_TEST F_TLOCK F_ULOCK HOST_NAME_MAX I IN INFINITY IOV_MAX KERNEL LINE_MAX "
    "LITTLE_ENDIAN LOGIN_NAME_MAX L_INCR L_SET L_XTND L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT "
    "MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX MINSIGSTKSZ MOD_CLKA MOD_CLKB MOD_ESTERROR MOD_FREQUENCY MOD_MAXERROR "
    "MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX NAME NAME_MAX NAN NFDBITS NGREG "
    "NGROUPS_MAX NSIG NULL NZERO ONCE_FLAG_INIT OPTIONAL OUT PACKAGE PATH_MAX PDP_ENDIAN PIPE_BUF P_tmpdir RAND_MAX "
    "RE_DUP_MAX RTSIG_MAX R_OK SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_VALUE_MAX SSIZE_MAX SS_DISABLE "
    "SS_ONSTACK STDERR_FILENO STDIN_FILENO STDOUT_FILENO TEMP_FAILURE_RETRY TMP_MAX TRUE TSS_DTOR_ITERATIONS "
    "TTY_NAME_MAX WCONTINUED WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT "
    "WORD_BIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED W_OK X_OK alloca assert assert_perror be16toh be32toh be64toh "
    "complex errno far fpclassify htobe16 htobe32 htobe64 htole16 htole32 htole64 hyper imaginary interface isalnum "
    "isalnum_l isalpha isalpha_l isascii isascii_l isblank isblank_l iscanonical iscntrl iscntrl_l isdigit isdigit_l "
    "iseqsig isfinite isgraph isgraph_l isgreater isgreaterequal isinf isless islessequal islessgreater islower "
    "islower_l isnan isnormal isprint isprint_l ispunct ispunct_l issignaling isspace isspace_l issubnormal "
    "isunordered isupper isupper_l isxdigit isxdigit_l iszero kill_dependency le16toh le32toh le64toh linux "
    "math_errhandling near noreturn offsetof sa_handler sa_sigaction sched_priority setjmp sigmask signbit sigsetjmp "
    "small stderr stdin stdout strdupa strndupa toascii toascii_l unix unreachable va_arg va_copy va_end va_start ";

/* Macros begin so. */
static const char macro_beginnings[] =
    " ADJ_ ATOMIC_ BC_ BUS_ CHAR_ CLD_ CLOCKS_ CLOCK_ CLONE_ CMPLX CPU_ DBL_ FE_ FLT_ FPE_ FP_ HUGE_VAL ILL_ INT16 "
    "INT32 INT64 INT8 INTMAX INTPTR INT_ LC_ LDBL_ LLONG_ LONG_ M_1_ M_2_ M_E M_LN M_LOG M_PI M_SQRT NL_ POLL_ PRIX "
    "PRId PRIi PRIo PRIu PRIx PTHREAD_ PTRDIFF REG_ RENAME_ RTLD_ SA_ SCHAR_ SCHED_ SCN SEGV_ SHRT_ SIG SIZE_ SI_ SNAN "
    "STA_ TIMER_ TIME_ TRAP_ UCHAR_ UINT ULLONG_ ULONG_ USHRT_ WCHAR_ WINT_ XATTR_ atomic_ pthread_ si_ sigev_notify_ ";

/* Types of members in the package's header: behind a member of that name there would be none. */
static const char member_types[] = " int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ";

/* Headers of the system (<string.h> must not be the package's own) and what programs are linked with. */
static const char files[] =
    " aio aliases alloca ar argp argz assert atomic blas byteswap c cblas clang complex cpio cpuid crypt ctype "
    "cublas cuda cudart dirent dl dlfcn dnnl elf endian envz err errno error execinfo fcntl features fenv float "
    "fmtmsg fnmatch fpu_control fstab fts ftw gcc gconv getopt glob gomp grp gshadow iconv ieee754 ifaddrs "
    "immintrin inttypes iomp5 iso646 langinfo lapack lastlog libgen libintl limits link locale m malloc math mcheck "
    "memory mkl mntent monetary mqueue mvec netdb nl_types nsl nss obstack omp openblas paths poll printf "
    "proc_service pthread pty pwd re_comp regex regexp resolv rt sched search semaphore setjmp sgtty shadow signal "
    "spawn stab stdalign stdarg stdatomic stdbool stdc stddef stdint stdio stdio_ext stdlib stdnoreturn string "
    "strings stropts syscall sysexits syslog tar tbb termio termios tgmath thread_db threads time trace ttyent "
    "uchar ucontext ulimit unistd unwind util utime utmp utmpx values varargs wait wchar wctype windows wordexp "
    "x86intrin z ";

/* Files of the package, targets of CMake, and variables beside its functions in README.md's example and the test. */
static const char package[] =
    " all bench candidate clean code depend dispatch edit_cache exec flush_l2 help install kernel kernels "
    "list_install_components package package_source packed pieces pool preinstall problem rebuild_cache records "
    "regret report spec stream test workspace ";

bool name_is_among(const char *words, const char *word, size_t n)
{
    for (const char *s = words + 1; *s; s += strcspn(s, " ") + 1)
        if (strncmp(s, word, n) == 0 && s[n] == ' ')
            return true;
    return false;
}

const char *name_fault(const char *name)
{
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*name)
        return "is empty";
    if (strchr(name, '/') || strchr(name, '\\') || strcmp(name, "..") == 0)
        return "has parts of a path; expected a name of letters, digits and '_'";
    if (name[letters])
        return "is not a C identifier; expected letters, digits and '_'";
    if (*name >= '0' && *name <= '9')
        return "is not a C identifier; it begins with a digit";
    if (*name == '_')
        return "begins with '_', which C reserves";
    if (strlen(name) > NAME_MAX_LENGTH)
        return "is longer than 64 characters";
    if (name_is_among(keywords, name, strlen(name)))
        return "is a keyword of C or C++";
    return NULL;
}

/* ---- packages, and what their functions take ---- */

static bool ends(const char *name, size_t n, const char *end, size_t nend)
{
    return n > nend && strncmp(name + n - nend, end, nend) == 0;
}

static bool is_type(const char *name) { return ends(name, strlen(name), "_t", 2); }

static bool begins(const char *name, const char *words)
{
    for (const char *s = words + 1; *s; s += strcspn(s, " ") + 1)
        if (strncmp(name, s, strcspn(s, " ")) == 0)
            return true;
    return false;
}

/* The first n letters of it. */
static bool is_library(const char *name, size_t n)
{
    bool found = name_is_among(library, name, n);
    for (const char *s = endings + 1; *s && !found; s += strcspn(s, " ") + 1)
        found = ends(name, n, s, strcspn(s, " ")) && is_library(name, n - strcspn(s, " "));
    return found;
}

/* File systems may take capitals and letters for the same. */
static bool is_file(const char *name)
{
    char small[NAME_MAX_LENGTH + 1];
    text_letters(strcpy(small, name), tolower);
    return name_is_among(files, small, strlen(small)) || name_is_among(package, small, strlen(small));
}

bool name_is_capitals(const char *name)
{
    return isupper((unsigned char)*name) && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static const char *fault_of(const char *name, bool is_taken_type)
{
    const char *why = name_fault(name);
    if (!why && (name_is_among(macros, name, strlen(name)) || begins(name, macro_beginnings) || is_taken_type))
        return "is taken by a macro or a type of C";
    return why;
}

const char *name_argument_fault(const char *name) { return fault_of(name, is_type(name)); }

const char *name_member_fault(const char *name)
{
    return fault_of(name, name_is_among(member_types, name, strlen(name)));
}

const char *name_package_fault(const char *name)
{
    const char *why = name_fault(name);
    if (why)
        return why;
    if (name_is_capitals(name))
        return "is in capitals, as macros are";
    if (is_type(name))
        return "ends in '_t', as types of the system do";
    if (begins(name, beginnings))
        return "begins as names of the C library or of CUDA do";
    if (is_library(name, strlen(name)))
        return "is a name of C, its library, C++ or CUDA: the package's function would clash with it";
    return is_file(name) ? "is taken by a header, a library or CMake, or by a file of the package" : NULL;
}

char *name_package_like(Arena *a, const char *name)
{
    const size_t n = strlen(name) - (is_type(name) ? strlen("_t") : 0);
    char *small = text_letters(arena_strndup(a, name, n), tolower);
    char *const like[] = { small, arena_printf(a, "%s_op", small), arena_printf(a, "my_%s", small) };
    size_t i = 0;
    while (i < 2 && name_package_fault(like[i]))
        i++;
    return like[i];
}
