#include "backends/interpreter/custom_call.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/custom_call/call_site.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/lapack.h"
#include "base/status.h"
#include "base/suggest.h"
#include "passes/library_calls/library_call.h"

namespace hlokit::interpreter {
namespace {

using Table = absl::flat_hash_map<absl::string_view, Kernel>;

const Table& AllTargets() {
  static const Table& table = *[] {
    auto* result = new Table;
    for (const auto& targets :
         {AnnotationTargets(), BufferTargets(), CompilerTargets(),
          GpuTargets(), LapackTargets()}) {
      for (const CustomCallTarget& target : targets) {
        result->emplace(target.name, target.kernel);
      }
    }
    return result;
  }();
  return table;
}

bool NeedsLapack(absl::string_view target) {
  static const auto& names = *[] {
    auto* result = new absl::flat_hash_set<absl::string_view>;
    for (const CustomCallTarget& t : LapackTargets()) result->insert(t.name);
    return result;
  }();
  return names.contains(target);
}

// A computation of the call that does with the operands what the call is to do.
const Computation* Decomposition(const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  if (instruction.called_computations().size() != 1) return nullptr;
  const Computation& computation = *instruction.called_computation(0);
  if (computation.root() == nullptr ||
      computation.parameter_count() != static_cast<int64_t>(operands.size()) ||
      !ShapesCompatible(computation.root()->shape(), instruction.shape())) {
    return nullptr;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Instruction* parameter = computation.parameter(i);
    if (parameter == nullptr ||
        !ShapesCompatible(parameter->shape(), operands[i]->shape())) {
      return nullptr;
    }
  }
  return &computation;
}

}  // namespace

absl::StatusOr<Literal> EvalCustomCall(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const absl::string_view target = instruction.custom_call_target();
  if (context.custom_calls() != nullptr) {
    const auto* site = context.custom_calls()->Find(instruction);
    if (site != nullptr) return context.custom_calls()->Call(*site, operands);
  }
  if (IsLibraryCall(instruction)) {
    HLOKIT_ASSIGN_OR_RETURN(const Computation* body,
                            context.LibraryCallBody(instruction));
    HLOKIT_ASSIGN_OR_RETURN(Literal result, context.Call(*body, operands));
    return WithShape(std::move(result), instruction.shape());
  }
  const auto it = AllTargets().find(target);
  if (it != AllTargets().end()) {
    if (NeedsLapack(target)) HLOKIT_RETURN_IF_ERROR(LoadLapack());
    HLOKIT_ASSIGN_OR_RETURN(Literal result,
                            it->second(context, instruction, operands));
    return WithShape(std::move(result), instruction.shape());
  }
  if (IsCallbackWithoutResults(instruction)) {
    return Literal::Zeros(instruction.shape());
  }
  const Computation* decomposition = Decomposition(instruction, operands);
  if (decomposition == nullptr) return UnknownTarget(instruction);
  HLOKIT_ASSIGN_OR_RETURN(Literal result,
                          context.Call(*decomposition, operands));
  return WithShape(std::move(result), instruction.shape());
}

bool HasNoValues(const Shape& shape) {
  if (shape.IsToken()) return true;
  if (!shape.IsTuple()) return false;
  for (const Shape& part : shape.tuple_shapes()) {
    if (!HasNoValues(part)) return false;
  }
  return true;
}

bool IsCallbackWithoutResults(const Instruction& call) {
  const absl::string_view target = call.custom_call_target();
  return absl::StrContains(target, "python") &&
         absl::EndsWith(target, "_callback") && HasNoValues(call.shape());
}

absl::Status UnknownTarget(const Instruction& call) {
  if (IsLibraryCall(call)) {
    const absl::Status lowered = LowerLibraryCall(call).status();
    return absl::Status(
        lowered.code(),
        absl::StrCat("%", lowered.message(),
                     "; --custom_call_library=FILE.so runs it with your own "
                     "function, --custom_call_stub=zeros|identity goes on "
                     "without"));
  }
  std::vector<absl::string_view> names(LibraryCallTargets().begin(),
                                       LibraryCallTargets().end());
  for (const auto& [name, kernel] : AllTargets()) names.push_back(name);
  const absl::Status status = custom_call::NoHandler(call);
  return NotFound("%s%s", status.message(),
                  DidYouMean(call.custom_call_target(), names));
}

bool KnowsCustomCall(const Instruction& instruction) {
  // An error is told when the custom-call is compiled.
  const auto handler =
      custom_call::CustomCallRegistry::Global().Find(instruction);
  if (!handler.ok() || *handler != nullptr) return true;
  if (IsLibraryCall(instruction)) return LowerLibraryCall(instruction).ok();
  return AllTargets().contains(instruction.custom_call_target()) ||
         IsCallbackWithoutResults(instruction) ||
         instruction.called_computations().size() == 1;
}

void CallShapes::Fail(absl::Status status) {
  if (status_.ok()) {
    status_ = Annotate(status, instruction_.custom_call_target());
  }
}

void CallShapes::Expect(bool condition, absl::string_view what) {
  if (!condition) Fail(InvalidArgument("%s", what));
}

bool CallShapes::TakesArrays(int64_t count) {
  if (static_cast<int64_t>(operands_.size()) != count) {
    Fail(InvalidArgument("takes %d operands, not %d", count,
                         static_cast<int64_t>(operands_.size())));
    return false;
  }
  for (const Literal* operand : operands_) {
    if (!operand->shape().IsArray()) {
      Fail(InvalidArgument("takes arrays, not %s",
                           operand->shape().ToString()));
    } else if (HasDeadElements(*operand)) {
      Fail(Unimplemented("takes no dynamic sizes"));
    }
  }
  return ok();
}

void CallShapes::Rank(int64_t i, int64_t rank) {
  if (!ok() || operands_[i]->shape().rank() >= rank) return;
  Fail(InvalidArgument("operand %d must have at least %d dimensions, found %s",
                       i, rank, operands_[i]->shape().ToString()));
}

void CallShapes::Operand(int64_t i, PrimitiveType type,
                         const DimensionVector& sizes) {
  if (!ok()) return;
  const Shape& shape = operands_[i]->shape();
  if (shape.element_type() == type && shape.dimensions() == sizes) return;
  Fail(InvalidArgument("operand %d must be %s, found %s", i,
                       Shape::Array(type, sizes).ToString(),
                       shape.ToString()));
}

Literal CallShapes::Result(int64_t i, int64_t count, PrimitiveType type,
                           const DimensionVector& sizes) {
  if (!ok()) return Literal();
  const Shape& whole = instruction_.shape();
  const bool fits =
      whole.IsTuple()
          ? static_cast<int64_t>(whole.tuple_shapes().size()) == count
          : count == 1;
  if (!fits) {
    Fail(InvalidArgument("has %d results, found %s", count, whole.ToString()));
    return Literal();
  }
  const Shape& shape = whole.IsTuple() ? whole.tuple_shape(i) : whole;
  if (shape.element_type() != type || shape.dimensions() != sizes) {
    Fail(InvalidArgument("result %d must be %s, found %s", i,
                         Shape::Array(type, sizes).ToString(),
                         shape.ToString()));
    return Literal();
  }
  return Literal::Zeros(shape);
}

absl::StatusOr<Literal> CallShapes::Finish(
    std::vector<Literal> results) const {
  HLOKIT_RETURN_IF_ERROR(status_);
  if (!instruction_.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

DimensionVector Sizes(absl::Span<const int64_t> batch,
                      std::initializer_list<int64_t> more) {
  DimensionVector sizes(batch.begin(), batch.end());
  sizes.insert(sizes.end(), more.begin(), more.end());
  return sizes;
}

}  // namespace hlokit::interpreter
