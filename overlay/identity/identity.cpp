// Comparison of two runs' outputs, and checksums of what they say: see the header.
#include "overlay/identity/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 3> kTimeLines{"PRESENT TIME", "TOTAL TIME USED", "TIME PER EVENT"};

/// First offset at which two ranges differ; the length of the shorter one where it is a prefix of the other.
std::uint64_t mismatch(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  constexpr std::size_t step = 1 << 16;
  for (std::size_t at = 0; at < common; at += step) {
    const std::size_t n = std::min(step, common - at);
    if (std::memcmp(a.data() + at, b.data() + at, n) == 0) continue;
    while (a[at] == b[at]) ++at;
    return at;
  }
  return common;
}

void set_difference(FileIdentity& result, std::uint64_t offset, const std::string& why) {
  result.first_difference = offset;
  result.reason = why;
}

void compare_blocks(FileIdentity& result, std::string_view a, std::string_view b, const FileBlocks& blocks,
                    const DateWindow& dates_a, const DateWindow& dates_b) {
  std::map<std::string, std::uint64_t> allowed;
  std::uint64_t from = 0;
  const auto equal_up_to = [&](std::uint64_t to) {
    const std::uint64_t at = from + mismatch(a.substr(from, to - from), b.substr(from, to - from));
    if (at < to) set_difference(result, at, "bytes differ");
    return at >= to;
  };
  for (const DateWord& word : blocks.dates) {
    if (word.offset < from || word.offset + 4 > std::min(a.size(), b.size())) continue;
    if (std::memcmp(a.data() + word.offset, b.data() + word.offset, 4) == 0) continue;
    const int date_a = date_at(a, word.offset), date_b = date_at(b, word.offset);
    const bool in_windows = date_a != 0 && date_b != 0 && date_a >= dates_a.first && date_a <= dates_a.last &&
                            date_b >= dates_b.first && date_b <= dates_b.last;
    if (!in_windows) continue;  // then it is a difference like any other
    if (!equal_up_to(word.offset)) return;
    from = word.offset + 4;
    ++allowed[fmt::format("date in {} {:06d} / {:06d}", word.block, date_a, date_b)];
  }
  const std::uint64_t common = std::min(a.size(), b.size());
  if (!equal_up_to(common)) return;
  if (a.size() != b.size()) {
    set_difference(result, common, "one is longer");
    return;
  }
  result.equal = true;
  for (const auto& [what, count] : allowed)
    result.normalised.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
}

/// The line that begins at `at`, with its end.
std::string_view line_at(std::string_view text, std::uint64_t at) {
  const std::size_t end = text.find('\n', at);
  return text.substr(at, end == std::string_view::npos ? end : end - at + 1);
}

void compare_log(FileIdentity& result, std::string_view a, std::string_view b) {
  std::uint64_t at_a = 0, at_b = 0, times = 0;
  while (at_a < a.size() || at_b < b.size()) {
    if (at_a >= a.size() || at_b >= b.size()) {
      set_difference(result, std::min<std::uint64_t>(at_a, a.size()), "one is longer");
      return;
    }
    const std::string_view line_a = line_at(a, at_a), line_b = line_at(b, at_b);
    if (line_a != line_b) {
      if (!is_time_line(line_a) || !is_time_line(line_b) ||
          without_digits(line_a) != without_digits(line_b)) {
        set_difference(result, at_a + mismatch(line_a, line_b), "lines differ");
        return;
      }
      ++times;
    }
    at_a += line_a.size();
    at_b += line_b.size();
  }
  result.equal = true;
  if (times > 0) result.normalised.push_back(fmt::format("{} time line{}", times, times == 1 ? "" : "s"));
}

/// Compares two files, compressed ones by what was compressed.
FileIdentity compare_contents(const std::string& name, const fs::path& a, const fs::path& b,
                              const fs::path& scratch, const DateWindow& dates_a, const DateWindow& dates_b) {
  std::optional<FileContent> first;
  FileIdentity file;
  try {
    first.emplace(a, name, scratch);
    const FileContent second(b, name, scratch);
    file = compare_bytes(name, first->bytes(), second.bytes(), dates_a, dates_b);
    if (!first->unpacked_by().empty())
      file.normalised.push_back(fmt::format("compared as unpacked by {}", first->unpacked_by()));
    if (file.kind == FileKind::root && !file.equal && file.other_bytes > 0) {
      file.compared = false;
      file.reason = fmt::format(
          "{} is a file of ROOT, which holds the time of its run at places that are not known", name);
    }
  } catch (const support::Error& problem) {  // one cannot be unpacked
    file = compare_bytes(name, MappedFile(a).bytes(), MappedFile(b).bytes());
    if (file.equal) return file;
    file.compared = first.has_value();  // without the program that unpacks, nobody knows
    file.first_difference.reset();
    file.reason = problem.what();
  }
  return file;
}

/// Events that end in each file with events; nullopt where there is none, or they hold different numbers.
std::optional<std::uint64_t> counted_events(const std::vector<FileIdentity>& files) {
  std::optional<std::uint64_t> events;
  for (const FileIdentity& file : files) {
    if (file.events == 0) continue;
    if (events && *events != file.events) return std::nullopt;
    events = file.events;
  }
  return events;
}

/// Why files that are the same are not all that the runs had to write; empty where nothing is missing.
std::string why_not_all(const std::map<std::string, fs::path>& files) {
  const auto log = files.find("log");
  if (log != files.end()) {
    const MappedFile content(log->second);
    for (const std::string& name : outputs_named(content.bytes()))
      if (!is_written(name, files))
        return fmt::format("the log says that {} is written, and it is not there", name);
  }
  const auto holds = [](const auto& file) { return file.first != "log" && fs::file_size(file.second) > 0; };
  if (std::any_of(files.begin(), files.end(), holds)) return {};
  return "the runs left no output but their log; give PAROUT T, or TELESCOPE and TELFIL";
}

/// A part of the file that counts as other bytes: `instead`.
struct Replaced {
  std::uint64_t begin = 0, end = 0;
  std::string instead;
};

void add_ranges(support::Sha256& sum, std::string_view bytes, const std::vector<Replaced>& replaced) {
  std::uint64_t at = 0;
  for (const Replaced& part : replaced) {
    if (part.begin < at || part.end > bytes.size()) continue;
    sum.update(bytes.data() + at, part.begin - at);
    sum.update(part.instead.data(), part.instead.size());
    at = part.end;
  }
  sum.update(bytes.data() + at, bytes.size() - at);
}

bool names_output(std::string_view line) {
  const Card card(line);
  if (card.lines().size() != 1) return false;
  const CardLine& entry = card.lines().front();
  return entry.keyword == "TELFIL" ||
         (entry.keyword == "IACT" && upper_case(card_word(entry.rest, 1)) == "TELFIL");
}

/// The lines of an eventio object of the card: a count of 4 bytes, and each line behind its length of 2
/// bytes. Nothing where it is not of that form.
std::optional<std::string> lines_that_count(std::string_view payload) {
  std::uint32_t count = 0;
  if (payload.size() < 4) return std::nullopt;
  std::memcpy(&count, payload.data(), 4);
  payload.remove_prefix(4);
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint16_t length = 0;
    if (payload.size() < 2) return std::nullopt;
    std::memcpy(&length, payload.data(), 2);
    payload.remove_prefix(2);
    if (payload.size() < length) return std::nullopt;
    const std::string_view line = payload.substr(0, length);
    if (!names_output(line)) text.append(line).append("\n");
    payload.remove_prefix(length);
  }
  return text;
}

/// Dates, and copies of the card, whose length changes with the name of the output; by rising offset.
std::vector<Replaced> replaced_parts(std::string_view bytes) {
  const FileBlocks blocks = blocks_of(bytes);
  std::vector<Replaced> parts;
  for (const CardCopy& copy : blocks.cards) {
    const std::string_view payload = bytes.substr(copy.payload, copy.end - copy.payload);
    if (form_of(bytes) == FileForm::standin) {
      if (names_output(payload.substr(0, payload.find('\0')))) parts.push_back({copy.begin, copy.end, ""});
    } else if (auto text = lines_that_count(payload)) {
      parts.push_back({copy.begin, copy.end, std::move(*text)});
    }
  }
  for (const DateWord& word : blocks.dates)
    if (date_at(bytes, word.offset) != 0)
      parts.push_back({word.offset, word.offset + 4, std::string(4, '\0')});
  std::ranges::sort(parts, {}, &Replaced::begin);
  return parts;
}

void add_log(support::Sha256& sum, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view line = line_at(bytes, at);
    const std::string counted = is_time_line(line) ? without_digits(line) : std::string(line);
    sum.update(counted.data(), counted.size());
    at += line.size();
  }
}

}  // namespace

const char* kind_name(FileKind kind) {
  constexpr const char* kNames[] = {"particle", "telescope", "log", "root", "other"};
  return kNames[static_cast<int>(kind)];
}

FileKind kind_of(std::string_view bytes, const std::string& name) {
  if (const FileForm form = form_of(bytes); form != FileForm::other)
    return form == FileForm::particle ? FileKind::particle : FileKind::telescope;
  if (name == "log") return FileKind::log;
  if (bytes.starts_with("root")) return FileKind::root;
  return FileKind::other;
}

bool is_time_line(std::string_view line) {
  return std::any_of(kTimeLines.begin(), kTimeLines.end(),
                     [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
}

std::string without_digits(std::string_view line) {
  std::string text;
  for (const char c : line)
    if ((c < '0' || c > '9') && c != ' ') text += c;
  return text;
}

std::string why_not_whole(std::string_view bytes, long showers) {
  if (form_of(bytes) == FileForm::other) return {};
  const FileBlocks blocks = blocks_of(bytes);
  const auto wanted = static_cast<std::uint64_t>(showers);
  if (blocks.walked != bytes.size())
    return fmt::format("is not whole: its blocks end at byte {} of {}", blocks.walked, bytes.size());
  if (blocks.event_headers != wanted || blocks.event_ends != wanted)
    return fmt::format("holds {} event headers and {} event ends; the card asks for {} showers",
                       blocks.event_headers, blocks.event_ends, showers);
  if (blocks.run_headers == 0 || blocks.run_ends == 0)
    return fmt::format("holds no run {}", blocks.run_headers == 0 ? "header" : "end");
  if (blocks.events_without_light > 0)
    return fmt::format("holds {} events without a block of light", blocks.events_without_light);
  return {};
}

FileIdentity compare_bytes(const std::string& name, std::string_view a, std::string_view b,
                           const DateWindow& dates_a, const DateWindow& dates_b) {
  FileIdentity result;
  result.name = name;
  result.kind = kind_of(a, name);
  result.bytes = a.size();
  result.other_bytes = b.size();
  const FileBlocks blocks = blocks_of(a);
  result.events = blocks.event_ends;
  if (result.kind == FileKind::log)
    compare_log(result, a, b);
  else
    compare_blocks(result, a, b, blocks, dates_a, dates_b);
  return result;
}

std::string content_digest(const std::string& name, std::string_view bytes) {
  support::Sha256 sum;
  if (kind_of(bytes, name) == FileKind::log)
    add_log(sum, bytes);
  else
    add_ranges(sum, bytes, replaced_parts(bytes));
  return sum.hexadecimal();
}

Identity compare_folders(const fs::path& a, const fs::path& b, const DateWindow& dates_a,
                         const DateWindow& dates_b) {
  Identity identity;
  const auto files_a = output_files(a), files_b = output_files(b);
  std::map<std::string, fs::path> either = files_a;
  either.insert(files_b.begin(), files_b.end());
  for (const auto& [name, path] : either) {
    const auto in_a = files_a.find(name), in_b = files_b.find(name);
    FileIdentity file;
    if (in_a == files_a.end() || in_b == files_b.end()) {
      const MappedFile only(path);  // as it is
      file.name = name;
      file.kind = kind_of(only.bytes(), name);
      (in_a == files_a.end() ? file.other_bytes : file.bytes) = only.size();
      file.reason = in_a == files_a.end() ? "missing in the first run" : "missing in the second run";
    } else {
      file = compare_contents(name, in_a->second, in_b->second, a.parent_path(), dates_a, dates_b);
    }
    if (!file.compared)
      identity.could_not_compare = file.reason;
    else if (!file.equal)
      identity.reasons.push_back(fmt::format("{}: {}", name, file.reason));
    identity.files.push_back(std::move(file));
  }
  identity.events = counted_events(identity.files);
  if (identity.could_not_compare.empty()) identity.could_not_compare = why_not_all(either);
  if (!identity.reasons.empty()) identity.could_not_compare.clear();
  identity.identical = identity.reasons.empty() && identity.could_not_compare.empty();
  return identity;
}

}  // namespace overlay
