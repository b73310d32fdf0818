// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * SUBMIT: checks and copies what user space gives.
 */
#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/sync_file.h>

#include <drm/drm_drv.h>
#include <drm/drm_syncobj.h>

#include "avocet_drv.h"

#define MAX_IN_FENCES 16
#define MAX_SYNCOBJS 32
#define KNOWN_FLAGS AVOCET_SUBMIT_OUT_FENCE

/**
 * struct submission - a call of SUBMIT
 * @context: with a reference
 * @file: the caller's
 * @args: what user space gave
 * @streams: copy of the streams
 * @regions: copy of the regions, or NULL
 * @syncobjs: copy of the synchronization objects, or NULL
 * @gate: what the job waits for, or NULL
 * @signals: what signals when it has ended, or NULL
 */
struct submission {
	struct avocet_context *context;
	struct drm_file *file;
	struct avocet_submit *args;
	struct avocet_stream *streams;
	struct avocet_region *regions;
	struct avocet_syncobj *syncobjs;
	struct avocet_gate *gate;
	struct avocet_signals *signals;
};

/*
 * User space may name any range, except those with the ring and the tables, which the driver
 * writes, and those that wrap.
 */
static bool is_reserved(u64 address, u64 bytes)
{
	if (address >= AVOCET_RING_ADDRESS)
		return address < AVOCET_OWN_END || bytes > U64_MAX - address;
	return bytes > AVOCET_RING_ADDRESS - address;
}

static int check_submit(struct avocet_device *avocet, const struct avocet_submit *args)
{
	if (args->flags & ~KNOWN_FLAGS || args->pad || args->pad2 || args->job || args->out_fence)
		return -EINVAL;
	if (!args->stream_count || args->stream_count > AVOCET_MAX_JOB_STREAMS ||
	    args->region_count > avocet->hello.max_regions ||
	    args->region_count > AVOCET_MAX_REGIONS || args->in_fence_count > MAX_IN_FENCES ||
	    args->syncobj_count > MAX_SYNCOBJS || args->priority > AVOCET_MAX_PRIORITY ||
	    args->control_program % AVOCET_TABLE_ALIGNMENT ||
	    (!args->control_program && args->control_words) ||
	    is_reserved(args->control_program, args->control_words * sizeof(u32)))
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
	    stream->section >= AVOCET_MAX_SECTIONS ||
	    is_reserved(stream->device_address, stream->words * sizeof(u32)))
		return -EINVAL;
	return 0;
}

static int check_streams(struct avocet_device *avocet, const struct avocet_stream *streams,
			 u32 count)
{
	const size_t engines = AVOCET_ENGINE_DMA + dma_channels(avocet);
	unsigned long *seen = bitmap_zalloc(AVOCET_MAX_SECTIONS * engines, GFP_KERNEL);
	int ret = 0;
	u32 i, bit;

	if (!seen)
		return -ENOMEM;
	for (i = 0; i < count && !ret; i++) {
		ret = check_stream(avocet, &streams[i]);
		if (ret)
			break;
		bit = streams[i].section * engines + streams[i].engine_kind +
		      streams[i].engine_index;
		if (__test_and_set_bit(bit, seen))
			ret = -EINVAL; /* a section has one stream for an engine */
	}
	bitmap_free(seen);
	return ret;
}

static int check_regions(const struct avocet_region *regions, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (!regions[i].access ||
		    regions[i].access & ~(AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE) ||
		    regions[i].pad || is_reserved(regions[i].device_address, regions[i].size))
			return -EINVAL;
	}
	return 0;
}

static int check_syncobjs(const struct avocet_syncobj *syncobjs, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (syncobjs[i].flags != AVOCET_SYNCOBJ_WAIT &&
		    syncobjs[i].flags != AVOCET_SYNCOBJ_SIGNAL)
			return -EINVAL;
	}
	return 0;
}

/* *@copy becomes NULL if @count is 0. */
static int copy_array(void **copy, u64 from, u32 count, size_t size)
{
	void *found;

	if (!count)
		return 0;
	found = vmemdup_array_user(u64_to_user_ptr(from), count, size);
	if (IS_ERR(found))
		return PTR_ERR(found);
	*copy = found;
	return 0;
}

static int submission_copy(struct submission *submission)
{
	const struct avocet_submit *args = submission->args;
	int ret;

	ret = copy_array((void **)&submission->streams, args->streams, args->stream_count,
			 sizeof(struct avocet_stream));
	if (!ret)
		ret = copy_array((void **)&submission->regions, args->regions, args->region_count,
				 sizeof(struct avocet_region));
	if (!ret)
		ret = copy_array((void **)&submission->syncobjs, args->syncobjs,
				 args->syncobj_count, sizeof(struct avocet_syncobj));
	if (!ret)
		ret = check_streams(submission->context->avocet, submission->streams,
				    args->stream_count);
	if (!ret)
		ret = check_regions(submission->regions, args->region_count);
	return ret ? ret : check_syncobjs(submission->syncobjs, args->syncobj_count);
}

static int take_sync_files(struct submission *submission)
{
	const struct avocet_submit *args = submission->args;
	s32 fds[MAX_IN_FENCES];
	u32 i;

	if (copy_from_user(fds, u64_to_user_ptr(args->in_fences),
			   args->in_fence_count * sizeof(fds[0])))
		return -EFAULT;
	for (i = 0; i < args->in_fence_count; i++) {
		struct dma_fence *fence = sync_file_get_fence(fds[i]);

		if (!fence)
			return -EBADF;
		avocet_gate_add(submission->gate, fence);
	}
	return 0;
}

static int take_syncobj(struct submission *submission, const struct avocet_syncobj *syncobj)
{
	struct dma_fence *fence;
	int ret;

	if (syncobj->flags == AVOCET_SYNCOBJ_SIGNAL)
		return avocet_signals_add(submission->signals, submission->file, syncobj);
	ret = drm_syncobj_find_fence(submission->file, syncobj->handle, syncobj->point, 0, &fence);
	if (!ret)
		avocet_gate_add(submission->gate, fence);
	return ret;
}

static int submission_take_fences(struct submission *submission)
{
	const struct avocet_submit *args = submission->args;
	const u32 count = args->in_fence_count + args->syncobj_count;
	u32 i;
	int ret;

	if (!count)
		return 0;
	submission->gate = avocet_gate_create(count);
	submission->signals = avocet_signals_create(args->syncobj_count);
	if (!submission->gate || !submission->signals)
		return -ENOMEM;
	ret = take_sync_files(submission);
	for (i = 0; !ret && i < args->syncobj_count; i++)
		ret = take_syncobj(submission, &submission->syncobjs[i]);
	return ret;
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

/* Passes the job to the scheduler. The descriptor for the sync_file, if any, is @fd. */
static int submission_push(struct submission *submission, struct avocet_job *job, int fd)
{
	struct avocet_submit *args = submission->args;
	struct sync_file *sync = NULL;
	u64 number;
	int ret;

	number = avocet_job_push(job, submission->signals, fd < 0 ? NULL : &sync, &ret);
	if (!number) {
		drm_sched_job_cleanup(&job->base);
		avocet_job_free(job);
	}
	if (ret)
		return ret; /* user space may repeat the call with the same structure */
	args->job = number;
	args->out_fence = fd;
	if (sync)
		fd_install(fd, sync->file);
	return 0;
}

static int submission_run(struct submission *submission)
{
	const bool needs_sync = submission->args->flags & AVOCET_SUBMIT_OUT_FENCE;
	struct avocet_job *job = avocet_job_alloc(submission->context, submission->file);
	int fd = -1, ret;

	if (IS_ERR(job))
		return PTR_ERR(job);
	job_describe(job, submission->args);
	ret = avocet_job_place(job, submission->streams, submission->regions);
	if (!ret && submission->gate) {
		job->gate = submission->gate;
		submission->gate = NULL; /* the job's */
		ret = drm_sched_job_add_dependency(&job->base, avocet_gate_arm(job->gate));
	}
	if (!ret && needs_sync) {
		fd = get_unused_fd_flags(O_CLOEXEC);
		ret = fd < 0 ? fd : 0;
	}
	if (ret) {
		drm_sched_job_cleanup(&job->base);
		avocet_job_free(job);
		return ret;
	}
	ret = submission_push(submission, job, fd);
	if (ret && fd >= 0)
		put_unused_fd(fd);
	return ret;
}

/**
 * avocet_ioctl_submit() - AVOCET_IOCTL_SUBMIT
 * @drm: the device
 * @data: struct avocet_submit
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct submission submission = {.file = file, .args = data};
	int index, ret;

	ret = check_submit(avocet, data);
	if (ret)
		return ret;
	submission.context = avocet_context_get(file, submission.args->context);
	if (!submission.context)
		return -ENOENT;
	ret = submission_copy(&submission);
	if (!ret)
		ret = submission_take_fences(&submission);
	if (!ret)
		ret = avocet_enter(avocet, &index);
	if (!ret) {
		ret = submission_run(&submission);
		avocet_exit(avocet, index);
	}
	avocet_signals_free(submission.signals);
	avocet_gate_free(submission.gate);
	kvfree(submission.syncobjs);
	kvfree(submission.regions);
	kvfree(submission.streams);
	avocet_context_put(submission.context);
	return ret;
}
