// The runs of one combination: stock once, the patched program for each column. Writes below the given
// folders alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/run/runner.hpp"
#include "plan.hpp"
#include "record.hpp"
#include "support/temporary_folder.hpp"

namespace matrix {

class Runs {
 public:
  /// `folder`: where run folders are made and deleted. `differences`: where the outputs of stock and patched
  /// stay where they differ. poll: called about once a second by each thread; may throw to end a run.
  Runs(overlay::BuildSet set, const std::filesystem::path& folder, std::filesystem::path differences,
       double timeout_s, std::function<void()> poll);

  /// Runs stock with the card. Before that, it runs one short shower with stock, and, where stock makes
  /// tables at a first run, also with patched; all later runs find stock's tables. Throws RunFailed where the
  /// program does not run, or leaves other outputs than its card asks for.
  void run_stock();

  /// Runs the patched program and compares it with stock. Several threads may call it at a time. Throws what
  /// `poll` throws.
  CellRecord cell(const Column& column) const;

 private:
  overlay::RunResult run(const std::string& build, const std::string& what, const std::string& card,
                         const std::map<std::string, std::string>& environment) const;
  void prepare_tables();
  void compare(const overlay::RunResult& patched, const Column& column, CellRecord& record) const;
  void keep(const overlay::RunResult& patched, const Column& column) const;
  std::string errors(const std::string& what) const { return folder_.read(what + "/errors"); }

  overlay::BuildSet set_;
  support::TemporaryFolder folder_;
  std::filesystem::path differences_;
  double timeout_s_;
  std::function<void()> poll_;
  std::optional<overlay::RunResult> stock_;
  std::string other_tables_;  ///< why the first runs differ; empty where they do not
};

}  // namespace matrix
