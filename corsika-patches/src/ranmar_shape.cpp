// What follows from the places of a routine's statements: whether they compute RANMAR, and the traits.
#include "corsika_patches/ranmar_shape.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "corsika_patches/ranmar_body.h"
#include "corsika_patches/ranmar_steps.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

class ShapeCheck {
 public:
  ShapeCheck(const RoutineText& text, const RanmarBody& body) : text_(text), body_(body) {
    traits_.kind = body.kind;
    traits_.sequence = body.sequence;
    traits_.reject = body.reject;
  }

  RanmarTraits traits() {
    finish();
    return traits_;
  }

 private:
  int place_of(Step step) const { return body_.places.at(step); }
  void need(Step step) const {
    if (!body_.places.contains(step)) text_.refuse(std::string(describe(step)) + " is missing");
  }
  void order(std::initializer_list<Step> steps) const {
    const Step* before = nullptr;
    for (const Step& step : steps) {
      if (!body_.places.contains(step)) continue;
      if (before != nullptr && place_of(*before) >= place_of(step))
        text_.refuse(text_.statement(place_of(step)), "it stands before " + std::string(describe(*before)));
      before = &step;
    }
  }

  void finish() {
    for (const Step step :
         {Step::difference, Step::wrap_difference, Step::store, Step::step_i, Step::wrap_i, Step::step_j,
          Step::wrap_j, Step::step_c, Step::wrap_c, Step::subtract_c, Step::wrap_result, Step::result,
          Step::count, Step::carry_if, Step::carry_high, Step::carry_low, Step::carry_end})
      need(step);
    order({Step::set_last, Step::set_conex, Step::difference, Step::wrap_difference, Step::store,
           Step::step_i, Step::wrap_i});
    order({Step::set_argument, Step::difference, Step::step_j, Step::wrap_j});
    order({Step::store, Step::subtract_c, Step::wrap_result, Step::zero, Step::result});
    order({Step::step_c, Step::wrap_c, Step::subtract_c});
    order({Step::count, Step::carry_if, Step::carry_high, Step::carry_end});
    order({Step::carry_if, Step::carry_low, Step::carry_end, Step::reject});
    order({Step::result, Step::reject});
    for (const auto& [step, at] : body_.places)
      if (body_.places.contains(Step::leave) && at > place_of(Step::leave))
        text_.refuse(text_.statement(at), "it stands behind a RETURN");
    if (body_.types.declares(body_.value) ? body_.types.type_of(body_.value) != "DOUBLE PRECISION"
                                          : body_.value != "UNI")
      text_.refuse("its working variable " + body_.value + " is not known to be DOUBLE PRECISION");
    finish_sequence();
    finish_loop();
    finish_results();
    traits_.zero = body_.places.contains(Step::zero);
    if (traits_.reject && (!body_.label_place || *body_.label_place > place_of(Step::difference)))
      text_.refuse("the label to draw again is out of place");
    if (traits_.reject && body_.label_place && body_.places.contains(Step::set_conex) &&
        text_.statement(*body_.label_place).branch != text_.unit().frame)
      text_.refuse("the label to draw again is out of place");
    if (traits_.kind == "function") finish_function();
  }

  void finish_sequence() {
    if (traits_.kind == "rmmard") {
      need(Step::set_argument);
      need(Step::zero);  // its replacement has the rule
      if (body_.places.contains(Step::set_last) || body_.places.contains(Step::set_conex) ||
          body_.subscript != "JSEQ")
        text_.refuse("it does not use the sequence that it is given");
      traits_.sequence = "argument";
      traits_.last = true;
      return;
    }
    if (body_.subscript == "JSEQ") {
      if (!body_.places.contains(Step::set_last)) text_.refuse("it does not choose its sequence");
      traits_.last = true;
      traits_.conex = body_.places.contains(Step::set_conex);
    } else {
      if (body_.places.contains(Step::set_last) || body_.places.contains(Step::set_conex))
        text_.refuse("it sets the sequence used last and draws from another one");
      traits_.sequence = body_.subscript;
    }
    if (body_.places.contains(Step::set_conex)) order({Step::set_conex, Step::count});
    order({Step::set_last, Step::count});
  }

  void finish_loop() const {
    if (traits_.kind == "function") return;
    need(Step::loop);
    need(Step::loop_end);
    order({Step::loop, Step::difference});
    order({Step::result, Step::loop_end});
    for (const Step inside : {Step::wrap_i, Step::wrap_j, Step::wrap_c})
      if (place_of(inside) > place_of(Step::loop_end))
        text_.refuse(text_.statement(place_of(inside)), "it stands behind the loop");
    for (const Step outside :
         {Step::count, Step::carry_if, Step::carry_high, Step::carry_low, Step::carry_end})
      if (place_of(outside) > place_of(Step::loop) && place_of(outside) < place_of(Step::loop_end))
        text_.refuse(text_.statement(place_of(outside)), "it stands inside the loop");
    for (const Step outside : {Step::set_last, Step::set_conex, Step::set_argument})
      if (body_.places.contains(outside)) order({outside, Step::loop});
    if (traits_.kind == "rmmard") order({Step::set_argument, Step::count});
    if (body_.label_place && *body_.label_place > place_of(Step::loop))
      text_.refuse(text_.statement(*body_.label_place), "it has a label");
  }

  void finish_results() const {
    if (traits_.kind != "function") {
      if (body_.results.size() != 1 || !body_.results[0].first.empty())
        text_.refuse("its result is assigned more than once, or not always");
      return;
    }
    std::vector<std::pair<std::vector<std::string>, std::string>> heads;
    for (const auto& head : text_.unit().heads)
      heads.emplace_back(text_.conditions(text_.statement(head.statement)), head.name);
    if (heads != body_.results) text_.refuse("its result is not assigned under the conditionals of its head");
  }

  void finish_function() {
    const auto& head = text_.unit().heads.front();
    traits_.result = head.type.empty() ? body_.types.type_of(head.name) : RoutineTypes::plain(head.type);
    if (traits_.result != "REAL" && traits_.result != "DOUBLE PRECISION")
      text_.refuse("the type of its result cannot be told");
    if (body_.rounded && traits_.result != "REAL")
      text_.refuse("it rounds a DOUBLE PRECISION result to REAL");
    for (const auto& entry : body_.entries) {
      const auto type = body_.types.type_of(entry);
      if (type != traits_.result) text_.refuse("its ENTRY point " + entry + " is not of its own type");
    }
    traits_.entries = body_.entries;
    if (traits_.entries.size() > 2) text_.refuse("it has more than two ENTRY points");
    std::string type;
    std::string names;
    for (const auto& argument : head.arguments) {
      const auto own = body_.types.type_of(argument);
      if (own.empty() || (!type.empty() && own != type))
        text_.refuse("the type of its argument " + argument + " cannot be told");
      type = own;
      names += (names.empty() ? "" : ",") + argument;
    }
    if (!names.empty()) traits_.dummy = type + " " + names;
  }

  const RoutineText& text_;
  const RanmarBody& body_;
  RanmarTraits traits_;
};

}  // namespace

RanmarTraits recognise_ranmar(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
                              const std::string& file) {
  if (!unit.irregular.empty())
    throw support::Error(fmt::format("{}:{}: {} cannot be replaced: {}; restore its stock form", file,
                                     unit.begin_line + 1, unit.name(), unit.irregular));
  const RoutineText text(source, unit, file);
  return ShapeCheck(text, read_ranmar_body(text, kind)).traits();
}

}  // namespace corsika_patches
