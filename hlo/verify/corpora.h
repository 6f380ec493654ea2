// For tests of this folder: what is wrong in the optional corpora.
#ifndef HLOKIT_HLO_VERIFY_CORPORA_H_
#define HLOKIT_HLO_VERIFY_CORPORA_H_

#include <string>

namespace hlokit {

// Upstream modules that XLA reads although their types are wrong: inputs of
// tests of the text format and of translators that no verifier of it ever saw.
bool IsUnsoundUpstream(const std::string& file);

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_CORPORA_H_
