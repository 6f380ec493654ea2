#include "base/text_table.h"

#include "base/status.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(TextTableTest, AlignsColumns) {
  TextTable table({{"bytes", TextTable::kRight}, {"name"}, {"note"}});
  table.AddRow({"4096", "add.3", "x"});
  table.AddRow({"1048576", "dot", "yy"});
  table.AddRow({"1"});
  EXPECT_EQ(table.ToString(),
            "  bytes  name   note\n"
            "   4096  add.3  x\n"
            "1048576  dot    yy\n"
            "      1\n");
}

TEST(TextTableTest, HasNoHeaderWithoutTitles) {
  TextTable table({{""}, {"", TextTable::kRight}});
  table.set_indent(2);
  table.set_gap(1);
  table.AddRow({"a", "1"});
  table.AddRow({"bbb", "22"});
  EXPECT_EQ(table.ToString(), "  a    1\n  bbb 22\n");
}

TEST(TextTableTest, RulesSpanTheWidth) {
  TextTable table({{"a"}, {"b", TextTable::kRight}});
  table.AddRow({"xx", "1"});
  table.AddRule();
  table.AddRow({"y", "22"});
  EXPECT_EQ(table.ToString(), "a    b\nxx   1\n------\ny   22\n");
}

TEST(TextTableTest, EscapesAndCodePointsDoNotDisturbTheWidth) {
  TextTable table({{""}, {""}});
  table.AddRow({"\x1b[31mred\x1b[0m", "1"});
  table.AddRow({"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", "2"});
  EXPECT_EQ(table.ToString(),
            "\x1b[31mred\x1b[0m   1\n"
            "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac  2\n");
}

TEST(TextTableTest, AnEmptyTableIsItsHeader) {
  TextTable table({{"a"}, {"b"}});
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.ToString(), "a  b\n");
}

TEST(TextTableTest, MoreCellsThanColumnsAreOurMistake) {
  TextTable table({{"a"}});
  EXPECT_THROW(table.AddRow({"1", "2"}), InternalError);
}

TEST(TextTableTest, EscapesControlCharactersButColours) {
  TextTable table({{""}});
  table.AddRow({"\x1b[31mred\x1b[0m\x1b[2J\r"});
  EXPECT_EQ(table.ToString(), "\x1b[31mred\x1b[0m\\033[2J\\r\n");
}

}  // namespace
}  // namespace hlokit
