//===- SharedArea.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/SharedArea.h"

namespace avocet::nnapi {
namespace {

Result<Mapping> mapWhole(const FileDescriptor &file, uint64_t size) {
  return Mapping::map(file.get(), size, Mapping::Access::ReadWrite);
}

} // namespace

ApiResult<SharedArea> SharedArea::make(uint64_t size) {
  auto file = createMemoryFile("nnapi", size);
  if (!file)
    return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, file.error().message()};
  auto mapping = mapWhole(*file, size);
  if (!mapping)
    return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, mapping.error().message()};
  SharedArea area;
  area.mapping_ = std::move(*mapping);
  auto handle = std::make_shared<const FileDescriptor>(std::move(*file));
  area.memory_ = std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}});
  return area;
}

} // namespace avocet::nnapi
