/* Files. Writes go straight to the file, so that a full device is known at once. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "effects.h"
#include "text.h"

typedef struct {
  b_handle handle;
  int fd;
  bool regular; /* a read gives as much as there is, rather than what has come so far */
} file;

static file *file_of(V word) { return (file *)b_ptr(word); }

static void release(b_handle *handle) {
  file *f = (file *)handle;
  if (f->fd >= 0) close(f->fd);
  free(f);
}

/* The flags of a mode, -1 for what is none. */
static int flags_of(const char *mode) {
  static const struct {
    const char *mode;
    int flags;
  } modes[] = {
      {"r", O_RDONLY},
      {"w", O_WRONLY | O_CREAT | O_TRUNC},
      {"a", O_WRONLY | O_CREAT | O_APPEND},
      {"r+", O_RDWR},
      {"w+", O_RDWR | O_CREAT | O_TRUNC},
      {"a+", O_RDWR | O_CREAT | O_APPEND},
  };
  for (size_t at = 0; at < sizeof modes / sizeof *modes; at++)
    if (!strcmp(mode, modes[at].mode)) return modes[at].flags;
  return -1;
}

/* Opens a file that is no directory; gives 0 or an errno. */
static int open_file(const char *path, const char *mode, file *f) {
  int flags = flags_of(mode);
  if (flags < 0) return EINVAL;
  do f->fd = open(path, flags | O_CLOEXEC, 0666);
  while (f->fd < 0 && errno == EINTR);
  if (f->fd < 0) return errno;
  struct stat about;
  int error = fstat(f->fd, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
  if (error) close(f->fd);
  f->regular = S_ISREG(about.st_mode);
  return error;
}

V b_file_open(V path, V mode) {
  size_t path_size, mode_size;
  char *path_bytes = b_utf8(path, &path_size), *mode_bytes = b_utf8(mode, &mode_size);
  b_drop(path);
  b_drop(mode);
  file *f = calloc(1, sizeof *f);
  if (!f) b_out_of_memory();
  bool has_zero = strlen(path_bytes) != path_size || strlen(mode_bytes) != mode_size;
  int error = has_zero ? EINVAL : open_file(path_bytes, mode_bytes, f);
  free(path_bytes);
  free(mode_bytes);
  if (error) {
    free(f);
    return b_failed(error);
  }
  b_header(&f->handle.head, B_HANDLE, 0, 0);
  f->handle.release = release;
  return b_done(b_word(f));
}

/* Reads up to `max` bytes more, from the position if `offset` is negative; gives 0 or an errno. */
static int read_more(const file *f, b_bytes *bytes, size_t max, off_t offset) {
  for (size_t got = 0; got < max;) {
    size_t room = max - got < 1 << 20 ? max - got : 1 << 20;
    char *place = b_bytes_reserve(bytes, room);
    ssize_t count = offset < 0 ? read(f->fd, place, room) : pread(f->fd, place, room, offset + (off_t)got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes->size += (size_t)count;
    got += (size_t)count;
    if (count == 0 || !f->regular) break;
  }
  return 0;
}

V b_file_read(V word, uint32_t max) {
  file *f = file_of(word);
  b_bytes bytes = {0};
  int error = read_more(f, &bytes, max, -1);
  while (!error && b_missing_bytes(bytes.data, bytes.size)) {
    size_t before = bytes.size;
    error = read_more(f, &bytes, 1, -1);
    if (bytes.size == before) break;
  }
  V result = error ? b_failed(error) : b_done(b_decode(bytes.data, bytes.size));
  free(bytes.data);
  return result;
}

static V read_bytes(V word, uint32_t max, off_t offset) {
  b_bytes bytes = {0};
  int error = read_more(file_of(word), &bytes, max, offset);
  V list = b_imm(0);
  if (!error)
    while (bytes.size) list = b_cell2(1, b_box_u32((uint8_t)bytes.data[--bytes.size]), list);
  free(bytes.data);
  return error ? b_failed(error) : b_done(list);
}

V b_file_read_bytes(V word, uint32_t max) { return read_bytes(word, max, -1); }

V b_file_read_at(V word, uint32_t offset, uint32_t max) { return read_bytes(word, max, offset); }

V b_file_size(V word) {
  struct stat about;
  if (fstat(file_of(word)->fd, &about)) return b_failed(errno);
  return about.st_size > UINT32_MAX ? b_failed(EOVERFLOW) : b_done(b_box_u32((uint32_t)about.st_size));
}

static V write_out(V word, char *bytes, size_t size) {
  int error = b_write_all(file_of(word)->fd, bytes, size);
  free(bytes);
  return error ? b_failed(error) : b_done(b_imm(0));
}

V b_file_write(V word, V text) {
  size_t size;
  char *bytes = b_utf8(text, &size);
  b_drop(text);
  return write_out(word, bytes, size);
}

V b_file_write_bytes(V word, V list) {
  b_bytes bytes = {0};
  uint32_t seen = 0;
  V rest = list, head;
  while (b_list_next(&rest, &head)) {
    *b_bytes_reserve(&bytes, 1) = (char)b_unbox_u32(head);
    bytes.size++;
    seen |= b_unbox_u32(head);
  }
  b_drop(list);
  if (seen > 255) {
    free(bytes.data);
    return b_failed(EINVAL);
  }
  return write_out(word, bytes.data, bytes.size);
}

/* Some file systems say only now that a write failed; as File.close answers nothing, the program ends. */
void b_file_close(V word) {
  file *f = file_of(word);
  int error = close(f->fd) && errno != EINTR ? errno : 0;
  f->fd = -1;
  b_drop(word);
  char message[B_MESSAGE_ROOM];
  if (error) b_fail("closing a file: %s", b_message(error, message));
}
