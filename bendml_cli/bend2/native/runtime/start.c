/* How a program starts, fails and ends: stacks, options, main. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "effects.h"

const char *b_program_name = "program";
int b_argc;
char **b_argv;
unsigned b_thread_limit = 1;

/* ---- failing and ending ---- */

void b_exit(int status) {
  b_flush_output();
  _exit(status);
}

void b_fail(const char *format, ...) {
  b_flush_output();
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", b_program_name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _exit(1);
}

void b_out_of_memory(void) { b_fail("out of memory"); }

void b_nat_overflow(void) {
  b_fail("a natural number past %llu (2^48 - 1)", (unsigned long long)B_NAT_MAX);
}

V b_opaque(V name) {
  b_fail("%s is a law that nothing fills: it cannot run", b_utf8(name, NULL));
}

/* ---- stacks ---- */

enum { GUARD_BYTES = 1 << 20, SIGNAL_STACK_BYTES = 1 << 16 };

typedef struct start {
  void *(*run)(void *);
  void *argument;
  size_t stack_bytes;
} start;

static _Thread_local const char *stack_end; /* about where this thread's stack ends */

/* A fault near the end of the stack is an overflow; another one comes again, and ends the process. */
static void on_fault(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  const char *at = info->si_addr;
  if (stack_end && at > stack_end - 2 * GUARD_BYTES && at < stack_end + 2 * GUARD_BYTES) {
    const char message[] = ": out of stack (recursion too deep)\n";
    b_flush_output();
    ssize_t written = write(2, b_program_name, strlen(b_program_name));
    written += write(2, message, sizeof message - 1);
    (void)written;
    _exit(1);
  }
  signal(signal_number, SIG_DFL);
}

static void *on_own_stack(void *argument) {
  start own = *(start *)argument;
  free(argument);
  stack_end = (const char *)&own - own.stack_bytes;
  char *signal_stack = malloc(SIGNAL_STACK_BYTES);
  if (!signal_stack) b_out_of_memory();
  sigaltstack(&(stack_t){.ss_sp = signal_stack, .ss_size = SIGNAL_STACK_BYTES}, NULL);
  void *result = own.run(own.argument);
  b_heap_release();
  sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  free(signal_stack);
  return result;
}

int b_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes, pthread_t *thread) {
  const size_t smallest = (size_t)1 << 20;
  pthread_t detached;
  int status;
  do {
    start *own = malloc(sizeof *own);
    if (!own) b_out_of_memory();
    *own = (start){run, argument, stack_bytes};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setguardsize(&attributes, GUARD_BYTES);
    if (!thread) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    status = pthread_create(thread ? thread : &detached, &attributes, on_own_stack, own);
    pthread_attr_destroy(&attributes);
    if (status) free(own);
    stack_bytes /= 2;
  } while (status && stack_bytes >= smallest);
  return status;
}

/* Room for very deep recursion, of which only what is used is ever committed. A quarter of the memory, so that recursion
   without end is told from a deep one soon, and before the machine has no memory left. */
static size_t main_stack_bytes(void) {
  const size_t largest = (size_t)16 << 30;
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  const size_t most = pages > 0 && page_bytes > 0 ? (size_t)pages / 4 * (size_t)page_bytes : largest;
  return most < largest ? most : largest;
}

/* ---- main ---- */

_Noreturn static void end(int status) {
#ifdef B_DEBUG
  const bool alone = !b_actions_run();
  const long leaked = __atomic_load_n(&b_live_objects, __ATOMIC_RELAXED);
  if (alone && leaked) {
    b_flush_output();
    fprintf(stderr, "%s: %ld heap objects leaked\n", b_program_name, leaked);
    _exit(70);
  }
#endif
  b_exit(status);
}

/* Ends the program as its last IO.OP says: Emit{value} or Halt{code, message}. */
_Noreturn static void end_with(V op) {
  if (b_tag(op) == 0) {
    b_drop(op);
    end(0);
  }
  b_halt(op);
}

void b_halt(V op) {
  const uint32_t code = b_unbox_u32(b_ptr(op)->f[0]);
  size_t bytes;
  const char *message = b_utf8(b_ptr(op)->f[1], &bytes);
  b_flush_output();
  if (bytes) {
    fprintf(stderr, "%s: ", b_program_name);
    fwrite(message, 1, bytes, stderr);
    fputc('\n', stderr);
  }
  const int status = (int)(code & 255);
  _exit(code && !status ? 1 : status);
}

static void *run_main(void *argument) {
  const b_program *program = argument;
  b_threads_prepare();
  V result = program->main();
  if (program->is_io) end_with(result);
  b_show(result, program->shows);
  b_drop(result);
  end(0);
}

/* Reads `--threads N` and `--threads=N`; gives the index of the program's first own argument. */
static int read_options(int argc, char **argv) {
  const char option[] = "--threads";
  const size_t length = sizeof option - 1;
  int i = 1;
  while (i < argc && !strncmp(argv[i], option, length) && (!argv[i][length] || argv[i][length] == '=')) {
    const char *text = argv[i][length] ? argv[i] + length + 1 : i + 1 < argc ? argv[++i] : "";
    char *text_end;
    const unsigned long threads = strtoul(text, &text_end, 10);
    if (*text < '0' || *text > '9' || *text_end || threads < 1 || threads > 1024) {
      fprintf(stderr, "%s: %s wants a number from 1 to 1024, not '%s'\n", b_program_name, option, text);
      _exit(2);
    }
    b_thread_limit = (unsigned)threads;
    i++;
  }
  return i < argc && !strcmp(argv[i], "--") ? i + 1 : i;
}

/* How many processors this process may run on. */
static unsigned processors(void) {
#ifdef __linux__
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set)) return (unsigned)CPU_COUNT(&set);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

/* Arrays come and go in loops: what is freed is kept for the next one, where the C library would give it back to the
   system, which then clears it page by page. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest that it takes */
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int b_start(int argc, char **argv, const b_program *program) {
  keep_freed_memory();
  const char *slash = strrchr(argv[0], '/');
  b_program_name = slash ? slash + 1 : argv[0];
  b_thread_limit = processors();
  const int first = read_options(argc, argv);
  b_argc = argc - first + 1;
  b_argv = argv + first - 1;
  b_argv[0] = argv[0];

  struct sigaction on_signal = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &on_signal, NULL);
  sigaction(SIGBUS, &on_signal, NULL);
  pthread_t main_thread;
  const int status = b_thread_start(run_main, (void *)(uintptr_t)program, main_stack_bytes(), &main_thread);
  if (status) b_fail("cannot start: %s", strerror(status));
  pthread_join(main_thread, NULL);
  return 0;
}
