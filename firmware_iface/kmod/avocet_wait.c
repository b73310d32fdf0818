// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Waiting for jobs, and cancelling them.
 */
#include "avocet_drv.h"

static struct avocet_fw_completion *log_entry(struct avocet_context *context, u64 number)
{
	struct avocet_fw_completion *entry = &context->log[number % AVOCET_LOG_ENTRIES];

	return number && entry->sequence == number ? entry : NULL;
}

/* Copies the outcome of a job; false: the log does not have it. */
static bool log_read(struct avocet_context *context, u64 number,
		     struct avocet_fw_completion *outcome)
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
		return wait_event_interruptible(context->ended, has_ended(context, number)) ? -EINTR
											    : 0;
	left = timeout_ns - ktime_get_ns();
	if (left <= 0)
		return has_ended(context, number) ? 0 : -ETIMEDOUT;
	switch (wait_event_interruptible_hrtimeout(context->ended, has_ended(context, number),
						   left)) {
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
	args->index = outcome->index;
	args->index_extent = outcome->index_extent;
	args->index_layer = outcome->index_layer;
}

/**
 * avocet_ioctl_wait() - AVOCET_IOCTL_WAIT
 * @drm: the device
 * @data: struct avocet_wait
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
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

/**
 * avocet_ioctl_cancel() - AVOCET_IOCTL_CANCEL
 * @drm: the device
 * @data: struct avocet_cancel
 * @file: the caller's file
 *
 * A job that waits for fences ends as soon as its context's earlier jobs have ended.
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct avocet_cancel *args = data;
	struct avocet_fw_cancel request = {.sequence = args->job};
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
		ret = avocet->suspended ? -ENOENT
					: avocet_mailbox_request(avocet, AVOCET_MESSAGE_CANCEL,
								 &request, sizeof(request));
		mutex_unlock(&avocet->state_lock);
		if (ret == -ENOENT)
			ret = 0; /* it has ended, or has not reached the device */
	}
	avocet_context_put(context);
	return ret;
}
