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

static int drv_get_param(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_get_param *args = data;

	return args->pad ? -EINVAL : drv_param(to_avocet(drm), args->param, &args->value);
}

static int drv_reset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_reset *args = data;

	if (args->flags || args->pad)
		return -EINVAL;
	return capable(CAP_SYS_ADMIN) ? avocet_device_reset(to_avocet(drm)) : -EPERM;
}

static int drv_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct avocet_device *avocet = to_avocet(drm);
	struct avocet_query *args = data;
	const u64 bytes = strlen(avocet->hello.target_name) + 1;

	if (args->pad || args->what > AVOCET_QUERY_COUNTERS)
		return -EINVAL;
	if (args->what != AVOCET_QUERY_TARGET_NAME)
		return -EOPNOTSUPP;
	if (args->size && args->size < bytes)
		return -ENOSPC;
	if (args->size && copy_to_user(u64_to_user_ptr(args->data), avocet->hello.target_name, bytes))
		return -EFAULT;
	args->size = bytes;
	return 0;
}

static int drv_open(struct drm_device *drm, struct drm_file *file)
{
	struct avocet_file *priv = kzalloc(sizeof(*priv), GFP_KERNEL);

	if (!priv)
		return -ENOMEM;
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
	kfree(priv);
}

static const struct drm_ioctl_desc drv_ioctls[] = {
#define CALL(id, function)                                                                                             \
	[_IOC_NR(AVOCET_IOCTL_##id) - DRM_COMMAND_BASE] = { .cmd = AVOCET_IOCTL_##id, .func = function,                \
							    .flags = DRM_RENDER_ALLOW, .name = #id }
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

DEFINE_DRM_ACCEL_FOPS(drv_fops);

static const struct drm_driver drv_driver = {
	.driver_features = DRIVER_GEM | DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = drv_open,
	.postclose = drv_close,
	.ioctls = drv_ioctls,
	.num_ioctls = ARRAY_SIZE(drv_ioctls),
	.fops = &drv_fops,
	.gem_create_object = avocet_bo_alloc,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	.name = "avocet",
	.desc = "Avocet neural accelerator",
	.date = "20261124",
	.major = AVOCET_UAPI_MAJOR,
	.minor = AVOCET_UAPI_MINOR,
};

struct avocet_device *avocet_drv_alloc(struct device *parent, struct avocet_bus *bus)
{
	struct avocet_device *avocet = devm_drm_dev_alloc(parent, &drv_driver, struct avocet_device, drm);

	int ret;

	if (IS_ERR(avocet))
		return avocet;
	avocet->bus = bus;
	ret = avocet_device_prepare(avocet);
	return ret ? ERR_PTR(ret) : avocet;
}

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
	dev_info(avocet->drm.dev, "Avocet %s, %llu MHz, %llu KiB SRAM\n", avocet->hello.target_name,
		 avocet->hello.clock_hz / 1000000, avocet->hello.sram_bytes / 1024);
	return 0;
}

void avocet_drv_stop(struct avocet_device *avocet)
{
	drm_dev_unplug(&avocet->drm);
	avocet_device_stop(avocet);
	avocet_sched_fini(avocet);
	avocet_device_fini(avocet);
}

static int __init avocet_module_init(void)
{
	if (drm_firmware_drivers_only())
		return -ENODEV;
	return avocet_ivshmem_register();
}
module_init(avocet_module_init);

static void __exit avocet_module_exit(void)
{
	avocet_ivshmem_unregister();
}
module_exit(avocet_module_exit);

MODULE_DESCRIPTION("Avocet neural accelerator");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(DMA_BUF);
