// One run of the benchmark, and what is written of it.
#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cpu_rows.hpp"
#include "requests.hpp"
#include "support/process.hpp"
#include "support/python.hpp"
#include "support/temporary_folder.hpp"

namespace bench {

extern const char* const kPlotScript;  // made from plot_bench.py

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json row_json(const Row& row) {
  json result{{"name", row.name}, {"kind", row.kind}, {"device", row.device}, {"n", row.n}};
  if (row.kind == "skip") {
    result["ns_per_skip"] = row.ns_per_number;
  } else {
    result["ns_per_number"] = row.ns_per_number;
    result["gb_per_s"] = row.gb_per_s;
  }
  if (row.device == "cpu") result["threads"] = row.threads;
  if (!row.samples.empty()) result["samples"] = row.samples;
  result["ns_low"] = row.ns_low;
  result["ns_high"] = row.ns_high;
  return result;
}

json crossing_json(const Crossing& crossing) {
  return {{"n", crossing.n}, {"numbers_per_s", crossing.numbers_per_s}};
}

json crossover_json(const Crossover& crossover) {
  json ranges = json::array();
  for (const Range& range : crossover.faster) {
    json one = json::object();
    if (range.from) one["from"] = crossing_json(*range.from);
    if (range.to) one["to"] = crossing_json(*range.to);
    ranges.push_back(std::move(one));
  }
  return {{"fast", crossover.fast},
          {"slow", crossover.slow},
          {"faster", std::move(ranges)},
          {"words", in_words(crossover.faster)}};
}

// One cell for each name and size, sizes as columns.
struct Table {
  std::vector<std::string> names = {};  // in the order of their first cell
  std::set<std::int64_t> sizes = {};
  std::map<std::pair<std::string, std::int64_t>, std::string> cells = {};

  void put(const std::string& name, std::int64_t n, const std::string& text) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    sizes.insert(n);
    cells[{name, n}] = text;
  }
  [[nodiscard]] std::string markdown(const std::string& title) const {
    std::string head = "| " + title + " |";
    std::string rule = "| --- |";
    std::string body;
    for (const auto n : sizes) {
      head += fmt::format(" {} |", n);
      rule += " --- |";
    }
    for (const auto& name : names) {
      body += "| " + name + " |";
      for (const auto n : sizes) {
        const auto cell = cells.find({name, n});
        body += cell == cells.end() ? " |" : " " + cell->second + " |";
      }
      body += '\n';
    }
    return head + '\n' + rule + '\n' + body + '\n';
  }
};

}  // namespace

void derive(Results& results) {
  const auto add = [&](const std::string& name, const Row* fast, const Row* slow) {
    if (fast != nullptr && slow != nullptr) results.ratios[name] = slow->ns_per_number / fast->ns_per_number;
  };
  const auto bulk = [&](const char* name) { return find_row(results.rows, name, "generate", kRatioRequest); };
  add("simd_over_stock", bulk("simd"), bulk("stock loop"));
  add("tree_over_stock_loop", bulk("RMMARD of the tree"), bulk("stock loop"));
  const auto add_cuda = [&](const std::string& name, const char* kind, std::int64_t n, const char* peer) {
    add(name, find_row(results.rows, "cuda 48-bit", kind, n), fastest_row(results.rows, peer, kind, n));
  };
  const auto resident = [&](const std::string& suffix, std::int64_t n) {
    add_cuda("cuda_over_fill" + suffix, "device", n, "fill ");
    add_cuda("cuda_over_memset" + suffix, "device", n, "cudaMemset");
    add_cuda("cuda_over_best_curand" + suffix, "device", n, "cuRAND ");
  };
  resident("", kLargestOnDevice);
  resident("_1e8", 100000000);
  add_cuda("host_over_pinned_copy", "host", 1 << 20, "pinned copy");
  add_cuda("host_over_pinned_copy_1e8", "host", 100000000, "pinned copy");
  results.lines = lines_of(results.rows);
  results.crossovers = crossovers_of(results.lines);
}

json results_json(const Results& results) {
  json all{{"machine", {{"cpu", results.cpu}, {"cores", results.cores}}},
           {"simd_target", results.simd_target},
           {"rows", json::array()},
           {"ratios", results.ratios},
           {"skipped", results.skipped},
           {"lines", json::array()},
           {"crossovers", json::array()}};
  for (const Row& row : results.rows) all["rows"].push_back(row_json(row));
  for (const Line& line : results.lines) {
    json points = json::array();
    for (const Point& point : line.points)
      points.push_back({{"n", point.n}, {"numbers_per_s", point.numbers_per_s}});
    all["lines"].push_back({{"name", line.name}, {"points", std::move(points)}});
  }
  for (const Crossover& crossover : results.crossovers)
    all["crossovers"].push_back(crossover_json(crossover));
  return all;
}

std::string results_markdown(const Results& results) {
  const std::pair<const char*, const char*> kinds[] = {
      {"generate", "one core, ns a number (CPU time)"},
      {"draw", "calls for a few numbers, ns a number (CPU time)"},
      {"threads", "a thread a sequence, ns a number (wall time, numbers of all threads)"},
      {"device", "left in device memory, ns a number"},
      {"host", "delivered to pinned host memory, ns a number (wall time)"}};
  std::string text = fmt::format("{}, {} core{}, simd {}\n\n", results.cpu, results.cores,
                                 results.cores == 1 ? "" : "s", results.simd_target);
  for (const auto& [kind, title] : kinds) {
    Table table;
    for (const Row& row : results.rows) {
      if (row.kind != kind) continue;
      const std::string name = row.kind == "threads" ? fmt::format("{}, {} thread{}", row.name, row.threads,
                                                                   row.threads == 1 ? "" : "s")
                                                     : row.name;
      table.put(name, row.n, fmt::format("{:.3g}", row.ns_per_number));
    }
    if (!table.names.empty()) text += table.markdown(title);
  }
  for (const Row& row : results.rows) {
    if (row.kind != "skip") continue;
    text += fmt::format("skip of {} numbers: {:.1f} microseconds\n", row.n, row.ns_per_number * 1e-3);
  }
  if (!results.crossovers.empty()) {
    text += "\n| is faster | than | at numbers a request |\n| --- | --- | --- |\n";
    for (const Crossover& crossover : results.crossovers)
      text += fmt::format("| {} | {} | {} |\n", crossover.fast, crossover.slow, in_words(crossover.faster));
    text += '\n';
  }
  for (const auto& [name, value] : results.ratios) text += fmt::format("{}: {:.4g}\n", name, value);
  for (const auto& line : results.skipped) text += line + '\n';
  return text;
}

std::string write_results(const Results& results, const fs::path& folder) {
  const auto picture = folder / "bench.png";
  std::error_code ignored;
  fs::remove(picture, ignored);  // an earlier run's
  support::write_file(folder / "bench.json", results_json(results).dump(2) + "\n");
  support::write_file(folder / "bench.md", results_markdown(results));
  const support::TemporaryFolder work(folder, ".unfinished");
  const auto drawn = work.path() / "bench.png";
  std::string problem =
      support::run_plot_script(kPlotScript, {(folder / "bench.json").string(), drawn.string()});
  if (problem.empty()) fs::rename(drawn, picture);
  return problem;
}

}  // namespace bench
