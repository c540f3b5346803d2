#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/python.hpp"

namespace overlay {

extern const char* const kPlotScript;  // made from plot_report.py

namespace {
namespace fs = std::filesystem;

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.flush();
  if (!out) throw support::Error(fmt::format("cannot write {}: is the disk full?", file.string()));
}

/// Pictures, where python3 has matplotlib. Returns their names.
std::vector<std::string> draw_pictures(const fs::path& folder, std::vector<std::string>& said) {
  const std::string not_drawn =
      support::draw(kPlotScript, {(folder / "report.json").string(), folder.string()});
  if (!not_drawn.empty()) said.push_back(not_drawn);
  std::vector<std::string> pictures;
  for (const char* name : {"stages.png", "times.png"})
    if (fs::exists(folder / name)) pictures.emplace_back(name);
  return pictures;
}

}  // namespace

std::vector<std::string> write_report(const Report& report, const fs::path& folder) {
  std::vector<std::string> said;
  std::error_code error;
  const fs::path fresh = folder.string() + fmt::format(".new-{}", getpid());
  const fs::path old = folder.string() + fmt::format(".old-{}", getpid());
  try {
    fs::create_directories(fresh, error);
    if (error) throw support::Error(fmt::format("cannot make {}: {}", fresh.string(), error.message()));
    const Derived derived = derive(report);
    write_text(fresh / "report.json", report_json(report, derived).dump(2) + "\n");
    const std::vector<std::string> pictures = draw_pictures(fresh, said);
    write_text(fresh / "report.md", report_markdown(report, derived, pictures));
    if (fs::exists(folder)) fs::rename(folder, old);
    fs::rename(fresh, folder, error);
    if (error) {
      std::error_code ignored;
      fs::rename(old, folder, ignored);
      throw support::Error(fmt::format("cannot write {}: {}", folder.string(), error.message()));
    }
    fs::remove_all(old, error);
  } catch (const fs::filesystem_error& failure) {
    fs::remove_all(fresh, error);
    throw support::Error(fmt::format("cannot write the report: {}", failure.what()));
  } catch (...) {
    fs::remove_all(fresh, error);
    throw;
  }
  return said;
}

}  // namespace overlay
