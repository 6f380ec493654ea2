// Reads one computation of a module's bytes; internal to the module reader.
#ifndef HLOKIT_HLO_WIRE_COMPUTATION_READER_H_
#define HLOKIT_HLO_WIRE_COMPUTATION_READER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"
#include "hlo/wire/instruction_fields.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::wire {

// Types and metadata by their bytes: modules have few different ones.
// The latest ones are remembered, a few hundred of each.
template <typename Value>
class ByteCache {
 public:
  struct Entry {
    absl::string_view bytes;  // a view into the file
    Value value;
  };
  // Where `bytes` are, or are to go.
  Entry& At(absl::string_view bytes) {
    uint64_t key = bytes.size();
    const size_t n = std::min<size_t>(bytes.size(), 8);
    uint64_t head = 0, tail = 0;
    std::memcpy(&head, bytes.data(), n);
    std::memcpy(&tail, bytes.data() + bytes.size() - n, n);
    key = (key * 0x9e3779b97f4a7c15 ^ head) * 0x9e3779b97f4a7c15 ^ tail;
    key *= 0x9e3779b97f4a7c15;
    return entries_[key >> (64 - kBits)];
  }

 private:
  static constexpr int kBits = 9;
  std::vector<Entry> entries_{size_t{1} << kBits};
};

// The fields of instructions that are read by way of a message: attributes. Many
// instructions have the same ones.
class RestCache {
 public:
  // The message of these bytes; valid until the next call.
  absl::StatusOr<const xla::HloInstructionProto*> Parse(
      const std::string& bytes);
  // A copy to change, valid as long.
  xla::HloInstructionProto* Changeable(const xla::HloInstructionProto& rest);

 private:
  static constexpr size_t kSize = 64;
  struct Entry {
    std::string bytes;  // empty: none
    xla::HloInstructionProto message;
  };
  std::vector<Entry> entries_{kSize};
  xla::HloInstructionProto changed_;
};

// A computation as the file has it: where its instructions lie, and the rest.
struct ComputationBytes {
  absl::string_view name;
  int64_t id = 0;
  int64_t root_id = 0;
  absl::string_view execution_thread;
  std::vector<absl::string_view> instructions;
  // The instructions say it again; looked at for unknown fields only.
  absl::string_view program_shape;
  std::string rest;  // other fields
};

// What the readers of a module's computations share.
struct ReadContext {
  // Holes between ids that a module may have; with more, ids are dealt anew. (A
  // hole takes a pointer.)
  static constexpr int64_t kMaxHoles = int64_t{1} << 23;

  const FromProtoOptions& options;
  const bool preserve_ids;
  xla::HloModuleProto module_rest;  // without computations
  absl::flat_hash_map<int64_t, Computation*> computations;  // by id
  // Whether an instruction calls a computation that was not complete then.
  bool calls_forward = false;
  int64_t holes = 0;
  ByteCache<Shape> shapes;
  ByteCache<std::shared_ptr<const OpMetadata>> metadata;
  // The instruction in hand.
  InstructionFields fields;
  const xla::HloInstructionProto* rest = nullptr;  // fields.rest
  RestCache rests;
  xla::OpMetadata metadata_proto;
  const LastingBytes passing;     // joined pieces are gone soon
  bool has_frame_ids = false;  // any metadata
};

// Fills an empty computation that has not joined its module.
class ComputationReader {
 public:
  ComputationReader(const ComputationBytes& bytes, ReadContext* context,
                    Computation* computation)
      : bytes_(bytes), context_(*context), computation_(computation) {}

  absl::Status Read();

  // The n-th in the file.
  Instruction* instruction(size_t n) const { return instructions_[n]; }
  // By id in the file; null if there is none.
  Instruction* Find(int64_t unique_id) const;

  // fn(name in the file, name here) where these differ.
  template <typename Fn>
  void ForEachRenamed(Fn fn) {
    InstructionFields& fields = context_.fields;
    for (size_t n = 0; n < instructions_.size(); ++n) {
      if (!ReadInstructionFields(bytes_.instructions[n], &fields)) continue;
      if (instructions_[n]->name() != fields.name) {
        fn(fields.name, instructions_[n]->name());
      }
    }
  }

 private:
  struct Parameter {
    Instruction* instruction;
    int64_t number;
    std::string name;  // for messages
  };

  absl::Status At(const absl::Status& status) const;
  absl::Status ReadFields(size_t n);
  bool AllThere() const;
  absl::StatusOr<Shape> ReadType();
  absl::Status ReadItsMetadata(Instruction* i);
  void KeepOpcode(Instruction* i);
  void TakeMetadataItems(Instruction* i);
  absl::Status Create();
  absl::Status Add(Opcode opcode, Shape shape);
  absl::Status NoSuch(absl::string_view what, int64_t id) const;
  absl::Status Connect(size_t n);
  absl::Status ReadCalls(Instruction* i);
  absl::Status CheckCallCount(const Instruction& i) const;
  absl::Status CheckParameters();
  absl::Status CheckCycles() const;

  const ComputationBytes& bytes_;
  ReadContext& context_;
  Computation* computation_;
  std::vector<Instruction*> instructions_;  // in file order
  std::vector<Parameter> parameters_;
  absl::flat_hash_map<uint32_t, Instruction*> by_file_id_;
};

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_COMPUTATION_READER_H_
