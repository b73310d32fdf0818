//===- OnnxKeptNode.h - Stand-ins for refused nodes -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXKEPTNODE_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXKEPTNODE_H

#include "OnnxGraph.h"

namespace avocet::compiler {

/// The value of a name in the graph; null: none, or none of the dialect.
using ValueOfName = llvm::function_ref<mlir::Value(llvm::StringRef name)>;

/// Keeps node `index` at the insertion point (Import/Common/KeptOperator.h). An application may compute nodes of
/// domains that this compiler does not know, as "domain::kind"; their attributes are bytes of a NodeProto that has
/// nothing else. Nodes with tensors or graphs among the attributes are kept without a name for applications.
mlir::Operation *keepNode(OnnxImport &import, const onnx_file::GraphProto &graph, const onnx_file::NodeProto &node,
                          uint32_t index, ValueOfName valueOf);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXKEPTNODE_H
