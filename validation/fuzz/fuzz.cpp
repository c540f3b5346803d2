// A program of all fuzzing targets: `fuzz TARGET ...`. With OVERLAY_FUZZ libFuzzer runs the target, and takes
// the arguments behind its name. Else the program runs the target over the files of a folder, as a regression
// test; a broken property ends it by abort(), with the file's name on standard error.
#include "fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace fuzz {

void require(bool holds, std::string_view property, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken: %.*s\n", static_cast<int>(property.size()), property.data());
  if (!detail.empty()) std::fprintf(stderr, "%.*s\n", static_cast<int>(detail.size()), detail.data());
  std::abort();
}

std::uint64_t Input::number(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes && !rest_.empty(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_.front())) << (8 * i);
    rest_.remove_prefix(1);
  }
  return value;
}

std::string Input::take(std::size_t size) {
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(text.size());
  return text;
}

std::string Input::line() {
  std::string text = take(std::min(rest_.find('\n'), rest_.size()));
  take(1);
  return text;
}

const std::filesystem::path& scratch() {
  static const support::TemporaryFolder own("overlay-fuzz");
  return own.path();
}

std::filesystem::path scratch_file(const std::string& name, std::string_view bytes) {
  auto path = scratch() / name;
  std::ofstream out(path, std::ios::binary);
  require(static_cast<bool>(out << bytes << std::flush), "the scratch folder can be written", path.string());
  return path;
}

namespace {

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

/// The target that the first argument names; ends the program where there is none.
Target chosen(int argc, char** argv) {
  const auto found = targets().find(argc > 1 ? argv[1] : "");
  if (found != targets().end()) return found->second;
  std::fprintf(stderr, "fuzz: error: the first argument must be a target:");
  for (const auto& [name, target] : targets()) std::fprintf(stderr, " %s", name.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

Registered::Registered(const char* name, Target target) { targets()[name] = target; }

}  // namespace fuzz

#ifdef OVERLAY_FUZZ
static fuzz::Target target;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  target = fuzz::chosen(*argc, *argv);
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target(fuzz::Input({reinterpret_cast<const char*>(data), size}));
  return 0;
}
#else
int main(int argc, char** argv) {
  const fuzz::Target target = fuzz::chosen(argc, argv);
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argc > 2 ? argv[2] : ".")) {
    std::fprintf(stderr, "%s\n", entry.path().c_str());  // the last one named is the one that broke it
    target(fuzz::Input(support::read_file(entry.path())));
    ++inputs;
  }
  return inputs > 0 ? 0 : 1;
}
#endif
