#include "corsika_patches/journal.h"

#include <gtest/gtest.h>

using corsika_patches::Journal;

namespace {

Journal sample_journal() {
  Journal journal;
  journal.token = "00112233445566ff";
  journal.files = {{"src/\xe9\n.F", std::string(64, 'a'), std::string(64, 'b')},
                   {"/tmp/new", "", std::string(64, 'c')}};
  return journal;
}

}  // namespace

TEST(Journal, IsReadAsItWasWritten) {
  const auto back = Journal::read(sample_journal().text());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->direction, Journal::Direction::undo);
  ASSERT_EQ(back->files.size(), 2U);
  EXPECT_EQ(back->files[0].name, "src/\xe9\n.F");
  EXPECT_EQ(back->files[1].before, "");
  EXPECT_EQ(back->text(), sample_journal().text());
}

TEST(Journal, EveryCutAndEveryChangedByteShows) {
  const auto text = sample_journal().text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(Journal::read(text.substr(0, i)).has_value()) << i;
    auto changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(Journal::read(changed).has_value()) << i;
    EXPECT_TRUE(Journal::begins_like_one(text.substr(0, i)));
  }
  EXPECT_FALSE(Journal::begins_like_one("notes"));
}

TEST(Journal, TokensDiffer) { EXPECT_NE(Journal::new_token(), Journal::new_token()); }
