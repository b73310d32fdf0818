/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Avocet: user-space interface of the kernel driver (a DRM/accel driver, /dev/accel/accelN).
 *
 * Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
 *
 * A program that runs one job:
 *
 *	fd = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, AVOCET_IOCTL_GET_PARAM, &param);		interface version, target, limits
 *	ioctl(fd, AVOCET_IOCTL_CONTEXT_CREATE, &context);	an address space and a queue
 *	ioctl(fd, AVOCET_IOCTL_BO_CREATE, &bo);			memory (or PRIME_FD_TO_HANDLE for a dma-buf)
 *	ptr = mmap(NULL, bo.size, ..., fd, bo.mmap_offset);	the host fills in streams and data
 *	ioctl(fd, AVOCET_IOCTL_MAP, &map);			a device address in the context
 *	ioctl(fd, AVOCET_IOCTL_SUBMIT, &submit);		streams and regions by device address
 *	ioctl(fd, AVOCET_IOCTL_WAIT, &wait);			how it ended, what it cost
 *
 * Rules that hold for every call. Reserved fields, unknown flag bits and padding must be zero (EINVAL). Pointers travel as
 * __u64. A failed call has no effect except those that its comment states. Unknown handles give ENOENT. When the device is lost,
 * every call but RESET, CONTEXT_DESTROY and closing gives ENODEV. GET_PARAM returns the limits of sizes and counts.
 * Structs only ever grow at their end: missing fields in a shorter struct of an older program read as zeroes.
 */
#ifndef AVOCET_ACCEL_H
#define AVOCET_ACCEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define AVOCET_UAPI_MAJOR 1
/*
 * 1: owners, arrival_cycle, resets that keep jobs which did not run; 2: CANCEL, BO_IMPORT, fault_section;
 * 3: synchronization objects in SUBMIT, AVOCET_QUERY_COUNTERS; 4: index, index_extent, index_layer
 */
#define AVOCET_UAPI_MINOR 4

/* Unit of buffer sizes and of mappings. */
#define AVOCET_PAGE_BYTES 4096

/* Engines, as in struct avocet_stream. */
#define AVOCET_ENGINE_MAC 0
#define AVOCET_ENGINE_DSP 1
#define AVOCET_ENGINE_DMA 2

/* Parameters that GET_PARAM reads. */
#define AVOCET_PARAM_INTERFACE_VERSION 0  /* of device and firmware: major << 16 | minor */
#define AVOCET_PARAM_ENCODING_VERSION 1   /* of the command streams that the device accepts */
#define AVOCET_PARAM_TARGET_FINGERPRINT 2 /* jobs for any other value are refused */
#define AVOCET_PARAM_CLOCK_HZ 3
#define AVOCET_PARAM_SRAM_BYTES 4
#define AVOCET_PARAM_DMA_CHANNELS 5
#define AVOCET_PARAM_SEMAPHORES 6       /* per job */
#define AVOCET_PARAM_MAX_CONTEXTS 7     /* per open file */
#define AVOCET_PARAM_MAX_REGIONS 8      /* per job */
#define AVOCET_PARAM_MAX_STREAM_WORDS 9 /* of all streams of a job together */
#define AVOCET_PARAM_MAX_PRIORITY 10
#define AVOCET_PARAM_QUEUE_DEPTH 11     /* jobs of one context that may be waiting */
#define AVOCET_PARAM_WATCHDOG_CYCLES 12 /* most cycles between yields of a job without a limit */
#define AVOCET_PARAM_FEATURES 13        /* AVOCET_FEATURE_ bits */

#define AVOCET_FEATURE_PREEMPTION (1u << 0)      /* jobs can be preempted at yield points */
#define AVOCET_FEATURE_DEADLINES (1u << 1)       /* deadline_ns is honored */
#define AVOCET_FEATURE_COMMAND_TRACE (1u << 2)   /* a per-command trace can be recorded */
#define AVOCET_FEATURE_ENERGY_COUNTERS (1u << 3) /* energy_picojoules is filled in */
#define AVOCET_FEATURE_TIMING_OFF (1u << 4)      /* cycles are not counted */
#define AVOCET_FEATURE_FUNCTIONAL_OFF (1u << 5)  /* data is not computed */

/* One number about the device. EINVAL: no such parameter. */
struct avocet_get_param {
	__u32 param; /* in: AVOCET_PARAM_ */
	__u32 pad;
	__u64 value; /* out */
};

/* A private device address space with a job queue. ENOSPC: no context is left. */
struct avocet_context_create {
	__u32 flags; /* in: 0 */
	__u32 context; /* out: never 0 */
	__u32 owner; /* in: number of the owner among the clients of this file; 0: the file itself. Owners share fairly */
	__u32 pad;
};

/*
 * Ends the context's running job at its next yield point, cancels its queued ones and drops its mappings. Closing the
 * file does the same.
 */
struct avocet_context_destroy {
	__u32 context; /* in */
	__u32 pad;
};

/* Memory that host and device share, zero-filled. ENOMEM, EINVAL: size 0. */
struct avocet_bo_create {
	__u64 size; /* in: bytes; out: rounded up to pages */
	__u32 flags; /* in: 0 */
	__u32 handle; /* out: GEM handle; close with DRM_IOCTL_GEM_CLOSE, share with PRIME_HANDLE_TO_FD */
	__u64 mmap_offset; /* out: offset for mmap on the device file */
};

/* Properties of a buffer, among them the size of an imported dma-buf. */
struct avocet_bo_info {
	__u32 handle; /* in */
	__u32 flags; /* out: AVOCET_BO_ bits */
	__u64 size; /* out: bytes */
	__u64 mmap_offset; /* out: offset for mmap, 0 for imported buffers (map the dma-buf itself) */
};

#define AVOCET_BO_IMPORTED (1u << 0) /* not by BO_CREATE */
#define AVOCET_BO_READ_ONLY (1u << 1) /* the device may only ever read it */

/*
 * A buffer of the caller's own memory, such as a mapped memory file, without a copy. The pages stay in memory until the
 * buffer is freed, also after munmap, and count towards RLIMIT_MEMLOCK (ENOMEM). EFAULT: the range is not mapped, or
 * not writable without AVOCET_BO_READ_ONLY.
 */
struct avocet_bo_import {
	__u64 address; /* in: of the first byte, a multiple of AVOCET_PAGE_BYTES */
	__u64 size; /* in: bytes, a multiple of AVOCET_PAGE_BYTES, at most 4 GiB */
	__u32 flags; /* in: AVOCET_BO_READ_ONLY or 0 */
	__u32 handle; /* out: GEM handle; cannot be shared or mapped */
};

/* Permitted accesses of the device to mapped or bound memory. */
#define AVOCET_ACCESS_READ (1u << 0)
#define AVOCET_ACCESS_WRITE (1u << 1)

/* Makes a whole buffer visible in a context. ENOSPC: address space is full. EACCES: write access to a read-only buffer. */
struct avocet_map {
	__u32 context; /* in */
	__u32 handle; /* in */
	__u32 access; /* in: AVOCET_ACCESS_ bits, not 0 */
	__u32 pad;
	__u64 device_address; /* out: a multiple of AVOCET_PAGE_BYTES, never 0 */
};

/* Ends a mapping. A job that still uses it faults. EINVAL: no mapping starts there. */
struct avocet_unmap {
	__u32 context; /* in */
	__u32 pad;
	__u64 device_address; /* in: as MAP returned it */
};

/* The commands of one engine. */
struct avocet_stream {
	__u32 engine_kind; /* AVOCET_ENGINE_ */
	__u32 engine_index; /* channel for DMA, else 0 */
	__u64 device_address; /* of the first word, a multiple of 4 */
	__u32 words; /* length in 32-bit words */
	__u32 section; /* of the control program; 0 without one */
};

/* Region n of the job: the memory of region number n + 1 in a command's DMA ends. */
struct avocet_region {
	__u64 device_address;
	__u64 size; /* bytes */
	__u32 access; /* AVOCET_ACCESS_ bits */
	__u32 pad;
};

/* A synchronization object (DRM_IOCTL_SYNCOBJ_CREATE) in a submission. */
struct avocet_syncobj {
	__u32 handle;
	__u32 flags; /* one AVOCET_SYNCOBJ_ bit */
	__u64 point; /* on its timeline, or 0: a binary object */
};

#define AVOCET_SYNCOBJ_WAIT (1u << 0) /* the job waits for it; EINVAL: nothing was submitted that will signal it */
#define AVOCET_SYNCOBJ_SIGNAL (1u << 1) /* it signals when the job has ended */

#define AVOCET_SUBMIT_OUT_FENCE (1u << 0) /* make a sync_file that signals when the job has ended */

/*
 * Queues a job, which starts after its fences have signaled. A fence that signals an error, or whose job faulted, ends
 * this job with "dependency_failed"; the error of a timeline's point counts if the point has not signaled before the
 * call. A job whose deadline passes ends with "deadline_missed": without running, or at its next yield point. Jobs of one
 * context end in the order in which they were queued. The buffers of streams and regions stay alive until the job has
 * ended. EINVAL: a rule above or a limit is broken, or an address lies in the driver's own range, which begins at 2^41;
 * EPROTO: encoding version or fingerprint differs from the device's; EAGAIN: the queue is full.
 */
struct avocet_submit {
	__u32 context; /* in */
	__u32 flags; /* in: AVOCET_SUBMIT_ bits */
	__u64 streams; /* in: pointer to stream_count struct avocet_stream, in each section at most one per engine */
	__u64 regions; /* in: pointer to region_count struct avocet_region */
	__u64 in_fences; /* in: pointer to in_fence_count __s32 sync_file descriptors, all awaited before the start */
	__u32 stream_count; /* in: 1 or more */
	__u32 region_count; /* in */
	__u32 in_fence_count; /* in: at most 16 */
	__u32 priority; /* in: 0 to AVOCET_PARAM_MAX_PRIORITY, higher runs first */
	__u64 deadline_ns; /* in: CLOCK_MONOTONIC, or 0: none */
	__u64 watchdog_cycles; /* in: longest run of a section, or 0: the device watches yields */
	__u64 target_fingerprint; /* in: of the target that the streams were made for */
	__u32 encoding_version; /* in: of the streams */
	__s32 out_fence; /* out: descriptor with AVOCET_SUBMIT_OUT_FENCE, else -1 */
	__u64 user_data; /* in: repeated in traces */
	__u64 job; /* out: number of the job, never 0, never used again */
	__u64 control_program; /* in: device address of its words, or 0: section 0 runs once */
	__u32 control_words; /* in: 0 without a control program */
	__u32 pad;
	__u64 loop_timeout_ns; /* in: longest run of a loop in device time, or 0: the device's default */
	__u64 syncobjs; /* in: pointer to syncobj_count struct avocet_syncobj */
	__u32 syncobj_count; /* in: at most 32 */
	__u32 pad2;
};

/* Causes in stall_cycles. */
#define AVOCET_STALL_SEMAPHORE 0
#define AVOCET_STALL_SRAM_PORT 1
#define AVOCET_STALL_DRAM_PORT 2
#define AVOCET_STALL_LATENCY 3
#define AVOCET_STALL_FRONT_END 4

#define AVOCET_NUM_ENGINE_KINDS 3
#define AVOCET_NUM_STALL_CAUSES 5

/* Counters of a job; zero where the device does not count. */
struct avocet_counters {
	__u64 cycles; /* from start to end, without preempted time */
	__u64 busy_cycles[AVOCET_NUM_ENGINE_KINDS];
	__u64 stall_cycles[AVOCET_NUM_ENGINE_KINDS][AVOCET_NUM_STALL_CAUSES];
	__u64 sram_read_bytes;
	__u64 sram_write_bytes;
	__u64 dram_read_bytes;
	__u64 dram_write_bytes;
	__u64 macs;
	__u64 dsp_operations;
	__u64 commands;
	__u64 energy_picojoules;
};

#define AVOCET_JOB_PENDING 0 /* not ended */
#define AVOCET_JOB_COMPLETE 1
#define AVOCET_JOB_FAULTED 2

/*
 * Waits until a job has ended. ETIMEDOUT leaves it running. The outcomes of a context's last 256 jobs are kept; older ones give
 * ENOENT. After EINTR the call may be repeated unchanged, because the timeout is a point in time.
 */
struct avocet_wait {
	__u32 context; /* in */
	__u32 pad;
	__u64 job; /* in */
	__s64 timeout_ns; /* in: CLOCK_MONOTONIC; 0: do not wait; negative: for ever */
	__u32 state; /* out: AVOCET_JOB_ */
	__u32 fault_code; /* out: number of a fault code, 0 unless faulted */
	__u32 fault_engine_kind; /* out: AVOCET_ENGINE_, or ~0: the job as a whole */
	__u32 fault_engine_index; /* out: or ~0 */
	__u32 fault_command; /* out: index in the engine's stream, or ~0 */
	__u32 fault_layer; /* out: layer of that command, or ~0 */
	__u32 fault_region; /* out: region number of the bad access, 0: on-chip memory, ~0: none */
	__u32 pad2;
	__u64 fault_address; /* out: offset in fault_region, or device address of a page fault */
	__u64 start_cycle; /* out: device cycle */
	__u64 end_cycle; /* out: device cycle */
	struct avocet_counters counters; /* out */
	__u64 arrival_cycle; /* out: device cycle by which the job was on the device and its fences had signaled */
	__u32 fault_section; /* out: section of the stream that fault_command counts in */
	__u32 pad3;
	__s64 index; /* out: the first index in the job's data that was out of range, if index_extent is not 0 */
	__u32 index_extent; /* out: it must be from 0 to below this; 0: all indices were in range */
	__u32 index_layer; /* out: layer of the command that read it, or ~0 */
};

/*
 * Ends a job, at its next yield point if it is running: it faults with "cancelled", without its fences if it waits for
 * them. Nothing happens to a job that has ended. Does not wait.
 */
struct avocet_cancel {
	__u32 context; /* in */
	__u32 pad;
	__u64 job; /* in */
};

/*
 * Ends the running job with the fault "device_reset" and brings a lost device back. All other jobs stay queued and run
 * afterwards, suspended ones from their start. EPERM: the caller lacks the privilege.
 */
struct avocet_reset {
	__u32 flags; /* in: 0 */
	__u32 pad;
};

#define AVOCET_QUERY_TARGET_NAME 0 /* zero-terminated text */
#define AVOCET_QUERY_COUNTERS 2    /* struct avocet_counters: sum over all jobs of this open file that have ended */

/*
 * Reads data of any length. Call with size 0 to get the size; ENOSPC: the buffer is shorter; EINVAL: no such data. The
 * device's description as text (number 1 up to minor version 2) is not among them: the firmware has no message for it.
 */
struct avocet_query {
	__u32 what; /* in: AVOCET_QUERY_ */
	__u32 pad;
	__u64 data; /* in: pointer to size bytes */
	__u64 size; /* in: of the buffer; out: of the result */
};

/* 'd' and 0x40 are DRM_IOCTL_BASE and DRM_COMMAND_BASE of <drm/drm.h>, repeated to avoid a dependency on libdrm. */
#define AVOCET_IOWR(n, type) _IOWR('d', 0x40 + (n), type)

#define AVOCET_IOCTL_GET_PARAM AVOCET_IOWR(0x00, struct avocet_get_param)
#define AVOCET_IOCTL_CONTEXT_CREATE AVOCET_IOWR(0x01, struct avocet_context_create)
#define AVOCET_IOCTL_CONTEXT_DESTROY AVOCET_IOWR(0x02, struct avocet_context_destroy)
#define AVOCET_IOCTL_BO_CREATE AVOCET_IOWR(0x03, struct avocet_bo_create)
#define AVOCET_IOCTL_BO_INFO AVOCET_IOWR(0x04, struct avocet_bo_info)
#define AVOCET_IOCTL_MAP AVOCET_IOWR(0x05, struct avocet_map)
#define AVOCET_IOCTL_UNMAP AVOCET_IOWR(0x06, struct avocet_unmap)
#define AVOCET_IOCTL_SUBMIT AVOCET_IOWR(0x07, struct avocet_submit)
#define AVOCET_IOCTL_WAIT AVOCET_IOWR(0x08, struct avocet_wait)
#define AVOCET_IOCTL_RESET AVOCET_IOWR(0x09, struct avocet_reset)
#define AVOCET_IOCTL_QUERY AVOCET_IOWR(0x0a, struct avocet_query)
#define AVOCET_IOCTL_CANCEL AVOCET_IOWR(0x0b, struct avocet_cancel)
#define AVOCET_IOCTL_BO_IMPORT AVOCET_IOWR(0x0c, struct avocet_bo_import)

#if defined(__cplusplus)
}
#endif

#endif /* AVOCET_ACCEL_H */
