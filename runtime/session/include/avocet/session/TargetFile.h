//===- TargetFile.h - Target files beside artefacts -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artefacts name their target and hold its fingerprint, but not its figures, which a run needs. A target that is not
// shipped is kept beside them as target.toml.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_TARGETFILE_H
#define AVOCET_SESSION_TARGETFILE_H

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <string>

namespace avocet::session {

inline constexpr const char *kTargetFileName = "target.toml";

/// Copies the target file `target` into the directory of artefacts; for a shipped target it removes the copy there.
Status keepTargetFile(const std::string &directory, const std::string &target);

/// The target of the artefacts in `directory`: `chosen` (a name or a file) if it is not empty, or else the directory's
/// file, or else the shipped target. An error if its figures differ from those that the artefacts were compiled for.
Result<std::shared_ptr<const firmware::Target>>
targetOfArtefacts(const std::string &directory, const cache::ModelCache &model, const std::string &chosen);

} // namespace avocet::session

#endif // AVOCET_SESSION_TARGETFILE_H
