//===- RequestRules.cpp - Rules of requests -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

namespace avocet::hal {

using enum Version;

static const Memory *memoryOf(const RequestPool &pool) {
  const auto *memory = std::get_if<SharedMemory>(&pool);
  return memory != nullptr ? memory->get() : nullptr;
}

/// Bytes of a pool; 0 for a buffer of the driver or of an unmappable kind, which is used as a whole.
static uint64_t sizeOfPool(const RequestPool &pool) {
  const Memory *memory = memoryOf(pool);
  return memory != nullptr ? sizeOf(*memory) : 0;
}

static Result<Version> validatePool(const RequestPool &pool) {
  if (const auto *token = std::get_if<BufferToken>(&pool)) {
    if (*token == BufferToken())
      return invalidArgument("buffer token 0, must be positive");
    return V1_3;
  }
  return validate(std::get<SharedMemory>(pool), false);
}

static Outcome checkNoValue(const RequestArgument &argument) {
  if (argument.location != DataLocation() || !argument.dimensions.empty())
    return invalidArgument("no value, but a location or dimensions, which must be 0 and empty");
  return success();
}

static Outcome checkLocation(const Request &request, const DataLocation &location) {
  if (location.poolIndex >= request.pools.size())
    return invalidArgument(
        fmt::format("pool index {} of a request with {} pools", location.poolIndex, request.pools.size()));
  uint64_t size = sizeOfPool(request.pools[location.poolIndex]);
  std::optional<uint64_t> end = checkedAdd(location.offset, location.length);
  end = end ? checkedAdd(*end, location.padding) : end;
  if (!end || *end > size)
    return invalidArgument(
        fmt::format("location has offset {}, length {} and padding {}, which is not inside the {} bytes of pool {}",
                    location.offset, location.length, location.padding, size, location.poolIndex));
  if (size != 0 && location.length == 0)
    return invalidArgument("location has length 0, must be positive");
  return success();
}

static Outcome checkArguments(const Request &request, const std::vector<RequestArgument> &arguments,
                              std::string_view what) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const RequestArgument &argument = arguments[i];
    Outcome outcome = argument.hasNoValue ? checkNoValue(argument) : checkLocation(request, argument.location);
    if (!outcome)
      return at(outcome.error(), "{} {}", what, i);
  }
  return success();
}

namespace {

/// Identity of a pool, independent of its handle: equal for pools that may share bytes.
struct PoolIdentity {
  enum class Kind { Buffer, File, Object };
  Kind kind = Kind::Object;
  uint64_t device = 0; ///< of a file
  uint64_t number = 0; ///< token, inode, or address of the memory's object
  auto operator<=>(const PoolIdentity &) const = default;
};

/// The identity of a pool, and the offset of its first byte.
struct PoolPlace {
  PoolIdentity identity;
  uint64_t start = 0;
  bool isWhole = false; ///< used without offsets
};

/// Uses the file rather than the object, since two handles of one file are two objects.
PoolPlace placeOf(const RequestPool &pool, const std::optional<FilePlace> &file) {
  using enum PoolIdentity::Kind;
  if (const auto *token = std::get_if<BufferToken>(&pool))
    return {{Buffer, 0, static_cast<uint32_t>(*token)}, 0, true};
  const Memory &memory = *memoryOf(pool);
  const bool isWhole = sizeOf(memory) == 0;
  if (file)
    return {{File, file->device, file->inode}, file->offset, isWhole};
  return {{Object, 0, reinterpret_cast<uintptr_t>(&memory)}, 0, isWhole};
}

/// Bytes [begin, end) of a file, another memory or a driver buffer.
struct Region {
  PoolIdentity memory;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool isOutput = false;
  size_t position = 0;
};

/// Finds outputs that share bytes with another argument.
class OverlapCheck {
public:
  OverlapCheck(const Request &request, const PoolPlaces &places) : request_(request), places_(places) {
    regions_.reserve(request.inputs.size() + request.outputs.size());
    collect(request.inputs, false);
    collect(request.outputs, true);
    std::ranges::sort(regions_, [](const Region &a, const Region &b) {
      return std::tie(a.memory, a.begin, a.end) < std::tie(b.memory, b.begin, b.end);
    });
  }

  /// In sorted order, a region overlaps an earlier one if it begins before the largest end so far. Outputs and inputs
  /// have separate ends, since inputs may overlap each other.
  Outcome run() {
    const Region *lastInput = nullptr;
    const Region *lastOutput = nullptr;
    for (const Region &region : regions_) {
      AVOCET_RETURN_IF_ERROR(checkPair(lastOutput, region));
      if (region.isOutput)
        AVOCET_RETURN_IF_ERROR(checkPair(lastInput, region));
      const Region *&last = region.isOutput ? lastOutput : lastInput;
      if (last == nullptr || last->memory != region.memory || last->end < region.end)
        last = &region;
    }
    return success();
  }

private:
  void collect(const std::vector<RequestArgument> &arguments, bool isOutput) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!arguments[i].hasNoValue)
        add(arguments[i].location, isOutput, i);
  }

  /// An output's region includes its padding, since the driver may write there.
  void add(const DataLocation &location, bool isOutput, size_t position) {
    const PoolPlace place = placeOf(request_.pools[location.poolIndex], places_[location.poolIndex]);
    Region region{place.identity, 0, std::numeric_limits<uint64_t>::max(), isOutput, position};
    if (!place.isWhole) {
      region.begin = place.start + location.offset;
      region.end = region.begin + location.length + (isOutput ? location.padding : 0);
    }
    regions_.push_back(region);
  }

  static Outcome checkPair(const Region *earlier, const Region &region) {
    if (earlier == nullptr || earlier->memory != region.memory || earlier->end <= region.begin)
      return success();
    return invalidArgument(fmt::format("{} {} and {} {} overlap", earlier->isOutput ? "output" : "input",
                                       earlier->position, region.isOutput ? "output" : "input", region.position));
  }

  const Request &request_;
  const PoolPlaces &places_;
  std::vector<Region> regions_;
};

} // namespace

PoolPlaces placesOf(const Request &request) {
  PoolPlaces places(request.pools.size());
  for (size_t i = 0; i < places.size(); ++i)
    if (const Memory *memory = memoryOf(request.pools[i]))
      places[i] = filePlaceOf(*memory);
  return places;
}

Result<Version> validate(const Request &request) { return validate(request, placesOf(request)); }

Result<Version> validate(const Request &request, const PoolPlaces &places) {
  Version version = V1_0;
  for (size_t i = 0; i < request.pools.size(); ++i) {
    Result<Version> needed = validatePool(request.pools[i]);
    if (!needed)
      return at(needed.error(), "request pool {}", i);
    version = std::max(version, *needed);
  }
  AVOCET_RETURN_IF_ERROR(checkArguments(request, request.inputs, "input"));
  AVOCET_RETURN_IF_ERROR(checkArguments(request, request.outputs, "output"));
  AVOCET_RETURN_IF_ERROR(OverlapCheck(request, places).run());
  return version;
}

Outcome validateMemoryIdentifier(int64_t identifier) {
  if (identifier < -1)
    return invalidArgument(fmt::format("burst: memory identifier {}, must be at least -1", identifier));
  return success();
}

Outcome validateMemoryIdentifiers(const Request &request, std::span<const int64_t> identifiers) {
  if (identifiers.size() != request.pools.size())
    return invalidArgument(fmt::format("burst: {} memory identifiers, must be {}, one for each pool",
                                       identifiers.size(), request.pools.size()));
  for (int64_t identifier : identifiers)
    AVOCET_RETURN_IF_ERROR(validateMemoryIdentifier(identifier));
  return success();
}

} // namespace avocet::hal
