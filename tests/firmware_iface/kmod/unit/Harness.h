/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A device with one context, for unit tests of the driver. Its firmware is the test's: it answers messages and ends
 * jobs as the test says.
 */
#ifndef AVOCET_TESTS_KMOD_UNIT_HARNESS_H
#define AVOCET_TESTS_KMOD_UNIT_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "avocet_accel.h"
#include "avocet_fw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits that the device states */
#define HARNESS_FINGERPRINT 0x1234567890abcdefull
#define HARNESS_MAX_REGIONS 16
#define HARNESS_DMA_CHANNELS 2
#define HARNESS_MAX_STREAM_WORDS 4096
#define HARNESS_RING_ADDRESS (1ull << 41)
#define HARNESS_FILES 2 /* open files; the context of the calls below is that of file 0 */

/* What the firmware does with the next messages. */
struct harness_firmware {
  uint32_t code;                                        /* of replies */
  uint32_t wrong_sequences, wrong_kinds, wrong_lengths; /* of so many replies */
  uint32_t lost_messages;                               /* no replies to so many */
  uint32_t lost_interrupts;                             /* replies without an interrupt */
  uint32_t failing_after;                               /* requests that succeed before `code` applies */
  bool lost_resets;                                     /* resets are not acknowledged */
  uint64_t cycles;                                      /* the device's counter */
  uint32_t last_owner;                                  /* of a context that was created */
  uint32_t requests[16];                                /* so far, by kind */
  struct avocet_fw_map last_map;
};

void harness_begin(struct harness_firmware *firmware);
void harness_end(void); /* ends all jobs and frees everything */

int harness_submit(struct avocet_submit *args);
int harness_wait(struct avocet_wait *args);
int harness_cancel(uint64_t job);
int harness_map(struct avocet_map *args);
int harness_unmap(uint64_t address);
int harness_mailbox(void); /* a request that has only a code for an answer */
int harness_create_context(int file, uint32_t owner, uint32_t *id);
int harness_destroy_context(int file, uint32_t id);
/* Another thread destroys a context of file 0, and frees it when the next reset or resume finds it, or has ended. */
void harness_free_context_late(uint32_t id);

/* The scheduler's thread, and the interrupt's thread */
void harness_schedule(void);
void harness_reap(void);
int harness_reset(void); /* the device forgets its rings, and gets them again */
void harness_suspend(void);
void harness_resume(void);
void harness_time_out(void); /* of the oldest job on the device */

/* The ring as the device sees it */
uint32_t harness_ring_tail(void);
const struct avocet_fw_job *harness_ring_entry(uint32_t number);
struct avocet_fw_completion *harness_record(const struct avocet_fw_job *job);
const void *harness_memory(uint64_t device_address, size_t bytes); /* NULL: not in ring and arena */

/* In-fences: the number that SUBMIT takes for it. */
int harness_make_fence(void);
void harness_signal_fence(int fence, int error);
int harness_fence_status(int fence);

/* Buffers: the number that MAP takes for it. `pieces` are (address, bytes). */
uint32_t harness_make_buffer(const uint64_t (*pieces)[2], size_t count, bool is_read_only);

int harness_buffer_references(uint32_t handle); /* of the driver */
bool harness_is_lost(void);
bool harness_is_detached(void); /* the bus was, from memory */
const char *harness_message(void);
uint64_t harness_now(void);
void harness_fail_allocation(int number); /* the `number`th from now; 0: none */
int harness_allocations(void);            /* that are not freed */

#ifdef __cplusplus
}
#endif

#endif /* AVOCET_TESTS_KMOD_UNIT_HARNESS_H */
