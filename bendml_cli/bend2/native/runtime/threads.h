/* Values computed at the same time, on the threads of a pool.

   A function that wants to compute x1 .. xn at once and finds b_par_wanted() offers all but the last as tasks, computes
   the last itself, and joins the tasks in the reverse order. A thread has room for B_PAR_ROOM tasks, and one that nobody
   takes keeps its place until it has run here: so in a recursion those near its root are on offer (which are the large
   ones), and what is below runs without any overhead until one of them is taken. */
#ifndef BEND_THREADS_H
#define BEND_THREADS_H

#define B_PAR_ROOM 4

/* A value to compute. Embedded as the first member of a struct of what `run` needs and gives; only `run` must be set. */
typedef struct b_task {
  void (*run)(struct b_task *);
  int state;
} b_task;

/* What a thread offers: the tasks of its last forks; null where one was taken, and where there is room. */
typedef struct b_worker {
  _Alignas(64) b_task *offered[B_PAR_ROOM]; /* atomic */
  uint32_t serial[B_PAR_ROOM];              /* atomic: tells offers of one task apart */
  unsigned forks;                           /* that are not joined yet; the next offer is at this place, modulo the room */
  uint32_t offers;
} b_worker;

extern _Thread_local b_worker *b_worker_own; /* null where values are never computed at the same time */

static inline bool b_par_wanted(void) {
  b_worker *own = b_worker_own;
  return B_UNLIKELY(own != NULL) && !__atomic_load_n(&own->offered[own->forks % B_PAR_ROOM], __ATOMIC_RELAXED);
}
/* Offers a task, or runs it at once where there is no room. */
void b_par_fork(b_task *task);
/* Runs the task here if nobody took it, else waits for it. */
void b_par_join(b_task *task);

/* Called on the main thread before main: no other thread is started yet. */
void b_threads_prepare(void);
/* Several threads may run from now on to the end of the program. */
void b_threads_stay(void);
/* A thread that runs a spawned action begins or ends: it may offer tasks too. */
void b_worker_begin(void);
void b_worker_end(void);

#endif
