// What passes that fuse decided, with pictures, for
// --xla_dump_fusion_visualization.
#ifndef HLOKIT_DUMP_FUSION_RECORDER_H_
#define HLOKIT_DUMP_FUSION_RECORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph_render/fusion_page.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Of one module. A pass calls BeforeFusing, changes the module, and calls
// Fused; or it calls NotFused and goes on. Nothing in the module is kept or
// changed. Not thread-safe.
class FusionRecorder {
 public:
  // `members`, of one computation, are about to become one fusion; the last one
  // stays its root. `pass` is its name.
  void BeforeFusing(absl::string_view pass,
                    absl::Span<const Instruction* const> members);
  // They did.
  void Fused(const Instruction& fusion);
  // The producer stays out of the fusion that the consumer is in. `why` goes on
  // after a colon: "it would be computed again and again".
  void NotFused(absl::string_view pass, const Instruction& producer,
                const Instruction& consumer, absl::string_view why);

  // By the name of the computation.
  const std::map<std::string, std::vector<FusionStep>>& steps() const {
    return steps_;
  }
  bool empty() const { return steps_.empty(); }
  // Decisions that were not recorded any more: there were too many.
  int64_t left_out() const { return left_out_; }

 private:
  bool HasRoom() const;
  std::shared_ptr<const Module> Picture(
      absl::Span<const Instruction* const> members);
  FusionStep* Add(const Instruction& place);

  std::map<std::string, std::vector<FusionStep>> steps_;
  FusionStep* open_ = nullptr;
  int64_t count_ = 0;
  int64_t instructions_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_FUSION_RECORDER_H_
