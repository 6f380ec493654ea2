// Writes LLVM IR as text: modules of functions, functions of loops and
// instructions. Knows nothing of HLO.
//
//   IrModule module;
//   IrFunction f(&module, {{"ptr", "x"}, {"i64", "n"}});
//   f.Loop(f.Const(0), f.arg(1), 1, [&](IrValue i) {
//     IrValue p = f.Gep("float", f.arg(0), i);
//     f.Store(f.Op("fmul", f.Load("float", p), f.FloatConst("float", 2)), p);
//   });
//   std::string name = f.Finish();
//   std::string text = module.Text();
#ifndef HLOKIT_BACKENDS_CPU_EMIT_IR_H_
#define HLOKIT_BACKENDS_CPU_EMIT_IR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cpu/isa.h"

namespace hlokit::cpu {

// A value of LLVM's: its type ("i64", "float", "ptr") and how the text refers
// to it ("%v7", "42", "0x3FF0000000000000").
struct IrValue {
  std::string type;
  std::string ref;

  bool IsConstant() const { return !ref.empty() && ref[0] != '%'; }
  // The value of an integer constant.
  int64_t constant() const;
};

class IrModule {
 public:
  // LLVM's flags for the arithmetic of HLO on floats ("reassoc nsz contract").
  void set_fast_math(std::string flags) { fast_math_ = std::move(flags); }
  const std::string& fast_math() const { return fast_math_; }
  // Whether LLVM may add the terms of a sum in another order.
  void set_reorders_sums(bool reorders) { reorders_sums_ = reorders; }
  bool reorders_sums() const { return reorders_sums_; }
  // Whether these flags allow that there are infinities.
  bool has_infinities() const {
    return fast_math_ != "fast" && !absl::StrContains(fast_math_, "ninf");
  }
  // The instructions that functions may use: which vector functions there are.
  void set_isa(Isa isa) { isa_ = isa; }
  Isa isa() const { return isa_; }
  // Text before functions, each once: declarations, constants.
  void Declare(std::string line) { declarations_.insert(std::move(line)); }
  // A function of the C library's mathematics with its vector variants.
  // Returns the attributes of its calls.
  const std::string& DeclareMath(const std::string& name,
                                 const std::string& type, int arity);
  // A metadata node; returns how text refers to it ("!3"). Equal nodes are one.
  std::string Metadata(const std::string& node);
  // Constant bytes; returns their address ("@c3"). Equal bytes are one.
  std::string Constant(absl::string_view bytes);

  // A function's text in which it is called @NAME; returns its name. Equal
  // functions are one.
  std::string AddFunction(std::string text);
  int64_t function_count() const { return functions_.size(); }
  // The module of the functions number begin to end - 1.
  std::string Text(int64_t begin, int64_t end) const;
  std::string Text() const { return Text(0, function_count()); }

 private:
  Isa isa_ = HostIsa();
  std::string fast_math_;
  bool reorders_sums_ = true;
  absl::btree_set<std::string> declarations_;
  absl::btree_set<std::string> keep_;  // declarations LLVM may not drop
  absl::btree_map<std::string, std::string> math_;  // attributes by function
  absl::flat_hash_map<std::string, int64_t> metadata_numbers_;
  std::vector<std::string> metadata_;
  absl::flat_hash_map<std::string, std::string> constants_;
  absl::flat_hash_map<std::string, int64_t> function_numbers_;
  std::vector<std::string> functions_;
};

class IrFunction {
 public:
  struct Parameter {
    std::string type;
    std::string name;
  };
  IrFunction(IrModule* module, std::vector<Parameter> parameters);
  IrFunction(const IrFunction&) = delete;
  IrFunction& operator=(const IrFunction&) = delete;

  IrModule& module() { return *module_; }
  IrValue arg(int i) const {
    return {parameters_[i].type, "%" + parameters_[i].name};
  }

  // Constants.
  IrValue Const(int64_t value) const { return Const("i64", value); }
  IrValue Const(absl::string_view type, int64_t value) const;
  // Of type half, float or double; any double, also infinities and NaN.
  IrValue FloatConst(absl::string_view type, double value) const;

  // "op type a, b"; `flags` stand between op and type ("reassoc", "nsw").
  IrValue Op(absl::string_view op, const IrValue& a, const IrValue& b,
             absl::string_view flags = "");
  IrValue Op(absl::string_view op, const IrValue& a,
             absl::string_view flags = "");
  // Indices, which are never negative and never overflow; constants fold.
  IrValue Add(const IrValue& a, const IrValue& b);
  IrValue Mul(const IrValue& a, const IrValue& b);
  IrValue Div(const IrValue& a, const IrValue& b);
  IrValue Rem(const IrValue& a, const IrValue& b);

  IrValue Compare(absl::string_view predicate, const IrValue& a,
                  const IrValue& b);  // icmp
  IrValue CompareFloat(absl::string_view predicate, const IrValue& a,
                       const IrValue& b,
                       absl::string_view flags = "");  // fcmp
  IrValue Select(const IrValue& condition, const IrValue& a, const IrValue& b,
                 absl::string_view flags = "");
  // trunc, sext, fptosi, bitcast, ...; nothing when the type is the same.
  IrValue Cast(absl::string_view op, const IrValue& value,
               absl::string_view type);
  // An intrinsic, "llvm.maximum", overloaded on the result's type.
  IrValue Intrinsic(absl::string_view name, absl::string_view type,
                    absl::Span<const IrValue> arguments,
                    absl::string_view flags = "");
  // The C library's function for doubles ("sin"), or its float sibling,
  // according to the arguments. The call has the module's fast-math flags.
  IrValue Math(absl::string_view name, absl::Span<const IrValue> arguments);
  // A function without effects.
  IrValue Call(absl::string_view name, absl::string_view type,
               absl::Span<const IrValue> arguments);

  // `marks`: metadata after the access (", !noalias !3").
  IrValue Load(absl::string_view type, const IrValue& pointer,
               absl::string_view marks = "");
  void Store(const IrValue& value, const IrValue& pointer,
             absl::string_view marks = "");
  IrValue Gep(absl::string_view element, const IrValue& pointer,
              const IrValue& index);
  // Memory of this call, an uninitialised `type`.
  IrValue Local(absl::string_view type);

  // Runs for i = begin, begin + step, ... while below end; not at all when
  // begin >= end.
  void Loop(const IrValue& begin, const IrValue& end, int64_t step,
            absl::FunctionRef<void(IrValue)> body);
  void If(const IrValue& condition, absl::FunctionRef<void()> then,
          absl::FunctionRef<void()> otherwise);

  void CallVoid(const IrValue& function, absl::Span<const IrValue> arguments);

  // Ends the function ("ret void") and gives it to the module; returns its
  // name.
  std::string Finish();

 private:
  IrValue Fresh(absl::string_view type);
  std::string Label();
  void Line(absl::Span<const absl::string_view> parts);
  void Enter(const std::string& label);

  IrModule* module_;
  std::vector<Parameter> parameters_;
  std::string locals_;
  std::string body_;
  std::string block_ = "entry";
  int next_ = 0;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_IR_H_
