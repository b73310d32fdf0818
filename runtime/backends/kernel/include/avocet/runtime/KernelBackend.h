//===- KernelBackend.h - The kernel driver as a back end -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Jobs go to a device of the kernel driver (firmware_iface/kmod, interface firmware_iface/uapi). Buffers are GEM
// objects; exported descriptors are dma-bufs. Imported dma-bufs and memory files are bound without a copy. The pages of
// a memory file are pinned and count towards RLIMIT_MEMLOCK. The kernel waits for dependencies between jobs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_KERNELBACKEND_H
#define AVOCET_RUNTIME_KERNELBACKEND_H

#include "avocet/runtime/Backend.h"

#include <string>
#include <vector>

namespace avocet::runtime {

/// Where the kernel makes the nodes of accelerators.
inline constexpr const char *kKernelNodes = "/dev/accel";

/// `argument`: a device node; or a folder of nodes, whose first one that belongs to the driver and has the target of
/// the options is opened; or empty: the folder /dev/accel. NotFound: there is no node. Unsupported: all belong to other
/// drivers. FailedPrecondition: the device has another target or interface, or this user may not open it.
Result<std::unique_ptr<Backend>> openKernelBackend(const BackendOptions &options, std::string_view argument);

/// A device node of the kernel driver.
struct KernelNode {
  std::string path;
  Status usable;      ///< FailedPrecondition: this user may not open it, or the driver has another interface
  std::string target; ///< name of the device's target; empty: it is not usable
};

/// All nodes of the driver in a folder, in the order of their numbers; those of other drivers are left out.
std::vector<KernelNode> kernelNodes(const std::string &folder = kKernelNodes);

/// Registers the back end under the name "kernel".
void registerKernelBackend();

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_KERNELBACKEND_H
