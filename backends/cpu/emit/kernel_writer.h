// What the kernels of an instruction have in common: what is in memory and
// where, how it is read and written.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_KERNEL_WRITER_H_
#define HLOKIT_BACKENDS_CPU_EMIT_KERNEL_WRITER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/cpu/emit/elemental.h"
#include "backends/cpu/emit/kernel.h"

namespace hlokit::cpu {

// The instruction seen from inside: what its result is computed by, and which
// instructions there are arrays in memory.
struct KernelSource {
  // One a leaf of the result.
  std::vector<const Instruction*> roots;
  std::vector<int> results;  // numbers of their arrays
  absl::flat_hash_map<const Instruction*, int> leaves;
  int array_count = 0;
  // Operations that one element of the result takes, roughly.
  int64_t work = 1;

  bool IsLeaf(const Instruction& i) const { return leaves.contains(&i); }
  bool IsWritten(int array) const;
};

// One kernel being written.
class KernelWriter {
 public:
  KernelWriter(const KernelSource& source, IrModule* module);

  IrFunction& f() { return f_; }
  ElementalEmitter& elements() { return elements_; }
  IrValue begin() const { return f_.arg(1); }
  IrValue end() const { return f_.arg(2); }

  // The address of an array, and what every access to it is marked with.
  IrValue Pointer(int array) { return pointers_[array]; }
  const std::string& Marks(int array);
  Element Read(int array, const Shape& shape, absl::Span<const IrValue> index);
  void Write(int array, const Shape& shape, absl::Span<const IrValue> index,
             const Element& element);
  // The element of `i` is what `known` says, not what it is computed from.
  using Known = std::function<Element(absl::Span<const IrValue> index)>;
  void SetKnown(const Instruction* i, Known known) { known_[i] = known; }
  void ClearKnown() { known_.clear(); }

  bool failed() const { return elements_.failed(); }
  std::string Finish() { return f_.Finish(); }

 private:
  const KernelSource& source_;
  IrFunction f_;
  ElementalEmitter elements_;
  std::vector<IrValue> pointers_;
  std::vector<std::string> marks_;
  absl::flat_hash_map<const Instruction*, Known> known_;
};

// Kernels for one form of result each; false when they do not fit (then nothing
// was added).
using KernelForm = bool (*)(const KernelSource& source, IrModule* module,
                            std::vector<EmittedKernel>* kernels);
bool EmitUpdateInPlace(const KernelSource& source, IrModule* module,
                       std::vector<EmittedKernel>* kernels);
bool EmitConcatenation(const KernelSource& source, IrModule* module,
                       std::vector<EmittedKernel>* kernels);
bool EmitReduction(const KernelSource& source, IrModule* module,
                   std::vector<EmittedKernel>* kernels);
bool EmitLoops(const KernelSource& source, IrModule* module,
               std::vector<EmittedKernel>* kernels);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_KERNEL_WRITER_H_
