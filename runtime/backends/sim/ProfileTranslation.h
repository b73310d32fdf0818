//===- ProfileTranslation.h - Converts the simulator's profiles -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_PROFILETRANSLATION_H
#define AVOCET_RUNTIME_BACKENDS_SIM_PROFILETRANSLATION_H

#include "avocet/runtime/Profile.h"
#include "avocet/sim/Profile.h"

namespace avocet::runtime {

JobProfile translateProfile(const sim::JobProfile &profile);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_PROFILETRANSLATION_H
