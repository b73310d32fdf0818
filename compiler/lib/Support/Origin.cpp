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

constexpr llvm::StringLiteral kKind = "kind", kOperator = "operator", kTopLevel = "topLevel"; // of an operator
constexpr llvm::StringLiteral kOperation = "operation", kResult = "result";                   // of a placed operation

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

/// The named location that comes first: the operator that names a layer.
NameLoc firstNamed(Location location) {
  while (auto fused = dyn_cast<FusedLoc>(location))
    location = fused.getLocations().front();
  return dyn_cast<NameLoc>(location);
}

/// What an importer has noted about an operator; null: the location is of something else.
DictionaryAttr notedIn(NameLoc name) {
  auto file = name ? dyn_cast<FusedLoc>(name.getChildLoc()) : FusedLoc();
  return file ? dyn_cast_if_present<DictionaryAttr>(file.getMetadata()) : DictionaryAttr();
}

/// The number under `key`; texts may have anything there.
std::optional<int64_t> numberIn(DictionaryAttr noted, StringRef key) {
  auto number = noted ? noted.getAs<IntegerAttr>(key) : IntegerAttr();
  return number && number.getType().isSignlessInteger(64) ? std::optional(number.getInt()) : std::nullopt;
}

/// Reads the number and kind that an importer has noted.
void readOperator(NameLoc location, cache::SourceEntry &entry) {
  for (StringRef key : {StringRef(kOperator), StringRef(kTopLevel)})
    if (const std::optional<int64_t> number = numberIn(notedIn(location), key))
      entry.operation = static_cast<uint32_t>(*number);
  entry.kind = operatorKind(location).str();
}

/// Location of an operator, with what an importer notes about it.
Location notedLocation(const Twine &name, StringRef kind, StringRef key, uint32_t number, Location file) {
  Builder builder(file.getContext());
  auto noted = builder.getDictionaryAttr({builder.getNamedAttr(kKind, builder.getStringAttr(kind)),
                                          builder.getNamedAttr(key, builder.getI64IntegerAttr(number))});
  return NameLoc::get(builder.getStringAttr(name), withMetadata(file, noted));
}

} // namespace

bool recordsOrigins(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(attrs::kSourceMap);
}

Location operatorLocation(StringRef output, StringRef kind, uint32_t number, Location file) {
  return notedLocation(output, kind, kOperator, number, file);
}

Location operationLocation(StringRef kind, uint32_t number, uint32_t topLevel, Location model) {
  return notedLocation(kind + "_" + Twine(number), kind, kTopLevel, topLevel, model);
}

bool isOperatorLocation(Location location) {
  DictionaryAttr noted = notedIn(dyn_cast<NameLoc>(location));
  return noted && noted.contains(kOperator);
}

int64_t topLevelOf(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (int64_t number = topLevelOf(part); number >= 0)
        return number;
  return numberIn(notedIn(dyn_cast<NameLoc>(location)), kTopLevel).value_or(-1);
}

llvm::StringRef operatorName(Location location) {
  NameLoc name = firstNamed(location);
  return name ? name.getName().getValue() : llvm::StringRef();
}

llvm::StringRef operatorKind(Location location) {
  for (DictionaryAttr noted : {findMetadata<DictionaryAttr>(location), notedIn(firstNamed(location))})
    if (auto kind = noted ? noted.getAs<StringAttr>(kKind) : StringAttr())
      return kind.getValue();
  return {};
}

Location replacementLocation(Location replaced, StringRef kind) {
  Builder builder(replaced.getContext());
  const NamedAttribute noted = builder.getNamedAttr(kKind, builder.getStringAttr(kind));
  return FusedLoc::get(replaced.getContext(), {replaced}, builder.getDictionaryAttr({noted}));
}

Location fusedLocation(Location own, Location absorbed) {
  auto fused = dyn_cast<FusedLoc>(own);
  return FusedLoc::get(own.getContext(), {own, absorbed}, fused ? fused.getMetadata() : Attribute());
}

Location fusedIntoResult(Location own, Location result) {
  return FusedLoc::get(own.getContext(), {own, result}, StringAttr::get(own.getContext(), resultName(result)));
}

Location unnamedResult(Location own) { return withMetadata(own, StringAttr::get(own.getContext(), "")); }

void appendOperators(Location location, uint32_t layer, std::vector<cache::SourceEntry> &operators) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      appendOperators(part, layer, operators);
  auto name = dyn_cast<NameLoc>(location);
  if (!name)
    return;
  cache::SourceEntry entry{layer, cache::kNoSource, describeLocation(location), ""};
  readOperator(name, entry);
  if (!llvm::is_contained(operators, entry))
    operators.push_back(std::move(entry));
}

void appendOperatorNames(Location location, std::vector<llvm::StringRef> &names) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      appendOperatorNames(part, names);
  if (auto name = dyn_cast<NameLoc>(location))
    names.push_back(name.getName().getValue());
}

llvm::StringRef resultName(Location location) {
  auto name = findMetadata<StringAttr>(location);
  return name ? name.getValue() : operatorName(location);
}

Location placedLocation(Location operation, const PlacedOrigin &origin) {
  Builder builder(operation.getContext());
  return withMetadata(operation, builder.getDictionaryAttr(
                                     {builder.getNamedAttr(kOperation, builder.getI64IntegerAttr(origin.operation)),
                                      builder.getNamedAttr(kResult, TypeAttr::get(origin.result))}));
}

std::optional<PlacedOrigin> placedOriginOf(Location location) {
  auto noted = findMetadata<DictionaryAttr>(location);
  const std::optional<int64_t> operation = numberIn(noted, kOperation);
  auto result = noted ? noted.getAs<TypeAttr>(kResult) : TypeAttr();
  auto tensor = result ? dyn_cast<RankedTensorType>(result.getValue()) : RankedTensorType();
  if (!operation || !tensor || tensor.getRank() != 3 || !tensor.hasStaticShape())
    return std::nullopt;
  return PlacedOrigin{static_cast<uint32_t>(*operation), tensor};
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
