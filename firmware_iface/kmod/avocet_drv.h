/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/*
 * Objects of the driver and how they own each other.
 *
 * A device has contexts, numbered as on the device. A file owns the contexts that it created. A
 * context holds its mappings, its ring and its job log, and lives until its last job is freed. A
 * job holds its context and keeps the device powered; a context holds the record of its file.
 *
 * Locks, outer first: avocet_device.reset_lock (stopping and starting the scheduler),
 * avocet_device.state_lock (contexts, mappings, rings and power of the device against its reset),
 * then avocet_context.lock (ring and log), which the interrupt thread takes, and
 * avocet_device.mailbox_lock. The locks of the fault log, of the activity and of a file's counters
 * are innermost. No message is sent with a context's lock held. A caller of avocet_pm_get(), which
 * resumes the device, holds none of these locks.
 */
#ifndef AVOCET_DRV_H
#define AVOCET_DRV_H

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_mm.h>
#include <drm/gpu_scheduler.h>
#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "avocet_accel.h"
#include "avocet_bus.h"
#include "avocet_fw.h"

struct avocet_gate;
struct avocet_job;
struct avocet_signals;
struct dma_buf;
struct drm_printer;
struct sync_file;

#define AVOCET_QUEUE_DEPTH 256 /* entries of a ring: a power of two */
#define AVOCET_LOG_ENTRIES 512 /* queued jobs and the last 256 that ended */
#define AVOCET_FAULT_ENTRIES 64 /* of the device's log of faults */
#define AVOCET_FIRST_ADDRESS 0x10000ull
#define AVOCET_LAST_ADDRESS BIT_ULL(40)
#define AVOCET_RING_ADDRESS BIT_ULL(41) /* of the driver's own memory in each context */
#define AVOCET_ARENA_BYTES (512 * 1024) /* tables of the jobs of one context */
#define AVOCET_OWN_END (AVOCET_RING_ADDRESS + BIT_ULL(30)) /* more than ring and arena */

/**
 * struct avocet_fault - a job that did not end well
 * @time_ns: CLOCK_MONOTONIC
 * @client: number of the file, as in fdinfo
 * @context: number of the context
 * @job: number of the job in its context
 * @code: AVOCET_FAULT_ number
 * @engine_kind: AVOCET_ENGINE_, or ~0
 * @engine_index: or ~0
 * @command: index in the engine's stream, or ~0
 * @layer: layer of the command, or ~0
 * @region: of the bad access, or ~0
 * @address: offset in the region, or device address of a page fault
 */
struct avocet_fault {
	u64 time_ns;
	u64 client;
	u32 context;
	u64 job;
	u32 code;
	u32 engine_kind, engine_index;
	u32 command, layer, region;
	u64 address;
};

/**
 * struct avocet_fault_log - the last faults of a device
 * @lock: guards all
 * @count: faults since the driver was bound
 * @entries: by number modulo AVOCET_FAULT_ENTRIES
 */
struct avocet_fault_log {
	spinlock_t lock; /* guards all */
	u64 count;
	struct avocet_fault entries[AVOCET_FAULT_ENTRIES];
};

/**
 * struct avocet_activity - when the device had jobs
 * @lock: guards all
 * @jobs: on the device now
 * @ended: jobs that have left the device
 * @changed_ns: until when the times are counted, CLOCK_MONOTONIC
 * @busy_ns: time with jobs on the device
 * @window_ns: begin of the window of one second
 * @window_busy_ns: time with jobs in the window
 * @percent: share of that time in the last complete window
 */
struct avocet_activity {
	spinlock_t lock; /* guards all */
	u32 jobs;
	u64 ended;
	u64 changed_ns, busy_ns;
	u64 window_ns, window_busy_ns;
	u32 percent;
};

/**
 * struct avocet_device - one device
 * @drm: the DRM device
 * @bus: registers and interrupts
 * @hello: what the device said about itself, the same after each reset
 * @has_greeted: @hello is valid
 * @mailbox_in: message to the device
 * @mailbox_out: message from the device
 * @mailbox_in_dma: its DMA address
 * @mailbox_out_dma: its DMA address
 * @mailbox_lock: one request at a time
 * @mailbox_answer: an answer has arrived
 * @mailbox_sequence: of the last request
 * @reset_lock: one reset at a time, together with the scheduler's stop and start
 * @state_lock: contexts, mappings and rings against reset and suspension
 * @contexts: by the device's number, which begins with 1
 * @last_owner: the number that was last given to an owner; under @state_lock
 * @contexts_gone: the last context was freed
 * @sched: hands jobs whose fences have signaled to the rings
 * @fence_lock: of the hardware fences
 * @fence_context: of the hardware fences
 * @fence_sequence: of the last hardware fence
 * @lost: the device does not answer
 * @suspended: nothing may be sent to the device; under @state_lock
 * @quiet: the device has acknowledged a reset or its bus is detached, and no context was announced
 * since: it accesses no memory of contexts; under @state_lock
 * @asleep: the machine sleeps, so the scheduler stays stopped; under @reset_lock
 * @resets: how often it was reset
 * @activity: when it had jobs
 * @idle: the last job has left the device
 * @faults: the last faults
 */
struct avocet_device {
	struct drm_device drm;
	struct avocet_bus *bus;
	struct avocet_fw_hello_reply hello;
	bool has_greeted;
	struct avocet_fw_message *mailbox_in, *mailbox_out;
	dma_addr_t mailbox_in_dma, mailbox_out_dma;
	struct mutex mailbox_lock; /* one request at a time */
	struct completion mailbox_answer;
	u32 mailbox_sequence;
	struct mutex reset_lock; /* scheduler's stop and start */
	struct mutex state_lock; /* what is on the device */
	struct xarray contexts;
	u32 last_owner;
	wait_queue_head_t contexts_gone;
	struct drm_gpu_scheduler sched;
	spinlock_t fence_lock; /* of the hardware fences */
	u64 fence_context;
	atomic64_t fence_sequence;
	bool lost, suspended, quiet, asleep;
	atomic_t resets;
	struct avocet_activity activity;
	wait_queue_head_t idle;
	struct avocet_fault_log faults;
};

static inline struct avocet_device *to_avocet(struct drm_device *drm)
{
	return container_of(drm, struct avocet_device, drm);
}

/**
 * struct avocet_file - an open file; lives until its last job is freed
 * @ref: of the file and of its contexts
 * @contexts: the file's contexts by number; each entry holds a reference
 * @client: its number, as in fdinfo
 * @lock: guards what follows
 * @counters: sum over all jobs that have ended
 * @jobs: that have ended
 * @faults: jobs among them that faulted
 */
struct avocet_file {
	struct kref ref;
	struct xarray contexts;
	u64 client;
	spinlock_t lock; /* of the sums */
	struct avocet_counters counters;
	u64 jobs, faults;
};

/**
 * struct avocet_bo - a buffer
 * @base: its memory
 * @is_read_only: the device may only read it
 * @user_pages: pinned pages of the caller, or NULL
 * @user_page_count: of @user_pages
 * @user_mm: whose limit of locked memory they count towards
 */
struct avocet_bo {
	struct drm_gem_shmem_object base;
	bool is_read_only;
	struct page **user_pages;
	u32 user_page_count;
	struct mm_struct *user_mm;
};

static inline struct avocet_bo *to_avocet_bo(struct drm_gem_object *object)
{
	return container_of(to_drm_gem_shmem_obj(object), struct avocet_bo, base);
}

/**
 * struct avocet_mapping - a buffer in a context
 * @node: its device addresses
 * @bo: the buffer, with a reference
 * @sgt: its pages
 * @access: AVOCET_ACCESS_ bits
 * @dropped: user space has no more use of it, but the device may still access its pages
 */
struct avocet_mapping {
	struct drm_mm_node node;
	struct drm_gem_object *bo;
	struct sg_table *sgt;
	u32 access;
	bool dropped;
};

/**
 * struct avocet_context - an address space with a ring
 * @ref: references of the file and of jobs
 * @avocet: the device
 * @file: the file that made it, with a reference
 * @id: the device's number; its ring has the number @id - 1
 * @client_owner: number that user space gave its owner
 * @owner: number of that owner on the device, for its shares
 * @held: closed, but the device may still access its memory: @ref has a reference for that; under
 * avocet_device.state_lock
 * @closing: no new jobs
 * @stopped: the scheduler's queue is gone
 * @entity: queue of the scheduler
 * @lock: ring, arena, log
 * @addresses: of mappings, nodes are struct avocet_mapping; under avocet_device.state_lock
 * @ring: header and descriptors
 * @arena: tables and completion records of jobs
 * @dma: address of ring and arena
 * @bytes: of ring and arena
 * @space: parts of the arena in use
 * @tail: descriptors filled
 * @waiting: jobs that are not yet in the ring, in order
 * @in_flight: jobs whose fences have not signaled, in order: those in the ring, and refused ones
 * @log: outcomes by number of the job
 * @last_job: its number
 * @queued: jobs that have not ended
 * @cancelled: numbers of queued jobs that end when their turn comes, by number modulo
 * AVOCET_LOG_ENTRIES
 * @ended: a job has ended
 */
struct avocet_context {
	struct kref ref;
	struct avocet_device *avocet;
	struct avocet_file *file;
	u32 id, client_owner, owner;
	bool held, closing, stopped;
	struct drm_sched_entity entity;
	spinlock_t lock; /* ring, arena, log */
	struct drm_mm addresses;
	struct avocet_fw_ring_header *ring;
	void *arena;
	dma_addr_t dma;
	size_t bytes;
	struct drm_mm space;
	u32 tail;
	struct list_head waiting, in_flight;
	struct avocet_fw_completion *log;
	u64 last_job;
	u32 queued;
	DECLARE_BITMAP(cancelled, AVOCET_LOG_ENTRIES);
	wait_queue_head_t ended;
};

/**
 * struct avocet_job - a job from submission until its fence has signaled
 * @base: the scheduler's part
 * @context: its context, with a reference
 * @link: in avocet_context.waiting or in_flight
 * @number: in its context
 * @fw: its descriptor
 * @space: its part of the arena: completion record, streams, regions
 * @deadline_ns: CLOCK_MONOTONIC, or 0
 * @gate: opens when the in-fences have signaled, or NULL
 * @hw_fence: signals when the device has ended the job (avocet_fence.c)
 * @in_flight: it is in avocet_context.in_flight: its fence signals after those before it
 * @in_ring: it is in the ring, or has ended there and its fence has not signaled
 * @ended_before: jobs that had left the device when this one was last looked at
 * @has_ended: its outcome is in the log
 * @abandoned: its submission failed; it ends when its turn comes
 */
struct avocet_job {
	struct drm_sched_job base;
	struct avocet_context *context;
	struct list_head link;
	u64 number;
	struct avocet_fw_job fw;
	struct drm_mm_node space;
	u64 deadline_ns;
	struct avocet_gate *gate;
	struct dma_fence *hw_fence;
	bool in_flight, in_ring;
	u64 ended_before;
	bool has_ended;
	bool abandoned;
};

/* avocet_drv.c */
void avocet_file_put(struct avocet_file *file);

/* avocet_device.c */
int avocet_device_prepare(struct avocet_device *avocet);
int avocet_device_init(struct avocet_device *avocet);
void avocet_device_stop(struct avocet_device *avocet);
void avocet_device_fini(struct avocet_device *avocet);
int avocet_device_reset(struct avocet_device *avocet);
void avocet_device_suspend(struct avocet_device *avocet);
void avocet_device_resume(struct avocet_device *avocet);
void avocet_device_interrupt(struct avocet_device *avocet);
void avocet_device_lose(struct avocet_device *avocet);
void avocet_device_reap(struct avocet_device *avocet);
int avocet_device_for_each(struct avocet_device *avocet,
			   int (*visit)(struct avocet_context *context, void *argument),
			   void *argument);

/* avocet_mailbox.c */
extern uint avocet_answer_timeout_ms;
int avocet_mailbox_init(struct avocet_device *avocet);
int avocet_mailbox_announce(struct avocet_device *avocet);
int avocet_mailbox_exchange(struct avocet_device *avocet, u32 kind, const void *request,
			    size_t request_bytes, void *reply, size_t reply_bytes);
int avocet_mailbox_request(struct avocet_device *avocet, u32 kind, const void *request,
			   size_t bytes);

/* avocet_pm.c */
extern const struct dev_pm_ops avocet_pm_ops;
void avocet_pm_init(struct avocet_device *avocet);
void avocet_pm_fini(struct avocet_device *avocet);
int avocet_pm_get(struct avocet_device *avocet);
void avocet_pm_put(struct avocet_device *avocet);
int avocet_enter(struct avocet_device *avocet, int *index);
void avocet_exit(struct avocet_device *avocet, int index);

/* avocet_usage.c */
void avocet_usage_init(struct avocet_device *avocet);
void avocet_usage_start(struct avocet_device *avocet);
void avocet_usage_stop(struct avocet_device *avocet);
u64 avocet_usage_busy_ns(struct avocet_device *avocet, u32 *percent);
u64 avocet_usage_ended(struct avocet_device *avocet);
u64 avocet_device_ns(const struct avocet_device *avocet, u64 cycles);
void avocet_usage_add(struct avocet_job *job, const struct avocet_fw_completion *outcome);
void avocet_usage_read(struct avocet_file *file, struct avocet_counters *counters);

/* avocet_debugfs.c, avocet_sysfs.c, avocet_fdinfo.c */
extern const struct attribute_group *avocet_sysfs_groups[];
void avocet_debugfs_init(struct avocet_device *avocet);
void avocet_fdinfo_show(struct drm_printer *printer, struct drm_file *file);

/* avocet_bo.c */
struct drm_gem_object *avocet_bo_alloc(struct drm_device *drm, size_t size);
struct drm_gem_object *avocet_bo_import(struct drm_device *drm, struct dma_buf *dma_buf);
int avocet_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int avocet_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);

/* avocet_user_bo.c */
int avocet_ioctl_bo_import(struct drm_device *drm, void *data, struct drm_file *file);

/* avocet_context.c */
int avocet_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file);
int avocet_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file);
struct avocet_context *avocet_context_get(struct drm_file *file, u32 id);
void avocet_context_put(struct avocet_context *context);
void avocet_context_close(struct avocet_context *context);
void avocet_context_stop(struct avocet_context *context);
void avocet_context_let_go(struct avocet_context *context);
int avocet_context_announce(struct avocet_context *context);
int avocet_context_announce_ring(struct avocet_context *context);

/* avocet_map.c */
int avocet_ioctl_map(struct drm_device *drm, void *data, struct drm_file *file);
int avocet_ioctl_unmap(struct drm_device *drm, void *data, struct drm_file *file);
int avocet_map_announce(struct avocet_context *context, struct avocet_mapping *mapping);
void avocet_map_free_all(struct avocet_context *context);
void avocet_map_free_dropped(struct avocet_context *context);

/* avocet_fence.c */
struct dma_fence *avocet_fence_create(struct avocet_device *avocet);
int avocet_fence_init(void);
void avocet_fence_fini(void);

/* avocet_gate.c */
struct avocet_gate *avocet_gate_create(u32 capacity);
void avocet_gate_add(struct avocet_gate *gate, struct dma_fence *fence);
struct dma_fence *avocet_gate_arm(struct avocet_gate *gate);
void avocet_gate_open(struct avocet_gate *gate);
bool avocet_gate_has_failed(const struct avocet_gate *gate);
void avocet_gate_free(struct avocet_gate *gate);

/* avocet_syncobj.c */
struct avocet_signals *avocet_signals_create(u32 capacity);
int avocet_signals_add(struct avocet_signals *signals, struct drm_file *file,
		       const struct avocet_syncobj *point);
void avocet_signals_attach(struct avocet_signals *signals, struct dma_fence *fence);
void avocet_signals_free(struct avocet_signals *signals);

/* avocet_submit.c */
int avocet_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

/* avocet_wait.c */
int avocet_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file);
int avocet_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *file);

/* avocet_job.c */
struct avocet_job *avocet_job_alloc(struct avocet_context *context, struct drm_file *file);
int avocet_job_place(struct avocet_job *job, const void *streams, const void *regions);
u64 avocet_job_push(struct avocet_job *job, struct avocet_signals *signals, struct sync_file **sync,
		    int *error);
void avocet_job_free(struct avocet_job *job);
struct avocet_fw_completion *avocet_job_record(struct avocet_job *job);

/* avocet_sched.c */
int avocet_sched_init(struct avocet_device *avocet);
void avocet_sched_fini(struct avocet_device *avocet);
void avocet_sched_reap(struct avocet_context *context);
void avocet_sched_end(struct avocet_job *job, u32 fault);
void avocet_sched_end_all(struct avocet_context *context, u32 fault);
void avocet_sched_cancel(struct avocet_context *context, u64 number);
void avocet_sched_cancel_all(struct avocet_context *context);
void avocet_sched_refill(struct avocet_context *context);

#endif /* AVOCET_DRV_H */
