#include "overlay/report/report_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "html_reader.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

using Json = nlohmann::json;

/// A report.json that has every member that the page reads.
Json every_field() {
  std::ifstream in(REPORT_WITH_EVERY_FIELD);
  return Json::parse(in);
}

/// A change of that report.
struct Case {
  const char* name;
  void (*change)(Json&);
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

void change_nothing(Json&) {}
void without_sampling(Json& json) {
  json["sampler"] = {{"name", "none"}};
  for (const char* key : {"bound", "accelerated_share_stock", "removed_fraction", "removed_low",
                          "removed_high", "removed_by_sampler"})
    json["speedup"][key] = nullptr;
  for (const char* key : {"share_stock", "share_patched", "share_stock_interval", "share_patched_interval",
                          "ns_per_number_stock", "ns_per_number_patched"})
    json["rng"][key] = nullptr;
  json["identity"]["sampled_outputs_identical"] = nullptr;
}
void without_gprof(Json& json) {
  json["gprof"] = {{"share_stock", nullptr}, {"share_patched", nullptr}, {"showers", 10}};
  json["gprof"]["flat_stock"] = json["gprof"]["flat_patched"] = Json::array();
  json["rng"]["calls"] = nullptr;
}
void without_shipped(Json& json) {
  json["runs"].erase(2);
  json["speedup"]["shipped"] = json["speedup"]["over_shipped"] = json["speedup"]["per_shower"]["shipped"] =
      nullptr;
}
void shipped_without_interval(Json& json) {
  json["speedup"].erase("shipped");
  json["speedup"]["per_shower"].erase("shipped");
}
void without_light(Json& json) {
  json["cherenkov"] = {{"asked", "off"}, {"summary", ""}, {"backend", ""}};
  json["parts"]["stage"] = nullptr;
}
void light_that_did_not_run(Json& json) {
  json["cherenkov"] = {{"asked", "cpu"}, {"summary", ""}, {"backend", ""}};
}
void one_pair(Json& json) {
  json["repeats"] = json["identity"]["pairs"] = 1;
  for (const char* at : {"/speedup", "/speedup/wall", "/speedup/per_shower", "/speedup/shipped",
                         "/speedup/per_shower/shipped", "/parts/generator", "/parts/stage", "/parts/both"})
    for (const char* bound : {"low", "high"}) json[Json::json_pointer(at)][bound] = nullptr;
}
void not_identical(Json& json) {
  Json& identity = json["identity"];
  identity["identical"] = identity["parts_identical"] = identity["first_run_identical"] = false;
  identity["sampled_outputs_identical"] = false;
  identity["reasons"] = {"DAT000001 differs from byte 4711 on"};
  identity["files"][0]["equal"] = false;
  identity["files"][0]["first_difference"] = 4711;
  identity["files"][0]["bytes_patched"] = 22941;
  identity["files"][0]["reason"] = "22941 bytes in patched";
}
void other_flags(Json& json) {
  json["flags"] = "-O3 -mavx2";
  for (Json& run : json["runs"])
    if (run["flags"] == "tuned") run["flags"] = "-O3 -mavx2";
}
void without_startup(Json& json) {
  json["startup"] = {{"stock_s", nullptr}, {"patched_s", nullptr}};
  json["speedup"].erase("per_shower");
}
void an_older_report(Json& json) {  // as the program wrote it before there was a page
  for (const char* key : {"command", "parts", "startup", "shower", "quick"}) json.erase(key);
  for (const char* key : {"bytes", "events", "file_count"}) json["identity"].erase(key);
  for (const char* key : {"flat_stock", "flat_patched", "why_different"}) json["gprof"].erase(key);
  for (const char* build : {"stock", "patched"}) json["sampler"][build].erase("stage_s");
  shipped_without_interval(json);
}
void nothing_at_all(Json& json) { json = Json::object(); }
void other_types(Json& json) {
  json = {{"speedup", "fast"},
          {"runs", 3},
          {"identity", Json::array()},
          {"stages", {1, nullptr, "x"}},
          {"notes", 7}};
}
void many_stages(Json& json) {
  for (int i = 0; i < 40; ++i)
    json["stages"].push_back(
        {{"name", "mine" + std::to_string(i)}, {"title", "mine"}, {"accelerated", false}});
}
void awkward_texts(Json& json) {
  const std::string text =
      std::string("</pre><script>alert(1)</script> & \x01\x7f\r\n\t{{text /profile}} \xc3\xa9 ") +
      "\xef\xbf\xbd \"quoted\" 'so' --> ]]>";
  json["card"] = json["profile"] = json["command"] = json["machine"]["cpu"] = json["corsika"]["version"] =
      text;
  json["notes"] = {text};
  json["identity"]["files"][0]["name"] = text;
  json["stages"][1]["title"] = json["stages"][1]["name"] = text;
  json["runs"][0]["fflags"] = text;
  json["sampler"]["stock"]["top"][0]["symbol"] = json["gprof"]["flat_stock"][0]["name"] = text;
}

const Case kCases[] = {{"EveryField", change_nothing},
                       {"WithoutSampling", without_sampling},
                       {"WithoutGprof", without_gprof},
                       {"WithoutShipped", without_shipped},
                       {"ShippedWithoutInterval", shipped_without_interval},
                       {"WithoutLight", without_light},
                       {"LightThatDidNotRun", light_that_did_not_run},
                       {"OnePair", one_pair},
                       {"NotIdentical", not_identical},
                       {"OtherFlags", other_flags},
                       {"WithoutStartup", without_startup},
                       {"AnOlderReport", an_older_report},
                       {"NothingAtAll", nothing_at_all},
                       {"OtherTypes", other_types},
                       {"ManyStages", many_stages},
                       {"AwkwardTexts", awkward_texts}};

class ReportPage : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    json = every_field();
    GetParam().change(json);
    html = report_page(json.dump());
    page = read_html(html);
  }
  Json json;
  std::string html;
  HtmlPage page;
};

/// Replaces what the page's own words say with digits: 95% intervals and SHA-256.
std::string without_words(std::string text) {
  for (const std::string word : {"95%", "SHA-256"})
    for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.erase(at, word.size());
  return text;
}

/// The attribute of the innermost element around the text that has it; nullptr where none has.
const std::string* around(const HtmlText& text, const std::string& tag, const std::string& attribute) {
  for (auto element = text.inside.rbegin(); element != text.inside.rend(); ++element)
    if (element->tag == tag && element->attributes.count(attribute) != 0)
      return &element->attributes.at(attribute);
  return nullptr;
}

/// Whether the number as shown is the member of report.json, rounded, as a percentage or in MiB.
bool shows(std::string shown, const std::string& pointer, double value) {
  double factor = pointer.ends_with("_kib") ? 1.0 / 1024 : 1;
  if (shown.ends_with("%")) {
    factor = 100;
    shown.pop_back();
  }
  std::erase(shown, ',');
  const std::size_t point = shown.find('.');
  const double half =
      point == std::string::npos ? 0.5 : 0.5 * std::pow(10, -double(shown.size() - point - 1));
  std::size_t read = 0;
  const double number = std::stod(shown, &read);
  return read == shown.size() &&
         std::abs(number - value * factor) <= half * (1 + 1e-9) + 1e-12 * std::abs(number);
}

TEST_P(ReportPage, IsWellFormed) { EXPECT_EQ(page.error, ""); }

TEST_P(ReportPage, NeedsNothingElse) {
  for (const HtmlElement& element : page.elements) {
    EXPECT_TRUE(element.tag != "script" && element.tag != "link" && element.tag != "img" &&
                element.tag != "iframe")
        << element.tag;
    for (const char* attribute : {"src", "href", "xlink:href", "style", "onload"})
      EXPECT_EQ(element.attributes.count(attribute), 0u) << element.tag << " " << attribute;
  }
  for (const char* outside : {"http:", "https:", "url(", "@import"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST_P(ReportPage, EveryNumberIsInTheJson) {
  int numbers = 0;
  for (const HtmlText& text : page.texts) {
    if (const std::string* pointer = around(text, "data", "title")) {
      const Json::json_pointer at(*pointer);
      ASSERT_TRUE(json.contains(at)) << *pointer;
      ASSERT_TRUE(json[at].is_number()) << *pointer;
      EXPECT_EQ(*around(text, "data", "value"), json[at].dump());
      EXPECT_TRUE(shows(text.text, *pointer, json[at].get<double>())) << text.text << " at " << *pointer;
      ++numbers;
    } else if (const std::string* from = around(text, "span", "data-from")) {
      std::string said = json.at(Json::json_pointer(*from)).get<std::string>();
      for (const char control : {'\x01', '\x7f'})
        for (std::size_t i; (i = said.find(control)) != std::string::npos;)
          said.replace(i, 1, "\xef\xbf\xbd");
      if (const std::string* whole = around(text, "span", "title")) {
        EXPECT_EQ(*whole, said);
        said.resize(text.text.size());  // a routine without its parameters
      }
      EXPECT_EQ(text.text, said);
    } else {
      EXPECT_EQ(without_words(text.text).find_first_of("0123456789"), std::string::npos) << text.text;
    }
  }
  if (json.contains("machine")) {
    EXPECT_GT(numbers, 40);
  }
}

TEST_P(ReportPage, NoPlaceholderIsLeftAndNothingReadsNull) {
  for (const HtmlText& text : page.texts) {
    if (around(text, "span", "data-from") != nullptr) continue;
    for (const char* word : {"{{", "}}", "null", "nan"})
      EXPECT_EQ(text.text.find(word), std::string::npos) << text.text;
  }
}

TEST_P(ReportPage, NoStageHasTheColourOfAnother) {
  std::map<std::string, int> colours;
  for (std::size_t i = 0; i + 1 < page.elements.size(); ++i) {
    const auto& attributes = page.elements[i].attributes;
    if (attributes.count("class") != 0 && attributes.at("class") == "swatch")
      ++colours[page.elements[i + 1].attributes.at("fill")];
  }
  for (const auto& [colour, times] : colours) EXPECT_EQ(times, 1) << colour;
  if (json.contains("sampler") && json["sampler"].contains("stock")) {
    EXPECT_EQ(colours.size(), json["stages"].size());
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReportPage, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

/// All of the page's texts, blanks folded.
std::string words_of(const Json& json) {
  std::string all;
  for (const HtmlText& text : read_html(report_page(json.dump())).texts)
    for (const char c : text.text)
      if (c != '\n' && c != ' ')
        all += c;
      else if (!all.empty() && all.back() != ' ')
        all += ' ';
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ReportPageText, TheVerdictComesFirst) {
  Json json = every_field();
  std::string words = words_of(json);
  EXPECT_LT(words.find("Same bytes: yes"), words.find("7.61"));
  EXPECT_TRUE(has(words, "wrote the same 3 files: 330,990 bytes, 15 events. 6 pairs of runs were compared."));
  EXPECT_TRUE(has(words, "13.1")) << "gain over stock as shipped";
  not_identical(json);
  words = words_of(json);
  EXPECT_TRUE(has(words, "Same bytes: no"));
  EXPECT_FALSE(has(words, "Same bytes: yes"));
  EXPECT_FALSE(has(words, "Same output"));
  EXPECT_TRUE(has(words, "DAT000001 differs from byte 4711 on"));
  EXPECT_TRUE(has(words, "The sampled runs left other bytes."));
  EXPECT_TRUE(has(words, "The runs with one part of the overlay alone left other bytes."));
}

TEST(ReportPageText, WithoutIdentityTheAnswerIsNo) {
  Json json = every_field();
  json.erase("identity");
  EXPECT_TRUE(has(words_of(json), "Same bytes: no"));
}

TEST(ReportPageText, SaysWhatWasNotMeasured) {
  Json json = every_field();
  EXPECT_TRUE(has(words_of(json), "Gain if exactly the accelerated categories took no time (Amdahl)"));
  without_sampling(json);
  std::string words = words_of(json);
  EXPECT_TRUE(has(words, "The runs were not sampled"));
  EXPECT_FALSE(has(words, "Amdahl"));
  EXPECT_FALSE(has(words, "everything else"));
  json = every_field();
  one_pair(json);
  EXPECT_TRUE(has(words_of(json), "one pair, no interval"));
  json = every_field();
  EXPECT_TRUE(has(words_of(json), "gprof’s flat profile"));
  without_gprof(json);
  EXPECT_FALSE(has(words_of(json), "gprof’s flat profile"));
  json = every_field();
  EXPECT_TRUE(has(words_of(json), "Steps left to CORSIKA"));
  light_that_did_not_run(json);
  EXPECT_TRUE(has(words_of(json), "asked: cpu; it did not run"));
  EXPECT_FALSE(has(words_of(json), "Steps left to CORSIKA"));
  json["cherenkov"]["in_run"] = "took none of 9 steps";
  EXPECT_TRUE(has(words_of(json), "asked: cpu; it took none of 9 steps"));
}

TEST(ReportPageText, WhatIsNotJsonIsAnError) {
  EXPECT_THROW(report_page("{"), support::Error);
  EXPECT_THROW(report_page("\"\xff\""), support::Error);
}

}  // namespace
}  // namespace overlay
