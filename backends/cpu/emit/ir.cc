#include "backends/cpu/emit/ir.h"

#include <bit>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/llvm/runtime_symbols.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

// "float %v1, float %v2".
std::string TypedList(absl::Span<const IrValue> values) {
  return absl::StrJoin(values, ", ", [](std::string* out, const IrValue& v) {
    absl::StrAppend(out, v.type, " ", v.ref);
  });
}

std::string TypeList(absl::Span<const IrValue> values) {
  return absl::StrJoin(values, ", ", [](std::string* out, const IrValue& v) {
    absl::StrAppend(out, v.type);
  });
}

// How overloaded intrinsics spell a type: f32, i64, v8f32.
std::string Suffix(absl::string_view type) {
  if (type == "half") return "f16";
  if (type == "float") return "f32";
  if (type == "double") return "f64";
  return std::string(type);
}

// An instruction's word with its fast-math flags.
std::string WithFlags(absl::string_view word, absl::string_view flags) {
  return flags.empty() ? std::string(word) : absl::StrCat(word, " ", flags);
}

}  // namespace

int64_t IrValue::constant() const {
  int64_t value = 0;
  HLOKIT_CHECK(absl::SimpleAtoi(ref, &value));
  return value;
}

const std::string& IrModule::DeclareMath(const std::string& name,
                                         const std::string& type, int arity) {
  std::string& attributes = math_[name];
  if (!attributes.empty()) return attributes;
  const std::string arguments =
      absl::StrJoin(std::vector<std::string>(arity, type), ", ");
  Declare(absl::StrCat("declare ", type, " @", name, "(", arguments,
                       ") nounwind willreturn memory(none)"));
  attributes = "nobuiltin nounwind willreturn memory(none)";
  const std::string variants = VectorVariants(name, arity, isa_);
  if (variants.empty()) return attributes;
  absl::StrAppend(&attributes, " \"vector-function-abi-variant\"=\"", variants,
                  "\"");
  for (const absl::string_view variant : absl::StrSplit(variants, ',')) {
    // "_ZGVdN8v_expf": the number of elements stands after the N.
    int lanes = 0;
    const size_t end = variant.find('v', 6);
    HLOKIT_CHECK(absl::SimpleAtoi(variant.substr(6, end - 6), &lanes));
    const std::string vector = absl::StrFormat("<%d x %s>", lanes, type);
    Declare(absl::StrCat(
        "declare ", vector, " @", variant, "(",
        absl::StrJoin(std::vector<std::string>(arity, vector), ", "),
        ") nounwind willreturn memory(none)"));
    keep_.insert(absl::StrCat("ptr @", variant));
  }
  return attributes;
}

std::string IrModule::Metadata(const std::string& node) {
  const auto [it, added] =
      metadata_numbers_.try_emplace(node, metadata_.size());
  if (added) metadata_.push_back(node);
  return absl::StrCat("!", it->second);
}

std::string IrModule::Constant(absl::string_view bytes) {
  const auto [it, added] =
      constants_.try_emplace(std::string(bytes.data(), bytes.size()),
                             absl::StrCat("@c", constants_.size()));
  if (added) {
    std::string text;
    for (const char c : bytes) {
      static constexpr char kHex[] = "0123456789ABCDEF";
      const uint8_t byte = static_cast<uint8_t>(c);
      text += {'\\', kHex[byte >> 4], kHex[byte & 15]};
    }
    Declare(absl::StrCat(it->second, " = private unnamed_addr constant [",
                         bytes.size(), " x i8] c\"", text, "\", align 64"));
  }
  return it->second;
}

std::string IrModule::AddFunction(std::string text) {
  const auto [it, added] =
      function_numbers_.try_emplace(std::move(text), functions_.size());
  std::string name = absl::StrCat("hlokit_", it->second);
  if (added) {
    functions_.push_back(absl::StrReplaceAll(
        it->first, {{"@NAME(", absl::StrCat("@", name, "(")}}));
  }
  return name;
}

std::string IrModule::Text(int64_t begin, int64_t end) const {
  std::string text;
  for (const std::string& line : declarations_) {
    absl::StrAppend(&text, line, "\n");
  }
  if (!keep_.empty()) {
    absl::StrAppend(&text, "@llvm.compiler.used = appending global [",
                    keep_.size(), " x ptr] [", absl::StrJoin(keep_, ", "),
                    "], section \"llvm.metadata\"\n");
  }
  for (int64_t i = begin; i < end; ++i) absl::StrAppend(&text, functions_[i]);
  for (size_t i = 0; i < metadata_.size(); ++i) {
    absl::StrAppend(&text, "!", i, " = ", metadata_[i], "\n");
  }
  return text;
}

IrFunction::IrFunction(IrModule* module, std::vector<Parameter> parameters)
    : module_(module), parameters_(std::move(parameters)) {}

IrValue IrFunction::Const(absl::string_view type, int64_t value) const {
  if (type == "i1") return {"i1", value ? "true" : "false"};
  return {std::string(type), absl::StrCat(value)};
}

IrValue IrFunction::FloatConst(absl::string_view type, double value) const {
  if (type == "half") {
    return {"half",
            absl::StrFormat("0xH%04X", static_cast<int>(Half(value).bits()))};
  }
  // Floats are written as the double of the same value.
  if (type == "float") value = static_cast<float>(value);
  return {std::string(type),
          absl::StrFormat("0x%016X", std::bit_cast<uint64_t>(value))};
}

IrValue IrFunction::Fresh(absl::string_view type) {
  return {std::string(type), absl::StrCat("%v", next_++)};
}

std::string IrFunction::Label() { return absl::StrCat("b", next_++); }

void IrFunction::Line(absl::Span<const absl::string_view> parts) {
  body_.append("  ");
  for (absl::string_view part : parts) body_.append(part.data(), part.size());
  body_.push_back('\n');
}

void IrFunction::Enter(const std::string& label) {
  absl::StrAppend(&body_, label, ":\n");
  block_ = label;
}

IrValue IrFunction::Op(absl::string_view op, const IrValue& a, const IrValue& b,
                       absl::string_view flags) {
  IrValue v = Fresh(a.type);
  Line({v.ref, " = ", WithFlags(op, flags), " ", a.type, " ", a.ref, ", ",
        b.ref});
  return v;
}

IrValue IrFunction::Op(absl::string_view op, const IrValue& a,
                       absl::string_view flags) {
  IrValue v = Fresh(a.type);
  Line({v.ref, " = ", WithFlags(op, flags), " ", a.type, " ", a.ref});
  return v;
}

IrValue IrFunction::Add(const IrValue& a, const IrValue& b) {
  if (a.IsConstant() && b.IsConstant())
    return Const(a.constant() + b.constant());
  if (a.IsConstant() && a.constant() == 0) return b;
  if (b.IsConstant() && b.constant() == 0) return a;
  return Op("add", a, b, "nsw");
}

IrValue IrFunction::Mul(const IrValue& a, const IrValue& b) {
  if (a.IsConstant() && b.IsConstant())
    return Const(a.constant() * b.constant());
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!x->IsConstant()) continue;
    if (x->constant() == 0) return Const(0);
    if (x->constant() == 1) return *y;
  }
  return Op("mul", a, b, "nsw");
}

IrValue IrFunction::Div(const IrValue& a, const IrValue& b) {
  if (a.IsConstant() && b.IsConstant())
    return Const(a.constant() / b.constant());
  if (b.IsConstant() && b.constant() == 1) return a;
  return Op("udiv", a, b);
}

IrValue IrFunction::Rem(const IrValue& a, const IrValue& b) {
  if (a.IsConstant() && b.IsConstant())
    return Const(a.constant() % b.constant());
  if (b.IsConstant() && b.constant() == 1) return Const(0);
  return Op("urem", a, b);
}

IrValue IrFunction::Compare(absl::string_view predicate, const IrValue& a,
                            const IrValue& b) {
  IrValue v = Fresh("i1");
  Line({v.ref, " = icmp ", predicate, " ", a.type, " ", a.ref, ", ", b.ref});
  return v;
}

IrValue IrFunction::CompareFloat(absl::string_view predicate, const IrValue& a,
                                 const IrValue& b, absl::string_view flags) {
  IrValue v = Fresh("i1");
  Line({v.ref, " = ", WithFlags("fcmp", flags), " ", predicate, " ", a.type,
        " ", a.ref, ", ", b.ref});
  return v;
}

IrValue IrFunction::Select(const IrValue& condition, const IrValue& a,
                           const IrValue& b, absl::string_view flags) {
  IrValue v = Fresh(a.type);
  Line({v.ref, " = ", WithFlags("select", flags), " i1 ", condition.ref, ", ",
        a.type, " ", a.ref, ", ", b.type, " ", b.ref});
  return v;
}

IrValue IrFunction::Cast(absl::string_view op, const IrValue& value,
                         absl::string_view type) {
  if (value.type == type) return value;
  IrValue v = Fresh(type);
  Line({v.ref, " = ", op, " ", value.type, " ", value.ref, " to ", type});
  return v;
}

IrValue IrFunction::Intrinsic(absl::string_view name, absl::string_view type,
                              absl::Span<const IrValue> arguments,
                              absl::string_view flags) {
  std::string full = absl::StrCat(name, ".", Suffix(type));
  // Conversions are overloaded on what they convert, too.
  if (arguments[0].type != type) {
    absl::StrAppend(&full, ".", Suffix(arguments[0].type));
  }
  module_->Declare(absl::StrCat("declare ", type, " @", full, "(",
                                TypeList(arguments), ")"));
  IrValue v = Fresh(type);
  Line({v.ref, " = ", WithFlags("call", flags), " ", type, " @", full, "(",
        TypedList(arguments), ")"});
  return v;
}

IrValue IrFunction::Math(absl::string_view name,
                         absl::Span<const IrValue> arguments) {
  const std::string& type = arguments[0].type;
  const std::string full = absl::StrCat(name, type == "float" ? "f" : "");
  const std::string& attributes =
      module_->DeclareMath(full, type, static_cast<int>(arguments.size()));
  IrValue v = Fresh(type);
  Line({v.ref, " = ", WithFlags("call", module_->fast_math()), " ", type, " @",
        full, "(", TypedList(arguments), ") ", attributes});
  return v;
}

IrValue IrFunction::Call(absl::string_view name, absl::string_view type,
                         absl::Span<const IrValue> arguments) {
  module_->Declare(absl::StrCat("declare ", type, " @", name, "(",
                                TypeList(arguments),
                                ") nounwind willreturn memory(none)"));
  IrValue v = Fresh(type);
  Line({v.ref, " = call ", type, " @", name, "(", TypedList(arguments), ")"});
  return v;
}

void IrFunction::CallVoid(const IrValue& function,
                          absl::Span<const IrValue> arguments) {
  Line({"call void ", function.ref, "(", TypedList(arguments), ")"});
}

IrValue IrFunction::Load(absl::string_view type, const IrValue& pointer,
                         absl::string_view marks) {
  IrValue v = Fresh(type);
  Line({v.ref, " = load ", type, ", ptr ", pointer.ref, marks});
  return v;
}

void IrFunction::Store(const IrValue& value, const IrValue& pointer,
                       absl::string_view marks) {
  Line({"store ", value.type, " ", value.ref, ", ptr ", pointer.ref, marks});
}

IrValue IrFunction::Gep(absl::string_view element, const IrValue& pointer,
                        const IrValue& index) {
  if (index.IsConstant() && index.constant() == 0) return pointer;
  IrValue v = Fresh("ptr");
  Line({v.ref, " = getelementptr inbounds ", element, ", ptr ", pointer.ref,
        ", ", index.type, " ", index.ref});
  return v;
}

IrValue IrFunction::Local(absl::string_view type) {
  IrValue v = Fresh("ptr");
  absl::StrAppend(&locals_, "  ", v.ref, " = alloca ", type, "\n");
  return v;
}

void IrFunction::Loop(const IrValue& begin, const IrValue& end, int64_t step,
                      absl::FunctionRef<void(IrValue)> body) {
  const std::string head = Label(), done = Label();
  const IrValue index = Fresh("i64"), next = Fresh("i64");
  const bool runs = begin.IsConstant() && end.IsConstant();
  if (runs && begin.constant() >= end.constant()) return;
  if (runs) {
    if (begin.constant() + step >= end.constant()) return body(begin);
    Line({"br label %", head});
  } else {
    const IrValue enter = Compare("slt", begin, end);
    Line({"br i1 ", enter.ref, ", label %", head, ", label %", done});
  }
  const std::string before = block_;
  // The last block of the body is known only when it has been written.
  Enter(head);
  const size_t phi = body_.size();
  body(index);
  Line({next.ref, " = add nuw nsw i64 ", index.ref, ", ", absl::StrCat(step)});
  const IrValue again = Compare("slt", next, end);
  Line({"br i1 ", again.ref, ", label %", head, ", label %", done});
  body_.insert(phi,
               absl::StrCat("  ", index.ref, " = phi i64 [ ", begin.ref, ", %",
                            before, " ], [ ", next.ref, ", %", block_, " ]\n"));
  Enter(done);
}

void IrFunction::If(const IrValue& condition, absl::FunctionRef<void()> then,
                    absl::FunctionRef<void()> otherwise) {
  const std::string yes = Label(), no = Label(), done = Label();
  Line({"br i1 ", condition.ref, ", label %", yes, ", label %", no});
  Enter(yes);
  then();
  Line({"br label %", done});
  Enter(no);
  otherwise();
  Line({"br label %", done});
  Enter(done);
}

std::string IrFunction::Finish() {
  const std::string parameters = absl::StrJoin(
      parameters_, ", ", [](std::string* out, const Parameter& p) {
        absl::StrAppend(out, p.type, " %", p.name);
      });
  return module_->AddFunction(absl::StrCat(
      "define void @NAME(", parameters,
      ") nounwind \"denormal-fp-math\"=\"dynamic,dynamic\" {\nentry:\n",
      locals_, body_, "  ret void\n}\n"));
}

}  // namespace hlokit::cpu
