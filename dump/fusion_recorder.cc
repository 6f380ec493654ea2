#include "dump/fusion_recorder.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

// Of one module: beyond, nobody steps through them, and the page grows.
constexpr int64_t kMaxSteps = 1000;
constexpr int64_t kMaxInstructions = 100'000;
constexpr size_t kMaxNames = 6;

std::string NamesOf(absl::Span<const Instruction* const> members) {
  std::string text;
  for (size_t k = 0; k + 1 < members.size(); ++k) {
    if (k == kMaxNames) {
      absl::StrAppend(&text, ", ", members.size() - 1 - k, " more");
      break;
    }
    absl::StrAppend(&text, k > 0 ? ", " : "", members[k]->name());
  }
  return text;
}

}  // namespace

bool FusionRecorder::HasRoom() const {
  return count_ < kMaxSteps && instructions_ < kMaxInstructions;
}

std::shared_ptr<const Module> FusionRecorder::Picture(
    absl::Span<const Instruction* const> members) {
  std::shared_ptr<const Module> picture = StepPicture(members);
  if (picture == nullptr) return nullptr;
  for (const auto& computation : picture->computations()) {
    instructions_ += computation->instruction_count();
  }
  return picture;
}

FusionStep* FusionRecorder::Add(const Instruction& place) {
  auto& steps = steps_[std::string(place.parent()->name())];
  steps.emplace_back();
  ++count_;
  return &steps.back();
}

void FusionRecorder::BeforeFusing(
    absl::string_view pass, absl::Span<const Instruction* const> members) {
  open_ = nullptr;
  if (members.empty()) return;
  if (!HasRoom()) {
    ++left_out_;
    return;
  }
  open_ = Add(*members.back());
  open_->text = absl::StrCat(pass, ": ", NamesOf(members), " into ",
                             members.back()->name());
  open_->before = Picture(members);
  open_->focus = std::string(members.back()->name());
}

void FusionRecorder::Fused(const Instruction& fusion) {
  if (open_ == nullptr) return;
  open_->after = Picture({&fusion});
  open_->after_focus = std::string(fusion.name());
  absl::StrAppend(&open_->text, ": ", fusion.name());
  open_ = nullptr;
}

void FusionRecorder::NotFused(absl::string_view pass,
                              const Instruction& producer,
                              const Instruction& consumer,
                              absl::string_view why) {
  if (!HasRoom()) {
    ++left_out_;
    return;
  }
  FusionStep* step = Add(producer);
  step->text = absl::StrCat(pass, ": ", producer.name(), " stays out of ",
                            consumer.name(), ": ", why);
  step->before = Picture({&producer, &consumer});
  step->focus = std::string(producer.name());
}

}  // namespace hlokit
