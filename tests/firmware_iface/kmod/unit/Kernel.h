/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the sources of the driver use of the kernel, for one thread of user space. Every header that they include is
 * replaced by one that includes this file (CMakeLists.txt). Locks check that they are not taken twice; memory is that
 * of malloc(), so that sanitizers see its end; time stands still until a wait lets it pass.
 */
#ifndef AVOCET_TESTS_KMOD_UNIT_KERNEL_H
#define AVOCET_TESTS_KMOD_UNIT_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef u64 dma_addr_t;
typedef unsigned int uint, gfp_t;

/* Also in builds with NDEBUG. */
void unit_fail(const char *condition, const char *file, int line);
#define unit_assert(condition) ((condition) ? (void)0 : unit_fail(#condition, __FILE__, __LINE__))

#undef static_assert
#define static_assert(condition) _Static_assert(condition, #condition)

/* Numbers and pointers */
#define PAGE_SIZE 4096ul
#define U16_MAX 0xffffu
#define U64_MAX 0xffffffffffffffffull
#define NSEC_PER_SEC 1000000000ul
#define BIT_ULL(n) (1ull << (n))
#define ALIGN(value, unit) (((value) + (unit) - 1) / (unit) * (unit))
#define PAGE_ALIGN(value) ALIGN(value, PAGE_SIZE)
#define PAGE_ALIGNED(value) ((value) % PAGE_SIZE == 0)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define min(a, b) min_t(__typeof__(a), a, b)
#define lower_32_bits(value) ((u32)(value))
#define upper_32_bits(value) ((u32)((u64)(value) >> 32))
#define div_u64(a, b) ((u64)(a) / (u32)(b))
#define div64_u64(a, b) ((u64)(a) / (u64)(b))
#define check_add_overflow(a, b, sum) __builtin_add_overflow(a, b, sum)
#define isascii(byte) ((unsigned char)(byte) < 128)
#define isprint(byte) ((byte) >= ' ' && (byte) < 127)
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define struct_size(pointer, member, count) (sizeof(*(pointer)) + (count) * sizeof((pointer)->member[0]))
#define ERR_PTR(error) ((void *)(intptr_t)(error))
#define PTR_ERR(pointer) ((int)(intptr_t)(pointer))
#define IS_ERR(pointer) ((uintptr_t)(pointer) >= (uintptr_t)-4095)
#define IS_ERR_OR_NULL(pointer) (!(pointer) || IS_ERR(pointer))
/* As the processor's instruction: a result of more than 64 bits is a fault. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c) {
  const unsigned __int128 result = (unsigned __int128)a * b / c;

  unit_assert(result <= U64_MAX && "divide error");
  return (u64)result;
}

/* One thread: order needs no barrier, but each access is made. */
#define READ_ONCE(place) (*(volatile __typeof__(place) *)&(place))
#define WRITE_ONCE(place, value) (*(volatile __typeof__(place) *)&(place) = (value))
#define smp_load_acquire(place) READ_ONCE(*(place))
#define smp_store_release(place, value) WRITE_ONCE(*(place), value)
static inline bool unit_exchange(bool *place, bool value) {
  bool old = *place;

  *place = value;
  return old;
}
#define xchg(place, value) unit_exchange(place, value)
typedef struct {
  int value;
} atomic_t;
typedef struct {
  s64 value;
} atomic64_t;
#define atomic_set(atomic, to) ((atomic)->value = (to))
#define atomic_read(atomic) ((atomic)->value)
#define atomic_inc(atomic) (++(atomic)->value)
#define atomic_dec_and_test(atomic) (--(atomic)->value == 0)
#define atomic64_inc_return(atomic) (++(atomic)->value)

/* Locks */
typedef struct {
  bool held;
} spinlock_t;
struct mutex {
  bool held;
};
static inline void unit_lock(bool *held) {
  unit_assert(!*held && "the lock is held already");
  *held = true;
}
static inline void unit_unlock(bool *held) {
  unit_assert(*held && "the lock is not held");
  *held = false;
}
#define spin_lock_init(lock) ((lock)->held = false)
#define spin_lock(lock) unit_lock(&(lock)->held)
#define spin_unlock(lock) unit_unlock(&(lock)->held)
#define mutex_lock(lock) unit_lock(&(lock)->held)
#define mutex_unlock(lock) unit_unlock(&(lock)->held)
#define lockdep_assert_held(lock) unit_assert((lock)->held)

/* Memory. unit_allocations counts what is not freed; the allocation of number unit_fail_at fails. */
extern int unit_allocations, unit_allocation, unit_fail_at;
void *unit_alloc(size_t bytes);
void unit_free(const void *memory);
#define GFP_KERNEL 0u
#define GFP_KERNEL_ACCOUNT 0u
#define kzalloc(bytes, flags) unit_alloc(bytes)
#define __GFP_NOWARN 0u
#define kcalloc(count, bytes, flags) unit_alloc((count) * (bytes))
#define kvcalloc(count, bytes, flags) kcalloc(count, bytes, flags)
#define kfree(memory) unit_free(memory)
#define kvfree(memory) unit_free(memory)
#define u64_to_user_ptr(address) ((const void *)(uintptr_t)(address))
static inline unsigned long copy_from_user(void *to, const void *from, unsigned long bytes) {
  if (bytes && !from)
    return bytes;
  memcpy(to, from, bytes);
  return 0;
}
void *vmemdup_array_user(const void *from, size_t count, size_t bytes);

/* Lists and bits */
struct list_head {
  struct list_head *next, *prev;
};
static inline void INIT_LIST_HEAD(struct list_head *list) { list->next = list->prev = list; }
static inline void list_add_tail(struct list_head *entry, struct list_head *list) {
  entry->prev = list->prev;
  entry->next = list;
  list->prev->next = entry;
  list->prev = entry;
}
static inline void list_del_init(struct list_head *entry) {
  entry->prev->next = entry->next;
  entry->next->prev = entry->prev;
  INIT_LIST_HEAD(entry);
}
static inline void list_move_tail(struct list_head *entry, struct list_head *list) {
  list_del_init(entry);
  list_add_tail(entry, list);
}
#define list_empty(list) ((list)->next == (list))
#define list_entry(entry, type, member) container_of(entry, type, member)
#define list_for_each_entry(item, list, member)                                                                        \
  for (item = list_entry((list)->next, __typeof__(*item), member); &item->member != (list);                            \
       item = list_entry(item->member.next, __typeof__(*item), member))
#define list_for_each_entry_safe(item, after, list, member)                                                            \
  for (item = list_entry((list)->next, __typeof__(*item), member),                                                     \
      after = list_entry(item->member.next, __typeof__(*item), member);                                                \
       &item->member != (list); item = after, after = list_entry(after->member.next, __typeof__(*after), member))
#define BITS_PER_WORD (8 * sizeof(unsigned long))
#define DECLARE_BITMAP(name, bits) unsigned long name[(bits + BITS_PER_WORD - 1) / BITS_PER_WORD]
#define set_bit(bit, map) ((map)[(bit) / BITS_PER_WORD] |= 1ul << (bit) % BITS_PER_WORD)
#define clear_bit(bit, map) ((map)[(bit) / BITS_PER_WORD] &= ~(1ul << (bit) % BITS_PER_WORD))
#define test_bit(bit, map) ((map)[(bit) / BITS_PER_WORD] >> (bit) % BITS_PER_WORD & 1)
#define bitmap_zalloc(bits, flags)                                                                                     \
  ((unsigned long *)unit_alloc(((bits) + BITS_PER_WORD - 1) / BITS_PER_WORD * sizeof(long)))
#define bitmap_free(map) unit_free(map)
static inline bool __test_and_set_bit(unsigned long bit, unsigned long *map) {
  const bool was_set = test_bit(bit, map);

  set_bit(bit, map);
  return was_set;
}
struct kref {
  int count;
};
#define kref_init(ref) ((ref)->count = 1)
#define kref_get(ref) (unit_assert((ref)->count > 0), ++(ref)->count)
#define kref_get_unless_zero(ref) ((ref)->count ? ++(ref)->count : 0)
static inline void kref_put(struct kref *ref, void (*release)(struct kref *ref)) {
  unit_assert(ref->count > 0);
  if (--ref->count == 0)
    release(ref);
}

/* Arrays of pointers. Another thread runs after an entry was found without the lock, which is when it does most harm.
 */
#define UNIT_MOST_ENTRIES 32
struct xarray {
  spinlock_t lock;
  void *entries[UNIT_MOST_ENTRIES];
};
struct unit_limit {
  u32 min, max;
};
extern void (*unit_other_thread)(void); /* runs once, or NULL */
void unit_switch(void);                 /* runs it, if it has not run */
#define XA_FLAGS_ALLOC1 0
#define XA_LIMIT(least, most) ((struct unit_limit){least, most})
#define xa_init(array) (*(array) = (struct xarray){0})
#define xa_init_flags(array, flags) xa_init(array)
#define xa_lock(array) spin_lock(&(array)->lock)
#define xa_unlock(array) spin_unlock(&(array)->lock)
#define xa_err(entry) (IS_ERR(entry) ? PTR_ERR(entry) : 0)
void *xa_load(struct xarray *array, unsigned long id);
void *xa_find_from(struct xarray *array, unsigned long *id);
#define xa_for_each(array, id, entry) for (id = 0; (entry = xa_find_from(array, &id)) != NULL; id++)
void *xa_store(struct xarray *array, unsigned long id, void *entry, gfp_t flags);
void *xa_erase(struct xarray *array, unsigned long id);
int xa_alloc(struct xarray *array, u32 *id, void *entry, struct unit_limit limit, gfp_t flags);
bool xa_empty(struct xarray *array);

/* Time and waiting. unit_pass() lets the device of the test work for so long. */
extern u64 unit_now_ns;
void unit_pass(u64 ns);
#define usleep_range(least, most) unit_pass((least) * 1000ul)
#define HZ 1000u
#define jiffies ((unsigned long)(unit_now_ns / (NSEC_PER_SEC / HZ)))
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define msecs_to_jiffies(ms) ((unsigned long)(ms) * HZ / 1000)
#define ktime_get_ns() unit_now_ns
struct completion {
  uint done;
};
#define init_completion(completion) ((completion)->done = 0)
#define reinit_completion(completion) ((completion)->done = 0)
#define complete(completion) (++(completion)->done)
unsigned long wait_for_completion_timeout(struct completion *completion, unsigned long timeout);
typedef struct {
  int wakes;
} wait_queue_head_t;
#define wait_event_timeout(queue, condition, timeout)                                                                  \
  ({                                                                                                                   \
    const u64 until = unit_now_ns + (timeout) * (NSEC_PER_SEC / HZ);                                                   \
    while (unit_now_ns < until && !(condition))                                                                        \
      unit_pass(UNIT_STEP_NS);                                                                                         \
    (condition);                                                                                                       \
  })
#define init_waitqueue_head(queue) ((queue)->wakes = 0)
#define wake_up_all(queue) (++(queue)->wakes)
#define UNIT_STEP_NS 1000000ul
/* A wait for ever that nothing ends is ended by a signal. */
#define wait_event_interruptible(queue, condition)                                                                     \
  ({                                                                                                                   \
    int steps;                                                                                                         \
    for (steps = 0; steps < 1000 && !(condition); steps++)                                                             \
      unit_pass(UNIT_STEP_NS);                                                                                         \
    (condition) ? 0 : -EINTR;                                                                                          \
  })
#define wait_event_interruptible_hrtimeout(queue, condition, timeout_ns)                                               \
  ({                                                                                                                   \
    u64 end = unit_now_ns + (timeout_ns);                                                                              \
    while (unit_now_ns < end && !(condition))                                                                          \
      unit_pass(UNIT_STEP_NS);                                                                                         \
    (condition) ? 0 : -ETIME;                                                                                          \
  })

/* Modules and messages: the harness has the last message. */
extern char unit_message[256];
__attribute__((format(printf, 1, 2))) void unit_print(const char *format, ...);
#define drm_err(drm, ...) unit_print(__VA_ARGS__)
#define drm_warn(drm, ...) unit_print(__VA_ARGS__)
#define module_param(name, type, mode) struct avocet_unit_no_parameter
#define module_param_named(name, value, type, mode) struct avocet_unit_no_parameter
#define MODULE_PARM_DESC(name, text) struct avocet_unit_no_parameter
#define TP_PROTO(...) __VA_ARGS__
#define DECLARE_EVENT_CLASS(...) struct avocet_unit_no_event
#define DEFINE_EVENT(class, name, proto, args)                                                                         \
  static inline void trace_##name(proto) {}                                                                            \
  struct avocet_unit_no_event
#define TRACE_EVENT(name, proto, ...) DEFINE_EVENT(, name, TP_PROTO(proto), )

#include "KernelDrm.h"

#endif /* AVOCET_TESTS_KMOD_UNIT_KERNEL_H */
