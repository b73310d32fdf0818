//===- NetworkContext.h - Networks in EPContext nodes -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session that is asked for it writes a model whose partitions are EPContext nodes. Such a node has the network as an
// ONNX file, in the model or beside it. A session on that model asks the compiler for nothing but the network, which is
// in the folder of option cache_dir or compiled anew: a file of another version of the compiler is no reason to fail.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_CONTEXT_NETWORKCONTEXT_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_CONTEXT_NETWORKCONTEXT_H

#include "options/Options.h"
#include "partition/Plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet::ort {

/// Whether the node is one of ours. The order of its inputs and outputs is that of its network.
Result<bool> isContext(const Graph &graph, const Node &node);

/// Compiles the network of such a node. Errors name what is missing.
Result<PlannedNetwork> loadContext(const Graph &graph, const Node &node, const ContextOptions &options,
                                   plugin::Engine &engine);

/// What an EPContext node is made of.
struct ContextParts {
  std::string name;                         ///< of the partition
  std::string modelPath;                    ///< of the session's model; empty: it has none
  std::vector<std::string> inputs, outputs; ///< in the order of the fused node
  std::string file;                         ///< see PartitionModel::file()
};

/// A node for the runtime, which releases it. FailedPrecondition: there is no place for files; the message says which
/// options help.
Result<abi::Node *> makeContext(const Runtime &runtime, const ContextOptions &options, const ContextParts &parts);

/// What the runtime stores with such models, to ask compatibilityOf() later. `version`: of the library.
std::string compatibilityText(std::string_view version);
abi::Compatibility compatibilityOf(std::string_view text, std::string_view version);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_CONTEXT_NETWORKCONTEXT_H
