// NumPy's files: one array (.npy) or several (.npz), read and written.
//
// Element types that NumPy lacks are stored as bits: bf16 as uint16, the 8-, 6-
// and 4-bit floats as uint8, s4/s2/s1 as int8 and u4/u2/u1 as uint8 values. On
// reading, unsigned integers or raw bytes ("V2") of the right width are taken
// for such a type when that is what is wanted.
//
// Specification: numpy.lib.format, versions 1.0 to 3.0.
#ifndef HLOKIT_REPLAY_NPY_H_
#define HLOKIT_REPLAY_NPY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/literal.h"

namespace hlokit {

// An array as the file has it; `data` points into the file's bytes.
struct NpyArray {
  char kind = 0;       // b, i, u, f, c, V
  int64_t width = 0;   // bytes of one element
  bool fortran_order = false;
  DimensionVector dimensions;
  absl::string_view data;
};

absl::StatusOr<NpyArray> ParseNpy(absl::string_view bytes);

// The array as a literal of the wanted type; its dimensions must be the same.
absl::StatusOr<Literal> NpyToLiteral(const NpyArray& array,
                                     const Shape& wanted);
// The array as a literal of the type it says; raw bytes are an error.
absl::StatusOr<Literal> NpyToLiteral(const NpyArray& array);

// Array literals only; row-major.
absl::StatusOr<std::string> LiteralToNpy(const Literal& literal);

// The members of a .npz file, names without ".npy", in file order.
using NpzMembers = std::vector<std::pair<std::string, std::string>>;
absl::StatusOr<NpzMembers> ReadNpz(absl::string_view bytes,
                                   int64_t max_bytes = int64_t{1} << 36);
// Uncompressed, as numpy.savez writes.
absl::StatusOr<std::string> WriteNpz(const NpzMembers& members);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_NPY_H_
