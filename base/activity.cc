#include "base/activity.h"

#include <algorithm>
#include <cstring>

namespace hlokit {
namespace {

thread_local const Activity* innermost = nullptr;

}  // namespace

Activity::Activity(absl::string_view verb, absl::string_view object)
    : verb_(verb), object_(object), outer_(innermost) {
  innermost = this;
}

Activity::~Activity() { innermost = outer_; }

const Activity* Activity::Innermost() { return innermost; }

Activity::Lent::Lent(const Activity* lent) : own_(innermost) {
  innermost = lent;
}

Activity::Lent::~Lent() { innermost = own_; }

void Activity::Describe(char* buffer, size_t size) {
  size_t used = 0;
  auto append = [&](absl::string_view text) {
    const size_t count = std::min(text.size(), size - 1 - used);
    std::memcpy(buffer + used, text.data(), count);
    used += count;
  };
  for (const Activity* a = innermost; a != nullptr; a = a->outer_) {
    if (a != innermost) append(", ");
    append(a->verb_);
    if (a->object_.empty()) continue;
    append(" ");
    append(a->object_);
  }
  buffer[used] = '\0';
}

std::string Activity::Describe() {
  char buffer[512];
  Describe(buffer, sizeof(buffer));
  return buffer;
}

}  // namespace hlokit
