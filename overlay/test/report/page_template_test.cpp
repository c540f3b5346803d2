#include "overlay/report/page_template.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace overlay {
namespace {

/// The template filled, without the elements around values.
std::string filled(const std::string& text) {
  static const PageDocument document(
      R"({"name": "x<y", "n": 7.6123, "share": 0.25, "kib": 2048, "one": 1, "many": 12345,
    "no": null, "wrong": false, "list": [{"k": "a", "v": 1}, {"k": "b/c", "v": 2}, {"k": "(d", "v": 3}],
    "by": {"a": 10, "b/c": 20}, "gain": {"measured": 2, "low": 1.9, "high": 2.1}, "pairs": [[1, 2], [3]], "none": []})");
  const std::string html = fill_template(
      text, document,
      {{"shout", [](const PageDocument& d, const std::string& at) { return d.as_written(at) + "!"; }}});
  std::string plain;
  bool inside = false;
  for (const char c : html) {
    if (c == '<') inside = true;
    if (!inside) plain += c;
    if (c == '>') inside = false;
  }
  return plain;
}

TEST(PageTemplate, ShowsValues) {
  EXPECT_EQ(filled("a {{text /name}} b"), "a x&lt;y b");
  EXPECT_EQ(filled("{{fixed 2 /n}}|{{significant /n}}|{{significant /n /many}}|{{percent 1 "
                   "/share}}|{{mebibytes /kib}}"),
            "7.61|7.61|8|25.0%|2");
  EXPECT_EQ(filled("{{count /many}}, {{count /one file files}}, {{count /many file files}}"),
            "12,345, 1 file, 12,345 files");
  EXPECT_EQ(filled("{{interval /gain}}"), "1.90 to 2.10");
  EXPECT_EQ(filled("{{fixed 1 /no}}{{text /missing}}"), "––");
  EXPECT_EQ(filled("{{part shout /n}}"), "7.6123!");
}

TEST(PageTemplate, Conditions) {
  EXPECT_EQ(filled("{{#if /n}}yes{{else}}no{{/if}}"), "yes");
  EXPECT_EQ(filled("{{#if /no}}yes{{else}}no{{/if}}"), "no");
  EXPECT_EQ(filled("{{#if /no}}yes{{/if}}."), ".");
  EXPECT_EQ(filled("{{#is /wrong false}}a{{/is}}{{#is /no false}}b{{/is}}{{#is /one 1}}c{{else}}d{{/is}}"),
            "ac");
  EXPECT_EQ(filled("{{#if /no}}{{#if /n}}a{{else}}b{{/if}}{{else}}{{#if /n}}c{{else}}d{{/if}}{{/if}}"), "c");
}

TEST(PageTemplate, Repetitions) {
  EXPECT_EQ(filled("{{#each /list}}{{text ./k}}={{count ./v}} {{/each}}"), "a=1 b/c=2 (d=3 ");
  EXPECT_EQ(filled("{{#each /list 2}}{{count ./v}}{{/each}}"), "12");
  EXPECT_EQ(filled("{{#each /pairs}}({{#each ./}}{{count ./}}{{/each}}){{/each}}"), "(12)(3)");
  EXPECT_EQ(filled("{{#each /none}}{{#if ./x}}x{{else}}y{{/if}}{{/each}}{{#each /missing}}z{{/each}}."), ".");
}

TEST(PageTemplate, TextsAsNamesOfMembers) {
  EXPECT_EQ(filled("{{#each /list}}{{count /by/(./k)}} {{/each}}"), "10 20 – ");
}

TEST(PageTemplate, MistakesAreErrors) {
  for (const char* wrong : {"{{", "{{}}", "{{text}}", "{{unknown /n}}", "{{text n}}", "{{fixed x /n}}",
                            "{{fixed /n}}", "{{count /n one}}", "{{part unknown /n}}", "{{#if /n}}",
                            "{{#if /n}}{{/each}}", "{{/if}}", "{{else}}", "{{#each /list}}{{else}}{{/each}}",
                            "{{#is /n}}{{/is}}", "{{text /by/(./k}}", "{{#each /list -1}}{{/each}}"})
    EXPECT_THROW(filled(wrong), support::Error) << wrong;
}

}  // namespace
}  // namespace overlay
