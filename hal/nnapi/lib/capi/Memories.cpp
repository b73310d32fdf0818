//===- Memories.cpp - Functions ANeuralNetworksMemory* --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"
#include "capi/Handles.h"
#include "compilation/Compilation.h"
#include "memory/FileMemory.h"
#include "memory/MemoryDescription.h"

using namespace avocet::nnapi;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory) {
  return create(__func__, {}, memory, [&] { return FileMemory::fromDescriptor(size, protect, fd, offset); });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory) {
  return create(__func__, {ahwb}, memory, [&] { return FileMemory::fromHardwareBuffer(ahwb); });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc, ANeuralNetworksMemory **memory) {
  return create(__func__, {desc}, memory, [&] { return desc->object->allocate(); });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst) {
  return call(__func__, {src, dst}, [&]() -> ApiOutcome {
    if (src->object == dst->object)
      return success();
    return dst->object->copyFrom(*src->object);
  });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory) { release(__func__, memory); }

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc) {
  return create(__func__, {}, desc, []() -> ApiResult<std::shared_ptr<MemoryDescription>> {
    return std::make_shared<MemoryDescription>();
  });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc) { release(__func__, desc); }

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                           const ANeuralNetworksCompilation *compilation, uint32_t index,
                                           float frequency) {
  return call(__func__, {desc, compilation},
              [&] { return desc->object->addRole(compilation->object, false, index, frequency); });
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                            const ANeuralNetworksCompilation *compilation, uint32_t index,
                                            float frequency) {
  return call(__func__, {desc, compilation},
              [&] { return desc->object->addRole(compilation->object, true, index, frequency); });
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions) {
  return call(__func__, {desc}, [&]() -> ApiOutcome {
    if (dimensions == nullptr && rank != 0)
      return unexpectedNull("the list of dimensions is null");
    return desc->object->setDimensions({dimensions, dimensions + rank});
  });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc) {
  return call(__func__, {desc}, [&] { return desc->object->finish(); });
}
