//===- LoadedModel.h - A compiled network -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_LOADEDMODEL_H
#define AVOCET_SESSION_LOADEDMODEL_H

#include "avocet/cache/ArtefactDir.h"
#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <string>

namespace avocet::session {

struct LoadedModel {
  std::string name;
  cache::Artefacts artefacts;
  std::shared_ptr<const firmware::Target> target;
  double compileMs = 0; ///< 0 if loaded from artefacts
};

} // namespace avocet::session

#endif // AVOCET_SESSION_LOADEDMODEL_H
