//===- Area.h - Memory that the application and the device share - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages of a memory file, mapped in this process, that a device imports without a copy. Tensors of the interpreter are
// placed in them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_AREA_H
#define AVOCET_HAL_PLUGIN_AREA_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Types.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace avocet::plugin {

/// Immutable after create(), but for the contents.
class Area {
public:
  /// At least one byte; zero.
  static Result<std::shared_ptr<Area>> create(uint64_t bytes);

  uint8_t *data() { return mapping_.bytes().data(); }
  uint64_t size() const { return mapping_.bytes().size(); }
  /// The offset of [data, data + bytes), if it lies in the area.
  std::optional<uint64_t> offsetOf(const void *data, uint64_t bytes) const;
  const hal::SharedMemory &memory() const { return memory_; }

private:
  Mapping mapping_;
  hal::SharedMemory memory_;
};

/// A range of an area.
struct Place {
  std::shared_ptr<Area> area;
  uint64_t offset = 0;
};

/// All areas of a plug-in that exist, so that a partition finds tensors in areas of others. Thread-safe.
class Areas {
public:
  Result<std::shared_ptr<Area>> create(uint64_t bytes);
  /// Empty: the range is not in an area.
  std::optional<Place> find(const void *data, uint64_t bytes);

private:
  std::mutex mutex_;
  std::map<uintptr_t, std::weak_ptr<Area>> areas_; ///< by their first byte
};

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_AREA_H
