// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Contexts: an address space of the device with a ring, and the memory that the driver itself keeps
 * in it.
 */
#include <linux/dma-mapping.h>

#include <drm/drm_drv.h>

#include "avocet_drv.h"

static size_t ring_bytes(void)
{
	return PAGE_ALIGN(sizeof(struct avocet_fw_ring_header) +
			  AVOCET_QUEUE_DEPTH * sizeof(struct avocet_fw_job));
}

static void context_release(struct kref *ref)
{
	struct avocet_context *context = container_of(ref, struct avocet_context, ref);
	struct avocet_device *avocet = context->avocet;

	xa_erase(&avocet->contexts, context->id);
	drm_mm_takedown(&context->space);
	drm_mm_takedown(&context->addresses);
	if (context->ring)
		dma_free_coherent(avocet->drm.dev, context->bytes, context->ring, context->dma);
	kvfree(context->log);
	wake_up_all(&avocet->contexts_gone);
	avocet_file_put(context->file);
	drm_dev_put(&avocet->drm);
	kfree(context);
}

/**
 * avocet_context_put() - drops a reference
 * @context: the context
 */
void avocet_context_put(struct avocet_context *context)
{
	kref_put(&context->ref, context_release);
}

/**
 * avocet_context_get() - a context of a file
 * @file: the file
 * @id: its number
 *
 * Return: the context with a new reference, or NULL.
 */
struct avocet_context *avocet_context_get(struct drm_file *file, u32 id)
{
	struct avocet_file *priv = file->driver_priv;
	struct avocet_context *context;

	xa_lock(&priv->contexts);
	context = xa_load(&priv->contexts, id);
	if (context)
		kref_get(&context->ref);
	xa_unlock(&priv->contexts);
	return context;
}

static int context_allocate(struct avocet_context *context)
{
	struct device *dev = context->avocet->drm.dev;
	const size_t ring = ring_bytes();

	context->bytes = ring + AVOCET_ARENA_BYTES;
	context->ring =
		dma_alloc_coherent(dev, context->bytes, &context->dma, GFP_KERNEL | __GFP_NOWARN);
	context->log = kvcalloc(AVOCET_LOG_ENTRIES, sizeof(*context->log), GFP_KERNEL_ACCOUNT);
	if (!context->ring || !context->log)
		return -ENOMEM;
	context->arena = (void *)context->ring + ring;
	context->ring->magic = AVOCET_RING_MAGIC;
	context->ring->entries = AVOCET_QUEUE_DEPTH;
	context->ring->entry_bytes = sizeof(struct avocet_fw_job);
	return 0;
}

static int has_owner(struct avocet_context *context, void *owner)
{
	return context->owner == *(u32 *)owner;
}

/* 1 with @joining's owner set, if the context has the same one: a number of the same file. */
static int join_owner(struct avocet_context *context, void *joining)
{
	struct avocet_context *other = joining;

	if (context->file != other->file || context->client_owner != other->client_owner)
		return 0;
	other->owner = context->owner;
	return 1;
}

/*
 * Gives the context its number and that of its owner. User space chooses owners, so that these
 * numbers must not depend on it: two files never share one. An owner has it as long as it has a
 * context.
 */
static int context_number(struct avocet_context *context)
{
	struct avocet_device *avocet = context->avocet;
	const u32 most = min(avocet->hello.max_contexts, avocet->hello.max_rings);
	int ret;

	mutex_lock(&avocet->state_lock);
	if (!avocet_device_for_each(avocet, join_owner, context)) {
		do {
			context->owner = ++avocet->last_owner;
		} while (avocet_device_for_each(avocet, has_owner, &context->owner));
	}
	ret = xa_alloc(&avocet->contexts, &context->id, context, XA_LIMIT(1, most), GFP_KERNEL);
	mutex_unlock(&avocet->state_lock);
	return ret;
}

static struct avocet_context *context_alloc(struct avocet_device *avocet, struct avocet_file *file,
					    u32 owner)
{
	struct avocet_context *context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!context)
		return ERR_PTR(-ENOMEM);
	kref_init(&context->ref);
	drm_dev_get(&avocet->drm);
	context->avocet = avocet;
	kref_get(&file->ref);
	context->file = file;
	context->client_owner = owner;
	context->closing = true; /* no reset announces it yet */
	context->stopped = true;
	spin_lock_init(&context->lock);
	INIT_LIST_HEAD(&context->waiting);
	INIT_LIST_HEAD(&context->in_flight);
	init_waitqueue_head(&context->ended);
	drm_mm_init(&context->addresses, AVOCET_FIRST_ADDRESS,
		    AVOCET_LAST_ADDRESS - AVOCET_FIRST_ADDRESS);
	drm_mm_init(&context->space, ring_bytes(), AVOCET_ARENA_BYTES);
	ret = context_allocate(context);
	if (!ret)
		ret = context_number(context);
	if (ret) {
		avocet_context_put(context);
		return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
	}
	return context;
}

static int context_map_own(struct avocet_context *context)
{
	const struct avocet_fw_map request = {
		.context = context->id,
		.access = AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE,
		.device_address = AVOCET_RING_ADDRESS,
		.system_address = context->dma,
		.bytes = context->bytes,
	};

	return avocet_mailbox_request(context->avocet, AVOCET_MESSAGE_MAP, &request,
				      sizeof(request));
}

/**
 * avocet_context_announce() - creates the context and its mappings on the device
 * @context: the context; under avocet_device.state_lock
 *
 * Return: 0, or a negative error.
 */
int avocet_context_announce(struct avocet_context *context)
{
	const struct avocet_fw_context request = {.context = context->id, .owner = context->owner};
	struct drm_mm_node *node;
	int ret;

	context->avocet->quiet = false;
	ret = avocet_mailbox_request(context->avocet, AVOCET_MESSAGE_CREATE_CONTEXT, &request,
				     sizeof(request));
	if (!ret)
		ret = context_map_own(context);
	drm_mm_for_each_node(node, &context->addresses) {
		if (!ret)
			ret = avocet_map_announce(context,
						  container_of(node, struct avocet_mapping, node));
	}
	return ret;
}

/**
 * avocet_context_announce_ring() - creates the ring on the device, with the jobs that have not
 * ended
 * @context: an announced context; under avocet_device.state_lock
 *
 * Return: 0, or a negative error.
 */
int avocet_context_announce_ring(struct avocet_context *context)
{
	const struct avocet_fw_ring request = {
		.context = context->id,
		.ring = context->id - 1,
		.address = AVOCET_RING_ADDRESS,
		.entries = AVOCET_QUEUE_DEPTH,
	};
	int ret;

	avocet_sched_refill(context);
	ret = avocet_mailbox_request(context->avocet, AVOCET_MESSAGE_CREATE_RING, &request,
				     sizeof(request));
	return ret ? ret
		   : avocet_bus_write(context->avocet->bus, AVOCET_REG_RING_BELL, context->id - 1);
}

/*
 * If the device does not confirm it, the context and its memory stay until it has been reset:
 * it may still write there. Under avocet_device.state_lock.
 */
static void context_destroy_on_device(struct avocet_context *context)
{
	struct avocet_device *avocet = context->avocet;
	const struct avocet_fw_context request = {.context = context->id};

	if (avocet->quiet || !avocet_mailbox_request(avocet, AVOCET_MESSAGE_DESTROY_CONTEXT,
						     &request, sizeof(request)))
		return;
	context->held = true;
	kref_get(&context->ref);
}

/**
 * avocet_context_let_go() - frees what was kept because the device might have written there
 * @context: a context of a quiet device; the caller has a reference; under
 * avocet_device.state_lock
 */
void avocet_context_let_go(struct avocet_context *context)
{
	avocet_map_free_dropped(context);
	if (!context->held)
		return;
	context->held = false;
	avocet_map_free_all(context);
	avocet_context_put(context);
}

static int context_start(struct avocet_context *context)
{
	struct avocet_device *avocet = context->avocet;
	struct drm_gpu_scheduler *sched = &avocet->sched;
	int ret;

	ret = drm_sched_entity_init(&context->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret)
		return ret;
	mutex_lock(&avocet->state_lock);
	ret = avocet_context_announce(context);
	if (!ret)
		ret = avocet_context_announce_ring(context);
	if (ret)
		context_destroy_on_device(context);
	context->closing = ret;
	context->stopped = ret;
	mutex_unlock(&avocet->state_lock);
	if (ret)
		drm_sched_entity_fini(&context->entity);
	return ret;
}

/**
 * avocet_context_stop() - takes no more jobs, and ends those that have not reached the device
 * @context: the context; it may have been stopped before
 */
void avocet_context_stop(struct avocet_context *context)
{
	bool was_stopped;

	mutex_lock(&context->avocet->state_lock);
	context->closing = true;
	was_stopped = context->stopped;
	context->stopped = true;
	mutex_unlock(&context->avocet->state_lock);
	avocet_sched_cancel_all(context);
	if (!was_stopped)
		drm_sched_entity_destroy(&context->entity);
}

/**
 * avocet_context_close() - ends all jobs and removes the context from the device
 * @context: the context, which the caller has taken out of its file
 *
 * Memory is freed with the last job, or when a lost device has been reset.
 */
void avocet_context_close(struct avocet_context *context)
{
	struct avocet_device *avocet = context->avocet;

	avocet_context_stop(context);
	mutex_lock(&avocet->state_lock);
	context_destroy_on_device(context);
	avocet_sched_reap(context);
	avocet_sched_end_all(context, AVOCET_FAULT_CANCELLED);
	if (!context->held)
		avocet_map_free_all(context);
	mutex_unlock(&avocet->state_lock);
	avocet_context_put(context);
}

/**
 * avocet_ioctl_context_create() - AVOCET_IOCTL_CONTEXT_CREATE
 * @drm: the device
 * @data: struct avocet_context_create
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct avocet_file *priv = file->driver_priv;
	struct avocet_context_create *args = data;
	struct avocet_context *context;
	int index, ret;

	if (args->flags || args->context || args->pad)
		return -EINVAL;
	if (READ_ONCE(avocet->lost))
		return -ENODEV;
	context = context_alloc(avocet, priv, args->owner);
	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = avocet_enter(avocet, &index);
	if (!ret) {
		ret = context_start(context);
		avocet_exit(avocet, index);
	}
	if (ret) {
		avocet_context_put(context);
		return ret;
	}
	args->context = context->id;
	ret = xa_err(xa_store(&priv->contexts, context->id, context, GFP_KERNEL));
	if (ret)
		avocet_context_close(context);
	return ret;
}

/**
 * avocet_ioctl_context_destroy() - AVOCET_IOCTL_CONTEXT_DESTROY
 * @drm: the device
 * @data: struct avocet_context_destroy
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_file *priv = file->driver_priv;
	struct avocet_context_destroy *args = data;
	struct avocet_context *context;

	if (args->pad)
		return -EINVAL;
	context = xa_erase(&priv->contexts, args->context);
	if (!context)
		return -ENOENT;
	avocet_context_close(context);
	return 0;
}
