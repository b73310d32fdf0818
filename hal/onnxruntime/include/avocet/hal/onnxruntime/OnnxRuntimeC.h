//===- OnnxRuntimeC.h - The C interface of ONNX Runtime ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tree uses of ONNX Runtime's interface, version 23 and later: as an application, and as a plug-in execution
// provider. It is declared here, so that nothing of ONNX Runtime is needed to build. Tables of functions only grow at
// their end: a function is known by its place. Names, places and numbers are those of onnxruntime_c_api.h and
// onnxruntime_ep_c_api.h.
//
// Objects of the runtime are opaque. Tables that the provider fills in end at version 23: their first member says so,
// and the runtime reads no later one. For runtimes that have profilers, the table of the provider ends at version 25.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_ONNXRUNTIMEC_H
#define AVOCET_HAL_ONNXRUNTIME_ONNXRUNTIMEC_H

#include <cstddef>
#include <cstdint>

namespace avocet::ort::abi {

struct Allocator;
struct DataTransfer;
struct Factory;
struct Provider;
struct ComputeInfo;

// Objects of the runtime.
struct DefaultAllocator; ///< of the runtime, as opposed to those of providers
struct OpAttr;
struct Environment;
struct EpDevice;
struct Graph;
struct GraphSupport;
struct HardwareDevice;
struct KernelContext;
struct KeyValuePairs;
struct Logger;
struct MemoryDevice;
struct MemoryInfo;
struct Node;
struct NodeComputeContext;
struct ProfilingEvent;
struct ProfilingEvents;
struct RunOptions;
struct Session;
struct SessionOptions;
struct Status; ///< null: success
struct SyncStream;
struct TensorInfo;
struct TypeInfo;
struct Value;
struct ValueInfo;

/// The version that the provider needs: ONNX Runtime 1.23.
inline constexpr uint32_t kApiVersion = 23;
/// The version that can make hardware devices, and says whether a tensor's rank is known.
inline constexpr uint32_t kVirtualDeviceVersion = 24;
/// The version whose profiles show what providers do.
inline constexpr uint32_t kProfilerVersion = 25;

enum class ErrorCode : int32_t { Fail = 1, InvalidArgument = 2, NotImplemented = 9, EpFail = 11 };
enum class LogLevel : int32_t { Verbose = 0, Info = 1, Warning = 2, Error = 3, Fatal = 4 };
enum class OptimizationLevel : int32_t { None = 0, All = 99 };
enum class HardwareType : int32_t { Cpu = 0, Gpu = 1, Npu = 2 };
enum class AttributeType : int32_t {
  Undefined = 0,
  Int = 1,
  Ints = 2,
  Float = 3,
  Floats = 4,
  String = 5,
  Strings = 6,
  Graph = 7,
  Tensor = 8,
};
enum class EventCategory : int32_t { Kernel = 2 };
enum class DataLayout : int32_t { Nchw = 0, Nhwc = 1 };
enum class Compatibility : int32_t { NotApplicable = 0, Optimal = 1, PreferRecompilation = 2, Unsupported = 3 };
enum class MemoryDeviceType : int32_t { Cpu = 0, Gpu = 1, Fpga = 2, Npu = 3 };
enum class DeviceMemoryType : int32_t { Default = 0, HostAccessible = 5 };
enum class AllocatorType : int32_t { Device = 0, Arena = 1 };
enum class MemoryType : int32_t { Default = 0 };

/// What the runtime passes to a library: `getApi(version)` is null for a version that it does not have.
struct ApiBase {
  const void *(*getApi)(uint32_t version);
  const char *(*versionString)();
};

/// A function of a table, by its place.
template <typename Function, size_t place> struct Entry {
  static Function *in(const void *table) {
    return reinterpret_cast<Function *>(static_cast<void *const *>(table)[place]);
  }
};

// Functions of the table OrtApi that applications call, and providers that open sessions.
/// The one of the process if there is one.
using CreateEnv = Entry<Status *(LogLevel level, const char *name, Environment **environment), 3>;
using CreateSession =
    Entry<Status *(const Environment *environment, const char *path, const SessionOptions *options, Session **session),
          7>;
using CreateSessionFromArray = Entry<Status *(const Environment *environment, const void *model, size_t bytes,
                                              const SessionOptions *options, Session **session),
                                     8>;
/// Makes results that are null.
using Run =
    Entry<Status *(Session *session, const RunOptions *options, const char *const *inputs, const Value *const *values,
                   size_t count, const char *const *outputs, size_t numOutputs, Value **results),
          9>;
using CreateSessionOptions = Entry<Status *(SessionOptions **options), 10>;
using SetSessionLogSeverityLevel = Entry<Status *(SessionOptions *options, LogLevel level), 22>;
using SetSessionGraphOptimizationLevel = Entry<Status *(SessionOptions *options, OptimizationLevel level), 23>;
using SetIntraOpNumThreads = Entry<Status *(SessionOptions *options, int threads), 24>;
using SessionGetInputCount = Entry<Status *(const Session *session, size_t *count), 30>;
using SessionGetOutputCount = Entry<Status *(const Session *session, size_t *count), 31>;
using SessionGetInputTypeInfo = Entry<Status *(const Session *session, size_t index, TypeInfo **type), 33>;
using SessionGetOutputTypeInfo = Entry<Status *(const Session *session, size_t index, TypeInfo **type), 34>;
using SessionGetInputName =
    Entry<Status *(const Session *session, size_t index, DefaultAllocator *allocator, char **name), 36>;
using SessionGetOutputName =
    Entry<Status *(const Session *session, size_t index, DefaultAllocator *allocator, char **name), 37>;
using CreateTensorWithData = Entry<Status *(const MemoryInfo *memory, void *data, size_t bytes, const int64_t *extents,
                                            size_t rank, int32_t type, Value **value),
                                   49>;
using CreateCpuMemoryInfo = Entry<Status *(AllocatorType allocator, MemoryType memory, MemoryInfo **info), 69>;
using AllocatorFree = Entry<Status *(DefaultAllocator *allocator, void *memory), 76>;
using GetDefaultAllocator = Entry<Status *(DefaultAllocator **allocator), 78>;
using ReleaseEnv = Entry<void(Environment *environment), 92>;
using ReleaseSession = Entry<void(Session *session), 95>;
using ReleaseTypeInfo = Entry<void(TypeInfo *type), 98>;
using ReleaseSessionOptions = Entry<void(SessionOptions *options), 100>;
using AddFreeDimensionOverrideByName = Entry<Status *(SessionOptions *options, const char *name, int64_t extent), 124>;
using AddSessionConfigEntry = Entry<Status *(SessionOptions *options, const char *key, const char *value), 130>;
using RegisterProviderLibrary = Entry<Status *(Environment *environment, const char *name, const char *path), 301>;
using UnregisterProviderLibrary = Entry<Status *(Environment *environment, const char *name), 302>;
using GetEpDevices =
    Entry<Status *(const Environment *environment, const EpDevice *const **devices, size_t *count), 303>;
using AppendProvider =
    Entry<Status *(SessionOptions *options, Environment *environment, const EpDevice *const *devices, size_t count,
                   const char *const *keys, const char *const *values, size_t numOptions),
          304>;
using EpDeviceName = Entry<const char *(const EpDevice *device), 312>;

// Functions of the table OrtApi that both call, or providers only.
using CreateStatus = Entry<Status *(ErrorCode code, const char *message), 0>;
using GetErrorMessage = Entry<const char *(const Status *status), 2>;
using GetTensorMutableData = Entry<Status *(Value *value, void **data), 51>;
using CastTypeInfoToTensorInfo = Entry<Status *(const TypeInfo *type, const TensorInfo **tensor), 55>;
using GetTensorElementType = Entry<Status *(const TensorInfo *tensor, int32_t *type), 60>;
using GetDimensionsCount = Entry<Status *(const TensorInfo *tensor, size_t *rank), 61>;
using GetDimensions = Entry<Status *(const TensorInfo *tensor, int64_t *extents, size_t rank), 62>;
using GetSymbolicDimensions = Entry<Status *(const TensorInfo *tensor, const char **names, size_t rank), 63>;
using GetTensorTypeAndShape = Entry<Status *(const Value *value, TensorInfo **tensor), 65>;
using KernelContextGetInput = Entry<Status *(const KernelContext *context, size_t index, const Value **value), 90>;
using KernelContextGetOutput =
    Entry<Status *(KernelContext *context, size_t index, const int64_t *extents, size_t rank, Value **value), 91>;
using ReleaseStatus = Entry<void(Status *status), 93>;
using ReleaseMemoryInfo = Entry<void(MemoryInfo *info), 94>;
using ReleaseValue = Entry<void(Value *value), 96>;
using ReleaseTensorInfo = Entry<void(TensorInfo *tensor), 99>;
using LoggerLogMessage = Entry<Status *(const Logger *logger, LogLevel level, const char *message, const char *file,
                                        int line, const char *function),
                               247>;
using CreateOpAttr =
    Entry<Status *(const char *name, const void *data, int bytes, AttributeType type, OpAttr **attribute), 211>;
using ReleaseOpAttr = Entry<void(OpAttr *attribute), 212>;
using ReadOpAttr =
    Entry<Status *(const OpAttr *attribute, AttributeType type, void *data, size_t bytes, size_t *size), 272>;
using ReleaseNode = Entry<void(Node *node), 286>;
using GetValueInfoName = Entry<Status *(const ValueInfo *value, const char **name), 289>;
using GetValueInfoTypeInfo = Entry<Status *(const ValueInfo *value, const TypeInfo **type), 290>;
using GetModelEditorApi = Entry<const void *(), 291>;
using CreateKeyValuePairs = Entry<void(KeyValuePairs **pairs), 295>;
using AddKeyValuePair = Entry<void(KeyValuePairs *pairs, const char *key, const char *value), 296>;
using GetKeyValue = Entry<const char *(const KeyValuePairs *pairs, const char *key), 297>;
using GetKeyValuePairs =
    Entry<void(const KeyValuePairs *pairs, const char *const **keys, const char *const **values, size_t *count), 298>;
using ReleaseKeyValuePairs = Entry<void(KeyValuePairs *pairs), 300>;
using HardwareDeviceType = Entry<HardwareType(const HardwareDevice *device), 307>;
using HardwareDeviceMetadata = Entry<const KeyValuePairs *(const HardwareDevice *device), 311>;
using GetEpApi = Entry<const void *(), 317>;
using GetTensorSizeInBytes = Entry<Status *(const Value *value, size_t *bytes), 318>;
using CreateMemoryInfo =
    Entry<Status *(const char *name, MemoryDeviceType type, uint32_t vendor, int32_t device, DeviceMemoryType memory,
                   size_t alignment, AllocatorType allocator, MemoryInfo **info),
          320>;
using ValueInfoGetInitializerValue = Entry<Status *(const ValueInfo *value, const Value **initializer), 326>;
using ValueInfoIsGraphOutput = Entry<Status *(const ValueInfo *value, bool *isOutput), 330>;
using ValueInfoIsConstantInitializer = Entry<Status *(const ValueInfo *value, bool *isConstant), 331>;
using GraphGetModelPath = Entry<Status *(const Graph *graph, const char **path), 334>;
using GraphGetNumOperatorSets = Entry<Status *(const Graph *graph, size_t *count), 336>;
using GraphGetOperatorSets =
    Entry<Status *(const Graph *graph, const char **domains, int64_t *versions, size_t count), 337>;
using GraphGetNumInputs = Entry<Status *(const Graph *graph, size_t *count), 338>;
using GraphGetInputs = Entry<Status *(const Graph *graph, const ValueInfo **inputs, size_t count), 339>;
using GraphGetNumOutputs = Entry<Status *(const Graph *graph, size_t *count), 340>;
using GraphGetOutputs = Entry<Status *(const Graph *graph, const ValueInfo **outputs, size_t count), 341>;
using GraphGetNumInitializers = Entry<Status *(const Graph *graph, size_t *count), 342>;
using GraphGetInitializers = Entry<Status *(const Graph *graph, const ValueInfo **initializers, size_t count), 343>;
using GraphGetNumNodes = Entry<Status *(const Graph *graph, size_t *count), 344>;
using GraphGetNodes = Entry<Status *(const Graph *graph, const Node **nodes, size_t count), 345>;
using GraphGetParentNode = Entry<Status *(const Graph *graph, const Node **node), 346>;
using NodeGetId = Entry<Status *(const Node *node, size_t *id), 348>;
using NodeGetName = Entry<Status *(const Node *node, const char **name), 349>;
using NodeGetOperatorType = Entry<Status *(const Node *node, const char **type), 350>;
using NodeGetDomain = Entry<Status *(const Node *node, const char **domain), 351>;
using NodeGetNumInputs = Entry<Status *(const Node *node, size_t *count), 353>;
using NodeGetInputs = Entry<Status *(const Node *node, const ValueInfo **inputs, size_t count), 354>;
using NodeGetNumOutputs = Entry<Status *(const Node *node, size_t *count), 355>;
using NodeGetOutputs = Entry<Status *(const Node *node, const ValueInfo **outputs, size_t count), 356>;
using NodeGetNumImplicitInputs = Entry<Status *(const Node *node, size_t *count), 357>;
using NodeGetImplicitInputs = Entry<Status *(const Node *node, const ValueInfo **inputs, size_t count), 358>;
using NodeGetNumAttributes = Entry<Status *(const Node *node, size_t *count), 359>;
using NodeGetAttributes = Entry<Status *(const Node *node, const OpAttr **attributes, size_t count), 360>;
using OpAttrGetTensor = Entry<Status *(const OpAttr *attribute, Value **tensor), 362>;
using OpAttrGetType = Entry<Status *(const OpAttr *attribute, AttributeType *type), 363>;
using OpAttrGetName = Entry<Status *(const OpAttr *attribute, const char **name), 364>;
using NodeGetNumSubgraphs = Entry<Status *(const Node *node, size_t *count), 365>;
using NodeGetSubgraphs = Entry<Status *(const Node *node, const Graph **graphs, size_t count, const char **names), 366>;
using NodeGetEpName = Entry<Status *(const Node *node, const char **name), 368>;
using GetTensorData = Entry<Status *(const Value *value, const void **data), 378>;
using GetSessionOptionsConfigEntries = Entry<Status *(const SessionOptions *options, KeyValuePairs **entries), 379>;
using TensorInfoHasShape = Entry<bool(const TensorInfo *tensor), 390>; ///< of kVirtualDeviceVersion

// Functions of the table OrtModelEditorApi.
/// Takes the attributes.
using CreateNode = Entry<Status *(const char *type, const char *domain, const char *name, const char *const *inputs,
                                  size_t numInputs, const char *const *outputs, size_t numOutputs, OpAttr **attributes,
                                  size_t numAttributes, Node **node),
                         6>;

// Functions of the table OrtEpApi.
using CreateEpDevice = Entry<Status *(Factory *factory, const HardwareDevice *device, const KeyValuePairs *metadata,
                                      const KeyValuePairs *options, EpDevice **made),
                             0>;
using ReleaseEpDevice = Entry<void(EpDevice *device), 1>;
struct FusionOptions;
using AddNodesToFuse =
    Entry<Status *(GraphSupport *support, const Node *const *nodes, size_t count, const FusionOptions *options), 2>;
using AddAllocatorInfo = Entry<Status *(EpDevice *device, const MemoryInfo *info), 5>;
using GetMemoryDevice = Entry<const MemoryDevice *(const MemoryInfo *info), 6>;
using GetMemoryDeviceOfValue = Entry<const MemoryDevice *(const Value *value), 7>;
using MemoryDevicesAreEqual = Entry<bool(const MemoryDevice *a, const MemoryDevice *b), 8>;
using MemoryDeviceTypeOf = Entry<MemoryDeviceType(const MemoryDevice *device), 9>;
using CreateHardwareDevice = Entry<Status *(HardwareType type, uint32_t vendor, uint32_t device, const char *vendorName,
                                            const KeyValuePairs *metadata, HardwareDevice **made),
                                   16>; ///< of kVirtualDeviceVersion
using ReleaseHardwareDevice = Entry<void(HardwareDevice *device), 17>;

using CreateProfilingEvent = Entry<Status *(EventCategory category, int32_t process, int32_t thread, const char *name,
                                            int64_t start, int64_t duration, const char *const *keys,
                                            const char *const *values, size_t count, ProfilingEvent **event),
                                   65>; ///< of kProfilerVersion; microseconds
using ReleaseProfilingEvent = Entry<void(ProfilingEvent *event), 66>;
using AddProfilingEvents =
    Entry<Status *(ProfilingEvents *events, const ProfilingEvent *const *added, size_t count), 72>;

struct FusionOptions {
  uint32_t version = kApiVersion;
  bool dropConstantInitializers = false; ///< the fused node has no inputs for constants
};

/// A fused node. Several threads may compute at once.
struct ComputeInfo {
  uint32_t version = kApiVersion;
  Status *(*createState)(ComputeInfo *info, NodeComputeContext *context, void **state) = nullptr;
  Status *(*compute)(ComputeInfo *info, void *state, KernelContext *context) = nullptr;
  void (*releaseState)(ComputeInfo *info, void *state) = nullptr;
};

/// What a profile has of a provider.
struct Profiler {
  uint32_t version = kProfilerVersion;
  void (*release)(Profiler *profiler) = nullptr;
  Status *(*startProfiling)(Profiler *profiler, int64_t offset) = nullptr; ///< nanoseconds since the profile began
  Status *(*startEvent)(Profiler *profiler, uint64_t event) = nullptr;
  Status *(*stopEvent)(Profiler *profiler, uint64_t number, const ProfilingEvent *event) = nullptr;
  Status *(*endProfiling)(Profiler *profiler, ProfilingEvents *events) = nullptr;
};

/// The provider of one session.
struct Provider {
  uint32_t version = kApiVersion;
  const char *(*getName)(const Provider *provider) = nullptr;
  Status *(*getCapability)(Provider *provider, const Graph *graph, GraphSupport *support) = nullptr;
  Status *(*compile)(Provider *provider, const Graph **graphs, const Node **fused, size_t count, ComputeInfo **infos,
                     Node **contextNodes) = nullptr;
  void (*releaseComputeInfos)(Provider *provider, ComputeInfo **infos, size_t count) = nullptr;
  Status *(*getPreferredDataLayout)(Provider *provider, DataLayout *layout) = nullptr;
  Status *(*shouldConvertLayout)(Provider *provider, const char *domain, const char *type, DataLayout layout,
                                 int *should) = nullptr;
  Status *(*setDynamicOptions)(Provider *provider, const char *const *keys, const char *const *values,
                               size_t count) = nullptr;
  Status *(*onRunStart)(Provider *provider, const RunOptions *options) = nullptr;
  Status *(*onRunEnd)(Provider *provider, const RunOptions *options, bool isSynchronous) = nullptr;
  Status *(*createAllocator)(Provider *provider, const MemoryInfo *info, Allocator **allocator) = nullptr;
  Status *(*createSyncStream)(Provider *provider, const MemoryDevice *device, void **stream) = nullptr;
  const char *(*getCompatibilityInfo)(Provider *provider, const Graph *graph) = nullptr;
  // From here on not of version 23. Null: the runtime does what it does for providers without.
  Status *(*getKernelRegistry)(Provider *provider, const void **registry) = nullptr;
  Status *(*isConcurrentRunSupported)(Provider *provider, bool *isSupported) = nullptr;
  Status *(*sync)(Provider *provider) = nullptr;
  Status *(*createProfiler)(Provider *provider, Profiler **profiler) = nullptr;
};

/// What makes providers.
struct Factory {
  uint32_t version = kApiVersion;
  const char *(*getName)(const Factory *factory) = nullptr;
  const char *(*getVendor)(const Factory *factory) = nullptr;
  Status *(*getSupportedDevices)(Factory *factory, const HardwareDevice *const *devices, size_t count, EpDevice **made,
                                 size_t most, size_t *numMade) = nullptr;
  Status *(*createProvider)(Factory *factory, const HardwareDevice *const *devices,
                            const KeyValuePairs *const *metadata, size_t count, const SessionOptions *options,
                            const Logger *logger, Provider **provider) = nullptr;
  void (*releaseProvider)(Factory *factory, Provider *provider) = nullptr;
  uint32_t (*getVendorId)(const Factory *factory) = nullptr;
  const char *(*getVersion)(const Factory *factory) = nullptr;
  Status *(*validateCompatibility)(Factory *factory, const HardwareDevice *const *devices, size_t count,
                                   const char *info, Compatibility *compatibility) = nullptr;
  Status *(*createAllocator)(Factory *factory, const MemoryInfo *info, const KeyValuePairs *options,
                             Allocator **allocator) = nullptr;
  void (*releaseAllocator)(Factory *factory, Allocator *allocator) = nullptr;
  Status *(*createDataTransfer)(Factory *factory, DataTransfer **transfer) = nullptr;
  bool (*isStreamAware)(const Factory *factory) = nullptr;
  Status *(*createSyncStream)(Factory *factory, const MemoryDevice *device, const KeyValuePairs *options,
                              void **stream) = nullptr;
};

struct Allocator {
  uint32_t version = kApiVersion;
  void *(*alloc)(Allocator *allocator, size_t bytes) = nullptr;
  void (*free)(Allocator *allocator, void *memory) = nullptr;
  const MemoryInfo *(*info)(const Allocator *allocator) = nullptr;
  void *(*reserve)(Allocator *allocator, size_t bytes) = nullptr;
  Status *(*getStats)(const Allocator *allocator, KeyValuePairs **stats) = nullptr;
  void *(*allocOnStream)(Allocator *allocator, size_t bytes, SyncStream *stream) = nullptr;
};

struct DataTransfer {
  uint32_t version = kApiVersion;
  void (*release)(DataTransfer *transfer) = nullptr;
  bool (*canCopy)(const DataTransfer *transfer, const MemoryDevice *from, const MemoryDevice *to) = nullptr;
  Status *(*copyTensors)(DataTransfer *transfer, const Value **from, Value **to, SyncStream **streams,
                         size_t count) = nullptr;
};

} // namespace avocet::ort::abi

#endif // AVOCET_HAL_ONNXRUNTIME_ONNXRUNTIMEC_H
