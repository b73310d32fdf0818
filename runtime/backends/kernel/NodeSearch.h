//===- NodeSearch.h - Finds the device node -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_KERNEL_NODESEARCH_H
#define AVOCET_RUNTIME_BACKENDS_KERNEL_NODESEARCH_H

#include "avocet/runtime/Backend.h"

#include <functional>
#include <memory>
#include <string>

namespace avocet::runtime {

using OpenNode = std::function<Result<std::unique_ptr<Backend>>(const std::string &path)>;

/// Opens a node, or the first usable one of a folder, in the order of their numbers. NotFound: there is none. Else, if
/// none is usable, the first error that is not Unsupported (a node of another driver), or the first one.
Result<std::unique_ptr<Backend>> openFirst(const std::string &place, const OpenNode &open);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_KERNEL_NODESEARCH_H
