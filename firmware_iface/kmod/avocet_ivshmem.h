/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/* The bus "ivshmem" and what a bus calls when it has found a device or loses it. */
#ifndef AVOCET_IVSHMEM_H
#define AVOCET_IVSHMEM_H

struct avocet_bus;
struct avocet_device;
struct device;

int avocet_ivshmem_register(void);
void avocet_ivshmem_unregister(void);

/* avocet_drv.c: what a bus calls */
struct avocet_device *avocet_drv_alloc(struct device *parent, struct avocet_bus *bus);
int avocet_drv_start(struct avocet_device *avocet);
void avocet_drv_stop(struct avocet_device *avocet);

#endif /* AVOCET_IVSHMEM_H */
