// A buffer assignment as text, in the form of XLA's
// -buffer-assignment.txt and -memory-usage-report files. Thread-safe.
#ifndef HLOKIT_DUMP_BUFFER_REPORT_H_
#define HLOKIT_DUMP_BUFFER_REPORT_H_

#include <string>

#include "hlo/ir/module.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {

// "BufferAssignment:" and each allocation with the values in it. Values whose
// instruction is not in `module` are shown without shape.
std::string BufferAssignmentText(const Module& module,
                                 const xla::BufferAssignmentProto& assignment);

// For each memory space, the allocations from the largest on, each with the
// places in it that values share.
std::string MemoryUsageText(const Module& module,
                            const xla::BufferAssignmentProto& assignment);
xla::MemoryUsageReportProto MemoryUsageProto(
    const Module& module, const xla::BufferAssignmentProto& assignment);

// "4.7KiB", "208B".
std::string HumanBytes(int64_t bytes);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_BUFFER_REPORT_H_
