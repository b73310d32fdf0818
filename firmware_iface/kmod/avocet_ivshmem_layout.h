/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/*
 * The shared memory (BAR 2) of a device of QEMU's ivshmem-doorbell. It is plain memory: a store
 * has no side effect. Writes of registers therefore go through a queue, in order, and reads see a
 * copy that the device keeps up to date.
 *
 * Each word has one writer and is accessed whole, because a guest without KVM has no atomic
 * operations that another process could rely on. Counters wrap at 32 bits.
 *
 * The driver stores an entry at written % AVOCET_IVSHMEM_WRITES, then stores written + 1 with
 * release order, and rings doorbell vector 0 of peer 0. The device takes entries in order, and
 * stores `taken` after the copy of the registers is up to date. The queue is full when written -
 * taken == AVOCET_IVSHMEM_WRITES. Interrupts are coalesced: the device increments the counter of a
 * cause before it raises vector 0, and the driver compares it with the value it has seen.
 */
#ifndef AVOCET_IVSHMEM_LAYOUT_H
#define AVOCET_IVSHMEM_LAYOUT_H

#include <linux/types.h>

#define AVOCET_IVSHMEM_MAGIC 0x4d565641u /* "AVVM" in the order of bytes */
#define AVOCET_IVSHMEM_VERSION 1
#define AVOCET_IVSHMEM_WRITES 256
#define AVOCET_IVSHMEM_CAUSES 32
#define AVOCET_IVSHMEM_REGISTERS 32
#define AVOCET_IVSHMEM_BYTES 65536 /* a power of two, as QEMU demands */

/**
 * struct avocet_ivshmem_write - a posted write
 * @offset: of a register
 * @value: for it
 */
struct avocet_ivshmem_write {
	__u32 offset;
	__u32 value;
};

/**
 * struct avocet_ivshmem - the shared memory
 * @magic: AVOCET_IVSHMEM_MAGIC once the device serves; the device's
 * @version: AVOCET_IVSHMEM_VERSION; the device's
 * @taken: writes that have had their effect; the device's
 * @reserved0: 0
 * @raised: how often each bit of InterruptStatus was set; the device's
 * @registers: copy of the first registers; the device's
 * @written: writes that were posted; the driver's
 * @reserved1: 0
 * @writes: queue of writes; the driver's
 */
struct avocet_ivshmem {
	__u32 magic;
	__u32 version;
	__u32 taken;
	__u32 reserved0[13];
	__u32 raised[AVOCET_IVSHMEM_CAUSES];
	__u32 registers[AVOCET_IVSHMEM_REGISTERS];
	__u32 written;
	__u32 reserved1[15];
	struct avocet_ivshmem_write writes[AVOCET_IVSHMEM_WRITES];
};

#endif /* AVOCET_IVSHMEM_LAYOUT_H */
