// The result of a validation as validation.json and as a page. Computes only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "check.hpp"

namespace validation {

struct Done {
  Check check;
  Outcome outcome;
  double seconds = 0.;
  bool kept = false;  ///< from an earlier run's record
};

struct Result {
  std::vector<Done> done;
  std::string made;  ///< date and time, UTC
  bool full = false;
  std::string corsika;
  double seconds = 0.;
  std::vector<std::string> pictures;  ///< names of files beside the page
};

/// "holds", "fails" or "skipped".
const char* name_of(Verdict verdict);

/// validation.json: made, full, corsika, machine, seconds, holds, failed[], counts, groups[] {name, checks[]
/// {name, claim, verdict, said, seconds, kept, command, values[] {name, number, known}}}, pictures[].
std::string to_json(const Result& result);

/// The page, from the text of validation.json.
std::string to_page(const std::string& json);

/// Draws the pictures of validation.json into a folder. Returns the names of the files; none, with the reason
/// in `why`, where matplotlib is missing.
std::vector<std::string> draw_pictures(const std::filesystem::path& json, const std::filesystem::path& folder,
                                       std::string& why);

}  // namespace validation
