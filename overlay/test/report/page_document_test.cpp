#include "overlay/report/page_document.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace overlay {
namespace {

const char* const kJson = R"({"runs": [{"build": "stock", "cpu_s": [1.5, 2]}, {"build": "patched"}, 3],
  "a/b~c": "x", "no": false, "yes": true, "none": null, "zero": 0, "empty": "", "list": []})";

TEST(PageDocument, FindsValuesByPointer) {
  const PageDocument document(R"({"a": {"b": [10, "x", {"c": 2.5}]}})");
  EXPECT_EQ(document.number("/a/b/0"), 10);
  EXPECT_EQ(document.text("/a/b/1"), "x");
  EXPECT_EQ(document.number("/a/b/2/c"), 2.5);
  for (const char* wrong :
       {"/a/b/3", "/a/b/-1", "/a/b/x", "/a/b/", "/a/c", "/a/b/0/c", "/b", "/a/b/99999999999999999999"})
    EXPECT_FALSE(document.resolve(wrong)) << wrong;
  EXPECT_FALSE(document.number("/a/b/1")) << "a text is no number";
  EXPECT_EQ(document.text("/a/b/0"), "") << "a number is no text";
}

TEST(PageDocument, ChoosesAnElementByAMember) {
  const PageDocument document(kJson);
  EXPECT_EQ(document.resolve("/runs[build=patched]/build"), "/runs/1/build");
  EXPECT_EQ(document.number("/runs[build=stock]/cpu_s/1"), 2);
  for (const char* wrong :
       {"/runs[build=other]", "/runs[name=stock]", "/zero[build=stock]", "/runs[build", "/runs[]", "x"})
    EXPECT_FALSE(document.resolve(wrong)) << wrong;
}

TEST(PageDocument, NamesWithSlashesAndTildes) {
  const PageDocument document(kJson);
  EXPECT_EQ(pointer_part("a/b~c"), "a~1b~0c");
  EXPECT_EQ(document.text("/" + pointer_part("a/b~c")), "x");
}

TEST(PageDocument, KnowsWhatIsThereToShow) {
  const PageDocument document(kJson);
  for (const char* something : {"/yes", "/zero", "/runs", "/runs/1"})
    EXPECT_TRUE(document.holds(something)) << something;
  for (const char* nothing : {"/no", "/none", "/empty", "/list", "/missing"})
    EXPECT_FALSE(document.holds(nothing)) << nothing;
}

TEST(PageDocument, ListsChildren) {
  const PageDocument document(kJson);
  EXPECT_EQ(document.children("/runs[build=stock]/cpu_s"),
            (std::vector<std::string>{"/runs/0/cpu_s/0", "/runs/0/cpu_s/1"}));
  EXPECT_EQ(document.children("/runs/0"), (std::vector<std::string>{"/runs/0/build", "/runs/0/cpu_s"}));
  EXPECT_TRUE(document.children("/zero").empty());
  EXPECT_TRUE(document.children("/missing").empty());
}

TEST(PageDocument, WritesValuesAsTheyStand) {
  const PageDocument document(R"({"n": 0.1, "i": 3, "t": "x", "b": true})");
  EXPECT_EQ(document.as_written("/n"), "0.1");
  EXPECT_EQ(document.as_written("/i"), "3");
  EXPECT_EQ(document.as_written("/t"), "x");
  EXPECT_EQ(document.as_written("/b"), "true");
  EXPECT_EQ(document.as_written("/missing"), "null");
}

TEST(PageDocument, WhatIsNotJsonIsAnError) { EXPECT_THROW(PageDocument("{\"a\": "), support::Error); }

}  // namespace
}  // namespace overlay
