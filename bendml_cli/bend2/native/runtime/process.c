/* Running another program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "effects.h"
#include "text.h"

extern char **environ;

enum { IN, OUT, ERR, STREAMS };

/* A program that runs. Our ends of its pipes are -1 once closed. */
typedef struct {
  pid_t pid;
  int ends[STREAMS];
  const char *input;
  size_t input_size;
  b_bytes output[STREAMS]; /* of OUT and ERR */
  size_t max_output;
  int64_t deadline; /* in milliseconds of the monotonic clock; -1 for none */
} child;

static int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* ---- starting ---- */

/* A pipe whose ends are none of the standard streams, and are closed in programs that are run; 0 or an errno. */
static int make_pipe(int ends[2]) {
  int low[2];
#ifdef __APPLE__
  if (pipe(low)) return errno; /* another thread may start a program just now that keeps these open */
#else
  if (pipe2(low, O_CLOEXEC)) return errno;
#endif
  ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 3);
  ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 3);
  int error = ends[0] < 0 || ends[1] < 0 ? errno : 0;
  close(low[0]);
  close(low[1]);
  return error;
}

/* Starts the program in a process group of its own, with the given standard streams; 0 or an errno. */
static int spawn(child *c, char **arguments, const int streams[STREAMS]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int stream = 0; stream < STREAMS; stream++)
    posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int error = posix_spawnp(&c->pid, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

static int start(child *c, char **arguments) {
  int pipes[STREAMS][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  int error = 0;
  for (int stream = 0; stream < STREAMS && !error; stream++) error = make_pipe(pipes[stream]);
  if (!error) error = spawn(c, arguments, (int[]){pipes[IN][0], pipes[OUT][1], pipes[ERR][1]});
  for (int stream = 0; stream < STREAMS; stream++) {
    int ours = stream == IN;
    close_end(&pipes[stream][!ours]);
    if (error) close_end(&pipes[stream][ours]);
    c->ends[stream] = pipes[stream][ours];
    if (!error) fcntl(c->ends[stream], F_SETFL, fcntl(c->ends[stream], F_GETFL) | O_NONBLOCK);
  }
  return error;
}

/* ---- talking ---- */

static bool is_late(const child *c) { return c->deadline >= 0 && clock_ms() >= c->deadline; }

static bool try_again(void) { return errno == EAGAIN || errno == EINTR; }

/* Writes what the pipe takes; a program may close it without reading all. */
static void feed(child *c) {
  ssize_t written = c->input_size ? write(c->ends[IN], c->input, c->input_size) : 0;
  if (written < 0 && try_again()) return;
  if (written > 0) {
    c->input += written;
    c->input_size -= (size_t)written;
  }
  if (written < 0 || c->input_size == 0) close_end(&c->ends[IN]);
}

/* Reads what has come; 0 or an errno. */
static int take(child *c, int stream) {
  b_bytes *output = &c->output[stream];
  ssize_t got = read(c->ends[stream], b_bytes_reserve(output, 1 << 16), 1 << 16);
  if (got < 0) return try_again() ? 0 : errno;
  output->size += (size_t)got;
  if (got == 0) close_end(&c->ends[stream]);
  return output->size > c->max_output ? ENOBUFS : 0;
}

/* Feeds the input and collects the output until the program has closed its end of all pipes; 0 or an errno. */
static int talk(child *c) {
  while (c->ends[OUT] >= 0 || c->ends[ERR] >= 0) {
    if (is_late(c)) return ETIMEDOUT;
    struct pollfd polled[STREAMS];
    for (int stream = 0; stream < STREAMS; stream++)
      polled[stream] = (struct pollfd){.fd = c->ends[stream], .events = stream == IN ? POLLOUT : POLLIN};
    int64_t left = c->deadline < 0 ? -1 : c->deadline - clock_ms();
    if (poll(polled, STREAMS, left > 1 << 30 ? 1 << 30 : left < -1 ? 0 : (int)left) < 0 && errno != EINTR) return errno;
    if (polled[IN].revents) feed(c);
    for (int stream = OUT; stream <= ERR; stream++) {
      int error = polled[stream].revents ? take(c, stream) : 0;
      if (error) return error;
    }
  }
  return 0;
}

/* Waits for the program's end, which mostly has come when its output ends; 0 or an errno. */
static int wait_for(child *c, int *status) {
  for (long pause = 50000;; pause = pause < 10000000 ? pause * 2 : pause) {
    pid_t ended = waitpid(c->pid, status, c->deadline < 0 ? 0 : WNOHANG);
    if (ended == c->pid) return 0;
    if (ended < 0 && errno != EINTR) return errno;
    if (is_late(c)) return ETIMEDOUT;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
  }
}

static void kill_group(child *c) {
  kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

/* ---- the effect ---- */

/* The program and its arguments as C strings, after which there is a null; null if one of them has a zero in it. */
static char **c_arguments(V program, V arguments) {
  size_t count = 2;
  V rest = arguments, head;
  while (b_list_next(&rest, &head)) count++;
  char **texts = calloc(count, sizeof *texts);
  if (!texts) b_out_of_memory();
  size_t size;
  texts[0] = b_utf8(program, &size);
  bool has_zero = strlen(texts[0]) != size;
  rest = arguments;
  for (size_t at = 1; b_list_next(&rest, &head); at++) {
    texts[at] = b_utf8(head, &size);
    has_zero |= strlen(texts[at]) != size;
  }
  if (!has_zero) return texts;
  for (size_t at = 0; texts[at]; at++) free(texts[at]);
  free(texts);
  return NULL;
}

static V decoded(const b_bytes *bytes) { return b_decode(bytes->data, bytes->size); }

V b_io_process_run(V program, V arguments, V input, uint32_t max_output, uint32_t timeout_ms) {
  child c = {.max_output = max_output, .deadline = timeout_ms ? clock_ms() + timeout_ms : -1};
  char **texts = c_arguments(program, arguments);
  char *input_bytes = b_utf8(input, &c.input_size);
  b_drop(program);
  b_drop(arguments);
  b_drop(input);
  c.input = input_bytes;
  b_flush_output();

  int status = 0;
  int error = texts ? start(&c, texts) : EINVAL;
  if (!error) {
    error = talk(&c);
    close_end(&c.ends[IN]);
    if (!error) error = wait_for(&c, &status);
    if (error) kill_group(&c);
    for (int stream = 0; stream < STREAMS; stream++) close_end(&c.ends[stream]);
  }
  uint32_t code = (uint32_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  V result = error ? b_failed(error)
                   : b_done(b_cell2(0, b_box_u32(code), b_cell2(0, decoded(&c.output[OUT]), decoded(&c.output[ERR]))));
  free(c.output[OUT].data);
  free(c.output[ERR].data);
  free(input_bytes);
  for (size_t at = 0; texts && texts[at]; at++) free(texts[at]);
  free(texts);
  return result;
}
