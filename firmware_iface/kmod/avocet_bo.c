// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Buffers: GEM objects in shmem, and imported dma-bufs.
 */
#include "avocet_drv.h"

#define MAX_BO_BYTES (1ull << 38)

static const struct drm_gem_object_funcs avocet_bo_funcs = {
	.free = drm_gem_shmem_object_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

/* drm_driver.gem_create_object: also for imported buffers */
struct drm_gem_object *avocet_bo_alloc(struct drm_device *drm, size_t size)
{
	struct avocet_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	/* The simulated device sees the caches; so does a coherent one. */
	bo->base.map_wc = false;
	bo->base.base.funcs = &avocet_bo_funcs;
	return &bo->base.base;
}

static int bo_describe(struct drm_gem_object *object, u64 *mmap_offset)
{
	int ret = drm_gem_create_mmap_offset(object);

	*mmap_offset = ret ? 0 : drm_vma_node_offset_addr(&object->vma_node);
	return ret;
}

int avocet_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_bo_create *args = data;
	struct drm_gem_shmem_object *bo;
	int ret;

	if (!args->size || args->size > MAX_BO_BYTES || args->flags || args->handle || args->mmap_offset)
		return -EINVAL;
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
