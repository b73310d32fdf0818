//===- Networks.h - The networks of an exploration --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_NETWORKS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_NETWORKS_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct Network {
  std::string name; ///< of the file without extension, or of the folder of a file "model.tflite"; unique
  std::string path;
  std::vector<uint8_t> bytes;
  std::string checksum; ///< of the bytes, in hexadecimal
};

/// The files, and the .tflite files in the folders and their subfolders, sorted by name. Files with equal bytes count
/// once. NotFound: a path does not exist, or a folder has no network. With `problems`, such paths and files that cannot
/// be read are added there instead, and the others are found.
Result<std::vector<Network>> findNetworks(const std::vector<std::string> &paths,
                                          std::vector<Status> *problems = nullptr);

/// Bytes as hexadecimal digits.
std::string hexText(std::span<const uint8_t> bytes);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_NETWORKS_H
