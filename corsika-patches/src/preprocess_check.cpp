#include "corsika_patches/preprocess_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "corsika_patches/error.h"
#include "corsika_patches/statement_text.h"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

std::set<std::string> macros_of(const std::string& condition) {
  std::set<std::string> out;
  for (const auto& name : identifiers(condition))
    if (name != "defined") out.insert(name);
  return out;
}

/// A folder for stand-ins of headers that the tree does not hold; gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    auto pattern = (fs::temp_directory_path() / "corsika-patch-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("cannot make a folder in {}", fs::temp_directory_path().string());
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code code;
    fs::remove_all(path_, code);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string preprocess(const fs::path& file, const std::string& options, const fs::path& headers) {
  // From the file's own folder and by its bare name, so that both runs differ in nothing but the text.
  const auto command = fmt::format("cd {} && exec cpp -P -w {} -I. -I{} {} 2>/dev/null", quoted(file.parent_path().string()), options,
                                   quoted(headers.string()), quoted(file.filename().string()));
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error("cannot run cpp; install a C preprocessor");
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), count);
  if (::pclose(pipe) != 0) throw Error("cpp {} failed on {}; check that cpp is installed and the file whole", options, file.string());
  return out;
}

void compare(const fs::path& stock, const fs::path& patched, const std::string& options, const fs::path& headers) {
  const TextFile a(preprocess(stock, options, headers));
  const TextFile b(preprocess(patched, options, headers));
  if (a.bytes() == b.bytes()) return;
  int line = 0;
  while (line < a.line_count() && line < b.line_count() && a.raw_line(line) == b.raw_line(line)) ++line;
  throw Error("{}: with the flag off and cpp options '{}' it differs from stock in line {} of the preprocessed text; reverse and patch again",
              patched.string(), options, line + 1);
}

}  // namespace

std::set<std::set<std::string>> guard_combinations(const FixedFormSource& source, const std::vector<Block>& blocks) {
  std::set<std::set<std::string>> out = {{}};
  std::set<std::string> all;
  std::set<std::set<std::string>> groups;
  for (const auto& block : blocks) {
    std::set<std::string> macros;
    for (const auto& branch : source.branches()) {
      if (branch.group < 0) continue;
      const auto& group = source.groups()[static_cast<std::size_t>(branch.group)];
      const bool around = group.open < block.first && group.close > block.last;
      const bool inside = group.open >= block.first && group.open <= block.last;
      if (!around && !inside) continue;
      // Long #elif chains are covered by one macro at a time, through each branch's own blocks.
      if (around && branch.keyword == "elif" && branch.line > block.last) continue;
      for (const auto& name : macros_of(branch.condition)) macros.insert(name);
    }
    all.insert(macros.begin(), macros.end());
    groups.insert(std::move(macros));
  }
  for (const auto& group : groups) {
    const std::vector<std::string> names(group.begin(), group.end());
    if (names.size() <= 6) {
      for (unsigned bits = 0; bits < (1U << names.size()); ++bits) {
        std::set<std::string> some;
        for (std::size_t i = 0; i < names.size(); ++i)
          if ((bits >> i & 1U) != 0) some.insert(names[i]);
        out.insert(std::move(some));
      }
    } else {
      for (const auto& name : names) out.insert({name});
      out.insert(group);
    }
  }
  out.insert(all);
  return out;
}

int compare_preprocessed(const fs::path& stock, const fs::path& patched, const FixedFormSource& source,
                         const std::vector<Block>& blocks) {
  const ScratchFolder headers;
  std::error_code code;
  for (const auto& d : source.directives()) {
    if (d.keyword != "include" || d.rest.size() < 3 || d.rest.front() != '"') continue;
    const auto name = d.rest.substr(1, d.rest.rfind('"') - 1);
    if (fs::exists(stock.parent_path() / name, code) || name.find('/') != std::string::npos) continue;
    std::ofstream(headers.path() / name);
  }
  const auto combinations = guard_combinations(source, blocks);
  for (const auto& combination : combinations) {
    std::string options;
    for (const auto& name : combination) options += (options.empty() ? "-D" : " -D") + name + "=1";
    compare(stock, patched, options, headers.path());
  }
  compare(stock, patched, "-traditional-cpp", headers.path());
  return static_cast<int>(combinations.size());
}

}  // namespace corsika_patches
