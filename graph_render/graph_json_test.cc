#include "graph_render/graph_json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = google::protobuf::Value;

// Another reader of JSON than our own says what was written.
Json Parsed(const std::string& text) {
  Json value;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &value);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << text;
  return value;
}

const Json& Member(const Json& object, const std::string& key) {
  static const Json* none = new Json;
  const auto& fields = object.struct_value().fields();
  const auto it = fields.find(key);
  if (it == fields.end()) ADD_FAILURE() << "no member " << key;
  return it == fields.end() ? *none : it->second;
}

const Json& NodeNamed(const Json& graph, const std::string& name) {
  static const Json* none = new Json;
  for (const Json& node : Member(graph, "nodes").list_value().values()) {
    if (Member(node, "name").string_value() == name) return node;
  }
  ADD_FAILURE() << "no node " << name;
  return *none;
}

PageStage StageFor(const Module& module, const std::string& label = "l") {
  PageStage stage;
  stage.label = label;
  stage.module = &module;
  return stage;
}

TEST(GraphJsonTest, NodesEdgesAndComputationsReferToEachOther) {
  const auto module = MustParse(kSampleModule);
  const Json graph = Parsed(GraphToJson({StageFor(*module)}).text);
  EXPECT_EQ(Member(graph, "format").string_value(), "hlokit-graph");
  EXPECT_EQ(Member(graph, "version").number_value(), kGraphJsonVersion);
  EXPECT_EQ(Member(graph, "module").string_value(), "sample");
  const Json& red = NodeNamed(graph, "red");
  EXPECT_EQ(Member(red, "opcode").string_value(), "reduce");
  EXPECT_EQ(Member(red, "type").string_value(), "f32[]");
  const auto& computations = Member(graph, "computations").list_value();
  ASSERT_EQ(computations.values_size(), 5);
  const Json& called = computations.values(
      Member(red, "calls").list_value().values(0).number_value());
  EXPECT_EQ(Member(called, "name").string_value(), "addc");
  EXPECT_EQ(Member(computations.values(0), "entry").bool_value(), true);
  const auto& nodes = Member(graph, "nodes").list_value();
  const Json& root =
      nodes.values(Member(computations.values(0), "root").number_value());
  EXPECT_EQ(Member(root, "name").string_value(), "out");
  EXPECT_TRUE(Member(root, "root").bool_value());
  for (int i = 0; i < nodes.values_size(); ++i) {
    EXPECT_EQ(Member(nodes.values(i), "id").number_value(), i);
  }
  std::vector<std::string> into_red;
  for (const Json& edge : Member(graph, "edges").list_value().values()) {
    if (Member(edge, "to").number_value() !=
        Member(red, "id").number_value()) {
      continue;
    }
    const Json& from = nodes.values(Member(edge, "from").number_value());
    const std::string kind = Member(edge, "kind").string_value();
    into_red.push_back(absl::StrCat(
        Member(from, "name").string_value(), " ", kind, " ",
        kind == "data" ? Member(edge, "operand").number_value() : -1));
  }
  EXPECT_THAT(into_red, testing::ElementsAre("g data 0", "z data 1",
                                             "f control -1"));
}

TEST(GraphJsonTest, MetadataSaysScopeAndSource) {
  const auto module = MustParse(kSampleModule);
  const Json graph = Parsed(GraphToJson({StageFor(*module)}).text);
  const Json& f = NodeNamed(graph, "f");
  EXPECT_EQ(Member(f, "op_name").string_value(), "jit(f)/layer/add");
  EXPECT_EQ(Member(f, "scope").string_value(), "jit(f)/layer");
  EXPECT_EQ(Member(f, "source").string_value(), "x.py:3");
}

TEST(GraphJsonTest, APartSaysWhatItLeavesOut) {
  const auto module = MustParse(kSampleModule);
  const NodeFilter near = Neighbourhood(*Named(*module, "g"), 1);
  PageStage stage = StageFor(*module);
  stage.selection.root = module->entry();
  stage.selection.filter = &near;
  const Json graph = Parsed(GraphToJson({stage}).text);
  EXPECT_TRUE(Member(NodeNamed(graph, "g"), "highlighted").bool_value());
  EXPECT_EQ(Member(NodeNamed(graph, "w"), "omitted_operands").number_value(),
            1);
  for (const Json& node : Member(graph, "nodes").list_value().values()) {
    EXPECT_NE(Member(node, "name").string_value(), "init");
  }
}

TEST(GraphJsonTest, StepsSayWhatChanged) {
  const auto before = MustParse(kBeforeStep);
  const auto after = MustParse(kAfterStep);
  const Json file = Parsed(
      GraphToJson({StageFor(*before, "one"), StageFor(*after, "two")}).text);
  const auto& graphs = Member(file, "graphs").list_value();
  ASSERT_EQ(graphs.values_size(), 2);
  EXPECT_EQ(Member(graphs.values(1), "label").string_value(), "two");
  EXPECT_TRUE(Member(NodeNamed(graphs.values(0), "gone"), "gone_in_next")
                  .bool_value());
  EXPECT_EQ(
      Member(NodeNamed(graphs.values(1), "fresh"), "change").string_value(),
      "added");
  EXPECT_EQ(Member(NodeNamed(graphs.values(1), "c"), "change").string_value(),
            "changed");
  EXPECT_EQ(Member(graphs.values(1), "removed").list_value().values(0)
                .string_value(),
            "gone");
}

TEST(GraphJsonTest, HostileNamesStayValidJson) {
  const std::string names[] = {
      "quote\"back\\slash", "<b>&amp;", "control\x01\x1f\t\n",
      "caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80", std::string(100000, 'x'),
      "cut\xc3", "\xff\xfe\x80", "overlong\xc0\xaf", "half\xed\xa0\x80"};
  Module module(names[0]);
  auto entry = Computation::Create(&module, names[1]);
  Instruction* last = entry->AddParameter(
      0, Shape::ArrayWithDescendingLayout(kF32, {4}), "p");
  for (const std::string& name : names) {
    last = entry->Add(Opcode::kNegate, last->shape(), {last}, name);
    OpMetadata metadata;
    metadata.op_name = name + "/neg";
    metadata.source_file = name;
    last->set_metadata(metadata);
  }
  entry->set_root(last);
  module.AddEntryComputation(std::move(entry));
  const GraphJson json = GraphToJson({StageFor(module)});
  const Json graph = Parsed(json.text);
  EXPECT_GE(json.replaced_texts, 4);
  ASSERT_EQ(Member(graph, "notes").list_value().values_size(), 1);
  EXPECT_THAT(Member(graph, "notes").list_value().values(0).string_value(),
              HasSubstr("not UTF-8"));
  const auto& nodes = Member(graph, "nodes").list_value();
  EXPECT_EQ(Member(nodes.values(1), "name").string_value(), names[0]);
  EXPECT_EQ(Member(nodes.values(4), "name").string_value(), names[3]);
  EXPECT_EQ(Member(nodes.values(6), "name").string_value(),
            "cut\xef\xbf\xbd");
  // Modules of plain texts have no note.
  const auto plain = MustParse(kSampleModule);
  EXPECT_EQ(GraphToJson({StageFor(*plain)}).replaced_texts, 0);
}

std::string Chain(int length) {
  std::string text = "HloModule chain\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&text, i == length ? "  ROOT v" : "  v", i,
                    " = f32[8] negate(v", i - 1, ")\n");
  }
  return text + "}\n";
}

TEST(GraphJsonTest, SizeGrowsWithTheModule) {
  const auto small = MustParse(Chain(1000));
  const auto large = MustParse(Chain(10000));
  const double ratio = 1.0 * GraphToJson({StageFor(*large)}).text.size() /
                       GraphToJson({StageFor(*small)}).text.size();
  EXPECT_GT(ratio, 9);
  EXPECT_LT(ratio, 12);
}

}  // namespace
}  // namespace hlokit
