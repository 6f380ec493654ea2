// --check-values: executes a module before and after each pass.
#ifndef HLOKIT_HLO_OPT_CHECK_VALUES_H_
#define HLOKIT_HLO_OPT_CHECK_VALUES_H_

#include <memory>
#include <string>
#include <vector>

#include "base/io.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "passes/pass.h"

namespace hlokit {

// Sees every pass of a pipeline. When one changes the module and then the
// results of one of the argument sets, it writes
//   MODULE.before_PASS.hlo             the module as the pass got it
//   MODULE.before_PASS.hlo_snapshot.pb the same with the arguments and the
//                                      result before the pass
// and ends the pipeline with an error that says where the values differ and
// how to repeat it. Modules that the interpreter cannot execute are told once
// and not checked. Letters in MODULE that a shell reads otherwise become _.
//
// A pass that takes away rng instructions may change results, for nobody says
// which numbers those give: it is told, and what follows is compared with what
// the module gives then.
class CheckValuesObserver : public PassObserver {
 public:
  // `repeat` is the command line without --passes; files go to `folder`.
  CheckValuesObserver(const ToolIo& io, int sets, std::string repeat,
                      std::string folder = ".")
      : io_(io),
        sets_(sets),
        repeat_(std::move(repeat)),
        folder_(std::move(folder)) {}
  absl::Status OnStep(const Step& step, const Module& module) override;

  // `failure` is what ended the pipeline. When that was an error of a pass (or
  // of an observer that looked before this one), the same files are written
  // and the error says how to repeat it; the snapshot only when the module
  // could be executed.
  absl::Status Explain(const absl::Status& failure);

 private:
  struct Set {
    std::vector<Literal> arguments;
    Literal result;
  };
  absl::Status Begin(const Module& module);
  absl::Status Report(const Step& step, const Set& set,
                      const std::string& difference);
  // Writes the files for a pass; returns what to tell about them. `set` may be
  // null.
  absl::StatusOr<std::string> WriteFiles(absl::string_view pass,
                                         const Set* set) const;

  const ToolIo& io_;
  int sets_;
  std::string repeat_, folder_;
  bool started_ = false;
  std::vector<Set> values_;        // empty: cannot be executed
  std::unique_ptr<Module> before_;  // the module as the next pass gets it
  std::string next_;                // that pass, as CreatePass names it
  bool reported_ = false;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_CHECK_VALUES_H_
