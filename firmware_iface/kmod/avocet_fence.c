// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * The fence of a job on the device. A fence that user space gets is the scheduler's, which refers
 * to the scheduler for its name and holds this one. A process may keep it for any time, so this
 * one holds the device, which the scheduler is a part of, and the module.
 */
#include <linux/module.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "avocet_drv.h"

/**
 * struct avocet_fence - the fence of a job
 * @base: signals when the device has ended the job
 * @avocet: its device, with a reference
 * @release: drops the references, which may sleep
 */
struct avocet_fence {
	struct dma_fence base;
	struct avocet_device *avocet;
	struct work_struct release;
};

/* The module's own: its end waits for the queue, and so for the last function of a release. */
static struct workqueue_struct *release_queue;

static const char *fence_driver_name(struct dma_fence *fence)
{
	return "avocet";
}

static const char *fence_timeline_name(struct dma_fence *fence)
{
	return "device";
}

static void fence_release_work(struct work_struct *work)
{
	struct avocet_fence *fence = container_of(work, struct avocet_fence, release);

	drm_dev_put(&fence->avocet->drm);
	kfree_rcu(fence, base.rcu);
	module_put(THIS_MODULE);
}

static void fence_release(struct dma_fence *base)
{
	struct avocet_fence *fence = container_of(base, struct avocet_fence, base);

	queue_work(release_queue, &fence->release);
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = fence_timeline_name,
	.release = fence_release,
};

/**
 * avocet_fence_create() - a fence for a job
 * @avocet: the device
 *
 * Return: the fence, or NULL.
 */
struct dma_fence *avocet_fence_create(struct avocet_device *avocet)
{
	struct avocet_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	__module_get(THIS_MODULE); /* the caller's file has a reference */
	drm_dev_get(&avocet->drm);
	fence->avocet = avocet;
	INIT_WORK(&fence->release, fence_release_work);
	dma_fence_init(&fence->base, &fence_ops, &avocet->fence_lock, avocet->fence_context,
		       atomic64_inc_return(&avocet->fence_sequence));
	return &fence->base;
}

/**
 * avocet_fence_init() - before the first device
 *
 * Return: 0, or a negative error.
 */
int avocet_fence_init(void)
{
	release_queue = alloc_workqueue("avocet_fence", 0, 0);
	return release_queue ? 0 : -ENOMEM;
}

/**
 * avocet_fence_fini() - after the last device
 */
void avocet_fence_fini(void)
{
	destroy_workqueue(release_queue);
}
