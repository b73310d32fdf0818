//===- ArgumentRules.cpp - Rules of requests for a given model ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <optional>

namespace avocet::hal {

using enum Version;

/// An argument with dimensions repeats what the model says and fills in the rest.
static bool agree(const std::vector<uint32_t> &model, const std::vector<uint32_t> &argument) {
  if (model.empty() || argument.empty())
    return true;
  return std::ranges::equal(model, argument,
                            [](uint32_t known, uint32_t given) { return known == 0 || known == given; });
}

static Outcome checkDimensionsAgree(const Operand &operand, const RequestArgument &argument) {
  bool takesNone = isScalar(operand.type) && !argument.dimensions.empty();
  if (takesNone || !agree(operand.dimensions, argument.dimensions))
    return invalidArgument(fmt::format("dimensions {} for {} {} of the model", toString(argument.dimensions),
                                       toString(operand.type), toString(operand.dimensions)));
  return success();
}

/// 1.2 if the shape is determined at execution, which only outputs allow. Not for scalars and types of extensions.
static Result<Version> validateShape(OperandType type, const std::vector<uint32_t> &dimensions, bool mayBeUnknown) {
  bool isUnknown = (isTensor(type) && dimensions.empty()) || std::ranges::find(dimensions, 0U) != dimensions.end();
  if (isUnknown && !mayBeUnknown)
    return invalidArgument(fmt::format("shape {}, must be fully specified by model and request", toString(dimensions)));
  return isUnknown ? V1_2 : V1_0;
}

/// A given length must equal the size of the value, if that is known. Arguments in driver buffers have no length.
static Outcome checkLength(OperandType type, const std::vector<uint32_t> &dimensions, uint64_t length) {
  if (findOperandType(type) == nullptr)
    return success();
  std::optional<uint64_t> size = getNonExtensionSize(type, dimensions);
  if (!size)
    return invalidArgument(
        fmt::format("shape {} of {} has more than {} bytes", toString(dimensions), toString(type), kMaxByteSize));
  if (length != 0 && *size != 0 && length != *size)
    return invalidArgument(fmt::format("location has length {}, must be the {} bytes of {} {}", length, *size,
                                       toString(type), toString(dimensions)));
  return success();
}

static Result<Version> validateArgument(const Operand &operand, const RequestArgument &argument, bool mayBeUnknown) {
  if (argument.hasNoValue)
    return V1_0;
  AVOCET_RETURN_IF_ERROR(checkDimensionsAgree(operand, argument));
  const std::vector<uint32_t> &dimensions = argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
  AVOCET_ASSIGN_OR_RETURN(Version version, validateShape(operand.type, dimensions, mayBeUnknown));
  AVOCET_RETURN_IF_ERROR(checkLength(operand.type, dimensions, argument.location.length));
  return version;
}

static Result<Version> validateArguments(const std::vector<RequestArgument> &arguments, const Subgraph &main,
                                         const std::vector<uint32_t> &indices, bool mayBeUnknown,
                                         std::string_view what) {
  if (arguments.size() != indices.size())
    return invalidArgument(fmt::format("the request has {} {}s, must be {}", arguments.size(), what, indices.size()));
  Version version = V1_0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Result<Version> needed = validateArgument(main.operands[indices[i]], arguments[i], mayBeUnknown);
    if (!needed)
      return at(needed.error(), "{} {} (operand {})", what, i, indices[i]);
    version = std::max(version, *needed);
  }
  return version;
}

Result<Version> validateRequestForModel(const Request &request, const Model &model, bool allowUnspecifiedOutput,
                                        const PoolPlaces &places) {
  AVOCET_ASSIGN_OR_RETURN(Version version, validate(request, places));
  const Subgraph &main = model.main;
  AVOCET_ASSIGN_OR_RETURN(Version forInputs,
                          validateArguments(request.inputs, main, main.inputIndexes, false, "input"));
  AVOCET_ASSIGN_OR_RETURN(Version forOutputs, validateArguments(request.outputs, main, main.outputIndexes,
                                                                allowUnspecifiedOutput, "output"));
  return std::max({version, forInputs, forOutputs});
}

Result<Version> validateRequestForModel(const Request &request, const Model &model, bool allowUnspecifiedOutput) {
  return validateRequestForModel(request, model, allowUnspecifiedOutput, placesOf(request));
}

} // namespace avocet::hal
