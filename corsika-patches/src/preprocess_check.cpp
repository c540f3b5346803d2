// Runs cpp on stock and patched files and compares. Writes empty headers in a temporary folder.
#include "corsika_patches/preprocess_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "corsika_patches/options.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string preprocess(const fs::path& file, const std::string& options, const fs::path& headers) {
  // From the file's own folder and by its bare name, so that both runs differ in nothing but the text.
  const auto command =
      fmt::format("cd {} && exec cpp -P -w {} -I. -I{} {} 2>/dev/null", quoted(file.parent_path().string()),
                  options, quoted(headers.string()), quoted(file.filename().string()));
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw support::Error("cannot run cpp; install a C preprocessor");
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), count);
  if (::pclose(pipe) != 0)
    throw support::Error(fmt::format("cpp {} failed on {}; check that cpp is installed and the file whole",
                                     options, file.string()));
  return out;
}

void compare(const fs::path& stock, const fs::path& patched, const std::string& options,
             const fs::path& headers) {
  const TextFile a(preprocess(stock, options, headers));
  const TextFile b(preprocess(patched, options, headers));
  if (a.bytes() == b.bytes()) return;
  int line = 0;
  while (line < a.line_count() && line < b.line_count() && a.raw_line(line) == b.raw_line(line)) ++line;
  throw support::Error(
      fmt::format("{}: with the macro off and cpp options '{}' it differs from stock in line {} of the "
                  "preprocessed text; "
                  "reverse and patch again",
                  patched.string(), options, line + 1));
}

}  // namespace

std::set<std::set<std::string>> guard_combinations(const FixedFormSource& source,
                                                   const std::vector<Block>& blocks) {
  constexpr std::size_t most_lines_of_a_site =
      12;  // replaced routines are longer, and get all their combinations
  std::set<std::string> all;
  std::set<std::set<std::string>> groups;
  std::vector<std::set<std::string>> around_each;
  for (const auto& block : blocks) {
    std::set<std::string> macros;
    for (const auto& branch : source.branches()) {
      if (branch.group < 0) continue;
      const auto& group = source.groups()[static_cast<std::size_t>(branch.group)];
      const bool around = group.open < block.first && group.close > block.last;
      const bool inside = group.open >= block.first && group.open <= block.last;
      if (!around && !inside) continue;
      for (const auto& name : macros_of(branch.condition)) macros.insert(name);
    }
    around_each.push_back(macros);
    all.insert(macros.begin(), macros.end());
    if (block.last - block.first >= static_cast<int>(most_lines_of_a_site)) groups.insert(std::move(macros));
  }
  // What stands around every block (HAVE_CONFIG_H) is set in all combinations but the empty one.
  std::set<std::string> always = all;
  for (const auto& macros : around_each)
    std::erase_if(always, [&](const auto& name) { return !macros.contains(name); });
  std::set<std::set<std::string>> out = {{}, always};
  const auto add = [&](std::set<std::string> some) {
    some.insert(always.begin(), always.end());
    out.insert(std::move(some));
  };
  for (const auto& name : all) add({name});
  for (const auto& group : groups) {
    std::vector<std::string> names;
    for (const auto& name : group)
      if (!always.contains(name)) names.push_back(name);
    for (unsigned bits = 0; names.size() <= 6 && bits < (1U << names.size()); ++bits) {
      std::set<std::string> some;
      for (std::size_t i = 0; i < names.size(); ++i)
        if ((bits >> i & 1U) != 0) some.insert(names[i]);
      add(std::move(some));
    }
    add(group);
  }
  add(all);
  return out;
}

int compare_preprocessed(const fs::path& stock, const fs::path& patched, const FixedFormSource& source,
                         const std::vector<Block>& blocks) {
  const support::TemporaryFolder headers("corsika-patch");
  std::error_code code;
  for (const auto& d : source.directives()) {
    if (d.keyword != "include" || d.rest.size() < 3 || d.rest.front() != '"') continue;
    const auto name = d.rest.substr(1, d.rest.rfind('"') - 1);
    if (fs::exists(stock.parent_path() / name, code) || name.find('/') != std::string::npos) continue;
    headers.write(name, "");
  }
  const auto combinations = guard_combinations(source, blocks);
  const std::vector<std::set<std::string>> list(combinations.begin(), combinations.end());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < list.size(); i = next++) {
      std::string options = "-traditional-cpp";  // as CORSIKA's own build does
      for (const auto& name : list[i]) options += " -D" + name + "=1";
      compare(stock, patched, options, headers.path());
    }
  };
  std::vector<std::future<void>> workers;
  for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k)
    workers.push_back(std::async(std::launch::async, work));
  for (auto& worker : workers) worker.wait();
  for (auto& worker : workers) worker.get();
  std::string all_options = "-std=gnu17";
  for (const auto& name : *std::max_element(list.begin(), list.end(),
                                            [](const auto&a, const auto&b) { return a.size() < b.size(); }))
    all_options += " -D" + name + "=1";
  compare(stock, patched, all_options, headers.path());
  return static_cast<int>(combinations.size());
}

}  // namespace corsika_patches
