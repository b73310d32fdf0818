// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Buffers: GEM objects in shmem, and imported dma-bufs.
 */
#include <linux/dma-buf.h>
#include <linux/mm.h>

#include <drm/drm_prime.h>

#include "avocet_drv.h"

#define MAX_BO_BYTES BIT_ULL(38)

static enum drm_gem_object_status bo_status(struct drm_gem_object *object)
{
	return object->import_attach || to_drm_gem_shmem_obj(object)->pages
		       ? DRM_GEM_OBJECT_RESIDENT
		       : 0;
}

static const struct drm_gem_object_funcs avocet_bo_funcs = {
	.free = drm_gem_shmem_object_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.status = bo_status,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

/**
 * avocet_bo_alloc() - drm_driver.gem_create_object, also for imported buffers
 * @drm: the device
 * @size: unused
 *
 * Return: an object without memory, or an error.
 */
struct drm_gem_object *avocet_bo_alloc(struct drm_device *drm, size_t size)
{
	struct avocet_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	/* The simulated device sees the caches; so does a coherent one. */
	bo->base.map_wc = false;
	bo->base.base.funcs = &avocet_bo_funcs;
	return &bo->base.base;
}

static bool bo_is_writable(const struct dma_buf *dma_buf)
{
	return dma_buf->file->f_mode & FMODE_WRITE;
}

static bool bo_is_own(struct drm_device *drm, const struct dma_buf *dma_buf)
{
	const struct drm_gem_object *object = dma_buf->priv;

	return dma_buf->ops->release == drm_gem_dmabuf_release && object->dev == drm;
}

/*
 * A read-only descriptor of a buffer of this device. The DRM core would give the buffer itself,
 * which the device may write; this is another object with the same pages.
 */
static struct drm_gem_object *bo_import_own(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct dma_buf_attachment *attach = dma_buf_attach(dma_buf, drm->dev);
	struct drm_gem_object *object;
	struct sg_table *sgt;

	if (IS_ERR(attach))
		return ERR_CAST(attach);
	get_dma_buf(dma_buf);
	sgt = dma_buf_map_attachment_unlocked(attach, DMA_BIDIRECTIONAL);
	object =
		IS_ERR(sgt) ? ERR_CAST(sgt) : drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (!IS_ERR(object)) {
		object->import_attach = attach;
		object->resv = dma_buf->resv;
		return object;
	}
	if (!IS_ERR(sgt))
		dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
	dma_buf_detach(dma_buf, attach);
	dma_buf_put(dma_buf);
	return object;
}

/**
 * avocet_bo_import() - drm_driver.gem_prime_import
 * @drm: the device
 * @dma_buf: a buffer of any driver; the device may write it only if the descriptor permits it
 *
 * Return: an object that refers to the buffer's pages, or an error.
 */
struct drm_gem_object *avocet_bo_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *object;

	if (bo_is_own(drm, dma_buf) && !bo_is_writable(dma_buf))
		object = bo_import_own(drm, dma_buf);
	else
		object = drm_gem_prime_import(drm, dma_buf);
	if (!IS_ERR(object) && !bo_is_writable(dma_buf))
		to_avocet_bo(object)->is_read_only = true;
	return object;
}

static int bo_describe(struct drm_gem_object *object, u64 *mmap_offset)
{
	int ret = drm_gem_create_mmap_offset(object);

	*mmap_offset = ret ? 0 : drm_vma_node_offset_addr(&object->vma_node);
	return ret;
}

/**
 * avocet_ioctl_bo_create() - AVOCET_IOCTL_BO_CREATE
 * @drm: the device
 * @data: struct avocet_bo_create
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_bo_create *args = data;
	struct drm_gem_shmem_object *bo;
	int ret;

	if (!args->size || args->size > MAX_BO_BYTES || args->flags || args->handle ||
	    args->mmap_offset)
		return -EINVAL;
	/* The table of pages is allocated at once, so a size that cannot be had must fail here. */
	if (args->size >> PAGE_SHIFT >= totalram_pages())
		return -ENOMEM;
	bo = drm_gem_shmem_create(drm, PAGE_ALIGN(args->size));
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = bo_describe(&bo->base, &args->mmap_offset);
	if (!ret)
		ret = drm_gem_handle_create(file, &bo->base, &args->handle);
	args->size = bo->base.size;
	drm_gem_object_put(&bo->base);
	return ret;
}

/**
 * avocet_ioctl_bo_info() - AVOCET_IOCTL_BO_INFO
 * @drm: the device
 * @data: struct avocet_bo_info
 * @file: the caller's file
 *
 * Return: 0, or a negative error.
 */
int avocet_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_bo_info *args = data;
	struct drm_gem_object *object;
	int ret = 0;

	if (args->flags || args->size || args->mmap_offset)
		return -EINVAL;
	object = drm_gem_object_lookup(file, args->handle);
	if (!object)
		return -ENOENT;
	args->size = object->size;
	if (object->import_attach || to_avocet_bo(object)->user_pages)
		args->flags = AVOCET_BO_IMPORTED;
	else
		ret = bo_describe(object, &args->mmap_offset);
	if (to_avocet_bo(object)->is_read_only)
		args->flags |= AVOCET_BO_READ_ONLY;
	drm_gem_object_put(object);
	return ret;
}
