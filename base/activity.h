// Names what a thread is doing, for failures that reach no Status: memory that
// runs out and failed internal checks.
#ifndef HLOKIT_BASE_ACTIVITY_H_
#define HLOKIT_BASE_ACTIVITY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// Says for the length of a scope that the current thread is doing `verb` to
// `object`, e.g. "reading" and "a.hlo", or "running pass" and "dce". Both must
// outlive the scope. Costs two stores, so inner loops may have one per step.
// Scopes nest and must end in reverse order, as local variables do.
class Activity {
 public:
  explicit Activity(absl::string_view verb, absl::string_view object = {});
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  // Names another object from now on, such as the instruction that a pass has
  // come to.
  void set_object(absl::string_view object) { object_ = object; }

  // Describes the thread's activities, the innermost first: "running pass dce,
  // reading a.hlo". Empty when there are none. Writes at most `size` bytes with
  // a zero byte at the end, and allocates nothing.
  static void Describe(char* buffer, size_t size);
  static std::string Describe();

  // Lends the activities of one thread to another that works for it, for the
  // length of a scope. The lender must not leave its own scopes meanwhile.
  class Lent {
   public:
    explicit Lent(const Activity* innermost);
    ~Lent();
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

   private:
    const Activity* const own_;
  };
  // Returns the current thread's innermost activity, to lend it.
  static const Activity* Innermost();

 private:
  const absl::string_view verb_;
  absl::string_view object_;
  const Activity* const outer_;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_ACTIVITY_H_
