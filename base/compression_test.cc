#include "base/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string Repeated(absl::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return all;
}

std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string noise(size, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return noise;
}

std::vector<std::string> Samples() {
  return {"", "a", Repeated("add.1 = f32[] add(a, b)\n", 20000),
          Noise(300000), std::string(5000000, '\0')};
}

TEST(CompressionTest, FormatsAreKnownByTheirFirstBytes) {
  EXPECT_EQ(DetectCompression(Gzip("x")), Compression::kGzip);
  EXPECT_EQ(DetectCompression(Zstd("x")), Compression::kZstd);
  EXPECT_EQ(DetectCompression("HloModule x"), Compression::kNone);
  EXPECT_EQ(DetectCompression(""), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x1f\x8b"), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x5f\x2a\x4d\x18rest"), Compression::kZstd);
}

TEST(CompressionTest, RoundTripsAreExact) {
  for (const std::string& sample : Samples()) {
    for (int level : {1, 6, 9}) {
      const auto back = Decompress(Gzip(sample, level));
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(*back == sample) << sample.size();
    }
    for (int level : {1, 3, 12}) {
      const auto back = Decompress(Zstd(sample, level));
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(*back == sample) << sample.size();
    }
  }
}

TEST(CompressionTest, PlainBytesComeBackAsTheyAre) {
  EXPECT_EQ(*Decompress("HloModule x"), "HloModule x");
  EXPECT_EQ(*Decompress(""), "");
}

TEST(CompressionTest, TheGzipHeaderIsTheSameEverywhere) {
  const std::string header("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  for (int level : {1, 6, 9}) {
    EXPECT_EQ(Gzip("text", level).substr(0, 10), header);
  }
  EXPECT_EQ(Gzip("text"), Gzip("text"));
}

TEST(CompressionTest, GzipIsReadByZlibItself) {
  const std::string text = Repeated("0123456789", 5000);
  const std::string compressed = Gzip(text);
  z_stream stream = {};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(text.size() + 1, '\0');
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = compressed.size();
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = out.size();
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(out, text);
}

TEST(CompressionTest, MembersAndFramesAreJoined) {
  EXPECT_EQ(*Decompress(Gzip("one") + Gzip("") + Gzip("two")), "onetwo");
  EXPECT_EQ(*Decompress(Zstd("one") + Zstd("") + Zstd("two")), "onetwo");
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(*Decompress(skippable + Zstd("one") + skippable), "one");
}

TEST(CompressionTest, ZeroPaddingAfterGzipIsAllowedOtherBytesAreNot) {
  const std::string member = Gzip("one");
  EXPECT_EQ(*Decompress(member + std::string(512, '\0')), "one");
  const absl::Status status = Decompress(member + "garbage").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("byte ", member.size())));
  EXPECT_TRUE(
      absl::IsInvalidArgument(Decompress(Zstd("one") + "garbage").status()));
}

TEST(CompressionTest, EveryTruncationIsAnErrorThatNamesTheOffset) {
  const std::string text = Repeated("some text 123 ", 40) + Noise(200);
  for (const std::string& whole : {Gzip(text), Zstd(text)}) {
    for (size_t size = 4; size < whole.size(); ++size) {
      const absl::Status status = Decompress(whole.substr(0, size)).status();
      ASSERT_TRUE(absl::IsInvalidArgument(status)) << size;
      EXPECT_TRUE(absl::EndsWith(status.message(),
                                 absl::StrCat("truncated at byte ", size)))
          << status;
    }
  }
}

TEST(CompressionTest, ChangedBytesNeverGiveWrongContents) {
  const std::string text = Repeated("some text 123 ", 40);
  for (const std::string& whole : {Gzip(text), Zstd(text)}) {
    for (size_t i = 10; i < whole.size(); ++i) {
      std::string changed = whole;
      changed[i] ^= 0x10;
      const auto result = Decompress(changed);
      if (result.ok()) {
        EXPECT_EQ(*result, text) << i;
      }
    }
  }
}

TEST(CompressionTest, OutputMeetsItsLimitExactly) {
  const std::string text(100000, 'x');
  for (const std::string& whole : {Gzip(text), Zstd(text), text}) {
    const auto enough = Decompress(whole, 100000);
    ASSERT_TRUE(enough.ok()) << enough.status();
    EXPECT_EQ(enough->size(), 100000u);
    EXPECT_TRUE(
        absl::IsResourceExhausted(Decompress(whole, 99999).status()));
    EXPECT_TRUE(absl::IsResourceExhausted(Decompress(whole, 0).status()));
  }
  EXPECT_TRUE(Decompress(Gzip(""), 0).ok());
  EXPECT_TRUE(Decompress(Zstd(""), 0).ok());
}

std::string ZstdWithWindow(absl::string_view text, int window_log) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  // Streaming without a known size, so that the frame states its window.
  ZSTD_inBuffer in = {text.data(), text.size(), 0};
  ZSTD_outBuffer buffer = {out.data(), out.size(), 0};
  ZSTD_compressStream2(context, &buffer, &in, ZSTD_e_continue);
  EXPECT_EQ(ZSTD_compressStream2(context, &buffer, &in, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  out.resize(buffer.pos);
  return out;
}

TEST(CompressionTest, ASmallFileCannotTakeAllMemory) {
  const std::string blanks(size_t{300} << 20, ' ');
  const std::string bomb = Zstd(blanks, 1);
  ASSERT_LT(bomb.size() * kMaxRatio, blanks.size());
  const absl::Status status = Decompress(bomb).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("more than 256.0 MiB, over 1100"));
  // What gzip makes of the same is within the ratio.
  EXPECT_TRUE(Decompress(Gzip(blanks, 1)).ok());
}

TEST(CompressionTest, ZstdWindowsMayHave128MebibytesAndNoMore) {
  EXPECT_EQ(*Decompress(ZstdWithWindow("text", 24)), "text");
  EXPECT_EQ(*Decompress(ZstdWithWindow("text", 27)), "text");
  EXPECT_TRUE(
      absl::IsInvalidArgument(Decompress(ZstdWithWindow("text", 28)).status()));
}

}  // namespace
}  // namespace hlokit
