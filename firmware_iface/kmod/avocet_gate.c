// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * What a job waits for before it may go to the device. The scheduler waits for one fence, the
 * gate, and not for the fences that user space named, for two reasons. It takes "put into a ring"
 * of another job of the same device for its end, but the device orders the jobs of different rings
 * by priority. And a gate can be opened early, when the job is cancelled.
 */
#include <linux/dma-fence-chain.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "avocet_drv.h"

/**
 * struct avocet_gate_entry - one fence of a gate
 * @cb: called when it signals
 * @gate: the gate
 * @fence: the fence, with a reference
 */
struct avocet_gate_entry {
	struct dma_fence_cb cb;
	struct avocet_gate *gate;
	struct dma_fence *fence;
};

/**
 * struct avocet_gate - a fence that signals after others
 * @base: signals when the gate opens
 * @lock: of @base
 * @pending: fences that have not signaled, and one until all callbacks are set
 * @count: of @entries
 * @entries: the fences
 */
struct avocet_gate {
	struct dma_fence base; /* first: its memory is freed through it */
	spinlock_t lock; /* of @base */
	atomic_t pending;
	u32 count;
	struct avocet_gate_entry entries[];
};

static const char *gate_driver_name(struct dma_fence *fence)
{
	return "avocet";
}

static const char *gate_timeline_name(struct dma_fence *fence)
{
	return "gate";
}

static const struct dma_fence_ops gate_ops = {
	.get_driver_name = gate_driver_name,
	.get_timeline_name = gate_timeline_name,
};

/**
 * avocet_gate_create() - a gate without fences
 * @capacity: most fences that will be added
 *
 * Return: the gate, which avocet_gate_free() frees, or NULL.
 */
struct avocet_gate *avocet_gate_create(u32 capacity)
{
	struct avocet_gate *gate;

	gate = kzalloc(struct_size(gate, entries, capacity), GFP_KERNEL_ACCOUNT);
	if (!gate)
		return NULL;
	spin_lock_init(&gate->lock);
	dma_fence_init(&gate->base, &gate_ops, &gate->lock, dma_fence_context_alloc(1), 1);
	return gate;
}

/**
 * avocet_gate_add() - adds a fence before the gate is armed
 * @gate: a gate with room for it
 * @fence: the fence, whose reference becomes the gate's
 */
void avocet_gate_add(struct avocet_gate *gate, struct dma_fence *fence)
{
	struct avocet_gate_entry *entry = &gate->entries[gate->count++];

	INIT_LIST_HEAD(&entry->cb.node);
	entry->gate = gate;
	entry->fence = fence;
}

static void gate_count(struct avocet_gate *gate)
{
	if (atomic_dec_and_test(&gate->pending))
		dma_fence_signal(&gate->base);
}

static void gate_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	gate_count(container_of(cb, struct avocet_gate_entry, cb)->gate);
}

/**
 * avocet_gate_arm() - starts to wait
 * @gate: the gate, which gets no more fences
 *
 * Return: a new reference of the fence that signals when the gate opens.
 */
struct dma_fence *avocet_gate_arm(struct avocet_gate *gate)
{
	u32 i;

	atomic_set(&gate->pending, gate->count + 1);
	for (i = 0; i < gate->count; i++) {
		struct avocet_gate_entry *entry = &gate->entries[i];

		if (dma_fence_add_callback(entry->fence, &entry->cb, gate_signaled))
			gate_count(gate); /* it has signaled */
	}
	gate_count(gate);
	return dma_fence_get(&gate->base);
}

/**
 * avocet_gate_open() - opens the gate before its fences have signaled
 * @gate: the gate
 */
void avocet_gate_open(struct avocet_gate *gate)
{
	dma_fence_signal(&gate->base);
}

/**
 * avocet_gate_has_failed() - whether a fence signaled an error
 * @gate: the gate
 *
 * Return: true if so.
 */
bool avocet_gate_has_failed(const struct avocet_gate *gate)
{
	u32 i;

	for (i = 0; i < gate->count; i++) {
		/* A point of a timeline has no error of its own. */
		if (dma_fence_get_status(dma_fence_chain_contained(gate->entries[i].fence)) < 0)
			return true;
	}
	return false;
}

/**
 * avocet_gate_free() - opens the gate and ends the waits
 * @gate: the gate, or NULL
 */
void avocet_gate_free(struct avocet_gate *gate)
{
	u32 i;

	if (!gate)
		return;
	for (i = 0; i < gate->count; i++) {
		/* After this, the callback neither runs nor will. */
		dma_fence_remove_callback(gate->entries[i].fence, &gate->entries[i].cb);
		dma_fence_put(gate->entries[i].fence);
	}
	gate->count = 0;
	dma_fence_signal(&gate->base);
	dma_fence_put(&gate->base);
}
