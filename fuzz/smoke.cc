// Runs fuzz targets for a while without libFuzzer: seeds as they are, then
// mutations of them. The inputs follow from the seed number alone.
//
//   fuzz_smoke TARGET [--seconds=N] [--runs=N] [--seed=N] [--keep-going]
//       [FILE...]
//
// With FILEs it runs just these. A crash leaves its input in crash-TARGET and
// ends the run; with --keep-going the run goes on in a new process, and the
// inputs are in crash-TARGET-NUMBER.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "fuzz/module_mutator.h"
#include "fuzz/seeds.h"
#include "fuzz/target.h"

namespace hlokit::fuzz {
namespace {

const TargetInfo kTargets[] = {
#define FUZZ_TARGET(Function, name, seeds) {name, Function, seeds},
#include "fuzz/targets.def"
};

const TargetInfo* g_target = nullptr;
const std::string* g_input = nullptr;
int64_t* g_runs = nullptr;  // begun so far, shared by all processes
bool g_keep_going = false;

// Writes the input that was being run, then dies the same way.
void OnCrash(int signal) {
  std::signal(signal, SIG_DFL);
  if (g_input != nullptr) {
    char name[64];
    if (g_keep_going) {
      std::snprintf(name, sizeof(name), "crash-%s-%lld", g_target->name,
                    static_cast<long long>(*g_runs));
    } else {
      std::snprintf(name, sizeof(name), "crash-%s", g_target->name);
    }
    if (std::FILE* file = std::fopen(name, "wb")) {
      std::fwrite(g_input->data(), 1, g_input->size(), file);
      std::fclose(file);
      std::fprintf(stderr, "%s: input of %zu bytes is in %s\n",
                   signal == SIGALRM ? "hang" : "crash", g_input->size(), name);
    }
  }
  std::raise(signal == SIGALRM ? SIGABRT : signal);
}

void RunOne(const std::string& input) {
  ++*g_runs;
  g_input = &input;
  alarm(20);
  g_target->run(input);
  alarm(0);
  g_input = nullptr;
}

// Flips, drops, repeats, and splices pieces; numbers become extreme ones.
class Mutator {
 public:
  Mutator(const std::vector<std::string>& seeds, uint64_t seed)
      : seeds_(seeds), random_(seed) {}

  std::string Next() {
    std::string input = seeds_[Below(seeds_.size())];
    if (g_target->seeds == Seeds::kModule) {
      for (size_t n = 1 + Below(3); n > 0; --n) {
        input = MutateModule(input, random_());
      }
      return input;
    }
    for (size_t n = 1 + Below(4); n > 0; --n) Mutate(&input);
    return input;
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }

  void Mutate(std::string* s) {
    static constexpr const char* kNumbers[] = {
        "0", "-1", "1", "9223372036854775807", "-9223372036854775808",
        "18446744073709551616", "4294967296", "1e999", "nan", "2147483648"};
    const size_t at = Below(s->size() + 1);
    const size_t left = s->size() - at;
    const size_t length = std::min(left, 1 + Below(Below(2) ? 8 : 200));
    switch (Below(8)) {
      case 0:
        if (left > 0) (*s)[at] = static_cast<char>(random_());
        break;
      case 1:
        s->erase(at, length);
        break;
      case 2:
        s->insert(at, s->substr(at, length));
        break;
      case 3: {
        const std::string& other = seeds_[Below(seeds_.size())];
        const size_t from = Below(other.size() + 1);
        s->insert(at, other.substr(from, 1 + Below(100)));
        break;
      }
      case 4: {
        const size_t digit = s->find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        size_t end = digit;
        while (end < s->size() && std::isdigit(static_cast<unsigned char>((*s)[end]))) ++end;
        s->replace(digit, end - digit, kNumbers[Below(std::size(kNumbers))]);
        break;
      }
      case 5:
        s->insert(at, std::string(1 + Below(3000), "{([\"%,<"[Below(7)]));
        break;
      case 6:
        if (left > 0) (*s)[at] ^= static_cast<char>(1 << Below(8));
        break;
      case 7:
        s->resize(at);
        break;
    }
    if (s->size() > (1 << 16)) s->resize(1 << 16);
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_;
};

// Calls `run` in one child process after another, until one of them ends by
// itself. Returns how many did not.
template <typename Run>
int64_t KeepGoing(const Run& run) {
  for (int64_t crashes = 0;; ++crashes) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      run();
      std::fflush(nullptr);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return crashes + 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return crashes;
  }
}

int Main(int argc, char** argv) {
  double seconds = 5;
  int64_t most_runs = 400000;
  uint64_t seed = 1;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--seconds=")) {
      if (!absl::SimpleAtod(argument, &seconds)) return 2;
    } else if (absl::ConsumePrefix(&argument, "--runs=")) {
      if (!absl::SimpleAtoi(argument, &most_runs)) return 2;
    } else if (absl::ConsumePrefix(&argument, "--seed=")) {
      if (!absl::SimpleAtoi(argument, &seed)) return 2;
    } else if (argument == "--keep-going") {
      g_keep_going = true;
    } else if (g_target == nullptr) {
      for (const TargetInfo& t : kTargets) {
        if (argument == t.name) g_target = &t;
      }
      if (g_target == nullptr) break;
    } else {
      files.push_back(argv[i]);
    }
  }
  if (g_target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_smoke TARGET [--seconds=N] [--runs=N] [--seed=N]"
                         " [--keep-going] [FILE...]\ntargets:");
    for (const TargetInfo& t : kTargets) std::fprintf(stderr, " %s", t.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (const char* from = std::getenv("HLOKIT_FUZZ_SECONDS")) {
    if (!absl::SimpleAtod(from, &seconds)) return 2;
  }
  const std::vector<std::string> seeds = CollectSeeds(g_target->seeds);
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    std::signal(signal, OnCrash);
  }
  const rlimit memory = {rlim_t{6} << 30, rlim_t{6} << 30};
  setrlimit(RLIMIT_AS, &memory);
  g_runs = static_cast<int64_t*>(mmap(nullptr, sizeof(int64_t),
                                      PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (g_runs == MAP_FAILED) return 4;
  for (const std::string& file : files) {
    auto input = DiskFileSystem()->ReadFile(file);
    if (!input.ok()) return 3;
    RunOne(*input);
  }
  if (!files.empty()) return 0;
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(seconds);
  // Inputs that earlier processes have begun are made again but not run.
  const auto run = [&] {
    const int64_t begun = *g_runs;
    int64_t number = 0;
    for (const std::string& s : seeds) {
      if (number++ >= begun) RunOne(s);
    }
    Mutator mutator(seeds, seed);
    while (number < most_runs && std::chrono::steady_clock::now() < end) {
      const std::string input = mutator.Next();
      if (number++ >= begun) RunOne(input);
    }
  };
  int64_t crashes = 0;
  if (g_keep_going) {
    crashes = KeepGoing(run);
  } else {
    run();
  }
  std::printf("%s: %lld inputs from %zu seeds, seed number %llu\n",
              g_target->name, static_cast<long long>(*g_runs), seeds.size(),
              static_cast<unsigned long long>(seed));
  if (crashes > 0) {
    std::printf("%lld of them crashed\n", static_cast<long long>(crashes));
  }
  return crashes > 0 ? 1 : 0;
}

}  // namespace
}  // namespace hlokit::fuzz

int main(int argc, char** argv) { return hlokit::fuzz::Main(argc, argv); }
