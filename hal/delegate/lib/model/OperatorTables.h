//===- OperatorTables.h - Options of nodes in the file format ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each builtin operator that the compiler imports: the last version whose meaning is known here, and the function
// that writes its options. Operators with subgraphs and resources are left out, since a delegate cannot see the other
// subgraphs that they concern.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_MODEL_OPERATORTABLES_H
#define AVOCET_HAL_DELEGATE_LIB_MODEL_OPERATORTABLES_H

#include "avocet/base/Status.h"

#include "Tflite_generated.h"

#include <span>
#include <utility>

namespace avocet::delegate {

struct OperatorRow {
  tflite::BuiltinOperator code;
  int32_t lastVersion;
  /// Null for operators without options; `parameters` is never null.
  Status (*write)(const void *parameters, int32_t version, tflite::OperatorT &target) = nullptr;
  /// The version that added the last member that the structure has in TensorFlow Lite 2.9.
  int32_t versionOf29 = 1;
};

/// Null: the operator stays with TensorFlow Lite.
const OperatorRow *findOperator(tflite::BuiltinOperator code);

/// `version` in what follows: members that later versions added must not be read.
/// A row's function from one that fills the table of options.
template <typename Parameters, typename Options, Status (*fill)(const Parameters &, int32_t version, Options &)>
Status writeOptions(const void *parameters, int32_t version, tflite::OperatorT &target) {
  Options options;
  AVOCET_RETURN_IF_ERROR(fill(*static_cast<const Parameters *>(parameters), version, options));
  target.options.Set(std::move(options));
  return Status::ok();
}

/// Each refuses numbers that the format does not have.
Status setPadding(int32_t padding, tflite::Padding &target);
Status setActivation(int32_t activation, tflite::ActivationFunction &target);
Status setType(int32_t type, tflite::TensorType &target);

std::span<const OperatorRow> convOperators();
std::span<const OperatorRow> shapeOperators();
std::span<const OperatorRow> recurrentOperators();
std::span<const OperatorRow> plainOperators();

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_MODEL_OPERATORTABLES_H
