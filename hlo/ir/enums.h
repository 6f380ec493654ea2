// C++ names for the values of enum attributes; the numbers are those of
// enums.def (and of the proto enums where the proto stores numbers).
#ifndef HLOKIT_HLO_IR_ENUMS_H_
#define HLOKIT_HLO_IR_ENUMS_H_

#include <cstdint>

namespace hlokit {

enum class ComparisonDirection : int64_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : int64_t {
  kFloat, kFloatTotalOrder, kSigned, kUnsigned
};
enum class FusionKind : int64_t { kLoop, kInput, kOutput, kCustom };
enum class FftType : int64_t { kFft, kIfft, kRfft, kIrfft };
enum class TransposeA : int64_t {
  kInvalid, kNoTranspose, kTranspose, kAdjoint
};
enum class RandomDistribution : int64_t { kInvalid, kUniform, kNormal };
enum class RandomAlgorithm : int64_t { kDefault, kThreeFry, kPhilox };
enum class TriState : int64_t { kUnspecified, kTrue, kFalse };
enum class CustomCallApiVersion : int64_t {
  kUnspecified, kOriginal, kStatusReturning, kStatusReturningUnified, kTypedFfi
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_ENUMS_H_
