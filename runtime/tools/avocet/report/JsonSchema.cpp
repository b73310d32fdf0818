//===- JsonSchema.cpp - Checks a JSON value against a schema ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonSchema.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownValue = 40;

std::string shown(const Json &value) {
  std::string text =
      value.is_structured() ? value.type_name() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= kShownValue ? text : text.substr(0, kShownValue) + "...";
}

Status refuse(const std::string &place, const Json &value, const std::string &rule) {
  return dataLoss(fmt::format("{}: is {}, must be {}", place.empty() ? "/" : place, shown(value), rule));
}

bool hasType(const Json &value, const std::string &type) {
  if (type == "number")
    return value.is_number();
  if (type == "integer")
    return value.is_number_integer();
  return type == value.type_name();
}

class SchemaCheck {
public:
  Status check(const Json &value, const Json &schema, const std::string &place) const {
    if (schema.contains("type") && !hasType(value, schema["type"]))
      return refuse(place, value, "of the type " + schema["type"].get<std::string>());
    if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end())
      return refuse(place, value, "one of " + schema["enum"].dump());
    if (schema.contains("minimum") && value < schema["minimum"])
      return refuse(place, value, "at least " + schema["minimum"].dump());
    if (value.is_object())
      return checkMembers(value, schema, place);
    if (value.is_array() && schema.contains("items"))
      for (size_t i = 0; i < value.size(); ++i)
        AVOCET_RETURN_IF_ERROR(check(value[i], schema["items"], fmt::format("{}/{}", place, i)));
    return Status::ok();
  }

private:
  Status checkMembers(const Json &value, const Json &schema, const std::string &place) const {
    if (schema.contains("required"))
      for (const Json &name : schema["required"])
        if (!value.contains(name.get<std::string>()))
          return dataLoss(fmt::format("{}/{}: is missing", place, name.get<std::string>()));
    for (const auto &[name, member] : value.items()) {
      const std::string memberPlace = fmt::format("{}/{}", place, name);
      if (schema.contains("properties") && schema["properties"].contains(name))
        AVOCET_RETURN_IF_ERROR(check(member, schema["properties"][name], memberPlace));
      else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
        AVOCET_RETURN_IF_ERROR(check(member, schema["additionalProperties"], memberPlace));
      else if (schema.contains("additionalProperties") && schema["additionalProperties"] == false)
        return dataLoss(memberPlace + ": is not known");
    }
    return Status::ok();
  }
};

} // namespace

Status checkSchema(const Json &value, const Json &schema) { return SchemaCheck().check(value, schema, ""); }

} // namespace avocet::tool
