//===- MiscompilingDevice.h - A device that computes other models -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_MISCOMPILINGDEVICE_H
#define AVOCET_TESTS_CONFORMANCE_MISCOMPILINGDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <functional>
#include <memory>

namespace avocet::hal::conformance {

/// Changes a model before the device sees it.
using ModelChange = std::function<void(Model &)>;

/// `device`, but each model is changed before it is compiled. Questions about models get the device's own answers,
/// except that operations of type `refused` are not supported.
std::shared_ptr<IDevice> makeMiscompilingDevice(std::shared_ptr<IDevice> device, ModelChange change,
                                                std::optional<OperationType> refused = std::nullopt);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_MISCOMPILINGDEVICE_H
