// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
/*
 * The device of QEMU's ivshmem-doorbell: registers in shared memory (avocet_ivshmem_layout.h).
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>

#include "avocet_drv.h"
#include "avocet_ivshmem.h"
#include "avocet_ivshmem_layout.h"

#define DOORBELL 12 /* BAR 0: (peer << 16) | vector */
#define WRITE_TIMEOUT_US 2000000

/**
 * struct avocet_ivshmem_bus - a device behind ivshmem
 * @base: the bus
 * @pci: the function
 * @bells: BAR 0
 * @shared: BAR 2
 * @lock: guards the queue of writes
 * @written: writes posted
 * @seen: counters of interrupts when they were last taken; of the interrupt's thread
 */
struct avocet_ivshmem_bus {
	struct avocet_bus base;
	struct pci_dev *pci;
	void __iomem *bells;
	struct avocet_ivshmem *shared;
	spinlock_t lock; /* queue of writes */
	u32 written;
	u32 seen[AVOCET_IVSHMEM_CAUSES];
};

static struct avocet_ivshmem_bus *to_ivshmem(struct avocet_bus *bus)
{
	return container_of(bus, struct avocet_ivshmem_bus, base);
}

static u32 ivshmem_read(struct avocet_bus *base, u32 offset)
{
	struct avocet_ivshmem_bus *bus = to_ivshmem(base);

	if (offset / 4 >= AVOCET_IVSHMEM_REGISTERS)
		return 0;
	/* Values are as new as what the device wrote before them. */
	return smp_load_acquire(&bus->shared->registers[offset / 4]);
}

static bool ivshmem_post(struct avocet_ivshmem_bus *bus, u32 offset, u32 value)
{
	struct avocet_ivshmem *shared = bus->shared;
	struct avocet_ivshmem_write *entry;
	bool posted = false;

	spin_lock(&bus->lock);
	/* The device has read an entry before it counts it. */
	if (bus->written - smp_load_acquire(&shared->taken) < AVOCET_IVSHMEM_WRITES) {
		entry = &shared->writes[bus->written % AVOCET_IVSHMEM_WRITES];
		WRITE_ONCE(entry->offset, offset);
		WRITE_ONCE(entry->value, value);
		/* The entry is complete before it is counted. */
		smp_store_release(&shared->written, ++bus->written);
		posted = true;
	}
	spin_unlock(&bus->lock);
	if (posted)
		writel(0, bus->bells + DOORBELL);
	return posted;
}

static int ivshmem_write(struct avocet_bus *base, u32 offset, u32 value)
{
	struct avocet_ivshmem_bus *bus = to_ivshmem(base);
	int waited;

	for (waited = 0; !ivshmem_post(bus, offset, value); waited += 100) {
		if (waited >= WRITE_TIMEOUT_US)
			return -ENODEV;
		usleep_range(100, 200);
	}
	return 0;
}

static bool ivshmem_idle(struct avocet_bus *base)
{
	struct avocet_ivshmem_bus *bus = to_ivshmem(base);

	/* The copy of the registers is at least as new. */
	return smp_load_acquire(&bus->shared->taken) == READ_ONCE(bus->written);
}

static u32 ivshmem_take_interrupts(struct avocet_bus *base)
{
	struct avocet_ivshmem_bus *bus = to_ivshmem(base);
	u32 causes = 0, bit, raised;

	for (bit = 0; bit < AVOCET_IVSHMEM_CAUSES; bit++) {
		/* What the interrupt is about was written before. */
		raised = smp_load_acquire(&bus->shared->raised[bit]);
		if (raised != bus->seen[bit])
			causes |= 1u << bit;
		bus->seen[bit] = raised;
	}
	return causes;
}

/*
 * The end of the function's access to memory. The process that simulates the device accesses the
 * machine's memory by itself: one that acknowledges no reset has ended, or must be ended.
 */
static void ivshmem_detach(struct avocet_bus *base)
{
	pci_clear_master(to_ivshmem(base)->pci);
}

static const struct avocet_bus_ops ivshmem_ops = {
	.read = ivshmem_read,
	.write = ivshmem_write,
	.idle = ivshmem_idle,
	.take_interrupts = ivshmem_take_interrupts,
	.detach = ivshmem_detach,
};

static irqreturn_t ivshmem_interrupt(int irq, void *data)
{
	avocet_device_interrupt(data);
	return IRQ_HANDLED;
}

static int ivshmem_map(struct pci_dev *pci, struct avocet_ivshmem_bus *bus)
{
	struct device *dev = &pci->dev;

	if (pci_resource_len(pci, 2) < AVOCET_IVSHMEM_BYTES)
		return -ENODEV;
	bus->bells = pcim_iomap(pci, 0, 0);
	bus->shared =
		devm_memremap(dev, pci_resource_start(pci, 2), AVOCET_IVSHMEM_BYTES, MEMREMAP_WB);
	if (!bus->bells || IS_ERR_OR_NULL(bus->shared))
		return -ENOMEM;
	/* The PCI identity is that of every ivshmem device. */
	if (READ_ONCE(bus->shared->magic) != AVOCET_IVSHMEM_MAGIC)
		return -ENODEV;
	if (READ_ONCE(bus->shared->version) != AVOCET_IVSHMEM_VERSION)
		return dev_err_probe(dev, -ENODEV,
				     "shared memory has version %u, the driver knows %u\n",
				     READ_ONCE(bus->shared->version), AVOCET_IVSHMEM_VERSION);
	bus->written = READ_ONCE(bus->shared->written);
	return 0;
}

static int ivshmem_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct avocet_ivshmem_bus *bus;
	struct avocet_device *avocet;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret)
		return ret;
	bus = devm_kzalloc(&pci->dev, sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return -ENOMEM;
	bus->base.ops = &ivshmem_ops;
	bus->pci = pci;
	spin_lock_init(&bus->lock);
	ret = ivshmem_map(pci, bus);
	if (ret)
		return ret;
	ivshmem_take_interrupts(&bus->base); /* those of an earlier driver */
	pci_set_master(pci);
	ret = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	avocet = avocet_drv_alloc(&pci->dev, &bus->base);
	if (IS_ERR(avocet))
		return PTR_ERR(avocet);
	pci_set_drvdata(pci, avocet);
	ret = pci_alloc_irq_vectors(pci, 1, 1, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;
	ret = request_threaded_irq(pci_irq_vector(pci, 0), NULL, ivshmem_interrupt, IRQF_ONESHOT,
				   "avocet", avocet);
	if (ret)
		goto err_vectors;
	ret = avocet_drv_start(avocet);
	if (ret)
		goto err_irq;
	return 0;

err_irq:
	free_irq(pci_irq_vector(pci, 0), avocet);
err_vectors:
	pci_free_irq_vectors(pci);
	return ret;
}

static void ivshmem_remove(struct pci_dev *pci)
{
	struct avocet_device *avocet = pci_get_drvdata(pci);

	avocet_drv_stop(avocet);
	free_irq(pci_irq_vector(pci, 0), avocet);
	pci_free_irq_vectors(pci);
}

static const struct pci_device_id ivshmem_ids[] = {{PCI_DEVICE(0x1af4, 0x1110)}, {}};
MODULE_DEVICE_TABLE(pci, ivshmem_ids);

static struct pci_driver ivshmem_driver = {
	.name = "avocet-ivshmem",
	.id_table = ivshmem_ids,
	.probe = ivshmem_probe,
	.remove = ivshmem_remove,
	.dev_groups = avocet_sysfs_groups,
	.driver.pm = pm_ptr(&avocet_pm_ops),
};

/**
 * avocet_ivshmem_register() - registers the bus's driver
 *
 * Return: 0, or a negative error.
 */
int avocet_ivshmem_register(void)
{
	return pci_register_driver(&ivshmem_driver);
}

/**
 * avocet_ivshmem_unregister() - unbinds all devices of the bus
 */
void avocet_ivshmem_unregister(void)
{
	pci_unregister_driver(&ivshmem_driver);
}
