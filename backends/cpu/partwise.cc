#include "backends/cpu/partwise.h"

#include <algorithm>

#include "backends/cpu/row_parts.h"

namespace hlokit::cpu {
namespace {

// What one turn is to touch at most: it fits into the second level of the cache
// of common processors. Groups that touch no more in all are not worth it.
constexpr int64_t kCacheBytes = 192 << 10;
constexpr int64_t kMaxMembers = 16;
// With fewer parts there is too little to divide among threads.
constexpr int64_t kMinParts = 16;

struct Access {
  Slice slice;
  bool written;
  bool in_parts;
};

// Null when it cannot be a member.
const KernelThunk* MemberOf(const Thunk& thunk) {
  if (thunk.kind() != "kernel") return nullptr;
  const auto& member = static_cast<const KernelThunk&>(thunk);
  if (member.kernels().size() != 1) return nullptr;
  const EmittedKernel& kernel = member.kernels()[0].emitted;
  return kernel.in_order && kernel.iterations >= kMinParts ? &member : nullptr;
}

// What a member touches, each part for itself or not; false when the results
// are not written part by part.
bool AddAccesses(const KernelThunk& thunk, int64_t parts,
                 std::vector<Access>* accesses) {
  const std::vector<bool> in_parts = OperandsReadInParts(*thunk.at(), parts);
  if (in_parts.size() != thunk.operands().size()) return false;
  for (size_t k = 0; k < in_parts.size(); ++k) {
    for (const Slice& slice : thunk.operands()[k].leaves) {
      accesses->push_back({slice, false, in_parts[k]});
    }
  }
  for (const Slice& slice : thunk.result().leaves) {
    accesses->push_back({slice, true, true});
  }
  return true;
}

// Whatever is written is touched by all in the same parts.
bool KeepOrder(const std::vector<Access>& accesses) {
  for (const Access& write : accesses) {
    if (!write.written) continue;
    for (const Access& other : accesses) {
      if (!Overlap(write.slice, other.slice)) continue;
      if (!(write.slice == other.slice) || !other.in_parts) return false;
    }
  }
  return true;
}

// Bytes of all slices that are touched in parts, each counted once.
int64_t PartwiseBytes(const std::vector<Access>& accesses) {
  int64_t bytes = 0;
  for (size_t k = 0; k < accesses.size(); ++k) {
    const bool known = std::any_of(
        accesses.begin(), accesses.begin() + k, [&](const Access& other) {
          return other.in_parts && other.slice == accesses[k].slice;
        });
    if (accesses[k].in_parts && !known) bytes += accesses[k].slice.size;
  }
  return bytes;
}

bool ReadsWhatIsWritten(const KernelThunk& reader,
                        absl::Span<const KernelThunk* const> writers) {
  for (const Place& operand : reader.operands()) {
    for (const KernelThunk* writer : writers) {
      for (const Slice& written : writer->result().leaves) {
        for (const Slice& read : operand.leaves) {
          if (Overlap(read, written)) return true;
        }
      }
    }
  }
  return false;
}

class GroupFinder {
 public:
  explicit GroupFinder(absl::Span<const std::unique_ptr<Thunk>> thunks)
      : thunks_(thunks) {}

  // The longest group that begins at `first`; its count is less than two when
  // there is none.
  PartwiseGroup At(int64_t first) const {
    PartwiseGroup best{first, 1};
    std::vector<const KernelThunk*> members;
    const int64_t end = std::min<int64_t>(thunks_.size(), first + kMaxMembers);
    for (int64_t k = first; k < end; ++k) {
      const KernelThunk* member = MemberOf(*thunks_[k]);
      if (member == nullptr) break;
      if (k > first && !ReadsWhatIsWritten(*member, members)) break;
      members.push_back(member);
      if (k > first && !Fits(members, &best)) break;
    }
    return best;
  }

 private:
  // Makes the members the group if they can be.
  static bool Fits(absl::Span<const KernelThunk* const> members,
                   PartwiseGroup* group) {
    int64_t parts = members[0]->kernels()[0].emitted.iterations;
    for (const KernelThunk* member : members) {
      parts = std::min(parts, member->kernels()[0].emitted.iterations);
    }
    std::vector<Access> accesses;
    for (const KernelThunk* member : members) {
      if (member->kernels()[0].emitted.iterations % parts != 0 ||
          !AddAccesses(*member, parts, &accesses)) {
        return false;
      }
    }
    if (!KeepOrder(accesses)) return false;
    const int64_t bytes = PartwiseBytes(accesses);
    if (bytes <= kCacheBytes) return false;
    group->count = members.size();
    group->parts = parts;
    group->parts_at_a_time = std::clamp<int64_t>(
        kCacheBytes / std::max<int64_t>(bytes / parts, 1), 1, parts);
    return true;
  }

  absl::Span<const std::unique_ptr<Thunk>> thunks_;
};

}  // namespace

std::vector<PartwiseGroup> FindPartwiseGroups(
    absl::Span<const std::unique_ptr<Thunk>> thunks) {
  std::vector<PartwiseGroup> groups;
  const GroupFinder finder(thunks);
  for (int64_t k = 0; k < static_cast<int64_t>(thunks.size());) {
    const PartwiseGroup group = finder.At(k);
    if (group.count >= 2) groups.push_back(group);
    k += group.count;
  }
  return groups;
}

}  // namespace hlokit::cpu
