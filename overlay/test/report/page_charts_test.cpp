#include "overlay/report/page_charts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>

namespace overlay {
namespace {

using Triple = std::array<double, 3>;

Triple times(const std::array<Triple, 3>& matrix, const Triple& v) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
  return out;
}

/// Linear RGB of #RRGGBB.
Triple linear(const std::string& colour) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

Triple cielab(Triple rgb) {
  for (double& c : rgb) c = std::clamp(c, 0.0, 1.0);
  const Triple xyz =
      times({{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}}, rgb);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// How people see: normally, and without one of the three kinds of cones (Machado et al. 2009, severity 1).
const std::array<std::array<Triple, 3>, 4> kSights{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double least_distance(const std::string& a, const std::string& b) {
  double least = 1000;
  for (const auto& sight : kSights) {
    const Triple p = cielab(times(sight, linear(a))), q = cielab(times(sight, linear(b)));
    least = std::min(least, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return least;
}

TEST(CategoryColours, AreToldApartByEveryone) {
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = i + 1; j < 12; ++j)
      EXPECT_GT(least_distance(category_colour(i), category_colour(j)), 15)
          << category_colour(i) << category_colour(j);
  for (std::size_t i = 0; i + 1 < 12; ++i)
    EXPECT_GT(least_distance(category_colour(i), category_colour(i + 1)), 36) << "neighbours in the bar";
}

TEST(CategoryColours, NeverRepeat) {
  std::set<std::string> colours;
  const std::regex form("#[0-9A-F]{6}");
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_TRUE(std::regex_match(category_colour(i), form)) << category_colour(i);
    EXPECT_TRUE(colours.insert(category_colour(i)).second) << i;
  }
}

const char* const kReport = R"({
  "stages": [{"name": "a", "accelerated": true}, {"name": "b"}],
  "runs": [{"build": "stock", "median_cpu_s": 10, "cpu_s": [9, 20]}, {"build": "patched", "median_cpu_s": 5, "cpu_s": [5]},
           {"build": "stock-shipped", "median_cpu_s": 15, "cpu_s": [15]}],
  "sampler": {"stock": {"stages": {"a": 0.75, "b": 0.25}}, "patched": {"stages": {"a": 0.5, "b": 0.5}}},
  "speedup": {"measured": 2, "low": 1.5, "high": 2.5, "bound": 4}, "parts": {"generator": {"measured": 1.25}}})";

/// The value of each attribute of that name in elements whose start matches.
std::vector<std::string> values(const std::string& svg, const std::string& element,
                                const std::string& attribute) {
  std::vector<std::string> found;
  const std::regex form("<" + element + "[^>]* " + attribute + "=\"([^\"]*)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), form), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

TEST(RunBar, StagesFollowOneAnotherInTheirColours) {
  const std::string svg = run_bar(PageDocument(kReport), "/runs/0");
  EXPECT_EQ(values(svg, "rect", "x"), (std::vector<std::string>{"0.000%", "37.500%", "0.000%"}));
  EXPECT_EQ(values(svg, "rect", "width"), (std::vector<std::string>{"37.500%", "12.500%", "37.500%"}))
      << "last: accelerated";
  EXPECT_EQ(values(svg, "rect", "fill"), (std::vector<std::string>{category_colour(0), category_colour(1)}));
  EXPECT_EQ(values(svg, "line", "x1"), (std::vector<std::string>{"45.000%", "100.000%"})) << "single runs";
}

TEST(RunBar, WhatWasNotSampledIsOnePiece) {
  const std::string svg = run_bar(PageDocument(kReport), "/runs/2");
  EXPECT_EQ(values(svg, "rect", "width"), (std::vector<std::string>{"75.000%"}));
  EXPECT_EQ(values(svg, "rect", "class"), (std::vector<std::string>{"whole"}));
  EXPECT_EQ(run_bar(PageDocument("{}"), "/runs/0"), "");
}

TEST(TimeBar, HasTheScaleOfRunBar) {
  EXPECT_EQ(values(time_bar(PageDocument(kReport), "/runs[build=patched]"), "rect", "width"),
            (std::vector<std::string>{"25.000%"}));
}

TEST(StageBars, AreOnOneScale) {
  EXPECT_EQ(values(category_bars(PageDocument(kReport), "/stages/0"), "rect", "width"),
            (std::vector<std::string>{"100.000%", "33.333%"}));
  EXPECT_EQ(values(category_bars(PageDocument(kReport), "/stages/1"), "rect", "width"),
            (std::vector<std::string>{"33.333%", "33.333%"}));
}

TEST(GainMark, ShowsTheIntervalOnTheScaleOfAllGains) {
  const PageDocument document(kReport);
  const double end = 1.04 * 4;  // the bound is the greatest
  const auto at = [&](double gain) { return fmt::format("{:.3f}%", 100 * gain / end); };
  const std::string svg = gain_mark(document, "/speedup");
  EXPECT_EQ(values(svg, "circle", "cx"), (std::vector<std::string>{at(2)}));
  EXPECT_EQ(values(svg, "line", "x1"),
            (std::vector<std::string>{"0.000%", at(1), at(1), at(1.5), at(1.5), at(2.5)}));
  EXPECT_EQ(values(gain_mark(document, "/parts/generator"), "line", "x1").size(), 3u) << "no interval";
  EXPECT_EQ(values(gain_mark(document, "/speedup/bound"), "circle", "cx"), (std::vector<std::string>{at(4)}));
  EXPECT_EQ(gain_mark(document, "/missing"), "");
  const PageDocument far(R"({"speedup": {"measured": 2, "bound": 40}})");
  EXPECT_NE(gain_mark(far, "/speedup/bound").find("beyond"), std::string::npos);
  EXPECT_EQ(values(gain_mark(far, "/speedup"), "circle", "cx"), (std::vector<std::string>{"96.154%"}));
}

}  // namespace
}  // namespace overlay
