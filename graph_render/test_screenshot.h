// For tests: screenshots beside stored ones.
#ifndef HLOKIT_GRAPH_RENDER_TEST_SCREENSHOT_H_
#define HLOKIT_GRAPH_RENDER_TEST_SCREENSHOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// The mean colour of each cell of a grid over a picture.
struct Thumbnail {
  int columns = 0, rows = 0;
  std::vector<int> rgb;  // three a cell, row by row

  // A line a row, six hexadecimal digits a cell.
  std::string ToText() const;
  static absl::StatusOr<Thumbnail> FromText(absl::string_view text);
};

// Of a PNG with 8 bits a channel, RGB or RGBA, not interlaced: what Chromium
// makes.
absl::StatusOr<Thumbnail> ThumbnailOf(absl::string_view png, int columns,
                                      int rows);

// Which share of the cells differs by more than `tolerance` (of 255) in some
// channel; 1 for grids of different sizes. Letters differ from machine to
// machine, boxes and colours do not.
double ShareOfDifferentCells(const Thumbnail& a, const Thumbnail& b,
                             int tolerance);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_TEST_SCREENSHOT_H_
