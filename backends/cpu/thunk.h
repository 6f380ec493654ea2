// Thunks: what a compiled module does, one step after another. Each stands for
// one instruction and works on slices of the allocations that buffer assignment
// made; control flow holds sequences of others.
#ifndef HLOKIT_BACKENDS_CPU_THUNK_H_
#define HLOKIT_BACKENDS_CPU_THUNK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cpu/emit/kernel.h"
#include "backends/cpu/native_kernel.h"
#include "backends/custom_call/call_site.h"
#include "backends/interpreter/evaluator.h"
#include "base/thread_pool.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hlokit::cpu {

// A place in the memory of an execution.
struct Slice {
  int32_t allocation = -1;
  int64_t offset = 0;
  int64_t size = 0;
  bool operator==(const Slice&) const = default;
};
inline bool Overlap(const Slice& a, const Slice& b) {
  return a.allocation == b.allocation && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

// One execution.
struct Execution {
  std::vector<char*> allocations;
  ThreadPool* pool = nullptr;
  interpreter::Context* interpreter = nullptr;
  custom_call::CustomCallRun* custom_calls = nullptr;
  int64_t max_steps = 0;
  int64_t steps = 0;
  // Whether each result is compared with the interpreter's.
  bool check = false;

  char* At(const Slice& slice) const {
    return allocations[slice.allocation] + slice.offset;
  }
};

// Where the leaves of a value lie, in the order of its parts; leaves without
// memory (tokens) have no allocation.
struct Place {
  Shape shape;
  std::vector<Slice> leaves;
};

class Thunk {
 public:
  explicit Thunk(const Instruction* at) : at_(at) {}
  virtual ~Thunk() = default;
  virtual absl::Status Execute(Execution& execution) const = 0;
  // "kernel", "while", ...: for the thunk sequence's text.
  virtual absl::string_view kind() const = 0;
  // The sequences in it, with their names.
  struct Nested;
  virtual std::vector<Nested> nested() const;
  // More about it, on one line; may be empty.
  virtual std::string detail() const { return ""; }
  // Whether the interpreter could do the same on the same operands.
  virtual bool checkable() const;
  const Instruction* at() const { return at_; }
  // Where the instruction's operands and its result lie.
  void SetPlaces(std::vector<Place> operands, Place result) {
    operands_ = std::move(operands);
    result_ = std::move(result);
  }
  const std::vector<Place>& operands() const { return operands_; }
  const Place& result() const { return result_; }

 private:
  const Instruction* at_;
  std::vector<Place> operands_;
  Place result_;
};

// Kernels that follow one another, of which part k only reads part k of what
// the others write. They are done a few parts at a time, while these are in the
// cache (partwise.h).
struct PartwiseGroup {
  int64_t first = 0;  // number of the first thunk
  int64_t count = 0;
  int64_t parts = 1;
  int64_t parts_at_a_time = 1;
};

class ThunkSequence {
 public:
  void Add(std::unique_ptr<Thunk> thunk) {
    thunks_.push_back(std::move(thunk));
  }
  // In the order of their thunks.
  void SetGroups(std::vector<PartwiseGroup> groups) {
    groups_ = std::move(groups);
  }
  // Errors name the instruction.
  absl::Status Execute(Execution& execution) const;
  const std::vector<std::unique_ptr<Thunk>>& thunks() const { return thunks_; }
  // As XLA's dump "thunk_sequence.txt": a line each, nested ones indented.
  std::string ToString(int indent = 0) const;

 private:
  std::vector<std::unique_ptr<Thunk>> thunks_;
  std::vector<PartwiseGroup> groups_;
};

struct Thunk::Nested {
  absl::string_view name;
  const ThunkSequence* sequence;
};

inline bool Thunk::checkable() const { return nested().empty(); }

// Generated kernels, one after another.
class KernelThunk : public Thunk {
 public:
  struct Kernel {
    EmittedKernel emitted;
    KernelFunction function = nullptr;  // set when the code has been loaded
  };
  KernelThunk(const Instruction* at, std::vector<Kernel> kernels,
              std::vector<Slice> arrays)
      : Thunk(at), kernels_(std::move(kernels)), arrays_(std::move(arrays)) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "kernel"; }
  std::string detail() const override;
  std::vector<Kernel>& kernels() { return kernels_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<Slice>& arrays() const { return arrays_; }

 private:
  std::vector<Kernel> kernels_;
  std::vector<Slice> arrays_;
};

// A kernel written in C++.
class NativeThunk : public Thunk {
 public:
  NativeThunk(const Instruction* at, std::unique_ptr<NativeKernel> kernel,
              std::vector<Slice> operands, std::vector<Slice> results)
      : Thunk(at),
        kernel_(std::move(kernel)),
        operands_(std::move(operands)),
        results_(std::move(results)) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "native"; }
  std::string detail() const override { return kernel_->detail(); }

 private:
  std::unique_ptr<NativeKernel> kernel_;
  std::vector<Slice> operands_, results_;
};

// Bytes from one place to another.
class CopyThunk : public Thunk {
 public:
  CopyThunk(const Instruction* at, Slice from, Slice to)
      : Thunk(at), from_(from), to_(to) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "copy"; }

 private:
  Slice from_, to_;
};

// The interpreter's kernel: for what nothing else knows.
class InterpretedThunk : public Thunk {
 public:
  using Thunk::Thunk;
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "interpreted"; }
  bool checkable() const override { return false; }
};

class WhileThunk : public Thunk {
 public:
  WhileThunk(const Instruction* at, Slice condition_result,
             ThunkSequence condition, ThunkSequence body)
      : Thunk(at),
        condition_result_(condition_result),
        condition_(std::move(condition)),
        body_(std::move(body)) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "while"; }
  std::vector<Nested> nested() const override {
    return {{"condition", &condition_}, {"body", &body_}};
  }

 private:
  Slice condition_result_;
  ThunkSequence condition_, body_;
};

class ConditionalThunk : public Thunk {
 public:
  ConditionalThunk(const Instruction* at, Slice which, bool is_pred,
                   std::vector<ThunkSequence> branches)
      : Thunk(at),
        which_(which),
        is_pred_(is_pred),
        branches_(std::move(branches)) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "conditional"; }
  std::vector<Nested> nested() const override;

 private:
  Slice which_;
  bool is_pred_;  // branch 0 is taken on true; else an s32 number
  std::vector<ThunkSequence> branches_;
};

class CallThunk : public Thunk {
 public:
  CallThunk(const Instruction* at, ThunkSequence called)
      : Thunk(at), called_(std::move(called)) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "call"; }
  std::vector<Nested> nested() const override { return {{"called", &called_}}; }

 private:
  ThunkSequence called_;
};

// Whether an array's bytes in memory are those of its literal.
bool LiesRowMajor(const Shape& shape);

// Dynamic arrays: the sizes that stand behind the elements in memory
// (BufferBytes) and those of the literal, one from the other. Nothing for
// static ones.
void ReadDynamicSizes(const Shape& shape, const char* data, Literal* literal);
void WriteDynamicSizes(const Shape& shape, const Literal& literal, char* data);

// The value at a place, and a value put there.
Literal ReadPlace(const Execution& execution, const Place& place);
void WritePlace(const Execution& execution, const Literal& value,
                const Place& place);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_THUNK_H_
