//===- NpuDialect.cpp - Registration and types of npu -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "NpuText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace avocet::compiler::npu;
using avocet::firmware::DataType;

#include "avocet/compiler/Dialect/Npu/NpuDialect.cpp.inc"
#include "avocet/compiler/Dialect/Npu/NpuEnums.cpp.inc"
#include "avocet/compiler/Dialect/Npu/NpuInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuAttrs.cpp.inc"

// mlir-tblgen reuses names of variables in nested blocks.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuOps.cpp.inc"
#pragma GCC diagnostic pop

void NpuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "avocet/compiler/Dialect/Npu/NpuOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "avocet/compiler/Dialect/Npu/NpuTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "avocet/compiler/Dialect/Npu/NpuAttrs.cpp.inc"
      >();
  addBytecodeInterface(*this);
  addAsmInterface(*this);
}

namespace {
struct StorageType {
  DataType type;
  unsigned width;
  IntegerType::SignednessSemantics sign;
};
constexpr StorageType kIntegers[] = {
    {DataType::Bool8, 1, IntegerType::Signless},   {DataType::Int8, 8, IntegerType::Signless},
    {DataType::UInt8, 8, IntegerType::Unsigned},   {DataType::Int16, 16, IntegerType::Signless},
    {DataType::UInt16, 16, IntegerType::Unsigned}, {DataType::Int32, 32, IntegerType::Signless},
    {DataType::Int64, 64, IntegerType::Signless}};
} // namespace

std::optional<DataType> avocet::compiler::npu::dataTypeOf(Type elementType) {
  if (elementType.isF32())
    return DataType::Float32;
  if (elementType.isF16())
    return DataType::Float16;
  if (elementType.isBF16())
    return DataType::BFloat16;
  if (auto integer = dyn_cast<IntegerType>(elementType))
    for (const StorageType &entry : kIntegers)
      if (integer.getWidth() == entry.width && integer.getSignedness() == entry.sign)
        return entry.type;
  return std::nullopt;
}
