/* What the effects share: results, output, and what the generated C calls by the names in prims.py. */
#ifndef BEND_EFFECTS_H
#define BEND_EFFECTS_H

#include "bend.h"

/* Done{value} */
V b_done(V value);
/* Fail{(code, message)}: an errno and what it means. */
V b_failed(int code);

/* The meaning of an errno. */
#define B_MESSAGE_ROOM 128
const char *b_message(int code, char text[B_MESSAGE_ROOM]);

/* Writes it all; gives 0 or an errno. */
int b_write_all(int fd, const char *bytes, size_t size);

/* Bytes to standard output, which is buffered and flushed at the end, before another program runs, and after each text
   where it is a terminal. A failure ends the program. */
void b_output(const char *bytes, size_t size);

/* Standard output: a line, a text; and a line on standard error. */
void b_io_print(V text);
void b_io_write(V text);
void b_io_print_err(V text);

V b_io_get_env(V name);
V b_io_args(void);
V b_io_random_u32(void);
void b_io_sleep(uint32_t milliseconds);
uint64_t b_io_now(void);
uint32_t b_io_thread_count(void);

/* Done{(status, (out, err))} of a program that got `input` and ended; a signal's status is 128 and its number. Fail: it
   cannot be started, wrote more than max_output bytes of out or of err (ENOBUFS), or ran for longer than a timeout above
   0 (ETIMEDOUT); then it is killed with all of its process group. */
V b_io_process_run(V program, V arguments, V input, uint32_t max_output, uint32_t timeout_ms);

/* An action on a thread of its own. Halt in it ends the program. */
void b_io_spawn(V action);

/* Do spawned actions still run, so that not all that is in memory is main's? */
bool b_actions_run(void);

/* A channel that holds up to `room` values that wait for a receiver; with room 0 a sender waits for its receiver. */
V b_chan_new(uint32_t room);
/* False if the channel is closed. */
uint8_t b_chan_send(V chan, V value);
/* None once the channel is closed and empty. */
V b_chan_recv(V chan);
void b_chan_close(V chan);

/* Files. Modes are r, w, a, r+, w+, a+. Bytes and texts are whole in their file when a write has answered. */
V b_file_open(V path, V mode);
/* Up to `max` bytes as text, and the rest of a character that they begin; "" at the end. */
V b_file_read(V file, uint32_t max);
V b_file_read_bytes(V file, uint32_t max);
/* Leaves the position alone. */
V b_file_read_at(V file, uint32_t offset, uint32_t max);
V b_file_size(V file);
V b_file_write(V file, V text);
/* EINVAL, with nothing written, if one is above 255. */
V b_file_write_bytes(V file, V bytes);
void b_file_close(V file);

#endif
