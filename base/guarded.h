// Runs code that may fail other than by its Status: an internal check, memory.
#ifndef HLOKIT_BASE_GUARDED_H_
#define HLOKIT_BASE_GUARDED_H_

#include <exception>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/activity.h"
#include "base/memory_limit.h"
#include "base/status.h"

namespace hlokit {

// Returns body(), a Status or StatusOr. Meanwhile the thread's activity is
// "`verb` `object`" (activity.h). Memory that runs out becomes an OutOfMemory
// error, any other exception an Internal error that asks for a report, so that
// a tool can go on with its next input. What `body` was changing is then in an
// unknown state and must be discarded.
template <typename Body>
auto Guarded(absl::string_view verb, absl::string_view object, Body body)
    -> decltype(body()) {
  const Activity activity(verb, object);
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OutOfMemory(
        absl::StrCat("out of memory while ", verb, " ", object));
  } catch (const std::exception& error) {
    return Internal("internal error: %s; please report this with the module",
                    error.what());
  }
}

}  // namespace hlokit

#endif  // HLOKIT_BASE_GUARDED_H_
