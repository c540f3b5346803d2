#include "overlay/report/page_values.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

const PageDocument& document() {
  static const PageDocument made(
      R"({"n": 7.6123, "big": 123456789012, "thousand": 1000, "three": 999, "minus": -1234567,
    "text": "<a> & \"b\"", "gain": {"measured": 13.118, "low": 12.95, "high": 13.351}, "half": {"measured": 2, "low": null},
    "share": 0.8811})");
  return made;
}

TEST(PageValues, NumbersNameTheirMember) {
  EXPECT_EQ(show_fixed(document(), "/n", 2), R"(<data value="7.6123" title="/n">7.61</data>)");
  EXPECT_EQ(show_fixed(document(), "/share", 1, 100, "%"),
            R"(<data value="0.8811" title="/share">88.1%</data>)");
}

TEST(PageValues, CountsHaveCommas) {
  const auto shown = [](const char* pointer) {
    const std::string html = show_count(document(), pointer);
    return html.substr(html.find('>') + 1, html.rfind('<') - html.find('>') - 1);
  };
  EXPECT_EQ(shown("/big"), "123,456,789,012");
  EXPECT_EQ(shown("/thousand"), "1,000");
  EXPECT_EQ(shown("/three"), "999");
  EXPECT_EQ(shown("/minus"), "-1,234,567");
}

TEST(PageValues, WhatIsMissingIsADash) {
  for (const std::string& shown : {show_fixed(document(), "/text", 1), show_fixed(document(), "/x", 1),
                                   show_count(document(), "/half/low"), show_text(document(), "/n")})
    EXPECT_EQ(shown, kNotMeasured);
}

TEST(PageValues, TextsAreEscaped) {
  EXPECT_EQ(show_text(document(), "/text"),
            R"(<span data-from="/text">&lt;a&gt; &amp; &quot;b&quot;</span>)");
  EXPECT_EQ(escape_html("a\tb\nc\rd\x01'\x7f\xc3\xa9"),
            "a\tb\nc&#xD;d\xef\xbf\xbd&apos;\xef\xbf\xbd\xc3\xa9");
}

TEST(PageValues, RoutinesHaveNoParameters) {
  const PageDocument names(
      R"j({"a": "rmmard_", "b": "n::f(int, g(*)())", "c": "n::(anonymous namespace)::f<1>(int)",
    "d": "(x"})j");
  EXPECT_EQ(show_routine(names, "/a"), R"j(<span data-from="/a">rmmard_</span>)j");
  EXPECT_EQ(show_routine(names, "/b"), R"j(<span data-from="/b" title="n::f(int, g(*)())">n::f</span>)j");
  EXPECT_NE(show_routine(names, "/c").find(">n::(anonymous namespace)::f&lt;1&gt;<"), std::string::npos);
  EXPECT_NE(show_routine(names, "/d").find(">(x<"), std::string::npos);
  EXPECT_EQ(show_routine(names, "/e"), kNotMeasured);
}

TEST(PageValues, IntervalsHaveTheDigitsOfTheirValue) {
  EXPECT_EQ(
      show_interval(document(), "/gain"),
      R"(<data value="12.95" title="/gain/low">12.9</data> to <data value="13.351" title="/gain/high">13.4</data>)");
  EXPECT_EQ(show_interval(document(), "/half"), "");
  EXPECT_EQ(show_interval(document(), "/n"), "");
}

TEST(PageValues, ThreeSignificantDigits) {
  EXPECT_EQ(digits_for(7.6), 2);
  EXPECT_EQ(digits_for(13.1), 1);
  EXPECT_EQ(digits_for(128), 0);
  EXPECT_EQ(digits_for(5000), 0);
  EXPECT_EQ(digits_for(0.17), 3);
  EXPECT_EQ(digits_for(1e-30), 6);
  EXPECT_EQ(digits_for(0), 0);
}

}  // namespace
}  // namespace overlay
