// Which lines of source an instruction comes from.
#ifndef HLOKIT_GRAPH_RENDER_SOURCE_TEXT_H_
#define HLOKIT_GRAPH_RENDER_SOURCE_TEXT_H_

#include <string>
#include <vector>

#include "hlo/ir/instruction.h"

namespace hlokit {

// "model.py:12": of the metadata itself, or else the innermost frame of its
// call stack; "" when nothing is known.
std::string SourceText(const Instruction& instruction);

// "model.py:12 step", the innermost frame first. Frames that lead nowhere, or
// in a circle, end the list.
std::vector<std::string> StackFrameTexts(const Instruction& instruction);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_SOURCE_TEXT_H_
