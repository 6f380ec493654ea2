// Tile assignments: expansion, transposition and the shortest iota form.
#include <algorithm>
#include <numeric>

#include "hlo/ir/sharding.h"

namespace hlokit {
namespace {

int64_t Product(absl::Span<const int64_t> values) {
  int64_t product = 1;
  for (int64_t v : values) {
    if (v < 0 || __builtin_mul_overflow(product, v, &product)) return INT64_MAX;
  }
  return product;
}

// Drops dimensions of size 1 and merges those that stay neighbours, so that
// equal assignments look equal.
void ShortenIota(Int64List* dims, Int64List* perm) {
  const int64_t total = Product(*dims);
  // Runs of consecutive source dimensions, in target order.
  std::vector<std::vector<int64_t>> runs;
  Int64List kept_rank(dims->size(), -1);
  int64_t kept = 0;
  for (size_t i = 0; i < dims->size(); ++i) {
    if ((*dims)[i] != 1) kept_rank[i] = kept++;
  }
  for (int64_t source : *perm) {
    if (kept_rank[source] < 0) continue;
    if (!runs.empty() &&
        kept_rank[runs.back().back()] + 1 == kept_rank[source]) {
      runs.back().push_back(source);
    } else {
      runs.push_back({source});
    }
  }
  if (runs.size() <= 1) {
    *dims = {total};
    *perm = {0};
    return;
  }
  std::vector<int64_t> by_source(runs.size());
  std::iota(by_source.begin(), by_source.end(), 0);
  std::sort(by_source.begin(), by_source.end(), [&](int64_t a, int64_t b) {
    return runs[a].front() < runs[b].front();
  });
  Int64List new_dims(runs.size());
  Int64List new_perm(runs.size());
  for (size_t position = 0; position < runs.size(); ++position) {
    const std::vector<int64_t>& run = runs[by_source[position]];
    new_dims[position] = 1;
    for (int64_t source : run) new_dims[position] *= (*dims)[source];
    new_perm[by_source[position]] = position;
  }
  *dims = std::move(new_dims);
  *perm = std::move(new_perm);
}

// Flat row-major array `values` of size `dims`, transposed by `perm`.
Int64List TransposeList(absl::Span<const int64_t> dims,
                        absl::Span<const int64_t> values,
                        absl::Span<const int64_t> perm) {
  const size_t rank = dims.size();
  Int64List strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  Int64List result;
  result.reserve(values.size());
  Int64List index(rank, 0);
  for (size_t n = 0; n < values.size(); ++n) {
    int64_t at = 0;
    for (size_t i = 0; i < rank; ++i) at += index[i] * strides[perm[i]];
    result.push_back(values[at]);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < dims[perm[i]]) break;
      index[i] = 0;
    }
  }
  return result;
}

// Cuts the iota's target dimensions so that every tile dimension is a whole
// number of them. `cut[i]` receives how many belong to tile dimension i. False
// when the sizes do not divide.
bool AlignIota(absl::Span<const int64_t> tile_dims, Int64List* dims,
               Int64List* perm, std::vector<int64_t>* cut) {
  // Factors of each source dimension, outermost first, found in target order.
  std::vector<Int64List> factors(dims->size());
  size_t position = 0;
  int64_t left = perm->empty() ? 1 : (*dims)[(*perm)[0]];
  cut->assign(tile_dims.size(), 0);
  std::vector<std::pair<int64_t, int64_t>> order;  // source, factor number
  for (size_t i = 0; i < tile_dims.size(); ++i) {
    int64_t need = tile_dims[i];
    while (need > 1) {
      while (left == 1) {
        if (++position >= perm->size()) return false;
        left = (*dims)[(*perm)[position]];
      }
      const int64_t factor = std::gcd(need, left);
      if (factor != std::min(need, left)) return false;
      const int64_t source = (*perm)[position];
      order.push_back({source, static_cast<int64_t>(factors[source].size())});
      factors[source].push_back(factor);
      need /= factor;
      left /= factor;
      ++(*cut)[i];
    }
  }
  Int64List new_dims;
  Int64List first(dims->size(), 0);
  for (size_t source = 0; source < dims->size(); ++source) {
    first[source] = new_dims.size();
    new_dims.insert(new_dims.end(), factors[source].begin(),
                    factors[source].end());
  }
  Int64List new_perm;
  for (const auto& [source, number] : order) {
    new_perm.push_back(first[source] + number);
  }
  *dims = std::move(new_dims);
  *perm = std::move(new_perm);
  return true;
}

}  // namespace

bool ProductWithin(absl::Span<const int64_t> sizes, int64_t limit,
                   int64_t* product) {
  *product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || *product > limit / size) return false;
    *product *= size;
  }
  return true;
}

bool IsPermutation(absl::Span<const int64_t> perm, size_t rank) {
  if (perm.size() != rank) return false;
  std::vector<bool> seen(rank, false);
  for (int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(rank) || seen[p]) return false;
    seen[p] = true;
  }
  return true;
}

int64_t TileAssignment::device_count() const { return Product(dimensions); }

Int64List TileAssignment::Expand() const {
  if (!is_iota) return devices;
  const int64_t count = Product(reshape_dims);
  Int64List flat(count);
  std::iota(flat.begin(), flat.end(), 0);
  if (!IsPermutation(transpose_perm, reshape_dims.size())) return flat;
  return TransposeList(reshape_dims, flat, transpose_perm);
}

void CanonicalizeIota(Int64List* dims, Int64List* perm) {
  if (IsPermutation(*perm, dims->size()) && Product(*dims) != INT64_MAX) {
    ShortenIota(dims, perm);
  }
}

void Mesh::Canonicalize() {
  if (!has_transform) return;
  CanonicalizeIota(&reshape_dims, &transpose_perm);
  int64_t size = 1;
  for (const MeshAxis& axis : axes) {
    if (axis.size < 0 || __builtin_mul_overflow(size, axis.size, &size)) return;
  }
  if (reshape_dims.size() == 1 && reshape_dims[0] == size) {
    has_transform = false;
    reshape_dims.clear();
    transpose_perm.clear();
  }
}

void TileAssignment::Canonicalize() {
  if (is_iota) CanonicalizeIota(&reshape_dims, &transpose_perm);
}

void TileAssignment::Transpose(absl::Span<const int64_t> perm) {
  Int64List new_dimensions;
  for (int64_t p : perm) new_dimensions.push_back(dimensions[p]);
  std::vector<int64_t> cut;
  Int64List dims = reshape_dims;
  Int64List iota_perm = transpose_perm;
  if (is_iota && AlignIota(dimensions, &dims, &iota_perm, &cut)) {
    Int64List start(cut.size(), 0);
    for (size_t i = 1; i < cut.size(); ++i) start[i] = start[i - 1] + cut[i - 1];
    Int64List moved;
    for (int64_t p : perm) {
      for (int64_t i = 0; i < cut[p]; ++i) {
        moved.push_back(iota_perm[start[p] + i]);
      }
    }
    reshape_dims = std::move(dims);
    transpose_perm = std::move(moved);
    ShortenIota(&reshape_dims, &transpose_perm);
  } else {
    devices = TransposeList(dimensions, Expand(), perm);
    is_iota = false;
    reshape_dims.clear();
    transpose_perm.clear();
  }
  dimensions = std::move(new_dimensions);
}

}  // namespace hlokit
