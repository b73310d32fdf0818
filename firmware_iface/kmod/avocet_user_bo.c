// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Buffers of the caller's own memory, such as a mapped memory file. The pages are pinned, so the
 * device reads and writes what the caller sees, without a copy.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "avocet_drv.h"

#define MAX_PAGES BIT(20)

static void user_bo_unpin(struct avocet_bo *bo)
{
	unpin_user_pages_dirty_lock(bo->user_pages, bo->user_page_count, !bo->is_read_only);
	kvfree(bo->user_pages);
	account_locked_vm(bo->user_mm, bo->user_page_count, false);
	mmdrop(bo->user_mm);
}

static enum dma_data_direction user_bo_direction(const struct avocet_bo *bo)
{
	return bo->is_read_only ? DMA_TO_DEVICE : DMA_BIDIRECTIONAL;
}

static void user_bo_free(struct drm_gem_object *object)
{
	struct avocet_bo *bo = to_avocet_bo(object);
	struct avocet_bo pins = *bo;

	dma_unmap_sgtable(object->dev->dev, bo->base.sgt, user_bo_direction(bo), 0);
	sg_free_table(bo->base.sgt);
	kfree(bo->base.sgt);
	bo->base.sgt = NULL;
	drm_gem_shmem_free(&bo->base);
	user_bo_unpin(&pins);
}

static struct dma_buf *user_bo_export(struct drm_gem_object *object, int flags)
{
	return ERR_PTR(-EPERM); /* the memory has a descriptor of its own */
}

static enum drm_gem_object_status user_bo_status(struct drm_gem_object *object)
{
	return DRM_GEM_OBJECT_RESIDENT;
}

static const struct drm_gem_object_funcs user_bo_funcs = {
	.free = user_bo_free,
	.export = user_bo_export,
	.status = user_bo_status,
};

static int user_bo_pin(struct avocet_bo *bo, u64 address, u32 count)
{
	unsigned int flags = FOLL_LONGTERM | (bo->is_read_only ? 0 : FOLL_WRITE);
	int pinned = 0, ret;

	bo->user_pages = kvmalloc_array(count, sizeof(*bo->user_pages), GFP_KERNEL_ACCOUNT);
	if (!bo->user_pages)
		return -ENOMEM;
	ret = account_locked_vm(current->mm, count, true);
	if (ret)
		goto err_free;
	while (pinned < count) {
		ret = pin_user_pages_fast(address + (u64)pinned * PAGE_SIZE, count - pinned, flags,
					  bo->user_pages + pinned);
		if (ret <= 0)
			goto err_unpin;
		pinned += ret;
	}
	bo->user_page_count = count;
	bo->user_mm = current->mm;
	mmgrab(bo->user_mm);
	return 0;

err_unpin:
	unpin_user_pages(bo->user_pages, pinned);
	account_locked_vm(current->mm, count, false);
	ret = ret ? ret : -EFAULT;
err_free:
	kvfree(bo->user_pages);
	return ret;
}

static int user_bo_map(struct drm_device *drm, struct avocet_bo *bo)
{
	struct sg_table *sgt = drm_prime_pages_to_sg(drm, bo->user_pages, bo->user_page_count);
	int ret;

	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	ret = dma_map_sgtable(drm->dev, sgt, user_bo_direction(bo), 0);
	if (ret) {
		sg_free_table(sgt);
		kfree(sgt);
		return ret;
	}
	bo->base.sgt = sgt;
	return 0;
}

static struct avocet_bo *user_bo_create(struct drm_device *drm, const struct avocet_bo_import *args)
{
	struct avocet_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&bo->base.madv_list);
	bo->is_read_only = args->flags & AVOCET_BO_READ_ONLY;
	ret = user_bo_pin(bo, args->address, args->size / PAGE_SIZE);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	ret = user_bo_map(drm, bo);
	if (ret) {
		user_bo_unpin(bo);
		kfree(bo);
		return ERR_PTR(ret);
	}
	bo->base.base.funcs = &user_bo_funcs;
	drm_gem_private_object_init(drm, &bo->base.base, args->size);
	return bo;
}

/**
 * avocet_ioctl_bo_import() - AVOCET_IOCTL_BO_IMPORT
 * @drm: the device
 * @data: struct avocet_bo_import
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_bo_import(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_bo_import *args = data;
	struct avocet_bo *bo;
	int ret;

	if (!args->size || args->size > (u64)MAX_PAGES * PAGE_SIZE || !PAGE_ALIGNED(args->size) ||
	    !PAGE_ALIGNED(args->address) || args->flags & ~AVOCET_BO_READ_ONLY || args->handle)
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(args->address), args->size))
		return -EFAULT;
	bo = user_bo_create(drm, args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	drm_gem_object_put(&bo->base.base);
	return ret;
}
