// Modules read from bytes that writers of other kinds could give.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

xla::HloInstructionProto* AddInstruction(xla::HloComputationProto* c,
                                         const std::string& name,
                                         const std::string& opcode, int64_t id,
                                         std::vector<int64_t> operands) {
  xla::HloInstructionProto* i = c->add_instructions();
  i->set_name(name);
  i->set_opcode(opcode);
  i->set_id(id);
  i->mutable_shape()->set_element_type(xla::F32);
  i->mutable_shape()->mutable_layout();
  for (int64_t operand : operands) i->add_operand_ids(operand);
  return i;
}

// p, n = -p, r = p * n.
xla::HloModuleProto Product() {
  xla::HloModuleProto m;
  m.set_name("product");
  xla::HloComputationProto* c = m.add_computations();
  c->set_name("main");
  c->set_id(7);
  AddInstruction(c, "p", "parameter", 1, {});
  AddInstruction(c, "n", "negate", 2, {1});
  AddInstruction(c, "r", "multiply", 3, {1, 2});
  c->set_root_id(3);
  m.set_entry_computation_id(7);
  return m;
}

xla::HloInstructionProto* At(xla::HloModuleProto* m, int n) {
  return m->mutable_computations(0)->mutable_instructions(n);
}

std::string ErrorOf(const xla::HloModuleProto& proto) {
  const auto module = ModuleFromBytes(proto.SerializeAsString());
  return module.ok() ? "" : std::string(module.status().message());
}

std::vector<std::string> NotesOf(const std::string& bytes) {
  std::vector<std::string> notes;
  FromProtoOptions options;
  options.notes = &notes;
  const auto module = ModuleFromBytes(bytes, options);
  EXPECT_TRUE(module.ok()) << module.status();
  return notes;
}

TEST(ModuleFromBytes, ReadsWhatTheProtobufLibraryWrites) {
  const auto module = ModuleFromBytes(Product().SerializeAsString());
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  EXPECT_EQ(root.name(), "r");
  EXPECT_EQ(root.operand(1)->name(), "n");
  EXPECT_EQ(root.id(), 3);
}

TEST(ModuleFromBytes, TakesInstructionsInAnyOrder) {
  xla::HloModuleProto m = Product();
  m.mutable_computations(0)->mutable_instructions()->SwapElements(0, 2);
  const auto module = ModuleFromBytes(m.SerializeAsString());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->root()->operand(0)->name(), "p");
}

TEST(ModuleFromBytes, RefusesAnInstructionThatUsesItself) {
  xla::HloModuleProto m = Product();
  At(&m, 1)->set_operand_ids(0, 2);
  EXPECT_THAT(ErrorOf(m), HasSubstr("in a cycle: n uses n"));
  At(&m, 1)->set_operand_ids(0, 1);
  At(&m, 1)->add_control_predecessor_ids(2);
  EXPECT_THAT(ErrorOf(m), HasSubstr("in a cycle: n uses n"));
}

TEST(ModuleFromBytes, RefusesInstructionsThatUseEachOther) {
  xla::HloModuleProto m = Product();
  At(&m, 1)->set_operand_ids(0, 3);
  EXPECT_THAT(ErrorOf(m), HasSubstr("instructions use each other in a cycle"));
}

TEST(ModuleFromBytes, NamesTheInstructionThatIsWrong) {
  xla::HloModuleProto m = Product();
  At(&m, 2)->set_operand_ids(1, 9);
  EXPECT_THAT(ErrorOf(m),
              HasSubstr("computation main: instruction r (id 3): it wants "
                        "operand id 9"));
  m = Product();
  At(&m, 2)->set_id(2);
  EXPECT_THAT(ErrorOf(m), HasSubstr("instructions n and r have the same id 2"));
  m = Product();
  At(&m, 1)->set_opcode("negat");
  EXPECT_THAT(ErrorOf(m), HasSubstr("opcode \"negat\" is unknown"));
}

// Not the instruction's type; what has no leaf behind the last one is not there.
TEST(ModuleFromBytes, OriginTreesFollowTheIndicesOfTheirLeaves) {
  auto tree_of = [](const std::vector<std::vector<int64_t>>& indices) {
    xla::HloModuleProto m = Product();
    auto* origin = At(&m, 1)->mutable_original_value();
    for (const auto& index : indices) {
      auto* element = origin->add_elements();
      for (int64_t i : index) element->add_shape_index(i);
      element->mutable_original_array()->set_instruction_name("x");
    }
    const auto module = ModuleFromBytes(m.SerializeAsString());
    EXPECT_TRUE(module.ok()) << module.status();
    return (*module)
        ->entry()
        ->FindInstruction("n")
        ->attrs()
        .Get<OriginalValue>(AttrId::kOrigin)
        ->tree.ToString();
  };
  EXPECT_EQ(tree_of({}), "()");
  EXPECT_EQ(tree_of({{}}), "opaque[]");
  EXPECT_EQ(tree_of({{0}, {1}}), "(opaque[], opaque[])");
  EXPECT_EQ(tree_of({{1, 0}}), "((), (opaque[]))");
  // No tree: the instruction's type stands in.
  EXPECT_EQ(tree_of({{1}, {0}}), "f32[]");
  EXPECT_EQ(tree_of({{-1}}), "f32[]");
  EXPECT_EQ(tree_of({{}, {0}}), "f32[]");
  EXPECT_EQ(tree_of({{int64_t{1} << 40}}), "f32[]");
}

TEST(ModuleFromBytes, TheProgramShapeMayHaveAnotherNumberOfParameters) {
  xla::HloModuleProto m = Product();
  m.mutable_host_program_shape()->mutable_result()->set_element_type(xla::F32);
  const auto module = ModuleFromBytes(m.SerializeAsString());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE((*module)->entry_layout->parameters.empty());
}

TEST(ModuleFromBytes, JoinsMessagesThatComeInPieces) {
  // Two halves of one field mean the whole, as the encoding says.
  std::string instruction;
  wire::WireWriter w(&instruction);
  using P = xla::HloInstructionProto;
  w.Text(P::kNameFieldNumber, "p");
  w.Text(P::kOpcodeFieldNumber, "parameter");
  xla::ShapeProto type, rest;
  type.set_element_type(xla::S32);
  rest.add_dimensions(5);
  rest.mutable_layout()->add_minor_to_major(0);
  w.Bytes(P::kShapeFieldNumber, type.SerializeAsString());
  w.Number(P::kIdFieldNumber, 3);
  w.Bytes(P::kShapeFieldNumber, rest.SerializeAsString());
  w.Flush();
  std::string computation;
  wire::WireWriter c(&computation);
  c.Bytes(xla::HloComputationProto::kInstructionsFieldNumber, instruction);
  c.Number(xla::HloComputationProto::kRootIdFieldNumber, 3);
  c.Flush();
  std::string bytes;
  wire::WireWriter(&bytes).Bytes(xla::HloModuleProto::kComputationsFieldNumber,
                                 computation);
  const auto module = ModuleFromBytes(bytes);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->root()->shape().ToString(), "s32[5]{0}");
}

TEST(ModuleFromBytes, DealsIdsAnewWhenTheyLeaveTooManyOut) {
  xla::HloModuleProto m = Product();
  At(&m, 2)->set_id(4000000000);
  m.mutable_computations(0)->set_root_id(4000000000);
  const std::string bytes = m.SerializeAsString();
  EXPECT_THAT(NotesOf(bytes), ::testing::Contains(HasSubstr("dealt anew")));
  const auto module = ModuleFromBytes(bytes);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->root()->id(), 2);
}

TEST(ModuleFromBytes, CountsUnknownFieldsWhereverTheyAre) {
  xla::HloModuleProto m = Product();
  EXPECT_THAT(NotesOf(m.SerializeAsString()),
              ElementsAre(HasSubstr("host_program_shape")));
  auto add = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(1234, 1);
  };
  // The same bytes in all three.
  for (int n : {0, 1, 2}) add(At(&m, n)->mutable_shape());
  add(At(&m, 1)->mutable_metadata());
  add(m.mutable_computations(0)->mutable_program_shape());
  EXPECT_THAT(
      NotesOf(m.SerializeAsString()),
      ::testing::IsSupersetOf(
          {"field 1234 of ShapeProto is unknown and kept as it is (3 times), "
           "first in instruction p",
           "field 1234 of OpMetadata is unknown and kept as it is, first in "
           "instruction n",
           "field 1234 of ProgramShapeProto is unknown and kept as it is, "
           "first in computation main"}));
}

TEST(ModuleFromBytes, KeepsUnknownFieldsWhereverTheyAre) {
  xla::HloModuleProto m = Product();
  std::vector<std::string> notes;
  FromProtoOptions options;
  options.notes = &notes;
  const auto before = ModuleFromBytes(m.SerializeAsString(), options);
  ASSERT_TRUE(before.ok()) << before.status();
  xla::HloModuleProto want = ModuleToProto(**before);
  const auto add = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(1234, 1);
  };
  for (xla::HloModuleProto* proto : {&m, &want}) {
    add(proto);
    add(proto->mutable_computations(0));
    add(At(proto, 1));
    add(At(proto, 1)->mutable_shape());
    add(At(proto, 1)->mutable_metadata());
  }
  const auto after = ModuleFromBytes(m.SerializeAsString(), options);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(SerializeDeterministic(ModuleToProto(**after)),
            SerializeDeterministic(want));
}

TEST(ModuleFromBytes, RefusesAKnownFieldOfAWrongWireType) {
  xla::HloModuleProto m = Product();
  At(&m, 1)->GetReflection()->MutableUnknownFields(At(&m, 1))->AddFixed32(35, 2);
  EXPECT_THAT(ErrorOf(m), HasSubstr("field 35 (id)"));
}

TEST(ModuleFromBytes, TellsWhereBytesEndTooSoon) {
  const std::string bytes = Product().SerializeAsString();
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto module = ModuleFromBytes(bytes.substr(0, size));
    if (module.ok()) continue;  // between two fields
    EXPECT_THAT(std::string(module.status().message()), ::testing::Not(IsEmpty()));
  }
  const auto module = ModuleFromBytes(bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("the bytes end in the middle of a field"));
}

// A module with a string of these bytes wherever one may be.
xla::HloModuleProto WithStrings(const std::string& text) {
  xla::HloModuleProto m = Product();
  xla::HloInstructionProto* i = At(&m, 1);
  i->mutable_metadata()->set_op_name(text);
  i->mutable_metadata()->set_op_type(text);
  i->mutable_metadata()->set_source_file(text);
  i->mutable_metadata()->set_deduplicated_name(text);
  i->mutable_metadata()->set_scheduling_name(text);
  (*i->mutable_frontend_attributes()->mutable_map())["k"] = text;
  i->mutable_sharding()->set_type(xla::OpSharding::REPLICATED);
  i->mutable_sharding()->add_metadata()->set_op_name(text);
  (*m.mutable_frontend_attributes()->mutable_map())["k"] = text;
  m.set_device_type(text);
  return m;
}

TEST(ModuleFromBytes, KeepsStringsThatAreNotUtf8) {
  for (const std::string text :
       {"caf\xe9", "\xff", "\xc3", "a\x80" "b\xc0\x80", "\xed\xa0\x80",
        "\xf4\x8f\xbe\x80", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbe",
        "\xf4\x90\x80\x80", "ok \xc3\xa9", "\xe9\xf4\x8f\xbf\xa9\xe9"}) {
    const std::string bytes = SerializeDeterministic(WithStrings(text));
    const auto module = ModuleFromBytes(bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction& i = *(*module)->entry()->root()->operand(1);
    EXPECT_EQ(i.metadata().op_name, text);
    EXPECT_EQ(i.metadata().source_file, text);
    const auto again = ModuleFromBytes(ModuleToBytes(**module));
    ASSERT_TRUE(again.ok()) << again.status();
    const xla::HloModuleProto proto = ModuleToProto(**again);
    const xla::HloModuleProto want = WithStrings(text);
    const auto& is = proto.computations(0).instructions(1);
    const auto& was = want.computations(0).instructions(1);
    EXPECT_EQ(SerializeDeterministic(is.metadata()),
              SerializeDeterministic(was.metadata()));
    EXPECT_EQ(SerializeDeterministic(is.frontend_attributes()),
              SerializeDeterministic(was.frontend_attributes()));
    EXPECT_EQ(SerializeDeterministic(is.sharding()),
              SerializeDeterministic(was.sharding()));
    EXPECT_EQ(proto.frontend_attributes().map().at("k"), text);
    EXPECT_EQ(proto.device_type(), text);
    // By way of text.
    const auto printed = ParseModule(ToString(**module));
    ASSERT_TRUE(printed.ok()) << printed.status();
    EXPECT_EQ((*printed)->entry()->root()->operand(1)->metadata().op_name, text);
  }
}

TEST(ModuleFromBytes, RenamesWhatHasNamesThatAreNotUtf8) {
  xla::HloModuleProto m = Product();
  m.set_name("m\xe9");
  m.mutable_computations(0)->set_name("c\xff");
  At(&m, 1)->set_name("n\xe9");
  const auto module = ModuleFromBytes(SerializeDeterministic(m));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->name(), "m_");
  EXPECT_EQ((*module)->entry()->name(), "c_");
  EXPECT_EQ((*module)->entry()->root()->operand(1)->name(), "n_");
}

TEST(ParseProtoBytes, ReadsAndReplacesStringsThatAreNotUtf8) {
  const xla::HloModuleProto m = WithStrings("a\xe9");
  xla::HloModuleProto read;
  ASSERT_TRUE(ParseProtoBytes(SerializeDeterministic(m), &read).ok());
  EXPECT_EQ(SerializeDeterministic(read), SerializeDeterministic(m));
  EXPECT_THAT(ReplaceRawBytes(&read), ::testing::Contains("OpMetadata.op_name"));
  EXPECT_EQ(read.computations(0).instructions(1).metadata().op_name(),
            "a\xef\xbf\xbd");
  EXPECT_THAT(ReplaceRawBytes(&read), IsEmpty());
  EXPECT_FALSE(ParseProtoBytes(SerializeDeterministic(m) + "\x0a\x05\xe9",
                               &read).ok());
}

TEST(ModuleToBytes, IsWhatTheProtobufLibraryWouldWrite) {
  const auto module = ModuleFromBytes(Product().SerializeAsString());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(ModuleToBytes(**module, 5),
            SerializeDeterministic(ModuleToProto(**module, 5)));
}

std::string BytesOf(const Literal& literal) {
  xla::LiteralProto proto;
  LiteralToProto(literal, &proto);
  return proto.SerializeAsString();
}

TEST(LiteralFromBytes, ReadsEveryKindOfPayload) {
  for (const Literal& literal :
       {Literal::Array<float>({2, 2}, {1, -2, 3, 0.5}),
        Literal::Array<int32_t>({3}, {-1, 2147483647, 0}),
        Literal::ScalarOf(kPred, 1), Literal::ScalarOf(kBF16, 1.5),
        Literal::ScalarOfInt(kS4, -8), Literal::ScalarOfInt(kU64, -1),
        Literal::ScalarOf(kC64, 2), Literal::Zeros(Shape::Array(kF32, {0})),
        Literal::Tuple({Literal::Scalar<float>(1), Literal::Token()})}) {
    const auto read = LiteralFromBytes(BytesOf(literal));
    ASSERT_TRUE(read.ok()) << literal.ToString() << read.status();
    EXPECT_EQ(*read, literal) << literal.ToString();
  }
}

TEST(LiteralFromBytes, PutsElementsInOrderWhateverTheLayout) {
  Shape shape = Shape::Array(kS32, {2, 3});
  Layout layout;
  layout.minor_to_major = {0, 1};
  shape.set_layout(layout);
  Literal literal = Literal::Array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  literal.set_shape(shape);
  const auto read = LiteralFromBytes(BytesOf(literal));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->data<int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(LiteralFromBytes, DoesNotAskForWhatTheBytesDoNotHold) {
  xla::LiteralProto proto;
  proto.mutable_shape()->set_element_type(xla::S32);
  proto.mutable_shape()->add_dimensions(int64_t{1} << 30);
  proto.add_s32s(1);
  EXPECT_THAT(std::string(
                  LiteralFromBytes(proto.SerializeAsString()).status().message()),
              HasSubstr("which needs"));
}

TEST(LiteralFromBytes, KeepsAlignedElementsWhereTheyLie) {
  const Literal literal = Literal::Array<uint8_t>({4}, {1, 2, 3, 4});
  auto bytes = std::make_shared<const std::string>(BytesOf(literal));
  const auto read =
      LiteralFromBytes(*bytes, int64_t{1} << 30, {.owner = bytes});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, literal);
  EXPECT_GE(read->untyped_data(), bytes->data());
  EXPECT_LT(read->untyped_data(), bytes->data() + bytes->size());
}

}  // namespace
}  // namespace hlokit
