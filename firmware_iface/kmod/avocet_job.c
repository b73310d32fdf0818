// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Submission, waiting and cancellation of jobs.
 */
#include <linux/file.h>
#include <linux/sync_file.h>

#include "avocet_drv.h"

#define MAX_IN_FENCES 16
#define KNOWN_FLAGS AVOCET_SUBMIT_OUT_FENCE

/* The device reads user space's entries as they are. */
static_assert(sizeof(struct avocet_stream) == 24 && sizeof(struct avocet_region) == 24);

/* Place of the job's record in the arena, followed by its streams and regions. */
struct avocet_fw_completion *avocet_job_record(struct avocet_job *job)
{
	return (void *)job->context->ring + job->space.start;
}

static void job_release_space(struct avocet_job *job)
{
	spin_lock(&job->context->lock);
	if (drm_mm_node_allocated(&job->space))
		drm_mm_remove_node(&job->space);
	spin_unlock(&job->context->lock);
}

/* Frees a job that the scheduler no longer knows. */
void avocet_job_free(struct avocet_job *job)
{
	u32 i;

	job_release_space(job);
	for (i = 0; i < job->fence_count; i++)
		dma_fence_put(job->fences[i]);
	kfree(job->fences);
	if (job->hw_fence && job->hw_fence->ops)
		dma_fence_put(job->hw_fence);
	else
		kfree(job->hw_fence); /* the job never reached the device */
	avocet_context_put(job->context);
	kfree(job);
}

static int check_submit(struct avocet_device *avocet, const struct avocet_submit *args)
{
	if (args->flags & ~KNOWN_FLAGS || args->pad || args->job || args->out_fence)
		return -EINVAL;
	if (!args->stream_count || args->stream_count > AVOCET_MAX_JOB_STREAMS ||
	    args->region_count > avocet->hello.max_regions || args->region_count > AVOCET_MAX_REGIONS ||
	    args->in_fence_count > MAX_IN_FENCES || args->priority > AVOCET_MAX_PRIORITY ||
	    args->control_program % AVOCET_TABLE_ALIGNMENT || (!args->control_program && args->control_words))
		return -EINVAL;
	if (args->encoding_version != avocet->hello.encoding_version ||
	    args->target_fingerprint != avocet->hello.target_fingerprint)
		return -EPROTO;
	return READ_ONCE(avocet->lost) ? -ENODEV : 0;
}

static u32 dma_channels(const struct avocet_device *avocet)
{
	return min_t(u32, avocet->hello.dma_channels, AVOCET_MAX_DMA_CHANNELS);
}

static int check_stream(struct avocet_device *avocet, const struct avocet_stream *stream)
{
	u32 engines = stream->engine_kind == AVOCET_ENGINE_DMA ? dma_channels(avocet) : 1;

	if (stream->engine_kind > AVOCET_ENGINE_DMA || stream->engine_index >= engines ||
	    stream->device_address % 4 || stream->words > avocet->hello.max_stream_words ||
	    stream->section >= AVOCET_MAX_SECTIONS)
		return -EINVAL;
	return 0;
}

static int check_streams(struct avocet_device *avocet, const struct avocet_stream *streams, u32 count)
{
	const size_t engines = AVOCET_ENGINE_DMA + dma_channels(avocet);
	unsigned long *seen = bitmap_zalloc(AVOCET_MAX_SECTIONS * engines, GFP_KERNEL);
	int ret = 0;
	u32 i;

	if (!seen)
		return -ENOMEM;
	for (i = 0; i < count && !ret; i++) {
		ret = check_stream(avocet, &streams[i]);
		if (!ret && __test_and_set_bit(streams[i].section * engines + streams[i].engine_kind +
					       streams[i].engine_index, seen))
			ret = -EINVAL; /* a section has one stream for an engine */
	}
	bitmap_free(seen);
	return ret;
}

static int check_regions(const struct avocet_region *regions, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (!regions[i].access || regions[i].access & ~(AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE) ||
		    regions[i].pad)
			return -EINVAL;
	}
	return 0;
}

static int job_take_fences(struct avocet_job *job, const struct avocet_submit *args)
{
	s32 fds[MAX_IN_FENCES];
	u32 i;
	int ret;

	if (copy_from_user(fds, u64_to_user_ptr(args->in_fences), args->in_fence_count * sizeof(fds[0])))
		return -EFAULT;
	job->fences = kcalloc(MAX_IN_FENCES, sizeof(*job->fences), GFP_KERNEL);
	if (!job->fences)
		return -ENOMEM;
	for (i = 0; i < args->in_fence_count; i++) {
		struct dma_fence *fence = sync_file_get_fence(fds[i]);

		if (!fence)
			return -EBADF;
		job->fences[job->fence_count++] = fence;
		ret = drm_sched_job_add_dependency(&job->base, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

/* Reserves a part of the arena, and puts the tables there, which the driver has copied and checked. */
static int job_place(struct avocet_job *job, const struct avocet_submit *args, const void *streams, const void *regions)
{
	struct avocet_context *context = job->context;
	const size_t record = ALIGN(sizeof(struct avocet_fw_completion), 64);
	const size_t stream_bytes = args->stream_count * sizeof(struct avocet_stream);
	const size_t region_bytes = args->region_count * sizeof(struct avocet_region);
	u8 *place;
	int ret;

	spin_lock(&context->lock);
	ret = drm_mm_insert_node_generic(&context->space, &job->space, ALIGN(record + stream_bytes + region_bytes, 64),
					 64, 0, DRM_MM_INSERT_BEST);
	spin_unlock(&context->lock);
	if (ret)
		return -EAGAIN;
	place = (u8 *)avocet_job_record(job);
	memset(place, 0, record);
	memcpy(place + record, streams, stream_bytes);
	memcpy(place + record + stream_bytes, regions, region_bytes);
	job->fw.completion = AVOCET_RING_ADDRESS + job->space.start;
	job->fw.stream_table = job->fw.completion + record;
	job->fw.region_table = job->fw.stream_table + stream_bytes;
	return 0;
}

static void job_describe(struct avocet_job *job, const struct avocet_submit *args)
{
	job->deadline_ns = args->deadline_ns;
	job->fw.context = job->context->id;
	job->fw.priority = args->priority;
	job->fw.watchdog_cycles = args->watchdog_cycles;
	job->fw.target_fingerprint = args->target_fingerprint;
	job->fw.encoding_version = args->encoding_version;
	job->fw.stream_count = args->stream_count;
	job->fw.region_count = args->region_count;
	job->fw.user_data = args->user_data;
	job->fw.control_program = args->control_program;
	job->fw.control_words = args->control_words;
	job->fw.loop_timeout_ns = args->loop_timeout_ns;
}

/*
 * Gives the job its number and passes it to the scheduler, in one step: jobs run in the order of their numbers. The job
 * may be gone when this returns.
 */
static int job_push(struct avocet_job *job, bool needs_sync, struct sync_file **sync, u64 *number)
{
	struct avocet_context *context = job->context;
	struct avocet_fw_completion *entry;
	bool full;
	int ret = 0;

	mutex_lock(&context->avocet->state_lock);
	if (context->closing) {
		mutex_unlock(&context->avocet->state_lock);
		return -ENOENT;
	}
	spin_lock(&context->lock);
	full = context->queued == AVOCET_QUEUE_DEPTH;
	if (!full) {
		context->queued++;
		job->number = ++context->last_job;
		job->fw.sequence = job->number;
		clear_bit(job->number % AVOCET_LOG_ENTRIES, context->cancelled);
		entry = &context->log[job->number % AVOCET_LOG_ENTRIES];
		memset(entry, 0, sizeof(*entry));
		entry->sequence = job->number;
	}
	spin_unlock(&context->lock);
	if (!full) {
		drm_sched_job_arm(&job->base);
		/* Rings run in any order, so jobs that wait for this one must not be on the device before its end. */
		set_bit(DRM_SCHED_FENCE_DONT_PIPELINE, &job->base.s_fence->finished.flags);
		*number = job->number;
		if (needs_sync)
			*sync = sync_file_create(&job->base.s_fence->finished);
		/* An armed job must be pushed. */
		job->abandoned = needs_sync && !*sync;
		ret = job->abandoned ? -ENOMEM : 0;
		drm_sched_entity_push_job(&job->base);
	}
	mutex_unlock(&context->avocet->state_lock);
	return full ? -EAGAIN : ret;
}

static struct avocet_job *job_alloc(struct avocet_context *context, struct drm_file *file)
{
	struct avocet_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!job)
		return ERR_PTR(-ENOMEM);
	job->hw_fence = kzalloc(sizeof(*job->hw_fence), GFP_KERNEL);
	if (job->hw_fence)
		ret = drm_sched_job_init(&job->base, &context->entity, 1, NULL, file->client_id);
	if (ret) {
		kfree(job->hw_fence);
		kfree(job);
		return ERR_PTR(ret);
	}
	kref_get(&context->ref);
	job->context = context;
	INIT_LIST_HEAD(&job->link);
	return job;
}

/* Submits a job whose tables have been copied and checked. */
static int submit_checked(struct avocet_context *context, struct drm_file *file, struct avocet_submit *args,
			  const void *streams, const void *regions)
{
	const bool needs_sync = args->flags & AVOCET_SUBMIT_OUT_FENCE;
	struct avocet_job *job = job_alloc(context, file);
	struct sync_file *sync = NULL;
	int fd = -1, ret;

	if (IS_ERR(job))
		return PTR_ERR(job);
	job_describe(job, args);
	ret = job_take_fences(job, args);
	if (!ret)
		ret = job_place(job, args, streams, regions);
	if (!ret && needs_sync) {
		fd = get_unused_fd_flags(O_CLOEXEC);
		ret = fd < 0 ? fd : 0;
	}
	if (!ret) {
		ret = job_push(job, needs_sync, &sync, &args->job);
		if (!ret || ret == -ENOMEM)
			job = NULL; /* the scheduler's */
	}
	args->out_fence = ret ? -1 : fd;
	if (ret && fd >= 0)
		put_unused_fd(fd);
	else if (sync)
		fd_install(fd, sync->file);
	if (job) {
		drm_sched_job_cleanup(&job->base);
		avocet_job_free(job);
	}
	return ret;
}

static int submit_copied(struct avocet_context *context, struct drm_file *file, struct avocet_submit *args,
			 const struct avocet_stream *streams, const struct avocet_region *regions)
{
	int ret = check_streams(context->avocet, streams, args->stream_count);

	if (!ret)
		ret = check_regions(regions, args->region_count);
	return ret ? ret : submit_checked(context, file, args, streams, regions);
}

int avocet_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_submit *args = data;
	struct avocet_context *context;
	void *streams, *regions;
	int ret;

	ret = check_submit(to_avocet(drm), args);
	if (ret)
		return ret;
	context = avocet_context_get(file, args->context);
	if (!context)
		return -ENOENT;
	streams = vmemdup_array_user(u64_to_user_ptr(args->streams), args->stream_count, sizeof(struct avocet_stream));
	regions = args->region_count ? vmemdup_array_user(u64_to_user_ptr(args->regions), args->region_count,
							  sizeof(struct avocet_region)) :
				       NULL;
	if (IS_ERR(streams) || IS_ERR(regions))
		ret = IS_ERR(streams) ? PTR_ERR(streams) : PTR_ERR(regions);
	else
		ret = submit_copied(context, file, args, streams, regions);
	if (!IS_ERR(streams))
		kvfree(streams);
	if (!IS_ERR(regions))
		kvfree(regions);
	avocet_context_put(context);
	return ret;
}

static struct avocet_fw_completion *log_entry(struct avocet_context *context, u64 number)
{
	struct avocet_fw_completion *entry = &context->log[number % AVOCET_LOG_ENTRIES];

	return number && entry->sequence == number ? entry : NULL;
}

/* Copies the outcome of a job; false: the log does not have it. */
static bool log_read(struct avocet_context *context, u64 number, struct avocet_fw_completion *outcome)
{
	struct avocet_fw_completion *entry;

	spin_lock(&context->lock);
	entry = log_entry(context, number);
	if (entry)
		*outcome = *entry;
	spin_unlock(&context->lock);
	return entry;
}

static bool has_ended(struct avocet_context *context, u64 number)
{
	struct avocet_fw_completion outcome;

	return !log_read(context, number, &outcome) || outcome.state != AVOCET_JOB_PENDING;
}

static int wait_until(struct avocet_context *context, u64 number, s64 timeout_ns)
{
	s64 left;

	if (timeout_ns < 0)
		return wait_event_interruptible(context->ended, has_ended(context, number)) ? -EINTR : 0;
	left = timeout_ns - ktime_get_ns();
	if (left <= 0)
		return has_ended(context, number) ? 0 : -ETIMEDOUT;
	switch (wait_event_interruptible_hrtimeout(context->ended, has_ended(context, number), left)) {
	case 0:
		return 0;
	case -ETIME:
		return -ETIMEDOUT;
	default:
		return -EINTR;
	}
}

static void wait_answer(struct avocet_wait *args, const struct avocet_fw_completion *outcome)
{
	args->state = outcome->state;
	args->fault_code = outcome->fault_code;
	args->fault_engine_kind = outcome->fault_engine_kind;
	args->fault_engine_index = outcome->fault_engine_index;
	args->fault_command = outcome->fault_command;
	args->fault_layer = outcome->fault_layer;
	args->fault_region = outcome->fault_region;
	args->fault_section = outcome->fault_section;
	args->fault_address = outcome->fault_address;
	args->start_cycle = outcome->start_cycle;
	args->end_cycle = outcome->end_cycle;
	args->counters = outcome->counters;
	args->arrival_cycle = outcome->arrival_cycle;
}

int avocet_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_wait *args = data;
	struct avocet_fw_completion outcome;
	struct avocet_context *context;
	int ret;

	if (args->pad || args->pad2 || args->pad3)
		return -EINVAL;
	context = avocet_context_get(file, args->context);
	if (!context)
		return -ENOENT;
	ret = wait_until(context, args->job, args->timeout_ns);
	if (!ret) {
		if (log_read(context, args->job, &outcome))
			wait_answer(args, &outcome);
		else
			ret = -ENOENT;
	}
	avocet_context_put(context);
	return ret;
}

/* Ends a job that waits for a fence of another driver when that has signalled; the device ends others itself. */
int avocet_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct avocet_cancel *args = data;
	struct avocet_fw_cancel request = { .sequence = args->job };
	struct avocet_context *context;
	int ret;

	if (args->pad)
		return -EINVAL;
	context = avocet_context_get(file, args->context);
	if (!context)
		return -ENOENT;
	request.context = context->id;
	request.ring = context->id - 1;
	ret = args->job && args->job <= READ_ONCE(context->last_job) ? 0 : -ENOENT;
	if (!ret && !has_ended(context, args->job)) {
		avocet_sched_cancel(context, args->job);
		mutex_lock(&avocet->state_lock);
		ret = avocet_mailbox_request(avocet, AVOCET_MESSAGE_CANCEL, &request, sizeof(request));
		mutex_unlock(&avocet->state_lock);
		if (ret == -ENOENT)
			ret = 0; /* it has ended, or has not reached the device */
	}
	avocet_context_put(context);
	return ret;
}
