// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Files in /sys/kernel/debug/accel/DEVICE. They show device addresses and numbers, and no address
 * of the kernel.
 */
#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>

#include "avocet_drv.h"

static struct avocet_device *debugfs_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_avocet(entry->dev);
}

static const char *debugfs_power(const struct avocet_device *avocet)
{
	return avocet->suspended ? "suspended" : avocet->lost ? "lost" : "active";
}

static int debugfs_state(struct seq_file *m, void *data)
{
	struct avocet_device *avocet = debugfs_device(m);
	const struct avocet_fw_hello_reply *hello = &avocet->hello;
	u64 busy_ns;
	u32 percent;
	int ret;

	ret = mutex_lock_interruptible(&avocet->state_lock);
	if (ret)
		return ret;
	busy_ns = avocet_usage_busy_ns(avocet, &percent);
	seq_printf(m, "target: %s, fingerprint %016llx\n", hello->target_name,
		   hello->target_fingerprint);
	seq_printf(m, "firmware: interface %u.%u, encoding %u\n", hello->interface_version >> 16,
		   hello->interface_version & 0xffff, hello->encoding_version);
	seq_printf(m, "clock: %llu Hz\n", hello->clock_hz);
	seq_printf(m, "state: %s\n", debugfs_power(avocet));
	if (!avocet->suspended && !drm_dev_is_unplugged(&avocet->drm))
		seq_printf(m, "status register: %u\n",
			   avocet_bus_read(avocet->bus, AVOCET_REG_STATUS));
	seq_printf(m, "resets: %d\n", atomic_read(&avocet->resets));
	seq_printf(m, "jobs on the device: %u\n", READ_ONCE(avocet->activity.jobs));
	seq_printf(m, "jobs ended: %llu\n", avocet_usage_ended(avocet));
	seq_printf(m, "busy: %llu ns, %u %% of the last second\n", busy_ns, percent);
	mutex_unlock(&avocet->state_lock);
	return 0;
}

static int debugfs_context(struct avocet_context *context, void *argument)
{
	struct seq_file *m = argument;
	struct drm_mm_node *node;
	u64 bytes = 0;
	u32 count = 0;

	drm_mm_for_each_node(node, &context->addresses) {
		bytes += container_of(node, struct avocet_mapping, node)->bo->size;
		count++;
	}
	spin_lock(&context->lock);
	seq_printf(m, "%u client %llu owner %08x jobs %llu queued %u mappings %u bytes %llu%s\n",
		   context->id, context->file->client, context->owner, context->last_job,
		   context->queued, count, bytes,
		   context->held	    ? " held"
		   : context->closing ? " closing"
				      : "");
	spin_unlock(&context->lock);
	return 0;
}

static void debugfs_jobs(struct seq_file *m, const struct list_head *jobs, const char *where)
{
	struct avocet_job *job;

	list_for_each_entry(job, jobs, link)
		seq_printf(m, "  %s: job %llu priority %u\n", where, job->number, job->fw.priority);
}

static int debugfs_ring(struct avocet_context *context, void *argument)
{
	struct seq_file *m = argument;

	spin_lock(&context->lock);
	seq_printf(m, "%u context %u entries %u tail %u head %u\n", context->id - 1, context->id,
		   AVOCET_QUEUE_DEPTH, context->tail, READ_ONCE(context->ring->head));
	debugfs_jobs(m, &context->in_flight, "on the device");
	debugfs_jobs(m, &context->waiting, "waiting");
	spin_unlock(&context->lock);
	return 0;
}

static int debugfs_mappings(struct avocet_context *context, void *argument)
{
	struct seq_file *m = argument;
	struct drm_mm_node *node;

	drm_mm_for_each_node(node, &context->addresses) {
		struct avocet_mapping *mapping = container_of(node, struct avocet_mapping, node);
		struct avocet_bo *bo = to_avocet_bo(mapping->bo);

		seq_printf(m, "%u address %#llx bytes %zu access %s%s%s%s\n", context->id,
			   node->start, mapping->bo->size,
			   mapping->access & AVOCET_ACCESS_READ ? "r" : "-",
			   mapping->access & AVOCET_ACCESS_WRITE ? "w" : "-",
			   mapping->bo->import_attach ? " dma-buf"
			   : bo->user_pages	      ? " user"
						      : "",
			   mapping->dropped ? " held" : "");
	}
	return 0;
}

static int debugfs_each(struct seq_file *m,
			int (*show)(struct avocet_context *context, void *m))
{
	struct avocet_device *avocet = debugfs_device(m);
	int ret;

	ret = mutex_lock_interruptible(&avocet->state_lock);
	if (ret)
		return ret;
	ret = avocet_device_for_each(avocet, show, m);
	mutex_unlock(&avocet->state_lock);
	return ret;
}

static int debugfs_contexts(struct seq_file *m, void *data)
{
	return debugfs_each(m, debugfs_context);
}

static int debugfs_rings(struct seq_file *m, void *data)
{
	return debugfs_each(m, debugfs_ring);
}

static int debugfs_all_mappings(struct seq_file *m, void *data)
{
	return debugfs_each(m, debugfs_mappings);
}

static int debugfs_faults(struct seq_file *m, void *data)
{
	struct avocet_fault_log *log = &debugfs_device(m)->faults;
	u64 i;

	spin_lock(&log->lock);
	i = log->count > AVOCET_FAULT_ENTRIES ? log->count - AVOCET_FAULT_ENTRIES : 0;
	for (; i < log->count; i++) {
		const struct avocet_fault *fault = &log->entries[i % AVOCET_FAULT_ENTRIES];

		seq_printf(m, "%llu ns client %llu context %u job %llu fault %u", fault->time_ns,
			   fault->client, fault->context, fault->job, fault->code);
		seq_printf(m, " engine %d.%d command %d layer %d region %d address %#llx\n",
			   fault->engine_kind, fault->engine_index, fault->command, fault->layer,
			   fault->region, fault->address);
	}
	spin_unlock(&log->lock);
	return 0;
}

static const struct drm_debugfs_info debugfs_files[] = {
	{"state", debugfs_state, 0},   {"contexts", debugfs_contexts, 0},
	{"rings", debugfs_rings, 0},   {"mappings", debugfs_all_mappings, 0},
	{"faults", debugfs_faults, 0},
};

/**
 * avocet_debugfs_init() - makes the files, which vanish with the DRM device
 * @avocet: the device
 */
void avocet_debugfs_init(struct avocet_device *avocet)
{
	drm_debugfs_add_files(&avocet->drm, debugfs_files, ARRAY_SIZE(debugfs_files));
}
