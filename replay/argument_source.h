// The arguments of each iteration: those of files, of the snapshot, or made up.
#ifndef HLOKIT_REPLAY_ARGUMENT_SOURCE_H_
#define HLOKIT_REPLAY_ARGUMENT_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/ir/literal.h"
#include "hlo_opt/loader.h"
#include "replay/session.h"
#include "xla/tools/run_hlo_module.pb.h"

namespace hlokit {

class ArgumentSource {
 public:
  explicit ArgumentSource(Session* session) : session_(*session) {}

  // Reads the files that the options name; they serve every module.
  absl::Status ReadFiles();

  // `origin` becomes "fake data", "zeros", "snapshot" or the file's name. Files
  // win over the snapshot, and the snapshot over made-up arguments.
  absl::StatusOr<std::vector<Literal>> Arguments(const LoadedModule& loaded,
                                                 int64_t iteration,
                                                 std::string* origin);

 private:
  using Given = std::optional<std::vector<Literal>>;
  absl::StatusOr<Given> GivenArguments(const LoadedModule& loaded,
                                       int64_t iteration, std::string* origin);
  absl::StatusOr<std::vector<Literal>> FromLiteralsFile(const Module& module,
                                                        int64_t iteration);
  absl::StatusOr<std::vector<Literal>> FromSnapshot(const LoadedModule& loaded,
                                                    int64_t iteration);

  Session& session_;
  xla::RunHloModuleLiterals literals_;
  std::string npz_;
  std::vector<std::string> npy_;
};

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_ARGUMENT_SOURCE_H_
