// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * /proc/PID/fdinfo/FD in the format of Documentation/gpu/drm-usage-stats.rst. Times are those of
 * the device: cycles divided by its clock.
 */
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "avocet_drv.h"

static const char *const engine_names[AVOCET_NUM_ENGINE_KINDS] = {
	[AVOCET_ENGINE_MAC] = "mac",
	[AVOCET_ENGINE_DSP] = "dsp",
	[AVOCET_ENGINE_DMA] = "dma",
};

/**
 * avocet_fdinfo_show() - drm_driver.show_fdinfo
 * @printer: gets the lines
 * @drm_file: the file
 */
void avocet_fdinfo_show(struct drm_printer *printer, struct drm_file *drm_file)
{
	struct avocet_device *avocet = to_avocet(drm_file->minor->dev);
	struct avocet_file *file = drm_file->driver_priv;
	const u64 clock = avocet->hello.clock_hz;
	struct avocet_counters counters;
	u32 i;

	avocet_usage_read(file, &counters);
	for (i = 0; i < AVOCET_NUM_ENGINE_KINDS; i++) {
		const u64 cycles = counters.busy_cycles[i];

		drm_printf(printer, "drm-engine-%s:\t%llu ns\n", engine_names[i],
			   avocet_device_ns(avocet, cycles));
		drm_printf(printer, "drm-cycles-%s:\t%llu\n", engine_names[i], cycles);
		drm_printf(printer, "drm-maxfreq-%s:\t%llu Hz\n", engine_names[i], clock);
	}
	if (avocet->hello.dma_channels > 1)
		drm_printf(printer, "drm-engine-capacity-dma:\t%u\n", avocet->hello.dma_channels);
	drm_printf(printer, "avocet-jobs:\t%llu\n", READ_ONCE(file->jobs));
	drm_printf(printer, "avocet-faults:\t%llu\n", READ_ONCE(file->faults));
	drm_show_memory_stats(printer, drm_file);
}
