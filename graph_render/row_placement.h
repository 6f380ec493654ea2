// Places boxes of one row as near as possible to where they want to be.
#ifndef HLOKIT_GRAPH_RENDER_ROW_PLACEMENT_H_
#define HLOKIT_GRAPH_RENDER_ROW_PLACEMENT_H_

#include <cstddef>
#include <limits>
#include <vector>

namespace hlokit {

// The centres that keep the order and the gaps of the boxes and the bounds of
// the row with the least weighted sum of squared distances to their wishes
// (pool adjacent violators, then clamped: linear in the number of boxes).
class RowPlacement {
 public:
  explicit RowPlacement(double gap) : gap_(gap) {}

  void Clear();
  // From left to right.
  void Add(double width, double wish, double weight);
  // Within [-half, half], or around 0 where the row is wider than that.
  void Place(double half = std::numeric_limits<double>::infinity());
  // Of the box added i-th.
  double center(size_t i) const { return offset_[i] + shift_[i]; }

 private:
  // Boxes that touch: they stand at their offsets, moved by `sum / weight`.
  struct Block {
    double sum = 0, weight = 0;
    size_t end = 0;
    double shift() const { return sum / weight; }
  };

  double gap_;
  double edge_ = 0;
  std::vector<double> offset_;  // centres with all boxes side by side
  std::vector<double> wish_, weight_;
  std::vector<double> shift_;
  std::vector<Block> blocks_;
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_ROW_PLACEMENT_H_
