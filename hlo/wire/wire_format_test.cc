#include "hlo/wire/wire_format.h"

#include <string>

#include "gtest/gtest.h"

namespace hlokit::wire {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

// A message's size takes more bytes than were kept for it, and the content may
// leave no room for them.
TEST(WireWriterTest, MessagesOfEverySizeComeOutWhole) {
  for (size_t before : {size_t{0}, size_t{100}, size_t{40000}}) {
    for (size_t size : {0, 1, 127, 128, 16383, 16384, 20000, 32757, 32758,
                        40000, 65533, 65534, 65535, 65536, 103022, 300000}) {
      for (size_t less = 0; less < 16 && less <= size; ++less) {
        const std::string content(size - less, 'x');
        const std::string front(before, 'f');
        std::string out;
        {
          WireWriter writer(&out);
          writer.Append(front);
          const auto begin = writer.Begin(3);
          writer.Append(content);
          writer.End(begin);
          writer.Append("end");
        }
        ASSERT_EQ(out, front + "\x1a" + Varint(content.size()) + content +
                           "end")
            << before << " " << content.size();
      }
    }
  }
}

TEST(WireWriterTest, MessagesInMessagesComeOutWhole) {
  for (size_t size = 65400; size < 65560; ++size) {
    const std::string content(size, 'x');
    std::string out;
    {
      WireWriter writer(&out);
      const auto outer = writer.Begin(1);
      const auto inner = writer.Begin(2);
      writer.Append(content);
      writer.End(inner);
      writer.End(outer);
    }
    const std::string inner = "\x12" + Varint(size) + content;
    ASSERT_EQ(out, "\x0a" + Varint(inner.size()) + inner) << size;
  }
}

}  // namespace
}  // namespace hlokit::wire
