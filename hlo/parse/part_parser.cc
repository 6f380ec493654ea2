// Parts of programs, and forms that texts of other times have.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hlo/parse/module_parser.h"
#include "hlo/parse/parser.h"

namespace hlokit::parse {
namespace {

// The body of a computation that the text does not hold.
constexpr absl::string_view kStandInTarget = "hlokit.stand_in";

Shape ElementOf(const Shape& shape) {
  return shape.IsArray() ? Shape::Scalar(shape.element_type()) : shape;
}

struct Signature {
  std::vector<Shape> parameters;
  Shape result;
};

Shape TupleUnlessOne(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

// Two scalars for each of the first `count` operands.
std::vector<Shape> PairsOf(const Instruction& i, int64_t count, bool in_turn) {
  std::vector<Shape> pairs;
  for (int64_t k = 0; k < 2 * count; ++k) {
    pairs.push_back(ElementOf(i.operand(in_turn ? k / 2 : k % count)->shape()));
  }
  return pairs;
}

// What the computation that `i` calls as `id` must look like.
Signature SignatureOf(const Instruction& i, AttrId id, int64_t branch) {
  Signature s;
  for (const Instruction* operand : i.operands()) {
    s.parameters.push_back(operand->shape());
  }
  s.result = i.shape();
  const int64_t count = i.operand_count();
  switch (i.opcode()) {
    case Opcode::kWhile:
      s.result = id == AttrId::kCondition ? Shape::Scalar(kPred)
                 : count > 0              ? i.operand(0)->shape()
                                          : i.shape();
      return s;
    case Opcode::kConditional:
      if (branch + 1 < count) s.parameters = {i.operand(branch + 1)->shape()};
      return s;
    case Opcode::kAsyncStart:
      if (i.shape().tuple_shapes().size() > 1) {
        s.result = i.shape().tuple_shape(1);
      }
      return s;
    case Opcode::kMap:
      for (Shape& parameter : s.parameters) parameter = ElementOf(parameter);
      s.result = ElementOf(s.result);
      return s;
    case Opcode::kSort:
      return {PairsOf(i, count, /*in_turn=*/true), Shape::Scalar(kPred)};
    case Opcode::kSelectAndScatter:
      s.parameters = PairsOf(i, 1, /*in_turn=*/true);
      s.result = id == AttrId::kSelect ? Shape::Scalar(kPred) : s.parameters[0];
      return s;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter: {
      const int64_t arrays = std::max<int64_t>(count / 2, 1);
      s.parameters = PairsOf(i, std::min(arrays, count), /*in_turn=*/false);
      s.result = TupleUnlessOne(
          {s.parameters.begin(), s.parameters.begin() + s.parameters.size() / 2});
      return s;
    }
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      s.parameters = PairsOf(i, std::min<int64_t>(count, 1), true);
      if (!s.parameters.empty()) s.result = s.parameters[0];
      return s;
    default:
      return s;
  }
}

}  // namespace

Computation* ModuleParser::MakeStandIn() {
  const absl::string_view name = token().text;
  stand_ins_.push_back(
      Computation::Create(module_.get(), SanitizeName(name)));
  Computation* computation = stand_ins_.back().get();
  computations_.emplace(name, computation);
  diagnostics_->Warning(
      absl::StrCat("computation '", name, "' is not in this text; a stand-in "
                   "without its instructions takes its place"),
      token().begin);
  lexer_.Next();
  return computation;
}

void ModuleParser::FillStandIns(const Instruction& instruction,
                                const Pending& pending,
                                const Attributes& attributes) {
  int64_t branch = 0;
  for (const auto& [id, computation] : attributes.computations) {
    const int64_t index = branch++;
    if (computation == nullptr || computation->root() != nullptr) continue;
    const Signature signature = SignatureOf(instruction, id, index);
    std::vector<Instruction*> parameters;
    for (const Shape& shape : signature.parameters) {
      const int64_t number = parameters.size();
      parameters.push_back(computation->AddParameter(
          number, shape, absl::StrCat("p", number)));
    }
    Instruction* root = computation->Add(
        Opcode::kCustomCall,
        signature.result.IsValid() ? signature.result : pending.type,
        parameters, "stand_in");
    root->mutable_attrs().Set(AttrId::kCustomCallTarget,
                              std::string(kStandInTarget));
    computation->set_root(root);
  }
  for (auto& computation : stand_ins_) Join(std::move(computation));
  stand_ins_.clear();
}

std::optional<Shape> ModuleParser::OperandTypeByUse(
    const Pending& pending) const {
  if (!pending.has_type || pending.async != AsyncPart::kNone) {
    return std::nullopt;
  }
  const Shape& type = pending.type;
  const size_t index = pending.operands.size();
  switch (pending.opcode) {
    case Opcode::kTuple:
      if (index < type.tuple_shapes().size()) return type.tuple_shape(index);
      return std::nullopt;
    case Opcode::kSelect:
      if (index > 0 || !type.IsArray()) return type;
      return Shape::ArrayWithDescendingLayout(kPred, type.dimensions());
    case Opcode::kAddDependency:
      return index == 0 ? type : Shape::Token();
    case Opcode::kAfterAll:
      return Shape::Token();
    case Opcode::kAbs:
    case Opcode::kComplex:
    case Opcode::kCompare:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kReal:
      return std::nullopt;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermute:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
    case Opcode::kReverse:
    case Opcode::kWhile:
      if (type.IsTuple() && pending.opcode != Opcode::kWhile) {
        return index < type.tuple_shapes().size()
                   ? std::optional<Shape>(type.tuple_shape(index))
                   : std::nullopt;
      }
      return type;
    default:
      break;
  }
  const OpFamily family = InfoOf(pending.opcode).family;
  if (family == OpFamily::kUnary || family == OpFamily::kBinary ||
      family == OpFamily::kTernary || pending.opcode == Opcode::kCopy) {
    return type;
  }
  return std::nullopt;
}

void ModuleParser::WarnOfParts() {
  if (made_parameters_ > 0) {
    const std::string others =
        made_parameters_ > 1
            ? absl::StrCat(" and ", made_parameters_ - 1, " more operands are")
            : " is";
    diagnostics_->Warning(
        absl::StrCat("'", first_made_name_, "'", others,
                     " not in this text; parameters take their place, of the "
                     "types that their uses have"),
        first_made_);
  }
  if (renumbers_parameters_) {
    diagnostics_->Warning("the parameters of this part of a program are "
                          "numbered from 0 on",
                          0);
  }
}

bool ModuleParser::FindOldOpcode(absl::string_view name, Pending* pending) {
  if (!OldComparisonDirection(name).empty()) {
    pending->opcode = Opcode::kCompare;
  } else if (name == "cross-replica-sum") {
    pending->opcode = Opcode::kAllReduce;
  } else {
    return false;
  }
  pending->old_opcode = name;
  return true;
}

// The names said what attributes say now.
void ModuleParser::ApplyOldForm(const Pending& pending,
                                Instruction* instruction,
                                Attributes* attributes) {
  if (instruction->opcode() == Opcode::kCompare) {
    if (attributes->Has(AttrId::kComparisonDirection)) return;
    const auto direction =
        EnumByWord(AttrId::kComparisonDirection,
                   OldComparisonDirection(pending.old_opcode));
    instruction->mutable_attrs().Set(AttrId::kComparisonDirection, *direction);
    attributes->seen.set(static_cast<int>(AttrId::kComparisonDirection));
    return;
  }
  if (attributes->Has(AttrId::kToApply) || instruction->operand_count() == 0) {
    return;
  }
  // The sum of a cross-replica-sum need not be written out.
  Shape element = instruction->operand(0)->shape();
  if (element.IsTuple() && !element.tuple_shapes().empty()) {
    element = element.tuple_shape(0);
  }
  element = ElementOf(element);
  auto sum = Computation::Create(module_.get(), "sum");
  Instruction* x = sum->AddParameter(0, element, "x");
  Instruction* y = sum->AddParameter(1, element, "y");
  sum->set_root(sum->Add(Opcode::kAdd, element, {x, y}, "add"));
  reordered_ = true;
  attributes->computations.emplace_back(AttrId::kToApply, Join(std::move(sum)));
  attributes->seen.set(static_cast<int>(AttrId::kToApply));
}

// Old texts repeat the type within the parentheses of a constant:
// "f32[2] constant(f32[2] {1, 2})".
bool ModuleParser::SkipOldConstantType(const Shape& type) {
  const size_t offset = token().begin;
  if (Is(Tok::kLParen)) {
    // "(f32[], s32[]) (1, 2)": a type begins with the name of one.
    lexer_.Next();
    const bool is_type = Is(Tok::kIdent) && lexer_.after() == '[';
    lexer_.Reset(offset);
    if (!is_type) return true;
  } else if (!Is(Tok::kIdent) || lexer_.after() != '[') {
    return true;
  }
  Shape repeated;
  const absl::string_view text = lexer_.text();
  const size_t close = text.find(']', offset);
  if (Is(Tok::kIdent) && close != absl::string_view::npos &&
      lexer_.ByteAt(close + 1) != '{') {
    // A '{' behind a blank is that of the values, not of a layout.
    absl::StatusOr<Shape> shape =
        ParseShape(text.substr(offset, close + 1 - offset));
    if (!shape.ok()) {
      return Error(offset, "the type within this constant is not a type");
    }
    repeated = *std::move(shape);
    lexer_.Reset(close + 1);
  } else if (!ParseType(&repeated)) {
    return false;
  }
  if (ShapesCompatible(repeated, type)) return true;
  return Error(offset, absl::StrCat("the constant is of type ",
                                    type.ToString(false), ", not ",
                                    repeated.ToString(false)));
}

}  // namespace hlokit::parse
