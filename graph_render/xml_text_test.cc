#include "graph_render/xml_text.h"

#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(XmlTextTest, MarkupBecomesEntities) {
  EXPECT_EQ(XmlText("<a href='x\">&"),
            "&lt;a href=&#39;x&quot;&gt;&amp;");
}

TEST(XmlTextTest, BytesThatAreNoCharactersAreReplaced) {
  EXPECT_EQ(CleanUtf8("a\xff"), "a\xef\xbf\xbd");
  EXPECT_EQ(CleanUtf8(absl::string_view("\0\x1b\x7f", 3)),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(CleanUtf8("\xe2\x80\xa8"), "\xef\xbf\xbd");  // U+2028
  EXPECT_EQ(CleanUtf8("tab\tline\n\xc3\xa9"), "tab\tline\n\xc3\xa9");
}

TEST(XmlTextTest, ShortTextCountsCharactersNotBytes) {
  EXPECT_EQ(ShortText("\xc3\xa9\xc3\xa9\xc3\xa9", 3),
            "\xc3\xa9\xc3\xa9\xc3\xa9");
  EXPECT_EQ(ShortText("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9...");
}

}  // namespace
}  // namespace hlokit
