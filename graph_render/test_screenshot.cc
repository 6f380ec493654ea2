#include "graph_render/test_screenshot.h"

#include <zlib.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace hlokit {
namespace {

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

struct Png {
  uint32_t width = 0, height = 0;
  int channels = 0;
  std::string packed;
};

absl::StatusOr<Png> ReadChunks(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, "\x89PNG\r\n\x1a\n")) {
    return InvalidArgument("no PNG");
  }
  bytes.remove_prefix(8);
  Png png;
  while (bytes.size() >= 12) {
    const size_t size = BigEndian(bytes);
    const absl::string_view kind = bytes.substr(4, 4);
    if (size > bytes.size() - 12) return InvalidArgument("a chunk is cut");
    const absl::string_view data = bytes.substr(8, size);
    if (kind == "IHDR" && size == 13) {
      png.width = BigEndian(data);
      png.height = BigEndian(data.substr(4));
      png.channels = data[9] == 6 ? 4 : data[9] == 2 ? 3 : 0;
      if (data[8] != 8 || png.channels == 0 || data[12] != 0) {
        return Unimplemented("another form of PNG");
      }
    }
    if (kind == "IDAT") png.packed.append(data.data(), data.size());
    bytes.remove_prefix(size + 12);
  }
  if (png.width == 0 || png.height == 0 || png.width > 10000 ||
      png.height > 10000) {
    return InvalidArgument("no header");
  }
  return png;
}

int Paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - up),
            c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Undoes the filters of the rows in place; each begins with its filter's
// number.
void Unfilter(const Png& png, std::vector<uint8_t>* rows) {
  const size_t stride = size_t{png.width} * png.channels + 1;
  for (uint32_t r = 0; r < png.height; ++r) {
    uint8_t* row = rows->data() + r * stride;
    const uint8_t* above = r > 0 ? row - stride : nullptr;
    for (size_t i = 1; i < stride; ++i) {
      const bool first = i <= static_cast<size_t>(png.channels);
      const int left = first ? 0 : row[i - png.channels];
      const int up = above == nullptr ? 0 : above[i];
      const int corner =
          first || above == nullptr ? 0 : above[i - png.channels];
      switch (row[0]) {
        case 1: row[i] += left; break;
        case 2: row[i] += up; break;
        case 3: row[i] += (left + up) / 2; break;
        case 4: row[i] += Paeth(left, up, corner); break;
        default: break;
      }
    }
  }
}

}  // namespace

std::string Thumbnail::ToText() const {
  std::string text;
  for (size_t i = 0; i < rgb.size(); i += 3) {
    absl::StrAppend(&text, absl::StrFormat("%02x%02x%02x", rgb[i], rgb[i + 1],
                                           rgb[i + 2]),
                    (i / 3 + 1) % columns == 0 ? "\n" : " ");
  }
  return text;
}

absl::StatusOr<Thumbnail> Thumbnail::FromText(absl::string_view text) {
  Thumbnail thumbnail;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    ++thumbnail.rows;
    thumbnail.columns = 0;
    for (const absl::string_view cell : absl::StrSplit(line, ' ')) {
      int value = 0;
      if (cell.size() != 6 || !absl::SimpleHexAtoi(cell, &value)) {
        return InvalidArgument("'%s' is no colour", cell);
      }
      ++thumbnail.columns;
      for (const int shift : {16, 8, 0}) {
        thumbnail.rgb.push_back(value >> shift & 255);
      }
    }
  }
  return thumbnail;
}

absl::StatusOr<Thumbnail> ThumbnailOf(absl::string_view bytes, int columns,
                                      int rows) {
  HLOKIT_ASSIGN_OR_RETURN(const Png png, ReadChunks(bytes));
  const size_t stride = size_t{png.width} * png.channels + 1;
  std::vector<uint8_t> pixels(stride * png.height);
  uLongf size = pixels.size();
  if (uncompress(pixels.data(), &size,
                 reinterpret_cast<const Bytef*>(png.packed.data()),
                 png.packed.size()) != Z_OK ||
      size != pixels.size()) {
    return InvalidArgument("the picture is damaged");
  }
  Unfilter(png, &pixels);
  Thumbnail thumbnail;
  thumbnail.columns = columns;
  thumbnail.rows = rows;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      int64_t sum[3] = {}, count = 0;
      const uint32_t bottom = png.height * (r + 1) / rows;
      const uint32_t right = png.width * (c + 1) / columns;
      for (uint32_t y = png.height * r / rows; y < bottom; ++y) {
        for (uint32_t x = png.width * c / columns; x < right; ++x) {
          const uint8_t* pixel = &pixels[y * stride + 1 + x * png.channels];
          for (int k = 0; k < 3; ++k) sum[k] += pixel[k];
          ++count;
        }
      }
      for (const int64_t one : sum) {
        thumbnail.rgb.push_back(count > 0 ? one / count : 0);
      }
    }
  }
  return thumbnail;
}

double ShareOfDifferentCells(const Thumbnail& a, const Thumbnail& b,
                             int tolerance) {
  if (a.columns != b.columns || a.rows != b.rows ||
      a.rgb.size() != b.rgb.size() || a.rgb.empty()) {
    return 1;
  }
  int different = 0;
  for (size_t i = 0; i < a.rgb.size(); i += 3) {
    bool differs = false;
    for (int k = 0; k < 3; ++k) {
      differs |= std::abs(a.rgb[i + k] - b.rgb[i + k]) > tolerance;
    }
    different += differs;
  }
  return 3.0 * different / a.rgb.size();
}

}  // namespace hlokit
