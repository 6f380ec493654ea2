#include "graph_render/row_placement.h"

#include <algorithm>

namespace hlokit {

void RowPlacement::Clear() {
  edge_ = 0;
  offset_.clear();
  wish_.clear();
  weight_.clear();
}

void RowPlacement::Add(double width, double wish, double weight) {
  offset_.push_back(edge_ + width / 2);
  edge_ += width + gap_;
  wish_.push_back(wish);
  weight_.push_back(weight);
}

void RowPlacement::Place(double half) {
  blocks_.clear();
  for (size_t i = 0; i < offset_.size(); ++i) {
    blocks_.push_back(
        {weight_[i] * (wish_[i] - offset_[i]), weight_[i], i + 1});
    while (blocks_.size() > 1 &&
           blocks_[blocks_.size() - 2].shift() >= blocks_.back().shift()) {
      const Block last = blocks_.back();
      blocks_.pop_back();
      blocks_.back().sum += last.sum;
      blocks_.back().weight += last.weight;
      blocks_.back().end = last.end;
    }
  }
  const double width = edge_ - gap_;
  const double low = std::min(-half, -width / 2);
  const double high = std::max(half, width / 2) - width;
  shift_.resize(offset_.size());
  size_t i = 0;
  for (const Block& block : blocks_) {
    for (; i < block.end; ++i) {
      shift_[i] = std::clamp(block.shift(), low, high);
    }
  }
}

}  // namespace hlokit
