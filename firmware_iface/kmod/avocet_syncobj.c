// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Synchronization objects, binary or with timelines, that a job signals when it has ended.
 */
#include <linux/dma-fence-chain.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <drm/drm_syncobj.h>

#include "avocet_drv.h"

/**
 * struct avocet_signal - a point that a job signals
 * @syncobj: the object, with a reference
 * @chain: memory for the point, or NULL for a binary object
 * @point: on its timeline, or 0
 */
struct avocet_signal {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct avocet_signals - all that a job signals
 * @count: of @entries
 * @entries: the points
 */
struct avocet_signals {
	u32 count;
	struct avocet_signal entries[];
};

/**
 * avocet_signals_create() - an empty list
 * @capacity: most points that will be added
 *
 * Return: the list, which avocet_signals_free() frees, or NULL.
 */
struct avocet_signals *avocet_signals_create(u32 capacity)
{
	struct avocet_signals *signals;

	return kzalloc(struct_size(signals, entries, capacity), GFP_KERNEL_ACCOUNT);
}

/**
 * avocet_signals_add() - adds a point
 * @signals: a list with room for it
 * @file: whose handles name the objects
 * @point: checked flags, and what user space wants
 *
 * Return: 0, -ENOENT for an unknown handle, or -ENOMEM.
 */
int avocet_signals_add(struct avocet_signals *signals, struct drm_file *file,
		       const struct avocet_syncobj *point)
{
	struct avocet_signal *signal = &signals->entries[signals->count];

	signal->syncobj = drm_syncobj_find(file, point->handle);
	if (!signal->syncobj)
		return -ENOENT;
	signals->count++;
	signal->point = point->point;
	if (!point->point)
		return 0;
	signal->chain = dma_fence_chain_alloc();
	return signal->chain ? 0 : -ENOMEM;
}

/**
 * avocet_signals_attach() - makes the points signal with a fence; cannot fail
 * @signals: the list, or NULL
 * @fence: the fence
 */
void avocet_signals_attach(struct avocet_signals *signals, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; signals && i < signals->count; i++) {
		struct avocet_signal *signal = &signals->entries[i];

		if (signal->chain) {
			drm_syncobj_add_point(signal->syncobj, signal->chain, fence, signal->point);
			signal->chain = NULL; /* the object's */
		} else {
			drm_syncobj_replace_fence(signal->syncobj, fence);
		}
	}
}

/**
 * avocet_signals_free() - frees the list
 * @signals: the list, or NULL
 */
void avocet_signals_free(struct avocet_signals *signals)
{
	u32 i;

	for (i = 0; signals && i < signals->count; i++) {
		dma_fence_chain_free(signals->entries[i].chain);
		drm_syncobj_put(signals->entries[i].syncobj);
	}
	kfree(signals);
}
