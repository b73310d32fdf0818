/*===- BackendPlugin.h - A back end as a shared library -----------*- C -*-===//
 *
 * Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * The C form of the contract in avocet/runtime/Backend.h. A plug-in is a shared library that exports
 * avocetBackendTable(); "--backend ./libmine.so", or its name with AVOCET_BACKENDS, opens a device through its table.
 * This header needs no other one of Avocet. avocet/runtime/ExportBackend.h makes the table from a C++ class.
 *
 * Versions. AVOCET_BACKEND_ABI is major * 65536 + minor. A host refuses tables of another major version. A minor
 * version adds members at the end of structs that begin with `size`, and flags; it changes nothing else. `size` is
 * sizeof the struct for the side that made it: the other side reads no further, and takes members beyond it for 0. The
 * structs without `size` are elements of arrays, or parts of others, and never change. Members that a comment does not
 * date are there since 1.0. Reserved members are 0.
 *
 * Call sequence. open(); then createContext() and createBuffer() or importBuffer() in any order; map() a buffer into a
 * context; submit(); wait() or the call-backs of the job; close(). destroyContext() ends the context's jobs, reports
 * them and unmaps everything. destroyBuffer() is legal only while no context maps the buffer. Several devices may be
 * open at a time.
 *
 * Threads. Every function may be called from any thread at any time, also for one device; close() when no other call
 * for the device is running. Jobs of one context run in the order of submission. Only wait(), drive(), reset() and
 * destroyContext() wait for jobs. Loading the library starts no thread: a service is confined after that.
 *
 * Ownership. What a pointer parameter leads to belongs to the caller and is valid during the call only, if nothing else
 * is said. The table and its texts are constant, and live as long as the process: plug-ins are never unloaded. A
 * descriptor that a function returns belongs to the caller. close() gives back everything of the device.
 *
 * Errors. Functions return AVOCET_BACKEND_OK or another code; they then have changed nothing, and write a sentence to
 * `message`: what was refused, what is accepted, what to do. Results count on success only. INVALID_ARGUMENT: a value
 * breaks a rule written here, or a handle names no live object. RESOURCE_EXHAUSTED: address space, memory or queue is
 * full. DEVICE_LOST: the device stopped answering; every function but the destroying ones returns it until reset()
 * succeeds. No function ends the process or lets an exception pass.
 *
 *===----------------------------------------------------------------------===*/

#ifndef AVOCET_RUNTIME_BACKENDPLUGIN_H
#define AVOCET_RUNTIME_BACKENDPLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AVOCET_BACKEND_ABI_MAJOR 1u
#define AVOCET_BACKEND_ABI_MINOR 0u
#define AVOCET_BACKEND_ABI (AVOCET_BACKEND_ABI_MAJOR << 16 | AVOCET_BACKEND_ABI_MINOR)

#if defined(__GNUC__)
#define AVOCET_BACKEND_EXPORT __attribute__((visibility("default")))
#else
#define AVOCET_BACKEND_EXPORT
#endif

typedef int32_t AvocetBackendCode;
enum {
  AVOCET_BACKEND_OK = 0,
  AVOCET_BACKEND_INVALID_ARGUMENT = 1,
  AVOCET_BACKEND_NOT_FOUND = 2, /* open: there is no such device */
  AVOCET_BACKEND_DATA_LOSS = 3, /* importBuffer: the file is shorter than offset + bytes */
  AVOCET_BACKEND_UNSUPPORTED = 4,
  AVOCET_BACKEND_RESOURCE_EXHAUSTED = 5,
  AVOCET_BACKEND_FAILED_PRECONDITION = 6,
  AVOCET_BACKEND_DEADLINE_EXCEEDED = 7, /* wait: the time has passed, and the job has not ended */
  AVOCET_BACKEND_ABORTED = 8,
  AVOCET_BACKEND_DEVICE_FAULT = 9,
  AVOCET_BACKEND_DEVICE_LOST = 10,
  AVOCET_BACKEND_INTERNAL = 11 /* an error of the plug-in itself */
};

/* Receives the sentence of an error, with a zero byte at its end. */
typedef struct AvocetBackendMessage {
  uint32_t size;
  char text[508]; /* UTF-8 */
} AvocetBackendMessage;

/* An open device. Its contents are the plug-in's own. */
typedef struct AvocetBackendDevice AvocetBackendDevice;

/*===--- Jobs: parts that never change -------------------------------------===*/

/* What the device may do with a mapping or a region. */
enum { AVOCET_BACKEND_READ = 1, AVOCET_BACKEND_WRITE = 2 };

/* Device addresses and mapping sizes are multiples of this. */
enum { AVOCET_BACKEND_PAGE_BYTES = 4096 };

/* The words of one command stream (avocet/firmware_iface/Command.h) in the context's address space. */
typedef struct AvocetBackendStream {
  uint32_t engineKind; /* 0 MAC array, 1 vector DSP, 2 DMA */
  uint32_t engineIndex;
  uint64_t address; /* a multiple of 4 */
  uint32_t words;
  uint32_t section; /* of the control program; 0 without one */
} AvocetBackendStream;

/* Region n of a job has the number n + 1 in commands. */
typedef struct AvocetBackendRegion {
  uint64_t address;
  uint64_t bytes;
  uint32_t access; /* AVOCET_BACKEND_READ, AVOCET_BACKEND_WRITE */
  uint32_t reserved;
} AvocetBackendRegion;

/* A job of any context of the device. */
typedef struct AvocetBackendJob {
  uint32_t context;
  uint32_t reserved;
  uint64_t job;
} AvocetBackendJob;

/* By engine kind, and by the cause of a stall: 0 semaphore, 1 on-chip port, 2 off-chip port, 3 latency, 4 front end. */
typedef struct AvocetBackendCounters {
  uint64_t cycles;        /* from start to end, without the time in which the job was preempted */
  uint64_t busyCycles[3]; /* DMA: the sum over channels */
  uint64_t stallCycles[3][5];
  uint64_t sramReadBytes;
  uint64_t sramWriteBytes;
  uint64_t dramReadBytes;
  uint64_t dramWriteBytes;
  uint64_t macs;
  uint64_t dspOperations;
  uint64_t commands;
  uint64_t energyPicojoules;
} AvocetBackendCounters;

/* AvocetBackendOutcome::state. */
enum { AVOCET_BACKEND_COMPLETE = 1, AVOCET_BACKEND_FAULTED = 2 };

/* "None" in members that hold an index. */
#define AVOCET_BACKEND_NO_INDEX 0xFFFFFFFFu

/* How a job ended, and what it cost. A job that never ran because of cancel() or destroyContext() is FAULTED with
 * Cancelled. Cycles are 0 if the device does not measure; they count the default clock, `counters` that of the job's
 * level. */
typedef struct AvocetBackendOutcome {
  uint32_t size;
  uint32_t state;
  uint32_t fault;            /* FaultCode (avocet/firmware_iface/Fault.h): a number below 20; 0: none */
  uint32_t faultEngineKind;  /* or NO_INDEX: the job as a whole */
  uint32_t faultEngineIndex; /* or NO_INDEX */
  uint32_t faultCommand;     /* index in that stream, or NO_INDEX */
  uint32_t faultSection;     /* section of that stream */
  uint32_t faultLayer;       /* layer of that command, or NO_INDEX */
  uint32_t faultRegion;      /* region number of the bad access, or NO_INDEX */
  uint32_t indexExtent;      /* of the first index in the job's data that was not in [0, extent); 0: all were */
  uint32_t indexLayer;       /* layer of the command that read that index, or NO_INDEX */
  uint32_t reserved;
  int64_t index;         /* that index */
  uint64_t faultAddress; /* offset in faultRegion, or device address of a page fault */
  uint64_t arrivalCycle; /* when the device could have started the job */
  uint64_t startCycle;
  uint64_t endCycle;
  AvocetBackendCounters counters; /* 0 where the device does not count */
} AvocetBackendOutcome;

/*===--- Jobs: submission --------------------------------------------------===*/

/* AvocetBackendSubmission::flags. */
enum {
  AVOCET_BACKEND_DRIVEN = 1,         /* the caller calls drive() next: no thread needs to be woken for this job */
  AVOCET_BACKEND_HAS_DEADLINE = 2,   /* deadlineNs counts */
  AVOCET_BACKEND_HAS_CLOCK_LEVEL = 4 /* clockLevel counts; else the default level */
};

typedef struct AvocetBackendSubmission {
  uint32_t size;
  uint32_t context;
  uint32_t priority; /* 0 to 7; the highest runs first */
  uint32_t flags;
  const AvocetBackendStream *streams;   /* 1 to 4096; in each section at most one per engine */
  const AvocetBackendRegion *regions;   /* 0 to 1024 */
  const AvocetBackendJob *dependencies; /* submitted earlier; must have ended before this one starts. If one of them
                                           faulted, this one faults with DependencyFailed */
  const int32_t *syncFiles; /* descriptors of sync_files that must have signaled before this job starts, together with
                               the dependencies at most 16. Only with AVOCET_BACKEND_SYNC_FILES */
  uint32_t streamCount;
  uint32_t regionCount;
  uint32_t dependencyCount;
  uint32_t syncFileCount;
  uint64_t watchdogCycles;    /* longest run of a section; 0: the device's own limit */
  uint64_t targetFingerprint; /* of the streams' target; the job faults with TargetMismatch if the device's differs */
  uint64_t userData;          /* returned in profiles */
  uint64_t loopTimeoutNs;     /* longest run of a loop in device time; 0: the device's own limit */
  int64_t deadlineNs;         /* device time from now on by which the job must be complete; else it ends with
                                 DeadlineMissed at its next yield point */
  uint64_t controlAddress;    /* of the control program (avocet/firmware_iface/Control.h), a multiple of 8 */
  uint32_t controlWords;      /* 0: no control program, section 0 runs once */
  uint32_t encodingVersion;   /* of the streams; the job faults with VersionMismatch if the device's differs */
  uint32_t clockLevel;        /* index of a level of the target */
  uint32_t reserved;
  int32_t *endFile; /* NULL, or receives a sync_file that signals at the end of the job, an error if the job faulted.
                       The caller owns it. Not written if the job ended inside submit(). Only with
                       AVOCET_BACKEND_SYNC_FILES */

  /* Call-backs with `sink` as first argument. They may be NULL, and do not block. */
  void *sink;
  void (*queued)(void *sink, uint64_t job); /* inside submit(), before the job can end */
  void (*ended)(void *sink, uint64_t job, const AvocetBackendOutcome *outcome); /* once, on any thread, also inside
                                                                                   submit() */
} AvocetBackendSubmission;

/*===--- Profiles ----------------------------------------------------------===*/

/* The work for one layer of the network, in cycles from the start of the job. */
typedef struct AvocetBackendLayer {
  uint32_t layer; /* or NO_INDEX: work of no layer */
  uint32_t reserved;
  uint64_t startCycle;
  uint64_t endCycle;
  AvocetBackendCounters counters; /* its cycles are endCycle - startCycle */
  double energyPicojoules;        /* without idle energy; counters.energyPicojoules is not read */
} AvocetBackendLayer;

/* Bytes that crossed the off-chip port to and from one region. */
typedef struct AvocetBackendTraffic {
  uint32_t region;
  uint32_t reserved;
  uint64_t readBytes;
  uint64_t writeBytes;
} AvocetBackendTraffic;

/* One command from issue to completion, in cycles from the start of the job. */
typedef struct AvocetBackendSpan {
  uint32_t engineKind;
  uint32_t engineIndex;
  uint32_t command;   /* index in its stream */
  uint32_t layer;     /* or NO_INDEX */
  uint32_t operation; /* index of the alternative in CommandBody (avocet/firmware_iface/Command.h) */
  uint32_t run;       /* index in `sections` of the run to which it belongs */
  uint64_t startCycle;
  uint64_t endCycle;
  uint64_t drainCycles; /* the last ones, in which results only leave */
} AvocetBackendSpan;

/* One run of a section of the job. */
typedef struct AvocetBackendSection {
  uint32_t section;
  uint32_t reserved;
  uint64_t startCycle;
  uint64_t endCycle;
} AvocetBackendSection;

/* A job in detail. */
typedef struct AvocetBackendProfile {
  uint32_t size;
  uint32_t context;      /* number of the context on the device */
  uint32_t ring;         /* number of the queue on the device */
  uint32_t clockPercent; /* of its clock level; 100: the default clock */
  uint64_t sequence;     /* of the job on the device */
  uint64_t userData;     /* of the submission */
  const AvocetBackendOutcome *outcome;
  const AvocetBackendLayer *layers;     /* by number, NO_INDEX last */
  const AvocetBackendTraffic *regions;  /* by number, those with traffic */
  const AvocetBackendSpan *spans;       /* in order of completion; none without AVOCET_BACKEND_TRACE */
  const AvocetBackendSection *sections; /* in order; none without AVOCET_BACKEND_TRACE */
  uint32_t layerCount;
  uint32_t regionCount;
  uint32_t spanCount;
  uint32_t sectionCount;
  uint64_t preemptions; /* what jobs of higher priority cost this one; no other member includes it */
  uint64_t suspendedCycles;
  uint64_t liveBytes;      /* in on-chip memory at the preemptions, summed over all */
  uint64_t evacuatedBytes; /* those of them that went off chip and back */
} AvocetBackendProfile;

/*===--- Devices -----------------------------------------------------------===*/

/* AvocetBackendOptions::flags. */
enum {
  AVOCET_BACKEND_FUNCTIONAL = 1, /* compute values */
  AVOCET_BACKEND_TIMING = 2,     /* count cycles */
  AVOCET_BACKEND_TRACE = 4,      /* put a span for each command into the profiles */
  AVOCET_BACKEND_COUNTERS = 8    /* without timing: count bytes and operations of jobs */
};

typedef struct AvocetBackendOptions {
  uint32_t size;
  uint32_t flags;
  uint32_t threads; /* of the host, which share the work of large commands */
  uint32_t reserved;
  const char *argument;   /* the text after the name and a colon, such as a device node; "" without one */
  const char *targetName; /* of the target that the caller compiles for */
  const char *targetText; /* its figures in the form of a target file */
  uint64_t targetFingerprint;

  /* NULL, or receives a profile of each job, on a thread of the device, before the job's end is reported. It does not
   * call the device. Devices that do not measure never call it. */
  void (*profile)(void *profileUser, const AvocetBackendProfile *profile);
  void *profileUser;
} AvocetBackendOptions;

/* AvocetBackendProperties::flags. */
enum {
  AVOCET_BACKEND_COMPUTES = 1,    /* outputs are written */
  AVOCET_BACKEND_MEASURES = 2,    /* cycles are counted */
  AVOCET_BACKEND_SYNC_FILES = 4,  /* jobs wait for sync_files of any driver, and signal one */
  AVOCET_BACKEND_CLOCK_LEVELS = 8 /* jobs may choose a level of the target, and their cycles are counted */
};

/* They do not change while the device is open. */
typedef struct AvocetBackendProperties {
  uint32_t size;
  uint32_t flags;
  uint64_t targetFingerprint; /* of the device; the host refuses a device of another target than the options' */
  uint32_t encodingVersion;   /* of command streams that the device accepts; not 0 */
  uint32_t queueDepth;        /* jobs of one context that may be submitted and not ended, 1 to 256 */
  uint32_t contexts;          /* how many may exist at a time; 0: limited by memory only */
  uint32_t reserved;
} AvocetBackendProperties;

/*===--- The table ---------------------------------------------------------===*/

/* Handles are never 0. Those of contexts and buffers are not reused within one device, those of jobs not within their
 * context. `message` is never NULL, nor is a pointer for a result. */
typedef struct AvocetBackendTable {
  uint32_t size;
  uint32_t abi;            /* AVOCET_BACKEND_ABI of the plug-in's header */
  const char *name;        /* for "--backend NAME": a to z, 0 to 9, "-" and "_", at most 32 of them */
  const char *version;     /* of the plug-in, for people */
  const char *description; /* one line, for people */
  const char *nodes;       /* NULL, or the device node, or the folder of nodes, that open() needs: the sandbox of
                              avocetd leaves it accessible */
  uint32_t requests;       /* 0, or the letter of its ioctl requests (_IOC_TYPE): the sandbox allows these */
  uint32_t reserved;

  /* Opens a device for options->targetName. FAILED_PRECONDITION: the device has another target. */
  AvocetBackendCode (*open)(const AvocetBackendOptions *options, AvocetBackendDevice **device,
                            AvocetBackendMessage *message);
  /* Ends all jobs and destroys all objects. */
  void (*close)(AvocetBackendDevice *device);
  /* Fills in the members that fit into properties->size, and sets `size` to its own sizeof if that is less. */
  void (*properties)(AvocetBackendDevice *device, AvocetBackendProperties *properties);

  /* Jobs of equal rank share the device by `owner`, however many contexts an owner has. */
  AvocetBackendCode (*createContext)(AvocetBackendDevice *device, uint32_t owner, uint32_t *context,
                                     AvocetBackendMessage *message);
  AvocetBackendCode (*destroyContext)(AvocetBackendDevice *device, uint32_t context, AvocetBackendMessage *message);

  /* Zero-filled memory of at least `bytes` (> 0) that host and device share. */
  AvocetBackendCode (*createBuffer)(AvocetBackendDevice *device, uint64_t bytes, uint32_t *buffer,
                                    AvocetBackendMessage *message);
  /* Wraps bytes [offset, offset + bytes) of a mappable descriptor without a copy; `offset` is a multiple of
   * AVOCET_BACKEND_PAGE_BYTES. The plug-in keeps its own duplicate. `writable` 0: the device can only read it. The file
   * is not changed in any way. */
  AvocetBackendCode (*importBuffer)(AvocetBackendDevice *device, int32_t file, uint64_t offset, uint64_t bytes,
                                    uint32_t writable, uint32_t *buffer, AvocetBackendMessage *message);
  /* NULL: the plug-in needs descriptors. Wraps memory of the caller without a copy. It begins at a multiple of
   * AVOCET_BACKEND_PAGE_BYTES and stays mapped until the buffer is destroyed; the device may reach the rest of its last
   * page. */
  AvocetBackendCode (*importMemory)(AvocetBackendDevice *device, void *memory, uint64_t bytes, uint32_t writable,
                                    uint32_t *buffer, AvocetBackendMessage *message);
  /* A new descriptor of the buffer's memory, for mmap in this or another process. The memory of an imported buffer
   * begins at the offset that it was imported with. FAILED_PRECONDITION: it is memory of the caller. */
  AvocetBackendCode (*exportBuffer)(AvocetBackendDevice *device, uint32_t buffer, int32_t *file,
                                    AvocetBackendMessage *message);
  /* FAILED_PRECONDITION: a context maps it. */
  AvocetBackendCode (*destroyBuffer)(AvocetBackendDevice *device, uint32_t buffer, AvocetBackendMessage *message);

  /* Makes the whole buffer visible in a context at a device address, a multiple of AVOCET_BACKEND_PAGE_BYTES. */
  AvocetBackendCode (*map)(AvocetBackendDevice *device, uint32_t context, uint32_t buffer, uint32_t access,
                           uint64_t *address, AvocetBackendMessage *message);
  /* A job that still uses the address faults; a device in this process may let the running job end first. */
  AvocetBackendCode (*unmap)(AvocetBackendDevice *device, uint32_t context, uint64_t address,
                             AvocetBackendMessage *message);

  /* Queues a job. */
  AvocetBackendCode (*submit)(AvocetBackendDevice *device, const AvocetBackendSubmission *submission, uint64_t *job,
                              AvocetBackendMessage *message);
  /* Ends a job, at its next yield point if it is running: it faults with Cancelled and is reported as usual. Nothing
   * happens to a job that has ended. Does not wait. */
  AvocetBackendCode (*cancel)(AvocetBackendDevice *device, uint32_t context, uint64_t job,
                              AvocetBackendMessage *message);
  /* NULL: the device needs no thread of the host. Runs the device on the calling thread until the job has ended;
   * returns early if another thread runs the device. */
  void (*drive)(AvocetBackendDevice *device, uint32_t context, uint64_t job);
  /* Waits at most `nanoseconds` (negative: for ever). The outcomes of a context's last 256 jobs are kept;
   * INVALID_ARGUMENT for older ones. Fills in the members that fit into outcome->size. */
  AvocetBackendCode (*wait)(AvocetBackendDevice *device, uint32_t context, uint64_t job, int64_t nanoseconds,
                            AvocetBackendOutcome *outcome, AvocetBackendMessage *message);

  /* Ends the running job with DeviceReset and restores a lost device. Contexts, buffers and mappings stay, and so do
   * the jobs that were not running. */
  AvocetBackendCode (*reset)(AvocetBackendDevice *device, AvocetBackendMessage *message);
  /* NULL: there is nothing to complete. Completes what the plug-in writes beside its device, such as a recording. */
  AvocetBackendCode (*finish)(AvocetBackendDevice *device, AvocetBackendMessage *message);
} AvocetBackendTable;

/* What a plug-in exports under the name avocetBackendTable. It is called once or more, on any thread; NULL: the plug-in
 * cannot work in this process. */
AVOCET_BACKEND_EXPORT const AvocetBackendTable *avocetBackendTable(void);
typedef const AvocetBackendTable *(*AvocetBackendTableFunction)(void);

#ifdef __cplusplus
}
#endif

#endif /* AVOCET_RUNTIME_BACKENDPLUGIN_H */
