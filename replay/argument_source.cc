#include "replay/argument_source.h"

#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "hlo/wire/proto_convert.h"
#include "replay/inputs.h"

namespace hlokit {

absl::Status ArgumentSource::ReadFiles() {
  const RunHloModuleOptions& options = session_.options();
  const ToolIo& io = session_.io();
  if (!options.input_literals_file.empty()) {
    HLOKIT_ASSIGN_OR_RETURN(const std::string bytes,
                            ReadInput(io, options.input_literals_file));
    absl::StatusOr<xla::RunHloModuleLiterals> literals =
        ParseLiteralsFile(bytes);
    if (!literals.ok()) {
      return Annotate(literals.status(), options.input_literals_file);
    }
    literals_ = *std::move(literals);
  }
  if (!options.inputs.empty()) {
    HLOKIT_ASSIGN_OR_RETURN(npz_, ReadInput(io, options.inputs));
  }
  for (const std::string& file : options.input) {
    HLOKIT_ASSIGN_OR_RETURN(std::string bytes, ReadInput(io, file));
    npy_.push_back(std::move(bytes));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> ArgumentSource::Arguments(
    const LoadedModule& loaded, int64_t iteration, std::string* origin) {
  const RunHloModuleOptions& options = session_.options();
  HLOKIT_ASSIGN_OR_RETURN(Given given,
                          GivenArguments(loaded, iteration, origin));
  if (given.has_value() && options.iterations == 1) return *std::move(given);
  // Made up in any case, so that the engine is where XLA's is when a later
  // iteration needs it.
  absl::StatusOr<std::vector<Literal>> made_up =
      MakeFakeArguments(*loaded.module, session_.engine_or_null(),
                        session_.fake_data_options());
  if (given.has_value()) return *std::move(given);
  *origin = options.random_init_input_literals ? "fake data" : "zeros";
  return made_up;
}

absl::StatusOr<ArgumentSource::Given> ArgumentSource::GivenArguments(
    const LoadedModule& loaded, int64_t iteration, std::string* origin) {
  const RunHloModuleOptions& options = session_.options();
  const Module& module = *loaded.module;
  absl::StatusOr<std::vector<Literal>> given;
  if (!options.inputs.empty()) {
    *origin = options.inputs;
    given = ArgumentsFromNpz(module, npz_);
  } else if (!options.input.empty()) {
    *origin = absl::StrJoin(options.input, " ");
    given = ArgumentsFromNpy(module, npy_);
  } else if (!options.input_literals_file.empty()) {
    if (iteration > literals_.iterations_size()) return Given();
    *origin = options.input_literals_file;
    given = FromLiteralsFile(module, iteration);
  } else if (!options.force_fake_data && loaded.has_arguments &&
             !loaded.arguments.empty()) {
    *origin = "snapshot";
    HLOKIT_ASSIGN_OR_RETURN(std::vector<Literal> recorded,
                            FromSnapshot(loaded, iteration));
    return Given(std::move(recorded));
  } else {
    return Given();
  }
  if (!given.ok()) return Annotate(given.status(), *origin);
  return Given(*std::move(given));
}

absl::StatusOr<std::vector<Literal>> ArgumentSource::FromLiteralsFile(
    const Module& module, int64_t iteration) {
  std::vector<Literal> literals;
  const auto& protos =
      literals_.iterations(static_cast<int>(iteration - 1)).arguments();
  for (int i = 0; i < protos.size(); ++i) {
    absl::StatusOr<Literal> literal = LiteralFromProto(protos.Get(i));
    if (!literal.ok()) {
      return Annotate(literal.status(), absl::StrCat("argument ", i));
    }
    literals.push_back(*std::move(literal));
  }
  return FitArguments(module, std::move(literals),
                      absl::StrCat("iteration ", iteration));
}

absl::StatusOr<std::vector<Literal>> ArgumentSource::FromSnapshot(
    const LoadedModule& loaded, int64_t iteration) {
  if (loaded.arguments.size() > 1 && iteration == 1) {
    session_.err() << loaded.file << ": note: there are arguments for "
                   << loaded.arguments.size()
                   << " partitions; those of the first are used\n";
  }
  absl::StatusOr<std::vector<Literal>> fitting =
      FitArguments(*loaded.module, loaded.arguments[0], "the snapshot");
  if (fitting.ok()) return fitting;
  return absl::Status(fitting.status().code(),
                      absl::StrCat(fitting.status().message(),
                                   "; --force_fake_data makes arguments up "
                                   "instead"));
}

}  // namespace hlokit
