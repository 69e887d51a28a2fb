#pragma once
/// \file
/// The tree walker behind run() of jinja_interpreter.h; no other file needs it. Variables live in
/// frames: the first holds the template's own, each loop round adds one, and a macro sees the first
/// frame and those it adds itself. Assignments go to the newest frame, so a loop cannot change what
/// stands outside it except through a namespace, as in Jinja.
/// Owned by one thread.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/text/jinja_calls.h"
#include "engine/text/jinja_interpreter.h"

namespace lacuna::jinja {

enum class Flow { Next, Break, Continue };

class Evaluator {
  public:
    static constexpr std::int64_t kMaxSteps = 1'000'000;   ///< statements, loop rounds and calls
    static constexpr std::int64_t kMaxNodes = 10'000'000;  ///< expressions
    static constexpr std::size_t kMaxBytesMade = 256U << 20;
    static constexpr int kMaxMacroDepth = 64;
    static constexpr int kMaxDepth = 1200;  ///< of calls between the functions here
    static constexpr int kMaxValueDepth = 64;

    explicit Evaluator(const RunInput& input) : input_(input) {
        frames_.push_back(input.globals);
        Frame& globals = frames_.front();
        globals["range"] = Value(Builtin::MakeRange);
        globals["namespace"] = Value(Builtin::MakeNamespace);
        globals["dict"] = Value(Builtin::MakeDict);
        globals["raise_exception"] = Value(Builtin::RaiseException);
        globals["strftime_now"] = Value(Builtin::StrftimeNow);
    }
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    // A namespace may hold another, or itself: emptied one by one, they free each other flatly.
    ~Evaluator() {
        for (const Value::NamespacePtr& space : namespaces_) space->clear();
    }

    [[nodiscard]] Result<MarkedText> run(const Block& program) {
        LACUNA_TRY(const Flow flow, execBlock(program));
        static_cast<void>(flow);
        return std::move(out_);
    }

  private:
    using Frame = std::map<std::string, Value>;

    // --- limits and places ---
    [[nodiscard]] static tl::unexpected<Error> placed(Error error, Place place) {
        return tl::unexpected<Error>(withPrefix(std::move(error), describe(place)));
    }
    [[nodiscard]] static tl::unexpected<Error> failAt(Place place, ErrorCode code,
                                                      std::string what) {
        return fail(code, format("{}: {}", describe(place), what));
    }
    template <class T>
    [[nodiscard]] static Result<T> at(Place place, Result<T> result) {
        if (result) return result;
        return placed(std::move(result).error(), place);
    }
    [[nodiscard]] Status step(Place place) {
        if (++steps_ <= kMaxSteps) return {};
        return failAt(place, ErrorCode::TplLimit,
                      format("the template takes more than {} steps", kMaxSteps));
    }
    [[nodiscard]] Status countMade(Place place, const Value& value);
    [[nodiscard]] Status write(Place place, const MarkedText& text);
    class Depth {
      public:
        explicit Depth(int& depth) : depth_(depth) { ++depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ~Depth() { --depth_; }

      private:
        int& depth_;
    };
    [[nodiscard]] Status checkDepth(Place place) const {
        if (depth_ <= kMaxDepth) return {};
        return failAt(place, ErrorCode::TplLimit, "the template is nested too deep while it runs");
    }

    // --- variables ---
    Frame& newest() { return frames_.back(); }
    [[nodiscard]] Value lookUp(const std::string& name) const;
    [[nodiscard]] Status assign(const Statement& s, const std::vector<std::string>& names,
                                Value value);

    // --- statements ---
    [[nodiscard]] Result<Flow> execBlock(const Block& block);
    [[nodiscard]] Result<Flow> exec(const Statement& s);
    [[nodiscard]] Result<Flow> execIf(const Statement& s);
    /// The elements a loop walks: those that pass its condition.
    [[nodiscard]] Result<Value::ListPtr> loopItems(const Statement& s);
    [[nodiscard]] Result<Flow> execFor(const Statement& s);
    [[nodiscard]] Result<Flow> loopRound(const Statement& s, LoopState state);
    [[nodiscard]] Status execSet(const Statement& s);
    /// What a block writes, instead of writing it.
    [[nodiscard]] Result<MarkedText> captured(const Block& body);

    // --- expressions ---
    [[nodiscard]] Result<Value> eval(const Expr& e);
    [[nodiscard]] Result<Value> evalKind(const Expr& e);
    [[nodiscard]] Result<Value> evalAccess(const Expr& e);
    [[nodiscard]] Result<Value> evalApplied(const Expr& e);
    [[nodiscard]] Result<Value> evalSign(const Expr& e);
    [[nodiscard]] static Value constant(const Literal& literal);
    [[nodiscard]] Result<Value> evalList(const Expr& e);
    [[nodiscard]] Result<Value> evalDict(const Expr& e);
    [[nodiscard]] Result<Value> evalSlice(const Expr& e);
    [[nodiscard]] Result<Value> evalLogic(const Expr& e);
    [[nodiscard]] Result<Value> evalCompare(const Expr& e);
    [[nodiscard]] Result<Value> evalConcat(const Expr& e);

    // --- calls ---
    [[nodiscard]] Result<CallArgs> evalArgs(const Expr& e);
    [[nodiscard]] Result<Value> evalCall(const Expr& e);
    [[nodiscard]] Result<Value> callOn(const Value& object, const Expr& callee,
                                       const CallArgs& args);
    [[nodiscard]] Result<Value> callValue(const Value& function, const Expr& callee,
                                          const CallArgs& args);
    [[nodiscard]] Result<Value> callBuiltin(Builtin builtin, const CallArgs& args);
    [[nodiscard]] Result<Value> callMacro(const Statement& macro, Place place,
                                          const CallArgs& args);
    [[nodiscard]] Result<MarkedText> macroBody(const Statement& macro, Place place,
                                               const CallArgs& args);

    const RunInput& input_;
    std::vector<Frame> frames_;
    std::vector<Value::NamespacePtr> namespaces_;
    MarkedText out_;
    std::size_t macroBase_ = 0;  // frames below belong to the macro's caller
    std::int64_t steps_ = 0;
    std::int64_t nodes_ = 0;
    std::size_t made_ = 0;
    int depth_ = 0;
    int macros_ = 0;
    int loopDepth_ = 0;
};

}  // namespace lacuna::jinja
