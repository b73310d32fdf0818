// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Requests to the device's firmware: one message each way, in memory that both share.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "avocet_drv.h"

#define LOOK_INTERVAL (HZ / 5)

uint avocet_answer_timeout_ms = 10000;
module_param_named(answer_timeout_ms, avocet_answer_timeout_ms, uint, 0444);
MODULE_PARM_DESC(answer_timeout_ms, "Reset the device when it does not answer a message or finish a reset for so long, in milliseconds (default 10000)");

/**
 * avocet_mailbox_init() - allocates the mailboxes
 * @avocet: the device
 *
 * Return: 0, or -ENOMEM.
 */
int avocet_mailbox_init(struct avocet_device *avocet)
{
	struct device *dev = avocet->drm.dev;
	int ret;

	ret = drmm_mutex_init(&avocet->drm, &avocet->mailbox_lock);
	if (ret)
		return ret;
	init_completion(&avocet->mailbox_answer);
	avocet->mailbox_in = dmam_alloc_coherent(dev, sizeof(*avocet->mailbox_in),
						 &avocet->mailbox_in_dma, GFP_KERNEL);
	avocet->mailbox_out = dmam_alloc_coherent(dev, sizeof(*avocet->mailbox_out),
						  &avocet->mailbox_out_dma, GFP_KERNEL);
	return avocet->mailbox_in && avocet->mailbox_out ? 0 : -ENOMEM;
}

/**
 * avocet_mailbox_announce() - writes the addresses of the mailboxes to the device
 * @avocet: the device, after power-up and each reset
 *
 * Return: 0, or -ENODEV.
 */
int avocet_mailbox_announce(struct avocet_device *avocet)
{
	const struct {
		u32 offset, value;
	} writes[] = {
		{AVOCET_REG_MAILBOX_IN_LOW, lower_32_bits(avocet->mailbox_in_dma)},
		{AVOCET_REG_MAILBOX_IN_HIGH, upper_32_bits(avocet->mailbox_in_dma)},
		{AVOCET_REG_MAILBOX_OUT_LOW, lower_32_bits(avocet->mailbox_out_dma)},
		{AVOCET_REG_MAILBOX_OUT_HIGH, upper_32_bits(avocet->mailbox_out_dma)},
	};
	int i, ret;

	memset(avocet->mailbox_in, 0, sizeof(*avocet->mailbox_in));
	memset(avocet->mailbox_out, 0, sizeof(*avocet->mailbox_out));
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		ret = avocet_bus_write(avocet->bus, writes[i].offset, writes[i].value);
		if (ret)
			return ret;
	}
	return 0;
}

static int mailbox_send(struct avocet_device *avocet, u32 kind, const void *request, size_t bytes)
{
	struct avocet_fw_message *message = avocet->mailbox_in;

	reinit_completion(&avocet->mailbox_answer);
	memcpy(message->body, request, bytes);
	message->kind = kind;
	message->bytes = bytes;
	message->sequence = ++avocet->mailbox_sequence;
	/* The device reads the message after the state. */
	smp_store_release(&message->state, AVOCET_MAILBOX_FULL);
	return avocet_bus_write(avocet->bus, AVOCET_REG_MAILBOX_BELL, 1);
}

/* Whether an answer is there in time. An interrupt may have been lost, so it looks now and then. */
static bool mailbox_wait(struct avocet_device *avocet)
{
	const unsigned long end = jiffies + msecs_to_jiffies(avocet_answer_timeout_ms);
	bool is_late;

	do {
		is_late = time_after(jiffies, end);
		wait_for_completion_timeout(&avocet->mailbox_answer, LOOK_INTERVAL);
		/* Pairs with the device, which writes the state after the message. */
		if (smp_load_acquire(&avocet->mailbox_out->state) == AVOCET_MAILBOX_FULL)
			return true;
	} while (!is_late);
	return false;
}

static int mailbox_receive(struct avocet_device *avocet, u32 kind, void *reply, size_t bytes)
{
	struct avocet_fw_message *message = avocet->mailbox_out;
	int ret = 0;

	if (!mailbox_wait(avocet)) {
		drm_err(&avocet->drm, "the device does not answer request %u\n", kind);
		return -ENODEV;
	}
	if (message->kind != kind || message->sequence != avocet->mailbox_sequence ||
	    message->bytes != bytes) {
		drm_err(&avocet->drm, "the device answered request %u with another message\n",
			kind);
		ret = -ENODEV;
	} else {
		memcpy(reply, message->body, bytes);
	}
	/* The message has been read. */
	smp_store_release(&message->state, AVOCET_MAILBOX_EMPTY);
	return ret;
}

/**
 * avocet_mailbox_exchange() - sends a request and waits for the reply
 * @avocet: the device
 * @kind: AVOCET_MESSAGE_ number of both
 * @request: body of the request
 * @request_bytes: its size
 * @reply: gets the body of the reply
 * @reply_bytes: its exact size
 *
 * Return: 0, or -ENODEV if the device is gone or does not answer.
 */
int avocet_mailbox_exchange(struct avocet_device *avocet, u32 kind, const void *request,
			    size_t request_bytes, void *reply, size_t reply_bytes)
{
	int index, ret;

	if (!drm_dev_enter(&avocet->drm, &index))
		return -ENODEV;
	mutex_lock(&avocet->mailbox_lock);
	ret = mailbox_send(avocet, kind, request, request_bytes);
	if (!ret)
		ret = mailbox_receive(avocet, kind, reply, reply_bytes);
	mutex_unlock(&avocet->mailbox_lock);
	drm_dev_exit(index);
	return ret;
}

static int mailbox_errno(u32 code)
{
	switch (code) {
	case AVOCET_REPLY_OK:
		return 0;
	case AVOCET_REPLY_OUT_OF_CONTEXTS:
	case AVOCET_REPLY_OUT_OF_MAPPINGS:
		return -ENOSPC;
	case AVOCET_REPLY_NO_SUCH_JOB:
		return -ENOENT;
	default:
		/* With an unknown answer, what the device did is unknown too. */
		return code > AVOCET_REPLY_NO_SUCH_JOB ? -ENODEV : -EIO;
	}
}

/**
 * avocet_mailbox_request() - sends a request whose reply is a code only
 * @avocet: the device, powered
 * @kind: AVOCET_MESSAGE_ number
 * @request: its body
 * @bytes: its size
 *
 * Return: 0; -ENODEV, at once, if the device is lost; or the error that the device found.
 */
int avocet_mailbox_request(struct avocet_device *avocet, u32 kind, const void *request,
			   size_t bytes)
{
	struct avocet_fw_reply reply;
	int ret;

	if (READ_ONCE(avocet->lost))
		return -ENODEV;
	ret = avocet_mailbox_exchange(avocet, kind, request, bytes, &reply, sizeof(reply));
	if (!ret) {
		ret = mailbox_errno(reply.code);
		if (ret == -ENODEV)
			drm_err(&avocet->drm, "the device answered request %u with unknown code %u\n",
				kind, reply.code);
	}
	if (ret == -ENODEV)
		avocet_device_lose(avocet);
	return ret;
}
