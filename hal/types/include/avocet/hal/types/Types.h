//===- Types.h - Canonical types of the HAL ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models, requests and answers in one form for all HAL versions, HIDL 1.0 to AIDL v4. Wire types are converted at the
// edge. Values are untrusted until validated (Validation.h); no struct checks itself. Numbers of enumerations are those
// of the HAL (hal 1.3 types.hal, aidl of the same names). Values are plain: copying a Model copies its operand values,
// but shares its pools.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_TYPES_H
#define AVOCET_HAL_TYPES_TYPES_H

#include "avocet/base/File.h"
#include "avocet/nnapi/Codes.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace avocet::hal {

/// Interface versions, in order. A model that needs `version` runs on devices of that version and later ones.
enum class Version : uint32_t { V1_0, V1_1, V1_2, V1_3, AidlV1, AidlV2, AidlV3, AidlV4 };
inline constexpr Version kLatestVersion = Version::AidlV4;

/// Codes above 0xFFFF belong to extensions, which have a prefix in the upper half; any other number may come from a
/// peer.
using nnapi::OperandType;
using nnapi::OperationType;

enum class OperandLifeTime : int32_t {
  TemporaryVariable = 0,
  SubgraphInput = 1,
  SubgraphOutput = 2,
  ConstantCopy = 3,
  ConstantReference = 4, ///< in a pool
  NoValue = 5,
  Subgraph = 6,
};

/// Bytes [offset, offset + length) of pool `poolIndex`; `padding` more bytes after them may be read or written.
struct DataLocation {
  uint32_t poolIndex = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint64_t padding = 0;
  bool operator==(const DataLocation &) const = default;
};

/// One scale for each index of dimension `channelDim`.
struct SymmPerChannelQuantParams {
  std::vector<float> scales;
  uint32_t channelDim = 0;
  bool operator==(const SymmPerChannelQuantParams &) const = default;
};

/// none, channel quantization, or an extension's bytes.
using ExtraParams = std::variant<std::monostate, SymmPerChannelQuantParams, std::vector<uint8_t>>;

/// `dimensions`: empty for scalars and tensors of unknown rank; an extent of 0 is unknown.
struct Operand {
  OperandType type = OperandType::Float32;
  std::vector<uint32_t> dimensions;
  float scale = 0;
  int32_t zeroPoint = 0;
  OperandLifeTime lifetime = OperandLifeTime::TemporaryVariable;
  DataLocation location;
  ExtraParams extraParams;
  bool operator==(const Operand &) const = default;
};

struct Operation {
  OperationType type = OperationType::Add;
  std::vector<uint32_t> inputs; ///< operands of the same subgraph
  std::vector<uint32_t> outputs;
};

struct Subgraph {
  std::vector<Operand> operands;
  std::vector<Operation> operations; ///< in executable order
  std::vector<uint32_t> inputIndexes;
  std::vector<uint32_t> outputIndexes;
};

/// A descriptor that several objects share; closed with the last of them.
using SharedHandle = std::shared_ptr<const FileDescriptor>;

/// Anonymous shared memory: bytes [0, size) of the file.
struct Ashmem {
  SharedHandle fd;
  uint64_t size = 0;
};

/// Bytes [offset, offset + size) of a file. `protection` is PROT_READ, PROT_WRITE or both.
struct MappableFile {
  SharedHandle fd;
  uint64_t offset = 0;
  uint64_t size = 0;
  int32_t protection = 0;
};

/// A graphics buffer. Only blobs (plain bytes) have a size; others cannot be mapped.
struct HardwareBuffer {
  SharedHandle fd;
  bool isBlob = false;
  uint64_t size = 0;
};

/// A handle of an unknown kind; kept so that errors can name it.
struct UnknownHandle {
  std::string name;
  std::vector<SharedHandle> fds;
  std::vector<int32_t> integers;
  uint64_t size = 0;
};

using MemoryHandle = std::variant<Ashmem, MappableFile, HardwareBuffer, UnknownHandle>;
struct Memory {
  MemoryHandle handle;
};
using SharedMemory = std::shared_ptr<const Memory>;

struct ExtensionNameAndPrefix {
  std::string name;
  uint16_t prefix = 0;
};

struct Model {
  Subgraph main;
  std::vector<Subgraph> referenced;
  std::vector<uint8_t> operandValues; ///< bytes of the constants of lifetime ConstantCopy
  std::vector<SharedMemory> pools;
  bool relaxComputationFloat32toFloat16 = false;
  std::vector<ExtensionNameAndPrefix> extensionNameToPrefix;
};

/// One input or output of a request. With `hasNoValue` all other fields are empty (an omitted operand). `dimensions`,
/// if not empty, gives the extents that the model leaves unknown.
struct RequestArgument {
  bool hasNoValue = false;
  DataLocation location;
  std::vector<uint32_t> dimensions;
};

/// A driver-allocated buffer, named by the token that allocate() gave.
enum class BufferToken : uint32_t {};
using RequestPool = std::variant<SharedMemory, BufferToken>;

struct Request {
  std::vector<RequestArgument> inputs;
  std::vector<RequestArgument> outputs;
  std::vector<RequestPool> pools;
};

/// Shape of an output (0: unknown extent), and whether the output's region was large enough.
struct OutputShape {
  std::vector<uint32_t> dimensions;
  bool isSufficient = false;
};

using Duration = std::chrono::nanoseconds;
/// CLOCK_BOOTTIME, which includes the time while the machine is suspended.
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};
using TimePoint = BootClock::time_point;
using OptionalTimePoint = std::optional<TimePoint>;
using OptionalDuration = std::optional<Duration>;

inline constexpr Duration kDefaultLoopTimeout = std::chrono::seconds(2);
inline constexpr Duration kMaximumLoopTimeout = std::chrono::seconds(15);

/// Times of one execution, if measured; onDevice <= inDriver.
struct Timing {
  OptionalDuration timeOnDevice;
  OptionalDuration timeInDriver;
};

enum class ExecutionPreference : int32_t { LowPower = 0, FastSingleAnswer = 1, SustainedSpeed = 2 };
enum class Priority : int32_t { Low = 0, Medium = 1, High = 2 };
enum class DeviceType : int32_t { Unknown = 0, Other = 1, Cpu = 2, Gpu = 3, Accelerator = 4 };
enum class DeviceStatus : int32_t { Available = 0, Busy = 1, Offline = 2, Unknown = 3 };
enum class MeasureTiming : int32_t { No = 0, Yes = 1 };

/// Relative to the CPU reference, which is 1.0; less is better. FLT_MAX: unknown.
struct PerformanceInfo {
  float execTime = 0;
  float powerUsage = 0;
};

struct OperandPerformance {
  OperandType type = OperandType::Float32;
  PerformanceInfo info;
};

/// `operandPerformance` is sorted by type, without duplicates and without Subgraph.
struct Capabilities {
  PerformanceInfo relaxedFloat32toFloat16PerformanceScalar;
  PerformanceInfo relaxedFloat32toFloat16PerformanceTensor;
  std::vector<OperandPerformance> operandPerformance;
  PerformanceInfo ifPerformance;
  PerformanceInfo whilePerformance;
};

struct ExtensionOperandTypeInformation {
  uint16_t type = 0;
  bool isTensor = false;
  uint32_t byteSize = 0;
};
struct Extension {
  std::string name;
  std::vector<ExtensionOperandTypeInformation> operandTypes;
};

/// Where a device reads and writes the values of requests fastest, in bytes: powers of two.
struct MemoryPreference {
  uint32_t alignment = 64; ///< of the first byte of a value
  uint32_t padding = 64;   ///< a value's region is a multiple of it
};

struct NumberOfCacheFiles {
  uint32_t numModelCache = 0;
  uint32_t numDataCache = 0;
};

inline constexpr size_t kByteSizeOfCacheToken = 32;
using CacheToken = std::array<uint8_t, kByteSizeOfCacheToken>;

/// The value of an attribute of an extension. The token is the attribute's number in the extension, and in its upper
/// half the extension's prefix, 1 to 0x7FFF. Tokens without a prefix are ignored.
struct TokenValuePair {
  int32_t token = 0;
  std::vector<uint8_t> value;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_TYPES_H
