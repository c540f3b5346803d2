#include "overlay/report/page.hpp"

#include <regex>

#include "error_of.hpp"

namespace overlay {
namespace {

Page sample_page() {
  const std::string awkward = std::string("</pre><script>alert(1)</script> & \x01 {{title}} \xc3\xa9");
  Page page;
  page.about = page.title = awkward;
  page.answer = "Same bytes: yes";
  page.footer = "the end";
  const nlohmann::json shapes{shape(0.25, 0.5, 2, 8, "#44AA99"), shape(1, 1, 0, 20, "run")},
      rows{{{"file", awkward}, {"bytes", 22940}, {"drawn", {{"height", 20}, {"shapes", shapes}}}},
           {{"file", "b"}, {"bytes", 1}, {"never", nullptr}, {"colour", "#332288"}, {"strong", "file"}}};
  page.sections = {{"", {{.list = {"first", "second"}}}},
                   {"Things",
                    {{.text = "words", .note = "small", .warning = "loud", .heading = "More", .code = "a\nb"},
                     {.table = table_of(rows, {{"file", "file"},
                                               {"bytes", "bytes", "count"},
                                               {"never filled", "never"},
                                               {"drawn", "drawn", "picture"}})}}}};
  return page;
}

TEST(PageMarkdown, HasTextsAndTablesAndNoPictures) {
  const std::string text = page_markdown(sample_page());
  EXPECT_PRED2(
      holds, text,
      "- first\n- second\n\n## Things\n\n### More\n\nwords\n\n**loud**\n\nsmall\n\n```\na\nb\n```\n\n"
      "| file | bytes |\n| --- | ---: |\n");
  EXPECT_PRED2(holds, text, "| **b** | 1 |\n\nthe end\n");
}

TEST(PageHtml, IsWellFormedAndNeedsNothingElse) {
  const std::string html = page_html(sample_page());
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z0-9]+)[^<>]*?(/?)>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (name == "meta" || (*at)[3].length() > 0) continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  for (const char* never : {"<script", "<link", "<img", "src=", "href=", "http", "url(", "\x01"})
    EXPECT_EQ(html.find(never), std::string::npos) << never;
  for (const char* part : {"&lt;script&gt;alert(1)&lt;/script&gt; &amp; \xef\xbf\xbd {{title}} \xc3\xa9",
                           R"(<rect x="25.000%" width="25.000%" y="2" height="8" fill="#44AA99"/>)",
                           R"(<rect x="100.000%" width="2" y="0" height="20" class="run"/>)",
                           R"(<td data-title="bytes" class="number">22,940</td>)", "<pre>a\nb</pre>",
                           R"(fill="#332288"/></svg><strong>b)"})
    EXPECT_PRED2(holds, html, part);
  EXPECT_EQ(html.find("never filled"), std::string::npos);
  // Nothing is said by hovering alone.
  EXPECT_EQ(html.find(" title="), std::string::npos);
  EXPECT_EQ(html.find("<title>"), html.rfind("<title>"));
}

TEST(PageHtml, FitsANarrowScreen) {
  const std::string html = page_html(sample_page());
  for (const char* style : {R"(<div class="scroll"><table)", "\n.scroll { overflow-x: auto",
                            "overflow-wrap: anywhere;", "white-space: pre-wrap; }"})
    EXPECT_PRED2(holds, html, style);  // a wide table scrolls in its own box; paths break
  const std::regex width(R"re([ ;{](?:min-)?width(?:: |=")([0-9.]+)(rem|px|"))re");
  for (std::sregex_iterator at(html.begin(), html.end(), width), end; at != end; ++at)
    EXPECT_LE(std::stod((*at)[1]) * ((*at)[2] == "rem" ? 16 : 1), 390) << at->str();
}

TEST(Numbers, AsTheyAreShown) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ((Texts{grouped(1234567), counted(1, "file"), counted(2000, "file")}),
            (Texts{"1,234,567", "1 file", "2,000 files"}));
  EXPECT_EQ((Texts{significant(3.3912), significant(0), percent(0.12345)}), (Texts{"3.39", "0", "12.3%"}));
  EXPECT_EQ((Texts{duration(0.852), duration(119), duration(1020), duration(9000), duration(864000)}),
            (Texts{"0.852 s", "119 s", "17.0 min", "2.50 h", "10.0 days"}));
  EXPECT_EQ((Texts{bytes_text(7), bytes_text(1536), bytes_text(3. * (1 << 30)), bytes_text(1e16)}),
            (Texts{"7 B", "1.50 KiB", "3.00 GiB", "9095 TiB"}));
  EXPECT_EQ((Texts{rate_text(1050.2), rate_text(17.5), rate_text(0.5)}),
            (Texts{"1,050 runs an hour", "17.5 runs an hour", "12.0 runs a day"}));
  EXPECT_EQ((Texts{low_to_high({{"measured", 7.61}, {"low", 7.5512}, {"high", 7.7}}),
                   low_to_high({{"measured", 7.61}, {"low", nullptr}, {"high", nullptr}})}),
            (Texts{"7.55 to 7.70", ""}));
}

}  // namespace
}  // namespace overlay
