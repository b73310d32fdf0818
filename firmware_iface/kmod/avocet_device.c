// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Start, reset, loss and interrupts of a device.
 */
#include <linux/ctype.h>
#include <linux/delay.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "avocet_drv.h"

#define STOP_TIMEOUT (5 * HZ)

/* Says which versions were found; -EPROTO if they are not those that the driver speaks. */
static int device_check_version(struct avocet_device *avocet)
{
	const u32 interface = avocet_bus_read(avocet->bus, AVOCET_REG_INTERFACE_VERSION);
	const u32 encoding = avocet_bus_read(avocet->bus, AVOCET_REG_ENCODING_VERSION);
	const bool is_known = interface >> 16 == AVOCET_FW_INTERFACE_MAJOR &&
			      encoding == AVOCET_FW_ENCODING_VERSION;

	if (is_known)
		return 0;
	drm_err(&avocet->drm,
		"the firmware has interface %u.%u and command encoding %u, but this driver accepts interface %u.0 and higher minor versions with encoding %u: update the %s\n",
		interface >> 16, interface & 0xffff, encoding, AVOCET_FW_INTERFACE_MAJOR,
		AVOCET_FW_ENCODING_VERSION,
		interface >> 16 > AVOCET_FW_INTERFACE_MAJOR || encoding > AVOCET_FW_ENCODING_VERSION
			? "driver"
			: "firmware");
	return -EPROTO;
}

/* Ends the name, and replaces what a terminal could take for a command. */
static void device_clean_name(struct avocet_fw_hello_reply *hello)
{
	u32 i;

	hello->target_name[sizeof(hello->target_name) - 1] = 0;
	for (i = 0; hello->target_name[i]; i++) {
		if (!isascii(hello->target_name[i]) || !isprint(hello->target_name[i]))
			hello->target_name[i] = '?';
	}
}

/* Buffers and jobs depend on what the device said first, so it may not say anything else later. */
static int device_learn(struct avocet_device *avocet, struct avocet_fw_hello_reply *hello)
{
	device_clean_name(hello);
	if (!hello->clock_hz || !hello->max_contexts || !hello->max_rings)
		return -EPROTO;
	if (avocet->has_greeted && memcmp(hello, &avocet->hello, sizeof(*hello))) {
		drm_err(&avocet->drm, "the device has become another one: bind the driver again\n");
		return -EPROTO;
	}
	if (!avocet->has_greeted)
		avocet->hello = *hello;
	avocet->has_greeted = true;
	return 0;
}

static int device_greet(struct avocet_device *avocet)
{
	const struct avocet_fw_hello request = {
		.min_interface_version = AVOCET_FW_INTERFACE_MAJOR << 16,
		.max_interface_version =
			AVOCET_FW_INTERFACE_MAJOR << 16 | AVOCET_FW_INTERFACE_MINOR,
		.encoding_version = AVOCET_FW_ENCODING_VERSION,
	};
	struct avocet_fw_hello_reply hello;
	int ret;

	ret = avocet_mailbox_exchange(avocet, AVOCET_MESSAGE_HELLO, &request, sizeof(request),
				      &hello, sizeof(hello));
	if (ret)
		return ret;
	if (hello.code != AVOCET_REPLY_OK) {
		drm_err(&avocet->drm,
			"the firmware refuses interface %u.%u with encoding %u (reply %u): update driver or firmware\n",
			AVOCET_FW_INTERFACE_MAJOR, AVOCET_FW_INTERFACE_MINOR,
			AVOCET_FW_ENCODING_VERSION, hello.code);
		return -EPROTO;
	}
	return device_learn(avocet, &hello);
}

/**
 * avocet_device_for_each() - calls a function with each context
 * @avocet: the device
 * @visit: the function, which gets a context that stays until it returns; not 0 ends the walk
 * @argument: its second argument
 *
 * Contexts may appear and vanish meanwhile.
 *
 * Return: what the last call returned, or 0.
 */
int avocet_device_for_each(struct avocet_device *avocet,
			   int (*visit)(struct avocet_context *context, void *argument),
			   void *argument)
{
	struct avocet_context *context;
	unsigned long id;
	int ret = 0;

	xa_lock(&avocet->contexts);
	xa_for_each(&avocet->contexts, id, context) {
		if (!kref_get_unless_zero(&context->ref))
			continue;
		xa_unlock(&avocet->contexts);
		ret = visit(context, argument);
		avocet_context_put(context);
		xa_lock(&avocet->contexts);
		if (ret)
			break;
	}
	xa_unlock(&avocet->contexts);
	return ret;
}

static int let_go(struct avocet_context *context, void *argument)
{
	avocet_context_let_go(context);
	return 0;
}

static int reap(struct avocet_context *context, void *argument)
{
	avocet_sched_reap(context);
	return 0;
}

static int stop(struct avocet_context *context, void *argument)
{
	avocet_context_stop(context);
	return 0;
}

static int end_all(struct avocet_context *context, void *argument)
{
	avocet_sched_end_all(context, AVOCET_FAULT_HARDWARE_ERROR);
	return 0;
}

static int announce(struct avocet_context *context, void *argument)
{
	return context->closing ? 0 : avocet_context_announce(context);
}

static int announce_ring(struct avocet_context *context, void *argument)
{
	return context->closing ? 0 : avocet_context_announce_ring(context);
}

/* The device accesses no memory of contexts any more. Under state_lock, or before the first one. */
static void device_silence(struct avocet_device *avocet)
{
	avocet->quiet = true;
	avocet_device_for_each(avocet, let_go, NULL);
}

/* Ends the running job, and removes contexts, mappings and rings from the device. */
static int device_clear(struct avocet_device *avocet)
{
	int waited, ret;

	ret = avocet_bus_write(avocet->bus, AVOCET_REG_CONTROL, AVOCET_CONTROL_RESET);
	if (ret)
		return ret;
	for (waited = 0; waited < avocet_answer_timeout_ms; waited++) {
		if (avocet_bus_idle(avocet->bus) &&
		    !(avocet_bus_read(avocet->bus, AVOCET_REG_CONTROL) & AVOCET_CONTROL_RESET)) {
			device_silence(avocet);
			return 0;
		}
		usleep_range(1000, 1200);
	}
	drm_err(&avocet->drm, "the device does not finish its reset\n");
	return -ENODEV;
}

static int device_bring_up(struct avocet_device *avocet)
{
	int ret;

	ret = device_check_version(avocet);
	if (!ret)
		ret = device_clear(avocet);
	if (!ret)
		ret = avocet_mailbox_announce(avocet);
	if (!ret)
		ret = avocet_bus_write(avocet->bus, AVOCET_REG_INTERRUPT_ENABLE,
				       AVOCET_INTERRUPT_MAILBOX | AVOCET_INTERRUPT_COMPLETION |
					       AVOCET_INTERRUPT_ERROR);
	if (!ret)
		ret = avocet_bus_write(avocet->bus, AVOCET_REG_CONTROL, AVOCET_CONTROL_RUN);
	return ret ? ret : device_greet(avocet);
}

/**
 * avocet_device_prepare() - initializes what the interrupt's thread needs
 * @avocet: the device
 *
 * Return: 0, or a negative error.
 */
int avocet_device_prepare(struct avocet_device *avocet)
{
	int ret;

	xa_init_flags(&avocet->contexts, XA_FLAGS_ALLOC1);
	init_waitqueue_head(&avocet->contexts_gone);
	spin_lock_init(&avocet->fence_lock);
	avocet->fence_context = dma_fence_context_alloc(1);
	avocet_usage_init(avocet);
	ret = drmm_mutex_init(&avocet->drm, &avocet->state_lock);
	if (!ret)
		ret = drmm_mutex_init(&avocet->drm, &avocet->reset_lock);
	return ret ? ret : avocet_mailbox_init(avocet);
}

/**
 * avocet_device_init() - starts the device and its scheduler
 * @avocet: a prepared device whose interrupts arrive
 *
 * Return: 0, -ENODEV if there is no device, or another negative error.
 */
int avocet_device_init(struct avocet_device *avocet)
{
	int ret;

	if (avocet_bus_read(avocet->bus, AVOCET_REG_MAGIC) != AVOCET_DEVICE_MAGIC)
		return -ENODEV;
	ret = device_bring_up(avocet);
	return ret ? ret : avocet_sched_init(avocet);
}

/**
 * avocet_device_fini() - halts the device after the last access of user space
 * @avocet: the device, on which nothing runs any more
 *
 * A device that does not acknowledge its reset is cut off from memory by its bus.
 */
void avocet_device_fini(struct avocet_device *avocet)
{
	mutex_lock(&avocet->state_lock);
	if (device_clear(avocet)) {
		avocet->bus->ops->detach(avocet->bus);
		device_silence(avocet);
	}
	avocet->suspended = true;
	mutex_unlock(&avocet->state_lock);
}

/**
 * avocet_device_stop() - ends all jobs before the scheduler goes, and halts the device
 * @avocet: an unplugged device
 *
 * Contexts of open files stay until these are closed; without files, the last jobs are freed
 * before this returns.
 */
void avocet_device_stop(struct avocet_device *avocet)
{
	avocet_device_lose(avocet);
	avocet_device_for_each(avocet, stop, NULL);
	avocet_device_for_each(avocet, end_all, NULL);
	avocet_device_fini(avocet);
	if (!atomic_read(&avocet->drm.open_count))
		wait_event_timeout(avocet->contexts_gone, xa_empty(&avocet->contexts),
				   STOP_TIMEOUT);
}

/**
 * avocet_device_lose() - ends all that runs on a device that does not answer
 * @avocet: the device
 *
 * Its jobs end with HARDWARE_ERROR; only a reset helps.
 */
void avocet_device_lose(struct avocet_device *avocet)
{
	if (xchg(&avocet->lost, true))
		return;
	if (!drm_dev_is_unplugged(&avocet->drm))
		drm_err(&avocet->drm, "the device is lost; reset it\n");
	avocet_device_for_each(avocet, end_all, NULL);
}

/**
 * avocet_device_reap() - ends the jobs whose completion records the device has written
 * @avocet: the device
 */
void avocet_device_reap(struct avocet_device *avocet)
{
	avocet_device_for_each(avocet, reap, NULL);
}

/**
 * avocet_device_interrupt() - the interrupt's thread
 * @avocet: the device
 */
void avocet_device_interrupt(struct avocet_device *avocet)
{
	u32 causes = avocet->bus->ops->take_interrupts(avocet->bus);

	if (causes & AVOCET_INTERRUPT_MAILBOX)
		complete(&avocet->mailbox_answer);
	if (causes & AVOCET_INTERRUPT_COMPLETION)
		avocet_device_reap(avocet);
	if (causes & AVOCET_INTERRUPT_ERROR)
		avocet_device_lose(avocet);
}

static int device_announce_all(struct avocet_device *avocet)
{
	int ret = avocet_device_for_each(avocet, announce, NULL);

	/* Jobs may depend on those of other contexts, so the rings come last. */
	return ret ? ret : avocet_device_for_each(avocet, announce_ring, NULL);
}

/**
 * avocet_device_reset() - ends the running job; all others run again
 * @avocet: the device, bound and powered; the caller has stopped the scheduler, under reset_lock
 *
 * Return: 0, or a negative error if the device stays lost.
 */
int avocet_device_reset(struct avocet_device *avocet)
{
	int ret;

	mutex_lock(&avocet->state_lock);
	atomic_inc(&avocet->resets);
	ret = device_bring_up(avocet);
	avocet_device_reap(avocet);
	WRITE_ONCE(avocet->lost, false);
	if (!ret)
		ret = device_announce_all(avocet);
	if (ret)
		avocet_device_lose(avocet);
	mutex_unlock(&avocet->state_lock);
	return ret;
}

/**
 * avocet_device_suspend() - removes everything from a device without jobs
 * @avocet: the device, which takes nothing until it resumes
 */
void avocet_device_suspend(struct avocet_device *avocet)
{
	mutex_lock(&avocet->state_lock);
	if (!avocet->lost && device_clear(avocet))
		avocet_device_lose(avocet);
	avocet->suspended = true;
	mutex_unlock(&avocet->state_lock);
}

/**
 * avocet_device_resume() - starts a suspended device and announces all contexts again
 * @avocet: the device, which is lost if it does not start
 */
void avocet_device_resume(struct avocet_device *avocet)
{
	int ret = 0;

	mutex_lock(&avocet->state_lock);
	avocet->suspended = false;
	if (!avocet->lost) {
		ret = device_bring_up(avocet);
		if (!ret)
			ret = device_announce_all(avocet);
	}
	if (ret)
		avocet_device_lose(avocet);
	mutex_unlock(&avocet->state_lock);
}
