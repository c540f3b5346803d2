// Outputs that do not stay in the run folder: see the header.
#include "overlay/card/output_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "overlay/card/card.hpp"
#include "overlay/card/telescope_output.hpp"

namespace overlay {
namespace {

bool leads_out(const std::string& name) {
  const auto path = std::filesystem::path(name).lexically_normal();
  return path.is_absolute() || (!path.empty() && *path.begin() == "..");
}

/// Whether the program writes where DIRECT says: without PAROUT, tables and light on a grid it need not.
bool uses_direct(const Card& card, bool compact, bool grid) {
  const auto is_on = [&](const char* keyword, int word, bool otherwise) {
    const std::string* rest = card.last(keyword);
    return rest == nullptr ? otherwise : card_logical(card_word(*rest, word), otherwise);
  };
  return grid || is_on("PAROUT", 1, true) || is_on("PAROUT", 2, false) || is_on("DATBAS", 1, false) ||
         (is_on("LONGI", 1, false) && (compact || is_on("LONGI", 4, false)));
}

std::string writes_outside(const char* keyword, const std::string& name, const char* give) {
  return fmt::format(
      "the card writes outside of the run folder ({} {}), where runs would meet; give a relative name, as {}",
      keyword, name, give);
}

}  // namespace

std::string outputs_elsewhere(const std::string& text, const std::vector<std::string>& options) {
  const Card card(text);
  const std::string* direct = card.last("DIRECT");
  const std::string prefix = direct == nullptr ? std::string() : card_word(*direct, 1);
  const auto has = [&](const char* option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  // CORSIKA itself refuses /dev/null, and says what to do.
  if (leads_out(prefix) && !prefix.starts_with("/dev/null") &&
      uses_direct(card, has("COMPACT"), has("CERENKOV") && !has("IACT")))
    return writes_outside("DIRECT", prefix, "DIRECT ./");
  if (!has("IACT") || !card.has("TELESCOPE")) return {};
  const std::string telescope = telescope_output(card);
  if (telescope[0] == '|') return {};
  if (telescope.starts_with("/dev/"))
    return fmt::format("the card's light is not kept (TELFIL {}); give TELFIL the name of a file", telescope);
  // A name with variables that the program alone knows is taken to stay.
  const std::string name = with_variables(telescope, card).value_or("");
  return leads_out(name) ? writes_outside("TELFIL", name, "TELFIL telescope.dat") : std::string();
}

}  // namespace overlay
