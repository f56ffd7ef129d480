/* Drives the C runtime for test_runtime_*.py: the first argument names what to do, standard input gives what to do it to. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bend.h"

static V text(const char *utf8) { return b_decode(utf8, strlen(utf8)); }
static bool is(const char *a, const char *b) { return !strcmp(a, b); }
static const char *argument(int at) { return at < b_argc ? b_argv[at] : ""; }
static uint32_t number(int at) { return (uint32_t)strtoul(argument(at), NULL, 10); }
static V emit_unit(void) { return b_cell1(0, b_imm(0)); }

static b_bytes standard_input(void) {
  b_bytes bytes = {0};
  ssize_t got;
  do {
    got = read(0, b_bytes_reserve(&bytes, 1 << 16), 1 << 16);
    bytes.size += got > 0 ? (size_t)got : 0;
  } while (got > 0);
  return bytes;
}

/* ---- text ---- */

/* Each four bytes are a number: a line of what it shows. */
static void numbers(const char *how) {
  b_bytes in = standard_input();
  for (size_t at = 0; at + 4 <= in.size; at += 4) {
    uint32_t bits;
    memcpy(&bits, in.data + at, 4);
    char literal[B_F32_ROOM];
    if (is(how, "f32-show")) b_io_print(b_f32_show(b_unbox_f32(b_imm(bits))));
    if (is(how, "u32-show")) b_io_print(b_u32_show(bits));
    if (is(how, "nat-show")) b_io_print(b_nat_show((uint64_t)bits << 16 | 7));
    if (is(how, "word")) b_io_print(b_u32_show(b_word_to_u32(b_u32_to_word(bits))));
    if (is(how, "code")) b_io_print(b_text(&bits, 1));
    if (is(how, "f32-literal")) {
      b_output(literal, b_f32_literal(b_unbox_f32(b_imm(bits)), literal));
      b_output("\n", 1);
    }
  }
  free(in.data);
}

/* Each line is a number: its bits, or None. */
static void f32_read(void) {
  b_bytes in = standard_input();
  for (size_t at = 0, end; at < in.size; at = end + 1) {
    for (end = at; end < in.size && in.data[end] != '\n';) end++;
    V maybe = b_f32_read(b_decode(in.data + at, end - at));
    b_io_print(b_is_imm(maybe) ? text("None") : b_u32_show(b_unbox_u32(b_ptr(maybe)->f[0])));
    b_drop(maybe);
  }
  free(in.data);
}

/* Bytes as a String: its codes. */
static void decode(void) {
  b_bytes in = standard_input();
  V string = b_decode(in.data, in.size), rest = string, head;
  while (b_list_next(&rest, &head)) b_io_print(b_u32_show(b_unbox_u32(head)));
  b_drop(string);
  free(in.data);
}

/* ---- results ---- */

/* A Result: `Fail code message` or `Done` and what `show` prints of its value. */
static void report(V result, void (*show)(V)) {
  V value = b_ptr(result)->f[0];
  if (b_tag(result)) {
    b_io_write(text("Done "));
    show(value);
  } else {
    b_io_write(text("Fail "));
    b_io_write(b_u32_show(b_unbox_u32(b_ptr(value)->f[0])));
    b_io_write(text(" "));
    V message = b_ptr(value)->f[1];
    b_dup(message);
    b_io_write(message);
  }
  b_io_write(text("\n"));
  b_drop(result);
}

static void show_unit(V unit) { b_io_write(text(unit == b_imm(0) ? "Unit" : "?")); }
static void show_u32(V n) { b_io_write(b_u32_show(b_unbox_u32(n))); }
static void show_text(V string) {
  b_dup(string);
  b_io_write(string);
}
static void show_bytes(V list) {
  V head;
  for (bool first = true; b_list_next(&list, &head); first = false) {
    if (!first) b_io_write(text(","));
    show_u32(head);
  }
}
static void show_ended(V value) {
  V streams = b_ptr(value)->f[1];
  show_u32(b_ptr(value)->f[0]);
  b_io_write(text("\n"));
  show_text(b_ptr(streams)->f[0]);
  b_io_write(text("\n"));
  show_text(b_ptr(streams)->f[1]);
}

/* ---- files ---- */

static V bytes_list(const char *text) {
  b_list_builder list;
  b_list_begin(&list);
  while (*text) {
    char *end;
    b_list_add(&list, b_box_u32((uint32_t)strtoul(text, &end, 10)));
    text = *end ? end + 1 : end;
  }
  return list.first;
}

/* file PATH MODE, and then operations: read N, bytes N, at OFFSET N, size, write TEXT, put BYTES. */
static void files(void) {
  V opened = b_file_open(text(argument(2)), text(argument(3)));
  if (!b_tag(opened)) {
    report(opened, NULL);
    return;
  }
  V file = b_ptr(opened)->f[0];
  b_dup(file);
  b_drop(opened);
  for (int at = 4; at < b_argc; at += 2) {
    const char *what = argument(at);
    if (is(what, "read")) report(b_file_read(file, number(at + 1)), show_text);
    if (is(what, "bytes")) report(b_file_read_bytes(file, number(at + 1)), show_bytes);
    if (is(what, "at")) {
      report(b_file_read_at(file, number(at + 1), number(at + 2)), show_bytes);
      at++;
    }
    if (is(what, "size")) {
      report(b_file_size(file), show_u32);
      at--;
    }
    if (is(what, "write")) report(b_file_write(file, text(argument(at + 1))), show_unit);
    if (is(what, "put")) report(b_file_write_bytes(file, bytes_list(argument(at + 1))), show_unit);
  }
  b_file_close(file);
}

/* ---- processes and the environment ---- */

/* run MAX TIMEOUT PROGRAM ARGUMENTS.., with our input as its input. */
static void run(void) {
  b_list_builder list;
  b_list_begin(&list);
  for (int at = 5; at < b_argc; at++) b_list_add(&list, text(argument(at)));
  b_bytes in = standard_input();
  V input = b_decode(in.data, in.size);
  free(in.data);
  report(b_io_process_run(text(argument(4)), list.first, input, number(2), number(3)), show_ended);
}

static void print_many(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) b_io_print(b_u32_show(i));
}

static void environment(void) {
  report(b_io_get_env(text(argument(2))), show_text);
  V arguments = b_io_args(), rest = arguments, head;
  while (b_list_next(&rest, &head)) {
    b_dup(head);
    b_io_print(head);
  }
  b_drop(arguments);
  report(b_io_random_u32(), show_u32);
  uint64_t before = b_io_now();
  b_io_sleep(30);
  uint64_t slept = b_io_now() - before;
  b_io_print(text(slept >= 29 && slept < 10000 ? "slept" : "did not sleep"));
  b_io_print(b_u32_show(b_io_thread_count()));
}

/* ---- values computed at the same time ---- */

typedef struct {
  b_task task;
  unsigned depth;
  V shared;
  uint64_t result;
} tree_task;

static uint64_t tree(unsigned depth, V shared);

static void run_tree(b_task *task) {
  tree_task *own = (tree_task *)task;
  own->result = tree(own->depth, own->shared);
}

__attribute__((noinline)) static uint64_t tree_at_once(unsigned depth, V shared) {
  tree_task left = {{.run = run_tree}, depth, shared, 0}, middle = {{.run = run_tree}, depth, shared, 0};
  b_dup(shared);
  b_dup(shared);
  b_par_fork(&left.task);
  b_par_fork(&middle.task);
  uint64_t right = tree(depth, shared);
  b_par_join(&middle.task);
  b_par_join(&left.task);
  return left.result + 3 * middle.result + 5 * right;
}

/* Owns `shared`; makes cells and drops them. */
static uint64_t tree(unsigned depth, V shared) {
  if (depth == 0) {
    V cell = b_cell2(1, b_imm(7), shared);
    uint64_t n = b_unbox_nat(b_ptr(b_ptr(cell)->f[1])->f[0]);
    b_drop(cell);
    return n;
  }
  if (b_par_wanted()) return tree_at_once(depth - 1, shared);
  b_dup(shared);
  b_dup(shared);
  uint64_t left = tree(depth - 1, shared), middle = tree(depth - 1, shared), right = tree(depth - 1, shared);
  return left + 3 * middle + 5 * right;
}

/* tree DEPTH TIMES: one tree after the other, all over one shared cell. */
static void trees(void) {
  V shared = b_cell1(1, b_imm(2));
  uint64_t sum = 0;
  for (uint32_t i = 0; i < number(3); i++) {
    b_dup(shared);
    sum += tree(number(2), shared);
  }
  b_io_print(b_nat_show(sum % 1000000007));
  b_io_print(text(b_threaded ? "threaded" : "alone"));
  b_io_print(text(b_unique(b_ptr(shared)) ? "one owner" : "many owners"));
  b_drop(shared);
}

/* ---- channels ---- */

/* A closure whose code gets its captured words as f[1], f[2]. */
static V action(B_CC V (*code)(V, V), V first, V second) {
  b_obj *closure = b_closure((const void *)code, 1, 2);
  closure->f[1] = first;
  closure->f[2] = second;
  return b_word(closure);
}

static V captured(V closure, unsigned at) {
  V value = b_ptr(closure)->f[at];
  b_dup(value);
  return value;
}

/* Sends 0 .. n-1 and then Nil to a channel. */
static B_CC V send_all(V self, V continuation) {
  uint64_t count = b_unbox_nat(captured(self, 2));
  for (uint64_t i = 0; i < count; i++) b_chan_send(captured(self, 1), b_cell1(1, b_box_nat(i)));
  b_chan_send(captured(self, 1), b_imm(0));
  b_drop(self);
  return b_apply1(continuation, b_imm(0));
}

/* channel ROOM SENDERS COUNT: receives what all of them send. */
static void channels(void) {
  V channel = b_chan_new(number(2));
  uint32_t left = number(3);
  uint64_t received = 0, sum = 0;
  for (uint32_t i = 0; i < left; i++) {
    b_dup(channel);
    b_io_spawn(action(send_all, channel, b_box_nat(number(4))));
  }
  while (left) {
    b_dup(channel);
    V some = b_chan_recv(channel), value = b_ptr(some)->f[0];
    if (b_is_imm(value)) {
      left--;
    } else {
      received++;
      sum += b_unbox_nat(b_ptr(value)->f[0]);
    }
    b_drop(some);
  }
  b_dup(channel);
  b_chan_close(channel);
  b_dup(channel);
  b_io_print(text(b_chan_send(channel, b_imm(3)) ? "sent" : "closed"));
  b_io_print(text(b_is_imm(b_chan_recv(channel)) ? "None" : "Some"));
  b_io_print(b_nat_show(received));
  b_io_print(b_nat_show(sum));
}

/* A channel keeps what was sent before it was closed. */
static void closing(void) {
  V channel = b_chan_new(3);
  for (int i = 0; i < 5; i++) b_dup(channel);
  b_chan_send(channel, b_cell1(1, b_imm(1)));
  b_chan_send(channel, b_cell1(1, b_imm(2)));
  b_chan_close(channel);
  V some = b_chan_recv(channel);
  b_io_print(b_nat_show(b_unbox_nat(b_ptr(b_ptr(some)->f[0])->f[0])));
  b_drop(some);
  b_drop(channel);
  b_drop(channel); /* with a value in it */
}

static B_CC V receive(V self, V continuation) {
  b_drop(b_chan_recv(captured(self, 1)));
  b_drop(self);
  return b_apply1(continuation, b_imm(0));
}

/* Main and a thread wait for a channel that nobody sends to. */
static void deadlock(void) {
  V channel = b_chan_new(1);
  b_dup(channel);
  b_io_print(text("before"));
  b_io_spawn(action(receive, channel, b_imm(0)));
  b_drop(b_chan_recv(channel));
}

static B_CC V halt(V self, V continuation) {
  b_drop(self);
  b_drop(continuation);
  return b_cell2(1, b_box_u32(9), text("a thread halts"));
}

static void halting(void) {
  b_io_spawn(action(halt, b_imm(0), b_imm(0)));
  b_io_sleep(20000);
}

/* ---- main ---- */

static B_CC V drive(void) {
  const char *what = argument(1);
  if (is(what, "f32-read")) f32_read();
  else if (is(what, "decode")) decode();
  else if (is(what, "file")) files();
  else if (is(what, "run")) run();
  else if (is(what, "environment")) environment();
  else if (is(what, "print")) print_many(number(2));
  else if (is(what, "error")) b_io_print(text("out")), b_io_print_err(text("err")), b_io_print(text("more"));
  else if (is(what, "tree")) trees();
  else if (is(what, "channel")) channels();
  else if (is(what, "closing")) closing();
  else if (is(what, "deadlock")) deadlock();
  else if (is(what, "halting")) halting();
  else numbers(what);
  return emit_unit();
}

int main(int argc, char **argv) {
  const b_program program = {.main = drive, .is_io = true};
  return b_start(argc, argv, &program);
}
