//===- Module.h - The driver's module and its binding to the device -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_MODULE_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_MODULE_H

#include <string>

namespace avocet::uapi {

/// 0 or an errno; EWOULDBLOCK: it is in use.
int unloadModule();

/// Loads the module with parameters ("name=value ..."); on return the node of the device is there. 0 or an errno.
int loadModule(const std::string &parameters);

/// Address of the device's PCI function.
std::string findFunction();
bool unbind(const std::string &function);
bool bind(const std::string &function); ///< true: the node of the device is there; false: the driver refused the device

/// The module has other parameters during the object's life. No file of the device may be open at its begin and end.
class ParameterChange {
public:
  explicit ParameterChange(const std::string &parameters);
  ~ParameterChange();
  ParameterChange(const ParameterChange &) = delete;
  ParameterChange &operator=(const ParameterChange &) = delete;
};

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_MODULE_H
