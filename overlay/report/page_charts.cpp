// The pictures of the report page.
#include "overlay/report/page_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "overlay/report/page_values.hpp"

namespace overlay {
namespace {

constexpr std::array<const char*, 12> kColours{"#44AA99", "#332288", "#DDCC77", "#CC6677",
                                               "#3366CC", "#999933", "#882255", "#88CCEE",
                                               "#117733", "#AA4499", "#CCCCCC", "#661100"};

/// A length as a percentage of the picture's width.
std::string percent(double share) { return fmt::format("{:.3f}%", 100 * std::clamp(share, 0.0, 1.0)); }

std::string picture(int height, const std::string& shapes) {
  return fmt::format(R"(<svg class="row" width="100%" height="{}" aria-hidden="true">{}</svg>)", height,
                     shapes);
}

std::string rectangle(double from, double width, int top, int height, const std::string& style) {
  return fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {}/>)", percent(from), top, percent(width),
                     height, style);
}

std::string line(double from, double to, int top, int bottom, const char* style) {
  return fmt::format(R"(<line x1="{}" x2="{}" y1="{}" y2="{}" class="{}"/>)", percent(from), percent(to), top,
                     bottom, style);
}

std::string filled(std::size_t category) { return fmt::format(R"(fill="{}")", category_colour(category)); }

std::size_t index_of(const std::string& pointer) {
  const std::string digits = pointer.substr(pointer.rfind('/') + 1);
  return digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos ? 0
                                                                                       : std::stoul(digits);
}

/// CPU seconds of a category in a run of the build; 0 where the build was not sampled.
double category_seconds(const PageDocument& document, const std::string& category, const std::string& build) {
  const std::string name = pointer_part(document.text(category + "/name"));
  const double share =
      document.number(fmt::format("/sampler/{}/stages/{}", pointer_part(build), name)).value_or(0);
  const double run = document.number(fmt::format("/runs[build={}]/median_cpu_s", build)).value_or(0);
  return std::max(0.0, share) * run;
}

double slowest_run(const PageDocument& document) {
  double slowest = 0;
  for (const std::string& run : document.children("/runs")) {
    slowest = std::max(slowest, document.number(run + "/median_cpu_s").value_or(0));
    for (const std::string& time : document.children(run + "/cpu_s"))
      slowest = std::max(slowest, document.number(time).value_or(0));
  }
  return slowest;
}

/// A gain at the pointer: the number, or the object's member.
double gain_value(const PageDocument& document, const std::string& gain, const char* member) {
  const double number = document.number(gain).value_or(document.number(gain + "/measured").value_or(0));
  return document.number(fmt::format("{}/{}", gain, member)).value_or(number);
}

/// End of the scale of all gains.
double greatest_gain(const PageDocument& document) {
  double greatest = 1;
  for (const char* gain :
       {"/speedup", "/speedup/wall", "/speedup/per_shower", "/parts/generator", "/parts/stage"})
    greatest = std::max(greatest, gain_value(document, gain, "high"));
  const double bound = document.number("/speedup/bound").value_or(0);
  return 1.04 * (bound < 2 * greatest ? std::max(greatest, bound) : greatest);
}

}  // namespace

std::string category_colour(std::size_t index) {
  if (index < kColours.size()) return kColours[index];
  // Further categories, of a user's own list: an odd factor gives each index other 20 bits, and no colour
  // above ends in 1.
  const std::uint32_t bits = static_cast<std::uint32_t>(index * 0x9E375u) & 0xFFFFFu;
  return fmt::format("#{:05X}1", bits);
}

std::string category_swatch(const PageDocument&, const std::string& category) {
  return fmt::format(R"(<svg class="swatch" width="14" height="14" aria-hidden="true">)"
                     R"(<rect width="14" height="14" rx="3" {}/></svg>)",
                     filled(index_of(category)));
}

std::string run_bar(const PageDocument& document, const std::string& run) {
  const double slowest = slowest_run(document);
  if (!(slowest > 0)) return {};
  const std::string build = document.text(run + "/build");
  const double median = document.number(run + "/median_cpu_s").value_or(0);
  std::string shapes, accelerated;
  double at = 0;
  for (const std::string& category : document.children("/stages")) {
    const double seconds = category_seconds(document, category, build);
    if (!(seconds > 0)) continue;
    shapes +=
        rectangle(at / slowest, seconds / slowest, 4, 26, R"(class="part" )" + filled(index_of(category)));
    at += seconds;
    if (!document.holds(category + "/accelerated")) continue;
    accelerated += rectangle((at - seconds) / slowest, seconds / slowest, 33, 3, R"(class="accelerated")");
  }
  if (at == 0) shapes = rectangle(0, median / slowest, 4, 26, R"(class="whole")");
  for (const std::string& time : document.children(run + "/cpu_s")) {
    const double x = document.number(time).value_or(0) / slowest;
    shapes += line(x, x, 0, 34, "run");
  }
  return picture(38, shapes + accelerated);
}

std::string time_bar(const PageDocument& document, const std::string& run) {
  const double slowest = slowest_run(document), median = document.number(run + "/median_cpu_s").value_or(0);
  if (!(slowest > 0)) return {};
  return picture(28, rectangle(0, median / slowest, 4, 20, R"(class="whole")"));
}

std::string category_bars(const PageDocument& document, const std::string& category) {
  double longest = 0;
  for (const std::string& other : document.children("/stages"))
    for (const char* build : {"stock", "patched"})
      longest = std::max(longest, category_seconds(document, other, build));
  if (!(longest > 0)) return {};
  const std::size_t index = index_of(category);
  return picture(22, rectangle(0, category_seconds(document, category, "stock") / longest, 2, 8,
                               R"(class="part" )" + filled(index)) +
                         rectangle(0, category_seconds(document, category, "patched") / longest, 12, 8,
                                   R"(class="part after" )" + filled(index)));
}

std::string gain_mark(const PageDocument& document, const std::string& gain) {
  const double end = greatest_gain(document), value = gain_value(document, gain, "measured");
  if (!(value > 0)) return {};
  std::string shapes = line(0, 1, 12, 12, "scale") + line(1 / end, 1 / end, 2, 22, "stock") +
                       line(1 / end, value / end, 12, 12, "gain");
  const double low = gain_value(document, gain, "low"), high = gain_value(document, gain, "high");
  if (high > low)
    shapes += line(low / end, high / end, 12, 12, "interval") + line(low / end, low / end, 5, 19, "whisker") +
              line(high / end, high / end, 5, 19, "whisker");
  if (value <= end)
    shapes += fmt::format(R"(<circle cx="{}" cy="12" r="4" class="gain"/>)", percent(value / end));
  else
    shapes += R"(<svg x="100%" overflow="visible"><path d="M-9 6 L-1 12 L-9 18" class="beyond"/></svg>)";
  return picture(24, shapes);
}

}  // namespace overlay
