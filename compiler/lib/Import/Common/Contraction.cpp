//===- Contraction.cpp - Sums of products of named axes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "Create.h"
#include "FoldedConstants.h"
#include "Moves.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A name for each axis: a letter, or a number from kEllipsis on for an axis of "...", counted from the last one.
using Labels = SmallVector<int>;
constexpr int kEllipsis = 256;

struct Term {
  Value value;
  Labels labels;

  int64_t extent(int label) const { return shapeOf(value)[llvm::find(labels, label) - labels.begin()]; }
  int64_t extent(ArrayRef<int> several) const {
    int64_t product = 1;
    for (int label : several)
      product *= extent(label);
    return product;
  }
};

/// The labels of one operand or of the result. `rank` is -1 if the ellipsis has `ellipsis` axes.
FailureOr<Labels> labelsOf(ImportedOperation &op, StringRef text, int64_t rank, int64_t ellipsis = 0) {
  const size_t dots = text.find("...");
  const StringRef before = text.take_front(dots), after = dots == StringRef::npos ? "" : text.drop_front(dots + 3);
  const auto letters = static_cast<int64_t>(before.size() + after.size());
  if (!llvm::all_of((before + after).str(), [](char c) { return llvm::isAlpha(c); }) ||
      (rank >= 0 && (dots == StringRef::npos ? rank != letters : rank < letters)))
    return op.malformed("has the term '" + text + "', which does not fit an operand of rank " + Twine(rank));
  ellipsis = rank >= 0 ? rank - letters : dots == StringRef::npos ? 0 : ellipsis;
  Labels labels(before.begin(), before.end());
  for (int64_t i = ellipsis; i > 0; --i)
    labels.push_back(kEllipsis + static_cast<int>(i) - 1);
  labels.append(after.begin(), after.end());
  return labels;
}

/// Brings the axes into the order of the labels.
void arrange(ImportedOperation &op, Term &term, ArrayRef<int> labels) {
  if (labels == ArrayRef<int>(term.labels) || !term.value)
    return;
  term.value = transpose(op, term.value, llvm::map_to_vector(labels, [&](int label) -> int64_t {
                           return llvm::find(term.labels, label) - term.labels.begin();
                         }));
  term.labels = Labels(labels);
}

/// Axes of the same label become their diagonal.
void takeDiagonals(ImportedOperation &op, Term &term) {
  for (size_t first = 0; term.value && first < term.labels.size();) {
    const auto second = std::find(term.labels.begin() + first + 1, term.labels.end(), term.labels[first]);
    if (second == term.labels.end()) {
      ++first;
      continue;
    }
    const int label = *second;
    *second = -1;
    Labels order;
    llvm::copy_if(term.labels, std::back_inserter(order), [&](int each) { return each != label && each != -1; });
    const auto rest = static_cast<int64_t>(order.size());
    order.append({label, -1});
    arrange(op, term, order);
    SmallVector<int64_t> shape(term.value ? shapeOf(term.value) : ArrayRef<int64_t>());
    if (shape.empty() || shape[rest] != shape[rest + 1]) {
      term.value = op.malformed("has one label for axes of different extents");
      return;
    }
    const int64_t extent = shape[rest];
    shape.pop_back();
    SmallVector<int64_t> flat(shape), begin(shape.size(), 0), strides(shape.size(), 1);
    flat.back() = extent * extent;
    strides.back() = extent + 1;
    term.value = slice(op, reshape(op, term.value, flat), begin, shape, strides);
    term.labels.pop_back();
    first = 0;
  }
}

/// Sums the axes whose labels are not kept.
void sumOthers(ImportedOperation &op, Term &term, const std::set<int> &kept) {
  SmallVector<int64_t> axes;
  for (auto [axis, label] : llvm::enumerate(term.labels))
    if (!kept.contains(label))
      axes.push_back(static_cast<int64_t>(axis));
  if (axes.empty() || !term.value)
    return;
  term.value =
      createAs<nn::ReduceOp>(op, elementOf(term.value), term.value, nn::ReduceKind::Sum, axes, /*keepDims=*/false);
  llvm::erase_if(term.labels, [&](int label) { return !kept.contains(label); });
}

Labels joined(ArrayRef<ArrayRef<int>> parts) {
  Labels labels;
  for (ArrayRef<int> part : parts)
    llvm::append_range(labels, part);
  return labels;
}

/// The operand of a matrix product [batches, rows, columns]. Returns whether it is transposed, as it is if that order
/// needs no move.
bool asMatrices(ImportedOperation &op, Term &term, ArrayRef<int> batch, ArrayRef<int> rows, ArrayRef<int> columns) {
  const bool isTransposed = ArrayRef<int>(term.labels) == ArrayRef<int>(joined({batch, columns, rows}));
  if (isTransposed)
    std::swap(rows, columns);
  arrange(op, term, joined({batch, rows, columns}));
  if (!term.value)
    return false;
  SmallVector<int64_t> shape{term.extent(rows), term.extent(columns)};
  if (!batch.empty())
    shape.insert(shape.begin(), term.extent(batch));
  term.value = reshape(op, term.value, shape);
  if (nn::ConstantOp folded = term.value ? foldedConstant(op, term.value) : nn::ConstantOp())
    term.value = folded;
  return isTransposed;
}

/// The product of two operands, summed over the labels that are not kept.
Term contracted(ImportedOperation &op, Term a, Term b, const std::set<int> &kept, MatrixProduct matrixProduct) {
  std::set<int> left(kept), right(kept);
  left.insert(b.labels.begin(), b.labels.end());
  right.insert(a.labels.begin(), a.labels.end());
  sumOthers(op, a, left);
  sumOthers(op, b, right);
  if (!a.value || !b.value)
    return {};
  Labels batch, sum, rows, columns;
  for (int label : a.labels)
    (!llvm::is_contained(b.labels, label) ? rows : kept.contains(label) ? batch : sum).push_back(label);
  llvm::copy_if(b.labels, std::back_inserter(columns), [&](int label) { return !llvm::is_contained(a.labels, label); });
  Term result{{}, joined({batch, rows, columns})};
  SmallVector<int64_t> shape;
  for (int label : result.labels)
    shape.push_back(llvm::is_contained(a.labels, label) ? a.extent(label) : b.extent(label));
  if (sum.empty()) {
    arrange(op, a, joined({batch, rows}));
    arrange(op, b, joined({batch, columns}));
    SmallVector<int64_t> own(shapeOf(a.value)), other(shapeOf(b.value));
    own.append(columns.size(), 1);
    other.insert(other.begin() + static_cast<int64_t>(batch.size()), rows.size(), 1);
    result.value = multiply(op, reshape(op, a.value, own), reshape(op, b.value, other));
    return result;
  }
  const bool transposeA = asMatrices(op, a, batch, rows, sum), transposeB = asMatrices(op, b, batch, sum, columns);
  Value product = matrixProduct(a.value, b.value, transposeA, transposeB);
  result.value = product ? reshape(op, product, shape) : Value();
  return result;
}

/// Repeats axes of extent 1 whose label has another extent elsewhere. Fails after a report if two extents differ.
LogicalResult unify(ImportedOperation &op, MutableArrayRef<Term> terms) {
  std::map<int, int64_t> extents;
  for (const Term &term : terms)
    for (auto [label, extent] : llvm::zip_equal(term.labels, shapeOf(term.value)))
      extents[label] = std::max(extents[label], extent);
  for (Term &term : terms) {
    const SmallVector<int64_t> shape = llvm::map_to_vector(term.labels, [&](int label) { return extents[label]; });
    term.value = broadcastTo(op, term.value, shape);
    if (!term.value)
      return failure();
  }
  return success();
}

/// Without a result, the letters that occur once in order, after the ellipsis.
Labels impliedResult(ArrayRef<Term> terms, int64_t ellipsis) {
  std::map<int, int> counts;
  for (const Term &term : terms)
    for (int label : term.labels)
      ++counts[label];
  Labels labels;
  for (int64_t i = ellipsis; i > 0; --i)
    labels.push_back(kEllipsis + static_cast<int>(i) - 1);
  for (auto [label, count] : counts)
    if (label < kEllipsis && count == 1)
      labels.push_back(label);
  return labels;
}

} // namespace

Value contraction(ImportedOperation &op, StringRef equation, ArrayRef<Value> operands, MatrixProduct product) {
  const auto [left, right] = equation.split("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != operands.size())
    return op.malformed("has " + Twine(texts.size()) + " terms for " + Twine(operands.size()) + " operands");
  SmallVector<Term> terms;
  int64_t ellipsis = 0;
  for (auto [text, value] : llvm::zip_equal(texts, operands)) {
    FailureOr<Labels> labels = labelsOf(op, text, static_cast<int64_t>(shapeOf(value).size()));
    if (failed(labels))
      return {};
    ellipsis = std::max<int64_t>(ellipsis, llvm::count_if(*labels, [](int label) { return label >= kEllipsis; }));
    terms.push_back({value, *labels});
  }
  const FailureOr<Labels> result =
      equation.contains("->") ? labelsOf(op, right, -1, ellipsis) : impliedResult(terms, ellipsis);
  if (failed(result))
    return {};
  std::set<int> wanted(result->begin(), result->end()), known;
  for (Term &term : terms) {
    takeDiagonals(op, term);
    if (!term.value)
      return {};
    known.insert(term.labels.begin(), term.labels.end());
  }
  if (wanted.size() != result->size() || !llvm::set_is_subset(wanted, known))
    return op.malformed("has a result with a label twice or without an operand: '" + equation + "'");
  if (failed(unify(op, terms)))
    return {};
  Term whole = terms.front();
  for (size_t next = 1; next < terms.size() && whole.value; ++next) {
    std::set<int> kept = wanted;
    for (const Term &later : ArrayRef(terms).drop_front(next + 1))
      kept.insert(later.labels.begin(), later.labels.end());
    whole = contracted(op, whole, terms[next], kept, product);
  }
  sumOthers(op, whole, wanted);
  arrange(op, whole, *result);
  return whole.value;
}

} // namespace avocet::compiler
