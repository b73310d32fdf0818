//===- AddressesTest.cpp - The addresses in commands ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Addresses.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Footprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace avocet::firmware;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Sets all fields such that the command accesses each of its operands: one element per map and list, no kNoAddress.
/// `useLast` chooses the value of enumerations: the first or the last.
class UseAllOperands {
public:
  explicit UseAllOperands(bool useLast) : useLast_(useLast) {}

  void operator()(const char *, SramAddress &value) { value = 0; }
  template <std::integral T> void operator()(const char *, T &value) { value = 1; }
  template <WireEnum E> void operator()(const char *, E &value) {
    value = static_cast<E>(useLast_ ? valueNames(value).size() - 1 : 0);
  }
  template <Reflected T> void operator()(const char *, T &value) { T::visitFields(value, *this); }
  template <WireList L> void operator()(const char *name, L &list) { (*this)(name, list.emplace_back()); }

private:
  const bool useLast_;
};

/// A command of each kind, by name.
std::map<std::string_view, CommandBody> commandsWithAllOperands(bool useLast) {
  std::map<std::string_view, CommandBody> commands;
  for (size_t code = 0; code < kOperationNames.size(); ++code)
    withOperation(code, [&](auto index) {
      std::variant_alternative_t<index, CommandBody> command;
      UseAllOperands use(useLast);
      use("", command);
      commands[kOperationNames[code]] = command;
    });
  return commands;
}

TEST(AddressesTest, CountsAddressesOfEachCommand) {
  const std::map<std::string_view, unsigned> expected = {
      {"end", 0},  {"wait", 0},    {"signal", 0}, {"yield", 1}, // a live range
      {"dma", 2},                                               // source, destination
      {"conv", 7},                                              // maps, weights, records, dynamic scale, table, addend
      {"pool", 2}, {"eltwise", 3}, {"lookup", 3}, {"dsp", 2},
  };
  std::map<std::string_view, unsigned> found;
  for (const auto &[name, body] : commandsWithAllOperands(false))
    found[name] = std::visit([](const auto &command) { return countAddresses(command); }, body);
  EXPECT_EQ(found, expected);
}

TEST(AddressesTest, AbsentOperandsHaveNoAddress) {
  ConvCommand conv;
  EXPECT_EQ(conv.lookupTable, kNoAddress);
  EXPECT_EQ(countAddresses(conv), 4u); // input, output, weights, records
  DmaCommand fill;
  fill.kind = DmaKind::Fill;
  EXPECT_EQ(countAddresses(fill), 1u);
}

/// A command that no other code knows, with names that mislead.
struct NewCommand {
  uint32_t address = 7;
  SramAddress bytes = 1;
  FeatureMap map;
  std::vector<SramAddress> list = {3, 4};
  DmaEnd end;

  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("address", self.address);
    visit("bytes", self.bytes);
    visit("map", self.map);
    visit("list", self.list);
    visit("end", self.end);
  }
};

TEST(AddressesTest, TypeOfFieldDecidesNotItsName) {
  NewCommand command;
  command.map.address = 2;
  command.end.offset = 5;
  std::vector<uint64_t> visited;
  visitAddresses(command, [&]<typename Field>(Field &field) {
    if constexpr (std::is_same_v<Field, DmaEnd>)
      visited.push_back(field.offset += 100);
    else
      visited.push_back((field += 100).offset);
  });
  EXPECT_THAT(visited, ElementsAre(101, 102, 103, 104, 105));
  EXPECT_EQ(command.address, 7u);
  EXPECT_EQ(command.bytes, SramAddress(101));
}

// A number of 64 bits does not become an address without a cast, and an address never becomes a number.
static_assert(std::is_convertible_v<uint32_t, SramAddress> && !std::is_convertible_v<uint64_t, SramAddress>);
static_assert(!std::is_convertible_v<SramAddress, uint32_t>);

TEST(AddressesTest, AddressIsOneWordOnTheWire) {
  LookupCommand lookup;
  lookup.table = 0x12345678;
  std::vector<uint32_t> words, wordsWithoutTable;
  encode({kNoLayer, lookup}, words);
  encode({kNoLayer, LookupCommand()}, wordsWithoutTable);
  EXPECT_EQ(words.size(), wordsWithoutTable.size());
  EXPECT_EQ(std::ranges::count(words, 0x12345678u), 1);
}

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

/// The addresses, by their position among the addresses of the command, at which no range of the footprint begins.
/// Each address gets a place of its own first.
std::vector<size_t> uncovered(CommandBody body) {
  std::vector<uint64_t> places;
  auto place = [&]<typename Field>(Field &field) {
    places.push_back(1'000'000 * (places.size() + 1));
    if constexpr (std::is_same_v<Field, DmaEnd>)
      field.offset = places.back();
    else
      field = static_cast<uint32_t>(places.back());
  };
  std::visit([&](auto &command) { visitAddresses(command, place); }, body);
  std::vector<ByteRange> ranges;
  appendFootprint(body, ranges);
  std::vector<size_t> missing;
  for (size_t i = 0; i < places.size(); ++i)
    if (std::ranges::find(ranges, places[i], &ByteRange::begin) == ranges.end())
      missing.push_back(i);
  return missing;
}

/// A new address is missed neither by the compiler's order of streams nor by the device's check.
TEST(AddressesTest, FootprintCoversEachAddress) {
  for (auto [name, body] : commandsWithAllOperands(true)) {
    if (name == "yield") // its ranges describe the SRAM of the job; it accesses none
      continue;
    if (auto *conv = std::get_if<ConvCommand>(&body)) // the only kind of scaling that reads the dynamic scale
      conv->scaling = OutputScaling::Dynamic;
    EXPECT_THAT(uncovered(body), IsEmpty()) << name;
  }
  DmaCommand copy;
  copy.runBytes = 1;
  EXPECT_THAT(uncovered(copy), IsEmpty()) << "copy";
}

//===----------------------------------------------------------------------===//
// Field lists
//===----------------------------------------------------------------------===//

struct WithoutList {
  uint32_t value = 0;
};

struct LacksAField {
  uint32_t listed = 0;
  SramAddress forgotten;

  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("listed", self.listed);
  }
};

struct ContainsOneThatLacksAField {
  std::vector<LacksAField> list;

  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("list", self.list);
  }
};

// lib/Reflection.cpp requires this of all commands.
static_assert(listsAllFields<ConvCommand>() && listsAllFields<NewCommand>());
static_assert(!listsAllFields<WithoutList>());
static_assert(!listsAllFields<LacksAField>());
static_assert(!listsAllFields<ContainsOneThatLacksAField>());
static_assert(alternativesListAllFields<std::variant<EndCommand, NewCommand>>());
static_assert(!alternativesListAllFields<std::variant<EndCommand, WithoutList>>());

} // namespace
