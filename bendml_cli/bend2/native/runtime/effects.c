/* Output, the environment, time and chance. */
#include "effects.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

/* ---- results ---- */

V b_done(V value) { return b_cell1(1, value); }

const char *b_message(int code, char text[B_MESSAGE_ROOM]) {
  snprintf(text, B_MESSAGE_ROOM, "%s", strerror(code));
  return text;
}

V b_failed(int code) {
  char message[B_MESSAGE_ROOM];
  b_message(code, message);
  return b_cell1(0, b_cell2(0, b_box_u32((uint32_t)code), b_decode(message, strlen(message))));
}

/* ---- output ---- */

/* A pipe that nobody reads is an error of the write, not the end of the program. */
__attribute__((constructor)) static void ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

int b_write_all(int fd, const char *bytes, size_t size) {
  while (size) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0) {
      if (errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
      if (errno == EINTR || errno == EAGAIN) continue;
      return errno;
    }
    bytes += written;
    size -= (size_t)written;
  }
  return 0;
}

static struct {
  pthread_mutex_t lock;
  size_t used;
  int error; /* the errno of a failed write, after which nothing more is written */
  char bytes[1 << 16];
} out = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void out_flush(void) {
  if (!out.error) out.error = b_write_all(STDOUT_FILENO, out.bytes, out.used);
  out.used = 0;
}

static void out_begin(void) { pthread_mutex_lock(&out.lock); }

/* Ends a piece of output; fails the program, once, if it could not be written. */
static void out_end(bool flush) {
  static bool told;
  if (flush) out_flush();
  bool fails = out.error && !told;
  told |= fails;
  pthread_mutex_unlock(&out.lock);
  char message[B_MESSAGE_ROOM];
  if (fails) b_fail("cannot write to standard output: %s", b_message(out.error, message));
}

static void out_byte(char byte) {
  if (out.used == sizeof out.bytes) out_flush();
  out.bytes[out.used++] = byte;
}

static void out_text(V text) {
  V head;
  while (b_list_next(&text, &head)) {
    if (out.used + 4 > sizeof out.bytes) out_flush();
    out.used += b_encode(b_unbox_u32(head), out.bytes + out.used);
  }
}

static bool is_terminal(void) {
  static int known = -1;
  if (known < 0) known = isatty(STDOUT_FILENO);
  return known;
}

void b_output(const char *bytes, size_t size) {
  out_begin();
  while (size) {
    size_t room = sizeof out.bytes - out.used;
    size_t part = size < room ? size : room;
    memcpy(out.bytes + out.used, bytes, part);
    out.used += part;
    bytes += part;
    size -= part;
    if (size) out_flush();
  }
  out_end(false);
}

void b_flush_output(void) {
  out_begin();
  out_end(true);
}

void b_io_print(V text) {
  out_begin();
  out_text(text);
  out_byte('\n');
  out_end(is_terminal());
  b_drop(text);
}

void b_io_write(V text) {
  out_begin();
  out_text(text);
  out_end(is_terminal());
  b_drop(text);
}

/* What was printed before comes first, where both go to one place. */
void b_io_print_err(V text) {
  b_flush_output();
  size_t size;
  char *bytes = b_utf8(text, &size);
  b_drop(text);
  bytes[size] = '\n';
  int error = b_write_all(STDERR_FILENO, bytes, size + 1);
  free(bytes);
  char message[B_MESSAGE_ROOM];
  if (error) b_fail("cannot write to standard error: %s", b_message(error, message));
}

/* ---- the environment, time and chance ---- */

V b_io_get_env(V name) {
  size_t size;
  char *bytes = b_utf8(name, &size);
  b_drop(name);
  const char *value = strlen(bytes) == size ? getenv(bytes) : NULL;
  free(bytes);
  return value ? b_done(b_decode(value, strlen(value))) : b_failed(ENOENT);
}

V b_io_args(void) {
  b_list_builder list;
  b_list_begin(&list);
  for (int at = 0; at < b_argc; at++) b_list_add(&list, b_decode(b_argv[at], strlen(b_argv[at])));
  return list.first;
}

V b_io_random_u32(void) {
  uint32_t n;
  return getentropy(&n, sizeof n) ? b_failed(errno) : b_done(b_box_u32(n));
}

void b_io_sleep(uint32_t milliseconds) {
  struct timespec left = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
  while (nanosleep(&left, &left) && errno == EINTR) {
  }
}

uint64_t b_io_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint32_t b_io_thread_count(void) { return b_thread_limit; }
