// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Power. A device without jobs and calls is suspended after a delay. It then has no contexts,
 * mappings or rings; they are announced again when it resumes. A job keeps the device powered from
 * its submission until it is freed.
 */
#include <linux/module.h>
#include <linux/pm_runtime.h>

#include <drm/drm_drv.h>

#include "avocet_drv.h"

#define QUIET_TIMEOUT (5 * HZ)

static int autosuspend_delay_ms = 1000;
module_param(autosuspend_delay_ms, int, 0444);
MODULE_PARM_DESC(autosuspend_delay_ms,
		 "Suspend a device idle for so long, in ms; negative: never (default 1000)");

/**
 * avocet_pm_init() - lets an idle device be suspended
 * @avocet: a device that has started; the caller of probe() holds a reference of its power
 */
void avocet_pm_init(struct avocet_device *avocet)
{
	struct device *dev = avocet->drm.dev;

	pm_runtime_set_autosuspend_delay(dev, autosuspend_delay_ms);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_allow(dev);
	avocet_pm_put(avocet);
}

/**
 * avocet_pm_fini() - reverts avocet_pm_init()
 * @avocet: the device, powered by the caller of remove()
 */
void avocet_pm_fini(struct avocet_device *avocet)
{
	struct device *dev = avocet->drm.dev;

	pm_runtime_get_noresume(dev);
	pm_runtime_forbid(dev);
	pm_runtime_dont_use_autosuspend(dev);
}

/**
 * avocet_pm_get() - powers the device until avocet_pm_put(); sleeps
 * @avocet: the device
 *
 * A device that cannot be resumed is lost, which is no failure of this function.
 *
 * Return: 0, or a negative error.
 */
int avocet_pm_get(struct avocet_device *avocet)
{
	return pm_runtime_resume_and_get(avocet->drm.dev);
}

/**
 * avocet_pm_put() - ends a use of the device
 * @avocet: the device
 */
void avocet_pm_put(struct avocet_device *avocet)
{
	pm_runtime_mark_last_busy(avocet->drm.dev);
	pm_runtime_put_autosuspend(avocet->drm.dev);
}

/**
 * avocet_enter() - begins a call that needs the device
 * @avocet: the device
 * @index: for avocet_exit()
 *
 * Return: 0 with the device bound and powered, or -ENODEV.
 */
int avocet_enter(struct avocet_device *avocet, int *index)
{
	if (!drm_dev_enter(&avocet->drm, index))
		return -ENODEV;
	if (!avocet_pm_get(avocet))
		return 0;
	drm_dev_exit(*index);
	return -ENODEV;
}

/**
 * avocet_exit() - ends a call
 * @avocet: the device
 * @index: as avocet_enter() set it
 */
void avocet_exit(struct avocet_device *avocet, int index)
{
	avocet_pm_put(avocet);
	drm_dev_exit(index);
}

static int pm_autosuspend(struct device *dev)
{
	avocet_device_suspend(dev_get_drvdata(dev));
	return 0;
}

/* An error would make all later calls fail, also RESET. A device that does not start is lost. */
static int pm_autoresume(struct device *dev)
{
	avocet_device_resume(dev_get_drvdata(dev));
	return 0;
}

/* A job's time-out may stop and start the scheduler at the same time. */
static void pm_set_asleep(struct avocet_device *avocet, bool asleep)
{
	mutex_lock(&avocet->reset_lock);
	avocet->asleep = asleep;
	if (asleep)
		drm_sched_wqueue_stop(&avocet->sched);
	else
		drm_sched_wqueue_start(&avocet->sched);
	mutex_unlock(&avocet->reset_lock);
}

/* Programs are frozen. Jobs that are on the device end first, those that wait do so afterwards. */
static int pm_sleep(struct device *dev)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);
	struct avocet_activity *activity = &avocet->activity;

	pm_set_asleep(avocet, true);
	if (!wait_event_timeout(avocet->idle, !READ_ONCE(activity->jobs), QUIET_TIMEOUT)) {
		pm_set_asleep(avocet, false);
		return -EBUSY;
	}
	avocet_device_suspend(avocet);
	return 0;
}

static int pm_wake(struct device *dev)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);

	avocet_device_resume(avocet);
	pm_set_asleep(avocet, false);
	return 0;
}

const struct dev_pm_ops avocet_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(pm_sleep, pm_wake) RUNTIME_PM_OPS(pm_autosuspend, pm_autoresume, NULL)};
