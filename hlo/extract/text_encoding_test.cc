#include "hlo/extract/text_encoding.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

// ASCII and U+1F600 in units of `bytes` bytes.
std::string Encode(absl::string_view text, int bytes, bool big, bool mark) {
  std::string out;
  const auto unit = [&](uint32_t value) {
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (big ? bytes - 1 - i : i);
      out += static_cast<char>(value >> shift & 0xff);
    }
  };
  if (mark) unit(0xfeff);
  for (const char c : text) unit(static_cast<unsigned char>(c));
  if (bytes == 2) {
    unit(0xd83d);
    unit(0xde00);
  } else {
    unit(0x1f600);
  }
  return out;
}

TEST(TextEncodingTest, WideTextIsDecodedWithAndWithoutMark) {
  const std::string text = "HloModule m\r\n";
  for (const int bytes : {2, 4}) {
    for (const bool big : {false, true}) {
      for (const bool mark : {false, true}) {
        const std::string encoded = Encode(text, bytes, big, mark);
        const TextEncoding encoding = DetectTextEncoding(encoded);
        ASSERT_NE(encoding, TextEncoding::kPlain);
        EXPECT_EQ(ToUtf8(encoded, encoding), text + "\U0001f600");
        EXPECT_EQ(ToUtf8(encoded + "x", encoding), text + "\U0001f600");
      }
    }
  }
}

TEST(TextEncodingTest, OtherBytesArePlain) {
  for (const std::string& bytes :
       {std::string("HloModule m"), std::string("\x0a\x00\x12\x00", 4),
        std::string("\x0a\x05m\x00\x12\x00\x1a\x00", 8), std::string()}) {
    EXPECT_EQ(DetectTextEncoding(bytes), TextEncoding::kPlain);
  }
  EXPECT_EQ(DetectTextEncoding("\xef\xbb\xbfHlo"), TextEncoding::kUtf8Mark);
}

TEST(TextEncodingTest, LoneSurrogatesAreReplaced) {
  EXPECT_EQ(ToUtf8(absl::string_view("\xff\xfe\x3d\xd8\x41\x00", 6),
                   TextEncoding::kUtf16Little),
            "\uFFFD"
            "A");
}

TEST(TextEncodingTest, Base64OfProtosAndTextIsDecoded) {
  const std::string module = "HloModule m\n\nENTRY e {\n}\n";
  const std::string encoded = absl::Base64Escape(module);
  EXPECT_EQ(DecodeBase64Text(encoded), module);
  EXPECT_EQ(DecodeBase64Text("b'" + encoded + "'"), module);
  EXPECT_EQ(DecodeBase64Text("data:text/plain;base64," + encoded), module);
  EXPECT_EQ(DecodeBase64Text(encoded.substr(0, 8) + "\n" + encoded.substr(8)),
            module);
  EXPECT_EQ(DecodeBase64Text(module), "");
  EXPECT_EQ(DecodeBase64Text("justalongwordthatisnotencodedatall"), "");
}

}  // namespace
}  // namespace hlokit
