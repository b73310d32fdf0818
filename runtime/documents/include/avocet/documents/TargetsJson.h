//===- TargetsJson.h - Targets as JSON --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_TARGETSJSON_H
#define AVOCET_DOCUMENTS_TARGETSJSON_H

#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::documents {

using Targets = std::vector<std::shared_ptr<const firmware::Target>>;

/// All that can be selected by name.
Result<Targets> shippedTargets();

/// What `avocet targets --json` prints (schemas/targets.schema.json), without the line's end.
std::string targetsJson(const Targets &targets);

/// The same for one target, with all its figures and its file.
std::string targetJson(const firmware::Target &target);

/// Of the off-chip port.
double dramBytesPerCycle(const firmware::Target &target);

/// For int8.
uint32_t dspLanes(const firmware::Target &target);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_TARGETSJSON_H
