/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/*
 * Registers, mailbox messages and job rings of the device, in C. The meaning of every field is in
 * Registers.h, Mailbox.h and JobRing.h of firmware_iface; lib/KernelAgreement.cpp does not compile
 * if the two differ.
 */
#ifndef AVOCET_FW_H
#define AVOCET_FW_H

#include <linux/types.h>

#include "avocet_accel.h"

#define AVOCET_FW_INTERFACE_MAJOR 1
#define AVOCET_FW_INTERFACE_MINOR 3
#define AVOCET_FW_ENCODING_VERSION 5

#define AVOCET_REG_MAGIC 0x000
#define AVOCET_REG_INTERFACE_VERSION 0x004
#define AVOCET_REG_ENCODING_VERSION 0x008
#define AVOCET_REG_CONTROL 0x014
#define AVOCET_REG_STATUS 0x018
#define AVOCET_REG_INTERRUPT_STATUS 0x01c
#define AVOCET_REG_INTERRUPT_ENABLE 0x020
#define AVOCET_REG_INTERRUPT_CLEAR 0x024
#define AVOCET_REG_MAILBOX_IN_LOW 0x030
#define AVOCET_REG_MAILBOX_IN_HIGH 0x034
#define AVOCET_REG_MAILBOX_OUT_LOW 0x038
#define AVOCET_REG_MAILBOX_OUT_HIGH 0x03c
#define AVOCET_REG_MAILBOX_BELL 0x040
#define AVOCET_REG_RING_BELL 0x044
#define AVOCET_REG_CYCLE_COUNT_LOW 0x050
#define AVOCET_REG_CYCLE_COUNT_HIGH 0x054
#define AVOCET_REG_BYTES 0x1000

#define AVOCET_DEVICE_MAGIC 0x434f5641u

#define AVOCET_CONTROL_RUN 0x1
#define AVOCET_CONTROL_RESET 0x2

#define AVOCET_INTERRUPT_MAILBOX 0x1
#define AVOCET_INTERRUPT_COMPLETION 0x2
#define AVOCET_INTERRUPT_ERROR 0x4

#define AVOCET_MAILBOX_EMPTY 0
#define AVOCET_MAILBOX_FULL 1

#define AVOCET_MESSAGE_HELLO 1
#define AVOCET_MESSAGE_CREATE_CONTEXT 2
#define AVOCET_MESSAGE_DESTROY_CONTEXT 3
#define AVOCET_MESSAGE_MAP 4
#define AVOCET_MESSAGE_UNMAP 5
#define AVOCET_MESSAGE_CREATE_RING 6
#define AVOCET_MESSAGE_DESTROY_RING 7
#define AVOCET_MESSAGE_CANCEL 8

#define AVOCET_REPLY_OK 0
#define AVOCET_REPLY_OUT_OF_CONTEXTS 5
#define AVOCET_REPLY_OUT_OF_MAPPINGS 6
#define AVOCET_REPLY_NO_SUCH_JOB 9

struct avocet_fw_message {
	__u32 state;
	__u32 kind;
	__u32 bytes;
	__u32 sequence;
	__u8 body[240];
};

struct avocet_fw_hello {
	__u32 min_interface_version;
	__u32 max_interface_version;
	__u32 encoding_version;
	__u32 reserved;
};

struct avocet_fw_hello_reply {
	__u32 code;
	__u32 interface_version;
	__u32 encoding_version;
	__u32 features;
	__u64 target_fingerprint;
	__u64 clock_hz;
	__u64 sram_bytes;
	__u32 dma_channels;
	__u32 semaphores;
	__u32 max_contexts;
	__u32 max_rings;
	__u32 max_regions;
	__u32 max_stream_words;
	__u64 watchdog_cycles;
	char target_name[32];
};

struct avocet_fw_reply {
	__u32 code;
	__u32 reserved[3];
};

struct avocet_fw_context {
	__u32 context;
	__u32 owner;
	__u32 reserved[2];
};

struct avocet_fw_map {
	__u32 context;
	__u32 access;
	__u64 device_address;
	__u64 system_address;
	__u64 bytes;
};

struct avocet_fw_ring {
	__u32 context;
	__u32 ring;
	__u64 address;
	__u32 entries;
	__u32 reserved;
};

struct avocet_fw_cancel {
	__u32 context;
	__u32 ring;
	__u64 sequence;
};

#define AVOCET_RING_MAGIC 0x52564f41u
#define AVOCET_MAX_JOB_STREAMS 4096
#define AVOCET_MAX_REGIONS 1024
#define AVOCET_MAX_SECTIONS 1024
#define AVOCET_MAX_DMA_CHANNELS 64
#define AVOCET_MAX_PRIORITY 7
#define AVOCET_TABLE_ALIGNMENT 8

struct avocet_fw_ring_header {
	__u32 magic;
	__u32 entries;
	__u32 entry_bytes;
	__u32 tail;
	__u32 reserved0[12];
	__u32 head;
	__u32 reserved1[15];
};

struct avocet_fw_job {
	__u64 sequence;
	__u32 context;
	__u32 priority;
	__u64 deadline_ns;
	__u64 watchdog_cycles;
	__u64 target_fingerprint;
	__u32 encoding_version;
	__u32 flags;
	__u64 stream_table;
	__u64 region_table;
	__u32 stream_count;
	__u32 region_count;
	__u64 completion;
	__u64 user_data;
	__u64 control_program;
	__u32 control_words;
	__u32 dependency_count;
	__u64 loop_timeout_ns;
	__u64 dependency_table;
	__u64 reserved;
};

struct avocet_fw_completion {
	__u32 state;
	__u32 fault_code;
	__u64 sequence;
	__u64 user_data;
	__u32 fault_engine_kind;
	__u32 fault_engine_index;
	__u32 fault_command;
	__u32 fault_layer;
	__u32 fault_region;
	__u32 fault_section;
	__u64 fault_address;
	__u64 start_cycle;
	__u64 end_cycle;
	struct avocet_counters counters;
	__u64 arrival_cycle;
	__u32 index_extent;
	__u32 index_layer;
	__s64 index;
};

#define AVOCET_FAULT_NONE 0
#define AVOCET_FAULT_DEADLINE_MISSED 14
#define AVOCET_FAULT_CANCELLED 15
#define AVOCET_FAULT_DEVICE_RESET 16
#define AVOCET_FAULT_HARDWARE_ERROR 17
#define AVOCET_FAULT_DEPENDENCY_FAILED 19

#endif /* AVOCET_FW_H */
