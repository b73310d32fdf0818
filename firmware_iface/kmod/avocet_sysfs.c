// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * Attributes of the bus device, in the folder "avocet". They exist while the driver is bound.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "avocet_drv.h"

static ssize_t clock_hz_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", avocet->hello.clock_hz);
}
static DEVICE_ATTR_RO(clock_hz);

static ssize_t target_name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", avocet->hello.target_name);
}
static DEVICE_ATTR_RO(target_name);

static ssize_t firmware_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);
	const u32 version = avocet->hello.interface_version;

	return sysfs_emit(buf, "%u.%u encoding %u\n", version >> 16, version & 0xffff,
			  avocet->hello.encoding_version);
}
static DEVICE_ATTR_RO(firmware_version);

static ssize_t busy_time_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n",
			  div_u64(avocet_usage_busy_ns(avocet, NULL), NSEC_PER_USEC));
}
static DEVICE_ATTR_RO(busy_time_us);

static ssize_t utilization_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct avocet_device *avocet = dev_get_drvdata(dev);
	u32 percent;

	avocet_usage_busy_ns(avocet, &percent);
	return sysfs_emit(buf, "%u\n", percent);
}
static DEVICE_ATTR_RO(utilization);
/* The former name goes with the next major version of the interface. */
static struct device_attribute dev_attr_utilisation =
	__ATTR(utilisation, 0444, utilization_show, NULL);

static struct attribute *sysfs_attributes[] = {
	&dev_attr_clock_hz.attr,     &dev_attr_target_name.attr, &dev_attr_firmware_version.attr,
	&dev_attr_busy_time_us.attr, &dev_attr_utilization.attr, &dev_attr_utilisation.attr, NULL,
};

static const struct attribute_group sysfs_group = {
	.name = "avocet",
	.attrs = sysfs_attributes,
};

const struct attribute_group *avocet_sysfs_groups[] = {
	&sysfs_group,
	NULL,
};
