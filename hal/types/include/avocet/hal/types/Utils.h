//===- Utils.h - Queries on the canonical types -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, sizes, versions and comparisons of types, operands and memories. All functions accept unvalidated values:
// unknown codes have names and results too. Sizes are computed with overflow checks.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_UTILS_H
#define AVOCET_HAL_TYPES_UTILS_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::hal {

/// OEM codes (the old vendor extension), whose meaning only their vendor defines.
inline constexpr OperandType kOemScalar = static_cast<OperandType>(10000);
inline constexpr OperandType kTensorOemByte = static_cast<OperandType>(10001);
inline constexpr OperationType kOemOperation = static_cast<OperationType>(10000);

/// Codes above this one carry an extension's prefix in their upper half.
inline constexpr uint32_t kMaxStandardCode = 0xFFFF;

/// Most operands and operations of a model, and most bytes of one value.
inline constexpr uint64_t kMaxCount = 0xFFFFFFFE;
inline constexpr uint64_t kMaxByteSize = 0xFFFFFFFF;

inline constexpr uint32_t kMaxNumberOfCacheFiles = 32;

/// Alignment of memory that is not for one device, in bytes: a cache line of common machines.
inline constexpr uint32_t kPreferredAlignment = 64;

/// Whether an operand type has a scale.
enum class ScaleRule { None, Optional, Required };

/// A standard operand type: its facts from avocet/nnapi/Codes.h, and the rules of the HAL (hal 1.3 types.hal).
struct OperandTypeInfo {
  OperandType type;
  std::string_view name; ///< "TENSOR_FLOAT32"
  uint32_t byteSize;     ///< of one element; 0 for SUBGRAPH
  bool isTensor;
  Version since;
  ScaleRule scale;
  int32_t minZeroPoint;
  int32_t maxZeroPoint;
};

/// All standard types, sorted by code. Null for codes that are none.
std::span<const OperandTypeInfo> allOperandTypes();
const OperandTypeInfo *findOperandType(OperandType type);

/// An extension's type or operation: its upper half is not 0.
bool isExtension(OperandType type);
bool isExtension(OperationType type);
/// The prefix of an extension's code; Model::extensionNameToPrefix maps it to a name.
uint16_t extensionPrefix(OperandType type);
uint16_t extensionPrefix(OperationType type);
/// The code of operation `number` of the extension with this prefix.
OperationType extensionOperation(uint16_t prefix, uint16_t number);

/// Standard types only; false for extensions and OEM codes. SUBGRAPH is neither.
using nnapi::isScalar;
using nnapi::isTensor;
bool isOem(OperandType type);
/// An asymmetric or symmetric quantized tensor, per tensor or per channel.
bool isQuantized(OperandType type);
/// A constant of either lifetime.
bool isConstant(OperandLifeTime lifetime);

/// True if rank and all extents are known. True for scalars; depends only on the dimensions for extensions' operands.
bool isFullySpecified(const Operand &operand);

/// Bytes of a value of the standard type and shape: 0 if the rank of a tensor or an extent is unknown (also for
/// SUBGRAPH). Empty for extension and OEM types, whose sizes only their vendor defines, and if the known extents alone
/// exceed kMaxByteSize.
std::optional<uint64_t> getNonExtensionSize(OperandType type, std::span<const uint32_t> dimensions);
std::optional<uint64_t> getNonExtensionSize(const Operand &operand);

/// `value` rounded up to a multiple of `multiple` (not 0); empty on overflow.
std::optional<uint64_t> checkedRoundUp(uint64_t value, uint64_t multiple);
/// a + b, a * b; empty on overflow.
std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b);
std::optional<uint64_t> checkedMultiply(uint64_t a, uint64_t b);

/// Bytes of a memory as stated by its handle; 0 for hardware buffers that are no blobs.
uint64_t sizeOf(const Memory &memory);

/// The file of a memory, and the offset of its first byte in the file.
struct FilePlace {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t offset = 0;
};
/// Empty for memory whose inode does not identify it (for example character devices) and for handles of unknown kinds.
/// Never waits for a file system.
std::optional<FilePlace> filePlaceOf(const Memory &memory);

/// Whether two handles denote the same bytes: the same object, or the same kind, range and file.
bool isSameMemory(const SharedMemory &a, const SharedMemory &b);

/// Combines two partial descriptions of one shape (empty: unknown rank; 0: unknown extent). Empty if they contradict
/// each other.
std::optional<std::vector<uint32_t>> combineDimensions(std::span<const uint32_t> a, std::span<const uint32_t> b);

/// Names as in the HAL: "TENSOR_FLOAT32", "CONV_2D", "CONSTANT_COPY". Codes without a name appear as numbers, those of
/// extensions as "extension 3 type 7" or "extension 3 operation 7".
std::string toString(OperandType type);
std::string operationName(OperationType type);
std::string toString(OperandLifeTime lifetime);
std::string toString(Version version); ///< "1.2", "AIDL v3"
std::string toString(Priority priority);
std::string toString(ExecutionPreference preference);
std::string toString(DeviceType type);
std::string toString(DeviceStatus status);
std::string toString(MeasureTiming measure);
std::string toString(std::span<const uint32_t> dimensions); ///< "[1,?,3]", "[]"

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_UTILS_H
