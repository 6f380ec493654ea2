#include <algorithm>
#include <vector>

#include "fuzz/random_generator.h"

namespace hlokit {
namespace {

Int64List ListOf(absl::Span<const int64_t> dims) {
  return Int64List(dims.begin(), dims.end());
}

}  // namespace

RandomGenerator::Made RandomGenerator::NewSource() { return AnySource(); }

RandomGenerator::Made RandomGenerator::Copy() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  return Moved(*x, b().Op(Opcode::kCopy, {x->at}));
}

RandomGenerator::Made RandomGenerator::Broadcast() {
  const Made x = Any([](const RandomValue& v) { return v.rank() < 5; });
  if (!x.has_value()) return std::nullopt;
  // Dimensions of the operand may be in any order.
  Int64List dims = ListOf(x->dims()), map(dims.size());
  for (size_t d = 0; d < map.size(); ++d) map[d] = d;
  for (int64_t more = Draw(3) + (dims.empty() ? 1 : 0); more > 0; --more) {
    const int64_t at = Draw(dims.size() + 1);
    dims.insert(dims.begin() + at, Size());
    if (!Acceptable(dims)) {
      dims.erase(dims.begin() + at);
      continue;
    }
    for (int64_t& d : map) d += d >= at;
  }
  if (map.size() >= 2 && Chance(25)) {
    std::swap(dims[map[0]], dims[map[1]]);
    std::swap(map[0], map[1]);
  }
  return Moved(*x, b().Broadcast(x->at, map, dims));
}

RandomGenerator::Made RandomGenerator::Reshape() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  const Int64List dims = Reshaped(x->dims());
  if (dims == x->dims()) return std::nullopt;
  return Moved(*x, b().Reshape(x->at, dims));
}

RandomGenerator::Made RandomGenerator::Bitcast() {
  if (!options_.bitcasts) return std::nullopt;
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  // From the slowest dimension to the fastest, as it lies in memory.
  Int64List major(x->rank());
  for (int64_t k = 0; k < x->rank(); ++k) {
    const int64_t d = x->at->shape().layout().minor_to_major[k];
    major[x->rank() - 1 - k] = x->dims()[d];
  }
  if (Chance(60)) major = Reshaped(major);
  const int64_t rank = major.size();
  // Memory dimension k becomes logical dimension order[k].
  Int64List order = Permutation(rank);
  if (Chance(50)) std::sort(order.begin(), order.end());
  Int64List dims(rank);
  Layout layout = Layout::Descending(rank);
  for (int64_t k = 0; k < rank; ++k) {
    dims[order[k]] = major[k];
    layout.minor_to_major[rank - 1 - k] = order[k];
  }
  Shape shape = Shape::ArrayWithDescendingLayout(x->type(), dims);
  shape.set_layout(std::move(layout));
  return Moved(*x, b().OpOfShape(Opcode::kBitcast, shape, {x->at}));
}

RandomGenerator::Made RandomGenerator::Transpose() {
  const Made x = Any([](const RandomValue& v) { return v.rank() >= 2; });
  if (!x.has_value()) return std::nullopt;
  return Moved(*x, b().Transpose(x->at, Permutation(x->rank())));
}

RandomGenerator::Made RandomGenerator::Slice() {
  const Made x = Any([](const RandomValue& v) { return v.rank() >= 1; });
  if (!x.has_value()) return std::nullopt;
  SliceRanges ranges;
  for (int64_t size : x->dims()) {
    SliceRange range{0, size, 1};
    if (Chance(60)) {
      range.start = Draw(size + 1);
      range.limit = range.start + Draw(size - range.start + 1);
      if (range.limit == range.start && range.start < size && Chance(90)) {
        range.limit = size;
      }
      if (Chance(30)) range.stride = 1 + Draw(3);
    }
    ranges.push_back(range);
  }
  return Moved(*x, b().Slice(x->at, std::move(ranges)));
}

RandomGenerator::Made RandomGenerator::Reverse() {
  const Made x = Any([](const RandomValue& v) { return v.rank() >= 1; });
  if (!x.has_value()) return std::nullopt;
  Int64List dims = Permutation(x->rank());
  dims.resize(1 + Draw(dims.size()));
  return Moved(*x, b().Reverse(x->at, dims));
}

RandomGenerator::Made RandomGenerator::Concatenate() {
  const Made x = Any([](const RandomValue& v) { return v.rank() >= 1; });
  if (!x.has_value()) return std::nullopt;
  const int64_t d = Draw(x->rank());
  std::vector<Instruction*> parts = {x->at};
  RandomValue all = *x;
  Int64List whole = ListOf(x->dims());
  const int64_t count = Chance(10) ? 12 : 1 + Draw(4);
  for (int64_t k = 1; k < count; ++k) {
    Int64List dims = ListOf(x->dims());
    if (Chance(50)) dims[d] = Size();
    whole[d] += dims[d];
    if (!Acceptable(whole)) break;
    const RandomValue part = Get(x->type(), dims);
    parts.push_back(part.at);
    all = Merged(all, part, nullptr);
  }
  AttributeSet attrs;
  attrs.Set(AttrId::kDimensions, Int64List{d});
  return Moved(all, b().Op(Opcode::kConcatenate, parts, std::move(attrs)));
}

RandomGenerator::Made RandomGenerator::Pad() {
  const Made x = Any([](const RandomValue& v) { return v.rank() >= 1; });
  if (!x.has_value()) return std::nullopt;
  PaddingConfig padding;
  Int64List sizes;
  for (int64_t size : x->dims()) {
    PaddingDimension dim;
    if (Chance(60)) {
      dim = {Draw(6) - 2, Draw(6) - 2, Chance(30) ? 1 + Draw(2) : 0};
    }
    const auto total = [&] {
      return size + dim.low + dim.high +
             std::max<int64_t>(size - 1, 0) * dim.interior;
    };
    if (total() < 0) dim = {};
    sizes.push_back(total());
    padding.dimensions.push_back(dim);
  }
  if (!Acceptable(sizes)) return std::nullopt;
  const RandomValue value = Get(x->type(), {});
  return Merged(*x, value, b().Pad(x->at, value.at, std::move(padding)));
}

void RandomGenerator::DynamicWindow(const RandomValue& x,
                                    std::vector<Instruction*>* starts,
                                    Int64List* sizes) {
  const RandomValue first = StartIndex();
  for (int64_t size : x.dims()) {
    const RandomValue next = StartIndex();
    starts->push_back(next.type() == first.type() ? next.at : first.at);
    sizes->push_back(Chance(30) ? size : Draw(size + 1));
  }
}

RandomGenerator::Made RandomGenerator::DynamicSlice() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  std::vector<Instruction*> starts;
  Int64List sizes;
  DynamicWindow(*x, &starts, &sizes);
  return Moved(*x, b().DynamicSlice(x->at, starts, sizes));
}

RandomGenerator::Made RandomGenerator::DynamicUpdateSlice() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  std::vector<Instruction*> starts;
  Int64List sizes;
  DynamicWindow(*x, &starts, &sizes);
  const RandomValue update = Get(x->type(), sizes);
  return Merged(*x, update, b().DynamicUpdateSlice(x->at, update.at, starts));
}

namespace {

// What gather and scatter have in common: windows of an operand at places that
// an array of indices names.
struct Windows {
  Int64List sizes;      // of a window, a dimension of the operand each
  Int64List collapsed;  // of the operand
  Int64List index_map;  // operand dimension of each part of an index
  Int64List operand_batch, indices_batch;
  Int64List indices;  // dimensions of the indices
  int64_t index_vector_dim = 0;
  Int64List window_dims;  // of the result
  Int64List result;       // its dimensions
};

template <typename DrawFn, typename PermutationFn>
Windows RandomWindows(absl::Span<const int64_t> operand, DrawFn draw,
                      PermutationFn permutation) {
  Windows w;
  const int64_t rank = operand.size();
  Int64List places;  // dimensions of the indices without their vector
  for (int64_t k = draw(3); k > 0; --k) places.push_back(1 + draw(4));
  if (draw(10) == 0) places.push_back(0);
  const Int64List order = permutation(rank);
  size_t next = 0;
  if (rank > 1 && draw(5) == 0) {
    w.operand_batch = {order[next++]};
    const int64_t at = draw(places.size() + 1);
    places.insert(places.begin() + at, operand[w.operand_batch[0]]);
    w.indices_batch = {at};
  }
  const int64_t parts = draw(rank - next + 1);
  for (int64_t k = 0; k < parts; ++k) w.index_map.push_back(order[next + k]);
  for (int64_t d = 0; d < rank; ++d) {
    const bool batch = !w.operand_batch.empty() && w.operand_batch[0] == d;
    int64_t size = draw(2) == 0 ? operand[d] : draw(operand[d] + 1);
    if (batch) size = std::min<int64_t>(1, operand[d]);
    if (!batch && operand[d] > 0 && draw(3) == 0) {
      size = 1;
      w.collapsed.push_back(d);
    }
    w.sizes.push_back(size);
  }
  // The vector's dimension, which may be left out when it has one element.
  w.indices = places;
  w.index_vector_dim = places.size();
  if (parts != 1 || draw(2) == 0) {
    w.index_vector_dim = draw(places.size() + 1);
    w.indices.insert(w.indices.begin() + w.index_vector_dim, parts);
    for (int64_t& d : w.indices_batch) d += d >= w.index_vector_dim;
  }
  // Windows and places, mixed, each in their order.
  Int64List window;
  for (int64_t d = 0; d < rank; ++d) {
    const bool gone =
        std::count(w.collapsed.begin(), w.collapsed.end(), d) ||
        std::count(w.operand_batch.begin(), w.operand_batch.end(), d);
    if (!gone) window.push_back(w.sizes[d]);
  }
  size_t a = 0, c = 0;
  while (a < window.size() || c < places.size()) {
    if (a < window.size() && (c == places.size() || draw(2) == 0)) {
      w.window_dims.push_back(w.result.size());
      w.result.push_back(window[a++]);
    } else {
      w.result.push_back(places[c++]);
    }
  }
  return w;
}

void SetList(AttributeSet* attrs, AttrId id, const Int64List& list) {
  if (!list.empty()) attrs->Set(id, list);
}

}  // namespace

RandomGenerator::Made RandomGenerator::Gather() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  const Windows w = RandomWindows(
      x->dims(), [&](int64_t n) { return Draw(n); },
      [&](int64_t n) { return Permutation(n); });
  if (!Acceptable(w.result) || !Acceptable(w.indices)) return std::nullopt;
  const RandomValue indices = Get(Chance(70)   ? kS32
                                  : Chance(50) ? kS64
                                               : kU32,
                                  w.indices);
  AttributeSet attrs;
  attrs.Set(AttrId::kOffsetDims, w.window_dims);
  attrs.Set(AttrId::kCollapsedSliceDims, w.collapsed);
  attrs.Set(AttrId::kStartIndexMap, w.index_map);
  SetList(&attrs, AttrId::kOperandBatchingDims, w.operand_batch);
  SetList(&attrs, AttrId::kStartIndicesBatchingDims, w.indices_batch);
  attrs.Set(AttrId::kIndexVectorDim, w.index_vector_dim);
  attrs.Set(AttrId::kSliceSizes, w.sizes);
  return Moved(*x,
               b().Op(Opcode::kGather, {x->at, indices.at}, std::move(attrs)));
}

RandomGenerator::Made RandomGenerator::Scatter() {
  const Made x = Any([](const RandomValue& v) { return v.tame(); });
  if (!x.has_value()) return std::nullopt;
  const Windows w = RandomWindows(
      x->dims(), [&](int64_t n) { return Draw(n); },
      [&](int64_t n) { return Permutation(n); });
  if (!Acceptable(w.result) || !Acceptable(w.indices)) return std::nullopt;
  const RandomValue updates =
      Get(x->type(), w.result, [](const RandomValue& v) { return v.tame(); });
  int64_t count = 1;
  for (int64_t size : w.result) count *= size;
  const auto reducer = ReducerFor(Merged(*x, updates, updates.at), count + 1);
  if (!reducer.has_value()) return std::nullopt;
  const RandomValue indices = Get(Chance(70) ? kS32 : kS64, w.indices);
  AttributeSet attrs;
  attrs.Set(AttrId::kUpdateWindowDims, w.window_dims);
  attrs.Set(AttrId::kInsertedWindowDims, w.collapsed);
  attrs.Set(AttrId::kScatterDimsToOperandDims, w.index_map);
  SetList(&attrs, AttrId::kInputBatchingDims, w.operand_batch);
  SetList(&attrs, AttrId::kScatterIndicesBatchingDims, w.indices_batch);
  attrs.Set(AttrId::kIndexVectorDim, w.index_vector_dim);
  Computation* combiner = Combiner(reducer->opcode, x->type());
  Instruction* at = b().Op(Opcode::kScatter, {x->at, indices.at, updates.at},
                           std::move(attrs), {combiner});
  return Reduced(*x, *reducer, at);
}

}  // namespace hlokit
