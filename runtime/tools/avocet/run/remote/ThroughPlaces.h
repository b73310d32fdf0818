//===- ThroughPlaces.h - The files of a run in an application ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHPLACES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHPLACES_H

#include "avocet/base/Status.h"
#include "run/RunPlace.h"

#include <cstdint>
#include <string>

namespace avocet::tool {

/// Folder of the framework's libraries. NotFound says how to install it. `clients`: see RunOptions.
Result<std::string> findFramework(Through through, const std::string &clients);

/// Folder of this tree's libraries. NotFound: the one that the framework loads is not there, or the compiler, which it
/// needs unless the requests of NNAPI go to a service.
Result<std::string> findLibraries(Through through, bool isServed);

/// Number of operators in the first subgraph. InvalidArgument: the file is no TensorFlow Lite network, or damaged;
/// TensorFlow Lite itself does not check it and may crash.
Result<uint64_t> countOperators(const std::string &path);

/// InvalidArgument: the file cannot be one that ONNX Runtime reads, which checks all else itself.
Status checkOnnxFile(const std::string &path);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHPLACES_H
