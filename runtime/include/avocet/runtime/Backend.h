//===- Backend.h - The interface between runtime and device -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between the runtime and the implementations that execute jobs, in the shape of the kernel interface
// (firmware_iface/uapi/avocet_accel.h): open, query, context create and destroy, buffer create and import, map and
// unmap, submit, wait, reset. A back end is an object that is chosen by name at run time; callers depend on its name
// only.
//
// Call sequence. openBackend(); then createContext and createBuffer/importBuffer in any order; map() a buffer into a
// context; submit(); wait() or the sink. destroyContext() ends the context's jobs (the running one completes or is
// cancelled, queued ones are cancelled), reports them and unmaps everything. destroyBuffer() is legal only while no
// context maps the buffer. The destructor requires that no call is running; it destroys all remaining objects.
//
// Threads. Every method may be called from any thread at any time. Jobs of one context run in the order of submission.
// They also end in that order, except jobs that end early (cancelled, past the deadline, a dependency failed). Only
// wait(), drive(), reset() and destroyContext() wait for jobs.
//
// Errors. InvalidArgument: a value breaks a rule written here, or a handle names no live object. ResourceExhausted:
// address space, memory or queue is full. DeviceLost: the device stopped answering; every call but the destroying ones
// returns it until reset() succeeds. Outputs are valid on success only.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKEND_H
#define AVOCET_RUNTIME_BACKEND_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Fault.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/firmware_iface/Target.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::runtime {

/// Handles are never 0. Those of contexts and buffers are not reused within one back end, those of jobs not within
/// their context.
using ContextHandle = uint32_t;
using BufferHandle = uint32_t;
using JobHandle = uint64_t;

/// What the device may do with a mapping. Host access is not limited by it.
enum class Access : uint32_t { Read = 1, Write = 2, ReadWrite = 3 };
static_assert(static_cast<uint32_t>(Access::Read) == firmware::access::kRead &&
              static_cast<uint32_t>(Access::Write) == firmware::access::kWrite);

/// Device addresses and mapping sizes are multiples of this.
inline constexpr uint64_t kPageBytes = firmware::kPageBytes;

struct DeviceProperties {
  std::string backend; ///< the name that it was opened by
  std::shared_ptr<const firmware::Target> target;
  uint32_t encodingVersion = 0; ///< encoding of command streams that the device accepts
  uint32_t queueDepth = 0;      ///< jobs of one context that may be submitted and not ended
  bool computes = true;         ///< false: outputs are not written (null, timing only)
  bool measures = true;         ///< false: cycles are 0 (null, functional only)
  uint32_t contexts = 0;        ///< how many may exist at a time; 0: limited by memory only
  bool hasSyncFiles = false;    ///< jobs wait for sync_files of any driver, and signal one
  bool hasClockLevels = false;  ///< jobs may choose a level of the target, and their cycles are counted
};

/// Location of the words of one command stream in the context's address space. Word aligned.
struct StreamBinding {
  firmware::Engine engine;
  uint64_t address = 0;
  uint32_t words = 0;
  uint32_t section = 0; ///< of the control program; 0 without one
};

/// Location of the words of a control program (firmware_iface/Control.h). No words: section 0 runs once.
struct ControlBinding {
  uint64_t address = 0; ///< a multiple of firmware::kTableAlignment
  uint32_t words = 0;
};

/// Region n of the job (number n + 1 in DmaEnd::region).
struct RegionBinding {
  uint64_t address = 0;
  uint64_t bytes = 0;
  Access access = Access::Read;
};

/// The first index in a job's data that was outside of its valid range. The job goes on with the nearest valid one, or
/// leaves out what is written there.
struct JobIndex {
  uint32_t extent = 0;                 ///< it must be in [0, extent); 0: all indices were valid
  uint32_t layer = firmware::kNoLayer; ///< of the command that read it, or kNoLayer
  int64_t index = 0;
};

/// How a job ended, and what it cost. A job that never ran because of cancel() or destroyContext() has state Faulted
/// with Cancelled.
struct JobOutcome {
  firmware::JobState state = firmware::JobState::Pending; ///< Complete or Faulted once it has ended
  firmware::FaultCode fault = firmware::FaultCode::None;
  uint32_t faultEngineKind = firmware::kNoIndex;  ///< EngineKind, or kNoIndex: the job as a whole
  uint32_t faultEngineIndex = firmware::kNoIndex; ///< or kNoIndex
  uint32_t faultCommand = firmware::kNoIndex;     ///< index in that stream, without an engine in the control program
  uint32_t faultSection = 0;                      ///< section of that stream
  uint32_t faultLayer = firmware::kNoLayer;       ///< layer of that command, or kNoLayer
  uint32_t faultRegion = firmware::kNoIndex;      ///< region number of the bad access, or kNoIndex
  uint64_t faultAddress = 0;                      ///< offset in faultRegion, or device address of a page fault
  uint64_t arrivalCycle = 0;                      ///< when the device could have started it, in device cycles
  uint64_t startCycle = 0;                        ///< all three are 0 if the back end does not measure; they count
                                                  ///< the default clock, `counters` that of the job's level (Power.h)
  uint64_t endCycle = 0;
  firmware::JobCounters counters{}; ///< zero where the device does not count
  JobIndex badIndex{};

  /// Filled in by Fence, for messages: the limit of the submission (Submission::watchdogCycles), and the cycles that
  /// the compiler predicted for the network. 0: none.
  uint64_t watchdogCycles = 0;
  uint64_t predictedCycles = 0;
};

/// What a device wrote about a job that has ended.
JobOutcome outcomeOf(const firmware::CompletionRecord &record);

/// A job of any context of the back end.
struct JobReference {
  ContextHandle context = 0;
  JobHandle job = 0;
};

/// Receives the events of a job; must not block, throw, or call the back end.
class CompletionSink {
public:
  /// Inside submit(), before the job can end.
  virtual void jobQueued(JobHandle) noexcept {}

  /// The job has ended; on any thread, also inside submit().
  virtual void jobEnded(JobHandle job, const JobOutcome &outcome) noexcept = 0;

protected:
  ~CompletionSink() = default;
};

/// One job as it is passed to the back end. Spans are read during submit() only.
struct Submission {
  ContextHandle context = 0;
  std::span<const StreamBinding> streams; ///< in each section at most one per engine
  std::span<const RegionBinding> regions;
  uint32_t priority = 0;          ///< 0 to firmware::kMaxPriority; the highest runs first
  uint64_t watchdogCycles = 0;    ///< longest run of a section; 0: the device's own limit (JobRing.h)
  uint64_t targetFingerprint = 0; ///< of the streams' target; the job faults if the device's differs
  uint32_t encodingVersion = 0;   ///< of the streams; the job faults if the device's differs
  uint64_t userData = 0;          ///< returned in profiles; ignored by the device
  CompletionSink *sink = nullptr; ///< may be null; must live until jobEnded() was called
  ControlBinding control;
  uint64_t loopTimeoutNs = 0; ///< longest run of a loop in device time; 0: kDefaultLoopTimeoutNs

  /// Index of a clock level of the target; nothing: the default level. InvalidArgument if there is no such level, or
  /// without DeviceProperties::hasClockLevels.
  std::optional<uint32_t> clockLevel{};

  /// Device time from now on by which the job must be complete; after it the device ends the job at its next yield
  /// point with DeadlineMissed. Among jobs of one priority the earliest deadline runs first.
  std::optional<std::chrono::nanoseconds> deadline;

  /// Jobs that must have ended before this one starts, at most firmware::kMaxDependencies. They were submitted earlier.
  /// If one of them faulted, this one faults with DependencyFailed.
  std::span<const JobReference> dependencies;

  /// Descriptors of sync_files that must have signaled before this job starts, together with the dependencies at most
  /// firmware::kMaxDependencies. One that signals an error ends the job with DependencyFailed. Only with
  /// DeviceProperties::hasSyncFiles.
  std::span<const int> syncFiles;

  /// If set, and the back end has sync_files: receives one that signals at the end of the job, an error if the job
  /// faulted. Not touched if the job ended inside submit().
  FileDescriptor *endFile = nullptr;

  /// The caller will call drive() after submit(), so the back end does not wake the device's thread for this job.
  bool driven = false;
};

class Backend {
public:
  virtual ~Backend() = default;

  virtual const DeviceProperties &properties() const = 0;

  /// Jobs of equal rank share the device by `owner` (the client of the context), however many contexts an owner has.
  virtual Result<ContextHandle> createContext(uint32_t owner) = 0;
  virtual Status destroyContext(ContextHandle context) = 0;

  /// Zero-filled memory of at least `bytes` (> 0) that host and device share.
  virtual Result<BufferHandle> createBuffer(uint64_t bytes) = 0;

  /// Wraps bytes [offset, offset + bytes) of a mappable descriptor without a copy; `offset` is a multiple of
  /// kPageBytes. The back end keeps its own duplicate. `writable` false: the device can only read it. If the file
  /// shrinks later, the lost bytes read as zero. The file is not changed in any way.
  virtual Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                            bool writable) = 0;

  /// Wraps memory of the caller without a copy. It begins at a multiple of kPageBytes and stays mapped until the buffer
  /// is destroyed; the device may reach the rest of its last page. `writable` false: the device can only read it.
  /// Unsupported: the back end needs a descriptor. The buffer cannot be exported.
  virtual Result<BufferHandle> importMemory(std::span<uint8_t> /*memory*/, bool /*writable*/) {
    return unsupported("buffer: this back end cannot use the caller's memory");
  }

  /// A new descriptor of the buffer's memory, for mmap in this or another process. The memory of an imported buffer
  /// begins at the offset that it was imported with.
  virtual Result<FileDescriptor> exportBuffer(BufferHandle buffer) = 0;
  virtual Status destroyBuffer(BufferHandle buffer) = 0;

  /// Makes the whole buffer visible in a context and returns its device address (a multiple of kPageBytes, never 0).
  virtual Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) = 0;

  /// `address` as map() returned it. A job that still uses it faults; a back end in this process may let the running
  /// job end first.
  virtual Status unmap(ContextHandle context, uint64_t address) = 0;

  /// Queues a job. Does not allocate once the queue has been filled before.
  virtual Result<JobHandle> submit(const Submission &submission) = 0;

  /// Ends a job, at its next yield point if it is running: it faults with Cancelled and is reported as usual. Nothing
  /// happens to a job that has ended. Does not wait.
  virtual Status cancel(ContextHandle context, JobHandle job) = 0;

  /// Runs the device on the calling thread until `job` (submitted with `driven`) has ended; returns early if another
  /// thread runs the device. The caller then waits as usual. Jobs that the device runs before it also run on this
  /// thread. A back end whose device needs no thread of the host returns at once.
  virtual void drive(ContextHandle context, JobHandle job) = 0;

  /// Waits until the job has ended, at most `timeout` (negative: for ever). DeadlineExceeded leaves the job running.
  /// The outcome of a context's last 256 jobs is kept; InvalidArgument for older ones.
  virtual Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) = 0;

  /// Ends the running job with DeviceReset and restores a lost device. Contexts, buffers and mappings stay, and so do
  /// the jobs that were not running: they run afterwards, preempted ones from their start.
  virtual Status reset() = 0;

  /// Completes what the back end writes beside its device, such as a recording, and returns the first error of that.
  /// Calls afterwards have their effect and are not recorded.
  virtual Status finish() { return Status::ok(); }
};

/// Options for opening a back end.
struct BackendOptions {
  std::shared_ptr<const firmware::Target> target; ///< required
  bool functional = true;                         ///< compute values
  bool timing = true;                             ///< count cycles
  bool trace = false;                             ///< put a span for each command into the profiles
  uint32_t threads = 1; ///< of the host, which share the work of large commands; values and cycles are the same
  bool counters = true; ///< without timing: count bytes and operations of jobs; off: their counters are 0
  /// If set, receives a profile of each job, on a thread of the back end, before the job's end is reported. Must not
  /// call the back end. Back ends that do not measure never call it.
  std::function<void(const firmware::JobProfile &)> profileSink;
};

/// Makes a back end. `argument` is the text after the name and a colon ("trace.avor" in "recorder:trace.avor").
using BackendFactory =
    std::function<Result<std::unique_ptr<Backend>>(const BackendOptions &options, std::string_view argument)>;

/// Adds or replaces a built-in back end under a name. "null" and "recorder" are there from the start; a program adds
/// the others with registerLinkedBackends() before it opens any.
void registerBackend(std::string_view name, BackendFactory factory);

/// Of the built-in ones; Plugins.h lists plug-ins.
std::vector<std::string> backendNames();

/// Opens "NAME" or "NAME:ARGUMENT". NAME is that of a built-in back end, or the name or path of a plug-in (Plugins.h).
/// NotFound lists the names.
Result<std::unique_ptr<Backend>> openBackend(std::string_view specification, const BackendOptions &options);

/// The error that openBackend() has because of the name, without opening a device.
Status checkBackend(std::string_view specification);

/// Checks counts, alignments and the clock level of a submission. The device checks ranges: it faults accesses outside.
Status checkSubmission(const Submission &submission, const DeviceProperties &device);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKEND_H
