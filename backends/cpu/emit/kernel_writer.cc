#include "backends/cpu/emit/kernel_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlokit::cpu {
namespace {

// Kernels with more arrays than this go without alias scopes, whose lists grow
// with the square of their number.
constexpr int kMaxScopes = 64;

std::string Scope(IrModule& module, int array) {
  return module.Metadata(absl::StrCat("!{!\"array ", array, "\", ",
                                      module.Metadata("!{!\"arrays\"}"), "}"));
}

}  // namespace

bool KernelSource::IsWritten(int array) const {
  return std::find(results.begin(), results.end(), array) != results.end();
}

KernelWriter::KernelWriter(const KernelSource& source, IrModule* module)
    : source_(source),
      f_(module, {{"ptr", "arrays"}, {"i64", "begin"}, {"i64", "end"}}),
      elements_(f_,
                [this](const Instruction& i, absl::Span<const IrValue> index,
                       Element* element) {
                  const auto known = known_.find(&i);
                  if (known != known_.end()) {
                    *element = known->second(index);
                    return true;
                  }
                  const auto leaf = source_.leaves.find(&i);
                  if (leaf == source_.leaves.end()) return false;
                  *element = Read(leaf->second, i.shape(), index);
                  return true;
                }),
      pointers_(source.array_count),
      marks_(source.array_count) {
  // All addresses first, so that they are known everywhere.
  for (int array = 0; array < source.array_count; ++array) {
    pointers_[array] =
        f_.Load("ptr", f_.Gep("ptr", f_.arg(0), f_.Const(array)));
  }
}

const std::string& KernelWriter::Marks(int array) {
  std::string& marks = marks_[array];
  if (!marks.empty() || source_.array_count > kMaxScopes) return marks;
  IrModule& module = f_.module();
  std::vector<std::string> others;
  for (int other = 0; other < source_.array_count; ++other) {
    if (other != array) others.push_back(Scope(module, other));
  }
  marks = absl::StrCat(
      ", !alias.scope ",
      module.Metadata(absl::StrCat("!{", Scope(module, array), "}")));
  if (!others.empty()) {
    absl::StrAppend(
        &marks, ", !noalias ",
        module.Metadata(absl::StrCat("!{", absl::StrJoin(others, ", "), "}")));
  }
  return marks;
}

Element KernelWriter::Read(int array, const Shape& shape,
                           absl::Span<const IrValue> index) {
  return LoadElement(f_, shape.element_type(), pointers_[array],
                     LinearIndex(f_, shape, index), Marks(array));
}

void KernelWriter::Write(int array, const Shape& shape,
                         absl::Span<const IrValue> index,
                         const Element& element) {
  StoreElement(f_, element, pointers_[array], LinearIndex(f_, shape, index),
               Marks(array));
}

}  // namespace hlokit::cpu
