//===- Compat32.c - A 32-bit client of the kernel driver ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one job that copies bytes, from a 32-bit process. It uses no library, so that no 32-bit one must be installed.
//
//   compat32 NODE BYTES SIZES WORDS    hexadecimal: bytes to copy; sizes of the structures in a 64-bit program, and the
//                                      words of the job's stream, each as 8 digits
//
// The exit code is 0, or the number of the step that failed.
//
//===----------------------------------------------------------------------===//

#include "avocet_accel.h"

#define O_RDWR 2
#define PROT_READ_WRITE 3
#define MAP_SHARED 1
#define PAGE_SHIFT 12

enum { kExit = 1, kOpen = 5, kIoctl = 54, kMmap2 = 192 };

struct buffer {
  __u32 handle;
  __u8 *memory;
  __u64 address;
};

static int device;

void *memset(void *to, int value, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}

static long systemCall(long number, long a, long b, long c, long d, long e) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
  return result;
}

/// mmap2() has its sixth argument in a register that compilers keep for themselves.
static void *mapPages(unsigned long bytes, __u64 offset) {
  const long arguments[2] = {kMmap2, (long)(offset >> PAGE_SHIFT)};
  long result;
  __asm__ volatile("push %%ebp; mov 4(%%eax), %%ebp; mov (%%eax), %%eax; int $0x80; pop %%ebp"
                   : "=a"(result)
                   : "a"(arguments), "b"(0), "c"(bytes), "d"(PROT_READ_WRITE), "S"(MAP_SHARED), "D"(device)
                   : "memory");
  return (unsigned long)result > -4096ul ? 0 : (void *)result;
}

static void require(int condition, int step) {
  if (!condition)
    systemCall(kExit, step, 0, 0, 0, 0);
}

static void call(unsigned long request, void *argument, int step) {
  require(systemCall(kIoctl, device, (long)request, (long)argument, 0, 0) == 0, step);
}

static __u32 parseWord(const char **text) {
  __u32 word = 0;
  for (int digit = 0; digit < 8; ++digit, ++*text)
    word = word << 4 | (__u32)(**text <= '9' ? **text - '0' : **text - 'a' + 10);
  return word;
}

static void checkSizes(const char *sizes) {
  const unsigned long own[] = {
      sizeof(struct avocet_get_param), sizeof(struct avocet_context_create), sizeof(struct avocet_context_destroy),
      sizeof(struct avocet_bo_create), sizeof(struct avocet_bo_info),        sizeof(struct avocet_bo_import),
      sizeof(struct avocet_map),       sizeof(struct avocet_unmap),          sizeof(struct avocet_stream),
      sizeof(struct avocet_region),    sizeof(struct avocet_submit),         sizeof(struct avocet_wait),
      sizeof(struct avocet_cancel),    sizeof(struct avocet_reset),          sizeof(struct avocet_query)};
  for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); ++i)
    require(parseWord(&sizes) == own[i], 100 + (int)i);
  require(*sizes == 0, 99);
}

static __u64 parameter(__u32 number) {
  struct avocet_get_param get = {.param = number};
  call(AVOCET_IOCTL_GET_PARAM, &get, 2);
  return get.value;
}

static struct buffer makeBuffer(__u32 context, __u32 access) {
  struct avocet_bo_create create = {.size = AVOCET_PAGE_BYTES};
  call(AVOCET_IOCTL_BO_CREATE, &create, 3);
  struct avocet_map map = {.context = context, .handle = create.handle, .access = access};
  call(AVOCET_IOCTL_MAP, &map, 4);
  struct buffer buffer = {create.handle, mapPages(AVOCET_PAGE_BYTES, create.mmap_offset), map.device_address};
  require(buffer.memory != 0, 5);
  return buffer;
}

static void runCopy(__u32 bytes, const char *words) {
  struct avocet_context_create context = {0};
  call(AVOCET_IOCTL_CONTEXT_CREATE, &context, 6);
  struct buffer code = makeBuffer(context.context, AVOCET_ACCESS_READ),
                input = makeBuffer(context.context, AVOCET_ACCESS_READ),
                output = makeBuffer(context.context, AVOCET_ACCESS_WRITE);
  __u32 count = 0;
  while (*words)
    ((__u32 *)code.memory)[count++] = parseWord(&words);
  for (__u32 i = 0; i < bytes; ++i)
    input.memory[i] = (__u8)(i * 7 + 1);
  struct avocet_stream stream = {.engine_kind = AVOCET_ENGINE_DMA, .device_address = code.address, .words = count};
  struct avocet_region regions[2] = {{input.address, bytes, AVOCET_ACCESS_READ, 0},
                                     {output.address, bytes, AVOCET_ACCESS_WRITE, 0}};
  struct avocet_submit submit = {.context = context.context,
                                 .streams = (unsigned long)&stream,
                                 .regions = (unsigned long)regions,
                                 .stream_count = 1,
                                 .region_count = 2,
                                 .target_fingerprint = parameter(AVOCET_PARAM_TARGET_FINGERPRINT),
                                 .encoding_version = (__u32)parameter(AVOCET_PARAM_ENCODING_VERSION)};
  call(AVOCET_IOCTL_SUBMIT, &submit, 7);
  struct avocet_wait wait = {.context = context.context, .job = submit.job, .timeout_ns = -1};
  call(AVOCET_IOCTL_WAIT, &wait, 8);
  require(wait.state == AVOCET_JOB_COMPLETE && wait.counters.cycles != 0, 9);
  for (__u32 i = 0; i < bytes; ++i)
    require(output.memory[i] == (__u8)(i * 7 + 1), 10);
  struct avocet_context_destroy destroy = {.context = context.context};
  call(AVOCET_IOCTL_CONTEXT_DESTROY, &destroy, 11);
}

/// `stack`: the number of arguments, then the arguments.
__attribute__((used)) static void begin(long *stack) {
  const char **arguments = (const char **)(stack + 1);
  require(stack[0] == 5, 98);
  device = (int)systemCall(kOpen, (long)arguments[1], O_RDWR, 0, 0, 0);
  require(device >= 0, 1);
  checkSizes(arguments[3]);
  const char *bytes = arguments[2];
  runCopy(parseWord(&bytes), arguments[4]);
  systemCall(kExit, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n  mov %esp, %eax\n  and $-16, %esp\n  sub $12, %esp\n  push %eax\n  call begin\n");
