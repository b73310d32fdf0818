// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * The DRM/accel driver: files, calls and parameters.
 */
#include <linux/module.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

#include "avocet_drv.h"
#include "avocet_ivshmem.h"

static int drv_param(const struct avocet_device *avocet, u32 param, u64 *value)
{
	const struct avocet_fw_hello_reply *hello = &avocet->hello;
	const u64 values[] = {
		[AVOCET_PARAM_INTERFACE_VERSION] = hello->interface_version,
		[AVOCET_PARAM_ENCODING_VERSION] = hello->encoding_version,
		[AVOCET_PARAM_TARGET_FINGERPRINT] = hello->target_fingerprint,
		[AVOCET_PARAM_CLOCK_HZ] = hello->clock_hz,
		[AVOCET_PARAM_SRAM_BYTES] = hello->sram_bytes,
		[AVOCET_PARAM_DMA_CHANNELS] = hello->dma_channels,
		[AVOCET_PARAM_SEMAPHORES] = hello->semaphores,
		[AVOCET_PARAM_MAX_CONTEXTS] = min(hello->max_contexts, hello->max_rings),
		[AVOCET_PARAM_MAX_REGIONS] = min_t(u32, hello->max_regions, AVOCET_MAX_REGIONS),
		[AVOCET_PARAM_MAX_STREAM_WORDS] = hello->max_stream_words,
		[AVOCET_PARAM_MAX_PRIORITY] = AVOCET_MAX_PRIORITY,
		[AVOCET_PARAM_QUEUE_DEPTH] = AVOCET_QUEUE_DEPTH,
		[AVOCET_PARAM_WATCHDOG_CYCLES] = hello->watchdog_cycles,
		[AVOCET_PARAM_FEATURES] = hello->features,
	};

	if (param >= ARRAY_SIZE(values))
		return -EINVAL;
	*value = values[array_index_nospec(param, ARRAY_SIZE(values))];
	return 0;
}

/* User space relies on the values of a device that answers. */
static int drv_get_param(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_get_param *args = data;

	if (args->pad)
		return -EINVAL;
	return drv_param(to_avocet(drm), args->param, &args->value);
}

static int drv_reset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_reset *args = data;

	struct avocet_device *avocet = to_avocet(drm);
	int index, ret;

	if (args->flags || args->pad)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	ret = avocet_enter(avocet, &index);
	if (ret)
		return ret;
	mutex_lock(&avocet->reset_lock);
	drm_sched_wqueue_stop(&avocet->sched);
	ret = avocet_device_reset(avocet);
	drm_sched_wqueue_start(&avocet->sched);
	mutex_unlock(&avocet->reset_lock);
	avocet_exit(avocet, index);
	return ret;
}

/* The data of a query, which fits @counters or is a part of the device; its size, or -EINVAL. */
static ssize_t query_find(struct avocet_device *avocet, struct avocet_file *file, u32 what,
			  struct avocet_counters *counters, const void **data)
{
	switch (what) {
	case AVOCET_QUERY_TARGET_NAME:
		*data = avocet->hello.target_name;
		return strlen(avocet->hello.target_name) + 1;
	case AVOCET_QUERY_COUNTERS:
		avocet_usage_read(file, counters);
		*data = counters;
		return sizeof(*counters);
	default:
		return -EINVAL;
	}
}

static int drv_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct avocet_query *args = data;
	struct avocet_counters counters;
	const void *found;
	ssize_t bytes;

	if (args->pad)
		return -EINVAL;
	bytes = query_find(avocet, file->driver_priv, args->what, &counters, &found);
	if (bytes < 0)
		return bytes;
	if (args->size && args->size < bytes)
		return -ENOSPC;
	if (args->size && copy_to_user(u64_to_user_ptr(args->data), found, bytes))
		return -EFAULT;
	args->size = bytes;
	return 0;
}

static void file_release(struct kref *ref)
{
	kfree(container_of(ref, struct avocet_file, ref));
}

/**
 * avocet_file_put() - drops a reference
 * @file: the file's record
 */
void avocet_file_put(struct avocet_file *file)
{
	kref_put(&file->ref, file_release);
}

static int drv_open(struct drm_device *drm, struct drm_file *file)
{
	struct avocet_file *priv = kzalloc(sizeof(*priv), GFP_KERNEL_ACCOUNT);

	if (!priv)
		return -ENOMEM;
	kref_init(&priv->ref);
	spin_lock_init(&priv->lock);
	priv->client = file->client_id;
	xa_init(&priv->contexts);
	file->driver_priv = priv;
	return 0;
}

static void drv_close(struct drm_device *drm, struct drm_file *file)
{
	struct avocet_file *priv = file->driver_priv;
	struct avocet_context *context;
	unsigned long id;

	xa_for_each(&priv->contexts, id, context) {
		xa_erase(&priv->contexts, id);
		avocet_context_close(context);
	}
	xa_destroy(&priv->contexts);
	avocet_file_put(priv);
}

static const struct drm_ioctl_desc drv_ioctls[] = {
#define CALL(id, function)                                                                         \
	[_IOC_NR(AVOCET_IOCTL_##id) - DRM_COMMAND_BASE] = {.cmd = AVOCET_IOCTL_##id,               \
							   .func = function,                       \
							   .flags = DRM_RENDER_ALLOW,              \
							   .name = #id}
	CALL(GET_PARAM, drv_get_param),
	CALL(CONTEXT_CREATE, avocet_ioctl_context_create),
	CALL(CONTEXT_DESTROY, avocet_ioctl_context_destroy),
	CALL(BO_CREATE, avocet_ioctl_bo_create),
	CALL(BO_INFO, avocet_ioctl_bo_info),
	CALL(MAP, avocet_ioctl_map),
	CALL(UNMAP, avocet_ioctl_unmap),
	CALL(SUBMIT, avocet_ioctl_submit),
	CALL(WAIT, avocet_ioctl_wait),
	CALL(RESET, drv_reset),
	CALL(QUERY, drv_query),
	CALL(CANCEL, avocet_ioctl_cancel),
	CALL(BO_IMPORT, avocet_ioctl_bo_import),
#undef CALL
};

static const struct file_operations drv_fops = {
	.owner = THIS_MODULE,
	DRM_ACCEL_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

static const struct drm_driver drv_driver = {
	.driver_features =
		DRIVER_GEM | DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = drv_open,
	.postclose = drv_close,
	.ioctls = drv_ioctls,
	.num_ioctls = ARRAY_SIZE(drv_ioctls),
	.fops = &drv_fops,
	.gem_create_object = avocet_bo_alloc,
	.gem_prime_import = avocet_bo_import,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	.show_fdinfo = avocet_fdinfo_show,
	.name = "avocet",
	.desc = "Avocet neural accelerator",
#ifdef AVOCET_HAS_DRIVER_DATE
	.date = "20261124",
#endif
	.major = AVOCET_UAPI_MAJOR,
	.minor = AVOCET_UAPI_MINOR,
};

/**
 * avocet_drv_alloc() - a device that interrupts may be requested for
 * @parent: the bus device
 * @bus: its registers
 *
 * Return: the device, which lives until the last file is closed; or an error.
 */
struct avocet_device *avocet_drv_alloc(struct device *parent, struct avocet_bus *bus)
{
	struct avocet_device *avocet;
	int ret;

	avocet = devm_drm_dev_alloc(parent, &drv_driver, struct avocet_device, drm);

	if (IS_ERR(avocet))
		return avocet;
	avocet->bus = bus;
	ret = avocet_device_prepare(avocet);
	return ret ? ERR_PTR(ret) : avocet;
}

/**
 * avocet_drv_start() - starts the device and shows it to user space
 * @avocet: the device, the bus device's driver data, whose interrupts arrive
 *
 * Return: 0, or a negative error.
 */
int avocet_drv_start(struct avocet_device *avocet)
{
	int ret = avocet_device_init(avocet);

	if (ret)
		return ret;
	ret = drm_dev_register(&avocet->drm, 0);
	if (ret) {
		avocet_sched_fini(avocet);
		avocet_device_fini(avocet);
		return ret;
	}
	avocet_debugfs_init(avocet);
	avocet_pm_init(avocet);
	dev_info(avocet->drm.dev, "Avocet %s, %llu MHz, %llu KiB SRAM\n", avocet->hello.target_name,
		 avocet->hello.clock_hz / 1000000, avocet->hello.sram_bytes / 1024);
	return 0;
}

/**
 * avocet_drv_stop() - ends all use of the device
 * @avocet: the device; files of it may stay open, but their calls fail
 */
void avocet_drv_stop(struct avocet_device *avocet)
{
	avocet_pm_fini(avocet);
	drm_dev_unplug(&avocet->drm);
	avocet_device_stop(avocet);
	avocet_sched_fini(avocet);
}

static int __init avocet_module_init(void)
{
	int ret;

	if (drm_firmware_drivers_only())
		return -ENODEV;
	ret = avocet_fence_init();
	if (ret)
		return ret;
	ret = avocet_ivshmem_register();
	if (ret)
		avocet_fence_fini();
	return ret;
}
module_init(avocet_module_init);

static void __exit avocet_module_exit(void)
{
	avocet_ivshmem_unregister();
	avocet_fence_fini();
}
module_exit(avocet_module_exit);

MODULE_DESCRIPTION("Avocet neural accelerator");
MODULE_LICENSE("GPL");
#ifdef AVOCET_HAS_IMPORT_NS_WORD
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif
