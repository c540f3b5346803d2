#include "sample_tree.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "corsika-patches/recognise.h"
#include "support/temporary_folder.hpp"

namespace sample {

namespace fs = std::filesystem;
using namespace corsika_patches;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}
std::string swapped(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("sample has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

std::string lines(std::string text) {
  std::replace(text.begin(), text.end(), ';', '\n');
  return text;
}

Rule rule(const std::string& text) {
  const support::TemporaryFolder folder("corsika-patches-test");
  return Rule(
      std::make_shared<const support::Toml>(support::Toml::read(folder.write("rule.toml", lines(text)))));
}

std::string fixed(const std::string& statements) {
  std::string out;
  std::istringstream in(statements);
  for (std::string statement; std::getline(in, statement, ';');) {
    statement.erase(0, statement.find_first_not_of(' '));
    const auto label = statement.substr(0, statement.find_first_not_of("0123456789"));
    const bool code = statement[0] != '#' && !statement.starts_with("C ");
    out += (code ? label + std::string(6 - label.size(), ' ') : "") + statement.substr(label.size()) + "\n";
  }
  return out;
}

std::string all_swapped(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

namespace {

/// One step of the generator on sequence @.
const char* const kStep =
    "UNI = U(I97(@),@) - U(J97(@),@); IF (UNI .LT. 0.D0) UNI = UNI + 1.D0; U(I97(@),@) = UNI;"
    "I97(@) = I97(@) - 1; IF (I97(@) .EQ. 0) I97(@) = 97; J97(@) = J97(@) - 1;"
    "IF (J97(@) .EQ. 0) J97(@) = 97; C(@) = C(@) - CD; IF (C(@) .LT. 0.D0) C(@) = C(@) + CM;"
    "UNI = UNI - C(@); IF (UNI .LT. 0.D0) UNI = UNI + 1.D0; IF (UNI .EQ. 0.D0) UNI = TWOM48;";
/// Numbers are counted, @@ of them.
const char* const kCount =
    "NTOT(@) = NTOT(@) + @@; IF (NTOT(@) .GE. MODCNS) THEN; NTOT2(@) = NTOT2(@) + 1;"
    "NTOT(@) = NTOT(@) - MODCNS; ENDIF; RETURN;";
const char* const kDeclare =
    "IMPLICIT NONE; #define __RANMA3INC__; #define __RANMA4INC__; #include \"corsika.h\";";

}  // namespace

std::string function(const FunctionParts& p) {
  const auto body = std::string(kStep) + (p.result.empty() ? p.name + " = UNI;" : p.result) +
                    all_swapped(kCount, "@@", "1");
  return fixed(p.head + ";" + kDeclare + p.declarations + "SAVE; C our own words;" + p.choose +
               all_swapped(body, "@", p.subscript) + p.tail + "END");
}

std::string vector_routine(const std::string& head, const std::string& choose) {
  return fixed("SUBROUTINE " + head + ";" + kDeclare +
               "DOUBLE PRECISION RVEC(*); INTEGER ISEQ,IVEC,LENV; SAVE;" + choose + "DO IVEC = 1, LENV;" +
               all_swapped(kStep, "@", "JSEQ") + "RVEC(IVEC) = UNI; ENDDO;" +
               all_swapped(all_swapped(kCount, "@@", "LENV"), "@", "JSEQ") + "END");
}

std::string rmmard() {
  return vector_routine("RMMARD( RVEC,LENV,ISEQ )", "IF (ISEQ .GT. 0 .AND. ISEQ .LE. KSEQ) JSEQ = ISEQ;");
}

std::string rmmaqd() {
  return fixed(std::string("SUBROUTINE RMMAQD( ISEED,ISEQ,CHOPT );") + kDeclare +
               "INTEGER ISEED(3),ISEQ,K,NFILL; CHARACTER*(*) CHOPT; DOUBLE PRECISION W; DATA JSEQ / 1 /;"
               "NFILL = 33; W = 0.5D0; IF (CHOPT .EQ. 'S') THEN; JSEQ = ISEQ; IJKL(JSEQ) = ISEED(1);"
               "DO 20 K = 1, 97; W = W * 0.75D0; U(K,JSEQ) = W; 20 CONTINUE; J97(JSEQ) = NFILL; ELSE;"
               "ISEED(1) = IJKL(JSEQ); ENDIF; RETURN; END");
}

std::string header() {
  return fixed(
      "#ifdef __RANDPAINC__; COMMON /CRRANDPA/RD,FAC; DOUBLE PRECISION RD(3000),FAC;"
      "#undef __RANDPAINC__; #endif; #ifdef __RANMA3INC__; INTEGER KSEQ; PARAMETER (KSEQ = 9);"
      "COMMON /CRRANMA3/CD,CINT,CM,TWOM24,TWOM48,MODCNS; DOUBLE PRECISION CD,CINT,CM,TWOM24,TWOM48;"
      "INTEGER MODCNS; #undef __RANMA3INC__; #endif; #ifdef __RANMA4INC__;"
      "COMMON /CRRANMA4/C,U,IJKL,I97,J97,NTOT,NTOT2,JSEQ; DOUBLE PRECISION C(KSEQ),U(97,KSEQ),UNI;"
      "INTEGER IJKL(KSEQ),I97(KSEQ),J97(KSEQ),NTOT(KSEQ); INTEGER NTOT2(KSEQ),JSEQ; #undef __RANMA4INC__;"
      "#endif");
}

std::string main_source() {
  FunctionParts cut{.head =
                        "#if __QGSII__; DOUBLE PRECISION FUNCTION QGRAN(B10); #else;"
                        "DOUBLE PRECISION FUNCTION PSRAN(B10); #endif",
                    .declarations = "DOUBLE PRECISION B10;",
                    .result = "#if __QGSII__; QGRAN = UNI; #else; PSRAN = UNI; #endif;"};
  FunctionParts entries{.head = "DOUBLE PRECISION FUNCTION HWRGEN()",
                        .declarations = "DOUBLE PRECISION HWRSET;",
                        .name = "HWRGEN",
                        .subscript = "5",
                        .choose = "",
                        .tail = "ENTRY HWRSET(); HWRSET = 0.D0; RETURN;"};
  return "C a small shower program for the tests\n" +
         fixed(
             "PROGRAM SMALL; IMPLICIT NONE; #define __RANDPAINC__; #include \"corsika.h\";"
             "CALL RMMARD( RD,2,1 ); IF ( RD(1) .LT. 0.5D0 ) CALL RMMARD( RD,1,1 ); STOP; END") +
         rmmaqd() + rmmard() + "#if __GHEISHA__\n" + vector_routine() + "#endif\n#if __URQMD__\n" +
         function() + "#endif\n#if __QGSJET__\n" + function(cut) + "#endif\n#if __HERWIG__\n" +
         function(entries) + "#endif\n";
}

fs::path rules(const fs::path& folder) {
  const FixedFormSource source{TextFile(rmmaqd())};
  const auto digest = body_digest(source, find_units(source).front());
  auto text = support::read_file(default_rules());
  const auto at = text.find("shapes = [");
  text.insert(at + 10, "\n  \"" + digest + "\",");
  auto path = folder / "rules.toml";
  write(path, text);
  return path;
}

void write_tree(const fs::path& tree) {
  write(tree / "src/corsika.F", main_source());
  write(tree / "src/corsika.h", header());
  write(tree / "configure.ac", "AC_INIT(corsika,77410)\n");
  write(tree / "src/utils/reader.f", "      COMMON /CRRANMA4/C,U\n      END\n");
  write(tree / "src/preshower2.0/utils.c",
        "void rmmard_(double*, int*, int*);\n/* crranma4_ in a comment */\n");
  write(tree / "own/gen.f", "      SUBROUTINE OWN\n      COMMON /OWNGEN/ V(97),I97,J97\n      END\n");
}

std::string without_blocks(const std::string& patched) {
  std::string out;
  bool ours = false;
  const TextFile text{patched};
  for (int i = 0; i < text.line_count(); ++i) {
    const auto line = text.line(i);
    const auto has = [&](const char* mark) { return line.find(mark) != std::string_view::npos; };
    if (!has("-overlay ") && !ours) out += text.raw_line(i);
    if (has("-overlay begin ") || has("-overlay else ") || has("-overlay end ")) ours = has("begin ");
    if (has("-overlay end ") && has(" nonl */")) {
      out.pop_back();
      if (out.ends_with('\r')) out.pop_back();
    }
  }
  return out;
}

}  // namespace sample
