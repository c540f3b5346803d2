// Comparison of two runs' outputs, and checksums of what they say: see the header.
#include "overlay/identity/identity.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 3> kTimeLines{"PRESENT TIME", "TOTAL TIME USED", "TIME PER EVENT"};

/// Compares two files, compressed ones by what was compressed.
FileIdentity compare_contents(const std::string& name, const fs::path& a, const fs::path& b,
                              const fs::path& scratch, const Dates& dates_a, const Dates& dates_b) {
  std::optional<FileContent> first;
  FileIdentity file;
  try {
    first.emplace(a, name, scratch);
    const FileContent second(b, name, scratch);
    file = compare_bytes(name, first->bytes(), second.bytes(), dates_a, dates_b);
    if (!first->unpacked_by().empty())
      file.normalised.push_back(fmt::format("compared as unpacked by {}", first->unpacked_by()));
    if (file.kind == "root" && !file.equal && file.bytes_patched > 0) {
      file.compared = false;
      file.reason = fmt::format(
          "{} is a file of ROOT, which holds the time of its run at places that are not known", name);
    }
  } catch (const support::Error& problem) {  // one cannot be unpacked
    file = compare_bytes(name, FileContent(a).bytes(), FileContent(b).bytes());
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
    const FileContent content(log->second);
    for (const std::string& name : outputs_named(content.bytes()))
      if (!is_written(name, files))
        return fmt::format("the log says that {} is written, and it is not there", name);
  }
  const auto holds = [](const auto& file) { return file.first != "log" && fs::file_size(file.second) > 0; };
  if (std::any_of(files.begin(), files.end(), holds)) return {};
  return "the runs left no output but their log; give PAROUT T, or TELESCOPE and TELFIL";
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
    if (!names_telescope_output(line)) text.append(line).append("\n");
    payload.remove_prefix(length);
  }
  return text;
}

/// A line without digits and blanks: fields of times shift with the number of digits.
std::string without_digits(std::string_view line) {
  std::string text;
  for (const char c : line)
    if ((c < '0' || c > '9') && c != ' ') text += c;
  return text;
}

/// A part of an output.
struct Part {
  std::string_view raw;
  std::string_view differs{};  ///< what may differ between two runs of the same showers; empty: nothing
  std::string normal{};        ///< then the part counts as this
};

std::vector<Part> lines_of_log(std::string_view log) {
  std::vector<Part> lines;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
    const std::string_view line = log.substr(0, end);
    lines.push_back(is_time_line(line) ? Part{line, "time line", without_digits(line)} : Part{line});
    log.remove_prefix(end);
  }
  return lines;
}

/// An output in parts: a log's lines; dates of the window, and what lies between them. `card`: copies of the
/// card are compared as they are; else TELFIL lines, whose length changes with the name of the output, do not
/// count.
std::vector<Part> parts_of(const std::string& name, std::string_view bytes, const Dates& dates, bool card) {
  if (kind_of(bytes, name) == "log") return lines_of_log(bytes);
  const FileBlocks blocks = blocks_of(bytes);
  std::map<std::uint64_t, Part> special;  // by offset
  for (const auto& [offset, header] : date_places(blocks))
    if (const int date = date_at(bytes, offset); date != 0 && date >= dates.first && date <= dates.second)
      special[offset] = {bytes.substr(offset, 4), header, std::string(4, '\0')};
  for (const BlockPlace& copy : card ? std::vector<BlockPlace>() : blocks.cards) {
    const std::string_view payload = bytes.substr(copy.payload, copy.end - copy.payload);
    std::optional<std::string> text;
    if (form_of(bytes) != FileForm::standin)
      text = lines_that_count(payload);
    else if (names_telescope_output(payload.substr(0, payload.find('\0'))))
      text = "";
    if (text) special[copy.begin] = {bytes.substr(copy.begin, copy.end - copy.begin), "card", *text};
  }
  std::vector<Part> parts;
  std::uint64_t at = 0;
  for (auto& [offset, part] : special) {
    if (offset < at) continue;
    parts.push_back({bytes.substr(at, offset - at)});
    at = offset + part.raw.size();
    parts.push_back(std::move(part));
  }
  parts.push_back({bytes.substr(at)});
  return parts;
}

/// Sets whether the contents are equal, where not, and what differs that may.
void compare_parts(FileIdentity& result, std::string_view a, std::string_view b, const Dates& dates_a,
                   const Dates& dates_b) {
  const std::vector<Part> parts_a = parts_of(result.name, a, dates_a, true),
                          parts_b = parts_of(result.name, b, dates_b, true);
  const bool log = result.kind == "log";
  std::map<std::string, std::uint64_t> allowed;
  for (std::size_t i = 0; i < std::max(parts_a.size(), parts_b.size()); ++i) {
    const Part x = i < parts_a.size() ? parts_a[i] : Part{}, y = i < parts_b.size() ? parts_b[i] : Part{};
    if (x.raw != y.raw) {
      if (x.differs.empty() || x.differs != y.differs || x.normal != y.normal) {
        const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
        result.first_difference = result.bytes - a.size() + static_cast<std::uint64_t>(at - a.begin());
        const bool longer = at == a.end() || other == b.end();
        result.reason = longer ? "one is longer" : log ? "lines differ" : "bytes differ";
        return;
      }
      ++allowed[log ? "time line"
                    : fmt::format("date in {} {:06d} / {:06d}", x.differs, date_at(x.raw, 0),
                                  date_at(y.raw, 0))];
    }
    a.remove_prefix(x.raw.size());
    b.remove_prefix(y.raw.size());
  }
  result.equal = true;
  for (const auto& [what, count] : allowed)
    result.normalised.push_back(log          ? fmt::format("{} {}{}", count, what, count == 1 ? "" : "s")
                                : count == 1 ? what
                                             : fmt::format("{} ({} times)", what, count));
}

}  // namespace

std::string kind_of(std::string_view bytes, const std::string& name) {
  if (const FileForm form = form_of(bytes); form != FileForm::other)
    return form == FileForm::particle ? "particle" : "telescope";
  return name == "log" ? "log" : bytes.starts_with("root") ? "root" : "other";
}

bool is_time_line(std::string_view line) {
  return std::any_of(kTimeLines.begin(), kTimeLines.end(),
                     [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
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
                           const Dates& dates_a, const Dates& dates_b) {
  FileIdentity result;
  result.name = name;
  result.kind = kind_of(a, name);
  result.bytes = a.size();
  result.bytes_patched = b.size();
  result.events = blocks_of(a).event_ends;
  compare_parts(result, a, b, dates_a, dates_b);
  return result;
}

std::string content_digest(const std::string& name, std::string_view bytes) {
  support::Checksum sum;
  for (const Part& part : parts_of(name, bytes, kAnyDate, false))
    sum.update(part.differs.empty() ? std::string_view(part.raw) : std::string_view(part.normal));
  return sum.hexadecimal();
}

Identity compare_folders(const fs::path& a, const fs::path& b, const Dates& dates_a, const Dates& dates_b) {
  Identity identity;
  const auto files_a = output_files(a), files_b = output_files(b);
  std::map<std::string, fs::path> either = files_a;
  either.insert(files_b.begin(), files_b.end());
  for (const auto& [name, path] : either) {
    const auto in_a = files_a.find(name), in_b = files_b.find(name);
    FileIdentity file;
    if (in_a == files_a.end() || in_b == files_b.end()) {
      const FileContent only(path);  // as it is
      file.name = name;
      file.kind = kind_of(only.bytes(), name);
      (in_a == files_a.end() ? file.bytes_patched : file.bytes) = only.size();
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
