#include "overlay/build/workplace.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <future>
#include <sstream>

#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// The folder above that of the running program, if it is an installation's, else `built`.
std::filesystem::path root(const char* built) {
  const auto above = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return std::filesystem::exists(above / "overlay/superbuild") ? above : built;
}

}  // namespace

std::filesystem::path source_root() { return root(OVERLAY_SOURCE_ROOT); }

std::filesystem::path build_root() { return root(OVERLAY_BUILD_ROOT); }

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::ranges::find(list, what) != list.end();
}

void message(const std::string& line) {
  fmt::print(stderr, "overlay: {}\n", line);
  std::fflush(stderr);
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
  std::string line;
  for (const auto& word : words) {
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> typed_words() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::string to_type(std::vector<std::string> words) {
  const auto typed = typed_words();
  words.insert(words.begin(), typed.empty() ? "overlay" : typed.front());
  return shell_line(words);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string telling_line(const std::string& text) {
  for (const char* sign : {"No space left on device", "Disk quota exceeded"})
    if (text.find(sign) != std::string::npos) return "no space left: free some, or give --out DIR elsewhere";
  std::size_t at = std::string::npos;
  for (const char* sign : {"Error:", "error:", "undefined reference", "Fatal Error", "cannot find"})
    if (at == std::string::npos) at = text.find(sign);
  if (at == std::string::npos) at = text.find_last_not_of(" \n");
  if (at == std::string::npos) return "it said nothing";
  const auto begin = text.rfind('\n', at) + 1;
  return text.substr(begin, std::min<std::size_t>(text.find('\n', at) - begin, 240));
}

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
  auto path = std::filesystem::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

void check_one_of(const char* option, const std::string& value, const std::vector<std::string>& known) {
  if (!contains(known, value))
    throw support::Error("{} cannot be '{}'; give {} or {}", option, value,
                         fmt::join(known.begin(), known.end() - 1, ", "), known.back());
}

void check_least(const char* option, double value, int least) {
  if (value < least) throw support::Error("{} cannot be {}; give {} or more", option, value, least);
}

void report_full_disk(const std::filesystem::path& out) {
  throw support::Error(
      "no space left in {}; free some (all builds of one profile take about 1 GB) or give --out DIR "
      "elsewhere",
      out.string());
}

void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < std::min(threads, count); ++i)
    others.push_back(std::async(std::launch::async, take));
  take();
  for (auto& other : others) other.get();
}

Workplace::Workplace(const std::filesystem::path& folder, const std::string& unfinished)
    : made_(folder), lock_(folder, [&](const std::string& who) {
        message(fmt::format("waiting for {}, which works in {}", who, folder.string()));
      }) {
  constexpr std::size_t kAdded = 7;  // "-abcdef"
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(unfinished + "-") && name.size() == unfinished.size() + kAdded &&
        !entry.is_symlink() && entry.is_directory())
      support::remove_folder(entry.path());
  }
}

}  // namespace overlay
