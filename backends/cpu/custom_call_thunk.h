// Custom-calls that a library of the user serves.
#ifndef HLOKIT_BACKENDS_CPU_CUSTOM_CALL_THUNK_H_
#define HLOKIT_BACKENDS_CPU_CUSTOM_CALL_THUNK_H_

#include <string>

#include "backends/cpu/thunk.h"
#include "backends/custom_call/call_site.h"

namespace hlokit::cpu {

// The handler works on the arrays where they lie.
class CustomCallThunk : public Thunk {
 public:
  // The site must outlive the thunk.
  explicit CustomCallThunk(const custom_call::CustomCallSite* site)
      : Thunk(&site->call()), site_(site) {}
  absl::Status Execute(Execution& execution) const override;
  absl::string_view kind() const override { return "custom-call"; }
  std::string detail() const override;
  // It may have a memory of its own.
  bool checkable() const override { return false; }

 private:
  const custom_call::CustomCallSite* site_;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_CUSTOM_CALL_THUNK_H_
