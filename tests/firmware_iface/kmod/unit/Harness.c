// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * The parts of the driver that the unit tests leave out, and the device (Harness.h).
 */
#include "Harness.h"

#include "avocet_drv.h"

#define MOST_FENCES 32
#define MOST_BUFFERS 8

static struct avocet_device *device;
static struct avocet_context *context;
static struct avocet_file *records[HARNESS_FILES];
static struct drm_file files[HARNESS_FILES];
static struct harness_firmware *firmware;
static struct dma_fence *fences[MOST_FENCES];
static struct sync_file sync_files[MOST_FENCES];
static int fence_count;
static struct avocet_bo buffers[MOST_BUFFERS];
static uint32_t buffer_count;
static bool answer_pending, is_detached;
static struct avocet_context *late_context;

/* Parts of the driver that need a booted kernel */

void avocet_file_put(struct avocet_file *record) { record->ref.count--; }

int avocet_pm_get(struct avocet_device *avocet) { return 0; }

void avocet_pm_put(struct avocet_device *avocet) {}

int avocet_enter(struct avocet_device *avocet, int *index) { return drm_dev_enter(&avocet->drm, index) ? 0 : -ENODEV; }

void avocet_exit(struct avocet_device *avocet, int index) {}

struct avocet_signals *avocet_signals_create(u32 capacity) { return unit_alloc(1); }
struct dma_fence *avocet_fence_create(struct avocet_device *avocet) {
  struct dma_fence *fence = unit_alloc(sizeof(*fence));
  if (fence)
    dma_fence_init(fence, NULL, NULL, 0, 0);
  return fence;
}

int avocet_signals_add(struct avocet_signals *signals, struct drm_file *from, const struct avocet_syncobj *point) {
  return -ENOENT; /* the harness has no synchronization objects */
}

void avocet_signals_attach(struct avocet_signals *signals, struct dma_fence *fence) {}

void avocet_signals_free(struct avocet_signals *signals) { unit_free(signals); }

/* Descriptors: numbers of fences */

struct sync_file *sync_file_create(struct dma_fence *fence) {
  struct sync_file *sync = &sync_files[fence_count];

  if (++unit_allocation == unit_fail_at)
    return NULL;
  *sync = (struct sync_file){.file = (struct file *)sync, .fence = dma_fence_get(fence)};
  return sync;
}

struct dma_fence *sync_file_get_fence(int fd) {
  return fd >= 0 && fd < fence_count && fences[fd] ? dma_fence_get(fences[fd]) : NULL;
}

int get_unused_fd_flags(uint flags) { return fence_count < MOST_FENCES ? fence_count : -EMFILE; }

void put_unused_fd(uint fd) {}

void fd_install(uint fd, struct file *installed) {
  fences[fd] = ((struct sync_file *)installed)->fence;
  fence_count++;
}

int harness_make_fence(void) {
  fences[fence_count] = unit_alloc(sizeof(struct dma_fence));
  dma_fence_init(fences[fence_count], NULL, NULL, 0, 0);
  return fence_count++;
}

void harness_signal_fence(int fence, int error) {
  if (error)
    dma_fence_set_error(fences[fence], error);
  dma_fence_signal(fences[fence]);
}

int harness_fence_status(int fence) { return dma_fence_get_status(fences[fence]); }

/* Buffers */

struct drm_gem_object *drm_gem_object_lookup(struct drm_file *from, u32 handle) {
  if (!handle || handle > buffer_count)
    return NULL;
  buffers[handle - 1].base.base.references++;
  return &buffers[handle - 1].base.base;
}

struct sg_table *drm_gem_shmem_get_pages_sgt(struct drm_gem_shmem_object *object) { return object->sgt; }

uint32_t harness_make_buffer(const uint64_t (*pieces)[2], size_t count, bool is_read_only) {
  struct avocet_bo *bo = &buffers[buffer_count];
  struct sg_table *table = calloc(1, sizeof(*table));
  size_t i;

  table->sgl = calloc(count, sizeof(*table->sgl));
  table->count = count;
  *bo = (struct avocet_bo){.is_read_only = is_read_only};
  for (i = 0; i < count; i++) {
    table->sgl[i] = (struct scatterlist){pieces[i][0], pieces[i][1]};
    bo->base.base.size += pieces[i][1];
  }
  bo->base.base.references = 1;
  bo->base.sgt = table;
  return ++buffer_count;
}

/* The device */

void *dmam_alloc_coherent(struct device *dev, size_t bytes, dma_addr_t *dma, gfp_t flags) {
  void *memory = calloc(1, bytes);

  *dma = (uintptr_t)memory;
  return memory;
}

void *dma_alloc_coherent(struct device *dev, size_t bytes, dma_addr_t *dma, gfp_t flags) {
  void *memory = unit_alloc(bytes);

  *dma = ALIGN((uintptr_t)memory, PAGE_SIZE); /* what the device is told is aligned */
  return memory;
}

static const struct avocet_fw_hello_reply hello = {
    .encoding_version = AVOCET_FW_ENCODING_VERSION,
    .target_fingerprint = HARNESS_FINGERPRINT,
    .clock_hz = 1000000,
    .dma_channels = HARNESS_DMA_CHANNELS,
    .max_contexts = 8,
    .max_rings = 8,
    .max_regions = HARNESS_MAX_REGIONS,
    .max_stream_words = HARNESS_MAX_STREAM_WORDS,
};

static void firmware_greet(void) {
  struct avocet_fw_message *in = device->mailbox_in, *out = device->mailbox_out;

  memcpy(out->body, &hello, sizeof(hello));
  out->kind = in->kind;
  out->sequence = in->sequence;
  out->bytes = sizeof(hello);
  out->state = AVOCET_MAILBOX_FULL;
  complete(&device->mailbox_answer);
}

static void firmware_answer(void) {
  struct avocet_fw_message *in = device->mailbox_in, *out = device->mailbox_out;
  struct avocet_fw_reply reply = {0};

  if (in->kind == AVOCET_MESSAGE_HELLO) {
    firmware_greet();
    return;
  }
  if (firmware->failing_after)
    firmware->failing_after--;
  else
    reply.code = firmware->code;
  memset(out->body, 0xee, sizeof(out->body));
  memcpy(out->body, &reply, sizeof(reply));
  out->kind = in->kind + (firmware->wrong_kinds ? 1 : 0);
  out->sequence = in->sequence + (firmware->wrong_sequences ? 1 : 0);
  out->bytes = sizeof(reply) + (firmware->wrong_lengths ? 8 : 0);
  firmware->wrong_kinds -= firmware->wrong_kinds ? 1 : 0;
  firmware->wrong_sequences -= firmware->wrong_sequences ? 1 : 0;
  firmware->wrong_lengths -= firmware->wrong_lengths ? 1 : 0;
  out->state = AVOCET_MAILBOX_FULL;
  if (firmware->lost_interrupts)
    firmware->lost_interrupts--;
  else
    complete(&device->mailbox_answer);
}

/* The device answers in the time that passes. */
void unit_pass(u64 ns) {
  unit_now_ns += ns;
  if (answer_pending) {
    answer_pending = false;
    firmware_answer();
  }
}

static u32 bus_read(struct avocet_bus *bus, u32 offset) {
  switch (offset) {
  case AVOCET_REG_MAGIC:
    return AVOCET_DEVICE_MAGIC;
  case AVOCET_REG_INTERFACE_VERSION:
    return AVOCET_FW_INTERFACE_MAJOR << 16;
  case AVOCET_REG_ENCODING_VERSION:
    return AVOCET_FW_ENCODING_VERSION;
  case AVOCET_REG_CONTROL:
    return firmware->lost_resets ? AVOCET_CONTROL_RESET : 0;
  case AVOCET_REG_CYCLE_COUNT_LOW:
    return lower_32_bits(firmware->cycles);
  case AVOCET_REG_CYCLE_COUNT_HIGH:
    return upper_32_bits(firmware->cycles);
  default:
    return 0;
  }
}

static bool bus_idle(struct avocet_bus *bus) { return true; }

static void bus_detach(struct avocet_bus *bus) { is_detached = true; }

static int bus_write(struct avocet_bus *bus, u32 offset, u32 value) {
  struct avocet_fw_message *in = device->mailbox_in;

  if (offset != AVOCET_REG_MAILBOX_BELL)
    return 0;
  unit_assert(in->state == AVOCET_MAILBOX_FULL);
  if (in->kind < 16)
    firmware->requests[in->kind]++;
  if (in->kind == AVOCET_MESSAGE_CREATE_CONTEXT)
    firmware->last_owner = ((struct avocet_fw_context *)in->body)->owner;
  if (in->kind == AVOCET_MESSAGE_MAP || in->kind == AVOCET_MESSAGE_UNMAP)
    memcpy(&firmware->last_map, in->body, sizeof(firmware->last_map));
  answer_pending = !firmware->lost_messages;
  firmware->lost_messages -= firmware->lost_messages ? 1 : 0;
  return 0;
}

static const struct avocet_bus_ops bus_ops = {
    .read = bus_read, .write = bus_write, .idle = bus_idle, .detach = bus_detach};
static struct avocet_bus bus = {.ops = &bus_ops};

static void files_begin(void) {
  int i;

  for (i = 0; i < HARNESS_FILES; i++) {
    records[i] = unit_alloc(sizeof(*records[i]));
    kref_init(&records[i]->ref);
    xa_init(&records[i]->contexts);
    records[i]->client = i;
    files[i] = (struct drm_file){.driver_priv = records[i]};
  }
}

int harness_create_context(int file, uint32_t owner, uint32_t *id) {
  struct avocet_context_create args = {.owner = owner};
  const int ret = avocet_ioctl_context_create(&device->drm, &args, &files[file]);

  *id = args.context;
  return ret;
}

int harness_destroy_context(int file, uint32_t id) {
  struct avocet_context_destroy args = {.context = id};

  return avocet_ioctl_context_destroy(&device->drm, &args, &files[file]);
}

void harness_begin(struct harness_firmware *with) {
  uint32_t id;

  firmware = with;
  device = calloc(1, sizeof(*device));
  device->bus = &bus;
  unit_message[0] = 0;
  unit_fail_at = 0;
  is_detached = false;
  firmware->cycles = 5000;
  unit_assert(avocet_device_prepare(device) == 0 && avocet_device_init(device) == 0);
  files_begin();
  unit_assert(harness_create_context(0, 0, &id) == 0 && id == 1);
  context = xa_load(&device->contexts, id);
  memset(firmware->requests, 0, sizeof(firmware->requests)); /* of the test itself */
}

/* As drv_close(). */
static void files_end(void) {
  struct avocet_context *of;
  unsigned long id;
  int i;

  for (i = 0; i < HARNESS_FILES; i++) {
    xa_for_each(&records[i]->contexts, id, of) {
      xa_erase(&records[i]->contexts, id);
      avocet_context_close(of);
    }
  }
  harness_schedule();
}

static void buffers_end(void) {
  while (buffer_count) {
    struct sg_table *table = buffers[--buffer_count].base.sgt;

    unit_assert(buffers[buffer_count].base.base.references == 1);
    free(table->sgl);
    free(table);
  }
}

void harness_end(void) {
  int i;

  unit_fail_at = 0;
  files_end();
  device->drm.is_unplugged = true;
  avocet_device_stop(device);
  harness_schedule();
  avocet_sched_fini(device);
  while (fence_count)
    dma_fence_put(fences[--fence_count]);
  buffers_end();
  unit_assert(xa_empty(&device->contexts) && !device->drm.references);
  for (i = 0; i < HARNESS_FILES; i++) {
    unit_assert(records[i]->ref.count == 1);
    unit_free(records[i]);
  }
  free(device->mailbox_in);
  free(device->mailbox_out);
  free(device);
}

/* Calls */

int harness_submit(struct avocet_submit *args) { return avocet_ioctl_submit(&device->drm, args, &files[0]); }

int harness_wait(struct avocet_wait *args) { return avocet_ioctl_wait(&device->drm, args, &files[0]); }

int harness_cancel(uint64_t job) {
  struct avocet_cancel args = {.context = 1, .job = job};

  return avocet_ioctl_cancel(&device->drm, &args, &files[0]);
}

int harness_map(struct avocet_map *args) { return avocet_ioctl_map(&device->drm, args, &files[0]); }

int harness_unmap(uint64_t address) {
  struct avocet_unmap args = {.context = 1, .device_address = address};

  return avocet_ioctl_unmap(&device->drm, &args, &files[0]);
}

int harness_mailbox(void) {
  const struct avocet_fw_context request = {.context = 9};

  return avocet_mailbox_request(device, AVOCET_MESSAGE_DESTROY_CONTEXT, &request, sizeof(request));
}

void harness_schedule(void) { unit_schedule(&device->sched); }

void harness_reap(void) { avocet_sched_reap(context); }

void harness_time_out(void) { unit_time_out(&device->sched); }

int harness_reset(void) {
  const int ret = avocet_device_reset(device);

  unit_switch();
  return ret;
}

void harness_suspend(void) { avocet_device_suspend(device); }

void harness_resume(void) {
  avocet_device_resume(device);
  unit_switch();
}

bool harness_is_detached(void) { return is_detached; }

static void put_late_context(void) { avocet_context_put(late_context); }

void harness_free_context_late(uint32_t id) {
  late_context = xa_load(&records[0]->contexts, id);
  kref_get(&late_context->ref);
  unit_assert(harness_destroy_context(0, id) == 0);
  unit_other_thread = put_late_context;
}

/* The ring */

uint32_t harness_ring_tail(void) { return context->ring->tail; }

const struct avocet_fw_job *harness_ring_entry(uint32_t number) {
  return (const struct avocet_fw_job *)(context->ring + 1) + number % AVOCET_QUEUE_DEPTH;
}

const void *harness_memory(uint64_t device_address, size_t bytes) {
  const uint64_t offset = device_address - AVOCET_RING_ADDRESS;

  return device_address >= AVOCET_RING_ADDRESS && offset < context->bytes && bytes <= context->bytes - offset
             ? (const uint8_t *)context->ring + offset
             : NULL;
}

struct avocet_fw_completion *harness_record(const struct avocet_fw_job *job) {
  return (struct avocet_fw_completion *)harness_memory(job->completion, sizeof(struct avocet_fw_completion));
}

int harness_buffer_references(uint32_t handle) { return buffers[handle - 1].base.base.references - 1; }

bool harness_is_lost(void) { return device->lost; }

const char *harness_message(void) { return unit_message; }

uint64_t harness_now(void) { return unit_now_ns; }

void harness_fail_allocation(int number) { unit_fail_at = number ? unit_allocation + number : 0; }

int harness_allocations(void) { return unit_allocations; }
