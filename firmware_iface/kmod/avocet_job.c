// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Jobs, from their allocation until they are freed.
 */
#include <linux/sync_file.h>

#include "avocet_drv.h"
#include "avocet_trace.h"

/* The device reads user space's entries as they are. */
static_assert(sizeof(struct avocet_stream) == 24 && sizeof(struct avocet_region) == 24);

/**
 * avocet_job_record() - place of the job's record in the arena
 * @job: a job with a part of the arena
 *
 * Return: the record, followed by the job's streams and regions.
 */
struct avocet_fw_completion *avocet_job_record(struct avocet_job *job)
{
	return (void *)job->context->ring + job->space.start;
}

static void job_leave_context(struct avocet_job *job)
{
	spin_lock(&job->context->lock);
	list_del_init(&job->link);
	if (drm_mm_node_allocated(&job->space))
		drm_mm_remove_node(&job->space);
	spin_unlock(&job->context->lock);
}

/**
 * avocet_job_free() - frees a job that the scheduler no longer knows
 * @job: the job
 */
void avocet_job_free(struct avocet_job *job)
{
	job_leave_context(job);
	avocet_gate_free(job->gate);
	dma_fence_put(job->hw_fence);
	avocet_pm_put(job->context->avocet);
	avocet_context_put(job->context);
	kfree(job);
}

/**
 * avocet_job_place() - reserves a part of the arena and puts the tables there
 * @job: a job with its description, which gets the tables' addresses
 * @streams: its streams, copied and checked
 * @regions: its regions, copied and checked
 *
 * Return: 0, or -EAGAIN if the arena is full.
 */
int avocet_job_place(struct avocet_job *job, const void *streams, const void *regions)
{
	struct avocet_context *context = job->context;
	const size_t record = ALIGN(sizeof(struct avocet_fw_completion), 64);
	const size_t stream_bytes = job->fw.stream_count * sizeof(struct avocet_stream);
	const size_t region_bytes = job->fw.region_count * sizeof(struct avocet_region);
	u8 *place;
	int ret;

	spin_lock(&context->lock);
	ret = drm_mm_insert_node_generic(&context->space, &job->space,
					 ALIGN(record + stream_bytes + region_bytes, 64), 64, 0,
					 DRM_MM_INSERT_BEST);
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

/* Gives the job its number and an entry in the log; -EAGAIN: the queue is full. */
static int job_number(struct avocet_job *job)
{
	struct avocet_context *context = job->context;
	struct avocet_fw_completion *entry;
	int ret = -EAGAIN;

	spin_lock(&context->lock);
	if (context->queued < AVOCET_QUEUE_DEPTH) {
		context->queued++;
		job->number = ++context->last_job;
		job->fw.sequence = job->number;
		clear_bit(job->number % AVOCET_LOG_ENTRIES, context->cancelled);
		entry = &context->log[job->number % AVOCET_LOG_ENTRIES];
		memset(entry, 0, sizeof(*entry));
		entry->sequence = job->number;
		list_add_tail(&job->link, &context->waiting);
		ret = 0;
	}
	spin_unlock(&context->lock);
	return ret;
}

/**
 * avocet_job_push() - gives the job its number and passes it to the scheduler
 * @job: the job
 * @signals: what signals when it has ended, or NULL
 * @sync: gets a sync_file if not NULL
 * @error: gets 0 or a negative error. -ENOMEM with a number: there is no sync_file, the job will
 * end
 *
 * Both happen in one step, so that jobs run in the order of their numbers. The job may be gone when
 * this returns.
 *
 * Return: the job's number, or 0 if the scheduler has not taken it.
 */
u64 avocet_job_push(struct avocet_job *job, struct avocet_signals *signals, struct sync_file **sync,
		    int *error)
{
	struct avocet_context *context = job->context;
	u64 number = 0;

	mutex_lock(&context->avocet->state_lock);
	*error = context->closing ? -ENOENT : job_number(job);
	if (!*error) {
		number = job->number;
		trace_avocet_job_queue(job);
		drm_sched_job_arm(&job->base);
		if (sync)
			*sync = sync_file_create(&job->base.s_fence->finished);
		/* An armed job must be pushed. */
		job->abandoned = sync && !*sync;
		*error = job->abandoned ? -ENOMEM : 0;
		avocet_signals_attach(signals, &job->base.s_fence->finished);
		drm_sched_entity_push_job(&job->base);
	}
	mutex_unlock(&context->avocet->state_lock);
	return number;
}

/**
 * avocet_job_alloc() - a job that the scheduler does not yet know
 * @context: its context
 * @file: the caller's file
 *
 * Return: the job, which keeps the device powered; or an error.
 */
struct avocet_job *avocet_job_alloc(struct avocet_context *context, struct drm_file *file)
{
	struct avocet_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!job)
		return ERR_PTR(-ENOMEM);
	job->hw_fence = avocet_fence_create(context->avocet);
	ret = job->hw_fence ? avocet_pm_get(context->avocet) : -ENOMEM;
	if (ret)
		goto err_free;
#ifdef AVOCET_HAS_JOB_CLIENT
	ret = drm_sched_job_init(&job->base, &context->entity, 1, NULL, file->client_id);
#else
	ret = drm_sched_job_init(&job->base, &context->entity, 1, NULL);
#endif
	if (ret)
		goto err_power;
	kref_get(&context->ref);
	job->context = context;
	INIT_LIST_HEAD(&job->link);
	return job;

err_power:
	avocet_pm_put(context->avocet);
err_free:
	dma_fence_put(job->hw_fence);
	kfree(job);
	return ERR_PTR(ret);
}
