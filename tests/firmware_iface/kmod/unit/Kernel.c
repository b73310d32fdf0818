// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * Functions of the kernel for the unit tests of the driver (Kernel.h).
 */
#include "Kernel.h"

#include <stdarg.h>
#include <stdio.h>

int unit_allocations, unit_allocation, unit_fail_at;
u64 unit_now_ns = 1000000000;
char unit_message[256];

void unit_fail(const char *condition, const char *file, int line) {
  (void)fprintf(stderr, "%s:%d: %s\n", file, line, condition);
  abort();
}

void *unit_alloc(size_t bytes) {
  if (++unit_allocation == unit_fail_at)
    return NULL;
  unit_allocations++;
  return calloc(1, bytes ? bytes : 1);
}

void unit_free(const void *memory) {
  if (memory)
    unit_allocations--;
  free((void *)memory);
}

void *vmemdup_array_user(const void *from, size_t count, size_t bytes) {
  void *copy;

  if (!from)
    return ERR_PTR(-EFAULT);
  copy = unit_alloc(count * bytes);
  if (!copy)
    return ERR_PTR(-ENOMEM);
  memcpy(copy, from, count * bytes);
  return copy;
}

void unit_print(const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(unit_message, sizeof(unit_message), format, arguments);
  va_end(arguments);
}

unsigned long wait_for_completion_timeout(struct completion *completion, unsigned long timeout) {
  const u64 end = unit_now_ns + timeout * (NSEC_PER_SEC / HZ);

  while (!completion->done && unit_now_ns < end)
    unit_pass(UNIT_STEP_NS);
  if (!completion->done)
    return 0;
  completion->done--;
  return 1;
}

/* Arrays of pointers */

void (*unit_other_thread)(void);

void unit_switch(void) {
  void (*run)(void) = unit_other_thread;

  unit_other_thread = NULL;
  if (run)
    run();
}

void *xa_load(struct xarray *array, unsigned long id) { return id < UNIT_MOST_ENTRIES ? array->entries[id] : NULL; }

void *xa_find_from(struct xarray *array, unsigned long *id) {
  void *entry = NULL;

  for (; *id < UNIT_MOST_ENTRIES && !entry; ++*id)
    entry = array->entries[*id];
  if (entry)
    --*id;
  if (entry && !array->lock.held)
    unit_switch();
  return entry;
}

void *xa_store(struct xarray *array, unsigned long id, void *entry, gfp_t flags) {
  void *old = xa_load(array, id);

  unit_assert(id < UNIT_MOST_ENTRIES && !array->lock.held);
  if (++unit_allocation == unit_fail_at)
    return ERR_PTR(-ENOMEM);
  array->entries[id] = entry;
  return old;
}

void *xa_erase(struct xarray *array, unsigned long id) {
  void *old = xa_load(array, id);

  unit_assert(!array->lock.held);
  if (old)
    array->entries[id] = NULL;
  return old;
}

int xa_alloc(struct xarray *array, u32 *id, void *entry, struct unit_limit limit, gfp_t flags) {
  for (*id = limit.min; *id <= limit.max && *id < UNIT_MOST_ENTRIES; ++*id) {
    if (array->entries[*id])
      continue;
    array->entries[*id] = entry;
    return 0;
  }
  *id = 0;
  return -EBUSY;
}

bool xa_empty(struct xarray *array) {
  unsigned long id = 0;

  return !xa_find_from(array, &id);
}

/* Ranges */

void drm_mm_init(struct drm_mm *mm, u64 start, u64 size) { *mm = (struct drm_mm){.start = start, .size = size}; }

int drm_mm_insert_node_generic(struct drm_mm *mm, struct drm_mm_node *node, u64 size, u64 alignment,
                               unsigned long color, enum drm_mm_insert_mode mode) {
  struct drm_mm_node **place = &mm->first;
  u64 start = ALIGN(mm->start, alignment);

  while (*place && (*place)->start - start < size) {
    start = ALIGN((*place)->start + (*place)->size, alignment);
    place = &(*place)->next;
  }
  if (start + size > mm->start + mm->size)
    return -ENOSPC;
  *node = (struct drm_mm_node){.start = start, .size = size, .mm = mm, .next = *place};
  *place = node;
  return 0;
}

void drm_mm_remove_node(struct drm_mm_node *node) {
  struct drm_mm_node **place = &node->mm->first;

  while (*place != node)
    place = &(*place)->next;
  *place = node->next;
  node->mm = NULL;
}

/* Fences */

void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops, spinlock_t *lock, u64 context,
                    u64 number) {
  *fence = (struct dma_fence){.ops = ops, .references = 1};
  INIT_LIST_HEAD(&fence->callbacks);
}

struct dma_fence *dma_fence_get(struct dma_fence *fence) {
  unit_assert(fence->references > 0);
  fence->references++;
  return fence;
}

void dma_fence_put(struct dma_fence *fence) {
  if (!fence)
    return;
  unit_assert(fence->references > 0);
  if (--fence->references)
    return;
  unit_assert(list_empty(&fence->callbacks) && "a callback would be lost");
  unit_free(fence);
}

int dma_fence_signal(struct dma_fence *fence) {
  if (fence->is_signaled)
    return -EINVAL;
  fence->is_signaled = true;
  while (!list_empty(&fence->callbacks)) {
    struct dma_fence_cb *cb = list_entry(fence->callbacks.next, struct dma_fence_cb, node);

    list_del_init(&cb->node);
    cb->call(fence, cb);
  }
  return 0;
}

void dma_fence_set_error(struct dma_fence *fence, int error) {
  unit_assert(!fence->is_signaled && error < 0);
  fence->error = error;
}

int dma_fence_get_status(struct dma_fence *fence) { return !fence->is_signaled ? 0 : fence->error ? fence->error : 1; }

int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb,
                           void (*call)(struct dma_fence *fence, struct dma_fence_cb *cb)) {
  if (fence->is_signaled)
    return -ENOENT;
  cb->call = call;
  list_add_tail(&cb->node, &fence->callbacks);
  return 0;
}

bool dma_fence_remove_callback(struct dma_fence *fence, struct dma_fence_cb *cb) {
  const bool was_set = !list_empty(&cb->node);

  list_del_init(&cb->node);
  return was_set;
}

/* The scheduler */

int unit_sched_init(struct drm_gpu_scheduler *sched, const struct drm_sched_backend_ops *ops, long timeout) {
  *sched = (struct drm_gpu_scheduler){.ops = ops, .timeout = timeout};
  INIT_LIST_HEAD(&sched->queue);
  INIT_LIST_HEAD(&sched->pending_list);
  return 0;
}

static struct drm_gpu_scheduler *unit_sched; /* there is one */

int drm_sched_job_init(struct drm_sched_job *job, struct drm_sched_entity *entity, u32 credits, void *owner,
                       u64 client) {
  unit_sched = entity->sched;
  INIT_LIST_HEAD(&job->list);
  job->s_fence = unit_alloc(sizeof(*job->s_fence));
  return job->s_fence ? 0 : -ENOMEM;
}

int drm_sched_job_add_dependency(struct drm_sched_job *job, struct dma_fence *fence) {
  unit_assert(!job->dependency && "the driver adds one");
  job->dependency = fence;
  return 0;
}

void drm_sched_job_arm(struct drm_sched_job *job) { dma_fence_init(&job->s_fence->finished, NULL, NULL, 0, 0); }

void drm_sched_entity_push_job(struct drm_sched_job *job) { list_add_tail(&job->list, &unit_sched->queue); }

void drm_sched_job_cleanup(struct drm_sched_job *job) {
  if (job->dependency)
    dma_fence_put(job->dependency);
  if (job->s_fence->parent)
    dma_fence_put(job->s_fence->parent);
  if (job->s_fence->finished.references)
    dma_fence_put(&job->s_fence->finished);
  else
    unit_free(job->s_fence); /* never armed */
}

static void sched_finish(struct drm_gpu_scheduler *sched, struct drm_sched_job *job, int error) {
  if (error)
    dma_fence_set_error(&job->s_fence->finished, error);
  dma_fence_signal(&job->s_fence->finished);
  list_del_init(&job->list);
  sched->ops->free_job(job);
}

static void sched_run(struct drm_gpu_scheduler *sched, struct drm_sched_job *job) {
  struct dma_fence *fence;

  list_move_tail(&job->list, &sched->pending_list);
  fence = sched->ops->run_job(job);
  if (IS_ERR(fence))
    sched_finish(sched, job, PTR_ERR(fence));
  else
    job->s_fence->parent = fence;
}

/* Starts the jobs at the front whose dependencies have signaled, and frees those that have ended. */
void unit_schedule(struct drm_gpu_scheduler *sched) {
  struct drm_sched_job *job, *next;

  while (!sched->is_stopped && !list_empty(&sched->queue)) {
    job = list_entry(sched->queue.next, struct drm_sched_job, list);
    if (job->dependency && !job->dependency->is_signaled)
      break;
    sched_run(sched, job);
  }
  list_for_each_entry_safe(job, next, &sched->pending_list, list) {
    if (job->s_fence->parent->is_signaled)
      sched_finish(sched, job, job->s_fence->parent->error);
  }
}

/* Frees jobs that have ended, and drops the fences of the others. */
void drm_sched_stop(struct drm_gpu_scheduler *sched, struct drm_sched_job *bad) {
  struct drm_sched_job *job, *next;

  sched->is_stopped = true;
  bad->list.prev = &sched->pending_list;
  bad->list.next = sched->pending_list.next;
  bad->list.next->prev = sched->pending_list.next = &bad->list;
  list_for_each_entry_safe(job, next, &sched->pending_list, list) {
    if (job->s_fence->parent->is_signaled) {
      sched_finish(sched, job, job->s_fence->parent->error);
    } else {
      dma_fence_put(job->s_fence->parent);
      job->s_fence->parent = NULL;
    }
  }
}

/* Cancels jobs without a fence, as the kernel does. */
void drm_sched_start(struct drm_gpu_scheduler *sched) {
  struct drm_sched_job *job, *next;

  list_for_each_entry_safe(job, next, &sched->pending_list, list) {
    if (!job->s_fence->parent)
      sched_finish(sched, job, -ECANCELED);
  }
  sched->is_stopped = false;
}

void unit_time_out(struct drm_gpu_scheduler *sched) {
  struct drm_sched_job *job = list_entry(sched->pending_list.next, struct drm_sched_job, list);

  unit_assert(!list_empty(&sched->pending_list));
  list_del_init(&job->list);
  sched->ops->timedout_job(job);
}
