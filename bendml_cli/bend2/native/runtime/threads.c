/* The pool: threads that take the tasks that others offer. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "bend.h"

enum { OFFERED, DONE, RAN_AT_ONCE };
enum { MOST_WORKERS = 4096, SEARCHES = 400, PAUSES = 100 };

_Thread_local b_worker *b_worker_own;

/* All workers, of which the first is main's. None is ever freed; those of threads that ended are used again. */
static b_worker *workers[MOST_WORKERS];
static unsigned worker_count;     /* atomic */
static b_worker *spare[MOST_WORKERS];
static unsigned spare_count;
static bool stays_threaded; /* atomic */

/* In the place of a task that runs on its own thread after all: it still takes room there, so that what is below it in a
   recursion is not offered instead of it. */
static b_task runs_here;

/* Threads look for tasks for a while, and then sleep until they are woken. An offer wakes one only if none is looking:
   who finds a task wakes the next, so that few small tasks cost few wakings. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of workers and sleep */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned sleeping, searching, waiting; /* atomic; `waiting` are those who sleep until their task is done */

static unsigned count_of(const unsigned *counter) { return __atomic_load_n(counter, __ATOMIC_SEQ_CST); }
static unsigned add_to(unsigned *counter, int n) {
  return __atomic_add_fetch(counter, (unsigned)n, __ATOMIC_SEQ_CST);
}

static bool is_done(const b_task *task) { return task && __atomic_load_n(&task->state, __ATOMIC_SEQ_CST) == DONE; }

static void wake(bool all) {
  pthread_mutex_lock(&lock);
  if (all)
    pthread_cond_broadcast(&changed);
  else
    pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

/* ---- taking tasks ---- */

static void pause_shortly(void) {
  for (int i = 0; i < PAUSES; i++) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
  }
}

static bool replace(b_task **slot, b_task *old, b_task *new) {
  return __atomic_compare_exchange_n(slot, &old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Takes the task at a place if it has been on offer for a while: smaller ones than this are faster where they are. */
static b_task *take_from(b_worker *worker, unsigned place) {
  b_task **slot = &worker->offered[place];
  b_task *seen = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!seen || seen == &runs_here) return NULL;
  uint32_t serial = __atomic_load_n(&worker->serial[place], __ATOMIC_RELAXED);
  pause_shortly();
  if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) != seen) return NULL;
  if (__atomic_load_n(&worker->serial[place], __ATOMIC_RELAXED) != serial) return NULL;
  return replace(slot, seen, NULL) ? seen : NULL;
}

/* Some task on offer, the oldest of its worker if need be, else null. */
static b_task *take(void) {
  static _Thread_local uint32_t turn;
  unsigned count = count_of(&worker_count);
  turn = turn * 1664525 + 1013904223;
  unsigned first = (turn >> 8) % count;
  for (unsigned i = 0; i < count; i++) {
    b_worker *worker = workers[(first + i) % count];
    unsigned oldest = __atomic_load_n(&worker->forks, __ATOMIC_RELAXED);
    for (unsigned place = 0; place < B_PAR_ROOM; place++) {
      b_task *task = take_from(worker, (oldest + place) % B_PAR_ROOM);
      if (task) return task;
    }
  }
  return NULL;
}

static bool is_any_offered(void) {
  unsigned count = count_of(&worker_count);
  for (unsigned i = 0; i < count; i++)
    for (unsigned place = 0; place < B_PAR_ROOM; place++) {
      const b_task *task = __atomic_load_n(&workers[i]->offered[place], __ATOMIC_SEQ_CST);
      if (task && task != &runs_here) return true;
    }
  return false;
}

/* Sleeps until there may be a task to take, or the awaited one is done. */
static void sleep_until_change(const b_task *awaited) {
  pthread_mutex_lock(&lock);
  add_to(&sleeping, 1);
  if (awaited) add_to(&waiting, 1);
  while (!is_done(awaited) && !is_any_offered()) pthread_cond_wait(&changed, &lock);
  if (awaited) add_to(&waiting, -1);
  add_to(&sleeping, -1);
  pthread_mutex_unlock(&lock);
}

/* A task of another thread, or null once the awaited one is done. */
static b_task *search(const b_task *awaited) {
  for (;;) {
    add_to(&searching, 1);
    b_task *task = NULL;
    for (int tries = 0; tries < SEARCHES && !task && !is_done(awaited); tries++) {
      task = take();
      if (task) break;
      pause_shortly();
      if (tries % 8 == 7) sched_yield();
    }
    bool last = add_to(&searching, -1) == 0;
    if (task && last && count_of(&sleeping) && is_any_offered()) wake(false);
    if (task || is_done(awaited)) return task;
    sleep_until_change(awaited);
  }
}

static void run_taken(b_task *task) {
  task->run(task);
  __atomic_store_n(&task->state, DONE, __ATOMIC_SEQ_CST); /* its memory may be gone from here on */
  if (count_of(&waiting)) wake(true);
}

/* ---- the pool ---- */

static void register_worker(b_worker *worker) {
  workers[worker_count] = worker;
  __atomic_store_n(&worker_count, worker_count + 1, __ATOMIC_SEQ_CST);
}

static b_worker *new_worker(void) {
  b_worker *worker = aligned_alloc(_Alignof(b_worker), sizeof(b_worker));
  if (!worker) b_out_of_memory();
  *worker = (b_worker){.forks = 0};
  return worker;
}

static void *run_pool_thread(void *own) {
  b_worker_own = own;
  for (;;) run_taken(search(NULL));
}

/* Threads that the system does not give are done without. */
static void start_pool(void) {
  for (unsigned i = 1; i < b_thread_limit; i++) {
    b_worker *worker = new_worker();
    pthread_mutex_lock(&lock);
    register_worker(worker);
    pthread_mutex_unlock(&lock);
    if (b_thread_start(run_pool_thread, worker, B_THREAD_STACK, NULL)) return;
  }
}

void b_threads_prepare(void) {
  if (b_thread_limit < 2) return;
  b_worker_own = new_worker();
  register_worker(b_worker_own);
}

void b_threads_stay(void) {
  __atomic_store_n(&stays_threaded, true, __ATOMIC_RELAXED);
  if (!b_threaded) b_threaded = 1;
}

void b_worker_begin(void) {
  if (b_thread_limit < 2) return;
  pthread_mutex_lock(&lock);
  if (spare_count) {
    b_worker_own = spare[--spare_count];
  } else if (worker_count < MOST_WORKERS) {
    b_worker_own = new_worker();
    register_worker(b_worker_own);
  }
  pthread_mutex_unlock(&lock);
}

void b_worker_end(void) {
  if (!b_worker_own) return;
  pthread_mutex_lock(&lock);
  spare[spare_count++] = b_worker_own;
  pthread_mutex_unlock(&lock);
  b_worker_own = NULL;
}

/* ---- offering tasks ---- */

void b_par_fork(b_task *task) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static bool started;
  b_worker *own = b_worker_own;
  unsigned place = own ? own->forks % B_PAR_ROOM : 0;
  if (!own || __atomic_load_n(&own->offered[place], __ATOMIC_RELAXED)) {
    task->run(task);
    __atomic_store_n(&task->state, RAN_AT_ONCE, __ATOMIC_RELAXED);
    return;
  }
  if (B_UNLIKELY(!__atomic_load_n(&started, __ATOMIC_ACQUIRE))) {
    if (!b_threaded) b_threaded = 1;
    pthread_once(&once, start_pool);
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
  }
  if (!b_threaded) b_threaded = 1;
  __atomic_store_n(&task->state, OFFERED, __ATOMIC_RELAXED);
  __atomic_store_n(&own->serial[place], ++own->offers, __ATOMIC_RELAXED);
  __atomic_store_n(&own->forks, own->forks + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&own->offered[place], task, __ATOMIC_SEQ_CST);
  if (count_of(&sleeping) && !count_of(&searching)) wake(false);
}

/* The last fork is joined. When main has none left, no other thread runs Bend code: tasks join all that they fork. */
static void forget_fork(b_worker *own) {
  __atomic_store_n(&own->forks, own->forks - 1, __ATOMIC_RELAXED);
  if (own->forks == 0 && own == workers[0] && !__atomic_load_n(&stays_threaded, __ATOMIC_RELAXED)) b_threaded = 0;
}

void b_par_join(b_task *task) {
  if (__atomic_load_n(&task->state, __ATOMIC_RELAXED) == RAN_AT_ONCE) return;
  b_worker *own = b_worker_own;
  b_task **slot = &own->offered[(own->forks - 1) % B_PAR_ROOM];
  if (replace(slot, task, &runs_here)) {
    task->run(task);
    __atomic_store_n(slot, NULL, __ATOMIC_RELAXED);
  } else {
    while (!is_done(task)) {
      b_task *other = search(task);
      if (other) run_taken(other);
    }
  }
  forget_fork(own);
}
