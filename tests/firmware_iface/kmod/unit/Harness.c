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
static struct avocet_file file_record;
static struct drm_file file;
static struct harness_firmware *firmware;
static struct dma_fence *fences[MOST_FENCES];
static struct sync_file sync_files[MOST_FENCES];
static int fence_count;
static struct avocet_bo buffers[MOST_BUFFERS];
static uint32_t buffer_count;
static uint8_t *ring_memory;
static size_t ring_bytes;
static bool answer_pending;

/* Parts of the driver that need a booted kernel */

struct avocet_context *avocet_context_get(struct drm_file *from, u32 id) {
  if (id != context->id)
    return NULL;
  kref_get(&context->ref);
  return context;
}

void avocet_context_put(struct avocet_context *of) {
  of->ref.count--;
  unit_assert(of->ref.count > 0);
}

void avocet_device_lose(struct avocet_device *avocet) {
  if (avocet->lost)
    return;
  avocet->lost = true;
  avocet_sched_end_all(context, AVOCET_FAULT_HARDWARE_ERROR);
}

void avocet_device_reap(struct avocet_device *avocet) { avocet_sched_reap(context); }

int avocet_device_reset(struct avocet_device *avocet) {
  avocet_sched_reap(context);
  avocet->lost = false;
  avocet_sched_refill(context);
  return 0;
}

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
  return -ENOENT; /* the harness has no synchronisation objects */
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

static void firmware_answer(void) {
  struct avocet_fw_message *in = device->mailbox_in, *out = device->mailbox_out;
  struct avocet_fw_reply reply = {0};

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

static u32 bus_read(struct avocet_bus *bus, u32 offset) { return offset == AVOCET_REG_CYCLE_COUNT_LOW ? 5000 : 0; }

static int bus_write(struct avocet_bus *bus, u32 offset, u32 value) {
  struct avocet_fw_message *in = device->mailbox_in;

  if (offset != AVOCET_REG_MAILBOX_BELL)
    return 0;
  unit_assert(in->state == AVOCET_MAILBOX_FULL);
  if (in->kind < 16)
    firmware->requests[in->kind]++;
  if (in->kind == AVOCET_MESSAGE_MAP || in->kind == AVOCET_MESSAGE_UNMAP)
    memcpy(&firmware->last_map, in->body, sizeof(firmware->last_map));
  answer_pending = !firmware->lost_messages;
  firmware->lost_messages -= firmware->lost_messages ? 1 : 0;
  return 0;
}

static const struct avocet_bus_ops bus_ops = {.read = bus_read, .write = bus_write};
static struct avocet_bus bus = {.ops = &bus_ops};

static void context_begin(void) {
  context = calloc(1, sizeof(*context));
  context->avocet = device;
  context->id = 1;
  context->file = &file_record;
  kref_init(&context->ref);
  INIT_LIST_HEAD(&context->waiting);
  INIT_LIST_HEAD(&context->in_flight);
  context->entity.sched = &device->sched;
  drm_mm_init(&context->addresses, AVOCET_FIRST_ADDRESS, AVOCET_LAST_ADDRESS - AVOCET_FIRST_ADDRESS);
  ring_bytes = PAGE_ALIGN(sizeof(*context->ring) + AVOCET_QUEUE_DEPTH * sizeof(struct avocet_fw_job));
  drm_mm_init(&context->space, ring_bytes, AVOCET_ARENA_BYTES);
  ring_bytes += AVOCET_ARENA_BYTES;
  ring_memory = calloc(1, ring_bytes);
  context->ring = (void *)ring_memory;
  context->log = calloc(AVOCET_LOG_ENTRIES, sizeof(*context->log));
}

void harness_begin(struct harness_firmware *with) {
  firmware = with;
  device = calloc(1, sizeof(*device));
  device->bus = &bus;
  device->hello = (struct avocet_fw_hello_reply){
      .encoding_version = AVOCET_FW_ENCODING_VERSION,
      .target_fingerprint = HARNESS_FINGERPRINT,
      .clock_hz = 1000000,
      .dma_channels = HARNESS_DMA_CHANNELS,
      .max_regions = HARNESS_MAX_REGIONS,
      .max_stream_words = HARNESS_MAX_STREAM_WORDS,
  };
  unit_assert(avocet_sched_init(device) == 0);
  unit_assert(avocet_mailbox_init(device) == 0);
  avocet_usage_init(device);
  context_begin();
  file = (struct drm_file){.driver_priv = &file_record};
  unit_message[0] = 0;
  unit_fail_at = 0;
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
  unit_fail_at = 0;
  avocet_sched_cancel_all(context);
  harness_schedule();
  avocet_sched_end_all(context, AVOCET_FAULT_CANCELLED);
  harness_schedule();
  avocet_map_free_all(context);
  while (fence_count)
    dma_fence_put(fences[--fence_count]);
  buffers_end();
  avocet_sched_fini(device);
  unit_assert(context->ref.count == 1 && !context->space.first && !context->queued);
  free(device->mailbox_in);
  free(device->mailbox_out);
  free(context->log);
  free(ring_memory);
  free(context);
  free(device);
}

/* Calls */

int harness_submit(struct avocet_submit *args) { return avocet_ioctl_submit(&device->drm, args, &file); }

int harness_wait(struct avocet_wait *args) { return avocet_ioctl_wait(&device->drm, args, &file); }

int harness_cancel(uint64_t job) {
  struct avocet_cancel args = {.context = 1, .job = job};

  return avocet_ioctl_cancel(&device->drm, &args, &file);
}

int harness_map(struct avocet_map *args) { return avocet_ioctl_map(&device->drm, args, &file); }

int harness_unmap(uint64_t address) {
  struct avocet_unmap args = {.context = 1, .device_address = address};

  return avocet_ioctl_unmap(&device->drm, &args, &file);
}

int harness_mailbox(void) {
  const struct avocet_fw_context request = {.context = 9};

  return avocet_mailbox_request(device, AVOCET_MESSAGE_DESTROY_CONTEXT, &request, sizeof(request));
}

void harness_schedule(void) { unit_schedule(&device->sched); }

void harness_reap(void) { avocet_sched_reap(context); }

void harness_time_out(void) { unit_time_out(&device->sched); }

void harness_reset(void) { avocet_device_reset(device); }

/* The ring */

uint32_t harness_ring_tail(void) { return context->ring->tail; }

const struct avocet_fw_job *harness_ring_entry(uint32_t number) {
  return (const struct avocet_fw_job *)(context->ring + 1) + number % AVOCET_QUEUE_DEPTH;
}

const void *harness_memory(uint64_t device_address, size_t bytes) {
  const uint64_t offset = device_address - AVOCET_RING_ADDRESS;

  return device_address >= AVOCET_RING_ADDRESS && offset < ring_bytes && bytes <= ring_bytes - offset
             ? ring_memory + offset
             : NULL;
}

struct avocet_fw_completion *harness_record(const struct avocet_fw_job *job) {
  return (struct avocet_fw_completion *)harness_memory(job->completion, sizeof(struct avocet_fw_completion));
}

bool harness_is_lost(void) { return device->lost; }

const char *harness_message(void) { return unit_message; }

uint64_t harness_now(void) { return unit_now_ns; }

void harness_fail_allocation(int number) { unit_fail_at = number ? unit_allocation + number : 0; }

int harness_allocations(void) { return unit_allocations; }
