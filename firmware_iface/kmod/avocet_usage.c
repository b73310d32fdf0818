// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * What jobs cost: time of the device, counters of each open file, and the log of faults.
 */
#include <linux/math64.h>

#include "avocet_drv.h"

#define WINDOW_NS NSEC_PER_SEC

/**
 * avocet_usage_init() - before the first job
 * @avocet: the device
 */
void avocet_usage_init(struct avocet_device *avocet)
{
	struct avocet_activity *activity = &avocet->activity;

	spin_lock_init(&activity->lock);
	spin_lock_init(&avocet->faults.lock);
	init_waitqueue_head(&avocet->idle);
	activity->changed_ns = ktime_get_ns();
	activity->window_ns = activity->changed_ns;
}

/* Adds a time in which the device was busy or idle throughout. Under the activity's lock. */
static void activity_add(struct avocet_activity *activity, u64 ns)
{
	if (!activity->jobs)
		return;
	activity->busy_ns += ns;
	activity->window_busy_ns += ns;
}

/* Counts the time up to now, and begins new windows. Under the activity's lock. */
static void activity_update(struct avocet_activity *activity)
{
	const u64 now = ktime_get_ns();
	u64 end = activity->window_ns + WINDOW_NS, windows;

	if (now >= end) {
		activity_add(activity, end - activity->changed_ns);
		activity->percent = div_u64(activity->window_busy_ns * 100, WINDOW_NS);
		windows = div_u64(now - end, WINDOW_NS);
		if (windows) {
			activity_add(activity, windows * WINDOW_NS);
			activity->percent = activity->jobs ? 100 : 0;
		}
		activity->window_ns = end + windows * WINDOW_NS;
		activity->changed_ns = activity->window_ns;
		activity->window_busy_ns = 0;
	}
	activity_add(activity, now - activity->changed_ns);
	activity->changed_ns = now;
}

/**
 * avocet_usage_start() - a job is on the device
 * @avocet: the device
 */
void avocet_usage_start(struct avocet_device *avocet)
{
	struct avocet_activity *activity = &avocet->activity;

	spin_lock(&activity->lock);
	activity_update(activity);
	activity->jobs++;
	spin_unlock(&activity->lock);
}

/**
 * avocet_usage_stop() - a job has left the device
 * @avocet: the device
 */
void avocet_usage_stop(struct avocet_device *avocet)
{
	struct avocet_activity *activity = &avocet->activity;

	spin_lock(&activity->lock);
	activity_update(activity);
	activity->ended++;
	if (!--activity->jobs)
		wake_up_all(&avocet->idle);
	spin_unlock(&activity->lock);
}

/**
 * avocet_usage_busy_ns() - time with jobs on the device
 * @avocet: the device
 * @percent: gets the share of that time in the last complete window of one second; or NULL
 *
 * Return: the time since the driver was bound.
 */
u64 avocet_usage_busy_ns(struct avocet_device *avocet, u32 *percent)
{
	struct avocet_activity *activity = &avocet->activity;
	u64 busy;

	spin_lock(&activity->lock);
	activity_update(activity);
	busy = activity->busy_ns;
	if (percent)
		*percent = activity->percent;
	spin_unlock(&activity->lock);
	return busy;
}

/**
 * avocet_usage_ended() - how many jobs have left the device
 * @avocet: the device
 *
 * Return: the number since the driver was bound.
 */
u64 avocet_usage_ended(struct avocet_device *avocet)
{
	u64 ended;

	spin_lock(&avocet->activity.lock);
	ended = avocet->activity.ended;
	spin_unlock(&avocet->activity.lock);
	return ended;
}

/**
 * avocet_device_ns() - time of the device
 * @avocet: the device
 * @cycles: any number, which the device may have chosen
 *
 * Return: nanoseconds, at most U64_MAX.
 */
u64 avocet_device_ns(const struct avocet_device *avocet, u64 cycles)
{
	const u64 clock = avocet->hello.clock_hz;

	/* The division of 128 by 64 bits faults if its result has more than 64. */
	if (div64_u64(cycles, clock) >= U64_MAX / NSEC_PER_SEC)
		return U64_MAX;
	return mul_u64_u64_div_u64(cycles, NSEC_PER_SEC, clock);
}

static void faults_add(struct avocet_job *job, const struct avocet_fw_completion *outcome)
{
	struct avocet_context *context = job->context;
	struct avocet_fault_log *log = &context->avocet->faults;
	const struct avocet_fault fault = {
		.time_ns = ktime_get_ns(),
		.client = context->file->client,
		.context = context->id,
		.job = job->number,
		.code = outcome->fault_code,
		.engine_kind = outcome->fault_engine_kind,
		.engine_index = outcome->fault_engine_index,
		.command = outcome->fault_command,
		.layer = outcome->fault_layer,
		.region = outcome->fault_region,
		.address = outcome->fault_address,
	};

	spin_lock(&log->lock);
	log->entries[log->count++ % AVOCET_FAULT_ENTRIES] = fault;
	spin_unlock(&log->lock);
}

/**
 * avocet_usage_add() - counts a job that has ended
 * @job: the job
 * @outcome: how it ended
 */
void avocet_usage_add(struct avocet_job *job, const struct avocet_fw_completion *outcome)
{
	struct avocet_file *file = job->context->file;
	const u64 *from = (const u64 *)&outcome->counters;
	u64 *to = (u64 *)&file->counters;
	u32 i;

	static_assert(sizeof(struct avocet_counters) % sizeof(u64) == 0);
	spin_lock(&file->lock);
	for (i = 0; i < sizeof(struct avocet_counters) / sizeof(u64); i++)
		to[i] += from[i];
	file->jobs++;
	if (outcome->state != AVOCET_JOB_COMPLETE)
		file->faults++;
	spin_unlock(&file->lock);
	if (outcome->state != AVOCET_JOB_COMPLETE)
		faults_add(job, outcome);
}

/**
 * avocet_usage_read() - copies a file's counters
 * @file: the file
 * @counters: gets the sum over all of its jobs that have ended
 */
void avocet_usage_read(struct avocet_file *file, struct avocet_counters *counters)
{
	spin_lock(&file->lock);
	*counters = file->counters;
	spin_unlock(&file->lock);
}
