#include "base/json_writer.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>

#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

std::string Quoted(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

std::string Number(double value) {
  std::string out;
  JsonWriter(&out).Double(value);
  return out;
}

TEST(JsonWriterTest, WritesNestedValuesOnOneLine) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject();
  json.Member("name", "add").Member("bytes", int64_t{-4}).Member("ok", true);
  json.Key("list").BeginArray().Int(1).Null().BeginObject().EndObject();
  json.BeginArray().EndArray().EndArray();
  json.Member("last", 0.5);
  EXPECT_FALSE(json.done());
  json.EndObject();
  EXPECT_TRUE(json.done());
  EXPECT_EQ(out, R"({"name":"add","bytes":-4,"ok":true,)"
                 R"("list":[1,null,{},[]],"last":0.5})");
}

TEST(JsonWriterTest, IndentsWhenAsked) {
  std::ostringstream out;
  JsonWriter json(&out, 2);
  json.BeginObject().Member("a", 1).Key("b").BeginArray();
  json.Value("x").Value("y").EndArray();
  json.Key("c").BeginObject().EndObject().EndObject();
  EXPECT_EQ(out.str(),
            "{\n"
            "  \"a\": 1,\n"
            "  \"b\": [\n"
            "    \"x\",\n"
            "    \"y\"\n"
            "  ],\n"
            "  \"c\": {}\n"
            "}");
}

TEST(JsonWriterTest, IntegersKeepAllTheirDigits) {
  std::string out;
  JsonWriter json(&out);
  json.BeginArray();
  json.Value(std::numeric_limits<int64_t>::min());
  json.Value(std::numeric_limits<uint64_t>::max());
  json.Value(int8_t{-1}).Value(uint8_t{200}).Value(size_t{7});
  json.EndArray();
  EXPECT_EQ(out, "[-9223372036854775808,18446744073709551615,-1,200,7]");
}

TEST(JsonWriterTest, DoublesReadBackAsTheSameValue) {
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(1), "1");
  EXPECT_EQ(Number(-0.0), "-0");
  for (double value : {1.0 / 3, 1e300, 5e-324, 123456789012345680.0, 2.5e-8,
                       std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(Number(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(Number(-value).c_str(), nullptr), -value);
  }
}

TEST(JsonWriterTest, WhatIsNoNumberIsAString) {
  EXPECT_EQ(Number(std::nan("")), "\"NaN\"");
  EXPECT_EQ(Number(HUGE_VAL), "\"Infinity\"");
  EXPECT_EQ(Number(-HUGE_VAL), "\"-Infinity\"");
}

TEST(JsonWriterTest, StringsAreEscaped) {
  EXPECT_EQ(Quoted("plain / text"), "\"plain / text\"");
  EXPECT_EQ(Quoted("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
  EXPECT_EQ(Quoted(absl::string_view("\0\x1f\x7f", 3)),
            R"("\u0000\u001f\u007f")");
  EXPECT_EQ(Quoted("\xc3\xa9\xf0\x9f\x98\x80"),
            "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

TEST(JsonWriterTest, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(Quoted("a\xff" "b\xe2\x82"),
            "\"a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(Quoted("\xed\xa0\x80"),
            "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriterTest, RawValuesArePlacedAsTheyAre) {
  std::string out;
  JsonWriter json(&out);
  json.BeginArray().Raw("{\"a\": 1}").Raw("2").EndArray();
  EXPECT_EQ(out, "[{\"a\": 1},2]");
}

TEST(JsonWriterTest, WrongOrdersAreOurMistake) {
  std::string out;
  EXPECT_THROW(JsonWriter(&out).BeginObject().Int(1), InternalError);
  EXPECT_THROW(JsonWriter(&out).BeginArray().Key("a"), InternalError);
  EXPECT_THROW(JsonWriter(&out).BeginArray().EndObject(), InternalError);
  EXPECT_THROW(JsonWriter(&out).BeginObject().Key("a").EndObject(), InternalError);
  EXPECT_THROW(JsonWriter(&out).Int(1).Int(2), InternalError);
  EXPECT_THROW(JsonWriter(&out).EndArray(), InternalError);
}

}  // namespace
}  // namespace hlokit
