// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Differences between kernels. Kbuild compiles this file once for each macro; if that succeeds, the
 * macro is defined for the driver. Distributions change these without a change of the version.
 */
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/gpu_scheduler.h>

#if defined(AVOCET_HAS_SCHED_ARGS)
int probe(struct drm_gpu_scheduler *sched, const struct drm_sched_init_args *args);
int probe(struct drm_gpu_scheduler *sched, const struct drm_sched_init_args *args)
{
	return drm_sched_init(sched, args);
}
#elif defined(AVOCET_HAS_JOB_CLIENT)
int probe(struct drm_sched_job *job, struct drm_sched_entity *entity);
int probe(struct drm_sched_job *job, struct drm_sched_entity *entity)
{
	return drm_sched_job_init(job, entity, 1, NULL, 1ull);
}
#elif defined(AVOCET_HAS_START_ERRNO)
void probe(struct drm_gpu_scheduler *sched);
void probe(struct drm_gpu_scheduler *sched)
{
	drm_sched_start(sched, 0);
}
#elif defined(AVOCET_HAS_STAT_NOMINAL)
enum drm_gpu_sched_stat probe = DRM_GPU_SCHED_STAT_NOMINAL;
#elif defined(AVOCET_HAS_DRIVER_DATE)
const struct drm_driver probe = {.date = "20260101"};
#elif defined(AVOCET_HAS_IMPORT_NS_WORD)
MODULE_IMPORT_NS(DMA_BUF);
#endif
