// Dumps the module between passes.
#ifndef HLOKIT_PASSES_DUMP_OBSERVER_H_
#define HLOKIT_PASSES_DUMP_OBSERVER_H_

#include "dump/dumper.h"
#include "passes/pass.h"

namespace hlokit {

class DumpObserver : public PassObserver {
 public:
  explicit DumpObserver(Dumper* dumper) : dumper_(dumper) {}

  // Observes a pipeline that is about to run on this module; also what its
  // passes fuse, where the dumper wants that. Attach to one after the other.
  void Attach(Pipeline* pipeline, const Module& module);
  absl::Status OnStep(const Step& step, const Module& module) override;

 private:
  Dumper* dumper_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DUMP_OBSERVER_H_
