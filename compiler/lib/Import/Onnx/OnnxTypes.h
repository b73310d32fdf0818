//===- OnnxTypes.h - Element types of ONNX tensors --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXTYPES_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXTYPES_H

#include "Import/OnnxFile/OnnxFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace avocet::compiler {

struct OnnxImport;

/// "FLOAT" for a number of TensorProto.DataType.
std::string onnxTypeName(int64_t type);

/// The element type, some of which only importers have (Import/Common/ImportTypes.h). FLOAT64 is f32. Null: none.
mlir::Type onnxElement(mlir::MLIRContext *context, int64_t type);

/// What element types can be, for reports.
inline constexpr llvm::StringLiteral kOnnxElements = "numbers of 2 to 64 bits, but no complex ones";

/// The bytes of a constant with the element type of the dialect: those of the file where they are equal. Null: they
/// are more than kMaxComputedBytes.
mlir::ElementsAttr onnxElements(const OnnxImport &import, const onnx_file::TensorProto &tensor,
                                mlir::RankedTensorType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXTYPES_H
