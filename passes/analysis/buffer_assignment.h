// Gives every value of a scheduled module its place in memory.
//
// Values that must share memory (the state of a loop, what is updated in place,
// results that alias parameters) form one buffer; so do a value and an operand
// of no further use where the operation allows it. Buffers lie in allocations:
//
//   parameter     each part of the entry's parameters by itself
//   constant      each constant
//   live-out      each part of the entry's result
//   thread-local  values of computations that are applied to elements
//   temp          one for everything else, packed by life time
//
// Parameters that may be overwritten (aliased) and results lend their memory to
// smaller temporaries when they are not alive.
#ifndef HLOKIT_PASSES_ANALYSIS_BUFFER_ASSIGNMENT_H_
#define HLOKIT_PASSES_ANALYSIS_BUFFER_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/ir/module.h"
#include "passes/analysis/dataflow.h"
#include "passes/analysis/live_range.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {

struct BufferAllocation {
  enum Kind { kParameter, kConstant, kLiveOut, kThreadLocal, kTemp };
  struct Assigned {
    int64_t value = 0;  // id
    int64_t offset = 0;
    int64_t size = 0;
  };
  Kind kind = kTemp;
  int64_t size = 0;
  bool is_tuple = false;
  bool maybe_live_out = false;
  int64_t parameter = 0;        // of kParameter
  ShapeIndex parameter_index;
  std::vector<Assigned> assigned;  // by value id
};

// Where a value lies.
struct BufferSlice {
  int64_t allocation = -1;  // -1: it needs no memory (tokens)
  int64_t offset = 0;
  int64_t size = 0;
};

// Bytes of memory that a value takes by itself: a pointer for each part of a
// tuple; behind the elements of a dynamic array, an s32 for the size of each
// dimension.
int64_t BufferBytes(const Shape& shape);

class BufferAssignment {
 public:
  const Dataflow& dataflow() const { return *dataflow_; }
  const LiveRanges& live_ranges() const { return *live_ranges_; }
  const std::vector<BufferAllocation>& allocations() const {
    return allocations_;
  }
  const BufferSlice& SliceOf(const HloValue& value) const {
    return slices_[value.id];
  }
  const BufferSlice& SliceAt(const Instruction* i, int64_t part) const {
    return slices_[dataflow_->ValueAt(i, part).id];
  }
  int64_t TotalBytes() const;
  int64_t TempBytes() const;

  xla::BufferAssignmentProto ToProto() const;

 private:
  friend class BufferAssigner;
  std::unique_ptr<Dataflow> dataflow_;
  std::unique_ptr<LiveRanges> live_ranges_;
  std::vector<BufferAllocation> allocations_;
  std::vector<BufferSlice> slices_;  // by value
};

// Of a module with schedule, flat call graph and the copies that copy-insertion
// adds. InvalidArgument when it has no schedule, or where two values would
// have to share memory while both are needed (copies are missing).
absl::StatusOr<BufferAssignment> AssignBuffers(const Module& module);

// "-buffer-assignment-values.txt" and "-live-range.txt" as XLA writes them.
std::string BufferValuesText(const BufferAssignment& assignment);
std::string LiveRangeText(const BufferAssignment& assignment);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_BUFFER_ASSIGNMENT_H_
