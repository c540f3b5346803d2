// What is read of a user's tree beside its sources: the selected options, the release. The
// input's first byte says which file the rest is.
#include "corsika_patches/release.h"
#include "fuzz.hpp"
#include "overlay/build/coconut.hpp"

namespace fuzz::tree_files {
namespace {

void release(const char* name, const std::string& text) {
  for (const char* each : {"configure.ac", "VERSION", "src/corsika.F"})
    std::filesystem::remove(fuzz::folder() / each);
  std::filesystem::create_directories(fuzz::folder() / "src");
  fuzz::file(name, text);
  std::string found;
  if (fuzz::refusal([&] { found = corsika_patches::read_release(fuzz::folder()); })) return;
  fuzz::require(found.empty() || (found >= "7.4" && found < "7.9"),
                "a release that is taken is one from 7.4 to 7.8", found);
}

}  // namespace

FUZZ_TARGET(tree_files) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'o':
      std::filesystem::create_directories(fuzz::folder() / "include");
      fuzz::file("include/config.h", text);
      for (const auto& option : overlay::selected_options(fuzz::folder()))
        fuzz::require(!option.empty(), "a selected option has a name");
      return;
    case 'a':
      return release("configure.ac", text);
    case 'v':
      return release("VERSION", text);
    default:
      return release("src/corsika.F", text);
  }
}

}  // namespace fuzz::tree_files
