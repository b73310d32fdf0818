// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * From the DRM scheduler to the rings and back. The scheduler waits for fences of other drivers,
 * and passes each job on as soon as they have signaled: the device's firmware orders jobs by
 * priority and deadline itself.
 */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/overflow.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "avocet_drv.h"
#include "avocet_trace.h"

#define FREE_TIMEOUT_MS 5000

static uint job_timeout_ms = 30000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms,
		 "Reset a device that ends none of its jobs for so long, in ms (default 30000)");

static struct avocet_job *to_job(struct drm_sched_job *base)
{
	return container_of(base, struct avocet_job, base);
}

static int fault_errno(u32 fault)
{
	switch (fault) {
	case AVOCET_FAULT_CANCELLED:
		return -ECANCELED;
	case AVOCET_FAULT_DEADLINE_MISSED:
		return -ETIME;
	default:
		return -EIO;
	}
}

/* Writes the outcome to the log, once. Under the context's lock. */
static void job_log(struct avocet_job *job, const struct avocet_fw_completion *outcome)
{
	struct avocet_context *context = job->context;
	struct avocet_fw_completion *entry = &context->log[job->number % AVOCET_LOG_ENTRIES];

	lockdep_assert_held(&context->lock);
	if (job->has_ended)
		return;
	job->has_ended = true;
	context->queued--;
	*entry = *outcome;
	/* The device may not choose what user space takes for an answer. */
	entry->sequence = job->number;
	if (entry->state != AVOCET_JOB_COMPLETE)
		entry->state = AVOCET_JOB_FAULTED;
	avocet_usage_add(job, entry);
	trace_avocet_job_end(job, entry);
	wake_up_all(&context->ended);
}

static void job_log_fault(struct avocet_job *job, u32 fault)
{
	const struct avocet_fw_completion outcome = {
		.state = AVOCET_JOB_FAULTED,
		.fault_code = fault,
		.fault_engine_kind = ~0u,
		.fault_engine_index = ~0u,
		.fault_command = ~0u,
		.fault_layer = ~0u,
		.fault_region = ~0u,
	};

	job_log(job, &outcome);
}

static void job_signal(struct avocet_job *job)
{
	const struct avocet_fw_completion *outcome =
		&job->context->log[job->number % AVOCET_LOG_ENTRIES];

	list_del_init(&job->link);
	job->in_flight = false;
	if (job->in_ring)
		avocet_usage_stop(job->context->avocet);
	job->in_ring = false;
	if (outcome->state != AVOCET_JOB_COMPLETE)
		dma_fence_set_error(job->hw_fence, fault_errno(outcome->fault_code));
	dma_fence_signal(job->hw_fence);
}

/*
 * Fences of a context signal in the order of its jobs, because a later fence stands for all earlier
 * ones: a job that has ended waits for those before it. Under the context's lock.
 */
static void context_signal(struct avocet_context *context)
{
	struct avocet_job *job, *next;

	list_for_each_entry_safe(job, next, &context->in_flight, link) {
		if (!job->has_ended)
			break;
		job_signal(job);
	}
}

/**
 * avocet_sched_end() - ends a job that is not on the device, or that the scheduler gives up
 * @job: the job, which may have ended
 * @fault: why
 */
void avocet_sched_end(struct avocet_job *job, u32 fault)
{
	spin_lock(&job->context->lock);
	job_log_fault(job, fault);
	if (job->in_flight)
		job_signal(job);
	else
		list_del_init(&job->link);
	context_signal(job->context);
	spin_unlock(&job->context->lock);
}

/**
 * avocet_sched_reap() - ends the jobs whose completion records the device has written
 * @context: their context
 */
void avocet_sched_reap(struct avocet_context *context)
{
	struct avocet_fw_completion outcome;
	struct avocet_job *job;

	spin_lock(&context->lock);
	list_for_each_entry(job, &context->in_flight, link) {
		struct avocet_fw_completion *record = avocet_job_record(job);

		/* The device writes the state after the rest. */
		if (job->has_ended || smp_load_acquire(&record->state) == AVOCET_JOB_PENDING)
			continue;
		outcome = *record;
		job_log(job, &outcome);
	}
	context_signal(context);
	spin_unlock(&context->lock);
}

/**
 * avocet_sched_end_all() - ends the jobs that are on a device which no longer answers
 * @context: their context
 * @fault: why
 */
void avocet_sched_end_all(struct avocet_context *context, u32 fault)
{
	struct avocet_job *job;

	spin_lock(&context->lock);
	list_for_each_entry(job, &context->in_flight, link)
		job_log_fault(job, fault);
	context_signal(context);
	spin_unlock(&context->lock);
}

/* Under the context's lock. A ring has an entry for each job that may be queued. */
static void ring_put(struct avocet_context *context, const struct avocet_job *job)
{
	struct avocet_fw_job *entries = (struct avocet_fw_job *)(context->ring + 1);

	entries[context->tail % AVOCET_QUEUE_DEPTH] = job->fw;
	/* The entry is complete before it is counted. */
	smp_store_release(&context->ring->tail, ++context->tail);
}

/**
 * avocet_sched_refill() - fills an empty ring with the jobs that the device dropped in a reset
 * @context: the ring's context
 */
void avocet_sched_refill(struct avocet_context *context)
{
	struct avocet_job *job;

	spin_lock(&context->lock);
	context->tail = 0;
	WRITE_ONCE(context->ring->head, 0);
	WRITE_ONCE(context->ring->tail, 0);
	list_for_each_entry(job, &context->in_flight, link) {
		if (!job->has_ended)
			ring_put(context, job);
	}
	spin_unlock(&context->lock);
}

/*
 * Device time of the deadline: cycles since reset / clock, plus the time that is left. The cycles
 * may be any number.
 */
static u64 device_deadline(const struct avocet_job *job, u64 left_ns)
{
	struct avocet_device *avocet = job->context->avocet;
	u64 cycles = avocet_bus_read(avocet->bus, AVOCET_REG_CYCLE_COUNT_LOW);
	u64 deadline;

	cycles |= (u64)avocet_bus_read(avocet->bus, AVOCET_REG_CYCLE_COUNT_HIGH) << 32;
	return check_add_overflow(avocet_device_ns(avocet, cycles), left_ns, &deadline)
		       ? U64_MAX
		       : deadline;
}

/* Makes a job's turn come without its fences; it then ends. Under the context's lock. */
static void job_cancel(struct avocet_job *job)
{
	set_bit(job->number % AVOCET_LOG_ENTRIES, job->context->cancelled);
	if (job->gate)
		avocet_gate_open(job->gate);
}

/**
 * avocet_sched_cancel() - ends a job that has not reached the device, after those before it
 * @context: its context
 * @number: of the job, which may have ended
 */
void avocet_sched_cancel(struct avocet_context *context, u64 number)
{
	struct avocet_job *job;

	spin_lock(&context->lock);
	list_for_each_entry(job, &context->waiting, link) {
		if (job->number == number)
			job_cancel(job);
	}
	spin_unlock(&context->lock);
}

/**
 * avocet_sched_cancel_all() - ends all jobs that have not reached the device
 * @context: their context, which takes no more
 */
void avocet_sched_cancel_all(struct avocet_context *context)
{
	struct avocet_job *job;

	spin_lock(&context->lock);
	list_for_each_entry(job, &context->waiting, link)
		job_cancel(job);
	spin_unlock(&context->lock);
}

static u32 job_refusal(struct avocet_job *job)
{
	u64 now = ktime_get_ns();

	if (job->abandoned || test_bit(job->number % AVOCET_LOG_ENTRIES, job->context->cancelled))
		return AVOCET_FAULT_CANCELLED;
	if (READ_ONCE(job->context->avocet->lost))
		return AVOCET_FAULT_HARDWARE_ERROR;
	if (job->gate && avocet_gate_has_failed(job->gate))
		return AVOCET_FAULT_DEPENDENCY_FAILED;
	if (job->deadline_ns && job->deadline_ns <= now)
		return AVOCET_FAULT_DEADLINE_MISSED;
	if (job->deadline_ns)
		job->fw.deadline_ns = device_deadline(job, job->deadline_ns - now);
	return AVOCET_FAULT_NONE;
}

/* Lets a job signal after those before it. Under the context's lock. */
static void job_enter(struct avocet_job *job)
{
	list_move_tail(&job->link, &job->context->in_flight);
	job->in_flight = true;
}

/* Ends a job that does not reach the device. Its outcome is known at once. */
static void job_refuse(struct avocet_job *job, u32 refusal)
{
	struct avocet_context *context = job->context;

	spin_lock(&context->lock);
	job_enter(job);
	job_log_fault(job, refusal);
	context_signal(context);
	spin_unlock(&context->lock);
}

static void job_run(struct avocet_job *job)
{
	struct avocet_context *context = job->context;
	struct avocet_device *avocet = context->avocet;

	spin_lock(&context->lock);
	job_enter(job);
	job->in_ring = true;
	job->ended_before = avocet_usage_ended(avocet);
	avocet_usage_start(avocet);
	ring_put(context, job);
	trace_avocet_job_run(job);
	spin_unlock(&context->lock);
	if (avocet_bus_write(avocet->bus, AVOCET_REG_RING_BELL, context->id - 1))
		avocet_device_lose(avocet);
	/* The device may have been lost in between. */
	if (READ_ONCE(avocet->lost))
		avocet_sched_end_all(context, AVOCET_FAULT_HARDWARE_ERROR);
}

static struct dma_fence *sched_run_job(struct drm_sched_job *base)
{
	struct avocet_job *job = to_job(base);
	/* The scheduler's reference; the driver's is dropped with the job. */
	struct dma_fence *fence = dma_fence_get(job->hw_fence);
	u32 refusal;
	int index;

	if (base->s_fence->finished.error || !drm_dev_enter(&job->context->avocet->drm, &index)) {
		job_refuse(job, AVOCET_FAULT_CANCELLED);
		return fence;
	}
	refusal = job_refusal(job);
	if (refusal)
		job_refuse(job, refusal);
	else
		job_run(job);
	drm_dev_exit(index);
	return fence;
}

/*
 * drm_sched_stop() drops the fences of the jobs that run again; drm_sched_start() would cancel
 * those without one.
 */
static void restore_fences(struct drm_gpu_scheduler *sched)
{
	struct drm_sched_job *base;

	list_for_each_entry(base, &sched->pending_list, list) {
		if (!base->s_fence->parent)
			base->s_fence->parent = dma_fence_get(to_job(base)->hw_fence);
	}
}

/*
 * Whether nothing has ended since the job came to the device, or since it timed out before. Others
 * of higher priority may keep a job waiting for any time, which is no reason for a reset.
 */
static bool sched_is_stuck(struct avocet_device *avocet, struct avocet_job *job)
{
	u64 ended;

	avocet_device_reap(avocet); /* an interrupt may have been lost */
	ended = avocet_usage_ended(avocet);
	if (ended == job->ended_before)
		return true;
	job->ended_before = ended;
	return false;
}

static void sched_restart(struct drm_gpu_scheduler *sched)
{
#ifdef AVOCET_HAS_START_ERRNO
	drm_sched_start(sched, 0);
#else
	drm_sched_start(sched);
#endif
}

/*
 * The device's own watchdog ends jobs that run too long; this is for a device that does not answer.
 * The device is powered, because the job has not been freed.
 */
static enum drm_gpu_sched_stat sched_timed_out(struct drm_sched_job *base)
{
	struct avocet_job *job = to_job(base);
	struct avocet_device *avocet = job->context->avocet;
	int index;

	mutex_lock(&avocet->reset_lock);
	if (drm_dev_enter(&avocet->drm, &index)) {
		drm_sched_wqueue_stop(&avocet->sched);
		if (sched_is_stuck(avocet, job)) {
			drm_warn(&avocet->drm,
				 "no job ended for %u ms, nor job %llu of context %u: reset\n",
				 job_timeout_ms, job->number, job->context->id);
			avocet_device_reset(avocet);
		}
		drm_dev_exit(index);
	}
	/* Fences must have signaled before this, or the scheduler would cancel the job. */
	drm_sched_stop(&avocet->sched, base);
	restore_fences(&avocet->sched);
	sched_restart(&avocet->sched);
	if (avocet->asleep)
		drm_sched_wqueue_stop(&avocet->sched);
	mutex_unlock(&avocet->reset_lock);
#ifdef AVOCET_HAS_STAT_NOMINAL
	return DRM_GPU_SCHED_STAT_NOMINAL;
#else
	return DRM_GPU_SCHED_STAT_RESET;
#endif
}

static void sched_free_job(struct drm_sched_job *base)
{
	struct avocet_job *job = to_job(base);

	avocet_sched_end(job, AVOCET_FAULT_CANCELLED); /* unless it has ended */
	/* The fence that user space has must hold ours, although the device never saw the job. */
	if (!base->s_fence->parent)
		base->s_fence->parent = dma_fence_get(job->hw_fence);
	drm_sched_job_cleanup(base);
	avocet_job_free(job);
}

static const struct drm_sched_backend_ops sched_ops = {
	.run_job = sched_run_job,
	.timedout_job = sched_timed_out,
	.free_job = sched_free_job,
};

/**
 * avocet_sched_init() - starts the scheduler
 * @avocet: the device
 *
 * Return: 0, or a negative error.
 */
int avocet_sched_init(struct avocet_device *avocet)
{
#ifdef AVOCET_HAS_SCHED_ARGS
	const struct drm_sched_init_args args = {
		.ops = &sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = U16_MAX * AVOCET_QUEUE_DEPTH,
		.timeout = msecs_to_jiffies(job_timeout_ms),
		.name = "avocet",
		.dev = avocet->drm.dev,
	};

	return drm_sched_init(&avocet->sched, &args);
#else
	return drm_sched_init(&avocet->sched, &sched_ops, NULL, DRM_SCHED_PRIORITY_COUNT,
			      U16_MAX * AVOCET_QUEUE_DEPTH, 0, msecs_to_jiffies(job_timeout_ms),
			      NULL, NULL, "avocet", avocet->drm.dev);
#endif
}

static bool has_pending_jobs(struct drm_gpu_scheduler *sched)
{
	bool pending;

	spin_lock(&sched->job_list_lock);
	pending = !list_empty(&sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	return pending;
}

/**
 * avocet_sched_fini() - ends the scheduler
 * @avocet: the device, whose contexts have been stopped and whose jobs have ended
 *
 * drm_sched_fini() would leak jobs that the scheduler has not freed yet.
 */
void avocet_sched_fini(struct avocet_device *avocet)
{
	int waited;

	for (waited = 0; has_pending_jobs(&avocet->sched) && waited < FREE_TIMEOUT_MS; waited++)
		usleep_range(1000, 1200);
	drm_sched_fini(&avocet->sched);
}
