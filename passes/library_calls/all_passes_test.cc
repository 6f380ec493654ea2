// Every pass of this folder is seen changing a module and leaving one alone.
#include "passes/test_util.h"

namespace hlokit {
namespace {

[[maybe_unused]] const bool asked =
    ExpectAllPassesTested("passes/library_calls/");

}  // namespace
}  // namespace hlokit
