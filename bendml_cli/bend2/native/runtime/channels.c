/* Spawned actions, and the channels through which threads talk. */
#include <pthread.h>
#include <stdlib.h>

#include "effects.h"

/* ---- all threads wait ---- */

/* How many threads run actions, in the upper half, and how many of these wait for a channel, in the lower. They change
   together, so that the moment when the last one begins to wait is known: nobody is left to wake any of them. */
static uint64_t threads = UINT64_C(1) << 32; /* atomic; main runs */
static const uint64_t one_thread = UINT64_C(1) << 32, one_waits = 1;

static void change_threads(uint64_t difference) {
  uint64_t now = __atomic_add_fetch(&threads, difference, __ATOMIC_SEQ_CST);
  if (now >> 32 == (uint32_t)now && now) b_fail("all threads wait for a channel");
}

bool b_actions_run(void) { return __atomic_load_n(&threads, __ATOMIC_SEQ_CST) >> 32 > 1; }

/* ---- channels ---- */

/* A thread that waits, and what it sends or got. */
typedef struct waiter {
  struct waiter *next;
  pthread_cond_t woken;
  bool waits;
  bool answered; /* sent or received, rather than turned away by the end of the channel */
  V value;
} waiter;

typedef struct {
  waiter *first, **last;
} waiters;

typedef struct {
  b_handle handle;
  pthread_mutex_t lock;
  bool closed;
  uint32_t room;
  V *values; /* a ring of `capacity`, a power of two or 0 */
  size_t first, count, capacity;
  waiters senders, receivers;
} channel;

static channel *channel_of(V word) { return (channel *)b_ptr(word); }

static void release(b_handle *handle) {
  channel *c = (channel *)handle;
  for (size_t i = 0; i < c->count; i++) b_drop(c->values[(c->first + i) & (c->capacity - 1)]);
  free(c->values);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

V b_chan_new(uint32_t room) {
  channel *c = calloc(1, sizeof *c);
  if (!c) b_out_of_memory();
  b_header((b_obj *)c, B_HANDLE, 0, 0);
  c->handle.release = release;
  pthread_mutex_init(&c->lock, NULL);
  c->room = room;
  c->senders.last = &c->senders.first;
  c->receivers.last = &c->receivers.first;
  return b_word(c);
}

static void add_value(channel *c, V value) {
  if (c->count == c->capacity) {
    size_t capacity = c->capacity ? 2 * c->capacity : 8;
    V *values = malloc(capacity * sizeof *values);
    if (!values) b_out_of_memory();
    for (size_t i = 0; i < c->count; i++) values[i] = c->values[(c->first + i) & (c->capacity - 1)];
    free(c->values);
    c->values = values;
    c->first = 0;
    c->capacity = capacity;
  }
  c->values[(c->first + c->count++) & (c->capacity - 1)] = value;
}

static V take_value(channel *c) {
  V value = c->values[c->first];
  c->first = (c->first + 1) & (c->capacity - 1);
  c->count--;
  return value;
}

/* Waits among the given ones until woken. */
static void wait_among(waiters *those, waiter *self, channel *c) {
  self->waits = true;
  self->next = NULL;
  pthread_cond_init(&self->woken, NULL);
  *those->last = self;
  those->last = &self->next;
  change_threads(one_waits);
  while (self->waits) pthread_cond_wait(&self->woken, &c->lock);
  pthread_cond_destroy(&self->woken);
}

/* The one who has waited longest, no more among those who wait; null if there is none. It is to be woken at once. */
static waiter *next_waiter(waiters *those) {
  waiter *next = those->first;
  if (!next) return NULL;
  those->first = next->next;
  if (!those->first) those->last = &those->first;
  return next;
}

static void wake(waiter *other, bool answered) {
  other->answered = answered;
  other->waits = false;
  change_threads(-one_waits);
  pthread_cond_signal(&other->woken);
}

uint8_t b_chan_send(V chan, V value) {
  channel *c = channel_of(chan);
  pthread_mutex_lock(&c->lock);
  waiter self = {.value = value}, *receiver = c->closed ? NULL : next_waiter(&c->receivers);
  if (receiver) {
    receiver->value = value;
    wake(receiver, true);
    self.answered = true;
  } else if (!c->closed && c->count < c->room) {
    add_value(c, value);
    self.answered = true;
  } else if (!c->closed) {
    wait_among(&c->senders, &self, c);
  }
  pthread_mutex_unlock(&c->lock);
  if (!self.answered) b_drop(value);
  b_drop(chan);
  return self.answered;
}

V b_chan_recv(V chan) {
  channel *c = channel_of(chan);
  pthread_mutex_lock(&c->lock);
  waiter self = {.answered = true}, *sender = next_waiter(&c->senders);
  if (c->count) {
    self.value = take_value(c);
    if (sender) add_value(c, sender->value);
  } else if (sender) {
    self.value = sender->value;
  } else if (c->closed) {
    self.answered = false;
  } else {
    wait_among(&c->receivers, &self, c);
  }
  if (sender) wake(sender, true);
  pthread_mutex_unlock(&c->lock);
  b_drop(chan);
  return self.answered ? b_cell1(1, self.value) : b_imm(0);
}

/* Those who wait are turned away; what is in the channel can still be received. */
void b_chan_close(V chan) {
  channel *c = channel_of(chan);
  pthread_mutex_lock(&c->lock);
  c->closed = true;
  waiter *other;
  while ((other = next_waiter(&c->senders))) wake(other, false);
  while ((other = next_waiter(&c->receivers))) wake(other, false);
  pthread_mutex_unlock(&c->lock);
  b_drop(chan);
}

/* ---- spawned actions ---- */

/* The last continuation of an action: what it gave is not wanted. */
static B_CC V emit_unit(V self, V value) {
  b_drop(self);
  b_drop(value);
  return b_cell1(0, b_imm(0));
}

static void *run_action(void *action) {
  b_worker_begin();
  V op = b_apply1((V)action, b_word(b_closure((const void *)emit_unit, 1, 0)));
  if (b_tag(op)) b_halt(op);
  b_drop(op);
  b_worker_end();
  change_threads(-one_thread);
  return NULL;
}

void b_io_spawn(V action) {
  b_threads_stay();
  change_threads(one_thread);
  int error = b_thread_start(run_action, (void *)action, B_THREAD_STACK, NULL);
  char message[B_MESSAGE_ROOM];
  if (error) b_fail("cannot start a thread: %s", b_message(error, message));
}
