//===- Origin.cpp - What an operation was made from -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/Origin.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Refusal.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kKind = "kind", kOperator = "operator", kOperation = "operation", kResult = "result";

/// The metadata of the outermost location that has some of type T.
template <typename T> T findMetadata(Location location) {
  for (auto fused = dyn_cast<FusedLoc>(location); fused; fused = dyn_cast<FusedLoc>(fused.getLocations().front()))
    if (auto metadata = dyn_cast_if_present<T>(fused.getMetadata()))
      return metadata;
  return {};
}

Location withMetadata(Location location, Attribute metadata) {
  return FusedLoc::get(location.getContext(), {location}, metadata);
}

Location withNumbers(Location location, llvm::ArrayRef<uint32_t> numbers) {
  llvm::SmallVector<int32_t> stored(numbers.begin(), numbers.end());
  return withMetadata(location, DenseI32ArrayAttr::get(location.getContext(), stored));
}

/// The numbers of a tile (4) or of a command (5).
llvm::ArrayRef<int32_t> numbersOf(Location location, size_t count) {
  auto numbers = findMetadata<DenseI32ArrayAttr>(location);
  return numbers && numbers.asArrayRef().size() == count ? numbers.asArrayRef() : llvm::ArrayRef<int32_t>();
}

/// The number and kind that an importer has noted in the location of an operator's file.
void readOperator(Location file, cache::SourceEntry &entry) {
  auto fused = dyn_cast<FusedLoc>(file);
  if (!fused)
    return;
  if (auto number = dyn_cast_if_present<IntegerAttr>(fused.getMetadata()))
    entry.operation = number.getInt() < 0 ? cache::kNoSource : static_cast<uint32_t>(number.getInt());
  auto noted = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata());
  if (!noted)
    return;
  if (auto number = noted.getAs<IntegerAttr>(kOperator))
    entry.operation = static_cast<uint32_t>(number.getInt());
  if (auto kind = noted.getAs<StringAttr>(kKind))
    entry.kind = kind.getValue().str();
}

llvm::StringRef firstName(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().getValue();
  auto fused = dyn_cast<FusedLoc>(location);
  return fused ? firstName(fused.getLocations().front()) : llvm::StringRef();
}

} // namespace

bool recordsOrigins(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(attrs::kSourceMap);
}

Location operatorLocation(StringRef name, StringRef kind, uint32_t number, Location file) {
  Builder builder(file.getContext());
  auto noted = builder.getDictionaryAttr({builder.getNamedAttr(kKind, builder.getStringAttr(kind)),
                                          builder.getNamedAttr(kOperator, builder.getI64IntegerAttr(number))});
  return NameLoc::get(builder.getStringAttr(name), withMetadata(file, noted));
}

bool isOperatorLocation(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  auto fused = name ? dyn_cast<FusedLoc>(name.getChildLoc()) : FusedLoc();
  return fused && isa_and_present<DictionaryAttr>(fused.getMetadata());
}

Location fusedLocation(Location own, Location absorbed) {
  auto fused = dyn_cast<FusedLoc>(own);
  return FusedLoc::get(own.getContext(), {own, absorbed}, fused ? fused.getMetadata() : Attribute());
}

Location fusedIntoResult(Location own, Location result) {
  return FusedLoc::get(own.getContext(), {own, result}, StringAttr::get(own.getContext(), resultName(result)));
}

void appendOperators(Location location, uint32_t layer, std::vector<cache::SourceEntry> &operators) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      appendOperators(part, layer, operators);
  auto name = dyn_cast<NameLoc>(location);
  if (!name)
    return;
  cache::SourceEntry entry{layer, cache::kNoSource, describeLocation(location), ""};
  readOperator(name.getChildLoc(), entry);
  if (!llvm::is_contained(operators, entry))
    operators.push_back(std::move(entry));
}

llvm::StringRef resultName(Location location) {
  auto name = findMetadata<StringAttr>(location);
  return name ? name.getValue() : firstName(location);
}

Location placedLocation(Location operation, const PlacedOrigin &origin) {
  Builder builder(operation.getContext());
  return withMetadata(operation, builder.getDictionaryAttr(
                                     {builder.getNamedAttr(kOperation, builder.getI64IntegerAttr(origin.operation)),
                                      builder.getNamedAttr(kResult, TypeAttr::get(origin.result))}));
}

std::optional<PlacedOrigin> placedOriginOf(Location location) {
  auto noted = findMetadata<DictionaryAttr>(location);
  auto operation = noted ? noted.getAs<IntegerAttr>(kOperation) : IntegerAttr();
  auto result = noted ? noted.getAs<TypeAttr>(kResult) : TypeAttr();
  auto tensor = result ? dyn_cast<RankedTensorType>(result.getValue()) : RankedTensorType();
  if (!operation || !tensor || tensor.getRank() != 3 || !tensor.hasStaticShape())
    return std::nullopt;
  return PlacedOrigin{static_cast<uint32_t>(operation.getInt()), tensor};
}

cache::ResultShape resultShapeOf(const PlacedOrigin &origin) {
  ArrayRef<int64_t> shape = origin.result.getShape();
  auto extent = [&](size_t axis) { return static_cast<uint32_t>(shape[axis]); };
  return {extent(0), extent(1), extent(2)};
}

Location tileLocation(Location placed, const TilePlace &place) {
  return withNumbers(placed, {place.row, place.column, place.channel, uint32_t{place.isBox}});
}

std::optional<TilePlace> tilePlaceOf(Location location) {
  const llvm::ArrayRef<int32_t> numbers = numbersOf(location, 4);
  if (numbers.empty())
    return std::nullopt;
  return TilePlace{static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]),
                   static_cast<uint32_t>(numbers[2]), numbers[3] != 0};
}

Location commandLocation(Location location, const cache::SourceCommand &source) {
  return withNumbers(location, {source.step, source.operation, source.row, source.column, source.channel});
}

std::optional<cache::SourceCommand> commandOriginOf(Location location) {
  const llvm::ArrayRef<int32_t> numbers = numbersOf(location, 5);
  if (numbers.empty())
    return std::nullopt;
  auto at = [&](size_t index) { return static_cast<uint32_t>(numbers[index]); };
  return cache::SourceCommand{at(0), at(1), at(2), at(3), at(4)};
}

} // namespace avocet::compiler
