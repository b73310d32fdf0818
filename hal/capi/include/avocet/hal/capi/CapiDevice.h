//===- CapiDevice.h - A device of an NNAPI C library ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_CAPIDEVICE_H
#define AVOCET_HAL_CAPI_CAPIDEVICE_H

#include "avocet/hal/types/Interfaces.h"

namespace avocet::hal {

struct CapiOptions {
  std::string library = "libneuralnetworks.so"; ///< a path, or a name that the dynamic linker finds
  std::string device;                           ///< its name; empty: the first of the library
};

/// A device whose calls become calls of the C library, which stays loaded. The model is compiled for this device alone.
/// NotFound and the like are GeneralFailure with a message that lists the library's devices.
///
/// The C interface is narrower than the HAL's, so that:
/// - status() is Unknown: the library can only wait until a device is usable;
/// - reasons of unsupported operations, and messages of errors, name the call and its code only;
/// - prepareModelFromCache() works for models that this object has prepared with the same open cache files, and is a
///   GeneralFailure if the library compiled the model again;
/// - compute() of a reusable execution keeps the deadline that createReusableExecution() got;
/// - copyTo() answers GeneralFailure for a memory of another size too;
/// - copyFrom() does not pass on dimensions; hints are refused.
Result<std::shared_ptr<IDevice>> openCapiDevice(const CapiOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_CAPI_CAPIDEVICE_H
