//===- Extension.h - Vendor extensions of the device ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of an extension: its operand types, operations and attributes. Each folder of hal/extensions whose name is
// that of an extension defines one object of ExtensionRules, which the device then supports. The compiler's part is in
// compiler/lib/Import/Extensions (README.md beside this library has the recipe).
//
// All objects are constant and live as long as the process, so any thread may use them. Functions of an extension get
// models of untrusted clients: they refuse with InvalidArgument and a message, and never fail in another way.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_EXTENSIONS_EXTENSION_H
#define AVOCET_HAL_EXTENSIONS_EXTENSION_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::hal {

/// A type of operands.
struct ExtensionType {
  uint16_t number;       ///< within the extension; never changes
  std::string_view name; ///< "TENSOR_FIXED8"
  bool isTensor;
  uint32_t byteSize; ///< of one element
  /// The operand of a standard type that has the same bytes: the form in which the driver stores and the compiler reads
  /// the value. The function gets the client's operand, whose extension data it checks, and changes `type`, `scale` and
  /// `zeroPoint`, or for per-channel types `extraParams`. Other fields stay. The element has `byteSize` bytes.
  Result<Operand> (*storage)(const Operand &operand);
};

/// A type that an operand of an operation may have: a standard one, or one of the extension's own.
struct AllowedType {
  static constexpr AllowedType standard(OperandType type) { return {static_cast<int32_t>(type), false}; }
  static constexpr AllowedType own(uint16_t number) { return {number, true}; }
  int32_t code;
  bool isOwn;
};

struct ExtensionOperand {
  std::string_view name; ///< for messages
  std::span<const AllowedType> types;
  /// It may be omitted (lifetime NO_VALUE), and at the end of the list it may be absent.
  bool isOptional = false;
};

struct ExtensionOperation {
  uint16_t number;       ///< within the extension; never changes
  std::string_view name; ///< "HARD_SIGMOID"
  std::span<const ExtensionOperand> inputs;
  std::span<const ExtensionOperand> outputs;
  /// Rules that the lists cannot express. Counts and types have been checked. Null: none.
  Outcome (*check)(const OperationView &operation) = nullptr;
};

/// A value that a client may give to a compilation or an execution. Exactly one of the functions is set.
struct ExtensionAttribute {
  uint16_t number;       ///< within the extension; never changes
  std::string_view name; ///< "ROUNDING"
  /// Of compilations: checks the value, which the compiler then gets (NnapiOperation::attribute()).
  Outcome (*checkForCompilation)(std::span<const uint8_t> value) = nullptr;
  /// Of executions: checks the value and changes the options of one execution, but not their hints. Called at the start
  /// of each, and before that with default options whose changes are lost, so that wrong values are refused early.
  Outcome (*applyToExecution)(std::span<const uint8_t> value, ExecutionOptions &options) = nullptr;
};

struct ExtensionRules {
  std::string_view name; ///< that of the folder
  std::span<const ExtensionType> types;
  std::span<const ExtensionOperation> operations;
  std::span<const ExtensionAttribute> attributes;
};

/// All extensions of hal/extensions, by name.
std::span<const ExtensionRules *const> allExtensions();

/// Null: there is no such extension.
const ExtensionRules *findExtension(std::string_view name);

/// For IDevice::supportedExtensions().
std::vector<Extension> describeExtensions();

} // namespace avocet::hal

#endif // AVOCET_HAL_EXTENSIONS_EXTENSION_H
