// production.toml: written once, read by everything. Writes the four files of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "overlay/production/plan.hpp"
#include "overlay/production/runs_table.hpp"
#include "overlay/production/seeds.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/toml.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr int kFormat = 1;

/// A TOML string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      result += c;
  }
  return result + '"';
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  words.reserve(texts.size());
  for (const auto& text : texts) words.push_back(quoted(text));
  return "[" + support::join(words, ", ") + "]";
}

std::string plan_text(const ProductionPlan& plan) {
  std::string text = fmt::format(
      "# The plan of a production, frozen when it was made. production.toml.sha256 holds its checksum.\n"
      "format = {}\nname = {}\noverlay_version = {}\n\n"
      "[corsika]\nversion = {}\nsha256 = {}\nstandin = {}\nprofile = {}\noptions = {}\nflags = {}\n"
      "compilers = {}\noutputs = {}\nprogram = {}\nstock = {}\n\n",
      kFormat, quoted(plan.name), quoted(plan.overlay_version), quoted(plan.corsika_version),
      quoted(plan.corsika_sha256), plan.standin, quoted(plan.profile), quoted_list(plan.options),
      quoted(plan.flags), quoted(plan.compilers), quoted_list(plan.outputs), quoted(plan.program),
      quoted(plan.stock));
  text += fmt::format(
      "[runs]\nfirst = {}\nper_setting = {}\nshowers = {}\n\n"
      "[seeds]\nmode = {}\nsequences = {}\nblock = {}\nstride = {}\n\n"
      "[processors]\nclass = {}\ntunables = {}\n",
      plan.first_run, plan.runs_per_setting, plan.showers,
      quoted(plan.seeds == SeedMode::planned ? "planned" : "offsets"), plan.sequences, plan.first_place,
      plan.stride, quoted(plan.class_policy), quoted(plan.tunables));
  for (const auto& setting : plan.settings) {
    text += fmt::format("\n[[setting]]\nzenith = {}\natmosphere = {}\nprimary = {}\n[setting.values]\n",
                        setting.zenith, setting.atmosphere, quoted(setting.primary));
    for (const auto& [name, value] : setting.values)
      text += fmt::format("{} = {}\n", quoted(name), quoted(value));
  }
  text += "\n[files]\n";
  for (const auto& [name, sum] : plan.files) text += fmt::format("{} = {}\n", quoted(name), quoted(sum));
  return text;
}

ProductionSetting setting_of(const support::Toml& table) {
  ProductionSetting setting;
  setting.zenith = table["zenith"].number().value_or(0.);
  setting.atmosphere = static_cast<int>(table["atmosphere"].whole().value_or(0));
  setting.primary = table["primary"].text().value_or("");
  for (const auto& [name, value] : table["values"].table()) setting.values[name] = value.text().value_or("");
  return setting;
}

/// Writes runs.tsv line by line.
void write_runs(const ProductionPlan& plan, const fs::path& file) {
  const RunsTable table(plan);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  std::string text = table.header();
  constexpr std::size_t kPiece = 1 << 20;
  for (std::int64_t run = plan.first_run; run <= plan.last_run(); ++run) {
    table.append(text, planned_run(plan, run));
    if (text.size() < kPiece) continue;
    out << text;
    text.clear();
  }
  out << text;
  out.close();
  if (!out)
    throw support::Error(
        fmt::format("cannot write {}: is there space, and may you write there?", file.string()));
}

}  // namespace

void check_plan(const ProductionPlan& plan) {
  const bool long_numbers =
      std::find(plan.options.begin(), plan.options.end(), "NRREXT") != plan.options.end();
  const std::int64_t largest = long_numbers ? 999'999'999 : 999'999;
  const auto count = static_cast<std::int64_t>(plan.settings.size());
  if (count < 1 || plan.runs_per_setting < 1 || plan.runs_per_setting > largest / count)
    throw support::Error(
        fmt::format("a production cannot have {} runs of {} settings; give 1 to {} runs in sum",
                    plan.runs_per_setting, count, largest));
  if (plan.first_run < 1 || plan.first_run > largest - plan.run_count() + 1)
    throw support::Error(fmt::format(
        "{} runs cannot have numbers from {} on; CORSIKA takes 1 to {}: give another --first-run{}",
        plan.run_count(), plan.first_run, largest,
        long_numbers ? "" : ", or a profile with the option NRREXT"));
  check_seed_range(plan);
}

ProductionPlan read_plan(const fs::path& folder) {
  const auto file = folder / "production.toml";
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw support::Error(
        fmt::format("{} is no production: it has no production.toml; give a folder that overlay "
                    "production new made",
                    folder.string()));
  const auto sum = support::read_file(folder / "production.toml.sha256").substr(0, 64);
  if (support::sha256_of_file(file) != sum)
    throw support::Error(fmt::format(
        "{} was changed: production.toml.sha256 has another checksum; restore it", file.string()));
  const auto table = support::Toml::read(file, "plan");
  if (table["format"].whole() != kFormat)
    throw support::Error(
        fmt::format("{} has a format that this overlay does not know; use its bin/overlay", file.string()));
  ProductionPlan plan;
  plan.name = table["name"].text().value_or("");
  plan.overlay_version = table["overlay_version"].text().value_or("");
  const auto& corsika = table["corsika"];
  plan.corsika_version = corsika["version"].text().value_or("");
  plan.corsika_sha256 = corsika["sha256"].text().value_or("");
  plan.standin = corsika["standin"].flag().value_or(false);
  plan.profile = corsika["profile"].text().value_or("");
  plan.options = corsika["options"].texts();
  plan.flags = corsika["flags"].text().value_or("");
  plan.compilers = corsika["compilers"].text().value_or("");
  plan.outputs = corsika["outputs"].texts();
  plan.program = corsika["program"].text().value_or("");
  plan.stock = corsika["stock"].text().value_or("");
  plan.first_run = table["runs"]["first"].whole().value_or(1);
  plan.runs_per_setting = table["runs"]["per_setting"].whole().value_or(0);
  plan.showers = static_cast<long>(table["runs"]["showers"].whole().value_or(0));
  plan.seeds = table["seeds"]["mode"].text() == "offsets" ? SeedMode::offsets : SeedMode::planned;
  plan.sequences = static_cast<int>(table["seeds"]["sequences"].whole().value_or(0));
  plan.first_place = table["seeds"]["block"].whole().value_or(-1);
  plan.stride = table["seeds"]["stride"].whole().value_or(0);
  plan.class_policy = table["processors"]["class"].text().value_or("same");
  plan.tunables = table["processors"]["tunables"].text().value_or("");
  for (const auto& setting : table["setting"].list()) plan.settings.push_back(setting_of(setting));
  for (const auto& [name, value] : table["files"].table()) plan.files[name] = value.text().value_or("");
  check_plan(plan);
  return plan;
}

void write_plan(ProductionPlan plan, const std::string& card_template, const fs::path& folder) {
  check_plan(plan);
  run_card(plan, card_template, planned_run(plan, plan.first_run));  // every place has a value
  write_runs(plan, folder / "runs.tsv");
  support::write_file(folder / "card.template", card_template);
  for (const char* name : {"runs.tsv", "card.template"})
    plan.files[name] = support::sha256_of_file(folder / name);
  const auto text = plan_text(plan);
  support::write_file(folder / "production.toml", text);
  support::write_file(folder / "production.toml.sha256",
                      support::sha256_of_text(text) + "  production.toml\n");
}

}  // namespace overlay
