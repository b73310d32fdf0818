//===- Selections.cpp - Look-ups, hashes and draws ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <farmhash.h>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Rows without a key are zeros, as stored.
std::optional<Results> hashtableLookup(const OperationValues &operation) {
  const std::vector<int32_t> wanted = operation.integers(0), keys = operation.integers(1);
  const Reals values = operation.reals(2);
  const Value &table = operation.input(2);
  const auto size = static_cast<ptrdiff_t>(values.size() / keys.size());
  const double zero = isAsymmetric8Bit(table.type) ? -table.zeroPoint * static_cast<double>(table.scale) : 0;
  Reals rows, hits;
  for (int32_t key : wanted) {
    const auto found = std::ranges::find(keys, key);
    hits.push_back(found == keys.end() ? 0 : 1);
    if (found == keys.end())
      rows.insert(rows.end(), static_cast<size_t>(size), zero);
    else
      rows.insert(rows.end(), values.begin() + (found - keys.begin()) * size,
                  values.begin() + (found - keys.begin() + 1) * size);
  }
  return Results{rows, hits};
}

/// The hash functions of LSH_PROJECTION: the fingerprints that NNAPI uses are those of a public library.
class Hashes {
public:
  explicit Hashes(const OperationValues &operation)
      : seeds_(operation.reals(0)), items_(operation.input(1)),
        weights_(operation.has(2) ? operation.reals(2) : Reals(items_.dimensions[0], 1.0)) {}

  size_t count() const { return seeds_.size(); }

  /// Whether the weighted sum of the items' fingerprints is above 0. Nothing: it is 0 up to rounding.
  std::optional<bool> bit(size_t seed) const {
    const size_t bytes = items_.bytes.size() / weights_.size();
    double sum = 0, magnitude = 0;
    for (size_t item = 0; item < weights_.size(); ++item) {
      const double term = weights_[item] * fingerprintOf(static_cast<float>(seeds_[seed]), item * bytes, bytes);
      sum += term;
      magnitude += std::fabs(term);
    }
    return std::fabs(sum) > 1e-9 * magnitude ? std::optional(sum > 0) : std::nullopt;
  }

private:
  /// Of the seed and the bytes of an item.
  double fingerprintOf(float seed, size_t begin, size_t bytes) const {
    std::string key(sizeof(seed) + bytes, 0);
    std::memcpy(key.data(), &seed, sizeof(seed));
    std::memcpy(key.data() + sizeof(seed), items_.bytes.data() + begin, bytes);
    return static_cast<double>(static_cast<int64_t>(util::Fingerprint64(key)));
  }

  Reals seeds_;
  const Value &items_;
  Reals weights_;
};

/// Dense: bits, each an element. Sparse: the bits of each hash function as a number, the first the highest, plus an
/// offset for the function, which kind 1 omits.
std::optional<Reals> lshProjection(const OperationValues &operation) {
  constexpr int32_t kSparseDeprecated = 1, kDense = 2;
  const Hashes hashes(operation);
  const int32_t kind = operation.integer(3);
  const size_t bits = operation.input(0).dimensions[1];
  Reals result;
  double signature = 0;
  for (size_t seed = 0; seed < hashes.count(); ++seed) {
    const std::optional<bool> bit = hashes.bit(seed);
    const double number = bit ? (*bit ? 1.0 : 0.0) : kUndefined;
    signature = seed % bits == 0 ? number : 2 * signature + number;
    const size_t function = seed / bits;
    if (kind == kDense)
      result.push_back(number);
    else if (seed % bits == bits - 1)
      result.push_back(signature + (kind == kSparseDeprecated ? 0 : static_cast<double>(function) * std::exp2(bits)));
  }
  return result;
}

/// Of equal elements the last is the first.
std::optional<Results> topK(const OperationValues &operation) {
  const Reals values = operation.reals(0);
  const size_t size = operation.input(0).dimensions.back(), most = operation.output(0).dimensions.back();
  Reals largest, places;
  for (size_t begin = 0; begin < values.size(); begin += size) {
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < size; ++i)
      order.emplace_back(values[begin + i], i);
    std::ranges::sort(order, std::greater<>());
    for (size_t i = 0; i < most; ++i) {
      largest.push_back(order[i].first);
      places.push_back(static_cast<double>(order[i].second));
    }
  }
  return Results{largest, places};
}

/// What a number of draws may differ from the expected one by. It differs by more once in 10^12 draws (Bernstein's
/// inequality): graphs of many seeds give no false alarm.
double toleranceOfDraws(double draws, double probability) {
  const double exponent = std::log(2e12), variance = draws * probability * (1 - probability);
  return exponent / 3 + std::sqrt(exponent * exponent / 9 + 2 * exponent * variance);
}

/// The probabilities of a row of logarithms.
Reals distributionOf(const Reals &logits, size_t begin, size_t classes) {
  const auto first = logits.begin() + static_cast<ptrdiff_t>(begin);
  Reals shares(first, first + static_cast<ptrdiff_t>(classes));
  const double largest = std::ranges::max(shares);
  double total = 0;
  for (double &share : shares)
    total += share = std::exp(share - largest);
  for (double &share : shares)
    share /= total;
  return shares;
}

std::string wrongCount(const Reals &counts, const Reals &distribution, double draws) {
  for (size_t i = 0; i < counts.size(); ++i)
    if (const double expected = draws * distribution[i];
        std::fabs(counts[i] - expected) > toleranceOfDraws(draws, distribution[i]))
      return fmt::format("class {} is drawn {} times of {}, {:.1f} are expected", i, counts[i], draws, expected);
  return "";
}

/// NNAPI leaves the random numbers open: draws are classes, and their numbers fit the probabilities.
std::string checkDraws(const OperationValues &operation) {
  const Value &output = operation.output(0);
  const size_t rows = output.dimensions[0], draws = output.dimensions[1];
  const size_t classes = operation.input(0).dimensions[1];
  const Reals logits = operation.reals(0);
  if (draws != static_cast<size_t>(operation.integer(1)))
    return fmt::format("{} draws, {} are wanted", draws, operation.integer(1));
  for (size_t row = 0; row < rows; ++row) {
    Reals counts(classes);
    for (size_t i = 0; i < draws; ++i) {
      const double drawn = realAt(output, row * draws + i);
      if (!(drawn >= 0 && drawn < static_cast<double>(classes)))
        return fmt::format("draw {} of row {} is {}, of {} classes", i, row, drawn, classes);
      ++counts[static_cast<size_t>(drawn)];
    }
    const Reals distribution = distributionOf(logits, row * classes, classes);
    if (std::string wrong = wrongCount(counts, distribution, static_cast<double>(draws)); !wrong.empty())
      return fmt::format("row {}: {}", row, wrong);
  }
  return "";
}

constexpr Definition kRows[] = {
    {HashtableLookup, hashtableLookup, kCopies},
    {LshProjection, lshProjection},
    {TopkV2, topK, kCopies},
    {RandomMultinomial, checkDraws},
};

} // namespace

std::span<const Definition> selectionDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
