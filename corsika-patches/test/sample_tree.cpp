#include "sample_tree.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "corsika-patches/recognise.h"
#include "corsika-patches/rules.h"
#include "support/temporary_folder.hpp"

namespace sample {

namespace fs = std::filesystem;
using namespace corsika_patches;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}
std::string swapped(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("sample has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

namespace {

std::string all_of(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// One step of the generator on sequence @.
std::string step(bool zero) {
  return std::string(
             "      UNI = U(I97(@),@) - U(J97(@),@)\n"
             "      IF (UNI .LT. 0.D0) UNI = UNI + 1.D0\n"
             "      U(I97(@),@) = UNI\n"
             "      I97(@) = I97(@) - 1\n"
             "      IF (I97(@) .EQ. 0) I97(@) = 97\n"
             "      J97(@) = J97(@) - 1\n"
             "      IF (J97(@) .EQ. 0) J97(@) = 97\n"
             "      C(@) = C(@) - CD\n"
             "      IF (C(@) .LT. 0.D0) C(@) = C(@) + CM\n"
             "      UNI = UNI - C(@)\n"
             "      IF (UNI .LT. 0.D0) UNI = UNI + 1.D0\n") +
         (zero ? "      IF (UNI .EQ. 0.D0) UNI = TWOM48\n" : "");
}

std::string counters(const std::string& by) {
  return "      NTOT(@) = NTOT(@) + " + by +
         "\n"
         "      IF (NTOT(@) .GE. MODCNS) THEN\n"
         "        NTOT2(@) = NTOT2(@) + 1\n"
         "        NTOT(@) = NTOT(@) - MODCNS\n"
         "      ENDIF\n";
}

const char* const declare =
    "      IMPLICIT NONE\n"
    "#define __RANMA3INC__\n"
    "#define __RANMA4INC__\n"
    "#include \"corsika.h\"\n";

}  // namespace

std::string function(const FunctionParts& p) {
  std::string text =
      p.head + declare + p.declarations + "      SAVE\nC our own words\n" + p.choose + p.before;
  std::string body =
      step(p.zero) + (p.result.empty() ? "      " + p.name + " = UNI\n" : p.result) + counters("1");
  text += all_of(body, "@", p.subscript) + p.after + "      RETURN\n" + p.tail + "      END\n";
  return text;
}

std::string vector_routine(const std::string& head, const std::string& choose) {
  return "      SUBROUTINE " + head + "\n" + declare +
         "      DOUBLE PRECISION RVEC(*)\n      INTEGER ISEQ,IVEC,LENV\n      SAVE\n" + choose +
         "      DO  IVEC = 1, LENV\n" + all_of(step(true), "@", "JSEQ") +
         "      RVEC(IVEC) = UNI\n      ENDDO\n" + all_of(counters("LENV"), "@", "JSEQ") +
         "      RETURN\n      END\n";
}

std::string rmmard() {
  return vector_routine("RMMARD( RVEC,LENV,ISEQ )",
                        "      IF (ISEQ .GT. 0 .AND. ISEQ .LE. KSEQ) JSEQ = ISEQ\n");
}

std::string rmmaqd() {
  return std::string("      SUBROUTINE RMMAQD( ISEED,ISEQ,CHOPT )\n") + declare +
         "      INTEGER ISEED(3),ISEQ,K,NFILL\n"
         "      CHARACTER*(*) CHOPT\n"
         "      DOUBLE PRECISION W\n"
         "      DATA JSEQ / 1 /\n"
         "      NFILL = 33\n"
         "      W = 0.5D0\n"
         "      IF (CHOPT .EQ. 'S') THEN\n"
         "        JSEQ = ISEQ\n"
         "        IJKL(JSEQ) = ISEED(1)\n"
         "        DO 20 K = 1, 97\n"
         "          W = W * 0.75D0\n"
         "          U(K,JSEQ) = W\n"
         "   20   CONTINUE\n"
         "        J97(JSEQ) = NFILL\n"
         "      ELSE\n"
         "        ISEED(1) = IJKL(JSEQ)\n"
         "      ENDIF\n"
         "      RETURN\n      END\n";
}

std::string header() {
  return "#ifdef __RANDPAINC__\n"
         "      COMMON /CRRANDPA/RD,FAC\n"
         "      DOUBLE PRECISION RD(3000),FAC\n"
         "#undef __RANDPAINC__\n"
         "#endif\n"
         "#ifdef __RANMA3INC__\n"
         "      INTEGER KSEQ\n"
         "      PARAMETER (KSEQ = 9)\n"
         "      COMMON /CRRANMA3/CD,CINT,CM,TWOM24,TWOM48,MODCNS\n"
         "      DOUBLE PRECISION CD,CINT,CM,TWOM24,TWOM48\n"
         "      INTEGER MODCNS\n"
         "#undef __RANMA3INC__\n"
         "#endif\n"
         "#ifdef __RANMA4INC__\n"
         "      COMMON /CRRANMA4/C,U,IJKL,I97,J97,NTOT,NTOT2,JSEQ\n"
         "      DOUBLE PRECISION C(KSEQ),U(97,KSEQ),UNI\n"
         "      INTEGER IJKL(KSEQ),I97(KSEQ),J97(KSEQ),NTOT(KSEQ),\n"
         "     *        NTOT2(KSEQ),JSEQ\n"
         "#undef __RANMA4INC__\n"
         "#endif\n";
}

std::string main_source() {
  FunctionParts cut;
  cut.head =
      "#if __QGSII__\n      DOUBLE PRECISION FUNCTION QGRAN(B10)\n#else\n      DOUBLE PRECISION FUNCTION "
      "PSRAN(B10)\n#endif\n";
  cut.declarations = "      DOUBLE PRECISION B10\n";
  cut.result = "#if __QGSII__\n      QGRAN = UNI\n#else\n      PSRAN = UNI\n#endif\n";
  FunctionParts entries;
  entries.head = "      DOUBLE PRECISION FUNCTION HWRGEN()\n";
  entries.declarations = "      DOUBLE PRECISION HWRSET\n";
  entries.name = "HWRGEN";
  entries.choose = "";
  entries.subscript = std::string("5");
  entries.tail = "      ENTRY HWRSET()\n      HWRSET = 0.D0\n      RETURN\n";
  return "C a small shower program for the tests\n"
         "      PROGRAM SMALL\n"
         "      IMPLICIT NONE\n"
         "#define __RANDPAINC__\n"
         "#include \"corsika.h\"\n"
         "      CALL RMMARD( RD,2,1 )\n"
         "      IF ( RD(1) .LT. 0.5D0 ) CALL RMMARD( RD,1,1 )\n"
         "      STOP\n"
         "      END\n" +
         rmmaqd() + rmmard() + "#if __GHEISHA__\n" + vector_routine() + "#endif\n" + "#if __URQMD__\n" +
         function() + "#endif\n#if __QGSJET__\n" + function(cut) + "#endif\n#if __HERWIG__\n" +
         function(entries) + "#endif\n";
}

fs::path rules(const fs::path& folder) {
  const FixedFormSource source{TextFile(rmmaqd())};
  const auto digest = body_digest(source, find_units(source).front());
  auto text = read(default_rules());
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

Run run(const std::string& command) {
  const support::TemporaryFolder folder("corsika-patches-test");
  const auto out = folder.path() / "out";
  const auto err = folder.path() / "err";
  const int status = std::system(("( " + command + " ) >" + out.string() + " 2>" + err.string()).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

}  // namespace sample
