// What a run must write, by its card: see the header.
#include "overlay/card/expected_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "overlay/card/card.hpp"
#include "overlay/card/telescope_output.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Gathers the outputs of one card.
class Expectations {
 public:
  Expectations(const Card& card, const std::vector<std::string>& options) : card_(card), options_(options) {
    outputs.showers = card.showers();
    const std::string* direct = card.last("DIRECT");
    prefix_ = direct == nullptr ? std::string() : card_word(*direct, 1);
    run_ = has("NRREXT") ? fmt::format("{:09}", card.run_number()) : fmt::format("{:06}", card.run_number());
  }

  ExpectedOutputs outputs;

  bool has(const char* option) const {
    return std::find(options_.begin(), options_.end(), option) != options_.end();
  }

  void add(const std::string& name, bool events, const char* keyword) {
    const fs::path path = fs::path(name).lexically_normal();
    if (path.is_absolute() || path.empty() || *path.begin() == "..") {
      outputs.outside.push_back(fmt::format("{} {}", keyword, name));
      return;
    }
    const auto same = [&](const ExpectedFile& file) { return file.name == path.string(); };
    if (std::none_of(outputs.files.begin(), outputs.files.end(), same))
      outputs.files.push_back({path.string(), events});
  }

  void add_particles_and_tables() {
    const std::string* parout = card_.last("PAROUT");
    if (parout == nullptr || card_logical(card_word(*parout, 1), true))
      add(prefix_ + "DAT" + run_, true, "DIRECT");
    if (parout != nullptr && card_logical(card_word(*parout, 2), false)) add_table(".tab");
    const std::string* longi = card_.last("LONGI");
    if (longi != nullptr && card_logical(card_word(*longi, 1), false) &&
        (has("COMPACT") || card_logical(card_word(*longi, 4), false)))
      add_table(".long");
    const std::string* database = card_.last("DATBAS");
    if (database != nullptr && card_logical(card_word(*database, 1), false)) add_table(".dbase");
  }

  /// Light on a grid of detectors, or on telescopes of CORSIKA's own: where there is no IACT package.
  void add_grid_light() {
    const std::string* cerfil = card_.last("CERFIL");
    const long otherwise = has("CERWLEN") ? 2 : 1;
    const long mode = cerfil == nullptr ? otherwise : card_integer(card_word(*cerfil, 1), otherwise);
    if (mode == 0) return;  // then it is in the particle file
    const std::string name = mode >= 3 ? "DAT" + run_ + ".cher" : "CER" + run_;
    std::set<long> numbers;
    for (const CardLine& line : card_.lines())
      if (line.keyword == "TELESCOPE") numbers.insert(std::max(0L, card_integer(card_word(line.rest, 5), 0)));
    if (numbers.empty()) numbers.insert(0);
    for (const long number : numbers)
      add(prefix_ + name + (number > 0 ? fmt::format("-tel{:03}", number) : ""), true, "DIRECT");
  }

  /// Light on the IACT package's telescopes: into a file, into a command, or into /dev/null.
  void add_telescope_light() {
    if (!card_.has("TELESCOPE")) return;
    const std::string name = telescope_output(card_);
    const auto not_compared = [&](const std::string& why) { outputs.not_compared.push_back(why); };
    if (name[0] == '|')
      add(kPipedTelescopeData, true, "TELFIL");
    else if (name.rfind("/dev/", 0) == 0)
      not_compared(fmt::format("the light was not kept (TELFIL {}); give TELFIL the name of a file", name));
    else if (const auto file = with_variables(name, card_))
      add(*file, true, "TELFIL");
    else
      not_compared(fmt::format(
          "the name of the telescope file is not known (TELFIL {}); give TELFIL a name without $", name));
  }

 private:
  void add_table(const char* extension) { add(prefix_ + "DAT" + run_ + extension, false, "DIRECT"); }

  const Card& card_;
  const std::vector<std::string>& options_;
  std::string prefix_, run_;
};

}  // namespace

ExpectedOutputs expected_outputs(const std::string& text, const std::vector<std::string>& options,
                                 const std::vector<std::string>& more) {
  const Card card(text);
  Expectations expected(card, options);
  expected.add_particles_and_tables();
  if (expected.has("IACT"))
    expected.add_telescope_light();
  else if (expected.has("CERENKOV"))
    expected.add_grid_light();
  for (const std::string& name : more) expected.add(name, false, "outputs");
  return expected.outputs;
}

}  // namespace overlay
