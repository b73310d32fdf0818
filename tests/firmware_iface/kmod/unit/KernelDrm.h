/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the driver uses of DRM: devices, buffers, ranges, fences and the scheduler (Kernel.h).
 */
#ifndef AVOCET_TESTS_KMOD_UNIT_KERNELDRM_H
#define AVOCET_TESTS_KMOD_UNIT_KERNELDRM_H

/* Devices and files */
struct device;
struct drm_device {
  struct device *dev;
  bool is_unplugged;
  int entered, references;
  atomic_t open_count;
};
#define drm_dev_get(drm) (++(drm)->references)
#define drm_dev_put(drm) (--(drm)->references)
struct drm_file {
  void *driver_priv;
  u64 client_id;
};
static inline bool drm_dev_enter(struct drm_device *drm, int *index) {
  *index = 7;
  drm->entered += !drm->is_unplugged;
  return !drm->is_unplugged;
}
#define drm_dev_exit(index) unit_assert((index) == 7)
#define drm_dev_is_unplugged(drm) ((drm)->is_unplugged)
#define drmm_mutex_init(drm, lock) ((lock)->held = false, 0)
void *dmam_alloc_coherent(struct device *dev, size_t bytes, dma_addr_t *dma, gfp_t flags);
void *dma_alloc_coherent(struct device *dev, size_t bytes, dma_addr_t *dma, gfp_t flags);
#define dma_free_coherent(dev, bytes, memory, dma) unit_free(memory)
struct attribute_group;
struct dev_pm_ops;

/* Ranges: nodes in order of their addresses */
struct drm_mm_node {
  u64 start, size;
  struct drm_mm *mm;
  struct drm_mm_node *next;
};
struct drm_mm {
  u64 start, size;
  struct drm_mm_node *first;
};
enum drm_mm_insert_mode { DRM_MM_INSERT_BEST, DRM_MM_INSERT_LOW };
void drm_mm_init(struct drm_mm *mm, u64 start, u64 size);
int drm_mm_insert_node_generic(struct drm_mm *mm, struct drm_mm_node *node, u64 size, u64 alignment,
                               unsigned long color, enum drm_mm_insert_mode mode);
void drm_mm_remove_node(struct drm_mm_node *node);
#define drm_mm_node_allocated(node) ((node)->mm != NULL)
#define drm_mm_takedown(mm) unit_assert(!(mm)->first && "a node is left")
#define drm_mm_for_each_node(node, in) for (node = (in)->first; node; node = node->next)
#define drm_mm_for_each_node_safe(node, after, in)                                                                     \
  for (node = (in)->first; node && (after = node->next, true); node = after)
#define drm_mm_for_each_node_in_range(node, in, begin, end)                                                            \
  drm_mm_for_each_node(node, in) if (node->start < (end) && node->start + node->size > (begin))

/* Buffers */
struct scatterlist {
  dma_addr_t address;
  uint bytes;
};
struct sg_table {
  struct scatterlist *sgl;
  uint count;
};
#define sg_dma_len(piece) ((piece)->bytes)
#define sg_dma_address(piece) ((piece)->address)
#define for_each_sgtable_dma_sg(table, piece, i)                                                                       \
  for (i = 0; (uint)(i) < (table)->count && (piece = &(table)->sgl[i], true); i++)
struct drm_gem_object {
  size_t size;
  int references;
};
struct drm_gem_shmem_object {
  struct drm_gem_object base;
  struct sg_table *sgt;
};
#define to_drm_gem_shmem_obj(object) container_of(object, struct drm_gem_shmem_object, base)
struct drm_gem_object *drm_gem_object_lookup(struct drm_file *file, u32 handle);
static inline void drm_gem_object_put(struct drm_gem_object *object) {
  if (object)
    unit_assert(--object->references > 0 && "the test holds the last reference");
}
struct sg_table *drm_gem_shmem_get_pages_sgt(struct drm_gem_shmem_object *object);

/* Fences */
struct dma_fence;
struct dma_fence_ops {
  const char *(*get_driver_name)(struct dma_fence *fence);
  const char *(*get_timeline_name)(struct dma_fence *fence);
};
struct dma_fence {
  const struct dma_fence_ops *ops;
  int references, error;
  bool is_signaled;
  struct list_head callbacks;
};
struct dma_fence_cb {
  struct list_head node;
  void (*call)(struct dma_fence *fence, struct dma_fence_cb *cb);
};
void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops, spinlock_t *lock, u64 context,
                    u64 number);
struct dma_fence *dma_fence_get(struct dma_fence *fence);
void dma_fence_put(struct dma_fence *fence); /* frees the memory that begins with the fence */
int dma_fence_signal(struct dma_fence *fence);
void dma_fence_set_error(struct dma_fence *fence, int error);
int dma_fence_get_status(struct dma_fence *fence);
int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb,
                           void (*call)(struct dma_fence *fence, struct dma_fence_cb *cb));
bool dma_fence_remove_callback(struct dma_fence *fence, struct dma_fence_cb *cb);
#define dma_fence_context_alloc(count) 1ul
#define dma_fence_chain_contained(fence) (fence)
struct file;
struct sync_file {
  struct file *file;
  struct dma_fence *fence;
};
struct sync_file *sync_file_create(struct dma_fence *fence);
struct dma_fence *sync_file_get_fence(int fd);
int get_unused_fd_flags(uint flags);
void put_unused_fd(uint fd);
void fd_install(uint fd, struct file *file);
#define drm_syncobj_find_fence(file, handle, point, flags, fence) (*(fence) = NULL, -ENOENT)

/* The scheduler: jobs run in order, each when its dependencies have signaled (unit_schedule()). */
enum drm_gpu_sched_stat { DRM_GPU_SCHED_STAT_NOMINAL, DRM_GPU_SCHED_STAT_RESET };
#define DRM_SCHED_PRIORITY_COUNT 4
#define DRM_SCHED_PRIORITY_NORMAL 2
struct drm_sched_fence {
  struct dma_fence finished;
  struct dma_fence *parent;
};
struct drm_sched_job {
  struct drm_sched_fence *s_fence;
  struct dma_fence *dependency;
  struct list_head list;
};
struct drm_sched_backend_ops {
  struct dma_fence *(*run_job)(struct drm_sched_job *job);
  enum drm_gpu_sched_stat (*timedout_job)(struct drm_sched_job *job);
  void (*free_job)(struct drm_sched_job *job);
};
struct drm_gpu_scheduler {
  const struct drm_sched_backend_ops *ops;
  long timeout;
  bool is_stopped;
  spinlock_t job_list_lock;
  struct list_head queue, pending_list;
};
struct drm_sched_entity {
  struct drm_gpu_scheduler *sched;
};
struct drm_sched_init_args {
  const struct drm_sched_backend_ops *ops;
  u32 num_rqs, credit_limit;
  long timeout;
  const char *name;
  struct device *dev;
};
int unit_sched_init(struct drm_gpu_scheduler *sched, const struct drm_sched_backend_ops *ops, long timeout);
#define drm_sched_init(sched, args) unit_sched_init(sched, (args)->ops, (args)->timeout)
#define drm_sched_entity_init(entity, priority, list, count, guilty) ((entity)->sched = *(list), 0)
#define drm_sched_entity_fini(entity) ((entity)->sched = NULL)
/* The scheduler ends the entity's jobs, which nothing holds back any more. */
#define drm_sched_entity_destroy(entity) unit_schedule((entity)->sched)
#define drm_sched_fini(sched) unit_assert(list_empty(&(sched)->pending_list))
int drm_sched_job_init(struct drm_sched_job *job, struct drm_sched_entity *entity, u32 credits, void *owner,
                       u64 client);
int drm_sched_job_add_dependency(struct drm_sched_job *job, struct dma_fence *fence);
void drm_sched_job_arm(struct drm_sched_job *job);
void drm_sched_entity_push_job(struct drm_sched_job *job);
void drm_sched_job_cleanup(struct drm_sched_job *job);
#define drm_sched_wqueue_stop(sched) ((void)((sched)->is_stopped = true))
#define drm_sched_wqueue_start(sched) ((void)((sched)->is_stopped = false))
void drm_sched_stop(struct drm_gpu_scheduler *sched, struct drm_sched_job *bad);
void drm_sched_start(struct drm_gpu_scheduler *sched);
void unit_schedule(struct drm_gpu_scheduler *sched);
void unit_time_out(struct drm_gpu_scheduler *sched); /* of the oldest job that runs */

#endif /* AVOCET_TESTS_KMOD_UNIT_KERNELDRM_H */
