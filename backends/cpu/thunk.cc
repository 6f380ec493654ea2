#include "backends/cpu/thunk.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/cpu/dynamic_sizes.h"
#include "base/status.h"

namespace hlokit::cpu {
namespace {

// About what a thread must have to do to be worth waking, in nanoseconds.
constexpr int64_t kPieceWork = 40'000;
constexpr int64_t kMaxPieces = 64;

// Literals that belong to this execution's memory, unless they are copied.
Literal ReadLeaf(const Execution& execution, const Shape& shape,
                 const Slice& slice) {
  if (slice.allocation < 0) return Literal::Token();
  const char* data = execution.At(slice);
  Literal literal;
  if (LiesRowMajor(shape)) {
    literal = Literal::View(shape, data, nullptr);
  } else {
    literal = Literal::Zeros(shape);
    LayoutToRowMajor(shape, data, literal.mutable_untyped_data());
  }
  ReadDynamicSizes(shape, data, &literal);
  return literal;
}

Literal ReadParts(const Execution& execution, const Shape& shape,
                  absl::Span<const Slice> leaves, size_t* next) {
  if (!shape.IsTuple()) return ReadLeaf(execution, shape, leaves[(*next)++]);
  std::vector<Literal> parts;
  for (const Shape& part : shape.tuple_shapes()) {
    parts.push_back(ReadParts(execution, part, leaves, next));
  }
  return Literal::Tuple(std::move(parts));
}

void WriteParts(const Execution& execution, const Literal& value,
                const Shape& shape, absl::Span<const Slice> leaves,
                size_t* next) {
  if (shape.IsTuple()) {
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      WriteParts(execution, value.elements()[k], shape.tuple_shape(k), leaves,
                 next);
    }
    return;
  }
  const Slice& slice = leaves[(*next)++];
  if (slice.allocation < 0) return;
  char* to = execution.At(slice);
  if (LiesRowMajor(shape)) {
    std::memmove(to, value.untyped_data(), value.size_bytes());
  } else {
    RowMajorToLayout(shape, value.untyped_data(), to);
  }
  WriteDynamicSizes(shape, value, to);
}

bool IsNear(PrimitiveType type, double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return true;
  const int bits = SignificandBits(type);
  if (bits == 0) return false;
  // Sums differ by more than one rounding.
  const double near = bits >= 53   ? 1e-9
                      : bits >= 24 ? 1e-4
                                   : std::ldexp(4, -bits);
  return std::abs(got - want) <=
         near * std::max({std::abs(got), std::abs(want), 1e-2});
}

// Complex numbers as twice as many real ones.
Literal Parts(const Literal& value) {
  const Shape shape = Shape::ArrayWithDescendingLayout(
      ComponentType(value.element_type()), {value.element_count() * 2});
  return Literal::View(shape, value.untyped_data(), nullptr);
}

// "1 instead of 2 at element 3", or nothing when the values are about the same.
std::string FirstDifference(const Literal& got, const Literal& want) {
  if (got.shape().IsTuple()) {
    for (size_t k = 0; k < got.elements().size(); ++k) {
      std::string difference =
          FirstDifference(got.elements()[k], want.elements()[k]);
      if (!difference.empty()) {
        return absl::StrCat(difference, " of part ", k);
      }
    }
    return "";
  }
  if (!got.shape().IsArray()) return "";
  if (IsComplexType(got.element_type())) {
    return FirstDifference(Parts(got), Parts(want));
  }
  for (int64_t k = 0; k < got.element_count(); ++k) {
    const double a = got.GetAsDouble(k), b = want.GetAsDouble(k);
    if (!IsNear(got.element_type(), a, b)) {
      return absl::StrCat(a, " instead of ", b, " at element ", k);
    }
  }
  return "";
}

Literal OwnCopy(const Literal& value) {
  if (value.shape().IsTuple()) {
    std::vector<Literal> parts;
    for (const Literal& part : value.elements()) parts.push_back(OwnCopy(part));
    return Literal::Tuple(std::move(parts));
  }
  Literal copy = value;
  if (value.shape().IsArray()) copy.mutable_untyped_data();
  return copy;
}

int64_t WorkOf(const EmittedKernel& kernel) {
  return kernel.iterations * std::max<int64_t>(kernel.work_each, 1);
}

// Calls f(begin, end) for pieces of 0 to n - 1. They depend on the work alone,
// also where there is one thread: the last elements of a piece may be computed
// by other functions (not those of vectors), which round in another way.
void InPieces(const Execution& execution, int64_t n, int64_t work,
              absl::FunctionRef<void(int64_t begin, int64_t end)> f) {
  const int64_t pieces = std::min({n, work / kPieceWork, kMaxPieces});
  if (pieces <= 1) return f(0, n);
  int64_t each = (n + pieces - 1) / pieces;
  // Whole cache lines and whole vectors.
  if (each >= 1024) each = (each + 63) / 64 * 64;
  execution.pool->ParallelFor(n, each, f);
}

using Addresses = absl::InlinedVector<void*, 16>;

Addresses AddressesOf(const Execution& execution, const KernelThunk& thunk) {
  Addresses arrays;
  for (const Slice& slice : thunk.arrays()) {
    arrays.push_back(execution.At(slice));
  }
  return arrays;
}

void RunGroup(const Execution& execution, const PartwiseGroup& group,
              absl::Span<const std::unique_ptr<Thunk>> thunks) {
  struct Member {
    KernelFunction function;
    int64_t iterations_each;  // a part's
    Addresses arrays;
  };
  std::vector<Member> members;
  int64_t work = 0;
  for (const auto& thunk : thunks) {
    const auto& kernels = static_cast<const KernelThunk&>(*thunk);
    const KernelThunk::Kernel& kernel = kernels.kernels()[0];
    members.push_back({kernel.function, kernel.emitted.iterations / group.parts,
                       AddressesOf(execution, kernels)});
    work += WorkOf(kernel.emitted);
  }
  InPieces(execution, group.parts, work, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; part += group.parts_at_a_time) {
      const int64_t next = std::min(part + group.parts_at_a_time, end);
      for (const Member& member : members) {
        member.function(member.arrays.data(), part * member.iterations_each,
                        next * member.iterations_each);
      }
    }
  });
}

absl::StatusOr<Literal> Interpret(Execution& execution, const Thunk& thunk) {
  std::vector<Literal> values;
  for (const Place& place : thunk.operands()) {
    values.push_back(ReadPlace(execution, place));
  }
  std::vector<const Literal*> operands;
  for (const Literal& value : values) operands.push_back(&value);
  return execution.interpreter->Run(*thunk.at(), operands);
}

// Runs the thunk and compares its result with the interpreter's.
absl::Status ExecuteChecked(Execution& execution, const Thunk& thunk) {
  if (!thunk.checkable()) return thunk.Execute(execution);
  HLOKIT_ASSIGN_OR_RETURN(Literal want, Interpret(execution, thunk));
  // It may lie where the thunk writes.
  want = OwnCopy(want);
  HLOKIT_RETURN_IF_ERROR(thunk.Execute(execution));
  const std::string difference =
      FirstDifference(ReadPlace(execution, thunk.result()), want);
  if (difference.empty()) return absl::OkStatus();
  return FailedPrecondition("%s (%s) computes %s", thunk.at()->name(),
                            OpcodeName(thunk.at()->opcode()), difference);
}

}  // namespace

bool LiesRowMajor(const Shape& shape) {
  return !shape.has_layout() || shape.layout().IsDescending();
}

void ReadDynamicSizes(const Shape& shape, const char* data, Literal* literal) {
  if (!shape.is_dynamic()) return;
  const int64_t bytes = ElementsIn(shape) * StorageBytes(shape.element_type());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    literal->set_dynamic_size(d,
                              DynamicSize(data, bytes, d, shape.dimension(d)));
  }
}

void WriteDynamicSizes(const Shape& shape, const Literal& literal, char* data) {
  if (!shape.is_dynamic()) return;
  const int64_t bytes = ElementsIn(shape) * StorageBytes(shape.element_type());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    SetDynamicSize(data, bytes, d, literal.dynamic_size(d));
  }
}

Literal ReadPlace(const Execution& execution, const Place& place) {
  size_t next = 0;
  return ReadParts(execution, place.shape, place.leaves, &next);
}

void WritePlace(const Execution& execution, const Literal& value,
                const Place& place) {
  size_t next = 0;
  WriteParts(execution, value, place.shape, place.leaves, &next);
}

std::vector<Thunk::Nested> Thunk::nested() const { return {}; }

absl::Status ThunkSequence::Execute(Execution& execution) const {
  auto group = groups_.begin();
  const int64_t count = thunks_.size();
  for (int64_t k = 0; k < count;) {
    const bool grouped = group != groups_.end() && group->first == k;
    const int64_t steps = grouped && !execution.check ? group->count : 1;
    execution.steps += steps;
    if (execution.max_steps > 0 && execution.steps > execution.max_steps) {
      return ResourceExhausted("stopped after %d steps", execution.max_steps);
    }
    if (execution.check) {
      HLOKIT_RETURN_IF_ERROR(ExecuteChecked(execution, *thunks_[k]));
    } else if (grouped) {
      RunGroup(execution, *group,
               absl::MakeConstSpan(thunks_).subspan(k, steps));
      ++group;
    } else {
      HLOKIT_RETURN_IF_ERROR(thunks_[k]->Execute(execution));
    }
    k += steps;
  }
  return absl::OkStatus();
}

std::string ThunkSequence::ToString(int indent) const {
  std::string text;
  auto group = groups_.begin();
  for (int64_t k = 0; k < static_cast<int64_t>(thunks_.size()); ++k) {
    const auto& thunk = thunks_[k];
    if (group != groups_.end() && group->first == k) {
      absl::StrAppend(&text, std::string(indent, ' '), "the next ",
                      group->count, " together, ", group->parts_at_a_time,
                      " of ", group->parts, " parts at a time\n");
      ++group;
    }
    absl::StrAppend(&text, std::string(indent, ' '), thunk->kind(), " ",
                    thunk->at()->name());
    const std::string detail = thunk->detail();
    absl::StrAppend(&text, detail.empty() ? "" : " ", detail, "\n");
    for (const Thunk::Nested& nested : thunk->nested()) {
      absl::StrAppend(&text, std::string(indent + 2, ' '), nested.name, ":\n",
                      nested.sequence->ToString(indent + 4));
    }
  }
  return text;
}

absl::Status KernelThunk::Execute(Execution& execution) const {
  Addresses arrays = AddressesOf(execution, *this);
  std::unique_ptr<char[]> scratch;
  if (kernels_[0].emitted.scratch > 0) {
    scratch = std::make_unique_for_overwrite<char[]>(
        kernels_[0].emitted.scratch);
    arrays.push_back(scratch.get());
  }
  for (const Kernel& kernel : kernels_) {
    InPieces(execution, kernel.emitted.iterations, WorkOf(kernel.emitted),
             [&](int64_t begin, int64_t end) {
               kernel.function(arrays.data(), begin, end);
             });
  }
  return absl::OkStatus();
}

std::string KernelThunk::detail() const {
  std::string text;
  for (const Kernel& kernel : kernels_) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", kernel.emitted.function,
                    " x ", kernel.emitted.iterations);
  }
  return text;
}

absl::Status NativeThunk::Execute(Execution& execution) const {
  absl::InlinedVector<const void*, 8> operands;
  absl::InlinedVector<void*, 4> results;
  for (const Slice& slice : operands_) operands.push_back(execution.At(slice));
  for (const Slice& slice : results_) results.push_back(execution.At(slice));
  return kernel_->Run(operands, absl::MakeSpan(results), {execution.pool});
}

absl::Status CopyThunk::Execute(Execution& execution) const {
  if (from_ == to_) return absl::OkStatus();
  // What a thread must have to copy to be worth waking.
  constexpr int64_t kPieceBytes = 512 << 10;
  char* const to = execution.At(to_);
  const char* const from = execution.At(from_);
  execution.pool->ParallelFor(
      to_.size,
      execution.pool->parallelism() == 1 ? to_.size : kPieceBytes,
      [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, end - begin);
      });
  return absl::OkStatus();
}

absl::Status InterpretedThunk::Execute(Execution& execution) const {
  HLOKIT_ASSIGN_OR_RETURN(Literal value, Interpret(execution, *this));
  WritePlace(execution, value, result());
  return absl::OkStatus();
}

absl::Status WhileThunk::Execute(Execution& execution) const {
  for (;;) {
    HLOKIT_RETURN_IF_ERROR(condition_.Execute(execution));
    if (*execution.At(condition_result_) == 0) return absl::OkStatus();
    HLOKIT_RETURN_IF_ERROR(body_.Execute(execution));
  }
}

absl::Status ConditionalThunk::Execute(Execution& execution) const {
  const char* which = execution.At(which_);
  const int32_t last = static_cast<int32_t>(branches_.size()) - 1;
  int32_t branch = 0;
  if (is_pred_) {
    branch = *which != 0 ? 0 : 1;
  } else {
    std::memcpy(&branch, which, sizeof(branch));
    if (branch < 0 || branch > last) branch = last;
  }
  return branches_[branch].Execute(execution);
}

std::vector<Thunk::Nested> ConditionalThunk::nested() const {
  std::vector<Nested> nested;
  for (const ThunkSequence& branch : branches_) {
    nested.push_back({"branch", &branch});
  }
  return nested;
}

absl::Status CallThunk::Execute(Execution& execution) const {
  return called_.Execute(execution);
}

}  // namespace hlokit::cpu
