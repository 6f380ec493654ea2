#include "hlo_opt/choose_module.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::vector<ModuleText> Pieces() {
  std::vector<ModuleText> pieces(4);
  pieces[0].name = "jit_f";
  pieces[1].name = "jit_g";
  pieces[1].banner = "module_0001.jit_g.before_optimizations.txt";
  pieces[2].name = "jit_f";
  pieces[3].name = "jit_step";
  return pieces;
}

size_t CountKept(absl::string_view wanted) {
  std::vector<ModuleText> pieces = Pieces();
  const absl::Status status = KeepWantedModules("f", wanted, &pieces);
  EXPECT_TRUE(status.ok()) << status;
  return pieces.size();
}

TEST(ChooseModuleTest, NamesBannersAndNumbersChoose) {
  EXPECT_EQ(CountKept(""), 4u);
  EXPECT_EQ(CountKept("jit_f"), 2u);
  EXPECT_EQ(CountKept("jit_f#2"), 1u);
  EXPECT_EQ(CountKept("jit_g"), 1u);
  EXPECT_EQ(CountKept("module_0001.jit_g.before_optimizations"), 1u);
  EXPECT_EQ(CountKept("module_0001.jit_g.before_optimizations.txt"), 1u);
}

TEST(ChooseModuleTest, WrongNamesAreToldWithTheNearest) {
  std::vector<ModuleText> pieces = Pieces();
  const absl::Status status = KeepWantedModules("f", "jit_stop", &pieces);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("f: no module is called 'jit_stop'; did you mean "
                        "'jit_step'"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(it holds: jit_f, module_0001.jit_g."
                        "before_optimizations.txt, jit_f#2, jit_step)"));
}

}  // namespace
}  // namespace hlokit
