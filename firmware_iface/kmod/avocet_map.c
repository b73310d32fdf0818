// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Buffers in the address spaces of contexts. The device's own page tables hold ranges of any
 * length, one for each contiguous piece of a buffer.
 */
#include "avocet_drv.h"

#define GUARD_BYTES PAGE_SIZE /* free after each mapping, so that an overrun faults */

static int map_range(struct avocet_context *context, u32 kind, struct avocet_fw_map *range)
{
	if (!range->bytes)
		return 0;
	if (!PAGE_ALIGNED(range->bytes) || !PAGE_ALIGNED(range->system_address))
		return -EINVAL;
	return avocet_mailbox_request(context->avocet, kind, range, sizeof(*range));
}

/*
 * Sends one message for each contiguous piece, for the first @limit bytes. *@done is the length of
 * the pieces that succeeded.
 */
static int map_pieces(struct avocet_context *context, struct avocet_mapping *mapping, u32 kind,
		      u64 limit, u64 *done)
{
	struct avocet_fw_map range = {.context = context->id, .access = mapping->access};
	struct scatterlist *piece;
	int i, ret;

	*done = 0;
	range.device_address = mapping->node.start;
	for_each_sgtable_dma_sg(mapping->sgt, piece, i) {
		u64 bytes = min_t(u64, sg_dma_len(piece), limit - *done - range.bytes);

		if (!bytes)
			break;
		if (range.bytes && sg_dma_address(piece) == range.system_address + range.bytes) {
			range.bytes += bytes;
			continue;
		}
		ret = map_range(context, kind, &range);
		if (ret)
			return ret;
		*done += range.bytes;
		range.device_address += range.bytes;
		range.system_address = sg_dma_address(piece);
		range.bytes = bytes;
	}
	ret = map_range(context, kind, &range);
	if (!ret)
		*done += range.bytes;
	return ret;
}

/**
 * avocet_map_announce() - maps the buffer on the device
 * @context: an announced context
 * @mapping: the mapping; under avocet_device.state_lock
 *
 * Return: 0, or a negative error. After an error other than -ENODEV, the device has no piece of it.
 */
int avocet_map_announce(struct avocet_context *context, struct avocet_mapping *mapping)
{
	u64 done, undone;
	int ret = map_pieces(context, mapping, AVOCET_MESSAGE_MAP, mapping->bo->size, &done);

	if (!ret && done < mapping->bo->size)
		ret = -EINVAL;
	if (ret && map_pieces(context, mapping, AVOCET_MESSAGE_UNMAP, done, &undone) == -ENODEV)
		ret = -ENODEV;
	return ret;
}

static void map_free(struct avocet_mapping *mapping)
{
	if (drm_mm_node_allocated(&mapping->node))
		drm_mm_remove_node(&mapping->node);
	if (mapping->bo)
		drm_gem_object_put(mapping->bo);
	kfree(mapping);
}

/**
 * avocet_map_free_all() - frees the mappings of a context that the device has dropped
 * @context: the context; under avocet_device.state_lock
 */
void avocet_map_free_all(struct avocet_context *context)
{
	struct drm_mm_node *node, *next;

	drm_mm_for_each_node_safe(node, next, &context->addresses)
		map_free(container_of(node, struct avocet_mapping, node));
}

/**
 * avocet_map_free_dropped() - frees the mappings that only the device may still have used
 * @context: the context; under avocet_device.state_lock, of a quiet device
 */
void avocet_map_free_dropped(struct avocet_context *context)
{
	struct drm_mm_node *node, *next;

	drm_mm_for_each_node_safe(node, next, &context->addresses) {
		struct avocet_mapping *mapping = container_of(node, struct avocet_mapping, node);

		if (mapping->dropped)
			map_free(mapping);
	}
}

/* Ends the use of a mapping. A lost device may write to its pages until it has been reset. */
static void map_drop(struct avocet_device *avocet, struct avocet_mapping *mapping, int ret)
{
	if (ret == -ENODEV && !avocet->quiet)
		mapping->dropped = true;
	else
		map_free(mapping);
}

/* The mapping is the context's when it has a node; another thread may guess its address. */
static int map_insert(struct avocet_context *context, struct avocet_mapping *mapping)
{
	return context->closing ? -ENOENT
				: drm_mm_insert_node_generic(&context->addresses, &mapping->node,
							     mapping->bo->size + GUARD_BYTES,
							     PAGE_SIZE, 0, DRM_MM_INSERT_LOW);
}

/* Takes the mapping, also if it fails. It may be gone again when this returns. */
static int map_add(struct avocet_context *context, struct avocet_mapping *mapping, u64 *address)
{
	struct avocet_device *avocet = context->avocet;
	int index, ret;

	ret = avocet_enter(avocet, &index);
	if (ret) {
		map_free(mapping);
		return ret;
	}
	mutex_lock(&avocet->state_lock);
	ret = map_insert(context, mapping);
	if (ret) {
		map_free(mapping);
	} else {
		*address = mapping->node.start;
		ret = avocet_map_announce(context, mapping);
		if (ret)
			map_drop(avocet, mapping, ret);
	}
	mutex_unlock(&avocet->state_lock);
	avocet_exit(avocet, index);
	return ret;
}

/**
 * avocet_ioctl_map() - AVOCET_IOCTL_MAP
 * @drm: the device
 * @data: struct avocet_map
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_map(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_map *args = data;
	struct avocet_mapping *mapping;
	struct avocet_context *context;
	u64 address;
	int ret;

	if (!args->access || args->access & ~(AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE) ||
	    args->pad || args->device_address)
		return -EINVAL;
	context = avocet_context_get(file, args->context);
	if (!context)
		return -ENOENT;
	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping) {
		ret = -ENOMEM;
		goto out_context;
	}
	mapping->access = args->access;
	mapping->bo = drm_gem_object_lookup(file, args->handle);
	if (!mapping->bo) {
		ret = -ENOENT;
		goto err_free;
	}
	if (to_avocet_bo(mapping->bo)->is_read_only && args->access & AVOCET_ACCESS_WRITE) {
		ret = -EACCES;
		goto err_free;
	}
	mapping->sgt = drm_gem_shmem_get_pages_sgt(to_drm_gem_shmem_obj(mapping->bo));
	if (IS_ERR(mapping->sgt)) {
		ret = PTR_ERR(mapping->sgt);
		goto err_free;
	}
	ret = map_add(context, mapping, &address);
	if (!ret)
		args->device_address = address;
	goto out_context;

err_free:
	map_free(mapping);
out_context:
	avocet_context_put(context);
	return ret;
}

static struct avocet_mapping *map_find(struct avocet_context *context, u64 address)
{
	struct drm_mm_node *node;

	drm_mm_for_each_node_in_range(node, &context->addresses, address, address + 1) {
		struct avocet_mapping *mapping = container_of(node, struct avocet_mapping, node);

		if (node->start == address && !mapping->dropped)
			return mapping;
	}
	return NULL;
}

/**
 * avocet_ioctl_unmap() - AVOCET_IOCTL_UNMAP
 * @drm: the device
 * @data: struct avocet_unmap
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_unmap(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_unmap *args = data;
	struct avocet_context *context;
	struct avocet_mapping *mapping;
	struct avocet_device *avocet = to_avocet(drm);
	u64 done;
	int ret = 0;

	if (args->pad)
		return -EINVAL;
	context = avocet_context_get(file, args->context);
	if (!context)
		return -ENOENT;
	mutex_lock(&avocet->state_lock);
	mapping = args->device_address >= AVOCET_FIRST_ADDRESS &&
				  args->device_address < AVOCET_LAST_ADDRESS
			  ? map_find(context, args->device_address)
			  : NULL;
	if (mapping && !avocet->quiet)
		ret = map_pieces(context, mapping, AVOCET_MESSAGE_UNMAP, mapping->bo->size, &done);
	if (mapping && (!ret || ret == -ENODEV))
		map_drop(avocet, mapping, ret);
	mutex_unlock(&avocet->state_lock);
	avocet_context_put(context);
	return mapping ? ret : -EINVAL;
}
