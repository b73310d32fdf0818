/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/*
 * What the driver needs of a bus: registers and interrupts. DMA goes through the kernel's DMA API
 * with the device that the bus found.
 */
#ifndef AVOCET_BUS_H
#define AVOCET_BUS_H

#include <linux/types.h>

struct avocet_device;
struct avocet_bus;

/**
 * struct avocet_bus_ops - operations of a bus
 * @read: value of a register; for CYCLE_COUNT_LOW and _HIGH as of the device's last report
 * @write: posts a write. Writes arrive in order. Sleeps while the queue of writes is full; -ENODEV
 * if the device does not take them
 * @idle: whether the device has taken all writes, and reads show their effect
 * @take_interrupts: the causes (AVOCET_INTERRUPT_ bits) since the last call; called by the
 * interrupt thread only
 * @detach: cuts the device off from memory for good; the last call, for a device that does not
 * acknowledge its reset
 */
struct avocet_bus_ops {
	u32 (*read)(struct avocet_bus *bus, u32 offset);
	int (*write)(struct avocet_bus *bus, u32 offset, u32 value);
	bool (*idle)(struct avocet_bus *bus);
	u32 (*take_interrupts)(struct avocet_bus *bus);
	void (*detach)(struct avocet_bus *bus);
};

/**
 * struct avocet_bus - a bus; each kind embeds it
 * @ops: its operations
 */
struct avocet_bus {
	const struct avocet_bus_ops *ops;
};

static inline u32 avocet_bus_read(struct avocet_bus *bus, u32 offset)
{
	return bus->ops->read(bus, offset);
}

static inline int avocet_bus_write(struct avocet_bus *bus, u32 offset, u32 value)
{
	return bus->ops->write(bus, offset, value);
}

static inline bool avocet_bus_idle(struct avocet_bus *bus)
{
	return bus->ops->idle(bus);
}

#endif /* AVOCET_BUS_H */
